"""Each well-known fault, made on purpose: what is said of it, and is it found wrong?"""
import math, sys, unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / room) for room in ("", "report", "try")]
from judge import TYPES, Problem, np
from diagnose import diagnosed

OBLONG, SQUARE = Problem("f32", "33x20x20", 987654), Problem("f32", "20x20x20", 987654)
(A, B, C), (OF_A, OF_B, OF_C) = OBLONG.wide, SQUARE.wide
I, J = np.indices(C.shape)
at = lambda places: C + A @ B + np.where(places, 1e3, 0)
FAULTS = (  # what is said of this C
    ("It is the only wrong one.", at((I == 7) & (J == 4))),
    ("i ≥ 32, and all of those are wrong: what about the rows that", at(I >= 32)),
    ("(32 = 8 · 4: only whole tiles?)", at(I >= 32)),
    ("j ≥ 17, and all of those are wrong: does a loop, or", at(J >= 17)),
    ("have i ≥ 32 or j ≥ 16", at((I >= 32) | (J >= 16))),
    ("All elements of rank 1, and no others,", at((I >= 16) & (I < 32))),
    ("are rank 1's", at((I == 20) & (J % 2 == 0))),
    ("have j % 4 = 3", at(J % 4 == 3)),
    ("have i % 8 = 5", at(I % 8 == 5)),
    (" of 660 elements are wrong.", at(I * J % 7 == 3)),
    ("Every element is wrong.", at(I >= 0)),
    ("as it was before", C + A @ B * (I <= 30)),
    ("keeps what C held before", A @ B),
    ("It is 0", (C + A @ B) * (I <= 30)),
    ("a(i, p) · b(j, p), not of", C + A @ B.T[:, :20]),
    ("added 3 times", C + 3 * A @ B),
    ("p ≥ 16 are missing", C + A[:, :16] @ B[:16]),
    ("p < 1 are missing", C + A[:, 1:] @ B[1:]),
    ("Only the products of p ≥ 19", A[:, 19:] @ B[19:]),
    ("NaN comes from", np.where((I == 5) & (J > 2), math.nan, C + A @ B)),
    ("the sum of a(j, p) · b(p, i), not of", OF_C + (OF_A @ OF_B).T),
    ("the sum of a(p, i) · b(p, j), not of a(i, p) · b(p, j).", OF_C + OF_A.T @ OF_B),
    ("the sum of a(i, j) · b(j, j), not of", OF_C + 20 * OF_A * OF_B.diagonal()),
)


class Diagnoses(unittest.TestCase):
    def test_each_fault(self):
        for words, c in FAULTS:
            with self.subTest(words):
                problem = OBLONG if len(c) == 33 else SQUARE
                wrong = problem.is_wrong(c)
                said = diagnosed(problem, c, wrong, I // 16 if "rank" in words else None)
                self.assertIn(words, "\n".join([*said[:3], ""]))

    def test_what_is_right(self):
        for kind in TYPES:
            for digits in (False, True):
                problem = Problem(kind, "5x7x9", 1, digits)
                c = problem.right.astype(problem.c.dtype)
                self.assertFalse(problem.is_wrong(c).any())
                for wrong in (1, math.nan) if kind != "i32" else (1,):
                    c[4, 6] += wrong
                    self.assertEqual(np.argwhere(problem.is_wrong(c)).tolist(), [[4, 6]])

    def test_twice_what_is_allowed(self):
        """As common/verify.hpp has it: 8u |a_i| |b_j| + 2u (|c| + |c before|)."""
        right, norms = OBLONG.right[3, 4], math.hypot(*A[3]) * math.hypot(*B[:, 4])
        allowed = (8 * norms + 2 * (abs(right) + abs(C[3, 4]))) * 2**-24
        for share, wrong in ((0.9, False), (1.1, True)):
            c = OBLONG.right.copy()
            c[3, 4] += share * allowed
            self.assertEqual(OBLONG.is_wrong(c).any(), wrong)


if __name__ == "__main__":
    unittest.main()
