#!/usr/bin/env python3
"""The loop of each full-width micro-kernel, as the compiler wrote it: tile_test.py avx2|avx512 OBJECT.

For every height there must be exactly rows * vectors multiply-adds a k step, and no vector on the stack: a spilt
register would show as one.
"""
import re
import subprocess
import sys
from pathlib import Path

REGISTERS = {"avx2": "ymm", "avx512": "zmm"}


def tile(chosen):
    """(mr, vectors, bytes) of an instruction set's tile, where blocks.hpp names them."""
    text = (Path(__file__).parent / "blocks.hpp").read_text(encoding="utf-8")
    return [int(number) for number in re.search(chosen + r"_tile\{(\d+), (\d+), (\d+)\}", text).groups()]


def functions(text):
    """(name, [(address, instruction)]) of each function in objdump's output."""
    for part in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head, _, body = part.partition("\n")
        code = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", body, re.MULTILINE)
        yield head, [(int(address, 16), instruction) for address, instruction in code]


def innermost(code):
    """The shortest loop with a multiply-add: from a backward jump's target to the jump."""
    loops = []
    for at, (address, instruction) in enumerate(code):
        jump = re.match(r"j\w+\s+([0-9a-f]+)", instruction)
        if jump and int(jump[1], 16) < address:
            body = [i for a, i in code[:at] if a >= int(jump[1], 16)]
            if any("vfmadd" in i for i in body):
                loops.append(body)
    return min(loops, key=len) if loops else []


def main(chosen, path):
    register, (mr, vectors, size) = REGISTERS[chosen], tile(chosen)
    text = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    found, status = set(), 0
    for name, code in functions(text):
        match = re.search(rf"micro_kernel<.*::Tile<(float|double), avx2::TileShape\{{{mr}, {vectors}, {size}\}}>, (\d+), false>", name)
        if not match:
            continue
        rows = int(match[2])
        found.add((match[1], rows))
        loop = innermost(code)
        multiply_adds = sum("vfmadd" in i and register in i for i in loop)
        stack = [i for i in loop if re.search(r"\(%r[sb]p", i) and re.search(r"%[xyz]mm", i)]
        if multiply_adds != rows * vectors or stack:
            print(f"{match[1]} {rows} rows: {multiply_adds} multiply-adds, {rows * vectors} expected; on the stack: {stack}")
            status = 1
    if len(found) != 2 * mr:
        print(f"{len(found)} kernels found, {2 * mr} expected")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
