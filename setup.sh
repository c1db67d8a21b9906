#!/bin/sh
# Installs what the course needs and this machine lacks. Silent and quick when nothing is missing.
#   ./setup.sh          what `make report` and `make test` need
#   ./setup.sh --list   prints the package names and installs nothing
# Where apt is not to be had, or not by you, it prints the names and ends with 1.
set -eu

core="g++ cmake make git python3 libcli11-dev libeigen3-dev doctest-dev gnuplot-nox fonts-dejavu-core binutils"
checks="valgrind shellcheck clang-format" # without them some tests are skipped, nothing else

case "${1-}" in
"") ;;
--list)
  echo "$core $checks"
  exit 0
  ;;
*)
  echo "setup.sh: '$1' is unknown; give nothing or --list" >&2
  exit 2
  ;;
esac

# A machine without Debian's package list may have the same tools from elsewhere: ask for the tools themselves.
present() {
  if command -v dpkg-query >/dev/null 2>&1; then
    case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) in installed) return 0 ;; esac
  fi
  case $1 in
  libcli11-dev) header CLI/CLI.hpp ;;
  libeigen3-dev) header eigen3/Eigen/Dense ;;
  doctest-dev) header doctest/doctest.h ;;
  gnuplot-nox) command -v gnuplot >/dev/null 2>&1 ;;
  fonts-dejavu-core) command -v fc-list >/dev/null 2>&1 && fc-list | grep -q . ;;
  binutils) command -v nm >/dev/null 2>&1 ;;
  *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}
header() { test -e "/usr/include/$1" || test -e "/usr/local/include/$1"; }

missing=""
needed=""
for package in $core; do
  present "$package" || needed="$needed $package"
done
for package in $checks; do
  present "$package" || missing="$missing $package"
done
missing="$needed$missing"
[ -n "$missing" ] || exit 0

by_hand() {
  if [ -z "$needed" ]; then
    echo "setup.sh: $1; some tests will be skipped without$missing" >&2
    exit 0
  fi
  echo "setup.sh: $1; please install these (Debian's names):$missing" >&2
  exit 1
}
command -v apt-get >/dev/null 2>&1 || by_hand "there is no apt here"
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo"
else
  by_hand "apt needs root, and sudo asks for a password"
fi
echo "setup.sh: installing$missing"
log=$(mktemp)
# shellcheck disable=SC2086 # lists of words
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -n 5 "$log" >&2
  by_hand "apt failed (the log is $log)"
fi
rm -f "$log"
