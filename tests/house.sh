#!/usr/bin/env bash
# What the house looks like: house.sh format|python|shell|spelling|paths|includes|sizes SOURCE. 77 where the tool is missing.
set -u
cd "$2" || exit 1
needs() { # TOOL [VERSION]: Debian 12's; others lay some lines out otherwise
  command -v "$1" >/dev/null || { echo "no $1 here"; exit 77; }
  [ $# -eq 1 ] || "$1" --version | grep -q "[ ]$2\." || { echo "$1 is not of version $2"; exit 77; }
}
sources() {
  git -c safe.directory='*' ls-files -co --exclude-standard -- "$@" 2>/dev/null ||
    for pattern in "$@"; do find . -type f -name "$pattern" -not -path './build*' -printf '%P\n'; done
}
case $1 in
format)
  needs clang-format 14
  sources '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror
  ;;
python)
  needs black 23
  sources '*.py' | xargs black --check || exit 1
  ! sources '*.py' | LC_ALL=C xargs awk 'length > 100 {print FILENAME ":" FNR ": over 100 columns"}' | grep .
  ;;
shell)
  needs shellcheck
  { sources '*.sh'; echo .ci/run; } | xargs shellcheck --norc
  ;;
spelling)
  # Of pages that git knows, without code and titles; what begins with a capital may be a name. The field's words are in tools/book/words.txt.
  needs hunspell
  grep -qs '^# V 3\.1\.4,' "$(hunspell -D -d en_GB -l </dev/null 2>&1 | grep 'en_GB\.aff$')" || { echo "en_GB is not Debian 12's: others lack some words"; exit 77; }
  pages=$(git -c safe.directory='*' ls-files -- '*.md') || exit 77
  found=$(echo "$pages" | xargs sed -E '/^ *\x60{3,}/,/^ *\x60{3,}/d; s/\x60[^\x60]*\x60|\]\([^)]*\)|<[^>]*>|https?:[^ ]*/ /g; /^- /s/, \*[^*]*\*/ /g' |
    grep -oE "[A-Za-z']+" | grep -xE '[a-z]{4,}' | sort -u | hunspell -d en_GB -l | grep -vxFf <(tr ' ' '\n' <tools/book/words.txt))
  [ -z "$found" ] || { echo "$found" && exit 1; }
  ;;
paths)
  # Nobody else has the folders of the machine that wrote a file.
  found=$(sources '*' | xargs grep -nIE '(^|[^A-Za-z0-9_.$~-])/(work|root|home)/')
  [ -z "$found" ] || { echo "$found" && exit 1; }
  ;;
includes)
  # A step includes another's files by the header of its library alone, and 12's pipeline and 06's world.
  found=$(sources '[0-9]*.?pp' '[0-9]*.cu' '[0-9]*.cuh' | xargs grep -E '#include "(\.\./)*[0-9][0-9]_' /dev/null |
    sed 's#:.*"\(\.\./\)*\(.*\)"# \2#' | awk '{split($1, own, "/"); split($2, other, "/")}
      own[1] != other[1] && $2 !~ /\/library\.hpp$|^12_cuda_hopper\/pipeline\.cuh$|^06_mpi\/mpi_world\.hpp$/')
  [ -z "$found" ] || { echo "$found" && exit 1; }
  ;;
sizes)
  # Lines that a reader meets, a decision: who adds some says so, and takes others away or raises the number here.
  code='\.(cpp|hpp|cu|cuh|h|inc|s|py|sh|gp|jinja|cmake|txt)$'
  failures=0
  at_most() { # LINES ROOM PATTERN [BUT]
    lines=$(sources '*' | grep -E "$code|^Makefile" | grep -E "$3" | grep -vE "${4-^$}" | tr '\n' '\0' | xargs -0 cat | wc -l)
    [ "$lines" -le "$1" ] || { echo "$2 has $lines lines, and $1 were decided" && failures=1; }
  }
  pages='/text/|/plans/|inherited.txt|words.txt'
  at_most 700 common '^common/'
  at_most 2250 runner '^runner/'
  at_most 2600 'gpu and its emulator' '^gpu/' "$pages"
  at_most 818 libraries '^libraries/'
  at_most 4137 tools '^tools/' "_test.py|$pages"
  at_most 7974 tests '^tests/|_test.py$'
  at_most 872 'build files' '^cmake/|^CMakeLists.txt|^Makefile|^setup.sh'
  files=$(sources '*' | grep -cvE '/pictures/|^plots/')
  [ "$files" -le 551 ] || { echo "there are $files files outside pictures/ and plots/, and 551 were decided" && failures=1; }
  exit $failures
  ;;
esac
