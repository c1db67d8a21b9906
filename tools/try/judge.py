"""The parent of a learner's program (child.cpp): asks for products by their recipes in memory that
both share, and verifies the C that it finds there. What the child says or how it ends makes no
result right."""
import itertools, math, os, secrets, struct, tempfile
from array import array
from functools import cached_property
from operator import add, mul
from types import SimpleNamespace
from typing import NamedTuple

from diagnose import Diagnosis, diagnosed
from process import Run, run

TYPES = "bf16", "f32", "f64", "i32"  # as child.cpp numbers them
CODES = {"bf16": "f", "f32": "f", "f64": "d", "i32": "i"}  # of C's elements
ROUNDOFF = {"bf16": 2**-24, "f32": 2**-24, "f64": 2**-53, "i32": 0}
ASKED, BEGUN, ANSWERED, OUTSIDE, FAILED, REFUSED = range(6)
PRODUCT = struct.Struct("=16q 5d 256s")  # child.cpp's Product: asked, then state, and what is said
ANSWER = struct.Struct("=q 5d 256s")
MASK = 2**64 - 1


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def bf16(value):
    """The value rounded to BF16, to nearest, ties to even."""
    bits = struct.unpack("I", struct.pack("f", value))[0]
    return struct.unpack("f", struct.pack("I", bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000))[0]


def element(kind, digits, bits):
    """common/fill.hpp's element of these random bits."""
    if digits:
        return (bits >> 32) * 10 >> 32
    if kind == "i32":
        return ((bits >> 32) * 19 >> 32) - 9
    mantissa = 53 if kind == "f64" else 24
    value = (2 * (bits >> 64 - mantissa) + 1 - (1 << mantissa)) / (1 << mantissa)
    return bf16(value) if kind == "bf16" else value


class Problem:
    """C += A·B of a type and shape: A, B and C before the product, by rows."""

    def __init__(self, kind, shape, seed, digits=False):
        self.kind, self.shape, self.seed, self.digits = kind, shape, seed, digits
        self.m, self.n, self.k = map(int, shape.split("x"))
        of_c = "f32" if kind == "bf16" else kind
        self.a = list(self.matrix("A", kind, self.m, self.k))
        self.b = list(self.matrix("B", kind, self.k, self.n))
        self.c = list(self.matrix("C", of_c, self.m, self.n))
        self.bytes = self.m * self.n * array(CODES[kind]).itemsize  # of C
        self.columns = list(map(list, zip(*self.b))) if self.k else [[]] * self.n

    def matrix(self, name, kind, rows, cols):
        """Its rows, of common/fill.hpp's random bits."""
        key = mix(mix(self.seed) + ord(name) & MASK)
        steps = [0x9E3779B97F4A7C15 * (j + 1) & MASK for j in range(cols)]
        for i in range(rows):
            row = mix(key + i & MASK)
            bits = (mix(row + step & MASK) for step in steps)
            yield array(CODES[kind], [element(kind, self.digits, of) for of in bits])

    @cached_property
    def right(self):
        """A·B + C, by rows; each sum rounded once."""
        total, made = math.fsum if self.kind == "f64" else sum, []
        for row, c in zip(self.a, self.c):
            sums = (total(map(mul, row, column)) for column in self.columns)
            made.append(list(map(add, sums, c)))
        return made

    @cached_property
    def norms(self):
        norm = lambda vector: math.sqrt(sum(map(mul, vector, vector)))
        return list(map(norm, self.a)), list(map(norm, self.columns))

    @cached_property
    def by_vector(self):
        """A vector x that nobody knows before, and (A·B + C)·x."""
        dot = lambda row, of: sum(map(mul, row, of))
        x = [1 + secrets.randbelow(1 << 16) for _ in range(self.n)]
        of_b = [dot(row, x) for row in self.b]
        return x, [dot(a, of_b) + dot(before, x) for a, before in zip(self.a, self.c)]

    def is_right(self, c):
        """Of C, by rows: every element as common/verify.hpp compares them; a C of digits by
        Freivalds' check, which is exact."""
        if len(c) != self.m or any(len(row) != self.n for row in c):
            return False
        if self.digits:
            x, wanted = self.by_vector
            return all(sum(map(mul, row, x)) == want for row, want in zip(c, wanted))
        u, (of_a, of_b) = ROUNDOFF[self.kind], self.norms
        share = (8 + (math.sqrt(self.k) / 4 if self.kind == "bf16" else 0)) * u
        return all(  # written so that NaN is wrong
            abs(value - want) <= share * of_row * norm + 2 * u * (abs(want) + abs(before))
            for row, wants, befores, of_row in zip(c, self.right, self.c, of_a)
            for value, want, before, norm in zip(row, wants, befores, of_b)
        )


class Found(NamedTuple):
    """What a run of a learner's program left."""

    run: Run
    rows: list  # of each product, up to the first that is wrong or did not end
    asked: int

    def right(self):
        all_there = self.run.status == 0 and len(self.rows) == self.asked
        return all_there and self.last().verdict == "right"

    def last(self):
        return self.rows[-1] if self.rows else None

    def printed(self):
        """What the kernel printed in the last of these products; if all are right, in the first."""
        chunks = self.run.out.split("\x1e")[1:]
        at = 0 if self.right() else len(self.rows) - 1
        return [line for line in "".join(chunks[at : at + 1]).split("\n") if line.strip()]


def answer_of(file, asked, at, problem, owner):
    """A row: what is to be said of a product, answered there, whose C lies at `at`."""
    state, seconds, *counts, text = ANSWER.unpack(os.pread(file, ANSWER.size, asked))
    row = SimpleNamespace(problem=problem, state=state, seconds=seconds, counts=counts)
    row.verdict, row.said, row.message = "", Diagnosis(), ""
    if state in (ASKED, BEGUN):
        return row
    c = array(CODES[problem.kind], os.pread(file, problem.bytes, at))
    c, row.verdict = [c[i * problem.n : (i + 1) * problem.n] for i in range(problem.m)], "wrong"
    if state in (OUTSIDE, FAILED, REFUSED):
        row.message = text.split(b"\0")[0].decode(errors="replace")
    if not problem.is_right(c):
        row.said = Diagnosis() if problem.digits else diagnosed(problem, c, owner)
        row.message = row.message or "C is wrong."
    elif not row.message:
        row.verdict = "right"
    return row


def ask(start, program, words, settings, problems, pad=3, repeat=1, owner=None, **how):
    """Found of these problems with each of the settings (threads, tile, grid, block), `repeat` times
    on the same A and B."""
    asked = list(itertools.product(settings, problems, range(repeat)))
    with tempfile.NamedTemporaryFile() as shared:
        file, end, places = shared.fileno(), len(asked) * PRODUCT.size, []
        for at, (setting, problem, again) in enumerate(asked):
            kind, end = TYPES.index(problem.kind), (end + 63) // 64 * 64
            numbers = kind, problem.m, problem.n, problem.k, pad, *setting, problem.seed
            packed = PRODUCT.pack(*numbers, problem.digits, again, end, ASKED, *[0.0] * 5, b"")
            os.pwrite(file, packed, at * PRODUCT.size)
            places.append(((at + 1) * PRODUCT.size - ANSWER.size, end, problem))
            end += problem.bytes
        os.truncate(file, end)
        command = [*start, program, shared.name, len(asked), *words]
        done = run(command, writes=shared.name, **how)
        os.truncate(file, end)  # if the program has shortened it, the rest is 0
        rows = []
        for place in places:
            rows.append(answer_of(file, *place, owner))
            if rows[-1].verdict != "right":
                break
        if rows and rows[-1].state == ASKED:  # it ended before
            rows.pop()
        return Found(done, rows, len(asked))
