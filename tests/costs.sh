#!/usr/bin/env bash
# Each variant has the cost of its own kernel and is swept over what its kernel takes: what the programs predict, cost by cost, for
# a machine that is not there. Its caches are small and its additions slow, so that a cost's every part shows; its GPU is slow
# at its first level alone. 05's last rungs, which not every processor can run, are left to 05_avx2.main.
#   costs.sh BUILD GOLDEN     (GOLDEN= costs.sh BUILD - prints a new one)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HWLOC_SYNTHETIC="l3u:1(size=131072) core:1 l2d:1(size=32768) l1d:1(size=8192) pu:1" OMP_WAIT_POLICY=passive
export ACC_DEVICE_TYPE=host OMP_TARGET_OFFLOAD=DISABLED
{
  echo "name,type,vector,threads,level,value,unit,note"
  printf 'cache,,,,%s,%s,B,\n' L1 8192 L2 32768 L3 131072
  echo "latency,f32,,1,add,1000,ns,"
  for set in sse2 avx2 avx512; do
    printf "%s,$set,1,%s,1000,G/s,\n" peak,f32 "" bandwidth, L1 bandwidth, L2 bandwidth, L3 bandwidth, memory
    echo "latency,f32,$set,1,fma,1000,ns,"
  done
  printf 'cache,,cuda,,%s,%s,B,\n' L1 1 L2 1e9
  printf '%s,cuda,,%s,%s,G/s,\n' peak,f32 "" 1e9 bandwidth, shared 1e-3 bandwidth, L2 1e9 bandwidth, memory 1e9
} >"$folder/machine.csv"
built=step
for step in 01_naive 02_loop_order 03_tiling 04_openmp 05_avx2 07_cuda_global 08_cuda_shared 09_cuda_regtile 10_openacc; do
  [ -x "$1/$step/$step" ] || continue
  built="$built|$step"
  options="--machine $folder/machine.csv --csv $folder/rows.csv --type f32 --shape 96x80x112 --repeat 1 --warmup 0 --verify none"
  case $step in
  03*) options="$options --tile 16" ;;
  04*) options="$options --tile 16 --threads 2" ;;
  05*) options="$options --threads 2" ;;
  07*) options="$options --emulate forward --block 32x8" ;;
  08* | 09*) options="$options --emulate forward" ;;
  esac
  case $step in # a prediction is for the GPU that was measured
  07*) gpu="emulator: forward" ;;
  10*) gpu="host fallback: $("$1/01_naive/01_naive" --size 1 --csv "$folder/here.csv" >/dev/null && awk -F, 'END {print $14}' "$folder/here.csv")" ;;
  *) gpu="" ;;
  esac
  [ -z "$gpu" ] || echo "gpu,,cuda,,,1,multiprocessors,$gpu" >>"$folder/machine.csv"
  # shellcheck disable=SC2086 # a list of words
  "$1/$step/$step" $options >/dev/null
done
awk -F, -v OFS=, 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c }
  $at["variant"] !~ /512/ {
    cost = $at["threads"] OFS $at["tile"] OFS $at["predicted_s"] OFS $at["limit"] OFS $at["bytes_l1"] OFS $at["bytes_l2"] OFS $at["bytes_l3"] OFS $at["bytes_memory"]
    key = $at["step"] OFS cost
    if (!(key in names)) { order[++count] = key; step[key] = $at["step"]; of[key] = cost }
    names[key] = names[key] (key in names && names[key] != "" ? " " : "") $at["variant"]
  }
  END { for (c = 1; c <= count; c++) print step[order[c]], names[order[c]], of[order[c]] }' "$folder/rows.csv" >"$folder/costs.csv"
if [ "$2" = - ]; then
  cat "$folder/costs.csv"
else
  diff <(grep -E "^($built)," "$2") "$folder/costs.csv"
fi
