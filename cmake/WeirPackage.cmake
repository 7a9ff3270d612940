# `cpack` makes weir_VERSION_ARCH.deb: command, library, headers, manual page, completions, documentation, examples.
# For Debian 12 and Ubuntu 24.04; installed below /usr, whatever prefix the build has.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weir
    PATTERN "results" EXCLUDE PATTERN "run.sh" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weir)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weir FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weir)
set(CPACK_PACKAGE_VENDOR "weir")
set(CPACK_PACKAGE_CONTACT "weir maintainers <maintainers@users.noreply.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator for large networks")
set(CPACK_PACKAGE_DESCRIPTION
"weir simulates large networks and spends detail only where the question needs
it: traffic packet by packet, as fluid, or by a surrogate, on one core, on all,
on several machines or on a GPU, with the same result on each.
.
This package holds the command, the library, its headers, and examples.")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# What Debian's policy wants beside: copyright, a changelog, gzip'd pages.
set(deb ${CMAKE_BINARY_DIR}/deb)
file(READ ${CMAKE_SOURCE_DIR}/LICENSE licence)
file(WRITE ${deb}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: weir\n\nFiles: *\nCopyright: the weir authors\nLicense: MIT\n")
string(REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REPLACE "\n" "\n " licence "${licence}")
file(APPEND ${deb}/copyright " ${licence}\n")
file(WRITE ${deb}/changelog "weir (${PROJECT_VERSION}) stable; urgency=medium\n\n  * See CHANGELOG.md of the source.\n\n -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000\n")
execute_process(COMMAND gzip -9nf ${deb}/changelog)
install(FILES ${deb}/copyright ${deb}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weir)

# In the tree that is packed: pages gzip'd, and zsh's completion where Debian's zsh looks.
file(WRITE ${deb}/tidy.cmake [[
file(GLOB pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/man/man*/*.[1-9])
foreach(page ${pages})
    execute_process(COMMAND gzip -9nf ${page})
endforeach()
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
if(EXISTS ${share}/zsh/site-functions)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
endif()
]])
set(CPACK_PRE_BUILD_SCRIPTS ${deb}/tidy.cmake)
file(WRITE ${deb}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${deb}/triggers)
include(CPack)
