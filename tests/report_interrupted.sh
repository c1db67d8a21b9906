#!/usr/bin/env bash
# kill -9 in the middle of a report, then the report again: no row lost, none twice, but what was disturbed.
#   report_interrupted.sh BUILD
set -u
export MACHINE_OPTIONS="--variant topology" LIBRARY_OPTIONS="--rival mkl" # the rest of 00, and the libraries, take their time
unset TILES TILE_SIZE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STEPS FILL BUDGET THREADS RANKS QUICK FULL REPEAT # `make test STEPS=…`
export OMP_PROC_BIND=false OMP_WAIT_POLICY=passive # other tests need cores, too
build=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$(dirname "$0")/.." || exit 1
rows() { make --no-print-directory -f Makefile.report rows BUILD="$build" OUT="$out" SIZES="40 50" TILE_SIZE=50 TILES="8 64" TYPES="f32 i32" REPEAT=3 THREADS="1 2" RANKS="1 2"; }
count() { if [ -e "$out/results.csv" ]; then wc -l <"$out/results.csv"; else echo 0; fi; }

# No pace is too slow for this machine: quiet is whatever has its processors.
slow() { printf 'name,type,vector,threads,level,value,unit,note\npace,,,1,,1e-6,Gop/s,\n'; }
slow >"$out/machine.csv"

for stop_after in 5 30; do
  setsid bash -c "$(declare -f rows); build='$build' out='$out'; rows" >/dev/null 2>&1 &
  report=$!
  for _ in $(seq 2000); do
    [ "$(count)" -gt $stop_after ] && break
    sleep 0.005
  done
  kill -9 -- "-$report" 2>/dev/null
  wait "$report" 2>/dev/null
  cp "$out/results.csv" "$out/killed.csv"
  echo "killed at $(count) lines"
done
printf 'torn,by,a,crash' >>"$out/results.csv" # what a crash of the machine may leave

rows >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
killed=$(wc -l <"$out/killed.csv")
head -n "$killed" "$out/results.csv" | cmp - "$out/killed.csv" || { echo "rows of the killed report were lost"; exit 1; }
# A fresh report says how many rows there must be.
whole=$(mktemp -d)
mv "$out/results.csv" "$whole/resumed.csv"
rows >"$out/log" 2>&1 || exit 1
keys() { awk -F, 'NR == 1 { columns = NF } NR > 1 && NF == columns' "$1" | cut -d, -f1-13,40 | sort -u; }
twice() { awk -F, 'NR > 1 {key = $1; for (f = 2; f <= 13; ++f) key = key FS $f; key = key FS $40; if (key in quiet) print; if ($39 == "yes") quiet[key]}' "$1"; }
keys "$whole/resumed.csv" >"$whole/a"
keys "$out/results.csv" >"$whole/b"
[ "$killed" -lt "$(wc -l <"$whole/resumed.csv")" ] || { echo "the kill came too late to show anything"; exit 1; }
echo "resumed: $(wc -l <"$whole/a") rows; in one go: $(wc -l <"$whole/b")"
[ "$(wc -l <"$whole/b")" -gt 50 ] && [ -z "$(twice "$whole/resumed.csv")" ] && cmp "$whole/a" "$whole/b"
status=$?
rm -rf "$whole"
exit $status
