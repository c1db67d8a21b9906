#!/usr/bin/env bash
# 00_machine: what it writes, what it refuses, and what its loops were compiled to. No time is looked at.
#   machine.sh CHECK PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2
quick="--budget 0.002" file=machine.csv
every=sse2 # the vector set that all processors of this kind have
! grep -q machine_neon "$program" || every=neon
# shellcheck source=/dev/null
. "$(dirname "$0")/../program.sh"
is_sheet() { # all lines have 8 cells, all values are above 0
  awk -F, 'NF != 8 || (NR > 1 && !($6 > 0)) {print; bad = 1} END {exit bad}' "$1" || fail "not rows of findings: $1"
}

case $check in
rows)
  runs 0 --csv machine.csv --variant topology,latency,chains,cycle,pace,peak # the others take gigabytes
  is_sheet machine.csv
  cpus=$(nproc)
  has "^processor,,,,,$cpus,threads,.+"
  l1=$(getconf LEVEL1_DCACHE_SIZE 2>/dev/null || echo 0)
  [ "${l1:-0}" -eq 0 ] || has "^cache,,,,L1,$l1,B,"
  sets=$every
  [ "$every" = neon ] || {
    grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && sets="$sets avx2"
    grep -qw avx512f /proc/cpuinfo && sets="$sets avx512"
  }
  for set in $sets; do
    for threads in 1 "$cpus"; do for type in f32 f64 i32; do has "^peak,$type,$set,$threads,,.*,GFLOP/s,.* chains"; done; done
    has "^cycle,f32,$set,1,(12|24),.*,FLOP,.* GHz in that one"
  done
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
  refuses "--variant: 'peek' is unknown; this program has topology" --variant peek
  refuses "--size" --size 64
  ;;
gpu)
  # Where CUDA sees no GPU a line says so, and the other parts go on.
  CUDA_VISIBLE_DEVICES='' runs 77 --variant gpu --csv machine.csv
  [ ! -s out ] && [ ! -e machine.csv ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '^00_machine: gpu skipped: [nb]' err ||
    fail "not one line that says why: $(cat out err)"
  CUDA_VISIBLE_DEVICES='' runs 0 --variant topology,gpu --csv machine.csv
  has '^cores,,,,,[0-9]+,cores,'
  # Where there is one: what must hold of any.
  "$program" --list | grep -q '^  gpu .*; not here: ' && exit $((failures > 0))
  quick="--budget 0.1" file=gpu.csv
  runs 0 --variant gpu --csv gpu.csv
  is_sheet gpu.csv
  # What is not there is left out and said.
  capability=$(sed -nE 's/^gpu,.*compute capability ([0-9.]+);.*/\1/p' gpu.csv)
  [ "$capability" = 9.0 ] || grep -q '^00_machine: .* left out: ' err || fail "no wgmma, and no line that says so: $(cat err)"
  ;;
loops)
  # One instruction (sse2: two) a chain, and all chains in registers.
  code_of() { # OBJECT FUNCTION
    "${OBJDUMP:-objdump}" -d --no-show-raw-insn --demangle "$(dirname "$program")/CMakeFiles/00_machine-$1.cpp.o" | sed -n "/::$2(.*>:\$/,/^\$/p"
  }
  # loop SET FUNCTION COUNT INSTRUCTION…: each occurs COUNT times, no other arithmetic does, and nothing is on the stack.
  loop() {
    local code found
    code=$(code_of "$1-kernels.dir/kernels/peak" "multiply_add<$2>")
    for instruction in "${@:4}"; do
      found=$(grep -cE "[[:space:]]${instruction}[[:space:]]" <<<"$code")
      [ "$found" -eq "$3" ] || fail "$1 $2: $found times $instruction, not $3"
    done
    found=$(grep -cE "[[:space:]](v?p?(fn?m|mul|add|sub)[a-z0-9]* +.*[xyz]mm|f?(mul|mla|madd|add|sub|mov)[[:space:]]+[vsd][0-9])" <<<"$code")
    [ "$found" -eq $(($3 * ($# - 3))) ] || fail "$1 $2: $found arithmetic instructions"
    ! grep -qE '%[er]sp|[[:space:]]q.*\[sp' <<<"$code" || fail "$1 $2: a chain is on the stack"
  }
  if [ $every = neon ]; then
    for type in float double; do loop neon "$type, 16, 24" 24 fmla; done
  else
    for type in float double; do
      letter=$([ $type = float ] && echo s || echo d) # of single or double precision
      loop sse2 "$type, 16, 12" 12 "mulp$letter" "addp$letter"
      loop avx2 "$type, 32, 12" 12 "vfmadd[0-9]+p$letter"
      loop avx512 "$type, 64, 24" 24 "vfmadd[0-9]+p$letter"
    done
    loop avx2 "unsigned int, 32, 12" 12 vpmulld vpaddd
    loop avx512 "unsigned int, 64, 24" 24 vpmulld vpaddd
  fi
  # Exercise 4: nothing is left of a loop whose sums nobody reads, and of twelve equal ones a single chain.
  multiplies() { code_of exercises.dir/exercises/exercises "$1" | grep -cE '[[:space:]](mul[sp]s |f(mul|madd|mla)[[:space:]]+[sv])'; }
  [ "$(multiplies peak) $(multiplies peak_printed)" = "0 1" ] || fail "exercise 4: $(multiplies peak), $(multiplies peak_printed) chains"
  ;;
esac
exit $((failures > 0))
