#!/usr/bin/env bash
# With fast-math NaN would pass for right: what a user's flags bring along is refused, and the verifier does not compile.
#   fast_math.sh CMAKE COMPILER SOURCE
set -u
status=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for flag in -ffast-math -Ofast; do
  CXXFLAGS="-g $flag" "$1" -S "$3" -B "$folder/build" -DCMAKE_CXX_COMPILER="$2" >"$folder/out" 2>&1 && status=1
  grep -q -- "With $flag in CXXFLAGS" "$folder/out" || { echo "$flag:" && cat "$folder/out" && status=1; }
done
for flag in -ffast-math -ffinite-math-only; do
  "$2" -std=c++20 "$flag" -I"$3" -E "$3/common/verify.cpp" >/dev/null 2>"$folder/err" && status=1 && echo "verify.cpp takes $flag"
  grep -q '#error ".*NaN' "$folder/err" || { cat "$folder/err"; status=1; }
done
exit $status
