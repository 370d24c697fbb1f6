# How the tests are built and registered with CTest.
#
#   shmem_unit_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...])
#   shmem_job_test(<name> PROGRAM <target> | SOURCES <file>...
#                  PES <number>... [ARGS <argument>...] [LABELS <label>...] [TIMEOUT <seconds>] [QUIET])
#
# The name of a test starts with its folder: core.Heap.freed_space_is_reused, capi.rma_test.4_pes (ctest -R ^core).
# Its labels are `unit` or `job` and those of these that it is given:
#   lint  about the form of the tree: not built under a sanitizer
#   soak  runs for minutes: left out by `./dev test`, run by `./dev soak`
#   tsan  plays processes by threads, so that ThreadSanitizer sees their races: no other unit test is built for it
#   plain makes no sense under a sanitizer (size or speed): registered in plain builds only

include(GoogleTest)

# Everything that tests run: quicker to build than all, where only the tests are wanted.
add_custom_target(test_programs)

set(SHMEM_TEST_ENVIRONMENT "")
# One variable at most: the properties of discovered tests take no list.
if(SHMEM_SANITIZER MATCHES "address")
    set(SHMEM_TEST_ENVIRONMENT "ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1")
elseif(SHMEM_SANITIZER STREQUAL "undefined")
    set(SHMEM_TEST_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1")
elseif(SHMEM_SANITIZER STREQUAL "thread")
    set(SHMEM_TEST_ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
endif()

# The calling folder under tests/: what the names of its tests start with.
function(shmem_test_folder folder)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE path)
    string(REPLACE "/" "." path "${path}")
    set(${folder} ${path} PARENT_SCOPE)
endfunction()

# A GoogleTest program of one process over the inner layers; each TEST becomes a test of CTest.
function(shmem_unit_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;LABELS")
    if((SHMEM_SANITIZER AND "plain" IN_LIST arg_LABELS)
            OR (SHMEM_SANITIZER STREQUAL "thread" AND NOT "tsan" IN_LIST arg_LABELS))
        return()
    endif()
    add_executable(${name} ${arg_SOURCES})
    add_dependencies(test_programs ${name})
    target_link_libraries(${name} PRIVATE shm_core ${arg_LIBRARIES} shmem_options GTest::gmock GTest::gtest_main)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
    shmem_test_folder(folder)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${folder}. TEST_LIST tests
        PROPERTIES TIMEOUT 60 ENVIRONMENT "${SHMEM_TEST_ENVIRONMENT}")
    # PROPERTIES above would take only the first of several labels.
    set(label_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(WRITE ${label_file} "set_tests_properties(\${tests} PROPERTIES LABELS \"unit;${arg_LABELS}\")\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${label_file})
endfunction()

# A program run by the launcher, once for each number of PEs. With SOURCES it is a GoogleTest program over the
# public API whose tests every PE runs in step (see support/job_main.cpp). QUIET: it must leave stderr empty.
function(shmem_job_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "QUIET" "PROGRAM;TIMEOUT" "SOURCES;PES;ARGS;LABELS")
    if(NOT TARGET shmemrun OR (SHMEM_SANITIZER AND "plain" IN_LIST arg_LABELS))
        return()
    endif()
    if(arg_SOURCES)
        set(arg_PROGRAM ${name})
        add_executable(${name} ${arg_SOURCES})
        target_link_libraries(${name} PRIVATE shmem_job_main shmem_options)
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
    endif()
    add_dependencies(test_programs shmemrun ${arg_PROGRAM})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    math(EXPR patience "${arg_TIMEOUT} + 15") # the launcher's own limit comes first: it says who hung where
    set(quiet "")
    if(arg_QUIET)
        set(quiet ${PROJECT_SOURCE_DIR}/tests/support/quiet.sh)
    endif()
    shmem_test_folder(folder)
    foreach(pes IN LISTS arg_PES)
        set(test ${folder}.${name}.${pes}_pes)
        add_test(NAME ${test} COMMAND ${quiet} $<TARGET_FILE:shmemrun> -n ${pes} --timeout ${arg_TIMEOUT}
            $<TARGET_FILE:${arg_PROGRAM}> ${arg_ARGS})
        set_tests_properties(${test} PROPERTIES LABELS "job;${arg_LABELS}" PROCESSORS ${pes}
            TIMEOUT ${patience} ENVIRONMENT "${SHMEM_TEST_ENVIRONMENT}")
    endforeach()
endfunction()
