#!/usr/bin/env bash
# Objects compiled for one level or instruction set hold nothing but kernels, each in one object of a program, and no
# program is linked with fast-math. A shared template in such an object may be the copy the whole program gets: one that
# accepts NaN, or dies on an older processor. -O0 is let off: it emits std::vector's accessors, which are slow there but
# not different.
#   objects.sh BUILD
set -u
course=$(cd "$(dirname "$0")/.." && pwd)
cd "$1" || exit 1
status=0
checked=0
defined=
spaces=$(sed -n 's/^namespace \([a-z0-9_]*\) {$/\1/p' "$course"/[0-9]*/gemm*.[ch]pp | sort -u | paste -sd'|')
kernel="($spaces)::[a-z0-9_]+<(avx2::TileShape\{[0-9, ]+\}, )?(float|double|int)>\\("
visible() { "${NM:-nm}" --defined-only --extern-only "$@" | awk '$2 ~ /[TWVuBDR]/'; } # to the linker
for object in [0-9]*/CMakeFiles/*-kernels.dir/gemm*.o; do
  case $object in *-O0-kernels*) continue ;; esac
  checked=$((checked + 1))
  # Not one of the step's own: less the namespaces of steps, and their static variables, which clang shows.
  foreign=$(visible --demangle "$object" | grep -vE " (void|bool) $kernel| (guard variable for )?$kernel.*\)::[a-z_]+$" || true)
  [ -z "$foreign" ] || { printf '%s holds more than kernels:\n%s\n' "$object" "$foreign"; status=1; }
  program=${object%/*} # 05's tiles are of one program, in objects of their own
  [[ ! $program =~ ^05_ || $program =~ guarded|without ]] || program=05_avx2
  defined+=$(visible "$object" | sed "s|.* |$program |")$'\n'
done
defined=$(sort <<< "$defined" | c++filt)
[ -z "$(uniq -d <<< "$defined")" ] || { printf 'two objects define, and the linker keeps one:\n'; uniq -d <<< "$defined"; status=1; }
# Each vector set's object of 00 shows one table; its functions are its own.
for object in 00_machine/CMakeFiles/00_machine-*-kernels.dir/kernels/peak.cpp.o; do
  checked=$((checked + 1))
  set=${object#*00_machine-} set=${set%%-kernels*}
  foreign=$("${NM:-nm}" --demangle --defined-only --extern-only "$object" | grep -vE " [DR] machine_${set}::kernels$" || true)
  [ -z "$foreign" ] || { printf '%s holds more than kernels:\n%s\n' "$object" "$foreign"; status=1; }
done
for program in [0-9]*/[0-9]*; do
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
  if "${NM:-nm}" "$program" | grep -q set_fast_math; then
    echo "$program is linked with fast-math: denormals are flushed in all of it"
    status=1
  fi
done
[ $checked -ge 10 ] || { echo "only $checked objects were found"; status=1; }
exit $status
