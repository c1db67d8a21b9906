#!/usr/bin/env bash
# Every broken kernel of a step on the GPU is found wrong under the emulator in each of the orders; rows begin at multiples of 16
# bytes, so that copies are asynchronous.
#   every_seed.sh PROGRAM TYPES ORDER,…     (without an emulator in it: 77)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
program=$1 types=$2 orders=${3//,/ } file=none quick="--repeat 1 --warmup 0 --verify full --pad 2"
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

"$program" --emulate forward --list >out 2>err || { cat err; exit 77; }
tiles=$("$program" --help | grep -q -- --tile && echo "--tile 4,16") # shapes of three tiles along k and more
for order in $orders; do
  # shellcheck disable=SC2086 # a list of words
  runs 0 --emulate $order --expect-wrong --type "$types" $tiles --shape 33x38x54,17x46x102
  [ "$(grep -c ' wrong$' out)" -gt 3 ] && ! grep -q ' right$' out || fail "$order: $(cat out)"
done
exit $((failures > 0))
