#!/usr/bin/env bash
# 00_machine: what it writes and what it refuses. No time is looked at.
#   machine.sh CHECK PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2
quick="--budget 0.002" file=machine.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/../program.sh"

case $check in
rows)
  runs 0 --csv machine.csv
  grep -q '^00_machine on .\+, .\+' out && ! grep -q 'rows were in' out || fail "where it ran, or what it left out: $(grep 00_machine out)"
  [ "$(head -1 machine.csv)" = name,type,vector,threads,level,value,unit,note ] || fail "header: $(head -1 machine.csv)"
  [ "$(awk -F, '{print NF}' machine.csv | sort -u)" = 8 ] || fail "a row is not of 8 cells"
  awk -F, 'NR > 1 && !($6 > 0) {print; bad = 1} END {exit bad}' machine.csv || fail "a value is not above 0"
  [ -z "$(tail -n +2 machine.csv | grep -vE '^(pace|chains|peak|bandwidth|read|copy),' | cut -d, -f1-5 | sort | uniq -d)" ] || fail "a row is there twice"
  # The roofs are looked at several times; a further row must be better than the one before.
  awk -F, '/^(pace|chains|peak|bandwidth|read|copy),/ {key = $1 $2 $3 "," $4 $5; if (key in first && !($6 > first[key])) {print; bad = 1} first[key] = $6} END {exit bad}' \
    machine.csv || fail "a further look made a roof lower"
  cpus=$(nproc)
  has "^processor,,,,,$cpus,threads,.+"
  grep -qF "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //; s/,/ /g')" machine.csv || fail "the processor's name"
  has "^cache,,,,L1,[1-9][0-9]{3,},B,"
  l1=$(getconf LEVEL1_DCACHE_SIZE 2>/dev/null || echo 0)
  [ "${l1:-0}" -eq 0 ] || has "^cache,,,,L1,$l1,B,"
  has "^memory,,,,memory,$(awk '/MemTotal/ {print substr($2, 1, 2)}' /proc/meminfo | cut -c1)[0-9]+,B,|^memory,,,,memory,[0-9]{9,},B,"
  has '^clock,,,1,,[0-9.e+-]+,GHz,'
  for threads in 1 "$cpus"; do has "^pace,,,$threads,,[0-9.]+,Gop/s,"; done
  has '^vector,,sse2,,,16,B,'
  sets=sse2
  grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && sets="$sets avx2" && has '^vector,,avx2,,,32,B,'
  grep -qw avx512f /proc/cpuinfo && sets="$sets avx512" && has '^vector,,avx512,,,64,B,'
  for type in f32 f64 i32; do
    has "^latency,$type,,1,add,[0-9.e+-]+,ns,[0-9.]+ cycles"
    for set in $sets; do
      for threads in 1 "$cpus"; do has "^peak,$type,$set,$threads,,[0-9.e+-]+,GFLOP/s,.* chains"; done
    done
  done
  if [ "$sets" != sse2 ]; then
    for width in scalar avx2; do for chains in 1 2 4 8 12; do has "^chains,f32,$width,1,$chains,[0-9.e+-]+,GFLOP/s,"; done; done
  fi
  for set in $sets; do
    for level in L1 memory; do has "^bandwidth,,$set,1,$level,[0-9.e+-]+,GB/s,triad; 3 arrays of " && has "^read,,$set,1,$level,[0-9.e+-]+,GB/s,sum of "; done
    [ "$(grep -oE "^bandwidth,,$set,[0-9]+,L3,.*triad; 3 arrays of [0-9.]+ [KM]iB" machine.csv | sed 's/.* of //' | sort -u | wc -l)" -le 1 ] ||
      fail "L3: a thread alone streams other arrays than beside others: $(grep "^bandwidth,,$set,.*,L3," machine.csv)"
    [ "$set" = sse2 ] || has "^latency,f64,$set,1,fma,"
  done
  ;;
disturbed)
  # Beside a busy loop on the same processor half of it is left: the row must say so.
  cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[,-].*//')
  [ -n "$cpu" ] || { echo "no taskset here"; exit 77; }
  taskset -c "$cpu" sh -c 'while :; do :; done' &
  busy=$!
  taskset -c "$cpu" "$program" --variant peak --type f32 --budget 0.3 --csv busy.csv >out 2>err
  kill $busy
  grep -qE '^peak,f32,sse2,1,.*; disturbed: a thread had a processor for [0-9]+ % of the time' busy.csv || fail "not disturbed: $(cat busy.csv)"
  ;;
no_third)
  export HWLOC_SYNTHETIC="core:1 l2d:1(size=1048576) l1d:1(size=32768) pu:1"
  runs 0 --csv machine.csv --variant bandwidth --threads 1
  [ "$(grep '^bandwidth,,sse2,' machine.csv | cut -d, -f5 | sort -u | xargs)" = "L1 L2 memory" ] || fail "not of two levels: $(cat machine.csv)"
  ;;
resume)
  runs 0 --csv machine.csv --variant topology,latency,peak --type f32 --threads 1
  cp machine.csv before.csv
  runs 0 --csv machine.csv --variant topology,latency,peak --type f32 --threads 1 --resume
  cmp before.csv machine.csv || fail "--resume added something"
  keys() { awk -F, -v OFS=, 'NR > 1 && NF == 8 { print $1, $2, $3, $4, $5 }' "$1" | sort -u; } # without what a crash tore
  parts=$(keys machine.csv | cut -d, -f1 | sort -u | xargs)
  [ "${parts/cache /}" = "clock cores latency memory peak processor vector" ] || fail "other parts than were asked for: $parts"
  grep -qE "$(keys machine.csv | wc -l) rows were in machine.csv already" out || fail "it does not say so: $(tail -1 out)"
  # What is missing is measured, and nothing else: a killed program's last line is torn.
  grep -v '^peak,f32,sse2' before.csv >machine.csv
  printf 'peak,f32,ss' >>machine.csv
  runs 0 --csv machine.csv --variant topology,latency,peak --type f32 --threads 1 --resume
  [ "$(keys machine.csv)" = "$(keys before.csv)" ] || fail "rows missing or torn after a torn line"
  has '^peak,f32,sse2,1,,[0-9.e+-]+,'
  # --again: a roof that was measured badly is measured once more, a good one stays, and nothing else is touched.
  sed -E 's/^(peak,f32,sse2,1,,)[^,]*/\10.001/; t; s/^(peak,[^,]*,[^,]*,1,,)[^,]*/\1999999999/' before.csv >machine.csv
  cp machine.csv bad.csv
  runs 0 --csv machine.csv --again --threads 1
  [ "$(head -n "$(wc -l <bad.csv)" machine.csv)" = "$(cat bad.csv)" ] || fail "--again changed a row that was there"
  tail -n "+$(($(wc -l <bad.csv) + 1))" machine.csv >more.csv
  [ -s more.csv ] && ! grep -vE '^peak,f32,sse2,1,,' more.csv || fail "--again: not the bad roof alone: $(cat more.csv)"
  tail -1 machine.csv | awk -F, '{exit !($6 > 1)}' || fail "--again: not the better value: $(tail -1 machine.csv)"
  cp before.csv machine.csv
  # Another machine's file is left as it was.
  sed -i '/^processor/s/,[^,]*$/,another processor/' machine.csv
  cp machine.csv before.csv
  runs 2 --csv machine.csv --resume
  grep -qF "tells of another processor" err && [ "$(wc -l <err)" -eq 1 ] || fail "another processor: $(cat err)"
  cmp before.csv machine.csv || fail "another processor's file was changed"
  ;;
refusals)
  refuses "--variant: 'peek' is unknown; this program has topology" --variant peek
  refuses "--threads: '4096' is more than the" --threads 4096
  refuses "--type: 'f16' is unknown" --type f16
  refuses "--fill" --fill digits
  refuses "--size" --size 64
  for needs in "--resume: needs --csv FILE" "--again: needs the file"; do
    "$program" "${needs%%:*}" >out 2>err
    [ $? -eq 2 ] && grep -qF -- "$needs" err || fail "${needs%%:*} without --csv: $(cat err)"
  done
  "$program" --again --csv none.csv >out 2>err
  { [ $? -eq 2 ] && grep -qF -- "--again: there is no none.csv" err && [ ! -e none.csv ]; } || fail "--again on no file: $(cat err)"
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
  has '^memory,,cuda,,memory,[0-9]{9,},B,'
  for level in L1 L2; do has "^cache,,cuda,,$level,[0-9]{4,},B,"; done
  of() { awk -F, -v key="$1" '$1 "," $2 "," $5 == key && $3 == "cuda" {value = $6} END {print value + 0}' gpu.csv; }
  holds() { awk "BEGIN {exit !($1)}" || fail "not so: $1 in $(cat gpu.csv)"; }
  holds "$(of clock,,) > 0.3 && $(of clock,,) < 5"
  holds "$(of peak,f32,) >= $(of peak,f64,) && $(of peak,f64,) > 0 && $(of peak,i32,) > 0"
  holds "$(of bandwidth,,shared) > $(of bandwidth,,L2) && $(of bandwidth,,L2) > $(of bandwidth,,memory) && $(of bandwidth,,memory) > 0"
  for way in to from; do holds "$(of copy,,${way}_device_pinned) >= 0.8 * $(of copy,,${way}_device_pageable)"; done
  # A multiply-add a clock from each unit, and not much less: too few chains would give a half.
  [ "$(of cores,,)" = 0 ] || holds "$(of peak,f32,) < 2.2 * $(of cores,,) * $(of clock,,) && $(of peak,f32,) > 1.6 * $(of cores,,) * $(of clock,,)"
  # Tensor cores: what is not there is left out and said. No sums are checked here: the program refuses a wrong count itself.
  capability=$(sed -nE 's/^gpu,.*compute capability ([0-9.]+);.*/\1/p' gpu.csv)
  for level in wgmma wgmma_shared; do
    for type in bf16 tf32; do
      if [ "$capability" = 9.0 ]; then
        holds "$(of peak,$type,$level) > $(of peak,$type,) && $(of sustained,$type,$level) > 0"
      else
        holds "$(of peak,$type,$level) == 0"
      fi
    done
  done
  [ "$capability" = 9.0 ] || grep -q '^00_machine: .* left out: ' err || fail "no wgmma, and no line that says so: $(cat err)"
  [ "${capability%.*}" -lt 8 ] || holds "$(of peak,bf16,) > $(of peak,tf32,) && $(of peak,tf32,) > 0 && $(of sustained,bf16,) > 0"
  # A type that nobody asked for, and rows that are there.
  runs 0 --variant gpu --type f64 --csv f64.csv
  grep -q '^peak,f64,cuda' f64.csv && ! grep -qE '^peak,([fit]f?32|bf16),cuda' f64.csv || fail "other types: $(cat f64.csv)"
  cp gpu.csv before.csv
  runs 0 --variant gpu --csv gpu.csv --resume
  cmp before.csv gpu.csv || fail "--resume added something"
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
