"""The parent of a learner's program (child.cpp): lays the inputs of each product, with guards round
them, into memory that both share, and verifies the C that it finds there. What the child says or
how it ends makes no result right."""
import itertools, os, struct, sys, tempfile
from functools import cached_property
from types import SimpleNamespace
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the cores are the learner's
try:
    import numpy as np
except ImportError:
    sys.exit(print("try: there is no NumPy here; `sh setup.sh` installs it", file=sys.stderr) or 77)
from process import Run, run

TYPES = "bf16", "f32", "f64", "i32"  # as child.cpp numbers them
OF_C = {"bf16": "f4", "f32": "f4", "f64": "f8", "i32": "i4"}
WIDE = {"f4": "f8", "f8": np.longdouble, "i4": "i8"}  # of the right values
ROUNDOFF = {"f4": 2**-24, "f8": 2**-53, "i4": 0}
ASKED, BEGUN, ANSWERED, OUTSIDE, FAILED, REFUSED = range(6)
PRODUCT = struct.Struct("=19q 5d 256s")  # child.cpp's Product: asked, then state, and what is said
ANSWER = struct.Struct("=q 5d 256s")
BAND = 256  # bytes of guards before and behind a matrix
np.seterr(all="ignore")  # a learner's C holds anything


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * 0x94D049BB133111EB
    return x ^ x >> 31


def filled(kind, name, seed, digits, rows, cols):
    """common/fill.hpp's matrix, in a type that holds its elements exactly."""
    i, j = (np.arange(count, dtype="u8") for count in (rows, cols))
    key = mix(mix(np.array([seed], "u8")) + ord(name))
    bits = mix(mix(key + i)[:, None] + (j + 1) * 0x9E3779B97F4A7C15)
    if digits:
        return (bits >> 32) * 10 >> 32
    if kind == "i32":
        return ((bits >> 32) * 19 >> 32).astype("i8") - 9
    mantissa = 53 if kind == "f64" else 24
    values = ((2 * (bits >> 64 - mantissa) + 1).astype("i8") - (1 << mantissa)) / 2.0**mantissa
    if kind != "bf16" or name == "C":
        return values
    bits = values.astype("f4").view("u4")  # rounded to nearest, ties to even
    return (bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000).view("f4")


class Problem:
    """C += A·B of a type and shape: A, B and C before the product, in C's type."""

    def __init__(self, kind, shape, seed, digits=False):
        self.kind, self.shape, self.seed, self.digits = kind, shape, seed, digits
        self.m, self.n, self.k = m, n, k = [*map(int, shape.split("x"))]
        self.type = OF_C[kind]
        made = (("A", m, k), ("B", k, n), ("C", m, n))
        made = (filled(kind, name, seed, digits, *sides) for name, *sides in made)
        self.a, self.b, self.c = (matrix.astype(self.type) for matrix in made)

    @cached_property
    def wide(self):
        """A, B and C in a wider type."""
        return [matrix.astype(WIDE[self.type]) for matrix in (self.a, self.b, self.c)]

    @cached_property
    def right(self):
        a, b, c = self.wide
        return c + a @ b

    @cached_property
    def allowed(self):
        """What common/verify.hpp lets each element of C differ by."""
        a, b, c = self.wide
        norms = np.sqrt(np.outer((a * a).sum(axis=1), (b * b).sum(axis=0)))
        share = 8 + np.sqrt(self.k) / 4 * (self.kind == "bf16")
        unit = 0 if self.digits else ROUNDOFF[self.type]
        return unit * (share * norms + 2 * (abs(self.right) + abs(c)))

    def is_wrong(self, c):
        """Which elements of C are; NaN is."""
        return ~(abs(c - self.right) <= self.allowed)


def poisoned(kind, *sides):
    """What lies round an input: who reads it spoils the result."""
    return np.full(sides, 65537 if kind == "i4" else np.nan, kind)


def near_one(kind, count):
    """What lies round C: if something is added to NaN, its bits may stay."""
    drawn = np.frombuffer(os.urandom(2 * count), "u2")
    return (1 + drawn / (1 if kind == "i4" else 1 << 16)).astype(kind)


def matrix_at(begin, memory, like, pad):
    """The matrix that begins there, of the shape and type of another."""
    strides = (like.shape[1] + pad) * like.itemsize, like.itemsize
    return np.ndarray(like.shape, like.dtype, memory, begin, strides)


def lay(memory, matrix, pad, guards):
    """Lays it behind what the memory holds, with guards before, in the ends of its rows, and behind, a
    row more. Returns where it begins, and where they end."""
    memory += bytes(-len(memory) % 64)
    begin, (rows, cols) = len(memory) + BAND, matrix.shape
    count = (rows + 1) * (cols + pad) + 2 * BAND // matrix.itemsize
    memory += guards(matrix.dtype, count).tobytes()
    matrix_at(begin, memory, matrix, pad)[:] = matrix
    return begin, len(memory)


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


def answered(problem, before, after, answer, places, pad):
    """A row: what is to be said of a product with this answer, whose A, B and C lie there."""
    state, seconds, *counts, text = ANSWER.unpack(answer)
    row = SimpleNamespace(problem=problem, state=state, seconds=seconds, counts=counts)
    row.verdict, row.message, row.wrong = "", "", np.zeros(1, bool)
    if state in (ASKED, BEGUN):
        return row
    row.c = matrix_at(places[2][0], after, problem.c, pad)
    matrix_at(places[2][0], before, problem.c, pad)[:] = row.c  # nothing else may have changed
    a, b, c, _ = (before[at - BAND : end] == after[at - BAND : end] for at, end in places)
    row.wrong = problem.is_wrong(row.c)
    if not c:
        row.state, row.message = OUTSIDE, "it wrote outside its matrix"
    elif state in (OUTSIDE, FAILED, REFUSED):
        row.message = text.split(b"\0")[0].decode(errors="replace")
    elif not (a and b):
        row.message = "It wrote to A or B: only C may change."
    elif row.wrong.any():
        row.message = "C is wrong."
    row.verdict = "wrong" if row.message or row.wrong.any() else "right"
    return row


def ask(start, program, words, settings, problems, pad=3, repeat=1, **how):
    """Found of these problems with each of the settings (threads, tile, grid, block), `repeat` times
    on the same A and B."""
    asked = [*itertools.product(settings, problems, range(repeat))]
    memory, places, rows = bytearray(len(asked) * PRODUCT.size), [], []
    for at, (setting, of, again) in enumerate(asked):
        inputs = [lay(memory, matrix, pad, poisoned) for matrix in (of.a, of.b) if not again]
        c, bt = lay(memory, of.c, pad, near_one), poisoned(of.type, of.n, of.k)
        places.append([*(inputs or places[-1][:2]), c, lay(memory, bt, pad, poisoned)])
        numbers = TYPES.index(of.kind), of.m, of.n, of.k, pad, *setting, of.seed, of.digits, again
        begins, answer = next(zip(*places[-1])), (ASKED, *[0.0] * 5, b"")
        PRODUCT.pack_into(memory, at * PRODUCT.size, *numbers, *begins, *answer)
    with tempfile.NamedTemporaryFile() as shared:
        shared.write(memory), shared.flush()
        command = [*start, program, shared.name, len(asked), *words]
        done = run(command, writes=shared.name, **how)
        os.truncate(shared.name, len(memory))  # if the program has shortened it, the rest is 0
        after = os.pread(shared.fileno(), len(memory), 0)
    for at, ((_, problem, _), place) in enumerate(zip(asked, places)):
        answer = after[at * PRODUCT.size :][: PRODUCT.size][-ANSWER.size :]
        row = answered(problem, memory, after, answer, place, pad)
        rows += [row] if row.state != ASKED else []  # it ended before
        if row.verdict != "right":
            break
    return Found(done, rows, len(asked))
