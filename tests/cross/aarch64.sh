#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# aarch64.sh CMAKE SOURCE BUILD LAUNCHER: builds the preset aarch64 of SOURCE in BUILD, and looks at what came out.
set -eu
cmake=$1 source=$2 build=$3 launcher=$4
if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    echo "skipped: there is no aarch64-linux-gnu-g++ (Debian: g++-aarch64-linux-gnu)"
    exit 77
fi
cd "$source"
"$cmake" --preset aarch64 -B "$build" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"
"$cmake" --build "$build"
aarch64-linux-gnu-readelf -h "$build/lib/libshmem.so" | grep 'Machine: *AArch64'
