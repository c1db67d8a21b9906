#!/usr/bin/env bash
# A failing step, one that dies and one whose kernel is wrong, loses no other step's rows, and makes the command fail at
# the end, named; the page is made.
#   report_failing_step.sh BUILD
set -u
export MACHINE_OPTIONS="--variant topology" # the rest of 00 takes its time
unset TILES TILE_SIZE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STEPS FILL BUDGET THREADS RANKS QUICK REPEAT # `make test STEPS=…`
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$0")/.." || exit 1
mkdir -p "$folder/build/00_dies"
cp -r "$1/01_naive" "$folder/build/"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$folder/build/00_dies/00_dies"
chmod +x "$folder/build/00_dies/00_dies"
mkdir -p "$folder/build/02_wrong"
# shellcheck disable=SC2016 # the inner shell's own
printf '#!/bin/sh\nexec "$(dirname "$0")/../01_naive/01_naive" "$@" --variant last_row_lost\n' >"$folder/build/02_wrong/02_wrong"
chmod +x "$folder/build/02_wrong/02_wrong"
{
  echo "# program path features"
  echo "00_dies 00_dies/00_dies"
  echo "01_naive 01_naive/01_naive"
  echo "02_wrong 02_wrong/02_wrong"
} >"$folder/build/programs.txt"
make --no-print-directory -f Makefile.report rows page BUILD="$folder/build" OUT="$folder/report" SIZES="24 32" TYPES=f32 \
  >"$folder/log" 2>&1
status=$?
cat "$folder/log"
[ $status -ne 0 ] || { echo "the report passed"; exit 1; }
grep -q "^00_dies ended with 139" "$folder/log" || { echo "the failing step is not named"; exit 1; }
grep -q "^02_wrong ended with 1$" "$folder/log" || { echo "the step with a wrong kernel is not named"; exit 1; }
[ "$(wc -l <"$folder/report/results.csv")" -eq 9 ] || { echo "rows were lost"; exit 1; }
[ "$(grep -c ',last_row_lost,.*,wrong,' "$folder/report/results.csv")" -eq 2 ] || { echo "the wrong rows are not in the CSV"; exit 1; }
if command -v gnuplot >/dev/null; then
  for step in 00_dies last_row_lost; do
    grep -q $step "$folder/report/index.html" || { echo "the page does not name $step"; exit 1; }
  done
fi
