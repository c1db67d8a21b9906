#!/usr/bin/env python3
"""The loop of each full-width micro-kernel, as the compiler wrote it: tile_test.py avx2|avx512 OBJECT.

For every height there must be exactly rows * vectors multiply-adds a k step, and no vector on the stack: a spilt
register would show as one.
"""
import re
import subprocess
import sys

SETS = {"avx2": ("Ymm", "ymm", 6, 2), "avx512": ("Zmm", "zmm", 9, 3)}


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
    vector, register, mr, vectors = SETS[chosen]
    text = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    found, status = set(), 0
    for name, code in functions(text):
        match = re.search(rf"tile<.*::{vector}<(float|double)>, (\d+), {vectors}, false,", name)
        if not match or "five_loops" in name:
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
