#!/usr/bin/env bash
# 10_openacc: where it runs, and that it says so; what the offload compiler made of the kernels.
#   test.sh CHECK PROGRAM OFFLOADS      (OFFLOADS: 1 if the build holds code for a GPU; `kernels`: fake_openacc, the library)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2 offloads=$3
here=$(cd "$(dirname "$0")" && pwd) step=$(cd "$(dirname "$0")/../../10_openacc" && pwd)
quick="--type f32 --size 20 --repeat 1 --warmup 0 --csv rows.csv" file=rows.csv
# shellcheck source=/dev/null
. "$here/../program.sh"
unset ACC_DEVICE_TYPE ACC_DEVICE_NUM OMP_TARGET_OFFLOAD OMP_DEFAULT_DEVICE
export CUDA_VISIBLE_DEVICES='' # whoever has a GPU has none now

# ptx LIBRARY: the code for the GPU in it, as text.
ptx() { tr '\0' '\n' <"$(dirname "$program")/$1"; }
# body FUNCTION: its PTX, of what is piped in; mangled, so that the type is a letter.
body() { awk -v begin="BEGIN FUNCTION DEF: _ZN7openacc$1" 'index($0, "BEGIN FUNCTION DEF") {inside = index($0, begin)} inside'; }

case $check in
no_gpu)
  # Meant the GPU, would get the host: 77, a line that says why, no number.
  reason="no GPU answers"
  [ "$offloads" -eq 1 ] || reason="built without an offload compiler"
  for setting in A=a ACC_DEVICE_TYPE=nvidia ACC_DEVICE_TYPE=nonsense ACC_DEVICE_NUM=7 OMP_TARGET_OFFLOAD=MANDATORY OMP_DEFAULT_DEVICE=5; do
    for variant in one_each omp_target; do
      rm -f rows.csv
      # From gcc 13 on, libgomp itself ends a program at MANDATORY.
      [ $setting != OMP_TARGET_OFFLOAD=MANDATORY ] || ! env $setting "$program" --size 8 2>&1 | grep -q '^libgomp: OMP_TARGET_OFFLOAD is' || continue
      export "${setting?}"
      runs 77 --variant $variant
      unset "${setting%%=*}"
      [ "$(wc -l <err)" -eq 1 ] && grep -q "^10_openacc: $variant skipped: $reason" err || fail "$setting: not one line that says why: $(cat err)"
      [ ! -s out ] || fail "$setting: printed $(cat out)"
      [ ! -e rows.csv ] || [ "$(wc -l <rows.csv)" -le 1 ] || fail "$setting: wrote $(tail -1 rows.csv)"
    done
  done
  # Each is sent by its own model, whose fallback it names.
  acc=ACC_DEVICE_TYPE=host omp=OMP_TARGET_OFFLOAD=DISABLED
  # sent_by WORDS ARGUMENT…: each variant and what it names
  sent_by() {
    runs 77 "${@:2}"
    [ "$(sed -E 's/^10_openacc: (\w+) skipped: .*; (\S+) runs it on the host$/\1 \2/' err | xargs)" = "$1" ] || fail "not $1: $(cat err)"
  }
  sent_by "one_each $acc tiled $acc four_by_four $acc omp_target $omp omp_target_simd $omp"
  sent_by "overwritten $acc into_padding $acc edge_lost $acc one_column_too_far $acc one_row_too_far $acc last_row_lost $omp" --expect-wrong
  # The fallback of the one model is not that of the other.
  export ACC_DEVICE_TYPE=host
  runs 77 --variant omp_target
  runs 0 --variant one_each
  ;;
kernels)
  # Each variant starts the kernel it is called after.
  export ACC_DEVICE_TYPE=host OMP_TARGET_OFFLOAD=disabled
  for type in f32 f64 i32; do
    for variant in one_each tiled four_by_four omp_target omp_target_simd; do
      LD_PRELOAD=$offloads "$program" --variant $variant --type $type --size 5 --repeat 1 --warmup 0 --verify none >out 2>err || fail "$variant: $(cat err)"
      [ "$(grep '^kernel ' out | sort -u)" = "kernel $variant" ] || fail "$variant, $type, starts another kernel: $(cat out)"
    done
  done
  ;;
fallback)
  # Asked for, it runs, and each row says where.
  export ACC_DEVICE_TYPE=host OMP_TARGET_OFFLOAD=disabled
  runs 0
  grep -q '^10_openacc on host fallback: ' out || fail "the header does not say so: $(head -1 out)"
  [ "$(tail -n +2 rows.csv | grep -c ',host fallback: ')" -eq 5 ] || fail "not 5 rows that say so: $(cat rows.csv)"
  ;;
carry)
  # In a folder of its own, with nothing set, and without the libraries it was linked with.
  bash "$step/carry.sh" carried "$program" 2>err || fail "carry.sh: $(cat err)"
  [ "$offloads" -eq 0 ] || [ -s carried/lib/libgomp-plugin-nvptx.so.1 ] || fail "no plugin: $(ls carried/lib)"
  [ -s carried/lib/libgomp.so.1 ] && [ -s carried/lib/lib10_openacc_acc.so ] || fail "libraries are missing: $(ls carried/lib)"
  env -i ACC_DEVICE_TYPE=host OMP_TARGET_OFFLOAD=DISABLED carried/10_openacc --type f32 --size 20 --csv rows.csv >out 2>err ||
    fail "it does not run: $(cat err)"
  [ "$(tail -n +2 rows.csv | grep -c ',host fallback: .*,right,')" -eq 5 ] || fail "not 5 right rows: $(cat rows.csv)"
  env -i CUDA_VISIBLE_DEVICES= carried/10_openacc --type f32 --size 20 >out 2>err
  [ $? -eq 77 ] && [ "$(wc -l <err)" -eq 5 ] || fail "without a GPU: $(cat out err)"
  bash "$step/carry.sh" >out 2>err
  [ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] || fail "carry.sh without a folder: $(cat err)"
  ;;
nvptx)
  [ "$offloads" -eq 1 ] || { echo "no offload compiler here"; exit 77; }
  ptx lib10_openacc_acc.so >acc && ptx lib10_openacc_omp.so >omp
  for kernel in 8one_each 5tiled 12four_by_four; do
    for type in f d i; do grep -q "^\.entry _ZN7openacc$kernel""I$type" acc || fail "no code for a GPU: $kernel, $type"; done
  done
  for kernel in 10omp_target 15omp_target_simd; do
    for type in f d i; do grep -q "\.entry _ZN7openacc$kernel""I$type" omp || fail "no code for a GPU: $kernel, $type"; done
  done
  # A gang is a block of threads, its workers and their vectors are threads: tid.y and tid.x.
  body 8one_eachIf <acc >one_each
  for register in ctaid.x tid.y tid.x; do grep -q "%$register" one_each || fail "one_each does not use $register"; done
  # 16 results a thread stay in registers: each step of p is 8 loads and 16 multiply-adds, and nothing lies in local memory.
  body 12four_by_fourIf <acc >four
  awk '/^\$L/ {loads = adds = 0} / *ld\.f32/ {++loads} /fma\.rn\.f32/ {++adds} /bra/ && loads == 8 && adds == 16 {found = 1} END {exit !found}' four ||
    fail "four_by_four has no loop of 8 loads and 16 multiply-adds"
  ! grep -q '\.local' four || fail "four_by_four keeps sums in local memory"
  # Only simd gives each of a warp's lanes elements of its own.
  body 15omp_target_simdIf <omp | grep -q '%laneid' || fail "omp_target_simd does not use the lanes"
  ! body 10omp_targetIf <omp | grep -q '%laneid' || fail "omp_target uses the lanes after all: README.md says that it does not"
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
