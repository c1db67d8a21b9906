#!/usr/bin/env bash
# What each step is run with, quick and in full, on four cores: as plan.txt says. After a change that is meant, the
# two halves of `report_plan.sh BUILD` go there.
#   report_plan.sh BUILD [GOLDEN]
set -u
unset TYPES SIZES TILES TILE_SIZE GPU_SIZES GPU_TILE_SIZE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STEPS FILL BUDGET THREADS RANKS QUICK REPEAT MACHINE_OPTIONS LIBRARY_OPTIONS
here=$(cd "$(dirname "$0")" && pwd)
plan() { make --no-print-directory -C "$here/.." -f Makefile.report plan BUILD="$build" OUT=report cores=4 "$@" | sed "s|$build/||"; }
build=$1
plans() {
  echo "# QUICK=1"
  plan QUICK=1
  echo "# in full"
  plan
}
if [ $# -gt 1 ]; then
  for program in 01_naive-O0 10_openacc; do
    grep -q "^$program " "$build/programs.txt" || { echo "built without $program"; exit 77; }
  done
  plans | diff "$2" - && echo "as planned"
else
  plans
fi
