# find_package(shmem): the target shmem::shmem, for C and for C++.
include(${CMAKE_CURRENT_LIST_DIR}/shmem-targets.cmake)

# shmem.hpp needs C++20; a project in C alone does not know that feature.
get_property(shmem_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST shmem_languages)
    target_compile_features(shmem::shmem INTERFACE cxx_std_20)
endif()
unset(shmem_languages)
