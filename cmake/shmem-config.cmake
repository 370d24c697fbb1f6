# find_package(shmem): the target shmem::shmem, for C and for C++.
include(${CMAKE_CURRENT_LIST_DIR}/shmem-targets.cmake)

# shmem.hpp needs C++20. Not every CMake lets a project in C alone inherit a feature of C++.
get_property(shmem_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST shmem_languages)
    target_compile_features(shmem::shmem INTERFACE cxx_std_20)
endif()
unset(shmem_languages)
