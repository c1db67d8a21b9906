# For scripts that test one program. They set `program`, `quick` (arguments of every run, a list of words) and
# `file` (the CSV), and `launch` if something has to start it; this moves them to a folder of their own.
# shellcheck shell=bash disable=SC2154,SC2015 # set by the script; fail() after && and || is meant for either
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  printf 'FAILED: %s\n' "$1"
  failures=$((failures + 1))
}
# runs STATUS ARGUMENT…: the exit status must be this one; the output stays in out and err.
runs() {
  local wanted=$1 status
  shift
  # shellcheck disable=SC2086 # lists of words
  ${launch-} "$program" $quick "$@" >out 2>err </dev/null
  status=$?
  [ $status -eq "$wanted" ] || fail "$*: exit $status, not $wanted: $(cat err)"
}
# has PATTERN: a line of the CSV.
has() { grep -qE "$1" "$file" || fail "no row like $1 in $(cat "$file")"; }
# cells FILE NAME…: the last row's, by the header's names, commas between.
cells() { awk -F, -v names="${*:2}" 'NR == 1 {for (f = 1; f <= NF; ++f) at[$f] = f; count = split(names, name, " ")}
  END {for (n = 1; n <= count; ++n) printf "%s%s", $at[name[n]], n < count ? "," : "\n"}' "$1"; }
# is_whole FILE: all of its lines have as many cells.
is_whole() { [ "$(awk -F, '{print NF}' "$1" | sort -u | wc -l)" -eq 1 ]; }
# refuses MESSAGE ARGUMENT…: the message is a part of the one line; nothing is printed or written.
refuses() {
  local message=$1
  shift
  rm -f new.csv
  runs 2 --csv new.csv "$@"
  [ "$(wc -l <err)" -eq 1 ] || fail "$*: $(wc -l <err) lines on stderr"
  grep -qF -- "$message" err || fail "$*: '$message' is not in: $(cat err)"
  [ ! -s out ] && [ ! -e new.csv ] || fail "$*: printed or wrote something"
}
