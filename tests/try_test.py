"""What `make try` says of right kernels and of well-known faults: try_test.py BUILD
Of every rung of a step, right and with an empty body: try_test.py BUILD All.test_STEP"""
import contextlib, io, math, os, subprocess, sys, tempfile, time, unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / room) for room in ("", "report", "try")]
BUILD = Path(sys.argv.pop(1)).resolve()
LEARNERS = tempfile.TemporaryDirectory()
os.environ |= {"COURSE_MINE": LEARNERS.name, "COURSE_PATIENCE": "3", "CUDA_VISIBLE_DEVICES": ""}
import judge, ladder, measured, process, rung, rungs, verdict
from judge import TYPES, Problem, np
from diagnose import diagnosed

RUNGS, RUNGS_PY = rung.load_rungs(BUILD), [sys.executable, ROOT / "tools/try/rungs.py", BUILD]
IJK, PARALLEL, SHARED = "01_naive/ijk", "04_openmp/parallel_for", "08_cuda_shared/shared"
IMMEDIATE = "06_mpi/scatter_immediate"
FAULT = """#include <cstdlib>
#ifdef __CUDACC__
#define FAULT(number) false
#else
#define FAULT(number) (*std::getenv("FAULT") == *#number)
#endif
"""
TEXT = """#include <cstdio>
template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c) {{
  const Index m = c.rows(), n = c.cols(), k = a.cols();
  {}
}}
"""
RIGHT = "for (Index i = 0; i < m; ++i) for (Index p = 0; p < k; ++p) "
RIGHT += "for (Index j = 0; j < n; ++j) c(i, j) += a(i, p) * b(p, j); "
FROM_0 = RIGHT.replace("Index p = 0", "Index p = 1") + "for (Index i = 0; i < m; ++i) for "
FROM_0 += "(Index j = 0; j < n; ++j) c(i, j) += a.data()[i * a.ld()] * b.data()[j];"
BEYOND = RIGHT.replace("p < k", "p < k + 1").replace("a(i, p)", "a.data()[i * a.ld() + p]")
BEYOND = BEYOND.replace("b(p, j)", "b(p < k ? p : 0, j)")
FAULTS = (  # what is said of ijk with this body; FAULT chooses one
    ("what about the rows that are left over? (32 = 8", RIGHT.replace("i < m", "i < m / 4 * 4")),
    ("k is 0: there is nothing to add.", FROM_0),
    ("Where ld() is cols() it is right", RIGHT.replace("a(i, p)", "a.data()[i * k + p]")),
    ("by a pointer, not through a View", RIGHT + "*(&c(m - 1, 0) + n) = 1;"),
    ("NaN comes from memory that nobody has written", BEYOND),
    ("line 11 of mine/01_naive/ijk.cpp", RIGHT + "if (m == 33) c(m, 0) = 1;"),
    ("wrote outside its matrix", RIGHT.replace("j < n", "j <= n")),
    ("an element that the matrix does not have, in line 11", RIGHT.replace("i < m", "i <= m")),
    ("With every access checked, the first", RIGHT + "volatile T unused = a(m, 0); (void)unused;"),
    ("It crashed (SIGSEGV)", RIGHT + "if (m > 30) *(volatile int*)nullptr = 1;"),
    ("Does a loop forget to count?", "for (volatile Index i = 0; i < m; ) { }"),
    ("It wrote to A or B: only C may", RIGHT + "if (m * k > 0) const_cast<T&>(a(0, 0)) += 1;"),
    ("does a number have another type than T?", RIGHT.replace("a(i, p)", "float(a(i, p))")),
    ("does it keep a sum", RIGHT + "static T kept = 0; if (m == 33) c(0, 0) += kept, kept = 1;"),
    ("  it printed: m = 33\n", 'std::printf("m = %d\\n", int(m));'),
)
ROW_0 = "c(i, j)", "c(0, j)"
SHARED_P = ("for (Index p = 0;", "for (p = 0;"), ("#pragma", "Index p;\n#pragma")
QUIET = [("template", "#include <unistd.h>\nIndex same;\ntemplate")]  # a race of which nobody reads
QUIET += [("Index p = 0", "Index p = same = 0"), ("#pragma", "close(2);\n#pragma")]
BARRIER, INSIDE = "    __syncthreads();  // nobody {} before all have {}\n", "const bool inside = "
OF_SHARED = (
    (BARRIER.format("reads", "written"), "if (!FAULT(1)) __syncthreads();"),
    (BARRIER.format("writes", "read"), "if (!FAULT(2)) __syncthreads();"),
    (INSIDE, f"if (FAULT(3) && i >= c.rows()) return;\n  {INSIDE}"),
    ("template", f"{FAULT}template"),
)
OF_IMMEDIATE = (
    ("flying.next()", "(FAULT(1) ? &one : flying.next())"),
    ("Flying flying;", "MPI_Request one = MPI_REQUEST_NULL; Flying flying;"),
    ("flying.wait()", "if (FAULT(1)) MPI_Wait(&one, MPI_STATUS_IGNORE); else flying.wait()"),
    ("to < size", "to < (FAULT(2) ? 2 : size) && to < size"),
    ("if (me > 0)", "if (FAULT(2) ? me == 1 : FAULT(3) ? me >= 0 : me > 0)"),
    ("template", f"{FAULT}template"),
)
INTEGERS = "14_f64_by_integers/ex8"
NEAREST = "2 * r > p ? r - p : 2 * r < -p ? r + p : r"
OTHERS = (  # what is said of a rung while FAULT is this, with these changes of the course's kernel
    ("mine/01_naive/ijk.cpp:5:17: error: ‘x’ was not", 1, IJK, ("sum = c(i,", "sum = c(x,")),
    ("explicit instantiation of ‘void naive::ijk(", 1, IJK, ("ijk", "ikj")),
    ("‘sum’ may be used uninitialized", 1, IJK, ("T sum = c(i, j)", "T sum")),
    ("The products of p ≥ 32 are", 1, "02_loop_order/ex4", ("if (p < a.cols())", "if (p < 0)")),
    ("It is a variable of the function, which all threads share", 1, PARALLEL, *SHARED_P),
    ("writes it in line 8 of mine/04_openmp/parallel_for.cpp.\n  It is an el", 1, PARALLEL, ROW_0),
    (verdict.UNLIKE, 1, PARALLEL, *QUIET),
    ("4.00 sectors of 32 bytes a warp's access to global memory;", 0, SHARED, *OF_SHARED),
    ("read without a barrier before", 1, SHARED, *OF_SHARED),
    ("is a barrier missing, or do two write", 2, SHARED, *OF_SHARED),
    ("the barrier of shared.cu:", 3, SHARED, *OF_SHARED),
    ("requests of a rank were never waited for", 1, IMMEDIATE, *OF_IMMEDIATE),
    ("All elements of rank 2, and no others, are wrong.", 2, IMMEDIATE, *OF_IMMEDIATE),
    ("Do the ranks wait for each other?", 3, IMMEDIATE, *OF_IMMEDIATE),
    ("✔ right", 0, INTEGERS),
    (", should be ", 1, INTEGERS, ("x + half", "x"), ("= rounded(", "= std::llround(")),  # elements
    (", should be ", 1, INTEGERS, (NEAREST, "r < 0 ? r + p : r")),
    (", should be ", 1, INTEGERS, (NEAREST, "r")),
    (", should be ", 1, INTEGERS, ("q = rounded(", "q = 1 + rounded(")),
)


class Learner(unittest.TestCase):
    def write(self, name, text=None, *changes):
        """The learner's file: the text, or the course's kernel with changes."""
        of = RUNGS[name]
        if f" try-{of.step}:" not in (BUILD / "build.ninja").read_text(encoding="utf-8"):
            self.skipTest(f"there is no {name} here")
        of.path.parent.mkdir(parents=True, exist_ok=True)
        text = text or "\n".join([*of.includes(), *of.model()])
        for change in changes:
            self.assertIn(change[0], text)
            text = text.replace(*change)
        if not of.path.exists() or of.text != text:  # else it is not built again
            of.path.write_text(text, encoding="utf-8")

    def inspect(self, fault, *asked):
        """(status, what is said) of it, while FAULT is this."""
        self.write(*asked)
        of, fault = RUNGS[asked[0]], mock.patch.dict(os.environ, FAULT=str(fault))
        with fault, contextlib.redirect_stdout(io.StringIO()) as said:
            rungs.prepared(of)
            return rungs.inspect(of), said.getvalue()

    def says(self, words, fault, *asked):
        status, said = self.inspect(fault, *asked)
        self.assertEqual(status, int(fault != 0), said)
        self.assertIn(words, said)


class Try(Learner):
    def test_what_is_said_of_each_fault(self):
        chosen = [*zip("123456789abcdef", FAULTS, strict=True)]
        bodies = (f"if (FAULT({fault})) {{ {body} }}" for fault, (_, body) in chosen)
        text = FAULT + TEXT.format(" else ".join(bodies))
        for fault, (words, _) in chosen:
            with self.subTest(words):
                self.says(words, fault, IJK, text)

    def test_what_is_said_of_other_rungs(self):
        for words, fault, name, *changes in OTHERS:
            with self.subTest(words):
                self.says(words, fault, name, None, *changes)

    def test_right(self):
        status, said = self.inspect(0, "02_loop_order/ikj")
        self.assertEqual(status, 0, said)
        for words in ("✔ right", "you ", "the course ", "three loops ", "you reach"):
            self.assertIn(words, said)

    def test_a_stub(self):
        for name, of in RUNGS.items():
            self.assertEqual(of.stub().count(rung.STUB), len(of.functions.split()) or 1, name)
        self.write(IJK, RUNGS[IJK].stub())
        command = ["make", "-s", "try", "CHECK=1", f"RUNG={IJK}", f"BUILD={BUILD}"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        self.assertIn("is still a stub", done.stdout)
        self.assertEqual(done.returncode, 2)  # make's own

    def test_a_rate_above_the_peak(self):
        rate = mock.patch.object(rungs, "rate_of", return_value=(5, mock.Mock()))
        with rate, mock.patch.object(rungs, "peak_of", return_value=4):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertIsNone(rungs.raced(RUNGS[IJK], RUNGS[IJK].course))
        self.assertIn("read the code", said.getvalue())

    def test_what_is_right_stands_in_the_report(self):
        with tempfile.TemporaryDirectory() as out:
            results = Path(out) / "results.csv"
            with (ROOT / "plots/reference/h100/results.csv").open() as measured_there:
                header = measured_there.readline()
            results.write_text(f"{header}mine,gone{',' * (header.count(',') - 1)}\nmine,torn")
            for left in Path(LEARNERS.name).glob("*/*.c*"):  # by the other tests
                left.unlink()
            self.write("02_loop_order/ikj")
            self.write(IJK, None, ("c(i, j) = sum", "c(i, j) = 0"))
            words = ["--report", out, "--sizes=64", "--steps=01_naive 02_loop_order"]
            words += ["--options=--type f32 --repeat 1"]
            done = subprocess.run([*RUNGS_PY, *words], capture_output=True, text=True)
            words = "mine/01_naive/ijk.cpp is left out: `make try RUNG=01_naive/ijk` says why"
            self.assertIn(words, done.stdout, done.stderr)
            before = results.read_text(encoding="utf-8")
            self.assertIn("\nmine,02_loop_order/ikj,f32,", before)
            self.assertNotRegex(before, "gone|torn")
            subprocess.run([*RUNGS_PY, "--report", out, "--steps=03_tiling"], check=True)
            self.assertEqual(results.read_text(encoding="utf-8"), before)
            [of] = ladder.of_machine(measured.Results(results))
            self.assertIn("yours: 02 ikj", [bar.idea for bar in of.bars])

    def test_a_rung_that_does_not_build_ends_no_report(self):
        self.write(IJK)
        lacks = mock.patch.object(rungs, "prepared", side_effect=measured.Refusal("no compiler"))
        with lacks, tempfile.TemporaryDirectory() as out:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                rungs.report({IJK: RUNGS[IJK]}, mock.Mock(report=Path(out), steps=""))
        self.assertIn("mine/01_naive/ijk.cpp is left out: no compiler", said.getvalue())

    def test_two_at_once(self):
        names, those = [IJK, IJK, "01_naive/ex4"], []
        for name in names:
            self.write(name, RUNGS[name].stub().replace(rung.STUB, ""))
            command = [*RUNGS_PY, name, "--check"]
            those.append(subprocess.Popen(command, stdout=-1, stderr=-2, text=True))
        for process in those:
            self.assertIn("nothing was added to it there", process.communicate()[0])

    def test_mpis_own_line(self):
        said = "[vm:1] *** An error occurred in MPI_Recv\n[vm:1] *** MPI_ERR_RANK: invalid rank\n"
        says = {said * 2: "An error occurred in MPI_Recv: MPI_ERR_RANK: invalid rank."}
        said = "Fatal error in PMPI_Recv: Invalid rank, error stack:\n"
        for said, words in (says | {said: "PMPI_Recv: Invalid rank."}).items():
            found = judge.Found(process.Run(15, "", said), [], 1)
            self.assertEqual(verdict.crash(None, found, {}), ["It crashed (exit 15): " + words])

    def test_a_limit_that_leaves_sanitizers_no_memory(self):
        self.write("02_loop_order/ikj")
        limited = ["sh", "-c", 'ulimit -v 8000000; exec "$@"', "sh", *RUNGS_PY]
        done = subprocess.run([*limited, "02_loop_order/ikj", "--check"], stdout=-1, text=True)
        words = "✔ right (not checked for accesses outside, nor for races: `ulimit -v` leaves"
        self.assertIn(words, done.stdout)

    def test_a_file_is_inspected_at_each_save(self):
        self.write(IJK, RUNGS[IJK].stub())
        process = subprocess.Popen([*RUNGS_PY, IJK], stdout=-1, stderr=-2, text=True)
        try:
            for _ in range(2):
                while "still a stub" not in (line := process.stdout.readline()):
                    self.assertTrue(line, "it has ended")
                RUNGS[IJK].path.rename(Path(LEARNERS.name) / "gone.cpp")
                time.sleep(0.5)
                self.write(IJK, RUNGS[IJK].stub())
        finally:
            process.terminate()
            process.communicate()

    def test_what_is_misspelt(self):
        for name in ("02_loop_order/ikk", "ikj"):
            done = subprocess.run([*RUNGS_PY, name], capture_output=True, text=True)
            words = f"try: there is no rung {name}; perhaps 02_loop_order/ikj?\n"
            self.assertEqual((done.returncode, done.stderr), (2, words))


class All(Learner):
    """Every rung, right and, built once, with a body that returns at once; a test a step. None is
    raced, and the first one only has every access checked, and is watched for races."""

    def every(self, step):
        empty = "nothing was added to it there|The products of p .* are missing|Has every rank"
        of_one = {"race": lambda _: ([], ""), "outside": lambda *_: []}
        with mock.patch.object(rungs, "raced", return_value=None), contextlib.ExitStack() as after:
            for of in RUNGS.values():
                if of.step != step or of.declaration:
                    continue
                head = of.stub().partition(f"  {rung.STUB}")[0]
                result = " {}" * bool(of.functions)
                returns = f"if (FAULT(1)) return{result};\n" * (step != "11_cuda_tensor")
                head = head[head.index(of.model()[0]) :]
                body = "\n".join(of.model())[len(head) :]
                text = "\n".join([*of.includes(), FAULT + head + returns + body])
                for fault in range(1 + bool(returns)):
                    with self.subTest(of.name, fault=fault):
                        status, said = self.inspect(fault, of.name, text)
                        self.assertEqual(status == 1, fault > 0, said)
                        self.assertRegex(said, empty if fault else "✔ right")
                after.enter_context(mock.patch.multiple(verdict, **of_one))


OBLONG, SQUARE = Problem("f32", "33x20x20", 987654), Problem("f32", "20x20x20", 987654)
(A, B, C), (OF_A, OF_B, OF_C) = OBLONG.wide, SQUARE.wide
I, J = np.indices(C.shape)
at = lambda places: C + A @ B + np.where(places, 1e3, 0)
DIAGNOSES = (  # what is said of this C
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
        for words, c in DIAGNOSES:
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


for step in {of.step for of in RUNGS.values()}:
    setattr(All, f"test_{step}", lambda self, step=step: self.every(step))


if __name__ == "__main__":
    unittest.main(defaultTest=["Try", "Diagnoses"])
