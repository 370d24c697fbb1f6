#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# aarch64.sh CMAKE SOURCE BUILD LAUNCHER: builds the preset aarch64 of SOURCE in BUILD, installs it there, and looks
# at what came out.
set -eu
cmake=$1 source=$2 build=$3 launcher=$4
if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    echo "skipped: there is no aarch64-linux-gnu-g++ (Debian: g++-aarch64-linux-gnu)"
    exit 77
fi
cd "$source"
"$cmake" --preset aarch64 -B "$build" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"
"$cmake" --build "$build"
prefix=$build/prefix
rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix"
aarch64-linux-gnu-readelf -h "$prefix/lib/libshmem.so" | grep 'Machine: *AArch64'
aarch64-linux-gnu-readelf -d "$prefix/lib/libshmem.so" | grep 'soname: \[libshmem.so.0\]'
printf '#include <shmem.h>\nint main(void) { shmem_init(); shmem_finalize(); }\n' |
    aarch64-linux-gnu-gcc -x c - -o "$build/program" -I "$prefix/include" -L "$prefix/lib" -lshmem
