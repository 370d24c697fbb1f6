#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests of quiet.sh.
set -u
quiet=$(dirname "$0")/quiet.sh
case $1 in
quiet_passes_the_status_on)
    "$quiet" sh -c 'echo text' && ! "$quiet" sh -c 'exit 3'
    ;;
quiet_fails_on_stderr)
    ! "$quiet" sh -c 'echo text >&2' >/dev/null
    ;;
*)
    exit 2
    ;;
esac
