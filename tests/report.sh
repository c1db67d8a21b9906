#!/usr/bin/env bash
# What Makefile.report does.
#   report.sh variables|recipes|plan|interrupted BUILD [GOLDEN]
# variables: what would break a command line is refused before anything runs, in one line that names it.
# recipes: what each command calls, in a folder where every program only says what it was called with.
# plan: what each step is run with on four cores; each variant that ladder.txt names is there. After a change that is meant,
#   `report.sh plan BUILD` goes to plan.txt.
# interrupted: kill -9 in the middle of a report, then the report again: no row lost, none twice, but what was disturbed.
# shellcheck disable=SC2015,SC2016 # fail() after && and || is meant for either; what $ is for another shell
set -u
check=$1 build=${2-}
unset TYPES SIZES TILES TILE_SIZE GPU_SIZES GPU_TILE_SIZE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STEPS FILL BUDGET THREADS RANKS QUICK FULL REPEAT OUT MACHINE_OPTIONS LIBRARY_OPTIONS
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$here/.." || exit 1
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
report() { make --no-print-directory -f Makefile.report "$@"; }

variables() {
  refuses() { # MESSAGE VARIABLE=VALUE
    said=$(report -n rows "$2" 2>&1)
    [ $? -eq 2 ] && [ "$(wc -l <<<"$said")" -eq 1 ] && [[ $said == *"*** $1"* ]] || fail "$2: $said"
  }
  refuses "OUT: 'a b' has a blank in it" "OUT=a b"
  for character in "'" '"' '`' '$' ';' '&' '|' '<' '>' '(' ')' '*' '?' '[' ']' "\\" '#'; do
    refuses "REV: 'a${character}b' has a $character in it; give letters, digits, . _ / and -" "REV=a${character/\$/\$\$}b"
  done
  for name in OUT BUILD MACHINE FILL REPEAT BUDGET TILE_SIZE GPU_TILE_SIZE SIZES TYPES STEPS THREADS RANKS TILES GPU_SIZES; do
    refuses "$name: '~/a' has a ~ in it" "$name=~/a"
  done
  for name in QUICK FULL; do refuses "$name: 'yes' is unknown; give $name=1, or nothing" "$name=yes"; done
  for given in QUICK=1 QUICK=0 QUICK= FULL=1 "SIZES=16 17" OUT=/tmp/a-b_c.d REV=HEAD~1^2; do
    report -n rows "$given" >/dev/null || fail "$given is refused"
  done
  # A python3 that has jinja2 is taken; one that has not is passed over, where the system's has it, or else is all there is.
  printf '#!/bin/sh\necho no jinja2 >&2\nexit "$(cat "%s/has_none")"\n' "$folder" >"$folder/python3"
  chmod +x "$folder/python3"
  takes() { # PYTHON HAS_NONE
    echo "$2" >"$folder/has_none"
    said=$(env -u PYTHON PATH="$folder:$PATH" make --no-print-directory -f Makefile.report -n page 2>&1)
    grep -q "^$1 tools/report.py page " <<<"$said" && ! grep -q "no jinja2" <<<"$said" || fail "$1 is not taken: $said"
  }
  takes python3 0
  if /usr/bin/python3 -c 'import jinja2' 2>/dev/null; then takes /usr/bin/python3 1; else takes python3 1; fi
}

recipes() {
  set -f # an argument with a * is a pattern, not files
  cd "$folder" && mkdir -p bin tools report 09_cuda_regtile/search build/{01_naive,02_loop_order,rivals,09_cuda_regtile}
  cp "$here/../Makefile.report" .
  cat >bin/fake <<'EOF' # it ends as FAILS says: "PATTERN=STATUS"
#!/bin/sh
line="${0#"$FOLDER/"} $*"
case $line in bin/nproc*) echo 4 && exit ;; *"import jinja2") exit ;; *choose.py*) echo chosen ;; *-B*) echo an error ;; esac
echo "$line" >>"$FOLDER/called"
case $line in ${FAILS%=*}) exit "${FAILS##*=}" ;; esac
EOF
  chmod +x bin/fake
  for file in bin/{nproc,cmake,ctest,git,tar,python3} setup.sh build/{rivals/rivals,01_naive/01_naive{,-O0,-O1,-O2},09_cuda_regtile/09_cuda_regtile_search}; do
    ln -s "$folder/bin/fake" "$file"
  done
  calls() { # "make's arguments" FAILS STATUS PATTERN…: the calls in one line, then what was printed, match it; with ! they do not
    rm -f called
    said=$(env -i PATH="$folder/bin:$PATH" FOLDER="$folder" FAILS="$2" sh -c "make --no-print-directory -f Makefile.report $1" 2>&1)
    status=$?
    all="ended with $status: $(tr '\n' ';' 2>/dev/null <called) $said"
    for fact in "ended with $3: " "${@:4}"; do
      if [[ $fact == !* ]]; then [[ $all != *${fact#!}* ]]; else [[ $all == *$fact* ]]; fi || fail "make $1, FAILS=$2: '$fact' is not so of: $all"
    done
  }
  calls "report QUICK=1 TYPES=i32" = 0 "./setup.sh ;"*"--target course_programs"*" --sizes 256 500 512 --types i32 "*"--threads 1 4 "*"py draw "*"py page "*"py ladder "*"The page: "
  calls "report FULL=1 OUT=there FILL=digits" = 0 "--out there --sizes 256 512 1000 1024 --types f32 f64 i32 "*"--threads 1 2 4 8 "*"--fill digits "*" --full"
  calls "" = 0 "make report" "!setup.sh" "!cmake -B"
  calls report "./setup.sh*=1" 2 "!cmake"
  calls report "bin/cmake -B*=1" 2 "an error" "!--build"
  calls report "*run_steps*=2" 2 "run_steps" "!py page results"
  calls "test BUILD=other" = 0 "./setup.sh test"*"cmake -B other"*"--build other --target all"*"ctest --test-dir other"
  calls plan = 0 "run_steps.py build"*" --plan" "!setup" "!cmake"
  calls reference = 2 "MACHINE: which one?" "!python3"
  calls "reference-gpu MACHINE=h200" = 0 "reference.py build h200 --plan plots/reference/plan_gpu.txt"
  calls "published -o build PUBLISHED_SIZES='20 30'" "*-O1*=1" 2 "-O0 "*"--size 20,30 "*"--budget 10 " "!-O2"
  calls "versus -o build REV=v1 RIVALS='--size 512'" "*rivals/rivals*=77" 0 "git archive v1;"*"--target course_blas"*"--variant avx512 "*"--variant tuned "*"libcourse_blas.so --size 512;"
  calls "search -o build SEARCH_SIZES=256" "*choose.py*=1" 2 "--size 256 "*"choose.py"
  [ ! -e 09_cuda_regtile/search/choices.inc ] || fail "make search writes nothing when it fails"
  calls "simulate RANKS_SIMULATED=1,4" = 0 "./setup.sh simulate;"*"--ranks 1,4;"
  echo x | tee report/results.csv >report/failed
  calls "rivals -o build" "*rivals/rivals*=1" 2 "py rivals "*"py page "
  calls "rivals -o build" "*rivals/rivals*=2" 2 "!report.py"
  calls page = 2 "py page "*"--failed report/failed"*"Failed:"
  calls clean = 0 "!report"
  [ ! -e build ] && [ -e report/results.csv ] || fail "make clean"
}

plan() { report plan BUILD="$build" OUT=report cores=4 "$@" | sed "s|$build/||"; }
plans() {
  for size in "" FULL=1; do # what QUICK=1 hands on, recipes sees
    echo "# ${size:-by default}"
    # shellcheck disable=SC2086 # none, or one
    plan $size
  done
}
as_planned() { # GOLDEN
  for program in 01_naive-O0 10_openacc; do
    grep -q "^$program " "$build/programs.txt" || { echo "built without $program"; exit 77; }
  done
  while read -r program words; do
    path=$(sed -n "s/^$program \([^ ]*\) .*/\1/p" "$build/programs.txt")
    for word in $words; do
      [ -z "$path" ] || [ "$word" = tiles ] || "$build/$path" --list | grep -q "^  $word " || fail "ladder.txt: $program has no $word"
    done
  done < <(grep -v "^#" tools/ladder.txt)
  plans | diff "$1" - || fail "not as planned; if it is meant: tests/report.sh plan BUILD >plan.new && mv plan.new tests/plan.txt"
}

interrupted() {
  # The rest of 00, and the libraries, take their time; other tests need cores, too.
  export MACHINE_OPTIONS="--variant topology" LIBRARY_OPTIONS="--rival mkl" OMP_PROC_BIND=false OMP_WAIT_POLICY=passive
  out=$folder/report
  mkdir "$out"
  rows() { report rows BUILD="$build" OUT="$out" SIZES="40 50" TILE_SIZE=50 TILES="8 64" TYPES="f32 i32" REPEAT=3 THREADS="1 2" RANKS="1 2"; }
  lines() { [ -e "$out/results.csv" ] && wc -l <"$out/results.csv" || echo 0; }
  # No pace is too slow for this machine: quiet is whatever has its processors.
  printf 'name,type,vector,threads,level,value,unit,note\npace,,,1,,1e-6,Gop/s,\n' >"$out/machine.csv"
  for stop_after in 5 30; do
    setsid bash -c "$(declare -f report rows); build='$build' out='$out'; rows" >/dev/null 2>&1 &
    running=$!
    for _ in $(seq 2000); do
      [ "$(lines)" -gt $stop_after ] && break
      sleep 0.005
    done
    kill -9 -- "-$running" 2>/dev/null
    wait "$running" 2>/dev/null
    cp "$out/results.csv" "$folder/killed.csv"
    echo "killed at $(lines) lines"
  done
  printf 'torn,by,a,crash' >>"$out/results.csv" # what a crash of the machine may leave
  rows >"$folder/log" 2>&1 || { fail "resumed: $(cat "$folder/log")"; return; }
  killed=$(wc -l <"$folder/killed.csv")
  head -n "$killed" "$out/results.csv" | cmp - "$folder/killed.csv" || fail "rows of the killed report were lost"
  # A fresh report says how many rows there must be.
  mv "$out/results.csv" "$folder/resumed.csv"
  rows >"$folder/log" 2>&1 || fail "afresh: $(cat "$folder/log")"
  keys() { awk -F, 'NR == 1 { columns = NF } NR > 1 && NF == columns' "$1" | cut -d, -f1-13,40 | sort -u; }
  twice() { awk -F, 'NR > 1 {key = $1; for (f = 2; f <= 13; ++f) key = key FS $f; key = key FS $40; if (key in quiet) print; if ($39 == "yes") quiet[key]}' "$1"; }
  [ "$killed" -lt "$(wc -l <"$folder/resumed.csv")" ] || fail "the kill came too late to show anything"
  [ "$(keys "$out/results.csv" | wc -l)" -gt 50 ] || fail "only these: $(keys "$out/results.csv")"
  [ -z "$(twice "$folder/resumed.csv")" ] || fail "twice: $(twice "$folder/resumed.csv")"
  diff <(keys "$folder/resumed.csv") <(keys "$out/results.csv") || fail "other rows than in one go"
}

case $check in
plan) if [ $# -gt 2 ]; then as_planned "$3"; else plans; fi ;;
variables) variables ;;
recipes) recipes ;;
interrupted) interrupted ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
