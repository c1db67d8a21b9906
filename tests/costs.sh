#!/usr/bin/env bash
# Each variant has the cost of its own kernel and is swept over what its kernel takes: what the programs predict, line by line, for
# a machine that is not there. Its caches are small and its additions slow, so that a cost's every part shows.
# 05's last rungs, which not every processor can run, are left to 05_avx2.main.
#   costs.sh BUILD GOLDEN     (GOLDEN= costs.sh BUILD - prints a new one)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HWLOC_SYNTHETIC="l3u:1(size=131072) core:1 l2d:1(size=32768) l1d:1(size=8192) pu:1" OMP_WAIT_POLICY=passive
{
  echo "name,type,vector,threads,level,value,unit,note"
  printf 'cache,,,,%s,%s,B,\n' L1 8192 L2 32768 L3 131072
  echo "latency,f32,,1,add,1000,ns,"
  for set in sse2 avx2 avx512; do
    printf "%s,$set,1,%s,1000,G/s,\n" peak,f32 "" bandwidth, L1 bandwidth, L2 bandwidth, L3 bandwidth, memory
    echo "latency,f32,$set,1,fma,1000,ns,"
  done
} >"$folder/machine.csv"
for step in 01_naive 02_loop_order 03_tiling 04_openmp 05_avx2; do
  options="--machine $folder/machine.csv --csv $folder/rows.csv --type f32 --shape 96x80x112 --repeat 1 --warmup 0 --verify none"
  case $step in
  03*) options="$options --tile 16" ;;
  04*) options="$options --tile 16 --threads 2" ;;
  05*) options="$options --threads 2" ;;
  esac
  # shellcheck disable=SC2086 # a list of words
  "$1/$step/$step" $options >/dev/null
done
awk -F, -v OFS=, 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c }
  $at["variant"] !~ /512/ { print $at["step"], $at["variant"], $at["threads"], $at["tile"], $at["predicted_s"], $at["limit"], $at["bytes_l1"], $at["bytes_l2"], $at["bytes_l3"], $at["bytes_memory"] }' \
  "$folder/rows.csv" >"$folder/costs.csv"
if [ "$2" = - ]; then
  cat "$folder/costs.csv"
else
  diff "$2" "$folder/costs.csv"
fi
