# SPDX-License-Identifier: Apache-2.0
"""Mistakes in the use of the library."""

from case import Case, Section

CHECK = ("SHMEM_CHECK=1",)
MACHINE = ((r"\d+ bytes \([\d.]+ [MGT]iB\)|(?<!SIZE is )(?<![\d.])[\d.]+ [MGT]iB", "15.6 GiB"),)

ARGUMENTS = Section("Arguments", "Only PE 1 makes these mistakes, while the others wait for it in a barrier.", (
    Case("A PE that does not exist", "pe_out_of_range"),
    Case("A PE that does not exist, in the form that names the target first", "target_pe_out_of_range"),
    Case("A null address", "null_remote"),
    Case("An ordinary variable where a symmetric address is needed", "remote_not_symmetric",
         "`dest` of a put and `source` of a get name the other PE's object by this PE's own address of it."),
    Case("The address that `shmem_ptr` gave", "address_of_peer",
         "What `shmem_ptr` returns is for your own loads and stores. A put takes `word` and the PE's number."),
    Case("More bytes than the object has", "past_the_end"),
    Case("No local buffer", "no_local_buffer"),
    Case("A signal or waited-for word that is not aligned", "misaligned_word"),
    Case("An unknown way to update a signal", "bad_signal_operation"),
    Case("An unknown comparison", "bad_comparison"),
    Case("An event that does not exist", "bad_event"),
))

MEMORY = Section("Symmetric memory", "", (
    Case("PEs that allocate different sizes", "sizes_differ",
         "`shmem_malloc` and its relatives are collective: every PE calls them with the same size. Take the largest "
         "size that any PE needs.", alike=True),
    Case("PEs that reallocate to different sizes", "new_sizes_differ", alike=True),
    Case("PEs that free different objects", "objects_differ",
         "Free objects in the same order on all PEs.", alike=True),
    Case("PEs that make different calls", "calls_differ",
         "Often one PE takes another branch: a collective call must stand where all PEs come by.", alike=True,
         samples=((r"status 1: shmem_free", "status 1: shmem_malloc"),)),
    Case("One PE in a barrier while the others allocate", "one_in_a_barrier",
         "The PE in the barrier cannot know what the others do; they end the job.", alike=True),
    Case("An alignment that is no power of two", "bad_alignment"),
    Case("Use of a freed object", "use_after_free", alike=True),
    Case("Use of a freed object, remembered", "use_after_free",
         "`SHMEM_CHECK=1` watches freed memory: it finds the use even after other objects have been allocated.",
         settings=CHECK, alike=True),
    Case("An object that is freed twice", "double_free", alike=True),
    Case("An object that is freed twice, remembered", "double_free", settings=CHECK, alike=True),
    Case("A free of memory that is not symmetric", "foreign_free"),
    Case("A free of an address inside an object", "middle_free"),
))

EXHAUSTED = Section("Memory that does not suffice",
    "No mistake: the call returns NULL on all PEs, with one warning, and the job goes on. In C++ it is an exception.", (
    Case("More than `SHMEM_SYMMETRIC_SIZE` allows", "cap_exhausted", settings=("SHMEM_SYMMETRIC_SIZE=1m",)),
    Case("No allocation allowed", "cap_exhausted", settings=("SHMEM_SYMMETRIC_SIZE=0",)),
    Case("More than the machine can hold", "memory_exhausted",
         "The limit is named in the brackets: the machine's memory, that of a container or control group, a `ulimit`. "
         "`shmem-info` lists the limits of this machine.", samples=MACHINE),
    Case("More than the memory that is left", "memory_left_exceeded",
         samples=((r"memory for .*, as PE \d", "memory for 7.8 GiB on each of 3 PEs: 12.1 GiB are left of the memory "
                   "of this machine (15.6 GiB), as PE 0"),)),
    Case("A shared buffer that is too large", "shared_exhausted", samples=MACHINE),
))

SHARED = Section("Shared buffers", "", (
    Case("A PE that is named twice", "domain_with_duplicate"),
    Case("A list without the caller", "domain_without_caller"),
    Case("A PE that does not exist", "domain_out_of_range"),
    Case("Sizes that differ", "shared_sizes_differ", alike=True),
    Case("No size", "shared_of_no_bytes"),
    Case("The number of a PE that does not share the buffer", "not_a_member"),
    Case("More bytes than the buffer has", "past_the_end_of_shared"),
    Case("A handle that has been freed", "freed_handle", alike=True),
))

SETTINGS = Section("Settings", "Settings are environment variables: [settings](settings.md).", (
    Case("A misspelt name", "nothing", settings=("SHMEM_SYMETRIC_SIZE=1g",)),
    Case("Variables that this library does not know", "nothing",
         "They do no harm; other OpenSHMEM libraries have such variables.",
         settings=("SHMEM_BOUNCE_SIZE=1", "SHMEM_OFI_PROVIDER=tcp")),
    Case("A value that is no size", "nothing", settings=("SHMEM_SYMMETRIC_SIZE=abc",), alike=True),
    Case("A negative size", "nothing", settings=("SHMEM_SYMMETRIC_SIZE=-1",), alike=True),
    Case("More than the machine has", "nothing", settings=("SHMEM_SYMMETRIC_SIZE=100T",), samples=MACHINE),
    Case("A value that differs between PEs", "nothing", "Set it before `shmemrun`, or with its option `--env`: "
         "a wrapper script or a shell's start-up file may set it for some PEs only.",
         wrapper=("sh", "-c", 'SHMEM_SYMMETRIC_SIZE=$((SHMEM_JOB_PE / 2 + 1))g exec "$@"', "sh"), alike=True),
))

LIFE = Section("Begin and end of the library's use", "", (
    Case("A call before `shmem_init`", "not_initialised", alike=True),
    Case("A call after `shmem_finalize`", "after_finalize", alike=True),
    Case("A call in a child process", "used_after_fork",
         "Only the child ends. Children of a PE may run anything but the library."),
    Case("A second program in the place of a PE", "second_program",
         "Only the second program ends."),
    Case("Some of the launcher's variables, without the launcher", "nothing", settings=("SHMEM_JOB_PE=0",), alone=True),
))

CPP = Section("Errors in C++", "The functions of `shmem.hpp` throw `shmem::Error`; `what()` is one line.", (
    Case("An error that the program does not catch", "uncaught", program="provoke_cpp"),
    Case("Sizes that differ", "sizes_differ", program="provoke_cpp"),
    Case("Memory that does not suffice", "no_memory", program="provoke_cpp", samples=MACHINE),
    Case("Shared memory that does not suffice", "no_shared_memory", program="provoke_cpp", samples=MACHINE),
    Case("Sizes of a shared buffer that differ", "shared_sizes_differ", program="provoke_cpp"),
))

SECTIONS = (ARGUMENTS, MEMORY, EXHAUSTED, SHARED, SETTINGS, LIFE, CPP)
