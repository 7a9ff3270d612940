# weir_find_ns3(LIBRARIES PART...): LIBRARIES becomes ns-3's libraries for these parts, or FALSE where one of them, the headers
# or a C++ compiler is missing. Debian's libns3-dev gives flags in pkg-config that do not parse, so parts are looked for by
# name. C++ is enabled where all is there; NS3_INCLUDE is the folder of the headers.
include(CheckLanguage)

# A test that this build cannot hold, so that CTest counts it as skipped.
function(weir_skipped_test name why)
    add_test(NAME ${name} COMMAND sh -c "echo 'SKIPPED: ${why}'; exit 77")
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

macro(weir_find_ns3 libraries)
    find_path(NS3_INCLUDE ns3/core-module.h)
    set(${libraries} "")
    set(ns3_complete ${NS3_INCLUDE})
    foreach(part ${ARGN})
        find_library(NS3_${part} ns3-${part})
        if(NS3_${part})
            list(APPEND ${libraries} ${NS3_${part}})
        else()
            set(ns3_complete FALSE)
        endif()
    endforeach()
    if(ns3_complete)
        check_language(CXX)
    endif()
    if(ns3_complete AND CMAKE_CXX_COMPILER)
        enable_language(CXX)
    else()
        set(${libraries} FALSE)
    endif()
endmacro()
