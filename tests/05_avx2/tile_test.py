#!/usr/bin/env python3
"""The loop of each full-width micro-kernel, as the compiler wrote it: tile_test.py
avx2|avx512|textbook OBJECT.

textbook: gemm_tile.cpp's one tile, in register_tile and in macro_kernel, is the AVX2 tile. For
every height there must be exactly rows * vectors multiply-adds a k step, no other sum or product,
and no vector on the stack: a spilt register would show as one. """
import re
import subprocess
import sys
from pathlib import Path

REGISTERS = {"avx2": "ymm", "avx512": "zmm"}


def tile(chosen):
    """(mr, vectors, bytes) of an instruction set's tile, where blocks.hpp names them."""
    text = (Path(__file__).resolve().parents[2] / "05_avx2/blocks.hpp").read_text(encoding="utf-8")
    return [
        int(number) for number in re.search(chosen + r"_tile\{(\d+), (\d+), (\d+)\}", text).groups()
    ]


def functions(text):
    """(name, [(address, instruction)]) of each function in objdump's output."""
    for part in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head, _, body = part.partition("\n")
        code = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", body, re.MULTILINE)
        yield head, [(int(address, 16), instruction) for address, instruction in code]


def disassembled(path):
    return subprocess.run(
        ["objdump", "-dC", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout


def on_stack(instruction):
    return re.search(r"\(%r[sb]p", instruction) and re.search(r"%[xyz]mm", instruction)


def loops_of(code):
    """All loops with a multiply-add: from a backward jump's target to the jump."""
    for at, (address, instruction) in enumerate(code):
        jump = re.match(r"j\w+\s+([0-9a-f]+)", instruction)
        if jump and int(jump[1], 16) < address:
            body = [i for a, i in code[:at] if a >= int(jump[1], 16)]
            if any("vfmadd" in i for i in body):
                yield body


def innermost(code):
    return min(loops_of(code), key=len, default=[])


def textbook(text):
    """What is wrong with the loops over p of the textbook's tile: 12 multiply-adds, no vector on
    the stack."""
    for name in (
        f"{kernel}<{real}>"
        for kernel in ("register_tile", "macro_kernel")
        for real in ("float", "double")
    ):
        loops = [loop for head, code in functions(text) if name in head for loop in loops_of(code)]
        if not any(
            sum("vfmadd" in i and "ymm" in i for i in loop) == 12
            and not any(on_stack(i) for i in loop)
            for loop in loops
        ):
            yield f"{name}: no loop of 12 multiply-adds that keeps its sums in registers"


def main(chosen, path):
    if chosen == "textbook":
        wrong = list(textbook(disassembled(path)))
        print("\n".join(wrong))
        return int(bool(wrong))
    register, (mr, vectors, size) = REGISTERS[chosen], tile(chosen)
    text = disassembled(path)
    found, status = set(), 0
    for name, code in functions(text):
        shape = rf"avx2::TileShape\{{{mr}, {vectors}, {size}\}}"
        match = re.search(rf"micro_kernel<.*::Tile<(float|double), {shape}>, (\d+), false>", name)
        if not match:
            continue
        rows = int(match[2])
        found.add((match[1], rows))
        loop = innermost(code)
        multiply_adds = sum("vfmadd" in i and register in i for i in loop)
        stack, besides = [i for i in loop if on_stack(i)], [
            i for i in loop if re.match(r"v(add|sub|mul)p", i)
        ]
        if multiply_adds != rows * vectors or stack or besides:
            counted = f"{multiply_adds} multiply-adds, {rows * vectors} expected"
            print(f"{match[1]} {rows} rows: {counted}; on the stack: {stack}; besides: {besides}")
            status = 1
    if len(found) != 2 * mr:
        print(f"{len(found)} kernels found, {2 * mr} expected")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
