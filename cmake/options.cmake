# shmem_options: what every target of the project is compiled with.
add_library(shmem_options INTERFACE)
target_compile_options(shmem_options INTERFACE -Wall -Wextra -Werror)

if(SHMEM_SANITIZER)
    # -O1 -g1 compile in half the time of -O2 -g. Instrumented code misleads gcc's analysis of uninitialised variables.
    target_compile_options(shmem_options INTERFACE
        -fsanitize=${SHMEM_SANITIZER} -O1 -g1 -fno-omit-frame-pointer -Wno-maybe-uninitialized)
    target_link_options(shmem_options INTERFACE -fsanitize=${SHMEM_SANITIZER})
    if(SHMEM_SANITIZER MATCHES "undefined")
        target_compile_options(shmem_options INTERFACE -fno-sanitize-recover=all)
    endif()
endif()
