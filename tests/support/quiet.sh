#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# quiet.sh COMMAND...: runs COMMAND; fails when it fails, or when it writes anything to stderr.
set -u
{ complaints=$("$@" 2>&1 1>&3); } 3>&1
status=$?
[ -z "$complaints" ] && exit "$status"
printf '%s\n' "unexpected on stderr:" "$complaints"
[ "$status" -ne 0 ] || status=1
exit "$status"
