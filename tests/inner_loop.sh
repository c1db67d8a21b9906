#!/usr/bin/env bash
# A loop that a lesson prints, a line an instruction, is what the compiler made: the same instructions in this order.
#   inner_loop.sh LISTING NAME OBJECT FUNCTION (a regular expression, template arguments included)
set -u
readelf -p .comment "$3" | grep -q 'GCC: .* 12\.' || { echo "the page prints what g++ 12 makes" && exit 77; }
printed=$(sed -n "/^# \[$2\]\$/,/^# \[\/$2\]\$/{/^#/d;s/ .*//;p}" "$1" | xargs)
compiled=$("${OBJDUMP:-objdump}" -d --no-show-raw-insn --demangle "$3" | sed -n "/::$4(.*>:\$/,/^\$/p" | cut -sf 2 | sed 's/ .*//' | xargs)
if [ -z "$printed" ] || [[ " $compiled " != *" $printed "* ]]; then
  echo "$1 prints for $4: '$printed'; that is not in what was compiled: '$compiled'"
  exit 1
fi
