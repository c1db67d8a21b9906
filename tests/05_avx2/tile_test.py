#!/usr/bin/env python3
"""The loop over p of each full-width micro-kernel, as the compiler wrote it: tile_test.py
avx2|avx512|textbook|textbook_512 OBJECT.

It holds exactly rows * vectors multiply-adds, no other sum or product, and no vector on the stack:
a spilt register would show as one. The textbook's, gemm_tile.hpp's, is inlined into two functions.
"""
import re
import subprocess
import sys
from pathlib import Path

TILES = {"textbook": "avx2", "textbook_512": "wide"}  # of gemm.hpp


def tile(name):
    """(mr, vectors, bytes), where gemm.hpp names them."""
    text = (Path(__file__).resolve().parents[2] / "05_avx2/gemm.hpp").read_text(encoding="utf-8")
    return map(int, re.search(rf"{name}_tile\{{(\d+), (\d+), (\d+)\}}", text).groups())


def functions(path):
    """(name, [(address, instruction)]) of each function."""
    objdump = ["objdump", "-dC", "--no-show-raw-insn", path]
    text = subprocess.run(objdump, check=True, capture_output=True, text=True).stdout
    for part in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head, _, body = part.partition("\n")
        code = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", body, re.MULTILINE)
        yield head, [(int(address, 16), instruction) for address, instruction in code]


def loops(code):
    """From a backward jump's target to the jump."""
    for at, (address, instruction) in enumerate(code):
        jump = re.match(r"j\w+\s+([0-9a-f]+)", instruction)
        if jump and int(jump[1], 16) < address:
            yield [i for a, i in code[:at] if a >= int(jump[1], 16)]


def main(chosen, path):
    mr, vectors, size = tile(TILES.get(chosen, chosen))
    shape, register = rf"avx2::TileShape\{{{mr}, {vectors}, {size}\}}", {32: "ymm", 64: "zmm"}[size]
    micro_kernel = rf"micro_kernel<.*::Tile<(float|double), {shape}>, (\d+), false>"
    inlined = rf"(register_tile|macro_kernel)<{shape}, (float|double)>"
    found, status = set(), 0
    for name, code in functions(path):
        match = re.search(inlined if chosen in TILES else micro_kernel, name)
        if not match:
            continue
        found.add(match.groups())
        expected = (mr if chosen in TILES else int(match[2])) * vectors
        adds = lambda loop: sum("vfmadd" in i and register in i for i in loop)
        loop = min((l for l in loops(code) if adds(l) >= expected), key=len, default=[])
        bad = [
            i
            for i in loop
            if re.match(r"v(add|sub|mul)p|.*\(%r[sb]p.*%[xyz]mm|.*%[xyz]mm.*\(%r[sb]p", i)
        ]
        if adds(loop) != expected or bad:
            print(f"{match[0]}: {adds(loop)} multiply-adds, {expected} expected; besides: {bad}")
            status = 1
    if len(found) != (4 if chosen in TILES else 2 * mr):
        print(f"found only {sorted(found)}")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
