#!/usr/bin/env bash
# By hand, on a quiet machine (five minutes): how a host that is 1.7 times slower for 20 of every 40 seconds changes the ratios of
# a report's rows at 1008, measured in turns and one after the other, each against a calm run: slow_host.sh BUILD
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d) now=$(date +%s) windows=""
trap 'rm -rf "$folder"' EXIT
for at in $(seq 10 40 2000); do windows+=" $((now + at)) $((now + at + 20))"; done
for way in calm turns apart; do
  mkdir "$folder/$way"
  make --no-print-directory -f Makefile.report plan BUILD="$1" OUT="$folder/$way" SIZES=1008 | grep -- --in-turns >"$folder/plan"
  [ $way != apart ] || sed -i 's/ --in-turns//' "$folder/plan"
  export COURSE_SLOW_HOST="$windows" OMP_PROC_BIND=true GOMP_SPINCOUNT=10000
  [ $way != calm ] || export COURSE_SLOW_HOST=""
  LD_PRELOAD=$(realpath "$1")/tests/libslow_host.so bash "$folder/plan" >"$folder/log" 2>&1 || tail -1 "$folder/log"
done
python3 - "$folder" <<'END'
import csv, statistics, sys
def ratios(way):  # {row: its time over that of the first of its program}
    found, first = {}, {}
    for row in csv.DictReader(open(f"{sys.argv[1]}/{way}/results.csv")):
        base = first.setdefault((row["step"], row["ranks"]), row)
        pairs = [cell.split() or [one["median_s"]] for one in (row, base) for cell in [one["turns_s"]]]
        of = statistics.median(float(a) / float(b) for a, b in zip(*pairs))
        found[tuple(row[name] for name in "step variant threads ranks tile".split())] = of
    return found
calm = ratios("calm")
for way in "turns", "apart":
    off = [max(of / calm[at], calm[at] / of) for at, of in ratios(way).items() if at in calm]
    print(f"{way}: at most {max(off):.2f} times the calm ratio, {sum(of > 1.05 for of in off)} of {len(off)} over 1.05")
END
