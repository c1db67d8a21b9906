#!/usr/bin/env bash
# What does not fit into a limit of memory is refused before anything has run: exit 2, one line, nothing written.
#   limits.sh PROGRAM
# shellcheck disable=SC2034,SC2154 # program.sh reads and sets
set -u
program=$1
quick="--type f32 --variant tiled --repeat 1 --verify none" file=new.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

ulimit -v 1000000
refuses "12000x12000x1: f32 needs 1.076 GiB of memory, " --shape 8x8x8,12000x12000x1
runs 0 --shape 9000x9000x1
exit $((failures > 0))
