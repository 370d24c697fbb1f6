# What `cmake --install` puts where. Every path inside is relative, so the prefix may be moved afterwards.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Readable for everyone, whatever umask the one who installs has.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# The library and its headers.
install(TARGETS shmem EXPORT shmem-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# find_package(shmem), here and in the build tree.
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/shmem)
set(build_cmake_folder ${PROJECT_BINARY_DIR}/lib/cmake/shmem)
configure_file(cmake/shmem-config.cmake ${build_cmake_folder}/shmem-config.cmake COPYONLY)
write_basic_package_version_file(${build_cmake_folder}/shmem-config-version.cmake COMPATIBILITY SameMinorVersion)
export(EXPORT shmem-targets FILE ${build_cmake_folder}/shmem-targets.cmake NAMESPACE shmem::)
install(EXPORT shmem-targets DESTINATION ${cmake_folder} NAMESPACE shmem::)
install(FILES ${build_cmake_folder}/shmem-config.cmake ${build_cmake_folder}/shmem-config-version.cmake
    DESTINATION ${cmake_folder})

# pkg-config.
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig/ ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
configure_file(cmake/shmem.pc.in ${PROJECT_BINARY_DIR}/shmem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/shmem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The programs, each with its page of the manual.
file(RELATIVE_PATH from_programs_to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(pages shmem.7)
foreach(program IN ITEMS shmemrun shmem-bench shmem-info)
    if(TARGET ${program})
        set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${from_programs_to_library}")
        install(TARGETS ${program})
        list(APPEND pages ${program}.1)
    endif()
endforeach()
foreach(page IN LISTS pages)
    configure_file(docs/man/${page}.in ${PROJECT_BINARY_DIR}/man/${page} @ONLY)
    cmake_path(GET page EXTENSION LAST_ONLY section)
    string(REPLACE "." "man" section ${section})
    install(FILES ${PROJECT_BINARY_DIR}/man/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/${section})
endforeach()

# Documentation, laid out as in the source tree, so that its links hold.
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md LICENSE cmake/copyright
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN man EXCLUDE)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
