#!/usr/bin/env bash
# A GPU that is not there, and one that fails in the middle: no crash, no hang, one line that says why.
#   device.sh PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
program=$1 quick="--repeat 1 --warmup 0 --type f32" file=rows.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

if [ -e /dev/nvidia0 ]; then
  runs 1 --csv rows.csv --size 1 --variant refused,before,trap,after
  has '^device,refused,.*,wrong,'
  grep -q '^device: wrong: it threw: invalid \(configuration \)\?argument' err || fail "a refused launch goes unnoticed: $(cat err)"
  has '^device,before,.*,right,'
  has '^device,trap,.*,wrong,'
  [ "$(wc -l <rows.csv)" -eq 4 ] || fail "not three rows: $(cat rows.csv)"
  grep -q '^device: wrong: it threw: unspecified launch failure' err || fail "not CUDA's words: $(cat err)"
  grep -q '^device: after skipped: the GPU does not answer any more: ' err || fail "the rest is not skipped: $(cat err)"
  rm rows.csv

  # Somebody takes the GPU's memory between two rows: the first is on disk, one line, 2, and no hang.
  runs 2 --csv rows.csv --variant memory_taken --shape 1x1x1,1x1x50000000
  [ "$(grep -c '^device,memory_taken,.*,right,' rows.csv)" -eq 1 ] || fail "not one row: $(cat rows.csv)"
  [ "$(cat err)" = "device: out of memory; give a smaller size" ] || fail "not one line: $(cat err)"
  rm rows.csv
fi
export CUDA_VISIBLE_DEVICES="" # whoever has a GPU has none now
runs 77 --csv rows.csv --size 1
grep -qE '^device: skipped: (no CUDA device: .|built without nvcc; )' err && ! grep -q "^device," rows.csv 2>/dev/null || fail "not a line that says why: $(cat out err)"
runs 0 --list
grep -qE 'trap  .*; not here: (no CUDA device: .|built without nvcc; )' out || fail "--list: $(cat out err)"
exit $((failures > 0))
