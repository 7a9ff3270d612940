# The page of `weir report`: src/report/page, bundled by esbuild into one HTML file that the library holds. What it is made of
# comes from the npm registry by src/report/page/package-lock.json, into the build folder, once. Without node, npm or the registry
# the report is an optional part that is out; so it is under sanitizers and where device code is emulated, which it says nothing about.
option(WEIR_REPORT "Make the page of weir report where node and npm are found" ON)
set(WEIR_HAVE_REPORT OFF)
set(page_source ${CMAKE_SOURCE_DIR}/src/report/page)
set(page_build ${CMAKE_BINARY_DIR}/report)
if(WEIR_REPORT AND NOT WEIR_SANITIZE AND NOT WEIR_EMULATE AND NOT WEIR_FUZZ)
    find_program(WEIR_NODE NAMES node nodejs)
    find_program(WEIR_NPM npm)
    if(WEIR_NODE AND WEIR_NPM)
        execute_process(COMMAND ${WEIR_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REGEX REPLACE "^v" "" node_version "${node_version}")
        set(page_omit "")
        if(NOT BUILD_TESTING)
            set(page_omit --omit=dev)
        endif()
        file(SHA256 ${page_source}/package-lock.json page_lock)
        set(page_wanted "${page_lock} ${page_omit}")
        set(page_has "")
        if(EXISTS ${page_build}/installed)
            file(READ ${page_build}/installed page_has)
        endif()
        if(NOT page_has STREQUAL page_wanted AND node_version VERSION_GREATER_EQUAL 18)
            message(STATUS "weir report: fetching what its page is made of")
            file(COPY ${page_source}/package.json ${page_source}/package-lock.json DESTINATION ${page_build})
            execute_process(
                COMMAND ${WEIR_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
                        --fetch-timeout=20000 ${page_omit}
                WORKING_DIRECTORY ${page_build} TIMEOUT 300 RESULT_VARIABLE page_failed
                OUTPUT_FILE ${page_build}/npm.log ERROR_FILE ${page_build}/npm.log)
            if(page_failed)
                message(STATUS "weir report: npm ci failed, see ${page_build}/npm.log")
            else()
                file(WRITE ${page_build}/installed "${page_wanted}")
                set(page_has "${page_wanted}")
            endif()
        endif()
        if(page_has STREQUAL page_wanted)
            set(WEIR_HAVE_REPORT ON)
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
