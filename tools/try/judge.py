"""The parent of a learner's program (child.cpp): makes the inputs of each product, lays them into
memory that both share, and verifies the C that it finds there. What the child says or how it ends
makes no result right."""
import itertools, math, os, secrets, struct, tempfile
from array import array
from functools import cached_property
from operator import add, mul
from random import random, randrange
from types import SimpleNamespace
from typing import NamedTuple

from diagnose import Diagnosis, diagnosed
from process import Run, run

TYPES = "bf16", "f32", "f64", "i32"  # as child.cpp numbers them
CODES = {"bf16": "f", "f32": "f", "f64": "d", "i32": "i"}  # of C's elements
ROUNDOFF = {"bf16": 2**-24, "f32": 2**-24, "f64": 2**-53, "i32": 0}
ASKED, BEGUN, ANSWERED, OUTSIDE, FAILED, REFUSED = range(6)
PRODUCT = struct.Struct("=19q 5d 256s")  # child.cpp's Product: asked, then state, and what is said
ANSWER = struct.Struct("=q 5d 256s")
MASK = 2**64 - 1
FAR = 2**30 + 64  # a row's distance in a matrix whose element (4, 0) lies beyond 2^32


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def hashes(seed, matrix, rows, cols):
    """common/fill.hpp's random bits of each element."""
    key = mix(mix(seed) + ord(matrix) & MASK)
    steps = [0x9E3779B97F4A7C15 * (j + 1) & MASK for j in range(cols)]
    for i in range(rows):
        row = mix(key + i & MASK)
        yield [mix(row + step & MASK) for step in steps]


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
    return (2 * (bits >> 64 - mantissa) + 1 - (1 << mantissa)) / (1 << mantissa)


class Problem:
    """C += A·B of a type and shape: A, B and C before the product, by rows."""

    def __init__(self, kind, shape, seed, digits=False):
        self.kind, self.shape, self.seed, self.digits = kind, shape, seed, digits
        self.m, self.n, self.k = map(int, shape.split("x"))
        code, made = CODES[kind], {}
        sides = {"A": (self.m, self.k), "B": (self.k, self.n), "C": (self.m, self.n)}
        for name, (rows, cols) in sides.items():
            made[name] = [
                array(code, [element(kind, digits, bits) for bits in row])
                for row in hashes(seed, name, rows, cols)
            ]
            if kind == "bf16" and name != "C" and not digits:
                made[name] = [array(code, map(bf16, row)) for row in made[name]]
        self.a, self.b, self.c = made.values()
        self.columns = list(map(list, zip(*self.b))) if self.k else [[]] * self.n

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


class Place:
    """A matrix in the shared file, and guards round it: 256 bytes before, the ends of its rows, a
    row and 256 bytes behind. One whose rows lie far apart has none."""

    def __init__(self, begin, rows, cols, ld, code, guards):
        self.rows, self.cols, self.ld, self.code = rows, cols, ld, code
        self.size = array(code).itemsize
        band = 256 // self.size
        guarded = guards is not None
        self.begin, self.first = begin, begin + band * self.size * guarded
        count = (rows * ld + 2 * band + ld) * guarded
        self.end = begin + (count * self.size + 63) // 64 * 64
        self.written = (guards * (count // len(guards) + 1))[:count] if guarded else None
        self.starts = [band + i * ld for i in range(rows)]

    def lay(self, file, matrix):
        for i, row in enumerate(matrix):
            if self.written is None:
                os.pwrite(file, row, self.first + i * self.ld * self.size)
            else:
                self.written[self.starts[i] : self.starts[i] + self.cols] = row
        if self.written is not None:
            os.pwrite(file, self.written, self.begin)

    def is_unchanged(self, file):
        if self.written is None:
            return True
        return os.pread(file, len(self.written) * self.size, self.begin) == bytes(self.written)

    def found(self, file):
        """(the matrix by rows, whether its guards are intact)"""
        if self.written is None:
            at = [self.first + i * self.ld * self.size for i in range(self.rows)]
            read = [os.pread(file, self.cols * self.size, place) for place in at]
            return [array(self.code, row) for row in read], True
        whole = array(self.code, os.pread(file, len(self.written) * self.size, self.begin))
        rows = [whole[start : start + self.cols] for start in self.starts]
        for start in self.starts:
            whole[start : start + self.cols] = self.written[start : start + self.cols]
        return rows, bytes(whole) == bytes(self.written)


# Round an input, poison: who reads it spoils the result. Round C, numbers near 1, another from
# place to place: what is added to NaN may leave its bits as they were.
def poison(code):
    return array(code, [65537 if code == "i" else math.nan])


def near_one(code):
    return array(code, [randrange(1, 99) if code == "i" else 1 + random() for _ in range(997)])


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


def answer_of(file, at, problem, places, owner):
    """A row: what is to be said of a product, whose A, B and C lie at these places."""
    state, seconds, *counts, text = ANSWER.unpack(os.pread(file, ANSWER.size, at))
    text = text.split(b"\0")[0].decode(errors="replace")
    row = SimpleNamespace(problem=problem, state=state, seconds=seconds, counts=counts, message="")
    row.verdict, row.said = "", Diagnosis()
    if state in (ASKED, BEGUN):
        return row
    *inputs, of_c = places
    (row.c, intact), row.verdict = of_c.found(file), "wrong"
    if state in (OUTSIDE, FAILED, REFUSED):
        row.message = text
    elif not all(place.is_unchanged(file) for place in inputs):
        row.message = "It wrote to A or B: only C may change."
    if not intact:
        row.state, row.message = OUTSIDE, "it wrote outside its matrix"
    if not problem.is_right(row.c):
        row.said = Diagnosis() if problem.digits else diagnosed(problem, row.c, owner)
        row.message = row.message or "C is wrong."
    elif not row.message:
        row.verdict = "right"
    return row


def ask(start, program, words, settings, problems, pad=3, repeat=1, owner=None, **how):
    """Found of these problems with each of the settings (threads, tile, grid, block), `repeat`
    times on the same A and B."""
    count = len(problems) * len(settings) * repeat
    with tempfile.NamedTemporaryFile() as shared:
        file, end, asked = shared.fileno(), (count * PRODUCT.size + 63) // 64 * 64, []
        for setting, problem in itertools.product(settings, problems):
            code, far = CODES[problem.kind], pad > FAR // 2
            sides = (problem.m, problem.k), (problem.k, problem.n), (problem.m, problem.n)

            def place(of, guards):
                nonlocal end
                rows, cols = sides[of] if of < 3 else (problem.n, problem.k)
                made = Place(end, rows, cols, cols + pad, code, None if far else guards(code))
                end = made.end + 64 * far
                return made

            a, b = place(0, poison), place(1, poison)
            a.lay(file, problem.a), b.lay(file, problem.b)
            for again in range(repeat):
                c, bt = place(2, near_one), place(3, poison)
                c.lay(file, problem.c), bt.lay(file, [])
                numbers = TYPES.index(problem.kind), problem.m, problem.n, problem.k, pad, *setting
                numbers += problem.seed, problem.digits, again, a.first, b.first, c.first, bt.first
                packed = PRODUCT.pack(*numbers, ASKED, *[0.0] * 5, b"")
                os.pwrite(file, packed, len(asked) * PRODUCT.size)
                asked.append((problem, (a, b, c)))
        size = end + 5 * pad * 8  # the last rows may lie far behind
        os.truncate(file, size)
        done = run([*start, program, shared.name, count, *words], writes=shared.name, **how)
        os.truncate(file, size)  # if the program has shortened it, the rest is 0
        rows = []
        for at, (problem, places) in enumerate(asked):
            answer = at * PRODUCT.size + PRODUCT.size - ANSWER.size
            rows.append(answer_of(file, answer, problem, places, owner))
            rows[-1].pad = pad
            if rows[-1].verdict != "right":
                break
        if rows and rows[-1].state == ASKED:  # it ended before
            rows.pop()
        return Found(done, rows, count)
