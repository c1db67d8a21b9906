#!/usr/bin/env bash
# Every program on processors that are not here: what they lack is left out by name, and nothing dies of it.
#   emulated.sh MODEL BUILD     MODEL: Nehalem, which ends at SSE4.2; Haswell, which ends at AVX2
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
model=$1
build=$(cd "$2" && pwd) || exit 1
program=qemu-x86_64 quick="-cpu $model" file=rows.csv
command -v $program >/dev/null || { echo "no $program here"; exit 77; }
case $model in
Nehalem) sets=sse2 lacks='AVX|AVX2|FMA|BMI|BMI2|AVX512[A-Z]+' ;;
Haswell) sets="sse2 avx2" lacks='AVX512[A-Z]+' ;;
esac
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"
if $program -cpu "$model" "$build/01_naive/01_naive" --list 2>&1 | grep -q 'support requested feature.*avx'; then
  echo "this qemu cannot emulate a $model: $($program --version | head -1)"
  exit 77
fi

# emulated STATUS PATH ARGUMENT…: its rows go to rows.csv; err without qemu's own lines; a death by signal is another status.
emulated() {
  rm -f $file
  runs "$1" "$build/$2" --csv $file "${@:3}"
  sed -i '/^qemu-x86_64: warning: /d' err
}
# right PATTERN: the variants of this name have rows of all types; no row at all is anything but right.
right() {
  awk -F, -v pattern="$1" 'NR == 1 {for (f = 1; f <= NF; ++f) at[$f] = f; next}
    $at["verdict"] != "right" {print; bad = 1}
    $at["variant"] ~ pattern && !seen[$at["type"]]++ {++types}
    END {exit bad || types != 3}' $file || fail "$name: not all of f32, f64 and i32, or not all right: $(cat $file)"
}
# says COUNT PATTERN: this many lines of stderr are so, and none is another.
says() {
  [ "$(grep -cE "^$name: $2\$" err)" -eq "$1" ] && [ "$(wc -l <err)" -eq "$1" ] || fail "$name: not $1 lines like '$2': $(cat err)"
}
silent() { [ ! -s out ] && ! tail -n +2 $file 2>/dev/null | grep . || fail "$name: it printed or wrote rows: $(cat out)"; }

tiny=(--size 20 --repeat 1 --warmup 0 --verify full)
lack_512='this processor lacks avx512f,avx512dq,avx512bw,avx512vl'
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
native=0 # what becomes of programs that were compiled for the processor that is here
"$compiler" -march=native -dM -E -x c++ /dev/null | grep -qE "#define __($lacks)__ 1" && native=77

while read -r name path; do
  case $name in
  00_machine)
    emulated 0 "$path" --variant topology,latency,peak --threads 1 --budget 0.002
    found=$(awk -F, 'NR > 1 && $3 != "" {print $1, $3}' $file | sort -u)
    for row in vector peak; do
      [ "$(sed -n "s/^$row //p" <<<"$found" | sort)" = "$(tr ' ' '\n' <<<"$sets" | sort)" ] || fail "$row: of other vector sets than $sets: $found"
    done
    ! grep '^latency ' <<<"$found" | grep -vwE "${sets// /|}" || fail "latency: $found"
    ;;
  05_avx2 | 06_mpi) # of 06 a single rank, without mpirun
    if [ "$model" = Haswell ]; then
      emulated 0 "$path" "${tiny[@]}"
      right "$([ "$name" = 05_avx2 ] && echo '^tuned$' || echo .)"
      ! grep -qE ',[a-z_]*512' $file || fail "$name: rows of avx512 on a $model"
      [ "$name" = 06_mpi ] && says 0 . || says 5 "(avx512(_threads)?|[a-z_]+_512) skipped: $lack_512"
    else
      emulated 77 "$path" "${tiny[@]}"
      silent
      says "$([ "$name" = 05_avx2 ] && echo 12 || echo 8)" '[a-z0-9_]+ skipped: this processor lacks avx2,fma(,avx512[a-z]+)*'
    fi
    ;;
  *)
    wanted=0
    [[ $name != *-native ]] || wanted=$native
    emulated $wanted "$path" "${tiny[@]}"
    if [ $wanted -eq 0 ]; then
      right .
      says 0 .
    else
      silent
      says 1 'skipped: built for [a-z0-9,]*(avx|fma|bmi)[a-z0-9,]*, which this processor lacks'
    fi
    ;;
  esac
done <"$build/programs.txt"
exit $((failures > 0))
