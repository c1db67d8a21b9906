#!/usr/bin/env bash
# What the house looks like: house.sh format|python|shell|paths SOURCE. 77 where the tool is missing.
set -u
cd "$2" || exit 1
needs() { # TOOL [VERSION]: Debian 12's; others lay some lines out otherwise
  command -v "$1" >/dev/null || { echo "no $1 here"; exit 77; }
  [ $# -eq 1 ] || "$1" --version | grep -q "[ ]$2\." || { echo "$1 is not of version $2"; exit 77; }
}
sources() {
  git -c safe.directory='*' ls-files -co --exclude-standard -- "$@" 2>/dev/null ||
    for pattern in "$@"; do find . -name "$pattern" -not -path './build*'; done
}
case $1 in
format)
  needs clang-format 14
  sources '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror
  ;;
python)
  needs black 23
  sources '*.py' | xargs black --check
  ;;
shell)
  needs shellcheck
  { sources '*.sh'; echo .ci/run; } | xargs shellcheck --norc
  ;;
paths)
  # Nobody else has the folders of the machine that wrote a file.
  found=$(sources '*' | xargs grep -nIE '(^|[^A-Za-z0-9_.$~-])/(work|root|home)/')
  [ -z "$found" ] || { echo "$found" && exit 1; }
  ;;
esac
