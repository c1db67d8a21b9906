#!/usr/bin/env bash
# What Makefile.report does.
#   report.sh variables|recipes|plans|interrupted BUILD
# variables: what would break a command line is refused before anything runs, in one line that names it.
# recipes: what each command calls, in a folder where every program only says what it was called with.
# plans: what their lines name is there: the program has the variants, and lessons have the folder.
# interrupted: kill -9 in the middle of a plan, then the plan again: no row lost, and all are there.
# shellcheck disable=SC2015,SC2016 # fail() after && and || is meant for either; what $ is for another shell
set -u
check=$1 build=$2
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
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
  mkdir -p "$folder/build/00_machine" && printf '#!/bin/sh\n' >"$folder/build/00_machine/00_machine" && chmod +x "$folder/build/00_machine/00_machine"
  refuses() { # MESSAGE VARIABLE=VALUE
    said=$(report rows BUILD="$folder/build" OUT="$folder/out" "$2" 2>&1)
    [ $? -eq 2 ] && [ ! -e "$folder/out" ] && [ "$(grep -cv "Error 2" <<<"$said")" -eq 1 ] && [[ $said == *"$1"* ]] || fail "$2: $said"
  }
  for character in '"' '$' ';' '(' '*' "\\" '#'; do
    refuses "SIZES: '1${character}b' has a $character in it; give letters, digits, . _ / and -" "SIZES=1${character/\$/\$\$}b"
  done
  for name in FILL REPEAT BUDGET GPU_TILE_SIZE SIZES TYPES THREADS RANKS TILES GPU_SIZES; do refuses " has a ~ in it" "$name=~/a"; done
  for name in OUT RUNG SIZES; do refuses "$name: it has a ' in it" "$name=a'b"; done
  for name in QUICK FULL; do refuses "$name: 'yes' is unknown; give $name=1, or nothing" "$name=yes"; done
  for given in QUICK=1 QUICK=0 QUICK= FULL=1 "SIZES=16 17" "OUT=$folder/a b(1)\$\$\`;&"; do
    said=$(report plan BUILD="$folder/build" "$given" 2>&1) && [[ $said == */00_machine\ * ]] || fail "$given is refused: $said"
  done
  # A python3 that has jinja2 is taken; one that has not is passed over, where the system's has it, or else is all there is.
  printf '#!/bin/sh\necho no jinja2 >&2\nexit "$(cat "%s/has_none")"\n' "$folder" >"$folder/python3"
  chmod +x "$folder/python3"
  takes() { # PYTHON HAS_NONE
    echo "$2" >"$folder/has_none"
    said=$(PATH="$folder:$PATH" make --no-print-directory -f Makefile.report -n page 2>&1)
    grep -q "^$1 -E tools/report/report.py page " <<<"$said" && ! grep -q "no jinja2" <<<"$said" || fail "$1 is not taken: $said"
  }
  takes python3 0
  if /usr/bin/python3 -c 'import jinja2' 2>/dev/null; then takes /usr/bin/python3 1; else takes python3 1; fi
}

recipes() {
  set -f # an argument with a * is a pattern, not files
  cd "$folder" && mkdir -p bin tools report 09_cuda_regtile/search build/{01_naive,02_loop_order,libraries,09_cuda_regtile}
  cp "$here/../Makefile.report" . && cp "$here/../tools/inherited.txt" tools/
  cat >bin/fake <<'EOF' # it ends as COURSE_FAILS says: "PATTERN=STATUS"
#!/bin/sh
line="${0#"$COURSE_FOLDER/"} $*"
case $line in *processors.py) echo 4 && exit ;; *"import jinja2") exit ;; *choose.py*) echo chosen ;; esac
echo "$line" >>"$COURSE_FOLDER/called"
case $line in ${COURSE_FAILS%=*}) exit "${COURSE_FAILS##*=}" ;; esac
EOF
  chmod +x bin/fake
  for file in bin/{ctest,git,tar,python3} setup.sh build/{libraries/libraries,01_naive/01_naive{,-O0,-O1,-O2},09_cuda_regtile/09_cuda_regtile_search}; do
    ln -s "$folder/bin/fake" "$file"
  done
  calls() { # "make's arguments" FAILS STATUS PATTERN…: the calls in one line, then what was printed, match it; with ! they do not
    rm -f called
    said=$(env -i PATH="$folder/bin:$PATH" COURSE_FOLDER="$folder" COURSE_FAILS="$2" sh -c "make --no-print-directory -f Makefile.report $1" 2>&1)
    status=$?
    all="ended with $status: $(tr '\n' ';' 2>/dev/null <called) $said"
    for fact in "ended with $3: " "${@:4}"; do
      if [[ $fact == !* ]]; then [[ $all != *${fact#!}* ]]; else [[ $all == *$fact* ]]; fi || fail "make $1, FAILS=$2: '$fact' is not so of: $all"
    done
  }
  calls "report QUICK=1 TYPES=i32" = 0 "setup.sh ;"*"tools/build.py build course_programs;"*"/plans/report.txt --steps --set sizes=256,496,512 types=i32 threads=1,4 "*"page=;"*"py ladder "*"py page "*"The page: "
  calls "report FULL=1 OUT=there FILL=digits" = 0 "--out there "*"report.txt "*"full.txt "*"threads=1,2,4,8 "*"--fill digits"
  calls "report STEPS='01_naive 06_mpi'" = 0 "!report.txt" "full.txt --steps 01_naive 06_mpi --set "
  calls "" = 0 "make report" "!setup.sh" "!build.py"
  calls report "setup.sh*=1" 2 "!build.py"
  calls report "*build.py*=1" 2 "!run_plan"
  calls report "*run_plan*=2" 2 "run_plan" "!py page"
  calls report "*run_plan*=1" 0 "run_plan"*"py page "
  calls "test BUILD=other" = 0 "setup.sh test"*"tools/build.py other all -DCOURSE_FETCH_DOCTEST=ON;"*"ctest --test-dir other"
  calls plan = 0 "run_plan.py --build build"*" --plan" "!setup" "!build.py"
  calls reference = 2 "MACHINE: which one?" "!python3"
  for name in a/b ../a .a -a; do calls "reference MACHINE=$name" = 2 "MACHINE: '$name' is no name for a folder" "!python3"; done
  calls "reference-gpu MACHINE=h200" = 0 "run_plan.py --build build plots/reference/plan_gpu.txt --out plots/reference/h200;"
  calls "published -o build PUBLISHED_SIZES='20 30'" = 0 "/published.txt --out report --set published_sizes=20,30 "*"--budget 10 "
  echo x | tee report/search.csv report/libraries.csv report/results.csv >report/failed
  calls "search -o build SEARCH_SIZES=256" "*choose.py*=1" 2 "search_sizes=256 "*"choose.py"
  [ ! -e 09_cuda_regtile/search/choices.inc ] || fail "make search writes nothing when it fails"
  calls "simulate RANKS_SIMULATED=1,4" = 0 "setup.sh simulate;"*"--ranks 1,4;"
  calls "libraries -o build" "*run_plan*=1" 2 " own= libraries=--repeat 21 --budget 1;"*"py libraries "*"py page "
  calls "libraries -o build LIBRARIES='--size 9'" "*run_plan*=2" 2 " own=--size 9 libraries=;" "!report.py"
  calls page = 2 "py page "*"--failed report/failed"*"Failed:"
  calls clean = 0 "!report"
  [ ! -e build ] && [ -e report/results.csv ] || fail "make clean"
}

plans() {
  while read -r line; do
    program=$(grep -oE '(^| )(\.\./)?[0-9a-z_]+/[^ ]+' <<<"$line" | head -1) program=${program# }
    [ -d "${program%/*}" ] || [ -e "$build/$program" ] || fail "there is no ${program%/*}: $line"
    variants=$(grep -oP -- '--variant \K[^ ]+' <<<"$line") || continue
    [ -x "$build/$program" ] || { echo "not built: $program"; continue; }
    list=$folder/${program//\//-}
    [ -e "$list" ] || "$build/$program" --list >"$list" || fail "$program --list"
    ! grep -q "built without nvcc" "$list" || continue # then some are missing
    for variant in ${variants//,/ }; do
      grep -q "^  $variant " "$list" || fail "$program has no $variant: $line"
    done
  done < <(grep -hvE '^(#|!|$)' tools/report/plans/*.txt plots/reference/plan*.txt)
}

interrupted() {
  out=$folder/report
  printf '%s\n' "01_naive/01_naive --size 40,50" "03_tiling/03_tiling --size 50 --tile 8,64" "04_openmp/04_openmp --size 40,50 --threads 1,2" \
    "mpirun -n 2 06_mpi/06_mpi --size 40" >"$folder/plan.txt"
  rows() { exec "$@" python3 -B tools/report/run_plan.py "$folder/plan.txt" --build "$build" --out "$out"; }
  lines() { [ -e "$out/results.csv" ] && wc -l <"$out/results.csv" || echo 0; }
  keys() { awk -F, 'NR == 1 { columns = NF } NR > 1 && NF == columns' "$out/results.csv" | cut -d, -f1-13 | sort -u; }
  for stop_after in 5 30; do
    (rows setsid) >/dev/null 2>&1 &
    running=$!
    for _ in $(seq 2000); do
      [ "$(lines)" -gt $stop_after ] && break
      sleep 0.005
    done
    kill -9 -- "-$running" 2>/dev/null
    wait "$running" 2>/dev/null
    cp "$out/results.csv" "$folder/killed.csv"
  done
  printf 'torn,by,a,crash' >>"$out/results.csv" # what a crash of the machine may leave
  (rows env) >"$folder/log" 2>&1 || fail "resumed: $(cat "$folder/log")"
  killed=$(wc -l <"$folder/killed.csv")
  head -n "$killed" "$out/results.csv" | cmp - "$folder/killed.csv" || fail "rows of the killed plan were lost"
  [ "$killed" -lt "$(lines)" ] || fail "the kill came too late to show anything"
  keys >"$folder/resumed"
  rm -r "$out" # a fresh one says how many rows there must be
  (rows env) >"$folder/log" 2>&1 || fail "afresh: $(cat "$folder/log")"
  [ "$(keys | wc -l)" -gt 50 ] || fail "only these: $(keys)"
  keys | diff "$folder/resumed" - || fail "other rows than in one go"
}

case $check in
variables) variables ;;
recipes) recipes ;;
plans) plans ;;
interrupted) interrupted ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))
