#!/usr/bin/env bash
# The options that only steps on a GPU have; bad input, each with its message.
#   gpu_options.sh 07 08      (the programs; without an emulator in them: 77)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
program=$1 quick="--size 8 --type f32 --repeat 1 --emulate forward" file=rows.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

"$program" --emulate forward --list >out 2>err || { cat err; exit 77; }
refuses "--block: '8' is not XxY threads, such as 32x8" --block 8
refuses "--block: '8x8x8' is not XxY threads" --block 8x8x8
refuses "--block: '33x32' is more than 1024 threads" --block 33x32
refuses "--block: '0' is out of range; give 1 to 1024" --block 0x8
refuses "--block: '' is not a whole number" --block 8x
refuses "--tile" --tile 8
quick="--size 8" refuses "--emulate: 'sideways' is not a whole number" --emulate sideways
quick="--size 8" refuses "--emulate: '-1' is out of range" --emulate -1
runs 0 --block 5x3,16x16 --variant coalesced --csv rows.csv
has '^07_cuda_global,coalesced,f32,8,8,8,uniform,987654,1,1,,5x3,,emulator: forward,1,'
has '^07_cuda_global,coalesced,f32,8,8,8,uniform,987654,1,1,,16x16,,emulator: forward,1,.*,right,'
runs 0 --block 5x3,16x16 --variant coalesced --csv rows.csv --resume
[ "$(wc -l <rows.csv)" -eq 3 ] || fail "--resume took rows again that differ in nothing: $(cat rows.csv)"
program=$2
refuses "--tile: '5' is unknown; this step has 2, 4, 8, 16, 32" --tile 5
refuses "--block" --block 8x8
runs 0 --tile 2,16 --variant shared --csv tiles.csv
file=tiles.csv
runs 0 --variant shared --csv tiles.csv
has '^08_cuda_shared,shared,f32,8,8,8,uniform,987654,1,1,,,32,emulator: forward,1,.*,right,' # a tile of 32, if none is given
exit $((failures > 0))
