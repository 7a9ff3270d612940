# The page of `weir report`: src/report/page, bundled by esbuild (its WebAssembly, one package for every machine) into one HTML file that the library holds. What it is made of
# comes from the npm registry by src/report/page/package-lock.json, into the build folder, once; what its tests drive it with, by
# tests/report/package-lock.json. Without node, npm or the registry the report is an optional part that is out; so it is under
# sanitizers and where device code is emulated, which it says nothing about.
option(WEIR_REPORT "Make the page of weir report where node and npm are found" ON)
set(WEIR_HAVE_REPORT OFF)
set(page_source ${CMAKE_SOURCE_DIR}/src/report/page)
set(page_build ${CMAKE_BINARY_DIR}/report)

# What the lock file of `source` names, into `to`, unless it is there; HAVE: whether it is there now.
function(weir_fetch_packages source to have)
    file(SHA256 ${source}/package-lock.json wanted)
    set(has "")
    if(EXISTS ${to}/installed)
        file(READ ${to}/installed has)
    endif()
    if(NOT has STREQUAL wanted)
        message(STATUS "weir report: fetching what ${source} names")
        file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${to})
        execute_process(
            COMMAND ${WEIR_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --fetch-timeout=20000
            WORKING_DIRECTORY ${to} TIMEOUT 300 RESULT_VARIABLE failed OUTPUT_FILE ${to}/npm.log ERROR_FILE ${to}/npm.log)
        if(failed)
            message(STATUS "weir report: npm ci failed, see ${to}/npm.log")
        else()
            file(WRITE ${to}/installed "${wanted}")
            set(has "${wanted}")
        endif()
    endif()
    if(has STREQUAL wanted)
        set(${have} ON PARENT_SCOPE)
    endif()
endfunction()

if(WEIR_REPORT AND NOT WEIR_SANITIZE AND NOT WEIR_EMULATE AND NOT WEIR_FUZZ)
    find_program(WEIR_NODE NAMES node nodejs)
    find_program(WEIR_NPM npm)
    if(WEIR_NODE AND WEIR_NPM)
        execute_process(COMMAND ${WEIR_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REGEX REPLACE "^v" "" node_version "${node_version}")
        if(node_version VERSION_GREATER_EQUAL 18)
            weir_fetch_packages(${page_source} ${page_build} WEIR_HAVE_REPORT)
            if(BUILD_TESTING)
                weir_fetch_packages(${CMAKE_SOURCE_DIR}/tests/report ${page_build}/tests page_tests)
            endif()
        endif()
    endif()
endif()
weir_feature("weir report" "${WEIR_HAVE_REPORT}" "nodejs 18 or later and npm, with access to the npm registry")

if(WEIR_HAVE_REPORT)
    file(GLOB page_files CONFIGURE_DEPENDS ${page_source}/*.mjs ${page_source}/src/*.js ${page_source}/src/*.css
         ${page_source}/src/*.html)
    add_custom_command(OUTPUT ${page_build}/page.html
        COMMAND ${WEIR_NODE} ${page_source}/build.mjs ${page_build} ${page_build}/page.html
        DEPENDS ${page_files} ${page_build}/installed COMMENT "Bundling the page of weir report" VERBATIM)
    add_custom_target(report-page DEPENDS ${page_build}/page.html)
    add_dependencies(weir_report report-page)
    set_source_files_properties(src/report/page.c PROPERTIES OBJECT_DEPENDS ${page_build}/page.html
        COMPILE_DEFINITIONS "WEIR_PAGE=\"${page_build}/page.html\"")
endif()
