#!/usr/bin/env bash
# What only a step with threads and tiles can be asked for in vain: exit 2, one line, nothing written.
#   sweeps.sh PROGRAM
# shellcheck disable=SC2034,SC2154 # program.sh reads and sets
set -u
program=$1
quick="--size 8 --type f32 --variant tiled" file=new.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

# From 2^61 on, the four rows of a tile would have wrapped round.
for tile in 2147483648 2305843009213693952 9223372036854775807; do
  refuses "--tile: '$tile' is out of range; give 1 to 2147483647" --tile $tile
done
runs 0 --tile 2147483647
refuses "--threads: '4097' is out of range; give 1 to 4096" --threads 4097
# Stacks of 8 MB each do not fit into 1 GB.
ulimit -v 1000000
refuses "--threads: '4096' is more than the " --threads 2,4096
runs 0 --threads 4
# Nobody starts a thread that was not asked for, or ends with 1 (a wrong product) for lack of one: no stack fits here.
ulimit -v 20000
quick="--size 100 --variant tiled"
runs 0 --threads 1

exit $((failures > 0))
