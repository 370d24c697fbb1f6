#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/messages.md: provokes every message and writes the page, or compares it: messages.py --write | --check

Needs in the environment SHMEMRUN, the launcher, and PROGRAMS, the folder of provoke and provoke_cpp."""

import concurrent.futures
import difflib
import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading

import endings
import mistakes

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "messages.md"
SOURCES = {"provoke": HERE / "provoke.c", "provoke_cpp": HERE / "provoke_cpp.cpp"}
PROGRAM_NAMES = {"provoke": "a.out", "provoke_cpp": "b.out"}
LANGUAGES = {"provoke": "c", "provoke_cpp": "cpp"}
JOBS_AT_ONCE = 8  # most of them wait
PATIENCE = 60  # seconds for one job

INTRODUCTION = """# Messages

What the library and the launcher say when something is wrong. Each message is shown as a test has provoked it
(`tests/messages/`), which also compares this page.

A line that begins with `shmem: PE 1:` comes from PE 1, one with `shmemrun:` from the launcher. In C a mistake ends the
PE, and with it the job, with exit status 1. The launcher's last line then says which PE that was; the reason stands above
it, or in it when all PEs have found the same. In C++ a mistake is an exception, `shmem::Error`, with the same words.
A line with `warning:` ends nothing.

The jobs below have 3 PEs. `me` is a PE's own number, `word` points to 64 bytes from `shmem_calloc`, `value` is an
ordinary variable. Addresses, process ids, times, the machine's name (`node7`) and its memory will be others
where you meet these lines. What several PEs print alike is shown once.
"""


def command(case):
    program = (f"./{PROGRAM_NAMES[case.program]}", case.act)
    if case.alone:
        return ["env", *case.settings, *program]
    settings = [part for setting in case.settings for part in ("--env", setting)]
    return [os.environ["SHMEMRUN"], "-n", "3", *settings, *case.options, *case.wrapper, *program]


def environment():
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SHMEM_")}
    return clean | {"LC_ALL": "C"}


def last_table(text):
    """The lines of the last table of waits, once all PEs of it wait."""
    lines = text.splitlines() if text.endswith("\n") else []
    beginnings = [number for number, line in enumerate(lines) if line.startswith("shmemrun: ") and line.endswith(":")]
    table = lines[beginnings[-1]:] if beginnings else []
    wanted = ("in shmem_barrier_all", "waiting for the word", "waiting for a signal")
    return table if all(any(words in line for line in table) for words in wanted) else []


def watch(job, asks_by):
    """Reads until the table is there, and ends the job without a word."""
    job.stdout.readline()  # the launcher heeds signals now
    text = ""
    while not last_table(text):
        if asks_by:
            job.send_signal(asks_by)
        piece = os.read(job.stderr.fileno(), 65536).decode()
        if not piece:
            raise SystemExit(f"{job.args} ended: {text}")
        text += piece
    job.kill()
    return last_table(text)


def provoke(case, folder):
    """(exit status, lines on stderr) of the job that the case describes."""
    job = subprocess.Popen(command(case), cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE if case.shows_table or case.closes_output else subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    limit = threading.Timer(PATIENCE, job.kill)
    limit.start()
    try:
        if case.closes_output:
            job.stdout.close()
        lines = watch(job, case.signal) if case.shows_table else job.stderr.read().splitlines()
        return job.wait(), lines
    finally:
        limit.cancel()
        job.stderr.close()
        if job.stdout:
            job.stdout.close()


# What differs from run to run and from machine to machine, and what the page has instead.
SAMPLES = (
    (re.escape(socket.gethostname()), "node7"),
    (r"\bprocess \d+", "process 4711"),
    (r"0x7f[0-9a-f]+", "0x7ffd2c9a5e38"),
    (r"0x5[0-9a-f]{11}", "0x55d0c8a04010"),
    (r"\d[\d.]* s in", "1.0 s in"),
    (r"progress for [\d.]+ s:", "progress for 0.5 s:"),
)
ANY_PE = (
    (r"^(shmem|shmemrun): PE \d", r"\1: PE 0"),
    (r"^(shmemrun: PE .*?)(; the other [^;]* ended)?$", r"\1; the other 2 PEs were ended"),
)


def shown_lines(case, lines):
    """With sample values, and without what another PE has said already."""
    shown = []
    for line in lines:
        for pattern, sample in SAMPLES + case.samples + (ANY_PE if case.alike else ()):
            line = re.sub(pattern, sample, line)
        if line not in shown:
            shown.append(line)
    return shown


def code_of(case):
    """The body of the function that does it."""
    source = SOURCES[case.program].read_text()
    body = re.search(rf"^(?:static )?void {case.act}\((?:void)?\) \{{\n(.*?)^\}}", source, re.MULTILINE | re.DOTALL)
    if not body:
        raise SystemExit(f"no function {case.act} in {SOURCES[case.program].name}")
    return textwrap.dedent(body.group(1))


def situation(case):
    """How the job was started, where that matters; then what it did."""
    if case.wrapper or case.options:
        words = ["shmemrun", "-n", "3", *case.options, *case.wrapper]
        if not case.wrapper or case.code:
            words.append("./a.out")
        yield f"`{shlex.join(words)}`"
    if case.settings:
        yield "With " + " and ".join(f"`{setting}`" for setting in case.settings)
    if case.alone:
        yield "started without `shmemrun`"


def entry(case, folder):
    status, lines = provoke(case, folder)
    parts = [f"### {case.title}"]
    start = ", ".join(situation(case))
    if start:
        parts.append(start + ":")
    if case.code and case.act != "nothing":
        parts.append(f"```{LANGUAGES[case.program]}\n{code_of(case)}```")
    shown = shown_lines(case, lines)
    if shown:
        parts.append("```text\n" + "\n".join(shown) + "\n```")
    if case.ending:
        parts.append(f"Exit status {status}. {case.advice}".rstrip())
    elif case.advice:
        parts.append(case.advice)
    return "\n\n".join(parts) + "\n"


def prepare(folder):
    """What the jobs find in their working folder."""
    programs = pathlib.Path(os.environ["PROGRAMS"])
    for program, name in PROGRAM_NAMES.items():
        (folder / name).symlink_to(programs / f"messages_{program}")
    (folder / "notes.txt").write_text("no program\n")


def contents(sections):
    names = [(section.title, re.sub(r"[^\w -]", "", section.title).lower().replace(" ", "-")) for section in sections]
    return "".join(f"- [{title}](#{anchor})\n" for title, anchor in names)


def page():
    sections = mistakes.SECTIONS + endings.SECTIONS
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(JOBS_AT_ONCE) as pool:
        folder = pathlib.Path(name)
        prepare(folder)
        started = [(section, [pool.submit(entry, case, folder) for case in section.cases]) for section in sections]
        parts = [INTRODUCTION, contents(sections)]
        for section, entries in started:
            parts.append(f"## {section.title}\n")
            if section.introduction:
                parts.append(section.introduction + "\n")
            parts += [future.result() for future in entries]
    return "\n".join(parts)


def comparable(text):
    """Where the heap and the program lie may differ between machines."""
    return re.sub(r"0x[0-9a-f]{9,}", "0x...", text).splitlines()


def check(made):
    difference = list(difflib.unified_diff(comparable(PAGE.read_text()), comparable(made), "the page", "what is printed",
                                           lineterm=""))
    if difference:
        raise SystemExit("\n".join(difference) + "\n`cmake --build <folder> --target messages_page` writes the page anew")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    elif sys.argv[1:] == ["--check"]:
        check(page())
    else:
        raise SystemExit(__doc__)
