# SPDX-License-Identifier: Apache-2.0
"""The pages of the manual name the options that the programs' --help names, and no others."""

import re
import unittest

from installed import BUILD, SOURCE, VERSION, run

OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def options_of(program):
    """The options that a program and its subcommands describe."""
    text = run(BUILD / "bin" / program, "--help")
    subcommands = re.search(r"^(?:Benchmarks|Subcommands):\n((?:  .*\n)+)", text, re.MULTILINE)
    for name in re.findall(r"^  (\w+)", subcommands.group(1), re.MULTILINE) if subcommands else []:
        text += run(BUILD / "bin" / program, name, "--help")
    heads = re.findall(r"^  (-.*?)(?:  |$)", text, re.MULTILINE)
    return {option for head in heads for option in OPTION.findall(head)}


def options_in(page):
    """The options at the heads of the paragraphs below OPTIONS."""
    section = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH", page, re.MULTILINE | re.DOTALL).group(1)
    heads = "\n".join(re.findall(r"^\.TP\n(.*)$", section, re.MULTILINE))
    return set(OPTION.findall(heads.replace("\\-", "-").replace('"', " ")))


class Manual(unittest.TestCase):
    def test_each_program_has_a_page_with_its_options(self):
        sources = SOURCE / "docs" / "man"
        pages = [page for page in sorted(sources.glob("*.1.in")) if (BUILD / "bin" / page.name[: -len(".1.in")]).exists()]
        self.assertGreaterEqual(len(pages), 2)
        for page in pages:
            program = page.name[: -len(".1.in")]
            with self.subTest(program):
                self.assertEqual(options_in(page.read_text()), options_of(program))

    def test_pages_say_the_version(self):
        for page in (BUILD / "man").iterdir():
            self.assertIn(f'"SHMEM {VERSION}"', page.read_text())
            self.assertNotRegex(page.read_text(), "@[A-Z_]+@")


if __name__ == "__main__":
    unittest.main(verbosity=2)
