#!/usr/bin/env bash
# The rows that 01_naive_lines is asked for, and what it refuses: lines_test.sh PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
program=$1 quick='' file=out
# shellcheck source=/dev/null
. "$(dirname "$0")/../program.sh"
runs 0 8192,384 4000,64
[ "$(cut -d, -f1,2 out | paste -sd ' ')" = "stride,lines 8192,384 4000,64" ] || fail "asked for two rows: $(cat out)"
for bad in x 8192 '8192,' 8192,384x 8192,383 8192,0 8192,8192 8,64 4004,64 2097152,64 -8192,384 99999999999999999999,4 8192,384,2; do
  runs 2 4000,64 "$bad"
  [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF "01_naive_lines: '$bad' is not STRIDE,LINES" err || fail "$bad: $(cat out err)"
done
exit $((failures > 0))
