#!/usr/bin/env bash
# A failing step loses no other step's rows, and makes the command fail at the end, named.
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
{
  echo "# program path features"
  echo "00_dies 00_dies/00_dies"
  echo "01_naive 01_naive/01_naive"
} >"$folder/build/programs.txt"
make --no-print-directory -f Makefile.report rows page BUILD="$folder/build" OUT="$folder/report" SIZES="24 32" TYPES=f32 \
  >"$folder/log" 2>&1
status=$?
cat "$folder/log"
[ $status -ne 0 ] || { echo "the report passed"; exit 1; }
grep -q "^00_dies ended with 139" "$folder/log" || { echo "the failing step is not named"; exit 1; }
[ "$(wc -l <"$folder/report/results.csv")" -eq 7 ] || { echo "rows were lost"; exit 1; }
if command -v gnuplot >/dev/null; then
  grep -q 00_dies "$folder/report/index.html" || { echo "the page does not name the failing step"; exit 1; }
fi
