#!/usr/bin/env bash
# A library and ours as variants: what is written, what is refused, and libraries that go wrong. No time is looked at.
#   libraries.sh CHECK PROGRAM FOLDER     (FOLDER holds libfake_*.so)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2 fakes=$3 here=$(cd "$(dirname "$0")" && pwd)
quick="--repeat 3" file=results.csv
# shellcheck source=/dev/null
. "$here/../program.sh"
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "no AVX2 here"; exit 77; }

# fake STATUS NAME ARGUMENT…: a fake library, and ours in turns with it.
fake() { runs "$1" --library "$fakes/libfake_$2.so" --csv results.csv --type f32 "${@:3}"; }
# cells COLUMN…: of every row.
cells() {
  python3 -B - "$@" <<'EOS'
import csv, sys
for row in csv.DictReader(open("results.csv", newline="")):
    print(",".join(row[name] for name in sys.argv[1:]))
EOS
}

case $check in
rows)
  fake 0 slow --shape 33x20x50
  [ "$(cells against verdict repeat m | sed -n 1,2p | xargs)" = ",right,3,33 libfake_slow.so,right,3,33" ] || fail "rows: $(cat results.csv)"
  # Who sleeps is no match: a ratio upside down would be below 1, rates changed over the other way round.
  cells against ratio_min ratio_low ratio ratio_high ratio_max gflops against_gflops | grep '^lib' |
    awk -F, '!(1 <= $2 && $2 <= $3 && $3 <= $4 && $4 <= $5 && $5 <= $6 && $7 >= $8 && $8 > 0) {print; bad = 1} END {exit bad || NR != 1}' ||
    fail "a ratio is not between its quartiles and extremes, or who sleeps won"
  # Each library here by its widest kernel or, told so, with ours by that for AVX2; several threads call the rung's sister.
  quick="--repeat 1 --size 48"
  for library in eigen openblas blis onednn; do
    rm -f results.csv
    # shellcheck disable=SC2086 # a list of words
    "$program" $quick --library $library --csv results.csv >out 2>err
    [ $? -eq 77 ] || [ "$(cells verdict | sort -u)" = right ] || fail "$library: $(cat out err)"
  done
  rm -f results.csv && runs 0 --library eigen --type i32,f64 --kernel avx2 --csv results.csv
  [ "$(cells variant against type | sort | xargs)" = "Eigen,,f64 Eigen,,i32 tuned,Eigen,f64 tuned,Eigen,i32" ] || fail "types: $(cat results.csv)"
  [ "$(nproc)" -lt 2 ] || { rm results.csv && runs 0 --library eigen --type f32 --kernel avx2 --threads 2 --csv results.csv && has '^libraries,tuned_threads,f32,.*,Eigen,'; }
  quick="--repeat 3"
  # A kernel is what the library says that it uses, whatever it was told; one without cblas_sgemm is called in its own way.
  fake 0 stubborn --size 9 && has ',libfake_stubborn.so Zen,'
  for way in dnnl fortran; do fake 0 $way --shape 5x7x3 && has "^libraries,libfake_$way.so,f32,5,7,3,"; done
  ;;
wrong)
  # Wrong in a row of its own, and in ours with it.
  for fault in transposed outside square beside; do
    rm -f results.csv
    fake 1 $fault --size 40
    [ "$(cells verdict | xargs)" = "wrong wrong" ] || fail "$fault: $(cat results.csv err)"
  done
  grep -qF -- "again by: libraries --variant libfake_beside.so " err && grep -qF -- " --library $fakes/libfake_beside.so" err || fail "again: $(cat err)"
  # One that reports a failure; one that has no threads, where it is said to have two; one that crashes.
  fake 1 dnnl --shape 33x20x13
  grep -qF "the library reports a failure" err || fail "failure: $(cat err)"
  [ "$(nproc)" -lt 2 ] || { fake 1 right --threads 2 --size 256 && grep -q "asked for 2 threads, it uses [01]" err || fail "no threads: $(cat err)"; }
  fake 134 crash --size 9
  ;;
refusals)
  refuses "--library: which one? give a file, or one of blis, eigen, mkl, onednn, openblas"
  refuses "--kernel: 'sse2' is unknown; give avx2" --library eigen --kernel sse2
  refuses "--threads: '1,2' are several" --library eigen --threads 1,2
  refuses "nosuch.so: cannot open shared object file" --library ./nosuch.so
  refuses "it has neither cblas_sgemm, sgemm_ nor dnnl_sgemm" --library "$fakes/libfake_empty.so"
  refuses "--type: 'f16' is unknown; " --library eigen --type f16
  quick="" runs 0 --help && grep -q -- "--library, a file or one of" out || fail "help: $(cat out)"
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
