#!/usr/bin/env bash
# At tile 8 both orders of 03_tiling_orders take the same number of instructions; its tiles are those of SMALL_TILES.md:
#   orders_test.sh PYTHON CACHEGRIND PROGRAM
set -u
counted() {
  "$python" -B "$cachegrind" --d1 49152,12,64 --ll 1048576,16,64 --per 13824000 --function tiling::rows -- \
    "$program" --variant "$1" --type f32 --size 240 --tile 8 --repeat 1 --warmup 0 --verify none
}
python=$1 cachegrind=$2 program=$3
ikj=$(counted ikj) || exit
kij=$(counted kij) || exit
printf 'ikj:\n%s\nkij:\n%s\n' "$ikj" "$kij"
instructions() { awk '/tiling::rows/ { print $2 }' <<<"$1"; }
tiles=$("$program" --variant ikj --type f32 --size 8 --repeat 1 --warmup 0 | awk '/^ikj/ { print $5 }' | paste -sd ' ')
echo "tiles: $tiles"
[ -n "$(instructions "$ikj")" ] && [ "$(instructions "$ikj")" = "$(instructions "$kij")" ] && [ "$tiles" = "8 16 24 40 80 240" ]
