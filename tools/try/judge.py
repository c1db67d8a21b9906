"""The parent of a learner's program (child.cpp): lays the inputs of each product, with guards round
them, into memory that both share, and verifies the C that it finds there. What the child says or
how it ends makes no result right."""
import itertools, os, struct, sys, tempfile
from types import SimpleNamespace
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the cores are the learner's
try:
    import numpy as np
except ImportError:
    sys.exit(print("try: there is no NumPy here; `sh setup.sh` installs it", file=sys.stderr) or 77)
from process import Run, run

TYPES = "bf16", "f32", "f64", "i32"  # as child.cpp numbers them
OF_C = dict(zip(TYPES, ("f4", "f4", "f8", "i4")))
WIDE = dict(zip(TYPES, ("f8", "f8", np.longdouble, "i8")))  # of the right values
ROUNDOFF = dict(zip(TYPES, (2**-24, 2**-24, 2**-53, 0)))
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
    """C += A·B of a type and shape: A, B and C before the product, and C after it."""

    def __init__(self, kind, shape, seed, digits=False):
        self.kind, self.shape, self.seed, self.digits = kind, shape, seed, digits
        self.m, self.n, self.k = m, n, k = [*map(int, shape.split("x"))]
        sides = {"A": (m, k), "B": (k, n), "C": (m, n)}
        made = (filled(kind, name, seed, digits, *of) for name, of in sides.items())
        self.a, self.b, self.c = inputs = [matrix.astype(OF_C[kind]) for matrix in made]
        self.wide = a, b, c = [matrix.astype(WIDE[kind]) for matrix in inputs]
        self.right = c + a @ b
        # What common/verify.hpp lets an element of C differ by.
        norms = np.sqrt(np.outer((a * a).sum(axis=1), (b * b).sum(axis=0)))
        share = 8 + np.sqrt(k) / 4 * (kind == "bf16")
        roundoff = 0 if digits else ROUNDOFF[kind]
        self.allowed = roundoff * (share * norms + 2 * (abs(self.right) + abs(c)))

    def is_wrong(self, c):
        """Which elements of C are; NaN is."""
        return ~(abs(c - self.right) <= self.allowed)


def poisoned(dtype, *sides):
    """What lies round an input: who reads it spoils the result."""
    return np.full(sides, 65537 if dtype.kind == "i" else np.nan, dtype)


def near_one(dtype, count):
    """What lies round C: if something is added to NaN, its bits may stay."""
    drawn = np.frombuffer(os.urandom(2 * count), "u2")
    return (1 + drawn / (1 if dtype.kind == "i" else 1 << 16)).astype(dtype)


def lay(memory, matrix, pad, guards):
    """Lays it behind what the memory holds, with guards before, in the ends of its rows, and a row
    more behind. Returns where it begins, where they lie, and what finds it in such a memory."""
    memory += bytes(-len(memory) % 64)
    begin, (rows, cols), size = len(memory) + BAND, matrix.shape, matrix.itemsize
    memory += guards(matrix.dtype, (rows + 1) * (cols + pad) + 2 * BAND // size).tobytes()
    strides = (cols + pad) * size, size
    found = lambda of: np.ndarray(matrix.shape, matrix.dtype, of, begin, strides)
    found(memory)[:] = matrix
    return begin, slice(begin - BAND, len(memory)), found


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


def answered(problem, setting, before, after, at, places):
    """A row: what is to be said of the product that is asked for as number `at`."""
    state, seconds, *counts, text = ANSWER.unpack_from(after, (at + 1) * PRODUCT.size - ANSWER.size)
    row = SimpleNamespace(problem=problem, setting=setting, state=state, verdict="", message="")
    row.seconds, row.counts, row.wrong = seconds, counts, np.zeros(1, bool)
    if state in (ASKED, BEGUN):
        return row
    *_, found = places[2]
    row.c = found(after)
    found(before)[:] = row.c  # nothing else may have changed
    a, b, c, _ = (before[part] == after[part] for _, part, _ in places)
    row.wrong = problem.is_wrong(row.c)
    if not c:
        row.state, row.message = OUTSIDE, "it wrote outside its matrix"
    elif state in (OUTSIDE, FAILED, REFUSED):
        row.message = text.split(b"\0")[0].decode(errors="replace") or "C is wrong."
    elif not (a and b):
        row.message = "It wrote to A or B: only C may change."
    elif row.wrong.any():
        row.message = "C is wrong."
    row.verdict = "wrong" if row.message else "right"
    return row


def ask(start, program, words, settings, problems, pad=3, repeat=1, **how):
    """Found of these problems with each of the settings (threads, tile, grid, block), so many times
    on the same A and B."""
    asked = [*itertools.product(settings, problems, range(repeat))]
    memory, places, rows = bytearray(len(asked) * PRODUCT.size), [], []
    for at, (setting, of, again) in enumerate(asked):
        inputs = [lay(memory, matrix, pad, poisoned) for matrix in (of.a, of.b) if not again]
        of_c, bt = lay(memory, of.c, pad, near_one), poisoned(of.b.dtype, of.n, of.k)
        places.append([*(inputs or places[-1][:2]), of_c, lay(memory, bt, pad, poisoned)])
        numbers = TYPES.index(of.kind), of.m, of.n, of.k, pad, *setting, of.seed, of.digits, again
        begins, answer = next(zip(*places[-1])), (ASKED, *[0.0] * 5, b"")
        PRODUCT.pack_into(memory, at * PRODUCT.size, *numbers, *begins, *answer)
    with tempfile.NamedTemporaryFile() as shared:
        shared.write(memory), shared.flush()
        command = [*start, program, shared.name, len(asked), *words]
        done = run(command, writes=shared.name, **how)
        os.truncate(shared.name, len(memory))  # if the program has shortened it, the rest is 0
        after = os.pread(shared.fileno(), len(memory), 0)
    for at, ((setting, problem, _), of) in enumerate(zip(asked, places)):
        rows.append(answered(problem, setting, memory, after, at, of))
        if rows[-1].verdict != "right":
            break
    if rows and rows[-1].state == ASKED:  # it ended before
        rows.pop()
    return Found(done, rows, len(asked))
