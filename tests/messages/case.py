# SPDX-License-Identifier: Apache-2.0
"""One message of the page: how it is provoked, and what the reader is told beside it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    title: str
    act: str  # the function of provoke.c, or of provoke_cpp.cpp
    advice: str = ""
    settings: tuple = ()  # NAME=VALUE
    options: tuple = ()  # of the launcher
    wrapper: tuple = ()  # a command that runs the program
    program: str = "provoke"
    alone: bool = False  # without the launcher
    alike: bool = False  # every PE does it: which one the launcher names is chance
    ending: bool = False  # the page shows the exit status too
    shows_table: bool = False  # never ends: what is wanted is a table of waits
    signal: int = 0  # that the launcher gets, to show the table
    closes_output: bool = False  # its reader goes away
    samples: tuple = ()  # (pattern, replacement): for what differs between runs or machines in these lines
    code: bool = True  # whether the page shows the function's body


@dataclasses.dataclass(frozen=True)
class Section:
    title: str
    introduction: str
    cases: tuple
