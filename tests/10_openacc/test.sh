#!/usr/bin/env bash
# 10_openacc: where it runs, and that it says so; what the offload compiler made of the kernels.
#   test.sh CHECK PROGRAM OFFLOADS      (OFFLOADS: 1 if the build holds code for a GPU)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2 offloads=$3
here=$(cd "$(dirname "$0")" && pwd)
quick="--type f32 --size 20 --repeat 1 --warmup 0 --csv rows.csv" file=rows.csv
# shellcheck source=/dev/null
. "$here/../program.sh"
unset ACC_DEVICE_TYPE ACC_DEVICE_NUM OMP_TARGET_OFFLOAD OMP_DEFAULT_DEVICE
export CUDA_VISIBLE_DEVICES='' # whoever has a GPU has none now

case $check in
no_gpu)
  # Meant the GPU, would get the host: 77, a line for each variant that names its own model's fallback, no number.
  reason="no GPU answers"
  [ "$offloads" -eq 1 ] || reason="built without an offload compiler"
  acc=ACC_DEVICE_TYPE=host omp=OMP_TARGET_OFFLOAD=DISABLED
  for setting in A=a ACC_DEVICE_TYPE=nvidia ACC_DEVICE_TYPE=nonsense ACC_DEVICE_NUM=7 OMP_DEFAULT_DEVICE=5; do
    export "${setting?}"
    runs 77
    unset "${setting%%=*}"
    [ "$(sed -E "s/^10_openacc: (\w+) skipped: $reason.*; (\S+) runs it on the host$/\1 \2/" err | xargs)" = \
      "one_each $acc unrolled $acc tiled $acc four_by_four $acc omp_target $omp omp_target_simd $omp" ] || fail "$setting: $(cat err)"
    [ ! -s out ] && ! grep -qs '^10_openacc' rows.csv || fail "$setting: $(cat out rows.csv)"
  done
  # The fallback of the one model is not that of the other.
  export ACC_DEVICE_TYPE=host
  runs 77 --variant omp_target
  runs 0 --variant one_each
  ;;
carry)
  # In a folder of its own, with nothing set, and without the libraries it was linked with; each row says where it ran.
  bash "$here/../../10_openacc/carry.sh" carried "$program" 2>err || fail "carry.sh: $(cat err)"
  [ "$offloads" -eq 0 ] || [ -s carried/lib/libgomp-plugin-nvptx.so.1 ] || fail "no plugin: $(ls carried/lib)"
  env -i ACC_DEVICE_TYPE=host OMP_TARGET_OFFLOAD=disabled carried/10_openacc --type f32 --size 20 --csv rows.csv >out 2>err ||
    fail "it does not run: $(cat err)"
  grep -q '^10_openacc on host fallback: ' out && [ "$(grep -c ',host fallback: .*,right,' rows.csv)" -eq 6 ] || fail "$(cat out rows.csv)"
  ;;
nvptx)
  [ "$offloads" -eq 1 ] || { echo "no offload compiler here"; exit 77; }
  # The PTX of each, in a file of its name; mangled, so that the type is a letter.
  for function in acc/{8one_each,8unrolled,5tiled,12four_by_four}I{f,d} omp/{10omp_target,15omp_target_simd}I{f,d}; do
    kernel=${function#*/}
    tr '\0' '\n' <"$(dirname "$program")/lib10_openacc_${function%/*}.so" | awk -v begin="BEGIN FUNCTION DEF: _ZN7openacc$kernel" \
      'index($0, "BEGIN FUNCTION DEF") {inside = index($0, begin)} inside' >"$kernel"
    grep -q '\.entry' "$kernel" || fail "no code for a GPU: $kernel"
  done
  # A gang is a block of threads, its workers and their vectors are threads: tid.y and tid.x.
  for register in ctaid.x tid.y tid.x; do grep -q "%$register" 8one_eachIf || fail "one_each does not use $register"; done
  # Eight steps of p are written out: 16 loads, 8 multiply-adds.
  awk '/^\$L/ {loads = adds = 0} / *ld\.f32/ {++loads} /fma\.rn\.f32/ {++adds} /bra/ && loads == 16 && adds == 8 {found = 1} END {exit !found}' \
    8unrolledIf || fail "unrolled has no loop of 16 loads and 8 multiply-adds"
  # 16 results a thread stay in registers: each step of p is 8 loads and 16 multiply-adds, and nothing lies in local memory.
  awk '/^\$L/ {loads = adds = 0} / *ld\.f32/ {++loads} /fma\.rn\.f32/ {++adds} /bra/ && loads == 8 && adds == 16 {found = 1} END {exit !found}' \
    12four_by_fourIf || fail "four_by_four has no loop of 8 loads and 16 multiply-adds"
  ! grep -q '\.local' 12four_by_fourIf || fail "four_by_four keeps sums in local memory"
  # Only simd gives each of a warp's lanes elements of its own.
  grep -q '%laneid' 15omp_target_simdIf || fail "omp_target_simd does not use the lanes"
  ! grep -q '%laneid' 10omp_targetIf || fail "omp_target uses the lanes after all: README.md says that it does not"
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
