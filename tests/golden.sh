#!/usr/bin/env bash
# The CSV, line by line, with what differs between machines and moments masked as *.
#   golden.sh PROGRAM GOLDEN     (GOLDEN= golden.sh PROGRAM - prints a new one)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --shape 5x3x2,0x4x4 --variant ijk --repeat 2 --csv "$folder/rows.csv" >/dev/null
"$1" --shape 5x3x2 --variant ijk --type f64 --fill digits --seed 010 --repeat 1 --verify none --csv "$folder/rows.csv" >/dev/null
# Times, rates, errors (another processor may fuse multiply and add), and what names the machine and the build.
awk -F, -v OFS=, 'NR == 1 { for (c = 1; c <= NF; c++) name[c] = $c; print; next }
  { for (c = 1; c <= NF; c++)
      if (name[c] ~ /^(device|best_s|median_s|mean_s|stddev_s|gflops|error_share|relative_error|flags|compiler|host|commit|started)$/ && $c != "") $c = "*"
    print }' "$folder/rows.csv" >"$folder/masked.csv"
if [ "$2" = - ]; then
  cat "$folder/masked.csv"
else
  diff "$2" "$folder/masked.csv"
fi
