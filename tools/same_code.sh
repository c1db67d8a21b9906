#!/usr/bin/env bash
# Whether the kernels are the same machine code in two builds, object by object; 1 if one differs or is missing.
#   same_code.sh BUILD OTHER_BUILD
set -u
code() { objdump -d --no-show-raw-insn "$1" | tail -n +4; } # without the file's name
status=0 count=0
while read -r object; do
  count=$((count + 1))
  if [ ! -e "$2/$object" ]; then
    echo "missing: $object" && status=1
  elif cmp -s <(code "$1/$object") <(code "$2/$object"); then
    echo "same: $object"
  else
    echo "DIFFERS: $object" && status=1
  fi
done < <(cd "$1" && find . -path './versus' -prune -o -path '*-kernels.dir/gemm*.o' ! -path '*guarded*' -print | sort)
[ $count -gt 0 ] || { echo "no kernels in $1" >&2; exit 2; }
exit $status
