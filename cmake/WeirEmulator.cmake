# WEIR_EMULATE: the CUDA code runs on the CPU, thread by thread (tests/emulator), so that tests of it need no device. Sources
# are rewritten into the build folder and compiled as C++; headers that launch or hold assembly are rewritten too and come first.
set(emulator ${CMAKE_SOURCE_DIR}/tests/emulator)
set(WEIR_EMULATED_DIR ${CMAKE_BINARY_DIR}/emulated)
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
add_library(weir_emulator STATIC ${emulator}/emulator.cc)
target_compile_options(weir_emulator PRIVATE -O2 -g1)
add_library(CUDA::cudart_static ALIAS weir_emulator)

function(weir_rewrite from to)
    add_custom_command(OUTPUT ${to} COMMAND sed -n -E -f ${emulator}/rewrite.sed -e "w ${to}" ${from}
                       DEPENDS ${from} ${emulator}/rewrite.sed VERBATIM)
endfunction()

file(GLOB headers RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/engine/gpu/*.cuh ${CMAKE_SOURCE_DIR}/src/engine/gpu/*.h
     ${CMAKE_SOURCE_DIR}/src/engine/gpu/*/*.cuh ${CMAKE_SOURCE_DIR}/src/engine/gpu/*/*.h
     ${CMAKE_SOURCE_DIR}/src/fluid/cuda/*.h ${CMAKE_SOURCE_DIR}/src/routing/*/device.h)
set(rewritten "")
foreach(header ${headers})
    get_filename_component(folder ${WEIR_EMULATED_DIR}/${header} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    weir_rewrite(${CMAKE_SOURCE_DIR}/${header} ${WEIR_EMULATED_DIR}/${header})
    list(APPEND rewritten ${WEIR_EMULATED_DIR}/${header})
endforeach()
add_custom_target(weir_emulated_headers DEPENDS ${rewritten})

# weir_emulate(TARGET SOURCES...): the target's CUDA sources, as C++.
function(weir_emulate target)
    foreach(source ${ARGN})
        file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${source})
        set(to ${WEIR_EMULATED_DIR}/${name}.cc)
        get_filename_component(folder ${to} DIRECTORY)
        file(MAKE_DIRECTORY ${folder})
        weir_rewrite(${source} ${to})
        target_sources(${target} PRIVATE ${to})
        set_source_files_properties(${to} PROPERTIES COMPILE_OPTIONS
            "-I${emulator};-iquote;${WEIR_EMULATED_DIR}/src;-include;cuda_runtime.h;-O2;-g1;-ffp-contract=off;-w;-DNET_HOT=64;-DNET_HOTTEST=128;-DWI_GPU_MOVE_BLOCKS=3")
    endforeach()
    add_dependencies(${target} weir_emulated_headers)
endfunction()
