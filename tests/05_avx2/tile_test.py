#!/usr/bin/env python3
"""The loop over p of each full-width micro-kernel, as the compiler wrote it: tile_test.py TILE
OBJECT, a tile of gemm.hpp.

It holds exactly rows * vectors multiply-adds, no other sum or product, and no vector on the stack:
a spilt register would show as one. The textbook's, gemm_tile.cpp's, is inlined into two functions.
Neon's loads are counted, too: a row of B, and a number of A a row, which no instruction broadcasts.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

# A jump; a multiply-add; what must not be there.
X86 = (r"j\w+\s", r"vfmadd.*{}", r"v(add|sub|mul)p|.*\(%r[sb]p.*%[xyz]mm|.*%[xyz]mm.*\(%r[sb]p")
ARM = (
    r"b\.\w+\s|cbn?z\s+\w+,\s*",
    r"f?mla\s.*\.[sd]\[0\]$",
    r"(?!f?mla\s.*\[0\]$|(ldu?r\s+[sdq]|ldp\s+q)\d+, (q\d+, )?\[x|prfm\s|(add|subs?)\s+x"
    r"|cmp\s|b\.)",
)


def tile(name):
    """(mr, vectors, bytes), where gemm.hpp names them."""
    text = (Path(__file__).resolve().parents[2] / "05_avx2/gemm.hpp").read_text(encoding="utf-8")
    return map(int, re.search(rf"\b{name}\{{(\d+), (\d+), (\d+)\}}", text).groups())


def functions(path):
    """(name, [(address, instruction)]) of each function."""
    objdump = [os.environ.get("OBJDUMP", "objdump"), "-dC", "--no-show-raw-insn", path]
    text = subprocess.run(objdump, check=True, capture_output=True, text=True).stdout
    for part in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head, _, body = part.partition("\n")
        code = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", body, re.MULTILINE)
        yield head, [(int(address, 16), instruction) for address, instruction in code]


def loops(code, jumps):
    """From a backward jump's target to the jump."""
    for at, (address, instruction) in enumerate(code):
        jump = re.match(rf"(?:{jumps})\s*([0-9a-f]+)\b", instruction)
        if jump and int(jump[1], 16) < address:
            yield [i for a, i in code[:at] if a >= int(jump[1], 16)]


def loaded(loop):
    """Vectors, and single numbers."""
    vectors = sum(i.count("q") for i in loop if i.startswith("ld"))
    return vectors, sum(bool(re.match(r"ldu?r\s+[sd]\d", i)) for i in loop)


def main(name, path):
    mr, vectors, size = tile(name)
    textbook = "gemm_tile.cpp" in path
    shape, register = rf"avx2::TileShape\{{{mr}, {vectors}, {size}\}}", {32: "ymm", 64: "zmm"}
    jumps, multiply_add, others = ARM if size == 16 else X86
    multiply_add = multiply_add.format(register.get(size))
    types = "float|double" + "|int" * (size == 16)  # x86 has two instructions for i32
    micro_kernel = rf"micro_kernel<.*::Tile<({types}), {shape}>, (\d+), false, "
    inlined = rf"(register_tile|macro_kernel)<{shape}, ({types})>"
    found, status = set(), 0
    for head, code in functions(path):
        match = re.search(inlined if textbook else micro_kernel, head)
        if not match:
            continue
        found.add(match.groups())
        rows = mr if textbook else int(match[2])
        expected = rows * vectors
        adds = lambda loop: sum(bool(re.match(multiply_add, i)) for i in loop)
        loop = min((l for l in loops(code, jumps) if adds(l) >= expected), key=len, default=[])
        bad = [i for i in loop if re.match(others, i)]
        if size == 16 and loaded(loop) != (vectors, rows):
            bad.append(f"{loaded(loop)} vectors and numbers loaded, not {vectors, rows}")
        if adds(loop) != expected or bad:
            print(f"{match[0]}: {adds(loop)} multiply-adds, {expected} expected; besides: {bad}")
            status = 1
    kinds = types.count("|") + 1
    if len(found) != kinds * (2 if textbook else mr):
        print(f"found only {sorted(found)}")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
