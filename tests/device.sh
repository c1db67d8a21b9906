#!/usr/bin/env bash
# CUDA's side of common and runner: device.cu passes nvcc, links, and runs; a machine without a GPU ends with 77.
#   device.sh SOURCE LIBRARY…     (LIBRARY: librunner.a, libcommon.a and what they need)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
source=$1
libraries=("${@:2}")
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || { echo "no nvcc here"; exit 77; }
"$nvcc" --help | grep -qF c++20 || { echo "this nvcc knows no C++20: $("$nvcc" --version | tail -1)"; exit 77; }
program=./device quick="--size 20 --repeat 1 --warmup 0 --pad 3" file=rows.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

flags='-std=c++20 --expt-relaxed-constexpr -arch=sm_90'
# shellcheck disable=SC2086 # a list of words
"$nvcc" $flags -Xcompiler -Wall,-Wextra -Werror all-warnings -I "$source" -MD -MF headers -c "$source/tests/device.cu" -o device.o \
  -DCOURSE_PROGRAM='"device"' -DCOURSE_FLAGS="\"$flags\"" -DCOURSE_INSTRUCTION_SETS='""' -DCOURSE_IS_LEVEL=false -DCOURSE_VECTOR='"sse2"' &&
  "$nvcc" device.o "${libraries[@]}" -o device || { echo "FAILED: nvcc"; exit 1; }
! grep -oE '[^ ]*/(fmt|CLI|Eigen)/[^ ]*' headers || fail "what a .cu includes brings another library's headers with it"

if [ -e /dev/nvidia0 ]; then
  runs 0 --shape 33x20x50,1x1x1,0x5x3,5x0x3,5x3x0 --verify full
  [ "$(grep -c ' right$' out)" -eq 18 ] || fail "not 18 rows that are right: $(cat out err)"
else
  runs 77
  [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '^device: element_each skipped: no CUDA device: .' err ||
    fail "not one line that says why: $(cat out err)"
  runs 0 --list
  grep -q 'element_each .*; not here: no CUDA device: .' out || fail "--list: $(cat out err)"
fi
exit $((failures > 0))
