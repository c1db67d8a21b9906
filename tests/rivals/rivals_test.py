"""Tests of rivals.py that load no library: whom it starts, in which environment, and what it makes of what they say."""
import contextlib, csv, io, os, sys, tempfile, unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "rivals"))
import rivals  # noqa: E402
from rivals import MACHINE_COLUMNS, Refusal, Session, Setting  # noqa: E402

WIDE = "avx avx2 fma avx512f avx512dq avx512bw avx512vl"
GPU = [Setting("cuBLAS", way, "cuBLAS 1.2", ["f32", "f64"], False, way, {}, "rivals_gpu") 
       for way in ("default", "pedantic", "bf16x9", "heuristics", "tf32", "bf16")]


def environment(threads, bind="false", places="cores"):
    return {f"{name}_NUM_THREADS": threads for name in ("OMP", "OPENBLAS", "BLIS", "MKL")} | {
        "MKL_DYNAMIC": "FALSE", "OMP_DYNAMIC": "FALSE", "OMP_PROC_BIND": bind, "OMP_PLACES": places}


def library(name="Fast", kernel="", types="f32 f64", openmp=True):
    return Setting(name, f"lib{name}.so", f"1.2; /usr/{name}", types.split(), openmp, kernel, {"KERNEL": kernel} if kernel else {})


def about(**others):
    return {"types": "f32 f64", "kernel": "", "kernels": "", "needs": "", "openmp": "yes", "about": "1.2; /usr/x"} | others


class Case(unittest.TestCase):
    """In a folder of its own, where `answer` stands for a library's process. What was started is in `calls`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.calls, self.rates, self.out, self.err = [], {}, io.StringIO(), io.StringIO()

    def options(self, **others):
        given = {"build": Path("/built"), "processor": "A, fast one (4 cores)", "features": set(WIDE.split()), "cpus": 4, "type": ["f32"],
                 "threads": [1], "shapes": ["40x40x40", "5x6x7"], "on_gpu": ["40x40x40", "5x6x7"], "pairs": "5", "budget": "0.5",
                 "csv": "rows.csv", "resume": False, "alone": True, "rival": [], "blas": [], "variant": [], "rungs": ["avx512", "tuned"], "gpu_rungs": ["best"],
                 "on_tensor_cores": ["9x9x9"], "sustained": False}
        return SimpleNamespace(**given | others)

    def process(self, program, *arguments, environment={}, limit=60):
        words = [str(word) for word in arguments]
        self.calls.append((f"{Path(program).name} {' '.join(words)}", environment, limit))
        return self.answer(words, dict(zip(words[-2::-2], words[::-2])))

    def answer(self, words, given):
        """A library multiplies at its rate, in GFLOP/s; in turns, it prints a row; without a rate it ends."""
        if words[2] not in self.rates:
            raise ChildProcessError("it ended by Aborted")
        line = f"  {given['--shape']} {words[2]}" if "--csv" in words else self.rates[words[2]]
        return {"words": "more"} | dict.fromkeys(given["--type"].split(","), line), [], 0

    def quietly(self, work, *arguments, **named):
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err), mock.patch.object(rivals, "process", self.process):
            return work(*arguments, **named)

    def rows(self):
        with open("rows.csv", newline="") as file:
            return [",".join(row) for row in csv.reader(file)][1:]


class Process(unittest.TestCase):
    def run_it(self, script, *arguments, **named):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "program")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            return rivals.process(program, *arguments, **named)

    def test_what_it_is_given_and_says(self):
        with mock.patch.dict(os.environ, {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "1", "CUBLAS_EMULATE_SINGLE_PRECISION": "1", "A_SETTING": "mine", "OTHER": "o"}):
            out, said, status = self.run_it('echo words; printf "it\\t%s\\n" "$# $1 $2 $(cat) $OMP_PROC_BIND $GOMP_SPINCOUNT $CUBLAS_EMULATE_SINGLE_PRECISION $A_SETTING $OTHER $COURSE_STARTER"',
                                            "check", 5, environment={"A_SETTING": "its"})
        self.assertEqual((out["it"].split(), said, status), (["2", "check", "5", "its", "o", str(os.getpid())], [], 0))
        self.assertEqual(self.run_it("echo 'rivals: one' >&2; echo two >&2; exit 1"), ({}, ["one"], 1))

    def test_how_it_may_end(self):
        for script, kind, reason in (("kill -KILL $$", ChildProcessError, "^it ended by Killed$"), ("exec sleep 50", ChildProcessError, "^nothing came for 0.25 s$"),
                                     ("echo 'rivals: no; give one' >&2; echo words >&2; exit 2", Refusal, "^no; give one$"),
                                     ("echo ' words' >&2; exit 2", Refusal, "^words$")):
            with self.assertRaisesRegex(kind, reason):
                self.run_it(script, limit=0.25 if "sleep" in script else 60)
        with self.assertRaisesRegex(Refusal, "^cannot start /none: No such file or directory; make build$"):
            rivals.process("/none")


class Libraries(Case):
    def settings(self, kind, answers, features=WIDE, files=("lib.so",)):
        """By file and setting: what `tried` finds."""
        tried = lambda options, file, environment={}: answers.get((file, *environment.values()), {"why": "it ended"})  # noqa: E731
        with mock.patch.object(rivals, "tried", tried):
            return rivals.settings_of(self.options(features=set(features.split())), kind, rivals.KINDS[kind][0] or "mine.so", files)

    def test_its_own_choice_and_each_kernel_that_it_knows_and_this_processor_can_run(self):
        answers = {("lib.so",): about(), ("lib.so", "Haswell"): about(kernel="HASWELL", about="h"), ("lib.so", "Zen"): about(kernel="Haswell"),
                   ("lib.so", "SkylakeX"): about(kernel="SkylakeX", types="")}  # Cooperlake ends
        found = self.settings("openblas", answers)
        self.assertEqual([one.label for one in found], ["OpenBLAS", "OpenBLAS Haswell", "OpenBLAS SkylakeX"])
        self.assertEqual(found[1], Setting("OpenBLAS", "lib.so", "h", ["f32", "f64"], True, "Haswell", {"OPENBLAS_CORETYPE": "Haswell"}))
        self.assertEqual(self.settings("openblas", answers, WIDE + " avx512bf16"), found)
        self.assertEqual([len(self.settings("openblas", answers, features)) for features in ("avx2 fma", "avx2")], [2, 1])

    def test_blis_is_told_a_number(self):
        answers = {("lib.so",): about(kernels="skx knl haswell"), ("lib.so", "2"): about(kernel="haswell"), ("lib.so", "0"): about(kernel="skx")}
        self.assertEqual([(one.label, one.environment) for one in self.settings("blis", answers)],
                         [("BLIS", {}), ("BLIS haswell", {"BLIS_ARCH_TYPE": "2"}), ("BLIS skx", {"BLIS_ARCH_TYPE": "0"})])

    def test_the_first_file_that_can_be_loaded_and_run(self):
        answers = {("b.so",): about(about="b"), ("c.so",): about(about="c"), ("d.so",): about(needs="avx2,fma"), ("a.so",): {"why": "no"}}
        self.assertEqual([one.about for one in self.settings("mkl", answers, files=["none.so", "a.so", "b.so", "c.so"])], ["b"])
        self.assertEqual(self.settings("mkl", answers, files=["none.so", "a.so"]), [])
        self.assertEqual([len(self.settings("eigen", answers, features, ["d.so"])) for features in ("avx2 fma", "avx2")], [1, 0])
        with self.assertRaisesRegex(Refusal, "^--blas: 'mine.so' cannot be used: no; give a shared library with cblas_sgemm$"):
            self.settings("blas", answers, files=["a.so"])

    def test_where_they_are_looked_for(self):
        asked = {}
        Path("here.so").touch()
        with mock.patch.object(rivals, "settings_of", lambda _, kind, name, files: asked.setdefault(name, files) and [kind] * (kind != "mkl")), \
                mock.patch.object(rivals.glob, "glob", lambda pattern: [f"{pattern}/2", f"{pattern}/1"]):
            self.assertEqual(rivals.found(self.options(blas=["here.so", "a/there.so"])), [["eigen"], ["openblas"], ["blis"], ["onednn"], ["blas"], ["blas"]])
            self.assertEqual(rivals.found(self.options(rival=["blis", "mkl"], blas=["here.so"])), [["blis"]])
        self.assertEqual(asked["OpenBLAS"][1:3], ["/usr/lib/*/openblas-openmp/libopenblas.so.0/2", "libopenblaso.so.0"])  # of OpenMP first
        self.assertEqual((asked["here.so"], asked["there.so"]), ([str(Path.cwd() / "here.so")], ["a/there.so"]))

    def test_what_machine_csv_knows(self):
        for row in (["processor", "", "", "", "", 2, "threads", "A, fast one (4 cores)"],
                    ["library", "f32", "Fast", 1, "8x8x8", 1, "", "as chosen; 1"], ["library", "f32", "Fast wide", 1, "8x8x8", 1, "", "best; 1"],
                    ["library", "f32", "Good", 1, "8x8x8", 1, "", "as chosen and best; 1"], ["peak", "f32", "Peak", 1, "", 1, "", "best; 1"]):
            rivals.append("machine.csv", MACHINE_COLUMNS, row)
        self.assertEqual(rivals.known_settings("machine.csv", self.options()), {"Fast": "Fast wide", "Good": "Good"})
        with self.assertRaisesRegex(Refusal, r"^--resume: machine.csv tells of another processor, A  fast one \(4 cores\), not of B; give another file$"):
            rivals.known_settings("machine.csv", self.options(processor="B"))
        self.assertEqual(self.quietly(rivals.known_settings, "machine.csv", self.options(processor="B", alone=False)), {})
        self.assertEqual(self.err.getvalue(), "rivals: machine.csv is of another machine, A  fast one (4 cores)\n")

    def test_whether_cublas_is_here(self):
        def here(answer, found, said):
            self.answer, self.err = answer, io.StringIO()
            self.assertEqual((self.quietly(rivals.cublas, self.options(build=Path.cwd())), self.err.getvalue()), (found, said))
        here(None, [], "rivals: cuBLAS skipped: built without nvcc or without cuBLAS\n")
        Path("rivals").mkdir(), Path("rivals/rivals_gpu").touch()
        here(lambda *_: ({"about": "cuBLAS 1.2"}, [], 0), GPU, "")
        here(mock.Mock(side_effect=Refusal("no GPU")), [], "rivals: cuBLAS skipped: no GPU\n")


class Measurements(Case):
    def test_the_environment(self):
        one = library(kernel="wide")
        for threads, *given in (1, "1"), (4, "4", "true"), (5, "5", "true", "threads"):
            self.assertEqual(rivals.environment_of(one, threads, 4), environment(*given) | {"KERNEL": "wide"})
        self.assertEqual(rivals.environment_of(library(openmp=False), 2, 4), environment("2"))

    def test_what_becomes_of_an_answer(self):
        for answer, said, wrong, out in ((({}, ["no row"], 0), "rivals: no row\n", False, set()),
                                         (({}, ["Fast f32 is wrong: bad"], 1), "rivals: Fast f32 is wrong: bad\n", True, {("Fast", "")}),
                                         (({}, [], 77), "", False, {("Fast", "")}),
                                         (ChildProcessError("it ended by Aborted"), "rivals: Fast with 2 threads left out: it ended by Aborted\n", False, {("Fast", "")})):
            self.answer, self.calls, self.err = mock.Mock(side_effect=[answer]), [], io.StringIO()
            session = Session(self.options())
            for _ in range(1 + bool(out)):  # who is out is not started again
                self.quietly(session.measure, library(), 2, ["f32", "f64"], "5x6x7", "ours", limit=5, environment={"MORE": "1"})
            self.assertEqual((self.err.getvalue(), session.wrong, session.out), (said, wrong, out))
            self.assertEqual(self.calls, [("rivals_cpu measure libFast.so Fast ours --type f32,f64 --shape 5x6x7 --threads 2 --pairs 5 --budget 0.5",
                                           environment("2", "true") | {"MORE": "1"}, 35)])

    def best(self, rates, kernels=("", "wide", "old"), known={}):
        self.rates, session = {f"Fast {kernel}".strip(): rate for kernel, rate in rates.items()}, Session(self.options(type=["f64", "f32", "i32"]))
        session.known = known
        return self.quietly(session.best, [library(kernel=kernel) for kernel in kernels]).kernel

    def test_the_best_is_clearly_better_than_its_own_choice(self):
        self.assertEqual(self.best({"": 100, "wide": 102.9, "old": 101}), "")
        self.assertEqual(self.out.getvalue(), "library Fast, f32, 512x512x512, on 1 thread: its choice 100 wide 102.9 old 101 GFLOP/s\n")
        for rates, best in (({"": 100, "wide": 104, "old": 105}, "old"), ({"wide": 0.5}, "wide"), ({"": 0.5}, ""), ({}, "")):
            self.assertEqual(self.best(rates), best)
        del self.calls[:]
        self.assertEqual((self.best({}, known={"Fast": "Fast old"}), self.best({}, [""]), self.calls), ("old", "", []))

    def test_rows_alone(self):
        self.rates = {"Fast": 100, "Fast wide": 123.456, "Good": 7, "default": 1, "cuBLAS default": 900, "cuBLAS pedantic": 1e3, "cuBLAS tf32": 123456.7}
        rivals.append("rows.csv", MACHINE_COLUMNS, ["library", "f32", "Good", 2, "5x6x7", 1, "GFLOP/s", "best; "])
        session = Session(self.options(type=["f32", "i32"], threads=[1, 2], shapes=["5x6x7"], on_gpu=["8x8x8"], resume=True))
        self.quietly(rivals.alone, session, [[library(), library(kernel="wide")], [library("Good", types="f32 i32")]], GPU)
        chosen, best, both = (f"GFLOP/s,{why}; 1.2; /usr/{name}"
                              for why, name in (("as chosen", "Fast"), ("best", "Fast"), ("as chosen and best", "Good")))
        self.assertEqual(self.rows()[1:], [f"library,{row}" for row in (
            f"f32,Fast,1,5x6x7,100,{chosen}", f"f32,Fast,2,5x6x7,100,{chosen}", f"f32,Fast wide,1,5x6x7,123.5,{best}",
            f"f32,Fast wide,2,5x6x7,123.5,{best}", f"f32,Good,1,5x6x7,7,{both}", f"i32,Good,1,5x6x7,7,{both}", f"i32,Good,2,5x6x7,7,{both}",
            "f32,cuBLAS,,8x8x8,1000,GFLOP/s,pedantic is the better; cuBLAS 1.2",
            "tf32,cuBLAS,,8x8x8,123457,GFLOP/s,sustained; within 2^-10 of f32 in the infinity norm; cuBLAS 1.2")])
        self.assertEqual((session.found, session.out), (True, {("cuBLAS bf16", "")}))

    def test_what_is_compared_with_what(self):
        own, haswell, widest = library("OpenBLAS"), library("OpenBLAS", "Haswell"), library("OpenBLAS", "SkylakeX")
        for variant, rungs, best, expected in (
                ([], ["avx512", "tuned"], widest, {("avx512", "SkylakeX"), ("tuned", "Haswell")}),
                ([], ["tuned"], own, {("tuned", ""), ("tuned", "Haswell")}),
                (["avx512", "tuned"], ["avx512", "tuned"], own, {("avx512", ""), ("tuned", ""), ("tuned", "Haswell")})):
            options = self.options(variant=variant, rungs=rungs)
            self.assertEqual({(rung, one.kernel) for rung in rungs for one in (own, haswell, widest) if rivals.compared(options, rung, one, best)}, expected)

    def test_comparisons_each_in_its_process_the_cheap_shapes_first(self):
        self.rates = {"Good": 1, "cuBLAS default": 1, "cuBLAS pedantic": 1}
        session = Session(self.options(threads=[1, 2], resume=True, csv="some.csv"))
        self.quietly(rivals.compare, session, [[library("Good", openmp=False)], [library("Lost")], [library("Bytes", types="u8")]], GPU)
        good, rest = "rivals_cpu measure libGood.so Good /built/05_avx2/libcourse_blas.so --csv some.csv --settle", "--pairs 5 --budget 0.5"
        gpu = "/built/09_cuda_regtile/libcourse_gpu.so --csv some.csv --pairs-csv some_pairs.csv --resume --type f32 --shape"
        self.assertEqual([call for call, *_ in self.calls if "Lost" not in call],
                         [f"{good} {settle} --resume --type f32 --shape {shape} --threads {threads} {rest}"
                          for shape in ("5x6x7", "40x40x40") for threads, settle in ((1, "0.0"), (2, "0.005"))] +
                         [f"rivals_gpu measure {way} cuBLAS {way} {gpu} {shape} --threads 1 {rest}"
                          for shape in ("5x6x7", "40x40x40") for way in ("default", "pedantic")])
        self.assertEqual([given for _, given, _ in (self.calls[0], self.calls[2])], [
            environment("1") | {"COURSE_RUNG": "avx512"}, environment("2") | {"COURSE_RUNG": "avx512", "GOMP_SPINCOUNT": "10000"}])
        self.assertEqual(self.out.getvalue(), "".join(f"  {shape} {name}\n" for names in (["Good"] * 2, ["cuBLAS default", "cuBLAS pedantic"])
                                                      for shape in ("5x6x7", "40x40x40") for name in names))
        self.assertEqual((self.err.getvalue(), session.found), ("rivals: Lost with 1 thread left out: it ended by Aborted\n", True))

    def test_each_rung_on_tensor_cores_meets_cublas_at_its_best_for_the_type(self):
        self.rates = {f"cuBLAS {way}": 1 for way in ("pedantic", "bf16x9", "heuristics")}  # default ends
        session = Session(self.options(sustained=True, csv="some.csv", rungs=[], gpu_rungs=["bf16", "f32_by_bf16", "f32_by_fp16"]))
        self.quietly(rivals.compare, session, [[library(), library(kernel="wide")]], GPU)
        rest = ("/built/11_cuda_tensor/libcourse_tensor.so --csv some.csv --pairs-csv some_pairs.csv --sustained-csv some_sustained.csv "
                "--type {} --shape 9x9x9 --threads 1 --pairs 5 --budget 0.5")
        # Who ended beside one of ours may stand beside the next.
        self.assertEqual([(call, given["COURSE_RUNG"]) for call, given, _ in self.calls],
                         [("rivals_gpu measure heuristics cuBLAS heuristics " + rest.format("bf16"), "bf16"),
                          *((f"rivals_gpu measure {way} cuBLAS {way} {rest.format('f32')}", rung)
                            for rung in ("f32_by_bf16", "f32_by_fp16") for way in ("default", "pedantic", "bf16x9"))])
        self.assertEqual(session.out, {("cuBLAS default", "f32_by_bf16"), ("cuBLAS default", "f32_by_fp16")})


class CommandLine(Case):
    def asked(self, *arguments, features=WIDE):
        self.answer = lambda *_: ({"processor": "A, fast one (4 cores)", "features": features, "cpus": "4"}, [], 0)
        with mock.patch.object(sys, "argv", ["rivals.py", *arguments]):
            return self.quietly(rivals.asked)

    def test_by_default(self):
        options, alone, one = self.asked(), self.asked("--alone"), self.asked("--size", "7")
        self.assertEqual((len(set(options.shapes)), len(options.on_gpu), len(alone.shapes), len(alone.on_gpu)), (18, 15, 6, 7))
        self.assertEqual((one.shapes, one.on_gpu, options.type, options.threads), (["7x7x7"], ["7x7x7"], ["f32", "f64", "bf16"], [1, 4]))
        self.assertEqual((options.on_tensor_cores[::4], one.on_tensor_cores), (["1024x1024x1024", "8192x8192x8192"], ["7x7x7"]))
        self.assertEqual(self.calls[2][0], "rivals_cpu check --size 7 --type f32,f64,bf16 --pairs 21 --budget 0.3")

    def test_a_rung_that_this_processor_lacks_is_left_out_with_a_line(self):
        for features, rungs, last in (("avx2 fma", ["tuned"], "skipped: no library that was asked for is here"),
                                      ("", [], "tuned skipped: this processor lacks avx2,fma")):
            self.err, options = io.StringIO(), self.asked(features=features)
            with mock.patch.multiple(rivals, asked=lambda: options, found=lambda _: [], cublas=lambda _: []):
                self.assertEqual((self.quietly(rivals.main, "."), options.rungs), (77, rungs))
            first, second = self.err.getvalue().splitlines()
            self.assertRegex(first, "^rivals: avx512 skipped: this processor lacks (avx2,fma,)?avx512f,avx512dq,avx512bw,avx512vl$")
            self.assertEqual(second, f"rivals: {last}")

    def test_whether_cublas_is_compared(self):
        tensor = ["bf16", "f32_by_bf16", "f32_by_fp16"]
        for arguments, rungs, met in (([], ["best", *tensor], 1), (["--variant", "tuned"], [], 0), (["--rival", "mkl"], ["best", *tensor], 0),
                                      (["--rival", "cublas", "--variant", "tuned,best"], ["best"], 1), (["--type", "f64"], [], 0),
                                      (["--type", "bf16"], ["bf16"], 1), (["--type", "f32", "--variant", "f32_by_fp16,bf16"], ["f32_by_fp16"], 1)):
            options = self.asked(*arguments)
            with mock.patch.multiple(rivals, asked=lambda: options, found=mock.DEFAULT, compare=mock.DEFAULT, cublas=mock.DEFAULT) as mocks:
                self.assertEqual(self.quietly(rivals.main, "."), 77)
            self.assertEqual((mocks["cublas"].call_count, options.gpu_rungs), (met, rungs), arguments)
            self.assertEqual(options.rungs, ["tuned"] if "tuned" in " ".join(arguments) else [] if "--variant" in arguments else ["avx512", "tuned"])


if __name__ == "__main__":
    unittest.main()
