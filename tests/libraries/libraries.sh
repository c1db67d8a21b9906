#!/usr/bin/env bash
# A library and ours as variants: what is written, what is refused, and libraries that go wrong. No time is looked at.
#   libraries.sh CHECK PROGRAMS FAKES     (folders: of the programs, and of libfake_*.so)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 programs=$2 program=$2/libraries fakes=$3 here=$(cd "$(dirname "$0")" && pwd)
quick="--repeat 3" file=results.csv
# shellcheck source=/dev/null
. "$here/../program.sh"
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "no AVX2 here"; exit 77; }

# fake STATUS NAME ARGUMENT…: a fake library, by itself and in turns with ours, into a new file.
fake() { rm -f results.csv && runs "$1" --library "$fakes/libfake_$2.so" --csv results.csv --type f32 "${@:3}"; }
# tool STATUS ARGUMENT…: libraries.py, into the file.
tool() { launch="python3 -B" program=$here/../../libraries/libraries.py quick="--build ${programs%/*} --csv results.csv" runs "$@"; }
# cells COLUMN…: of every row, those of a row joined by commas.
cells() {
  python3 -B - "$@" <<'EOS'
import csv, sys
for row in csv.DictReader(open("results.csv", newline="")):
    print(",".join(row[name] for name in sys.argv[1:]))
EOS
}
rows() { cells "$@" | sort | paste -sd ' '; }
wide=tuned
[ "$(grep -m 1 '^flags' /proc/cpuinfo | grep -ow 'avx512\(f\|dq\|bw\|vl\)' | wc -l)" -lt 4 ] || wide=avx512

case $check in
rows)
  fake 0 slow --shape 33x20x50
  [ "$(rows variant against verdict repeat m)" = "$wide,libfake_slow.so,right,3,33 library,libfake_slow.so,right,3,33" ] || fail "rows: $(cat results.csv)"
  # Who sleeps is no match: a ratio upside down would be below 1, rates changed over the other way round.
  cells ratio_min ratio_low ratio ratio_high ratio_max gflops against_gflops | grep -v '^,' |
    awk -F, '!(1 <= $1 && $1 <= $2 && $2 <= $3 && $3 <= $4 && $4 <= $5 && $6 >= $7 && $7 > 0) {print; bad = 1} END {exit bad || NR != 1}' ||
    fail "a ratio is not between its quartiles and extremes, or who sleeps won: $(cat results.csv)"
  # What a library cannot multiply is said; several threads call the variant's sister; one without cblas_sgemm is called by
  # the names that it has.
  runs 0 --library "$fakes/libfake_right.so" --size 9 --type f32,f64 && grep -q "library skipped: libfake_right.so multiplies no f64" err || fail "f64: $(cat err)"
  rm -f results.csv && runs 0 --library eigen --type i32,f64 --kernel avx2 --csv results.csv --shape 9x8x7,0x5x5,5x0x3,5x3x0
  [ "$(rows variant type | tr ' ' '\n' | uniq -c | xargs)" = "4 library,f64 4 library,i32 4 tuned,f64 4 tuned,i32" ] || fail "types: $(cat results.csv)"
  for names in dnnl fortran; do fake 0 $names --shape 5x7x3 && [ "$(rows variant verdict)" = "$wide,right library,right" ] || fail "$names: $(cat results.csv)"; done
  [ "$(nproc)" -lt 2 ] || { rm results.csv && runs 0 --library eigen --type f32 --threads 2 --csv results.csv --size 9 && [ "$(rows variant)" = "${wide}_threads library" ] || fail "two threads: $(cat results.csv)"; }
  ;;
every)
  # All that are here, by the widest kernel and by that for AVX2.
  tool 0 --size 48 --type f32 --repeat 1 --threads 1
  [ "$(rows verdict | tr ' ' '\n' | sort -u)" = right ] || fail "not all right: $(cat results.csv)"
  [ $wide = avx512 ] && kernels="OpenBLAS SkylakeX|BLIS skx" || kernels="OpenBLAS Haswell|BLIS haswell"
  ! cells variant against | grep -E ',(OpenBLAS|BLIS)' | grep -vE "^(library|$wide),($kernels)|^tuned,(OpenBLAS Haswell|BLIS haswell)$" || fail "not the widest kernel"
  [ "$(rows variant against | tr ' ' '\n' | grep -cx "\($wide\|library\),Eigen")" -eq 2 ] || fail "Eigen: $(cat results.csv err)"
  # Eigen is measured at its best: as wide as this processor is.
  objdump -d --no-show-raw-insn "$programs/libcourse_eigen.so" | grep -qE 'vfmadd[0-9]+p[sd] .*%[yz]mm' || fail "Eigen multiplies without AVX2's registers and multiply-adds"
  # MKL by the names that Fortran has for it, in PyTorch's library.
  mkdir -p torch/lib && touch torch/__init__.py && cp "$fakes/libfake_fortran.so" torch/lib/libtorch_cpu.so
  rm results.csv && PYTHONPATH=$PWD tool 0 --library mkl --size 9 --type f32 --threads 1 --variant library && [ "$(rows against verdict)" = MKL,right ] || fail "MKL: $(cat err)"
  ;;
wrong)
  # In a row of its own, and in turns with it.
  for fault in row_lost outside; do
    fake 1 $fault --size 40
    [ "$(rows verdict)" = "wrong wrong" ] || fail "$fault: $(cat results.csv err)"
  done
  grep -qF -- "again by: libraries --variant library " err && grep -qF -- " --library $fakes/libfake_outside.so" err || fail "again: $(cat err)"
  fake 1 row_lost --variant $wide --size 40 && grep -q "wrong: libfake_row_lost.so: [0-9]* elements differ" err || fail "which of both: $(cat err)"
  fake 1 dnnl --shape 33x20x13 && grep -qF "the library reports a failure" err || fail "failure: $(cat err)"
  ;;
ending)
  # One that crashes or hangs is named, and the rest goes on; one without threads, where it is said to have two.
  tool 0 --library "$fakes/libfake_crash.so,$fakes/libfake_hang.so,$fakes/libfake_right.so" --size 9 --type f32 --threads 1
  for how in crash.so*Aborted hang.so*'Alarm clock'; do grep -q "libfake_${how/\*/ with --threads 1 left out: it ended by }" err || fail "$how: $(cat err)"; done
  has ',libfake_right.so,'
  [ "$(nproc)" -lt 2 ] || { fake 77 slow --threads 2 --size 9 && grep -q "asked for 2 threads, it uses [01]" err && grep -q "^called 2 false 10000$" err || fail "no threads: $(cat err)"; }
  # Ctrl-C, and kill -9, in the middle of a library: its process ends, too.
  command -v pgrep >/dev/null || exit $((failures > 0))
  for signal in INT KILL; do
    env --default-signal=INT python3 -B "$here/../../libraries/libraries.py" --build "${programs%/*}" --library "$fakes/libfake_hang.so" --threads 1 >out 2>err &
    running=$!
    for _ in $(seq 1000); do
      child=$(pgrep -P $running | head -1)
      [ -n "$child" ] && grep -q libfake_hang "/proc/$child/cmdline" && break
      sleep 0.01
    done 2>/dev/null
    sleep 0.5
    kill -$signal $running
    wait $running 2>/dev/null
    [ $? -gt 128 ] && ! grep -q Traceback err || fail "$signal: no end by the signal: $(cat err)"
    for _ in $(seq 200); do
      grep -q libfake_hang "/proc/$child/cmdline" 2>/dev/null || continue 2
      sleep 0.01
    done
    fail "$signal: process $child lives on" && kill -9 "$child"
  done
  ;;
refusals)
  refuses "--library: which one? give a file, or one of blis, eigen, mkl, onednn, openblas"
  refuses "--threads: several; give one number a process" --library eigen --threads 1,2
  refuses "nosuch.so: cannot open shared object file" --library ./nosuch.so
  refuses "it has neither cblas_sgemm, sgemm_ nor dnnl_sgemm" --library "$fakes/libfake_empty.so"
  tool 2 --variant avx1024 && grep -q "^libraries: --variant: 'avx1024' is unknown; give library, avx512, tuned, " err || fail "avx1024: $(cat err)"
  ;;
cublas)
  # Without a GPU, or without nvcc: a line.
  CUDA_VISIBLE_DEVICES="" tool 77 --library cublas --size 300 --type f32
  grep -qE '^libraries: cuBLAS skipped: |^cublas: skipped: no CUDA device|^cublas: library skipped: no CUDA device' err && ! tail -n +2 results.csv 2>&1 | grep -q , || fail "nothing that says why: $(cat err)"
  [ -x "$programs/cublas" ] && "$programs/cublas" --size 9 --type f32 --variant library >/dev/null 2>&1 || exit $((failures > 0))
  tool 0 --library cublas --size 300 --repeat 3 --type f32,f64,bf16
  cells variant ratio | awk -F, '$1 == "best" && $2 > 0 {found = 1} END {exit !found}' || fail "no ratio: $(cat results.csv)"
  tool 0 --library cublas --size 300 --repeat 3 --type tf32 --fill digits # how cuBLAS rounds others is its own
  [ "$(rows verdict | tr ' ' '\n' | sort -u)" = right ] || fail "not all right: $(cat results.csv)"
  for row in library,default,f32 library,pedantic,f64 f64_by_integers,default,f64 f64_pedantic,pedantic,f64 library,tf32,tf32 {best,f32_by_bf16,f32_by_fp16},{default,pedantic},f32 bf16,heuristics,bf16; do
    cells variant against type | grep -qx "${row/,/,cuBLAS }" || fail "no row of $row"
  done
  rm results.csv && tool 0 --library cublas --size 300 --type bf16 --sustained
  cells against_error_share mhz watts against_mhz against_watts | awk -F, '!($1 > 0 && $1 < 1 && $2 > 0 && $3 > 0 && $4 > 0 && $5 > 0) {bad = 1} END {exit bad || NR != 2}' || fail "sustained: $(cat results.csv)"
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
