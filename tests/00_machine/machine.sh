#!/usr/bin/env bash
# 00_machine: what it writes and what it refuses. No time is looked at.
#   machine.sh CHECK PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2
quick="--budget 0.002" file=machine.csv
every=sse2 # the vector set that all processors of this kind have
! grep -q machine_neon "$program" || every=neon
# shellcheck source=/dev/null
. "$(dirname "$0")/../program.sh"

case $check in
rows)
  export GLIBC_TUNABLES=glibc.malloc.hugetlb=1 # arrays of a gigabyte by larger pages: half the time
  runs 0 --csv machine.csv
  [ "$(head -1 machine.csv)" = name,type,vector,threads,level,value,unit,note ] || fail "header: $(head -1 machine.csv)"
  [ "$(awk -F, '{print NF}' machine.csv | sort -u)" = 8 ] || fail "a row is not of 8 cells"
  awk -F, 'NR > 1 && !($6 > 0) {print; bad = 1} END {exit bad}' machine.csv || fail "a value is not above 0"
  cpus=$(nproc)
  has "^processor,,,,,$cpus,threads,.+"
  grep -qF "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //; s/,/ /g')" machine.csv || fail "the processor's name"
  l1=$(getconf LEVEL1_DCACHE_SIZE 2>/dev/null || echo 0)
  [ "${l1:-0}" -eq 0 ] || has "^cache,,,,L1,$l1,B,"
  has "^memory,,,,memory,[0-9]{9,},B,"
  has '^clock,,,1,,[0-9.e+-]+,GHz,'
  sets=$every
  [ "$every" = neon ] || {
    grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && sets="$sets avx2"
    grep -qw avx512f /proc/cpuinfo && sets="$sets avx512"
  }
  for threads in 1 "$cpus"; do
    has "^pace,,,$threads,,[0-9.]+,Gop/s,"
    for set in $sets; do for type in f32 f64 i32; do has "^peak,$type,$set,$threads,,[0-9.e+-]+,GFLOP/s,.* chains"; done; done
  done
  for set in $sets; do
    has "^cycle,f32,$set,1,(12|24),[0-9.e+-]+,FLOP,.* GHz in that one"
    for level in L1 memory; do has "^bandwidth,,$set,1,$level,[0-9.e+-]+,GB/s,triad; 3 arrays of " && has "^read,,$set,1,$level,[0-9.e+-]+,GB/s,sum of "; done
    [ "$set" = sse2 ] || has "^latency,f64,$set,1,fma,"
  done
  ;;
disturbed)
  # Beside a busy loop on the same processor half of it is left: the row must say so.
  cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[,-].*//')
  [ -n "$cpu" ] || { echo "no taskset here"; exit 77; }
  taskset -c "$cpu" sh -c 'while :; do :; done' &
  busy=$!
  taskset -c "$cpu" "$program" --variant peak --type f32 --budget 0.16 --csv busy.csv >out 2>err
  kill $busy
  grep -qE "^peak,f32,$every,1,.*; disturbed: a thread had a processor for [0-9]+ % of the time" busy.csv || fail "not disturbed: $(cat busy.csv)"
  ;;
again)
  runs 0 --csv machine.csv --variant topology,peak --type f32 --threads 1
  cp machine.csv before.csv
  # A roof that was measured badly is measured once more, a good one stays, and nothing else is touched.
  sed -E "s/^(peak,f32,$every,1,,)[^,]*/\10.001/; t; s/^(peak,[^,]*,[^,]*,1,,)[^,]*/\1999999999/" before.csv >machine.csv
  cp machine.csv bad.csv
  runs 0 --csv machine.csv --again --threads 1
  tail -n "+$(($(wc -l <bad.csv) + 1))" machine.csv >more.csv
  [ -s more.csv ] && ! grep -vE "^peak,f32,$every,1,," more.csv || fail "--again: not the bad roof alone: $(cat more.csv)"
  # Another machine's file is left as it was.
  sed '/^processor/s/,[^,]*$/,another processor/' before.csv >machine.csv
  runs 2 --csv machine.csv --again
  grep -qF "tells of another processor" err && [ "$(wc -l <err)" -eq 1 ] || fail "another processor: $(cat err)"
  ;;
refusals)
  refuses "--variant: 'peek' is unknown; this program has topology" --variant peek
  refuses "--threads: '4096' is more than the" --threads 4096
  refuses "--size" --size 64
  for option in --list --help; do
    runs 0 $option
    grep -q 'what this machine is, and what it can do' out || fail "$option: $(cat out err)"
  done
  ;;
gpu)
  # Where CUDA sees no GPU a line says so, and the other parts go on.
  export CUDA_VISIBLE_DEVICES=
  runs 77 --variant gpu --csv machine.csv
  [ ! -s out ] && [ ! -e machine.csv ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '^00_machine: gpu skipped: [nb]' err ||
    fail "not one line that says why: $(cat out err)"
  runs 0 --variant topology,gpu --csv machine.csv
  [ "$(wc -l <err)" -eq 1 ] && has '^cores,,,,,[0-9]+,cores,' || fail "the other parts do not go on: $(cat err)"
  grep ',cuda,' machine.csv && fail "rows of a GPU that is not there"
  runs 0 --list
  grep -qE '^  gpu .*; not here: [nb]' out && [ ! -s err ] || fail "--list: $(cat out err)"
  # Where there is one: what must hold of any.
  unset CUDA_VISIBLE_DEVICES
  "$program" --list | grep -q '^  gpu .*; not here: ' && exit $((failures > 0))
  quick="--budget 0.1" file=gpu.csv
  runs 0 --variant gpu --csv gpu.csv
  [ "$(awk -F, '{print NF}' gpu.csv | sort -u)" = 8 ] || fail "a row is not of 8 cells"
  awk -F, 'NR > 1 && !($6 > 0) {print; bad = 1} END {exit bad}' gpu.csv || fail "a value is not above 0"
  has '^gpu,,cuda,,,[1-9][0-9]*,multiprocessors,[^,;]+; compute capability [0-9.]+; '
  of() { awk -F, -v key="$1" '$1 "," $2 "," $5 == key && $3 == "cuda" {value = $6} END {print value + 0}' gpu.csv; }
  holds() { awk "BEGIN {exit !($1)}" || fail "not so: $1 in $(cat gpu.csv)"; }
  holds "$(of clock,,) > 0.3 && $(of clock,,) < 5"
  holds "$(of peak,f32,) >= $(of peak,f64,) && $(of peak,f64,) > 0 && $(of peak,i32,) > 0"
  holds "$(of bandwidth,,shared) > $(of bandwidth,,L2) && $(of bandwidth,,L2) > $(of bandwidth,,memory) && $(of bandwidth,,memory) > 0"
  for way in to from; do holds "$(of copy,,${way}_device_pinned) >= 0.8 * $(of copy,,${way}_device_pageable)"; done
  # A multiply-add a clock from each unit, and not much less: too few chains would give a half.
  [ "$(of cores,,)" = 0 ] || holds "$(of peak,f32,) < 2.2 * $(of cores,,) * $(of clock,,) && $(of peak,f32,) > 1.6 * $(of cores,,) * $(of clock,,)"
  # Tensor cores: what is not there is left out and said.
  capability=$(sed -nE 's/^gpu,.*compute capability ([0-9.]+);.*/\1/p' gpu.csv)
  [ "${capability%.*}" -lt 8 ] || holds "$(of peak,bf16,) > $(of peak,tf32,) && $(of peak,tf32,) > 0 && $(of sustained,bf16,) > 0"
  if [ "$capability" = 9.0 ]; then
    for type in bf16 tf32; do holds "$(of peak,$type,wgmma) > $(of peak,$type,) && $(of sustained,$type,wgmma) > 0"; done
  else
    grep -q '^00_machine: .* left out: ' err || fail "no wgmma, and no line that says so: $(cat err)"
  fi
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
