# The Debian package: `./dev package`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "SHMEM developers <shmem@example.org>")
set(CPACK_PACKAGE_DESCRIPTION
"Processes of a job read and write each other's memory directly, in the
manner of OpenSHMEM: no receiver, no staging copy, no system call.
This package has the library with its C and C++ headers, the launcher
shmemrun, tools and documentation.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
