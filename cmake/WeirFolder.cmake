# weir_folder(NAME USES folder ... ): src/NAME/*.c becomes the static library weir_NAME; so do the files of its subfolders
# (src/models/phold/*.c), and the *.cu beside them where nvcc is: all files then see WEIR_HAVE_CUDA. Third-party
# libraries come from WEIR_LIBS_NAME, and sources that are made from WEIR_MADE_NAME, set in WeirDependencies. Files are
# found by pattern, so that a new one needs no second edit.
#
# WEIR_READERS, of the preset `readers`: sanitizers double what compiling takes, so that files which no fuzz target reaches go without.
# A target that reaches a function of theirs stops with its name (tests/fuzz.c): then its room is to be taken from this list.
option(WEIR_READERS "Sanitizers for what fuzz targets reach alone; for the fuzz targets, and no other program" OFF)
string(CONCAT beyond_readers "^${CMAKE_SOURCE_DIR}/src/((device|engine|fluid|net|packets|pending|ranks|routing|surrogate"
       "|models/(jackson|kademlia|lcg|mgk|phold|wireless)|scenario/(fluid|results|session|subjects)|study/(folder|runs|tables))/"
       "|(network|scenario|study)/[^/]*$)")
function(weir_folder name)
    cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c ${CMAKE_SOURCE_DIR}/src/${name}/*/*.c
         ${CMAKE_SOURCE_DIR}/src/${name}/*/*/*.c)
    set(device_sources "")
    if(WEIR_HAVE_CUDA)
        file(GLOB device_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cu
             ${CMAKE_SOURCE_DIR}/src/${name}/*/*.cu ${CMAKE_SOURCE_DIR}/src/${name}/*/*/*.cu)
        if(NOT WEIR_EMULATE)
            list(APPEND sources ${device_sources})
        endif()
    endif()
    if(NOT sources)
        message(STATUS "src/${name} holds no source yet")
        return()
    endif()
    add_library(weir_${name} STATIC ${sources} ${WEIR_MADE_${name}})
    if(WEIR_READERS)
        foreach(source ${sources})
            if(source MATCHES "${beyond_readers}")
                set(level -O0)
                if(source MATCHES "/src/(network|packets|scenario)/") # without any optimising they would hold handlers of packets again, each
                    set(level -O1)
                endif()
                set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${level};-g0;-fno-sanitize=all;-finstrument-functions")
            endif()
        endforeach()
    endif()
    target_link_libraries(weir_${name} PUBLIC weir_flags)
    foreach(used ${ARG_USES})
        if(TARGET weir_${used})
            target_link_libraries(weir_${name} PUBLIC weir_${used})
        endif()
    endforeach()
    target_link_libraries(weir_${name} PUBLIC ${WEIR_LIBS_${name}} m)
    if(device_sources AND WEIR_EMULATE)
        weir_emulate(weir_${name} ${device_sources})
    endif()
    if(WEIR_HAVE_CUDA)
        target_compile_definitions(weir_${name} PRIVATE WEIR_HAVE_CUDA)
    endif()
    if(device_sources)
        target_link_libraries(weir_${name} PUBLIC CUDA::cudart_static)
    endif()
    set_property(GLOBAL APPEND PROPERTY WEIR_FOLDERS ${name})
endfunction()
