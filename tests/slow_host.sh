#!/usr/bin/env bash
# By hand, on a quiet machine (two minutes): how a host that is 1.7 times slower for 20 of every 40 seconds changes the ratios of
# a report's rows at 1008, measured in turns and apart, against a calm run; and how another calm one does: slow_host.sh BUILD
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d) now=$(date +%s) windows=""
trap 'rm -rf "$folder"' EXIT
for at in $(seq 10 40 2000); do windows+=" $((now + at)) $((now + at + 20))"; done
for way in calm again turns apart; do
  mkdir "$folder/$way"
  make --no-print-directory -f Makefile.report plan BUILD="$1" OUT="$folder/$way" SIZES=1008 | grep -- --in-turns >"$folder/plan"
  [ $way != apart ] || sed -i 's/ --in-turns//' "$folder/plan"
  export COURSE_SLOW_HOST="$windows" OMP_PROC_BIND=true GOMP_SPINCOUNT=10000
  case $way in calm | again) export COURSE_SLOW_HOST="" ;; esac
  LD_PRELOAD=$(realpath "$1")/tests/libslow_host.so bash "$folder/plan" >"$folder/log" 2>&1 || tail -1 "$folder/log"
done
python3 - "$folder" <<'END'
import csv, statistics, sys
def read(way):
    rows = csv.DictReader(open(f"{sys.argv[1]}/{way}/results.csv"))
    return {tuple(row[name] for name in "step ranks variant threads tile".split()): row for row in rows}
def ratio(rows, *pair):
    turns = [rows[at]["turns_s"].split() or [rows[at]["median_s"]] for at in pair]
    return statistics.median(float(a) / float(b) for a, b in zip(*turns))
calm, *others = map(read, ("calm", "again", "turns", "apart"))
told = [at for at in calm if all(rows[at]["turns_s"].count(" ") > 1 for rows in (calm, others[0]))]
pairs = [(at, next(first for first in told if first[:2] == at[:2])) for at in told]
for way, rows in zip(("calm again", "in turns", "apart"), others):
    off = [abs(ratio(rows, *pair) / ratio(calm, *pair) - 1) for pair in pairs]
    print(f"{way}: ratios are off by {100 * statistics.median(off):.1f} %, at most {100 * max(off):.0f} %, {sum(of > 0.05 for of in off)} of {len(off)} by over 5 %")
END
