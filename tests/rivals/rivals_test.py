"""Tests of rivals.py that load no library: whom it starts, in which environment, and what it makes
of what they say."""
import contextlib, io, os, sys, tempfile, unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "rivals"))
os.environ |= dict.fromkeys(("OMP_PROC_BIND", "GOMP_SPINCOUNT", "CUBLAS_X", "OTHER"), "o")
import rivals  # noqa: E402
from rivals import Library, Refusal, Session  # noqa: E402

WAYS = ("default", "pedantic", "bf16x9", "heuristics", "tf32")
GPU = [Library("cuBLAS", way, "cuBLAS 1.2", kernel=way, program="rivals_gpu") for way in WAYS]


def library(name="Fast", kernel="", width="own", openmp=True):
    return Library(name, f"lib{name}.so", "1.2", openmp, width, kernel)


class Case(unittest.TestCase):
    """In a folder of its own, where `answer` stands for a library's process, whose calls are
    kept."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)
        self.calls, self.out, self.err = [], io.StringIO(), io.StringIO()

    def options(self, **others):
        given = dict(build=Path("/built"), cpus=4, type=["f32"], threads=[1], sustained=False)
        given |= dict(shapes=["40x40x40", "5x6x7"], on_gpu=["8x8x8"], on_tensor_cores=["9x9x9"])
        given |= dict(pairs="5", budget="0.5", csv="rows.csv", rival=[], blas=[], variant=[])
        return SimpleNamespace(**given | dict(rungs=["avx512", "tuned"], gpu_rungs=[]) | others)

    def process(self, _, program, *arguments, environment={}, limit=60):
        words = [str(word) for word in arguments]
        self.calls.append((f"{program} {' '.join(words)}", environment, limit))
        return self.answer(words)

    def answer(self, words):
        return "row\n", [], 0

    def quietly(self, work, *arguments, **named):
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            with mock.patch.object(rivals, "process", self.process):
                return work(*arguments, **named)


class Process(unittest.TestCase):
    def run_it(self, script, *arguments, **named):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "rivals", "program")
            program.parent.mkdir()
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            options = SimpleNamespace(build=Path(folder))
            return rivals.process(options, "program", *arguments, **named)

    def test_what_it_is_given_and_says(self):
        names = "$OMP_PROC_BIND $GOMP_SPINCOUNT $CUBLAS_X $MINE $OTHER $COURSE_STARTER"
        echo = f'echo "$# $1 $2 $(cat) {names}"'
        with mock.patch.dict(os.environ, {"MINE": "mine"}):
            out, said, status = self.run_it(echo, "check", 5, environment={"MINE": "its"})
        given = ["2", "check", "5", "its", str(os.getpid())]
        self.assertEqual((out.split(), said, status), (given, [], 0))
        answer = self.run_it("echo 'rivals: one' >&2; echo two >&2; exit 1")
        self.assertEqual(answer, ("", ["one"], 1))

    def test_how_it_may_end(self):
        for script, kind, reason in (
            ("kill -KILL $$", ChildProcessError, "^it ended by Killed$"),
            ("exec sleep 50", ChildProcessError, "^nothing came for 0.25 s$"),
            ("echo 'rivals: no; give one' >&2; echo words >&2; exit 2", Refusal, "^no; give one$"),
            ("echo words >&2; exit 2", Refusal, "^words$"),
        ):
            with self.assertRaisesRegex(kind, reason):
                self.run_it(script, limit=0.25 if "sleep" in script else 60)
        with self.assertRaisesRegex(Refusal, "^cannot start /none/rivals/x: .*; make build$"):
            rivals.process(SimpleNamespace(build=Path("/none")), "x")


class Measurements(Case):
    def test_the_environment(self):
        for threads, openmp, bind, places in (
            (1, True, "false", "cores"),
            (4, True, "true", "cores"),
            (5, True, "true", "threads"),
            (2, False, "false", "cores"),
        ):
            given = rivals.environment_of(library(openmp=openmp), threads, 4)
            self.assertEqual((given["OMP_PROC_BIND"], given["OMP_PLACES"]), (bind, places))
            counts = {given[f"{name}_NUM_THREADS"] for name in ("OMP", "OPENBLAS", "BLIS", "MKL")}
            self.assertEqual(counts, {str(threads)})

    def test_rows_alone(self):
        rates = {"Fast wide": "123.456", "cuBLAS default": "900", "cuBLAS pedantic": "1e3"}
        rates["cuBLAS tf32"] = "123456.7"

        def answer(words):
            if words[2] not in rates:
                raise ChildProcessError("it ended")
            return f"f32\t{rates[words[2]]}\n", [], 0

        self.answer = answer
        session = Session(self.options(threads=[2], shapes=["5x6x7"]))
        wide, narrow = library(kernel="wide", width="avx512"), library(kernel="narrow")
        self.quietly(rivals.alone, session, [[wide, narrow]], GPU)
        tf32 = "sustained; inputs rounded to TF32; cuBLAS 1.2"
        pedantic = "pedantic is the better; cuBLAS 1.2"
        rows = [
            "library,f32,Fast wide,2,5x6x7,123.5,GFLOP/s,1.2",
            f"library,f32,cuBLAS,,8x8x8,1000,GFLOP/s,{pedantic}",
            f"library,tf32,cuBLAS,,8x8x8,123457,GFLOP/s,{tf32}",
        ]
        self.assertEqual(Path("rows.csv").read_text().splitlines()[1:], rows)

    def given(self, option):
        return [call.split(f"{option} ")[1].split()[0] for call, *_ in self.calls]

    def compared(self, variant, *rungs):
        """Which rung meets which kernel."""
        kernels = [library(kernel="SkylakeX", width="avx512")]
        kernels.append(library(kernel="Haswell", width="avx2"))
        self.calls, options = [], self.options(variant=variant, rungs=rungs, shapes=["5x6x7"])
        self.quietly(rivals.compare, Session(options), [kernels], [])
        return [(given["COURSE_RUNG"], call.split()[4]) for call, given, _ in self.calls]

    def test_what_is_compared_with_what(self):
        wide, narrow = ("avx512", "SkylakeX"), ("tuned", "Haswell")
        self.assertEqual(self.compared([], "avx512", "tuned"), [wide, narrow])
        self.assertEqual(self.compared([], "tuned"), [("tuned", "SkylakeX"), narrow])
        both = self.compared(["avx512", "tuned"], "avx512", "tuned")
        self.assertEqual(both, [wide, ("tuned", "SkylakeX"), narrow])

    def test_each_rung_on_a_gpu_meets_the_ways_of_its_type(self):
        rungs = ["best", "bf16", "f32_by_fp16"]
        session = Session(self.options(sustained=True, rungs=[], gpu_rungs=rungs))
        self.quietly(rivals.compare, session, [[library()]], GPU)
        met = [(given["COURSE_RUNG"], call.split()[2]) for call, given, _ in self.calls]
        expected = [("best", "default"), ("best", "pedantic"), ("bf16", "heuristics")]
        expected += [("f32_by_fp16", way) for way in ("default", "pedantic", "bf16x9")]
        self.assertEqual(met, expected)
        sustained = "--sustained-csv rows_sustained.csv --kernel own --type f32"
        self.assertIn(sustained, self.calls[0][0])
        self.assertEqual(self.given("--shape"), ["8x8x8"] * 2 + ["9x9x9"] * 4)


if __name__ == "__main__":
    unittest.main()
