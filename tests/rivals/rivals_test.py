"""Tests of rivals.py that load no library: whom it starts, in which environment, and what it makes
of what they say."""
import contextlib, io, os, sys, tempfile, unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "rivals"))
import rivals  # noqa: E402
from rivals import Library, Refusal, Session  # noqa: E402

WAYS = ("default", "pedantic", "bf16x9", "heuristics", "tf32", "bf16")
GPU = [Library("cuBLAS", way, "cuBLAS 1.2", kernel=way, program="rivals_gpu") for way in WAYS]


def library(name="Fast", kernel="", width="own", openmp=True):
    return Library(name, f"lib{name}.so", "1.2", openmp, width, kernel)


class Case(unittest.TestCase):
    """In a folder of its own, where `answer` stands for a library's process, whose calls are
    kept."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.calls, self.out, self.err = [], io.StringIO(), io.StringIO()

    def options(self, **others):
        given = {"build": Path("/built"), "cpus": 4, "type": ["f32"], "threads": [1]}
        given |= {
            "shapes": ["40x40x40", "5x6x7"],
            "on_gpu": ["8x8x8"],
            "on_tensor_cores": ["9x9x9"],
        }
        given |= {"pairs": "5", "budget": "0.5", "csv": "rows.csv", "sustained": False}
        given |= {"rival": [], "blas": [], "variant": []}
        given |= {"rungs": ["avx512", "tuned"], "gpu_rungs": []}
        return SimpleNamespace(**given | others)

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
        outside = {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "1", "CUBLAS_X": "1", "MINE": "mine"}
        with mock.patch.dict(os.environ, outside | {"OTHER": "o"}):
            out, said, status = self.run_it(echo, "check", 5, environment={"MINE": "its"})
        given = ["2", "check", "5", "its", "o", str(os.getpid())]
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


class Libraries(Case):
    def loaded(self, answers, *files):
        """By file and kernel: what the library says; without an answer it ends."""

        def asked_of(_, file, *words):
            said = {"types": "f32", "openmp": "yes", "about": "1.2", "kernel": ""}
            answer = answers.get((file, *words[1:]))
            return {"why": "it ended"} if answer is None else said | {"kernel": answer}

        with mock.patch.object(rivals, "asked_of", asked_of):
            return self.quietly(rivals.loaded, self.options(), "Fast", files)

    def test_each_kernel_that_it_takes_the_widest_first(self):
        answers = {("a.so",): "Zen", ("a.so", "avx512"): "SkylakeX", ("a.so", "avx2"): "Haswell"}
        wide, narrow = self.loaded(answers, "none.so", "a.so", "b.so")[0]
        self.assertEqual((wide.label, wide.width, wide.file), ("Fast SkylakeX", "avx512", "a.so"))
        self.assertEqual((narrow.label, narrow.width), ("Fast Haswell", "avx2"))
        del answers["a.so", "avx512"]
        self.assertEqual(self.loaded(answers, "a.so")[0], [narrow])
        del answers["a.so", "avx2"]
        self.assertEqual(self.loaded(answers, "a.so")[0][0].label, "Fast Zen")
        self.assertEqual(
            self.err.getvalue(),
            "rivals: Fast knows no kernel that is asked for here; it chooses Zen\n",
        )

    def test_one_without_kernels_to_choose_and_none(self):
        answers = {("a.so",): "", ("a.so", "avx512"): "", ("a.so", "avx2"): ""}
        (own,) = self.loaded(answers, "a.so")[0]
        self.assertEqual((own.label, own.width), ("Fast", "own"))
        self.assertEqual(self.loaded({}, "a.so"), ([], "it ended"))


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

    def test_what_becomes_of_an_answer(self):
        for answer, said, wrong in (
            (("row\n", [], 0), "", False),
            (("", ["Fast f32 is wrong: bad"], 1), "Fast f32 is wrong: bad", True),
            (("", [], 77), "", False),
            (ChildProcessError("it ended"), "Fast with 2 threads left out: it ended", False),
        ):
            self.answer, self.calls = mock.Mock(side_effect=[answer]), []
            self.err, session = io.StringIO(), Session(self.options())
            for _ in range(
                1 if not said and answer[2] == 0 else 2
            ):  # who is out is not started again
                self.quietly(
                    session.measure, library(), 2, ["f32", "f64"], "5x6x7", "ours", limit=5
                )
            self.assertEqual(self.err.getvalue(), said and f"rivals: {said}\n")
            self.assertEqual((session.wrong, len(self.calls)), (wrong, 1))
        command = (
            "rivals_cpu measure libFast.so Fast ours --kernel own --type f32,f64 --shape 5x6x7"
        )
        call, _, limit = self.calls[0]
        self.assertEqual(call, f"{command} --threads 2 --pairs 5 --budget 0.5")
        self.assertEqual(limit, 35)

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
        tf32 = "sustained; within 2^-10 of f32 in the infinity norm; cuBLAS 1.2"
        self.assertEqual(
            Path("rows.csv").read_text().splitlines()[1:],
            [
                "library,f32,Fast wide,2,5x6x7,123.5,GFLOP/s,1.2",
                "library,f32,cuBLAS,,8x8x8,1000,GFLOP/s,pedantic is the better; cuBLAS 1.2",
                f"library,tf32,cuBLAS,,8x8x8,123457,GFLOP/s,{tf32}",
            ],
        )

    def compared(self, variant, *rungs):
        """Which rung meets which kernel."""
        kernels = [
            library(kernel="SkylakeX", width="avx512"),
            library(kernel="Haswell", width="avx2"),
        ]
        self.calls, options = [], self.options(variant=variant, rungs=rungs, shapes=["5x6x7"])
        self.quietly(rivals.compare, Session(options), [kernels], [])
        return [(given["COURSE_RUNG"], call.split()[4]) for call, given, _ in self.calls]

    def test_what_is_compared_with_what(self):
        wide, narrow = ("avx512", "SkylakeX"), ("tuned", "Haswell")
        self.assertEqual(self.compared([], "avx512", "tuned"), [wide, narrow])
        self.assertEqual(self.compared([], "tuned"), [("tuned", "SkylakeX"), narrow])
        both = self.compared(["avx512", "tuned"], "avx512", "tuned")
        self.assertEqual(both, [wide, ("tuned", "SkylakeX"), narrow])

    def test_the_cheap_shapes_first_and_threads_that_are_not_openmps(self):
        session = Session(self.options(threads=[1, 2], rungs=["avx512"]))
        self.quietly(rivals.compare, session, [[library(openmp=False)]], GPU)
        words = [call.split() for call, *_ in self.calls]
        self.assertEqual(
            [word[word.index("--shape") + 1] for word in words], ["5x6x7"] * 2 + ["40x40x40"] * 2
        )
        self.assertEqual([word[word.index("--settle") + 1] for word in words], ["0", "0.005"] * 2)
        spins = [given.get("GOMP_SPINCOUNT") for _, given, _ in self.calls]
        self.assertEqual(spins, [None, "10000"] * 2)
        self.assertEqual(self.out.getvalue(), "row\n" * 4)

    def test_each_rung_on_a_gpu_meets_the_ways_of_its_type(self):
        rungs = ["best", "bf16", "f32_by_fp16"]
        session = Session(self.options(sustained=True, rungs=[], gpu_rungs=rungs))
        self.quietly(rivals.compare, session, [[library()]], GPU)
        met = [(given["COURSE_RUNG"], call.split()[2]) for call, given, _ in self.calls]
        expected = [("best", "default"), ("best", "pedantic"), ("bf16", "heuristics")]
        expected += [("f32_by_fp16", way) for way in ("default", "pedantic", "bf16x9")]
        self.assertEqual(met, expected)
        self.assertIn(
            "--sustained-csv rows_sustained.csv --kernel own --type f32", self.calls[0][0]
        )
        shapes = ["8x8x8"] * 2 + ["9x9x9"] * 4
        self.assertEqual([call.split("--shape ")[1].split()[0] for call, *_ in self.calls], shapes)


class Rungs(Case):
    def test_a_rung_that_this_processor_lacks_is_left_out_with_a_line(self):
        options = self.options(variant=["avx512", "bf16"], type=["bf16"])
        self.answer = mock.Mock(side_effect=Refusal("this processor lacks avx512f"))
        self.quietly(rivals.choose_rungs, options)
        said = "rivals: avx512 skipped: this processor lacks avx512f\n"
        self.assertEqual((options.rungs, options.gpu_rungs), ([], ["bf16"]))
        self.assertEqual(self.err.getvalue(), said)


if __name__ == "__main__":
    unittest.main()
