#!/usr/bin/env bash
# What cost.hpp counts as chains is in the machine code: -O3 makes four products at once and adds them in order, -Ofast
# adds vectors; rows_of_rows, which stores each sum, does neither.
#   order_test.sh OBJECT-OF-O3 OBJECT-OF-OFAST
set -u
status=0
has() { # OBJECT FUNCTION yes|no INSTRUCTION…
  local code
  code=$(objdump -d --no-show-raw-insn --demangle "$1" | sed -n "/<void naive::$2<float>(/,/^\$/p")
  [ -n "$code" ] || { echo "$1: no $2<float>"; status=1; return; }
  for instruction in "${@:4}"; do
    found=no
    grep -qE "[[:space:]]$instruction " <<<"$code" && found=yes
    [ $found = "$3" ] || { echo "$1: $2<float> has $instruction: $found"; status=1; }
  done
}
has "$1" ijk yes mulps addss
has "$1" ijk no addps
has "$2" ijk yes mulps addps
for object in "$@"; do
  has "$object" rows_of_rows yes mulss addss
  has "$object" rows_of_rows no mulps addps
done
exit $status
