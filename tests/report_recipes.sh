#!/usr/bin/env bash
# What the commands of Makefile.report call, in a folder where every program only says what it was called with and ends as
# FAILS says ("PATTERN=STATUS"). What run_steps.py makes of its line: report_plan.sh.
set -uf # -f: an argument with a * is a pattern, not files
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" && mkdir -p bin tools report 09_cuda_regtile build/{01_naive,02_loop_order,rivals,09_cuda_regtile}
cp "$here/../Makefile.report" .
cat >bin/fake <<'END'
#!/bin/sh
line="${0#"$FOLDER/"} $*"
case $line in bin/nproc*) echo 4 && exit ;; *"import jinja2") exit ;; *choose.py*) echo chosen ;; *-B*) echo an error ;; esac
echo "$line" >>"$FOLDER/called"
case $line in ${FAILS%=*}) exit "${FAILS##*=}" ;; esac
END
chmod +x bin/fake
for file in bin/{nproc,cmake,ctest,git,tar,python3} setup.sh build/{rivals/rivals,01_naive/01_naive{,-O0,-O1,-O2},09_cuda_regtile/09_cuda_regtile_search}; do
  ln -s "$folder/bin/fake" "$file"
done
failures=0
calls() { # "make's arguments" FAILS STATUS PATTERN…: the calls in one line, then what was printed, match it; with ! they do not
  rm -f called
  said=$(env -i PATH="$folder/bin:$PATH" FOLDER="$folder" FAILS="$2" sh -c "make --no-print-directory -f Makefile.report $1" 2>&1)
  status=$?
  all="ended with $status: $(tr '\n' ';' 2>/dev/null <called) $said"
  for fact in "ended with $3: " "${@:4}"; do
    if [[ $fact == !* ]]; then [[ $all != *${fact#!}* ]]; else [[ $all == *$fact* ]]; fi && continue
    echo "FAILED: make $1, FAILS=$2: '$fact' is not so of: $all" && failures=$((failures + 1))
  done
}
calls "report QUICK=1 TYPES=i32" = 0 "./setup.sh ;"*"--target course_programs"*" --sizes 256 500 512 --types i32 "*"--threads 1 4 "*"py draw "*"py page "*"py ladder "*"The page: "
calls "report FULL=1 OUT=there FILL=digits" = 0 "--out there --sizes 256 512 1000 1024 --types f32 f64 i32 "*"--threads 1 2 4 8 "*"--fill digits "*" --full"
calls report "./setup.sh*=1" 2 "!cmake"
calls report "bin/cmake -B*=1" 2 "an error" "!--build"
calls report "*run_steps*=2" 2 "run_steps" "!py page results"
calls "test BUILD=other" = 0 "./setup.sh test"*"cmake -B other"*"--build other --target all"*"ctest --test-dir other"
calls plan = 0 "run_steps.py build"*" --plan" "!setup" "!cmake"
calls reference = 2 "MACHINE: which one?" "!python3"
calls "reference-gpu MACHINE=h200" = 0 "reference.py build h200 --plan plots/reference/plan_gpu.txt"
calls "published -o build PUBLISHED_SIZES='20 30'" "*-O1*=1" 2 "-O0 "*"--size 20,30 "*"--budget 10 " "!-O2"
calls "versus -o build REV=v1 RIVALS='--size 512'" "*rivals/rivals*=77" 0 "git archive v1;"*"--target course_blas"*"--variant avx512 "*"--variant tuned "*"libcourse_blas.so --size 512;"
calls "search -o build SEARCH_SIZES=256" "*choose.py*=1" 2 "--size 256 "*"choose.py" && [ ! -e 09_cuda_regtile/choices.inc ] || failures=$((failures + 1))
calls "simulate RANKS_SIMULATED=1,4" = 0 "./setup.sh simulate;"*"--ranks 1,4;"
echo x | tee report/results.csv >report/failed
calls "rivals -o build" "*rivals/rivals*=1" 2 "py rivals "*"py page "
calls "rivals -o build" "*rivals/rivals*=2" 2 "!report.py"
calls page = 2 "py page "*"--failed report/failed"*"Failed:"
calls clean = 0 "!report" && [ ! -e build ] && [ -e report/results.csv ] || failures=$((failures + 1))
exit $((failures > 0))
