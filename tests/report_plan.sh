#!/usr/bin/env bash
# What each step is run with on four cores, quick, by default and in full: as plan.txt says; and each variant that
# ladder.txt names is there. After a change that is meant, `report_plan.sh BUILD` goes to plan.txt.
#   report_plan.sh BUILD [GOLDEN]
set -u
unset TYPES SIZES TILES TILE_SIZE GPU_SIZES GPU_TILE_SIZE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STEPS FILL BUDGET THREADS RANKS QUICK FULL REPEAT MACHINE_OPTIONS LIBRARY_OPTIONS
here=$(cd "$(dirname "$0")" && pwd)
plan() { make --no-print-directory -C "$here/.." -f Makefile.report plan BUILD="$build" OUT=report cores=4 "$@" | sed "s|$build/||"; }
build=$1
plans() {
  echo "# QUICK=1"
  plan QUICK=1
  echo "# by default"
  plan
  echo "# FULL=1"
  plan FULL=1
}
if [ $# -gt 1 ]; then
  for program in 01_naive-O0 10_openacc; do
    grep -q "^$program " "$build/programs.txt" || { echo "built without $program"; exit 77; }
  done
  while read -r program words; do
    path=$(sed -n "s/^$program \([^ ]*\) .*/\1/p" "$build/programs.txt")
    for word in $words; do
      [ -z "$path" ] || [ "$word" = tiles ] || "$build/$path" --list | grep -q "^  $word " || { echo "ladder.txt: $program has no $word" && exit 1; }
    done
  done < <(grep -v "^#" "$here/../tools/ladder.txt") || exit 1
  plans | diff "$2" - && echo "as planned"
else
  plans
fi
