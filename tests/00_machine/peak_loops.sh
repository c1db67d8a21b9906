#!/usr/bin/env bash
# What the peak loops were compiled to: one instruction (sse2: two) a chain, and all chains in registers.
#   peak_loops.sh BUILD
set -u
cd "$1" || exit 1
status=0
# loop SET FUNCTION COUNT INSTRUCTION…: each occurs COUNT times (a single chain may be unrolled: gcc 13 does), no other arithmetic does, and nothing is on the stack.
loop() {
  local set=$1 function=$2 count=$3 code found
  shift 3
  code=$("${OBJDUMP:-objdump}" -d --no-show-raw-insn --demangle "00_machine/CMakeFiles/00_machine-$set-kernels.dir/kernels/peak_$set.cpp.o" |
    sed -n "/::$function(.*>:\$/,/^\$/p")
  for instruction in "$@"; do
    found=$(grep -cE "[[:space:]]${instruction}[[:space:]]" <<<"$code")
    if [ "$count" -gt 1 ] || [ "$found" -eq 0 ]; then
      [ "$found" -eq "$count" ] || { echo "$set $function: $found times $instruction, not $count"; status=1; }
    fi
  done
  found=$(grep -cE "[[:space:]](v?p?(fn?m|mul|add|sub)[a-z0-9]* +.*[xyz]mm|f?(mul|mla|madd|add|sub|mov)[[:space:]]+[vsd][0-9])" <<<"$code")
  [ "$found" -eq $((count * $#)) ] || [ "$count" = 1 ] || { echo "$set $function: $found arithmetic instructions"; status=1; }
  if grep -qE '%[er]sp|[[:space:]]q.*\[sp' <<<"$code"; then echo "$set $function: a chain is on the stack"; status=1; fi
}
if [ -e 00_machine/CMakeFiles/00_machine-neon-kernels.dir ]; then
  for type in f32 f64; do loop neon peak_$type 24 fmla && loop neon fma_$type 1 fmla; done
  loop neon peak_i32 24 mla
else
  loop sse2 peak_f32 12 mulps addps
  loop sse2 peak_f64 12 mulpd addpd
  loop avx2 peak_f32 12 'vfmadd[0-9]+ps'
  loop avx2 peak_f64 12 'vfmadd[0-9]+pd'
  loop avx2 peak_i32 12 vpmulld vpaddd
  loop avx2 fma_f32 1 'vfmadd[0-9]+ps'
  loop avx512 peak_f32 24 'vfmadd[0-9]+ps'
  loop avx512 peak_f64 24 'vfmadd[0-9]+pd'
  loop avx512 peak_i32 24 vpmulld vpaddd
  loop avx512 fma_f64 1 'vfmadd[0-9]+pd'
fi

# Exercise 4: nothing is left of a loop whose sums nobody reads, and of twelve equal ones a single chain.
code=$("${OBJDUMP:-objdump}" -d --no-show-raw-insn --demangle 00_machine/CMakeFiles/00_machine-exercises.dir/exercises/exercises.cpp.o)
of() { sed -n "/::exercises::$1(.*>:/,/^\$/p" <<<"$code" | grep -cE '[[:space:]](mul[sp]s |f(mul|madd|mla)[[:space:]]+[sv])'; }
[ "$(of peak)" -eq 0 ] || { echo "exercise 4: the loop nobody reads multiplies"; status=1; }
[ "$(of peak_printed)" -eq 1 ] || { echo "exercise 4: $(of peak_printed) chains, not 1"; status=1; }
exit $status
