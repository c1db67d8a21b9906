#!/usr/bin/env bash
# Bad input, each with its message: exit 2, one line on stderr, nothing on stdout, nothing written. And what else the program
# owes its user: whole rows on disk, its exit status.
#   command_line.sh 01_naive 04_openmp [07_cuda_global 08_cuda_shared]
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
program=$1
quick="" file=new.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

for size in -1 1e3 12x 99999999999999999999 9223372036854775807 $'8\n9'; do
  refuses "is no whole number from 0 to 2147483647" --size "$size"
done
refuses "--size: '' has an empty item" --size ''
refuses "'--size=8,' has an empty item" --size=8,
refuses "are available; give a smaller size" --size 1000000
quick="--size 8"
refuses "--shape: '3x4' is not written like 2048x2048x64" --shape 3x4
refuses "--type: f16 not in {f32,f64,i32}" --type f16
refuses "--variant: 'nosuch' is unknown; this step has rows_of_rows, checked, ijk" --variant nosuch
refuses "--variant: none of this name or kind" --variant nan --type i32
refuses "--nosuch" --nosuch
refuses "--repeat: At Most 1 required but received 2" --repeat 1 --repeat 2
refuses "--budget: 'nan' is not a number" --budget nan
refuses "--fill: digits are exact in f32 up to k = 207126" --fill digits --shape 2x2x300000
refuses "--tile" --tile 16
refuses "--pad: is for tests" --pad 3
for csv in /dev/null/rows.csv /dev/full "$folder" ''; do
  "$program" --size 8 --csv "$csv" >out 2>err
  [ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && grep -qF -- "--csv:" err || fail "--csv '$csv': $(cat err)"
done
# Of a step with tiles and threads. From 2^61 on, the four rows of a tile would wrap round.
program=$2
refuses "--tile: '2147483648' is no whole number from 1 to 2147483647" --tile 2147483648
runs 0 --variant tiled --tile 2147483647
# Of steps on a GPU.
program=${3-}
if [ -n "$program" ]; then
  refuses "--block: '33x32' is more than 1024 threads" --block 33x32
  refuses "--emulate: (sideways not in {forward,reversed}) OR ('sideways' is no whole number from 0 to" --emulate sideways
  refuses "--count requires --emulate" --count
  program=$4
  refuses "--tile: 5 not in {2,4,8,16,32}" --tile 5
fi
program=$1

# A disk that fills up after the header: what was written stays whole, the program says so.
(ulimit -f 1 && "$program" --size 8,9,10,11 --repeat 1 --csv small.csv) >out 2>err
status=$?
[ $status -eq 2 ] || fail "full disk: exit $status, not 2"
grep -qF -- "--csv: cannot write small.csv: " err || fail "full disk: $(cat err)"
sed -i '$d' small.csv && is_whole small.csv || fail "full disk: a row is not whole"
# Nowhere to speak, full or closed: nothing is a crash, or a wrong product; nor is a message a row of the CSV.
stream() { # stream STATUS ARGUMENT…: the redirection has been made
  "$program" "${@:2}" </dev/null
  [ $? -eq "$1" ] || printf '%s\n' "$*" >>unlike
}
rm -f unlike new.csv
stream 2 --size abc 2>&-
stream 2 --size abc 2>/dev/full
stream 1 --size 8 --variant ijk --expect-wrong --csv new.csv >out 2>&-
stream 2 --size 8 --variant ijk --csv new.csv 2>err >&-
for variant in ijk none; do
  stream 2 --size 8 --variant $variant 2>err >/dev/full
  stream 2 --size 8 --variant $variant 2>err >&-
  [ "$(wc -l <err)" -eq 1 ] || fail "a full standard output: $(cat err)"
done
[ ! -e unlike ] || fail "another status: $(cat unlike)"
is_whole new.csv || fail "the CSV in place of a closed stream: $(cat new.csv)"
rm -f new.csv

# What is odd and still right: 010 is ten, 0 is a size, what is given twice is measured once.
quick="" runs 0 --size 010,0,10 --type f32 --variant ijk --repeat 1 --csv new.csv
[ "$(tail -n +2 new.csv | cut -d, -f4 | paste -sd,)" = 10,0 ] || fail "010 is not ten"
runs 0 --help
grep -qF "Square sizes: 256,512,1024 (default 256,512)" out || fail "--help: $(grep -F -- --size out)"
grep -qF -- "--expect-wrong" out && fail "--help shows what is for the tests"

# Ctrl-C: finished rows are printed and on disk, and the program ends by the signal (env: a background job ignores it otherwise).
env --default-signal=INT "$program" --size 16,1500 --type f32 --variant ijk --repeat 1000 --budget 1000 --csv killed.csv \
  >out 2>err &
running=$!
for _ in $(seq 3000); do
  [ -e killed.csv ] && [ "$(wc -l <killed.csv)" -ge 2 ] && break
  sleep 0.01
done
kill -INT $running
wait $running
status=$?
[ $status -eq 130 ] || fail "Ctrl-C: exit $status, not the signal's"
[ "$(wc -l <killed.csv)" -eq 2 ] && is_whole killed.csv || fail "Ctrl-C: rows are missing"
grep -q "^ijk .* 16x16x16 .* right" out || fail "not printed before the second row was done: $(cat out err)"
exit $((failures > 0))
