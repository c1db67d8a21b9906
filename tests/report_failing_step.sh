#!/usr/bin/env bash
# A failing step, one that dies and one whose kernel is wrong, loses no other step's rows, and makes the command fail at
# the end, named; the page is made. So it is where the baseline itself is wrong, and nothing else was asked for.
#   report_failing_step.sh BUILD
set -u
export MACHINE_OPTIONS="--variant topology" LIBRARY_OPTIONS="--rival mkl" # the rest of 00, and the libraries, take their time
unset TILES TILE_SIZE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STEPS FILL BUDGET THREADS RANKS QUICK FULL REPEAT # `make test STEPS=…`
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
# The page wants gnuplot for its charts and jinja2.
drawn() { command -v gnuplot >/dev/null && { python3 -c 'import jinja2' || /usr/bin/python3 -c 'import jinja2'; } 2>/dev/null; }
names() { # names PAGE WORD…: what the box at its top names
  ! drawn && return
  page=$(sed -n '/role="alert"/,/^<.div>/p' "$1") && shift
  for word; do case $page in *"$word"*) ;; *) echo "the page does not name $word"; exit 1 ;; esac; done
}
names "$folder/report/index.html" "00_dies ended with 139" "02_wrong ended with 1" last_row_lost

# As a student leaves 01: checked is right and ijk, whose last row is lost, is not.
real=$folder/build/01_naive/real
mv "$folder/build/01_naive/01_naive" "$real"
cat >"$folder/build/01_naive/01_naive" <<EOF
#!/bin/sh
"$real" "\$@" --variant checked >/dev/null || exit
"$real" "\$@" --variant last_row_lost
status=\$?
sed -i 's/,last_row_lost,/,ijk,/' "$folder/student/results.csv"
exit \$status
EOF
chmod +x "$folder/build/01_naive/01_naive"
make --no-print-directory -f Makefile.report rows page BUILD="$folder/build" OUT="$folder/student" QUICK=1 SIZES="24 32" \
  STEPS=01_naive >"$folder/log" 2>&1
status=$?
cat "$folder/log"
[ $status -ne 0 ] || { echo "the report with a wrong ijk passed"; exit 1; }
grep -q "^01_naive ended with 1$" "$folder/log" || { echo "the step with the wrong ijk is not named"; exit 1; }
names "$folder/student/index.html" "01_naive ended with 1" "01_naive ijk f32 24×24×24"
