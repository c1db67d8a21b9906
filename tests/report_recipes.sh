#!/usr/bin/env bash
# What each command of Makefile.report does, in a folder where every program only says what it was called with and ends as
# it is told: which programs run, in which order and folder, after a failure, too; what is printed and what is left. As
# recipes.txt says; after a change that is meant, `report_recipes.sh >recipes.txt`. (`make pictures`: report_variables.sh.)
#   report_recipes.sh [GOLDEN]
set -u
for variable in $(compgen -e); do # whatever `make test` was called with
  case $variable in PATH | HOME | TMPDIR) ;; *) unset "$variable" ;; esac
done
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export FOLDER=$folder PATH="$folder/bin:$PATH"

# Says what it was called with (what reads a pipe, after it has read it all) and ends as FAILS says: "PATTERN=STATUS".
mkdir "$folder/bin"
cat >"$folder/bin/fake" <<'END'
#!/bin/sh
line="${0#"$FOLDER/"} $*"
case $line in
bin/nproc*) echo 4 && exit ;;
"bin/python3 -c import jinja2") exit ;;
bin/tar*) line="$line <<<'$(cat)'" ;;
*"--target help") printf '... %s\n' all 01_naive-kernels 05_avx2 05_avx2-kernels 00_machine-kernels ;;
bin/cmake*) echo "no word of it" && echo "an error of it" >&2 ;;
bin/git* | *choose.py*) echo "out of $line" ;;
esac
[ "$PWD" = "$FOLDER" ] || line="(in ${PWD#"$FOLDER/"}) $line"
echo "$line" >>"$FOLDER/called"
case $line in ${FAILS%=*}) exit "${FAILS##*=}" ;; esac
END
chmod +x "$folder/bin/fake"

again() { # a fresh folder
  local file
  find "$folder" -mindepth 1 -maxdepth 1 ! -name bin -exec rm -rf {} +
  cp "$here/../Makefile.report" "$folder/"
  mkdir -p "$folder"/{tools,tests,09_cuda_regtile} "$folder"/build/{01_naive,02_loop_order,rivals,09_cuda_regtile}
  for file in bin/{nproc,ninja,cmake,ctest,git,tar,python3} setup.sh tools/same_code.sh tests/{sabotage,mutate}.py build/rivals/rivals \
    build/01_naive/01_naive{,-O0,-O1,-O2,-O3,-Ofast} build/02_loop_order/02_loop_order{,-native} build/09_cuda_regtile/09_cuda_regtile_search; do
    ln -sf "$folder/bin/fake" "$folder/$file"
  done
}

makes() { # [FAILS=…] [FILE:TEXT…] make's arguments: the programs called, what was printed and what there is now
  local fails="=" printed status file
  echo "== $*"
  again
  while [[ $1 == FAILS=* || $1 == *:* ]]; do
    if [[ $1 == FAILS=* ]]; then
      fails=${1#FAILS=}
    else
      mkdir -p "$(dirname "$folder/${1%%:*}")"
      echo "${1#*:}" >"$folder/${1%%:*}"
    fi
    shift
  done
  (cd "$folder" && find . | sort) >"$folder/bin/before"
  printed=$(cd "$folder" && FAILS=$fails make --no-print-directory -f Makefile.report "$@" 2>&1)
  status=$?
  [ ! -f "$folder/called" ] || sed 's|^bin/||' "$folder/called"
  [ -z "$printed" ] || sed -E "s|$folder|FOLDER|; s/Makefile.report:[0-9]+: //; s/^/    /" <<<"$printed"
  [ $status = 0 ] || echo "ended with $status"
  (cd "$folder" && find . | sort) | diff "$folder/bin/before" - | sed -n '/called/d; s/^</gone:/p; s/^>/new:/p'
  for file in build.log build/versus/build.log 09_cuda_regtile/choices.inc; do
    [ ! -f "$folder/$file" ] || sed "s|^|    $file: |" "$folder/$file"
  done
}

all() {
  local status page=report/results.csv:x
  makes $page report QUICK=1 TYPES=i32 STEPS=01_naive
  makes "FAILS=./setup.sh*=1" report
  makes "FAILS=bin/cmake -B*=1" report
  makes "FAILS=bin/cmake --build*=1" report
  makes "FAILS=*run_steps*=2" report OUT=there RANKS="2 3" FILL=digits
  makes test BUILD=other
  makes plan
  makes $page report/machine.csv:x report/rivals.csv:x "report/failed:00_dies ended with 139" page
  makes "FAILS=*report.py page*=2" page
  makes reference
  makes reference MACHINE=epyc
  makes published
  makes "FAILS=*-O2*=1" published -o build PUBLISHED_SIZES="20 30" BUDGET=2 OUT=there
  makes rivals RIVALS="--pairs 7"
  for status in 0 1 2; do
    makes "FAILS=*rivals/rivals*=$status" $page report/machine.csv:x rivals -o build
  done
  makes "FAILS=*report.py rivals*=3" $page rivals -o build
  makes "FAILS=*report.py page*=3" $page rivals -o build
  makes versus
  makes "FAILS=*rivals/rivals*=77" build/versus/old:x versus -o build REV=v1 RIVALS="--size 512"
  makes "FAILS=*rivals/rivals*=1" versus -o build
  makes "FAILS=(in build/versus) bin/cmake -B*=1" versus -o build
  makes build/versus/old:x same
  makes "FAILS=(in build/versus) bin/cmake -B*=1" same -o build REV=v1
  makes search SEARCH_SIZES=256,512 SEARCH_SHAPES=1x2x3
  makes "FAILS=*choose.py*=1" search -o build SEARCH_SIZES=256,512 SEARCH_SHAPES=1x2x3
  makes simulate
  makes ladder
  makes notes
  makes sabotage ONLY="MPI runner/row.cpp"
  makes mutate
  makes fuzz
  makes build-{asan,ubsan,sanitize,tsan,sabotage,mutate}/x:x build.log:x $page clean
}

if [ $# -gt 0 ]; then
  all | diff "$1" - && echo "as in $1"
else
  all
fi
