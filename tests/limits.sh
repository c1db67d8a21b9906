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
# Stacks of 8 MB each do not fit, either.
refuses "--threads: '4096' is more than the " --size 8 --threads 2,4096
runs 0 --size 8 --threads 4
OMP_THREAD_LIMIT=1 refuses "--threads: '2' is more than the 1 that OpenMP gives it; unset OMP_THREAD_LIMIT" --size 8 --threads 1,2
OMP_THREAD_LIMIT=1 runs 0 --size 8 --threads 1
# Nobody starts a thread that was not asked for, waits for one, or ends with 1 (a wrong product) for lack of one: no stack fits here.
ulimit -v 20000
quick=${quick% --verify none} runs 0 --size 300 --threads 1
exit $((failures > 0))
