# SPDX-License-Identifier: Apache-2.0
"""How jobs start and end."""

import signal

from case import Case, Section

ENDS = Section("PEs that end before the job does",
    "Where only one PE ends, it is PE 1, and the others wait for it. They are ended with it.", (
    Case("Every PE exits without `shmem_finalize`", "exit_with_0", ending=True, alike=True),
    Case("One PE exits without `shmem_finalize`", "exit_with_0_alone", ending=True),
    Case("A PE exits with a status other than 0", "exit_with_3", ending=True),
    Case("A PE calls `_exit`", "underscore_exit", ending=True),
    Case("A PE aborts", "aborted", ending=True),
    Case("A PE uses a pointer to nowhere", "segmentation_fault",
         "A debugger shows the place: `ulimit -c unlimited` before the run, `gdb ./a.out core` after it.", ending=True),
    Case("A PE is killed", "killed",
         "Somebody has sent SIGKILL: often the kernel, because memory ran out; the line then says so.", ending=True,
         samples=((r" \(Killed\): [^;]*", " (Killed)"),)),
    Case("A PE makes one collective call more than the others", "one_barrier_more", ending=True,
         samples=((r"but PE [02] on", "but PE 0 on"), (r"; .* ended$", "; the PE was ended"))),
    Case("A PE ends the job", "global_exit", ending=True),
    Case("The reader of the output goes away, as in `shmemrun … | head -1`", "prints_for_ever",
         "As other programs in a pipeline, the job ends without a word.",
         closes_output=True, ending=True, alike=True),
))

# Where the others have not arrived yet.
ARRIVED = ((r"\d of 3 PEs arrived", "2 of 3 PEs arrived"), (r", PE [02] \(still starting on host node7\)", ""),
           (r"PE [02] \(still starting on host node7\), ", ""))

START = Section("Start-up", "", (
    Case("A PE exits before `shmem_init`", "exit_before_init_with_3", ending=True, samples=ARRIVED),
    Case("A PE exits with status 0 before `shmem_init`", "exit_before_init_with_0", ending=True, samples=ARRIVED),
    Case("A PE does not come to `shmem_init`", "late", settings=("SHMEM_START_TIMEOUT=1",), ending=True, samples=ARRIVED),
    Case("The program does not exist", "nothing", wrapper=("./no-such-program",), ending=True, code=False),
    Case("The program is in this folder, but is named without it", "nothing", wrapper=("a.out",), ending=True, code=False),
    Case("The program cannot be run", "nothing", wrapper=("./notes.txt",), ending=True, code=False),
))

STALLS = Section("A job that does not go on",
    "[When a program hangs](waits.md) explains the lines.", (
    Case("No progress for a time", "stuck", settings=("SHMEM_STALL_REPORT=0.5",), shows_table=True),
    Case("No progress, with a limit", "stuck", settings=("SHMEM_TIMEOUT=1",), ending=True),
    Case("`Ctrl-\\` (SIGQUIT)", "stuck", signal=signal.SIGQUIT, shows_table=True),
    Case("A limit on the time of the whole job", "computes_for_ever", options=("--timeout", "2"), ending=True),
))

SECTIONS = (ENDS, START, STALLS)
