#!/usr/bin/env bash
# Variables of `make report` that would break a command line are refused before anything runs, in one line that names them;
# and what Makefile.report and rivals.py list by themselves is what lies there and what the lessons quote: the sizes of
# `make search` and of `make rivals` on a GPU, the pictures; and the Python that is taken.
set -u
unset TILES TILE_SIZE MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STEPS FILL BUDGET THREADS RANKS QUICK FULL REPEAT SIZES OUT SEARCH_SIZES SEARCH_SHAPES
cd "$(dirname "$0")/.." || exit 1
failures=0
refuses() { # MESSAGE VARIABLE=VALUE
  said=$(make --no-print-directory -n rows "$2" 2>&1)
  status=$?
  if [ $status -ne 2 ] || [ "$(wc -l <<<"$said")" -ne 1 ] || [[ $said != *"*** $1"* ]]; then
    echo "FAILED: $2: exit $status: $said"
    failures=$((failures + 1))
  fi
}
refuses "OUT: 'a b' has a blank in it" "OUT=a b"
refuses "OUT: '(x' has a ( in it; give letters, digits, . _ / and -" "OUT=(x"
# shellcheck disable=SC2016 # for make and the shell to leave alone
for character in "'" '"' '`' '$' ';' '&' '|' '<' '>' '(' ')' '*' '?' '[' ']' "\\" '#'; do
  refuses "REV: 'a${character}b' has a $character in it" "REV=a${character/\$/\$\$}b"
done
for name in OUT BUILD MACHINE FILL REPEAT BUDGET TILE_SIZE GPU_TILE_SIZE SIZES TYPES STEPS THREADS RANKS TILES GPU_SIZES; do
  refuses "$name: '~/a' has a ~ in it; give letters, digits, . _ / and -" "$name=~/a"
done
refuses "BUDGET: '1 2' has a blank in it" "BUDGET=1 2"
refuses "SIZES: '16;17' has a ; in it" "SIZES=16;17"
refuses "THREADS: '1 *' has a * in it" "THREADS=1 *"
refuses "QUICK: 'yes' is unknown; give QUICK=1, or nothing" "QUICK=yes"
refuses "FULL: 'yes' is unknown; give FULL=1, or nothing" "FULL=yes"
for given in QUICK=1 QUICK=0 QUICK= FULL=1 "SIZES=16 17" OUT=/tmp/a-b_c.d REV=HEAD~1^2; do
  make --no-print-directory -n rows "$given" >/dev/null || { echo "FAILED: $given is refused"; failures=$((failures + 1)); }
done
# `make search` asks for each shape that 09's table has, and for no other.
asked=$(make --no-print-directory -n search | grep -oP "(?<=--size '|--shape ')[^']*" | tr , '\n' | sed 's/^[0-9]*$/&x&x&/' | sort)
has=$(sed -nE 's/^\{([0-9]+), ([0-9]+), ([0-9]+),.*/\1x\2x\3/p' 09_cuda_regtile/choices.inc | sort)
if [ -z "$has" ] || [ "$asked" != "$has" ]; then
  echo "FAILED: the search: $(diff <(echo "$asked") <(echo "$has"))"
  failures=$((failures + 1))
fi
# On a GPU `make rivals` meets cuBLAS on the shapes that the lesson quotes.
meets=$(python3 -B -c "import sys; sys.path[:0] = ['rivals', 'tools']; import rivals; print(*sorted(rivals.GPU_DUELS))")
quoted=$(cut -d, -f2-4 plots/reference/h200/rivals.csv | tail -n +2 | tr , x | LC_ALL=C sort -u | xargs)
if [ "$meets" != "$quoted" ]; then
  echo "FAILED: make rivals on a GPU: $meets, not $quoted"
  failures=$((failures + 1))
fi
# `make pictures` draws each of them that has a script.
drawn=$(make --no-print-directory -n pictures | grep -oP '(?<=gnuplot )[^ ]*' | sort)
scripts=$(find . -path '*/pictures/*.gp' -not -path './build*' -not -path './plots/*' -printf '%P\n' | sort)
if [ -z "$scripts" ] || [ "$drawn" != "$scripts" ]; then
  echo "FAILED: make pictures: $(diff <(echo "$drawn") <(echo "$scripts"))"
  failures=$((failures + 1))
fi
# A python3 that has jinja2 is taken; one that has not is passed over, where the system's has it, or else is all there is.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2016 # for the other shell
printf '#!/bin/sh\necho no jinja2 >&2\nexit "$(cat "%s/has_none")"\n' "$folder" >"$folder/python3"
chmod +x "$folder/python3"
takes() { # PYTHON HAS_NONE
  echo "$2" >"$folder/has_none"
  said=$(env -u PYTHON PATH="$folder:$PATH" make --no-print-directory -n page 2>&1)
  if ! grep -q "^$1 tools/report.py page " <<<"$said" || grep -q "no jinja2" <<<"$said"; then
    echo "FAILED: $1 is not taken: $said"
    failures=$((failures + 1))
  fi
}
takes python3 0
if /usr/bin/python3 -c 'import jinja2' 2>/dev/null; then takes /usr/bin/python3 1; else takes python3 1; fi
exit $((failures > 0))
