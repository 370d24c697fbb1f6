#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same_output.sh FILE COMMAND...: fails, showing the difference, unless COMMAND prints what FILE holds.
set -eu
file=$1
shift
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"$@" >"$printed"
diff -u "$file" "$printed"
