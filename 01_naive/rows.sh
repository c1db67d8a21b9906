#!/usr/bin/env bash
# Measures what only the lessons of 01 quote: rows.sh BUILD DIR, for example rows.sh build plots/reference/epyc-zen3.
# Writes naive.csv, naive_pages.csv and lines.csv there, where machine.csv already is. Called again, it goes on, and
# measures again what was disturbed (tools/rounds.py joins calls of different commits); lines.csv is written anew. About
# five minutes on a quiet machine.
set -euo pipefail
naive=$1/01_naive/01_naive dir=$2
rows() { # FILE PROGRAM OPTION…
  "${@:2}" --csv "$dir/$1" --machine "$dir/machine.csv" --repeat 7 --quiet --resume
}

# A column of B at multiples of 128 and 24 before each, 16 rows of A: a step costs what it costs in a square product.
shapes=16x2000x2000,16x1000x1024,16x1024x1000,16x1016x1016,16x1023x1023
for n in {256..2048..128}; do
  shapes+=,16x$((n - 24))x$((n - 24)),16x${n}x$n
done
rows naive.csv "$naive" --variant ijk --type f32 --budget 3 --shape "$shapes"
rows naive.csv "$naive" --variant ijk --type f64 --budget 3 --shape 16x1000x1000,16x1024x1024
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 \
  rows naive_pages.csv "$naive" --variant ijk --type f32 --budget 3 --shape 16x1000x1000,16x1024x1024,16x2000x2000,16x2048x2048
for level in O0 O1 O2 O3 Ofast; do
  rows naive.csv "$naive-$level" --type f32 --budget 4 --shape 100x1000x1000,100x1024x1024
done
"$1/01_naive/01_naive_lines" >"$dir/lines.csv"
