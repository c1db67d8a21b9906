#!/usr/bin/env bash
# What lessons say of machine code is what the compiler made.
#   machine_code.sh loop LISTING NAME OBJECT FUNCTION    a loop that a lesson prints, a line an instruction: the same instructions
#       in this order. FUNCTION is a regular expression, template arguments included.
#   machine_code.sh order OBJECT-OF-O3 OBJECT-OF-OFAST   what 01's cost.hpp counts as chains: -O3 makes four products at once and
#       adds them in order, -Ofast adds vectors; rows_of_rows, which stores each sum, does neither.
set -u
status=0
code_of() { "${OBJDUMP:-objdump}" -d --no-show-raw-insn --demangle "$1" | sed -n "/::$2(.*>:\$/,/^\$/p" | cut -sf 2 | sed 's/ .*//' | xargs; }
has() { # OBJECT FUNCTION yes|no INSTRUCTION…
  local code
  code=$(code_of "$1" "$2<float>")
  [ -n "$code" ] || { echo "$1: no $2<float>"; status=1; return; }
  for instruction in "${@:4}"; do
    found=no
    [[ " $code " == *" $instruction "* ]] && found=yes
    [ $found = "$3" ] || { echo "$1: $2<float> has $instruction: $found"; status=1; }
  done
}
case $1 in
loop)
  readelf -p .comment "$4" | grep -q 'GCC: .* 12\.' || { echo "the page prints what g++ 12 makes" && exit 77; }
  printed=$(sed -n "/^# \[$3\]\$/,/^# \[\/$3\]\$/{/^#/d;s/ .*//;p}" "$2" | xargs)
  compiled=$(code_of "$4" "$5")
  if [ -z "$printed" ] || [[ " $compiled " != *" $printed "* ]]; then
    echo "$2 prints for $5: '$printed'; that is not in what was compiled: '$compiled'"
    status=1
  fi
  ;;
order)
  has "$2" ijk yes mulps addss
  has "$2" ijk no addps
  has "$3" ijk yes mulps addps
  for object in "$2" "$3"; do
    has "$object" rows_of_rows yes mulss addss
    has "$object" rows_of_rows no mulps addps
  done
  ;;
esac
exit $status
