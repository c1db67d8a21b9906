#!/usr/bin/env bash
# Bad input, each with its message: exit 2, one line on stderr, nothing on stdout, nothing written.
#   command_line.sh PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
program=$1
quick="--size 8" file=new.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"
# refuses_size MESSAGE ARGUMENT…: without the small size that is for all that is not about sizes.
refuses_size() { quick="" refuses "$@"; }

refuses_size "--size: '-1' is out of range; give 0 to 2147483647" --size -1
refuses_size "--size: '' is not a whole number" --size ''
refuses_size "--size: '1e3' is not a whole number" --size 1e3
refuses_size "--size: '12x' is not a whole number" --size 12x
refuses_size "--size: '99999999999999999999' is beyond 64 bits" --size 99999999999999999999
refuses_size "are available; give a smaller size" --size 1000000
refuses_size "--size: '9223372036854775807' is out of range" --size 9223372036854775807
refuses_size "--size: '8 9' is not a whole number" --size $'8\n9'
refuses "--shape: '3x4' is not MxNxK" --shape 3x4
refuses "--shape: '' is not a whole number" --shape 3xx5
refuses "--shape: '-4' is out of range; give 0 to 2147483647" --shape 3x-4x5
refuses "of memory" --shape 2147483647x2147483647x1
refuses "--type: 'f16' is unknown; give f32, f64, i32" --type f16
refuses "--variant: 'nosuch' is unknown; this step has rows_of_rows, checked, ijk" --variant nosuch
refuses "--nosuch" --nosuch
refuses "stray" stray
refuses "--repeat: '0' is out of range; give 1 to 1000000" --repeat 0
refuses "--repeat: give it once, with one value" --repeat 1 --repeat 2
refuses "--warmup: '-1' is out of range; give 0 to 1000000" --warmup -1
refuses "--threads: '0' is out of range; give 1, this step knows no other" --threads 0
refuses "--budget: '0' is not a number of seconds above 0" --budget 0
refuses "--budget: 'nan' is not a number" --budget nan
refuses "--fill: digits are exact in f32 up to k = 207126" --fill digits --shape 2x2x300000
refuses "--seed: '-3' is out of range; give 0 or more" --seed -3
refuses "--tile" --tile 16
refuses "--pad: is for tests" --pad 3
for csv in /nonexistent/rows.csv /dev/full "$folder" ''; do
  "$program" --size 8 --csv "$csv" >out 2>err
  [ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && grep -qF -- "--csv:" err || fail "--csv '$csv': $(cat err)"
done
refuses "--variant: none of this name or kind" --variant nan --type i32
"$program" --size 8 --resume >out 2>err
[ $? -eq 2 ] && grep -qF -- "--resume: needs --csv FILE" err || fail "--resume without --csv"

# A disk that fills up after the header: what was written stays whole, the program says so.
(ulimit -f 1 && "$program" --size 8,9,10,11 --repeat 1 --csv small.csv) >out 2>err
status=$?
[ $status -eq 2 ] || fail "full disk: exit $status, not 2"
grep -qF -- "--csv: cannot write small.csv: " err || fail "full disk: $(cat err)"
[ "$(sed '$d' small.csv | awk -F, '{print NF}' | sort -u)" = 44 ] || fail "full disk: a row is not whole"

# A CSV with other columns is left as it was.
printf 'a,b\n1,2\n' >other.csv
"$program" --size 8 --csv other.csv >out 2>err
[ $? -eq 2 ] && grep -qF "has other columns" err || fail "other columns: $(cat err)"
[ "$(cat other.csv)" = "$(printf 'a,b\n1,2')" ] || fail "other columns: the file was changed"

# What is odd and still right: 010 is ten, lists may repeat themselves, 0 is a size.
"$program" --size 010,10,0 --type f32 --variant ijk --repeat 1 --csv new.csv >out 2>err || fail "--size 010,10,0: $(cat err)"
[ "$(tail -n +2 new.csv | cut -d, -f4 | paste -sd,)" = 10,0 ] || fail "010 is not ten, or a repeated size ran twice"
"$program" --help >out 2>err || fail "--help"
grep -qF -- "--budget" out || fail "--help says nothing of --budget"
grep -qF "Square sizes: 256,512,1024 (default 256,512)" out || fail "--help: $(grep -F -- --size out)"
grep -qF -- "--expect-wrong" out && fail "--help shows what is for the tests"
"$program" --list >out 2>err || fail "--list"
grep -qF "ijk" out || fail "--list lacks ijk"
grep -qF "b_by_row" out && fail "--list shows a broken variant"
"$program" --size 8 >/dev/full 2>err
[ $? -eq 2 ] || fail "a full standard output passed in silence"

# A row is printed when it is there, into a file, too: who kills the program keeps it.
"$program" --size 8,1500 --type f32 --variant ijk --repeat 1000 --budget 1000 >out 2>err &
started=$!
for _ in $(seq 100); do
  if grep -q "^ijk .* 8x8x8 .* right" out; then break; fi
  sleep 0.1
done
kill -9 $started 2>/dev/null && grep -q "^ijk .* 8x8x8 .* right" out || fail "not printed before the second row was done: $(cat out err)"
wait $started 2>/dev/null

# A terminal is told how far a row is, and nothing of it stays.
if command -v script >/dev/null; then
  script -qec "'$program' --size 8,9 --type f32 --variant ijk --repeat 2" /dev/null </dev/null >out 2>err
  row='\[2/2\] 01_naive ijk f32 9x9x9: '
  tr '\r' '\n' <out | grep -q "${row}warm-up 1 of 1" && tr '\r' '\n' <out | grep -q "${row}run 2 of 2" && grep -q $'\r\033\[K$' out || fail "progress: $(cat out)"
fi

# A wrong result is 1, whatever else; a misspelt name is 2 even where wrong is expected.
"$program" --size 9 --type f32 --variant ijk,nan >out 2>err
[ $? -eq 1 ] && grep -qF "again by: " err || fail "a wrong result: $(cat err)"
"$program" --size 9 --expect-wrong --variant nam >out 2>err
[ $? -eq 2 ] || fail "--expect-wrong with a misspelt name"
"$program" --size 9 --expect-wrong --variant ijk >out 2>err
[ $? -eq 1 ] || fail "--expect-wrong on a right variant"

# Beside a busy loop on the same processor every run is disturbed: the row is marked, and a line says how many. It is not a
# refusal, nor wrong.
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[,-].*//')
if [ -n "$cpu" ]; then
  taskset -c "$cpu" sh -c 'while :; do :; done' &
  busy=$!
  taskset -c "$cpu" "$program" --size 400,401 --type f32 --variant ijk --quiet --repeat 1 --csv quiet.csv >out 2>err || fail "--quiet: $(cat err)"
  kill $busy
  [ "$(grep -c ' [0-9.]* [mu]*s~ ' out)" -eq 2 ] || fail "disturbed rows are not marked: $(cat out)"
  [ "$(cat err)" = "01_naive: 2 of 2 rows were disturbed; with --csv and --resume these are measured again" ] || fail "disturbed: $(cat err)"
fi

# Ctrl-C: finished rows are on disk, and the program ends by the signal (env: a background job ignores it otherwise).
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
[ "$(wc -l <killed.csv)" -eq 2 ] && [ "$(awk -F, '{print NF}' killed.csv | sort -u)" = 44 ] || fail "Ctrl-C: rows are missing"

[ "$failures" -eq 0 ] && echo "all refused as they should be"
exit $((failures > 0))
