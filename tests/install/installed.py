# SPDX-License-Identifier: Apache-2.0
"""What the tests of the installation share: the build, and programs run as on a user's machine."""

import os
import pathlib
import stat
import subprocess

CMAKE = os.environ["CMAKE"]
SOURCE = pathlib.Path(os.environ["SOURCE"])
BUILD = pathlib.Path(os.environ["BUILD"])
VERSION = os.environ["VERSION"]
LIBRARY_FOLDER = os.environ["LIBRARY_FOLDER"]
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libhwloc.so.15"}

# Nothing of the one who runs the tests helps programs to find the library. dpkg wants to see /sbin.
HIDDEN = ("LD_", "SHMEM_", "CMAKE_", "PKG_CONFIG", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CPATH", "LIBRARY_PATH")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
ENVIRONMENT |= {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "LC_ALL": "C"}


def attempt(*command, environment=None, **options):
    """Runs a command to its end, whatever that is; stdout and stderr come together."""
    return subprocess.run(
        [str(word) for word in command], env=ENVIRONMENT | (environment or {}), text=True, timeout=100, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)  # fmt: skip


def run(*command, **options):
    """The output of a command that must succeed."""
    ended = attempt(*command, **options)
    if ended.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {ended.returncode}\n{ended.stdout}")
    return ended.stdout


def install(prefix):
    run(CMAKE, "--install", BUILD, "--prefix", prefix)


def tree(root):
    """Everything below `root`, as paths relative to it."""
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def writable_by_all(root):
    return [path for path in root.rglob("*") if not path.is_symlink() and path.stat().st_mode & stat.S_IWOTH]


def needed_libraries(binary):
    words = [line.split() for line in run("readelf", "-d", binary).splitlines() if "(NEEDED)" in line]
    return {line[-1].strip("[]") for line in words}
