# libweir.so: all folders in one shared library that exports weir_* and nothing else, with its headers, a pkg-config file
# and a CMake package, so that a program can run scenarios or use topologies, routes and engines on their own.
get_property(folders GLOBAL PROPERTY WEIR_FOLDERS)
set(parts "")
foreach(folder ${folders})
    if(NOT folder STREQUAL "cli")
        list(APPEND parts weir_${folder})
    endif()
endforeach()

file(WRITE ${CMAKE_BINARY_DIR}/empty.c "/* All of libweir comes from its folders' libraries. */\n")
add_library(libweir SHARED ${CMAKE_BINARY_DIR}/empty.c)
set_target_properties(libweir PROPERTIES OUTPUT_NAME weir VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    EXPORT_NAME weir)
set(whole "")
foreach(part ${parts})
    list(APPEND whole "$<TARGET_FILE:${part}>")
    add_dependencies(libweir ${part})
endforeach()
target_link_options(libweir PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/libweir.map)
set_target_properties(libweir PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/libweir.map)
target_link_libraries(libweir PRIVATE -Wl,--whole-archive ${whole} -Wl,--no-whole-archive
    ${WEIR_LIBS_base} ${WEIR_LIBS_topology} ${WEIR_LIBS_routing} ${WEIR_LIBS_ranks} ${WEIR_LIBS_engine} ${WEIR_LIBS_jobs} ${WEIR_LIBS_output}
    ${WEIR_LIBS_schema} ${WEIR_LIBS_scenario} m)
if(WEIR_HAVE_CUDA)
    target_link_libraries(libweir PRIVATE CUDA::cudart_static stdc++)
endif()
if(WEIR_SANITIZE)
    target_link_options(libweir PRIVATE -fsanitize=${WEIR_SANITIZE})
else()
    target_link_options(libweir PRIVATE -Wl,-z,defs) # a function that a build lacks is found here, not by whoever links weir
endif()
target_include_directories(libweir INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/weir/device>)

install(TARGETS libweir EXPORT weir-targets)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The GPU engine's kernels, which weir/gpu_model.h makes for a model of the user's.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/engine/gpu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir/device/engine
    FILES_MATCHING PATTERN "*.cuh" PATTERN "*.h")
install(FILES ${CMAKE_SOURCE_DIR}/src/engine/core/watch_count.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir/device/engine/core)
install(EXPORT weir-targets NAMESPACE weir:: FILE weir-config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weir-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
# From there: lib/x86_64-linux-gnu is one deeper than lib.
file(RELATIVE_PATH prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/weir.pc.in ${CMAKE_BINARY_DIR}/weir.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
