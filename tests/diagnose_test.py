"""Each well-known fault, made on purpose: what is said of it, and is it found wrong?"""
import math, sys, unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / room) for room in ("", "report", "try")]
from diagnose import Wrong, diagnosed
from judge import Problem

OBLONG, SQUARE = Problem("f32", "33x20x20", 987654), Problem("f32", "20x20x20", 987654)
K = 20
A, B = (lambda i, p: OBLONG.a[i][p]), (lambda p, j: OBLONG.b[p][j])
added, crossed = Wrong(OBLONG, []).products, Wrong(SQUARE, []).products
halves = lambda m, i, j: int(i >= 16)  # rank 1 has the rows from 16 on
at = lambda place: lambda i, j, c, s: c + s + 1e3 * place(i, j)
of_terms = lambda term: lambda i, j, c, s: c + sum(term(i, j, p) for p in range(K))


FAULTS = (  # what is said of C(i, j) made of (i, j, c, s): what it held, and the sum that is due
    ("It is the only wrong one.", at(lambda i, j: (i, j) == (7, 4))),
    ("i ≥ 32, and all of those are wrong: what about the rows that", at(lambda i, j: i >= 32)),
    ("(32 = 8 · 4: only whole tiles?)", at(lambda i, j: i >= 32)),
    ("j ≥ 17, and all of those are wrong: does a loop, or", at(lambda i, j: j >= 17)),
    ("have i ≥ 32 or j ≥ 16", at(lambda i, j: i >= 32 or j >= 16)),
    ("All elements of rank 1, and no others,", at(lambda i, j: i >= 16)),
    ("are rank 1's", at(lambda i, j: i == 20 and j % 2 == 0)),
    ("have j % 4 = 3", at(lambda i, j: j % 4 == 3)),
    ("have i % 8 = 5", at(lambda i, j: i % 8 == 5)),
    (" of 660 elements are wrong.", at(lambda i, j: i * j % 7 == 3)),
    ("Every element is wrong.", at(lambda i, j: True)),
    ("as it was before", lambda i, j, c, s: c + s * (i <= 30)),
    ("keeps what C held before", lambda i, j, c, s: s),
    ("It is 0", lambda i, j, c, s: (c + s) * (i <= 30)),
    ("a(i, p) · b(j, p), not of", of_terms(lambda i, j, p: A(i, p) * B(j, p))),
    ("added 3 times", lambda i, j, c, s: c + 3 * s),
    ("p ≥ 16 are missing", lambda i, j, c, s: c + added(i, j, 0, 16)),
    ("p < 1 are missing", lambda i, j, c, s: c + added(i, j, 1, K)),
    ("Only the products of p ≥ 19", lambda i, j, c, s: added(i, j, K - 1, K)),
    ("NaN comes from", at(lambda i, j: math.nan if i == 5 and j > 2 else 0)),
)
OF_SQUARE = (
    ("i and j are exchanged", lambda i, j, c, s: c + crossed(j, i, 0, K)),
    (
        "the sum of a(p, i) · b(p, j), not of a(i, p) · b(p, j).",
        lambda i, j, c, s: c + sum(SQUARE.a[p][i] * SQUARE.b[p][j] for p in range(K)),
    ),
)


class Diagnoses(unittest.TestCase):
    def test_each_fault(self):
        faults = [(OBLONG, *fault) for fault in FAULTS] + [(SQUARE, *fault) for fault in OF_SQUARE]
        for problem, words, made in faults:
            with self.subTest(words):
                due, c = Wrong(problem, []).products, []
                for i, row in enumerate(problem.c):
                    c.append([made(i, j, held, due(i, j, 0, K)) for j, held in enumerate(row)])
                said = diagnosed(problem, c, halves if "rank" in words else None)
                self.assertIn(words, "\n".join([*said[:3], ""]))
                self.assertFalse(problem.is_right(c))

    def test_what_is_right(self):
        for kind in ("bf16", "f32", "f64", "i32"):
            for digits in (False, True):
                problem = Problem(kind, "5x7x9", 1, digits)
                self.assertTrue(problem.is_right(problem.right))
                self.assertFalse(any(diagnosed(problem, problem.right)))
                for wrong in (1, math.nan):
                    c = [list(row) for row in problem.right]
                    c[4][6] += wrong
                    self.assertFalse(problem.is_right(c))

    def test_twice_what_is_allowed(self):
        """As common/verify.hpp has it: 8u |a_i| |b_j| + 2u (|c| + |c before|)."""
        norms, u = OBLONG.norms, 2**-24
        right, before = OBLONG.right[3][4], OBLONG.c[3][4]
        allowed = 8 * u * norms[0][3] * norms[1][4] + 2 * u * (abs(right) + abs(before))
        for share, verdict in ((0.9, True), (1.1, False)):
            c = [list(row) for row in OBLONG.right]
            c[3][4] += share * allowed
            self.assertIs(OBLONG.is_right(c), verdict)


if __name__ == "__main__":
    unittest.main()
