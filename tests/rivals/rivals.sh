#!/usr/bin/env bash
# The rivals: what is written, what is refused, and libraries that go wrong. No time is looked at.
#   rivals.sh CHECK PROGRAM FOLDER     (FOLDER holds libfake_*.so)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2 libraries=$3 here=$(cd "$(dirname "$0")" && pwd)
quick="--pairs 3 --budget 1e-9 --size 40" file=rivals.csv
built=$(dirname "$(dirname "$program")")
process=$built/rivals/rivals_cpu ours=$built/05_avx2/libcourse_blas.so
# shellcheck source=/dev/null
. "$here/../program.sh"
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "no AVX2 here"; exit 77; }
wide=tuned
"$program" --variant avx512 --rival blas --size 40 2>&1 | grep -q 'avx512 skipped' || wide=avx512

# compares STATUS ARGUMENT…: what is measured goes to rivals.csv.
compares() { runs "$1" --csv rivals.csv "${@:2}"; }
# fakes STATUS NAME ARGUMENT…: against a fake library alone.
fakes() { compares "$1" --blas "$libraries/libfake_$2.so" --rival blas --threads 1 "${@:3}"; }
rows() { tail -n +2 "${1:-rivals.csv}" | wc -l; }

case $check in
rows)
  fakes 0 slow --variant "tuned,$wide" --shape 33x20x50
  [ "$(head -1 rivals.csv)" = type,m,n,k,threads,variant,rival,pairs,ratio,ratio_low,ratio_high,ratio_min,ratio_max,ours_gflops,rival_gflops,device,flags,compiler,host,commit,started ] ||
    fail "header: $(head -1 rivals.csv)"
  # Who sleeps is no match: a ratio upside down would be below 1, rates changed over the other way round.
  awk -F, 'NR > 1 && !($9 >= 1 && $10 <= $9 && $9 <= $11 && $12 <= $10 && $11 <= $13 && $14 >= $15 && $15 > 0) {print; bad = 1} END {exit bad}' rivals.csv ||
    fail "a ratio is not between its quartiles and extremes, or who sleeps won"
  # The fake has no dgemm: rows of f32 alone, the cheap shape first.
  for variant in tuned $wide; do
    for shape in 33,20,50 40,40,40; do has "^f32,$shape,1,$variant,libfake_slow.so,3,[0-9.e+-]+,"; done
  done
  # Each type that is asked for; and several threads call the rung's sister.
  rm rivals.csv && compares 0 --rival eigen --type i32,f64 --threads 1 --variant tuned
  [ "$(tail -n +2 rivals.csv | cut -d, -f1,7 | xargs)" = "f64,Eigen i32,Eigen" ] || fail "types: $(cat rivals.csv)"
  [ "$(nproc)" -lt 2 ] || { fakes 0 right --variant tuned --threads 2 && has '^f32,40,40,40,2,tuned_threads,libfake_right.so,'; }
  ;;
alternating)
  # Each alone; where there is no GPU, without a clock.
  COURSE_RUNG=tuned "$process" measure "$libraries/libfake_right.so" Plain "$ours" \
    --shape 33x20x50 --type f32 --pairs 2 --budget 1e-9 --sustained-csv sustained.csv >out 2>err || fail "exit $?: $(cat err)"
  python3 -B - <<'EOS' || fail "not what was sustained: $(cat out sustained.csv)"
import csv
((row,),) = (list(csv.DictReader(open("sustained.csv", newline=""))),)
assert list(row)[:7] == "type m n k threads variant rival".split() and list(row)[-3:] == "device host commit".split()
ratio, ours, theirs, ours_error, their_error = (float(row[name]) for name in (
    "ratio", "ours_gflops", "rival_gflops", "ours_error_share", "rival_error_share"))
assert abs(ratio - ours / theirs) < 1e-4 * ratio, row
assert 0 < ours_error < 1 and 0 < their_error < 1 and ours_error != their_error, row
assert all(row[f"{side}_{what}"] == "" for side in ("ours", "rival") for what in ("mhz", "watts")), row
assert open("out").read().endswith(f" 2 pairs; sustained {ratio:.3f} x\n"), open("out").read()
EOS
  # calls CONDITION ARGUMENT…: how often a slow library is called: once to verify it, once to warm it up, once for its pair
  calls() {
    "$process" measure "$libraries/libfake_slow.so" Slow "${@:2}" --shape 3x4x5 --type f32 --pairs 1 >out 2>err
    calls=$(grep -cx called err)
    (($1)) || fail "${*:2}, not $1: $calls calls: $(cat out)"
  }
  calls "calls == 3" "$libraries/libfake_right.so" --budget 1e-9
  calls "calls > 3" "$libraries/libfake_right.so" --budget 1e-9 --settle 0.3
  calls "calls > 3" "$libraries/libfake_right.so" --budget 0.3
  calls "calls == 2" --budget 0.3  # alone, with the one run that it may have
  ;;
libraries)
  "$process" check "$built/rivals/libcourse_eigen.so" | tr '\t' ' ' >out
  for line in 'types f32 f64 i32' 'openmp yes' 'about [0-9.]+; g\+\+ [^;]*; libcourse_eigen.so'; do
    grep -qE "^$line$" out || fail "Eigen: no '$line' in $(cat out)"
  done
  # It is measured at its best: as wide as this processor is.
  objdump -d --no-show-raw-insn "$built/rivals/libcourse_eigen.so" | grep -cE 'vfmadd[0-9]+p[sd] .*%[yz]mm' >fused
  [ "$(cat fused)" -gt 0 ] || fail "Eigen multiplies without AVX2's registers and multiply-adds"
  # A kernel is what the library says that it uses, whatever it was told.
  "$process" check "$libraries/libfake_stubborn.so" --kernel own | grep -q '^kernel.Zen$' || fail "its own kernel"
  "$process" check "$libraries/libfake_stubborn.so" --kernel avx2 >out 2>err
  [ $? -eq 2 ] && grep -qF "it uses its kernel Zen, not Haswell" err || fail "another kernel than it was told: $(cat out err)"
  # One without cblas_sgemm is called in its own way.
  for way in dnnl fortran; do
    fakes 0 $way --shape 5x7x3 --variant tuned
    has "^f32,5,7,3,1,tuned,libfake_$way.so,"
  done
  "$process" measure "$libraries/libfake_right.so" label "$ours" --shape 5x6x7 --type f64 >out 2>err
  [ $? -eq 77 ] || fail "a type that is not there: $(cat out err)"
  for words in "" "measure $ours" "other $ours fake"; do
    # shellcheck disable=SC2086 # a list of words
    "$process" $words >out 2>err
    [ $? -eq 2 ] && grep -qF "this process is for rivals.py; call build/rivals/rivals" err || fail "$words: $(cat out err)"
  done
  ;;
wrong)
  fakes 1 transposed
  grep -qE "^rivals: libfake_transposed.so f32 is wrong: 40x40x40: " err && [ "$(grep -vc ' skipped: ' err)" -eq 1 ] || fail "transposed: $(cat err)"
  [ "$(rows)" -eq 0 ] || fail "a wrong rival has a row"
  # wrong OURS THEIRS SHAPE WORDS: ours is verified like theirs; and neither may write beside what it was given.
  wrong() {
    "$process" measure "$libraries/libfake_$2.so" theirs "$libraries/libfake_$1.so" --shape "$3" --type f32 --pairs 1 --budget 1e-9 --csv wrong.csv >out 2>err
    status=$?
    [ $status -eq 1 ] && grep -qE "^rivals: $4" err && [ "$(rows wrong.csv)" -eq 0 ] || fail "$1 against $2: exit $status: $(cat out err)"
  }
  wrong transposed right 33x20x50 " f32 is wrong: 33x20x50: [0-9]+ elements differ"
  wrong right transposed 33x20x50 "theirs f32 is wrong: 33x20x50: [0-9]+ elements differ"
  wrong right square 40x40x40 "theirs f32 is wrong: 40x40x40: "
  wrong right outside 40x40x40 "theirs f32 is wrong: 40x40x40: it wrote outside its matrix"
  for shape in 20x33x50 33x20x50; do  # beside A, beside B
    wrong beside right $shape " f32 is wrong: $shape: it wrote outside its matrix"
    wrong right beside $shape "theirs f32 is wrong: $shape: it wrote outside its matrix"
  done
  ;;
failing)
  # One that crashes is named, one that reports a failure, too; the rest goes on.
  compares 0 --blas "$libraries/libfake_crash.so,$libraries/libfake_dnnl.so,$libraries/libfake_right.so" --rival blas --threads 1 --shape 33x20x13
  grep -qE "^rivals: libfake_crash.so with 1 thread left out: it ended by " err || fail "crash: $(cat err)"
  grep -qE "^rivals: libfake_dnnl.so left out: 33x20x13: the library reports a failure" err && [ "$(grep -vc ' skipped: ' err)" -eq 2 ] || fail "failure: $(cat err)"
  has 'libfake_right.so'
  # A library without threads, where it is said to have two.
  [ "$(nproc)" -lt 2 ] || fakes 0 right --threads 2 --shape 256x256x256
  [ "$(nproc)" -lt 2 ] || grep -q "libfake_right.so left out: 256x256x256: asked for 2 threads, it uses [01]" err || fail "no threads: $(cat err)"
  ;;
refusals)
  refuses "--variant: 'avx1024' is unknown; give avx512, tuned" --variant avx1024
  quick="--pairs 0" refuses ": '0' is no whole number from 1"
  refuses "--type: f16 not in {f32,f64,i32" --type f16
  refuses "--threads: '4096' is more than the" --threads 4096
  refuses "--blas: 'nosuch.so' cannot be used: " --blas nosuch.so
  refuses "--blas: '' is unknown; give the path of a shared library" --blas ''
  refuses "it has neither cblas_sgemm, sgemm_ nor dnnl_sgemm" --blas "$libraries/libfake_empty.so"
  refuses "0x5x5: an empty product" --shape 0x5x5
  refuses "2147483647x200x1 needs 13.63 TiB of memory, " --shape 2147483647x200x1
  ;;
alone)
  # Each library by itself, rows of machine.csv, and by its widest kernel here, as it says itself.
  quick="--alone --budget 0.002 --pairs 1 --size 48" file=machine.csv cpus=$(nproc)
  runs 0 --csv machine.csv --type f32,i32
  for type in f32 i32; do has "^library,$type,Eigen,$cpus,48x48x48,[0-9.e+-]+,GFLOP/s,3"; done
  [ $wide = avx512 ] && kernels="OpenBLAS SkylakeX|BLIS skx" || kernels="OpenBLAS Haswell|BLIS haswell"
  ! grep -E '^library,f32,(OpenBLAS|BLIS)' machine.csv | grep -vE "^library,f32,($kernels),(1|$cpus),48x48x48,.*,[0-9]+\.[0-9]+" || fail "not the widest kernel"
  ;;
cublas)
  # Without a GPU, or without nvcc: a line.
  quick="--alone --rival cublas" file=real.csv
  CUDA_VISIBLE_DEVICES="" runs 77 --csv none.csv
  grep -q '^rivals: cuBLAS skipped: [nb]' err && [ "$(wc -l <err)" -eq 2 ] && [ ! -e none.csv ] || fail "nothing that says why: $(cat err)"
  # On a GPU: below the roof; and in turns with ours.
  [ -x "$built/rivals/rivals_gpu" ] && "$built/rivals/rivals_gpu" check default >/dev/null 2>&1 || exit $((failures > 0))
  "$built/00_machine/00_machine" --variant gpu --type f32 --csv real.csv >/dev/null
  runs 0 --csv real.csv --size 300,2048
  for type in f32 f64 tf32 bf16; do has "^library,$type,cuBLAS,,2048x2048x2048,[0-9.]+,GFLOP/s,"; done
  awk -F, '$1 == "peak" {roof = $6} $1 == "library" && $2 == "f32" && !($6 < roof) {print; bad = 1} END {exit bad}' real.csv || fail "above the peak"
  quick="--rival cublas --size 300 --pairs 3 --budget 0.1" file=rivals.csv
  compares 0
  for way in default pedantic; do has "^f32,300,300,300,1,best,cuBLAS $way,"; done
  # Those by tensor cores, too, and what is sustained.
  for way in 'bf16,.*,bf16,cuBLAS heuristics' 'f32,.*,f32_by_'{bf16,fp16}',cuBLAS '{default,pedantic}; do has "^$way,"; done
  compares 0 --type bf16 --sustained
  awk -F, 'NR > 1 && !($8 > 0 && $9 > 0 && $10 > 0 && $15 > 0 && $15 < 1 && $16 > 0 && $16 < 1) {print; bad = 1} END {exit bad || NR < 2}' \
    rivals_sustained.csv || fail "sustained: $(cat rivals_sustained.csv)"
  ;;
interrupt)
  command -v pgrep >/dev/null || { echo "no pgrep here"; exit 77; }
  # Ctrl-C, and kill -9, in the middle of a library: its process ends, too.
  for signal in INT KILL; do
    env --default-signal=INT "$program" --pairs 3 --blas "$libraries/libfake_hang.so" --rival blas --threads 1 >out 2>err &
    running=$!
    for _ in $(seq 1000); do
      child=$(pgrep -P $running 2>/dev/null | head -1)
      [ -n "$child" ] && grep -q measure "/proc/$child/cmdline" 2>/dev/null && break
      sleep 0.01
    done
    grep -q measure "/proc/$child/cmdline" 2>/dev/null || fail "$signal: no process of a library was seen"
    kill -$signal $running
    wait $running 2>/dev/null
    status=$?
    [ $status -gt 128 ] && ! grep -q Traceback err || fail "$signal: exit $status, not the signal's: $(cat err)"
    for _ in $(seq 200); do
      grep -q measure "/proc/$child/cmdline" 2>/dev/null || break
      sleep 0.01
    done
    grep -q measure "/proc/$child/cmdline" 2>/dev/null && fail "$signal: process $child lives on" && kill -9 "$child"
  done
  # One whose starter died before it was up.
  COURSE_STARTER=1 timeout 20 "$process" measure "$libraries/libfake_hang.so" late --size 40 >out 2>&1
  status=$?
  [ $status -eq 1 ] || fail "an orphan: exit $status: $(cat out)"
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
