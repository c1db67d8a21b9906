"""Tests of rivals.py that load no library: whom it starts, in which environment, and what it makes of what they say."""
import contextlib, csv, io, os, sys, tempfile, time, unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import rivals  # noqa: E402
from rivals import COLUMNS, MACHINE_COLUMNS, Ended, Refusal, Session, Setting, standing  # noqa: E402

BUILD = Path("/built")
WIDE = "avx avx2 fma avx512f avx512dq avx512bw avx512vl"
EVERY_ALONE = "--verify none --repeat 5 --budget 0.4 --csv ROWS"


def environment(threads, bind="false", places="cores"):
    return {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "BLIS_NUM_THREADS": threads, "MKL_NUM_THREADS": threads,
            "MKL_DYNAMIC": "FALSE", "OMP_DYNAMIC": "FALSE", "OMP_PROC_BIND": bind, "OMP_PLACES": places}


def library(name="Fast", kernel="", types="f32 f64", openmp=True):
    return Setting(name, f"lib{name}.so", f"1.2; /usr/{name}", types.split(), openmp, kernel, {"KERNEL": kernel} if kernel else {})


def facts(types="f32 f64", kernel="", kernels="", needs="", openmp="yes", about="1.2; /usr/x"):
    return {"types": types, "kernel": kernel, "kernels": kernels, "needs": needs, "openmp": openmp, "about": about}


class Case(unittest.TestCase):
    """With a folder of its own, and in place of build/rivals/meet what `answer` says. What was started is in `calls`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.calls, self.rates = Path(folder.name), [], {}
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.out, self.err = io.StringIO(), io.StringIO()
        self.processor = f"processor\tA, fast one (4 cores)\nfeatures\t{WIDE}\ncpus\t4\n"
        self.about = {}  # by file: what `meet check` finds, or why it ends
        patch = mock.patch.object(rivals, "meet", self.meet)
        patch.start()
        self.addCleanup(patch.stop)

    def meet(self, build, *arguments, environment={}, limit=60):
        words = [str(word) for word in arguments]
        rows = words[words.index("--csv") + 1] if "--csv" in words else ""
        if rows.endswith("/rows"):
            words[words.index(rows)] = "ROWS"
        self.calls.append((" ".join(words), environment, limit))
        self.assertEqual(build, self.built if hasattr(self, "built") else BUILD)
        return self.answer(words, rows)

    def answer(self, words, rows):
        """A library multiplies at its rate, in GFLOP/s; without one it says nothing."""
        if words[0] == "check":
            if len(words) == 1 or words[1].startswith("--"):
                return self.processor, [], 0
            if isinstance(found := self.about.get(words[1], Refusal(f"no {words[1]}")), Exception):
                raise found
            return "a library's words\n" + "".join(f"{name}\t{value}\n" for name, value in found.items()), [], 0
        words = [word for word in words if word != "--resume"]
        given = dict(zip(words[-2::-2], words[::-2]))
        if words[0] == "duel" and words[2] not in self.rates:
            raise Ended("it ended by Aborted")
        if words[0] == "duel":
            for m, n, k in (shape.split("x") for shape in given["--shape"].split(",")):
                cells = {"type": "f32", "m": m, "n": n, "k": k, "threads": given["--threads"], "variant": "tuned", "rival": words[3], "pairs": 3,
                         "ratio": 1.5, "ratio_low": 1, "ratio_high": 2, "ours_gflops": 30, "rival_gflops": 20}
                rivals.append(rows, standing.COLUMNS, [cells.get(name, "") for name in standing.COLUMNS])
            return f"words\n  {given['--shape']} {words[3]}\nmore\n", [], 0
        if rows and words[2] in self.rates:
            for shape in given["--shape"].split(","):
                cells = dict(zip("mnk", shape.split("x"))) | {"gflops": self.rates[words[2]]}
                rivals.append(rows, COLUMNS, [cells.get(name, "") for name in COLUMNS])
        return "", [], 0

    def options(self, **others):
        given = {"build": BUILD, "processor": "A, fast one (4 cores)", "features": set(WIDE.split()), "cpus": 4, "type": ["f32"], "threads": [1],
                 "shapes": ["40x40x40", "5x6x7"], "shaped": True, "pairs": "5", "budget": "0.4", "csv": "rows.csv", "resume": False, "alone": True,
                 "rival": [], "blas": [], "variant": [], "rungs": ["avx512", "tuned"], "lacks": {"avx512": "", "tuned": ""}, "machine": None}
        return SimpleNamespace(**given | others)

    def quietly(self, work, *arguments, **named):
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            return work(*arguments, **named)

    def rows(self, path="rows.csv"):
        with open(path, newline="") as file:
            return list(csv.reader(file))[1:]

    def program(self, *arguments):
        """Its exit status."""
        self.built = self.folder.resolve() / "built"
        with mock.patch.object(sys, "argv", ["rivals.py", "--build", "built", *arguments]):
            return self.quietly(rivals.main, self.folder)


class Meet(unittest.TestCase):
    """The process itself: a script stands where the program would."""

    def run_it(self, script, *arguments, name="meet", **named):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "rivals").mkdir()
            if script is not None:
                (Path(folder) / "rivals" / name).write_text(f"#!/bin/sh\n{script}\n")
                (Path(folder) / "rivals" / name).chmod(0o755)
            return rivals.meet(Path(folder), *arguments, **named)

    def test_what_it_is_given(self):
        with mock.patch.dict(os.environ, {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "1", "A_SETTING": "mine", "OTHER": "o"}):
            out, said, status = self.run_it('echo "$# $1 $2 $(cat) $OMP_PROC_BIND $GOMP_SPINCOUNT $A_SETTING $OTHER $COURSE_STARTER"',
                                            "check", 5, environment={"A_SETTING": "its"})
        self.assertEqual((out.split(), said, status), (["2", "check", "5", "its", "o", str(os.getpid())], [], 0))
        self.assertEqual(self.run_it('echo "$@"', "gpu", "--list", "-x", name="meet_gpu")[0], "--list -x\n")

    def test_what_it_says(self):
        self.assertEqual(self.run_it("echo 'rivals: one' >&2; echo two >&2; echo 'rivals: rivals: three' >&2; exit 1", "alone"),
                         ("", ["one", "rivals: three"], 1))
        self.assertEqual(self.run_it("exit 77", "alone"), ("", [], 77))
        for script, reason in (("echo 'rivals: no; give one' >&2; echo words >&2", "no; give one"), ("echo ' words' >&2", "words"),
                               ("echo", "meet ended with 2")):
            with self.assertRaises(Refusal) as caught:
                self.run_it(f"{script}; exit 2", "alone")
            self.assertEqual(str(caught.exception), reason)

    def test_how_it_may_end(self):
        with self.assertRaises(Ended) as caught:
            self.run_it("kill -KILL $$", "alone")
        self.assertEqual(str(caught.exception), "it ended by Killed")
        started = time.monotonic()
        with self.assertRaises(Ended) as caught:
            self.run_it("exec sleep 50", "alone", limit=0.25)
        self.assertEqual(str(caught.exception), "nothing came for 0.25 s")
        self.assertLess(time.monotonic() - started, 40)
        with self.assertRaises(Refusal) as caught:
            self.run_it(None, "alone")
        self.assertRegex(str(caught.exception), "^cannot start .*/rivals/meet: No such file or directory; make build$")
        with mock.patch("subprocess.run", side_effect=rivals.subprocess.TimeoutExpired("meet", 0)) as run:
            with self.assertRaises(Ended) as caught:
                rivals.meet(BUILD, "check")
        self.assertEqual((str(caught.exception), run.call_args.kwargs["timeout"]), ("nothing came for 60 s", 60))

    def test_check(self):
        found = self.run_it("echo 'words\nabout\t1.2\t3; \"$2\" '$A; exit 0", "check", "x.so")[0]
        self.assertEqual(found.split("\n")[1], 'about\t1.2\t3; "$2" ')
        with mock.patch.object(rivals, "meet", return_value=(found, [], 0)) as meet:
            self.assertEqual(rivals.check(BUILD, "x.so", environment={"A": "b"}), {"about": '1.2\t3; "$2" '})
        meet.assert_called_once_with(BUILD, "check", "x.so", environment={"A": "b"})


class Libraries(Case):
    def settings(self, kind, files, features=WIDE):
        return rivals.settings_of(BUILD, set(features.split()), kind, rivals.KINDS[kind][0] or "mine.so", files)

    def test_its_own_choice_and_each_kernel_that_it_knows_and_this_processor_can_run(self):
        answers = {"": facts(kernel="SkylakeX"), "Haswell": facts(kernel="HASWELL", about="h"), "Zen": facts(kernel="Haswell"),
                   "SkylakeX": facts(kernel="SkylakeX", about="s", types="", openmp="")}

        def check(build, file, environment={}):
            self.assertEqual((build, file), (BUILD, "lib.so"))
            return answers[environment.get("OPENBLAS_CORETYPE", "")]
        first = Setting("OpenBLAS", "lib.so", "1.2; /usr/x", ["f32", "f64"], True)
        haswell = Setting("OpenBLAS", "lib.so", "h", ["f32", "f64"], True, "Haswell", {"OPENBLAS_CORETYPE": "Haswell"})
        widest = Setting("OpenBLAS", "lib.so", "s", ["f32", "f64"], True, "SkylakeX", {"OPENBLAS_CORETYPE": "SkylakeX"})
        with mock.patch.object(rivals, "check", check):
            self.assertEqual(self.settings("openblas", ["lib.so"]), [first, haswell, widest])
            self.assertEqual(self.settings("openblas", ["lib.so"], "avx2 fma"), [first, haswell])
            self.assertEqual(self.settings("openblas", ["lib.so"], "avx2"), [first])
            for wide in "Cooperlake", "SapphireRapids":
                answers[wide] = facts(kernel="SkylakeX")
            self.assertEqual(self.settings("openblas", ["lib.so"], WIDE + " avx512bf16"), [first, haswell, widest])
            answers["Cooperlake"] = answers["SapphireRapids"] = facts(kernel="none")
            del answers["Cooperlake"]
            with self.assertRaises(KeyError):  # it is asked for
                self.settings("openblas", ["lib.so"], WIDE + " avx512bf16")
        self.assertEqual((first.label, haswell.label), ("OpenBLAS", "OpenBLAS Haswell"))

    def test_blis_is_told_a_number(self):
        answers = {None: facts(kernel="skx", kernels="skx knl haswell zen", openmp=""), "2": facts(kernel="haswell"), "3": facts(kernel="skx"),
                   "0": facts(kernel="skx")}
        with mock.patch.object(rivals, "check", lambda build, file, environment={}: answers[environment.get("BLIS_ARCH_TYPE")]):
            found = self.settings("blis", ["lib.so"])
        self.assertEqual([(one.label, one.openmp, one.environment) for one in found],
                         [("BLIS", False, {}), ("BLIS haswell", False, {"BLIS_ARCH_TYPE": "2"}), ("BLIS skx", False, {"BLIS_ARCH_TYPE": "0"})])

    def test_the_first_file_that_can_be_loaded(self):
        self.about = {"b.so": facts(about="b"), "c.so": facts(about="c"), "a.so": Ended("it ended by Aborted")}
        self.assertEqual([one.about for one in self.settings("mkl", ["none.so", "a.so", "b.so", "c.so"])], ["b"])
        self.assertEqual(self.settings("mkl", ["none.so", "a.so"]), [])
        with self.assertRaisesRegex(Refusal, "^--blas: 'mine.so' cannot be used: it ended by Aborted; give a shared library with cblas_sgemm$"):
            self.settings("blas", ["a.so"])

    def test_what_this_processor_cannot_run_is_not_here(self):
        self.about = {"a.so": facts(needs="avx2,fma")}
        self.assertEqual(len(self.settings("eigen", ["a.so"], "avx2 fma")), 1)
        self.assertEqual(self.settings("eigen", ["a.so"], "avx2"), [])

    def test_where_they_are_looked_for(self):
        asked = []

        def settings_of(build, features, kind, name, files):
            asked.append((build, features, kind, name, files))
            return [] if kind == "mkl" else [kind]
        (self.folder / "here.so").touch()
        names = lambda pattern: [f"{pattern}/2", f"{pattern}/1"]  # noqa: E731
        with mock.patch.object(rivals, "settings_of", settings_of), mock.patch.object(rivals.glob, "glob", names):
            options = self.options(blas=["here.so", "a/there.so"])
            self.assertEqual(rivals.found(options), [["eigen"], ["openblas"], ["blis"], ["onednn"], ["cublas"], ["blas"], ["blas"]])
            mine = (BUILD, options.features)
            self.assertEqual(asked[0], (*mine, "eigen", "Eigen", ["/built/rivals/libcourse_eigen.so/1", "/built/rivals/libcourse_eigen.so/2"]))
            self.assertEqual(asked[1], (*mine, "openblas", "OpenBLAS", [
                "/usr/lib/*/openblas-openmp/libopenblas.so.0/1", "/usr/lib/*/openblas-openmp/libopenblas.so.0/2",  # of OpenMP first
                "libopenblaso.so.0", "libopenblas.so.0", "libopenblas.so",
                "/usr/lib/*/openblas-pthread/libopenblas.so.0/1", "/usr/lib/*/openblas-pthread/libopenblas.so.0/2"]))
            self.assertEqual(asked[2], (*mine, "blis", "BLIS", ["/usr/lib/*/blis-openmp/libblis.so.4/1", "/usr/lib/*/blis-openmp/libblis.so.4/2",
                                                                "libblis.so.4", "libblis.so.3", "libblis.so"]))
            self.assertEqual(asked[3:5], [(*mine, "onednn", "oneDNN", ["libdnnl.so.3", "libdnnl.so.2"]),
                                          (*mine, "mkl", "MKL", ["libmkl_rt.so.2", "libmkl_rt.so"])])
            self.assertEqual(asked[6:], [(*mine, "blas", "here.so", [str(Path.cwd() / "here.so")]), (*mine, "blas", "there.so", ["a/there.so"])])
            self.assertEqual(rivals.found(self.options(rival=["blis", "mkl"], blas=["here.so"])), [["blis"]])
            self.assertEqual(rivals.found(self.options(rival=["blas"], blas=["here.so"])), [["blas"]])

    def test_the_kernels_of_narrow_settings_need_avx2_alone(self):
        for label in rivals.NARROW:
            name, kernel = label.split()
            kernels = next(kernels for of, _, _, kernels in rivals.KINDS.values() if of == name)
            self.assertEqual(kernels[kernel], "avx2 fma")


class Known(Case):
    def test_of_machine_csv(self):
        for row in (["processor", "", "", "", "", 2, "threads", "A, fast one (4 cores)"],
                    ["library", "f32", "Fast", 1, "8x8x8", 1, "", "as chosen; 1"],
                    ["library", "f32", "Fast wide", 1, "8x8x8", 1, "", "best; 1"],
                    ["library", "f32", "Good", 1, "8x8x8", 1, "", "as chosen and best; 1"],
                    ["peak", "f32", "Peak", 1, "", 1, "", "best; 1"]):
            rivals.append("machine.csv", MACHINE_COLUMNS, row)
        known = {"Fast": "Fast wide", "Good": "Good"}
        self.assertEqual(rivals.known_settings("machine.csv", self.options()), known)
        self.assertEqual(rivals.known_settings(None, self.options()), {})
        with self.assertRaisesRegex(Refusal,
                                    r"^--resume: machine.csv tells of another processor, A  fast one \(4 cores\), not of B; give another file$"):
            rivals.known_settings("machine.csv", self.options(processor="B"))
        self.assertEqual(self.quietly(rivals.known_settings, "machine.csv", self.options(processor="B", alone=False)), {})
        self.assertEqual(self.err.getvalue(), "rivals: machine.csv is of another machine, A  fast one (4 cores)\n")

    def test_of_rivals_csv(self):
        for variant, rival in (("tuned", "Other"), ("avx512", "OpenBLAS Haswell"), ("avx512_threads", "OpenBLAS SkylakeX"),
                               ("avx512", "OpenBLAS Zen"),
                               ("avx512", "BLIS skx"), ("avx512", "BLIS haswell"), ("tuned", "MKL")):
            rivals.append("rows.csv", standing.COLUMNS,
                          [{"variant": variant, "rival": rival}.get(name, "") for name in standing.COLUMNS])
        self.assertEqual(rivals.met_settings("rows.csv", "avx512"), {"OpenBLAS": "OpenBLAS SkylakeX", "BLIS": "BLIS skx"})


class Processes(Case):
    def test_the_environment(self):
        one = library(kernel="wide")
        self.assertEqual(rivals.environment_of(one, 1, 4), environment("1") | {"KERNEL": "wide"})
        self.assertEqual(rivals.environment_of(one, 4, 4), environment("4", "true") | {"KERNEL": "wide"})
        self.assertEqual(rivals.environment_of(one, 5, 4), environment("5", "true", "threads") | {"KERNEL": "wide"})
        self.assertEqual(rivals.environment_of(library(openmp=False), 2, 4), environment("2"))

    def test_what_becomes_of_an_answer(self):
        answers = {"a": ("found", ["no row"], 0), "b": ("", ["wrong: Fast: bad; again by: x --type f32 --shape 5x6x7", "more"], 1),
                   "c": ("", ["skipped: it"], 77),
                   "d": ("", ["Fast f32 is wrong: 8x8x8: bad", "ours too"], 1)}
        self.answer = lambda words, rows: answers[words[1]]

        def of(what, name, setting):
            session = Session(self.options())
            found = self.quietly(session.run, what, setting, 2, name, limit=5, environment={"MORE": "1"})
            said, self.err = self.err.getvalue(), io.StringIO()
            return found, said, session.wrong, session.out
        self.assertEqual(of("alone", "a", library()), ("found", "", False, set()))
        self.assertEqual(self.calls, [("alone a", environment("2", "true") | {"MORE": "1"}, 15)])
        self.assertEqual(of("duel", "a", library()), ("found", "rivals: no row\n", False, set()))
        self.assertEqual(of("alone", "b", library()), (None, "rivals: Fast f32 is wrong: 5x6x7: Fast: bad\n", True, {"Fast"}))
        self.assertEqual(of("alone", "c", library())[0], None)
        self.assertEqual(of("alone", "c", library())[2:], (False, set()))
        self.assertEqual(of("duel", "d", library(kernel="wide")), (None, "rivals: Fast f32 is wrong: 8x8x8: bad\nrivals: ours too\n", True,
                                                                   {"Fast wide"}))

    def test_who_ends_is_out(self):
        self.answer = mock.Mock(side_effect=Ended("it ended by Aborted"))
        session = Session(self.options())
        for threads in 2, 1:
            self.assertEqual(self.quietly(session.run, "duel", library(), threads, limit=5), None)
        self.assertEqual((self.err.getvalue(), session.wrong, len(self.calls)),
                         ("rivals: Fast with 2 threads left out: it ended by Aborted\n", False, 1))

    def test_right_is_asked_once_of_each_type_that_it_has(self):
        session = Session(self.options(type=["i32", "f64", "f32"]))
        for _ in range(2):
            self.assertTrue(session.right(library(), 1))
        self.assertTrue(session.right(library(), 2))
        self.assertFalse(session.right(library(types="u8"), 1))
        call = "alone libFast.so Fast --shape 67x45x129,301x257x190 --type f64,f32 --repeat 1 --warmup 0"
        self.assertEqual(self.calls, [(call, environment("1"), 10), (call, environment("2", "true"), 10)])
        session.out.add("Fast")
        self.assertFalse(session.right(library(), 1))

    def test_timed(self):
        self.rates = {"Fast": 3.5}
        rows = Session(self.options()).timed(library(), 1, "f32", ["40x40x40", "5x6x7"])
        self.assertEqual([(row["m"], row["gflops"]) for row in rows], [("40", "3.5"), ("5", "3.5")])
        self.assertEqual(self.calls[1:], [(f"alone libFast.so Fast --shape 40x40x40,5x6x7 --type f32 {EVERY_ALONE}", environment("1"),
                                           10 + 40 * 0.4 * 2)])
        del self.calls[:]
        self.assertEqual(Session(self.options()).timed(library(), 1, "f32", []), [])
        self.assertEqual(self.calls, [])
        self.assertEqual(Session(self.options()).timed(library("Lost"), 1, "f32", ["5x6x7"]), [])

    def best(self, rates, kernels=("", "wide", "old"), types="f64 f32", known={}):
        self.rates, session = rates, Session(self.options(type=["f64", "f32", "i32"]))
        session.known = known
        return self.quietly(session.best, [library(kernel=kernel, types=types) for kernel in kernels]).kernel

    def test_the_best_is_clearly_better_than_its_own_choice(self):
        self.assertEqual(self.best({"Fast": 100, "Fast wide": 102.9, "Fast old": 101}), "")
        self.assertEqual(self.out.getvalue(), "library Fast, f32, 512x512x512, on 1 thread: its choice 100 wide 102.9 old 101 GFLOP/s\n")
        self.assertIn((f"alone libFast.so Fast wide --shape 512x512x512 --type f32 {EVERY_ALONE}", environment("1") | {"KERNEL": "wide"}, 26),
                      self.calls)
        self.assertEqual(self.best({"Fast": 100, "Fast wide": 104, "Fast old": 105}), "old")
        self.assertEqual(self.best({"Fast": 0.5, "Fast wide": 0.52}), "wide")
        self.assertEqual(self.best({"Fast wide": 0.5}), "wide")
        self.assertEqual(self.best({"Fast": 0.5}), "")
        self.assertEqual(self.best({}), "")

    def test_the_best_that_is_known_or_alone_is_not_looked_for(self):
        self.assertEqual(self.best({}, known={"Fast": "Fast old", "Slow": "Fast wide"}), "old")
        self.assertEqual(self.best({}, [""]), "")
        self.assertEqual((self.calls, self.out.getvalue()), ([], ""))
        self.assertEqual(self.best({"Fast": 5}, types="i32 f64", known={"Fast": "Fast lost"}), "")
        self.assertTrue(self.out.getvalue().startswith("library Fast, f64, "), self.out.getvalue())


class Alone(Case):
    def test_rows_as_chosen_and_best(self):
        self.rates = {"Fast": 100, "Fast wide": 123.456, "Good": 7}
        session = Session(self.options(type=["f32", "i32"], threads=[1, 2], rival=["eigen"]))
        self.quietly(rivals.alone, session, [[library(), library(kernel="wide")], [library("Good", types="f32 i32")]])
        chosen, best, both = (f"GFLOP/s,{why}; 1.2; /usr/{name}"
                              for why, name in (("as chosen", "Fast"), ("best", "Fast"), ("as chosen and best", "Good")))
        self.assertEqual([",".join(row) for row in self.rows()],
                         [f"library,{type},{label},{threads},{shape},{rest}" for type, label, threads, rest in
                          (("f32", "Fast", 1, f"100,{chosen}"), ("f32", "Fast", 2, f"100,{chosen}"),
                           ("f32", "Fast wide", 1, f"123.5,{best}"), ("f32", "Fast wide", 2, f"123.5,{best}"),
                           ("f32", "Good", 1, f"7,{both}"), ("i32", "Good", 1, f"7,{both}"), ("f32", "Good", 2, f"7,{both}"),
                           ("i32", "Good", 2, f"7,{both}"))
                          for shape in ("40x40x40", "5x6x7")])
        self.assertIn("  f32  Fast wide             2 threads 5x6x7             123.5 GFLOP/s\n", self.out.getvalue())
        self.assertTrue(session.found)
        self.assertFalse(any(call.startswith("gpu") for call, *_ in self.calls))

    def test_only_what_the_file_lacks(self):
        self.rates = {"Fast": 100}
        rivals.append("rows.csv", MACHINE_COLUMNS, ["library", "f32", "Fast", 1, "40x40x40", 1, "GFLOP/s", "best; "])
        for shapes, lines in (["40x40x40"], 1), (["40x40x40", "5x6x7"], 2):
            session = Session(self.options(resume=True, rival=["eigen"], shapes=shapes))
            self.quietly(rivals.alone, session, [[library()]])
            self.assertEqual((len(self.rows()), session.found), (lines, True))
        session = Session(self.options(rival=["eigen"]))
        self.quietly(rivals.alone, session, [[library("Lost")]])
        self.assertFalse(session.found)

    def test_whether_the_gpu_is_asked(self):
        for rival, asked in ([], True), (["cublas"], True), (["eigen"], False):
            with mock.patch.object(rivals, "on_gpu") as on_gpu:
                session = Session(self.options(rival=rival))
                rivals.alone(session, [])
            self.assertEqual(on_gpu.call_args_list, [mock.call(session, set())] * asked)


class OnGpu(Case):
    def setUp(self):
        super().setUp()
        self.built = self.folder
        (self.folder / "rivals").mkdir()
        (self.folder / "rivals/meet_gpu").touch()
        self.listed = "rivals: cuBLAS 1.2\n  default\n", [], 0

    def answer(self, words, rows):
        if words[1] == "--list":
            if isinstance(self.listed, Exception):
                raise self.listed
            return self.listed
        if words[1] == "duel":
            return "  a row\n", [], 0
        given = dict(zip(words[1::2], words[2::2]))
        for place, variant in enumerate(given["--variant"].split(",") if rows else ()):
            for shape in given["--shape"].split(","):
                cells = dict(zip("mnk", shape.split("x"))) | {"variant": variant, "gflops": int(shape.split("x")[0]) + place + 0.04,
                                                              "verdict": "wrong" if place and shape == "1200x1x1" else "unverified"}
                if shape != "5x5x5":
                    rivals.append(rows, COLUMNS, [cells.get(name, "") for name in COLUMNS])
        return "", [], 0

    def here(self, listed=None):
        self.listed, self.err = listed or self.listed, io.StringIO()
        return self.quietly(rivals.cublas_here, self.folder), self.err.getvalue()

    def test_whether_it_is_here(self):
        self.assertEqual(self.here(), ("cuBLAS 1.2", ""))
        self.assertEqual(self.here(("cuBLAS; not here: no GPU\n", [], 77)), (None, "rivals: cuBLAS skipped: meet_gpu ended with 77\n"))
        self.assertEqual(self.here(("cuBLAS\n  default; not here: no GPU\n", [], 0)), (None, "rivals: cuBLAS skipped: no GPU\n"))
        self.assertEqual(self.here(("cuBLAS 1\n", [], 1)), (None, "rivals: cuBLAS skipped: meet_gpu ended with 1\n"))
        self.assertEqual(self.here(Ended("it ended by Aborted")), (None, "rivals: cuBLAS skipped: it ended by Aborted\n"))
        (self.folder / "rivals/meet_gpu").unlink()
        self.assertEqual(self.here(), (None, "rivals: cuBLAS skipped: built without nvcc or without cuBLAS\n"))

    def test_rows_alone(self):
        session = Session(self.options(build=self.folder, type=["f32", "f64"], shapes=["999x1x1", "1200x1x1", "5x5x5"]))
        there = {("f64", "cuBLAS", "", shape) for shape in session.options.shapes} | {("bf16", "cuBLAS", "", "1200x1x1")}
        self.quietly(rivals.on_gpu, session, there)
        within = "sustained; {}within 2^-{} of f32 in the infinity norm; cuBLAS 1.2".format
        self.assertEqual([",".join(row) for row in self.rows()],
                         [f"library,{type},cuBLAS,,{rest}" for type, rest in (
                             ("f32", "999x1x1,1000,GFLOP/s,pedantic is the better; cuBLAS 1.2"),
                             ("f32", "1200x1x1,1200,GFLOP/s,default is the better; cuBLAS 1.2"),
                             ("tf32", f"999x1x1,999.0,GFLOP/s,{within('', 10)}"), ("tf32", f"1200x1x1,1200,GFLOP/s,{within('', 10)}"),
                             ("bf16", f"999x1x1,999.0,GFLOP/s,{within('BF16 to BF16; ', 8)}"))])
        self.assertIn("  tf32 cuBLAS                          999x1x1           999.0 GFLOP/s\n", self.out.getvalue())
        ways, shapes = "gpu --type f32 --variant", "--shape 999x1x1,1200x1x1,5x5x5 --verify none --repeat"
        self.assertEqual([(call, limit) for call, _, limit in self.calls], [
            ("gpu --list", 60), (f"{ways} default,pedantic --shape 67x45x129,301x257x190 --repeat 1 --warmup 0", 70),
            (f"{ways} default,pedantic {shapes} 5 --warmup 2 --budget 1000000000.0 --csv ROWS", 100),
            (f"{ways} tf32 {shapes} 1 --warmup 0 --budget 1000000000.0 --csv ROWS", 100),
            (f"{ways} bf16 --shape 999x1x1,5x5x5 --verify none --repeat 1 --warmup 0 --budget 1000000000.0 --csv ROWS", 70)])
        self.assertEqual({frozenset(given.items()) for _, given, _ in self.calls[1:]}, {frozenset(environment("1").items())})
        self.assertTrue(session.found)

    def test_types_and_sizes(self):
        for there, type, found in (set(), "i32", False), ({("f64", "cuBLAS", "", "5x5x5")}, "f64", True), (set(), "f64", False):
            session = Session(self.options(build=self.folder, type=[type], shapes=["5x5x5"]))
            self.quietly(rivals.on_gpu, session, there)
            self.assertEqual(session.found, found)
        session = Session(self.options(build=self.folder, type=["f64"], shaped=False))
        self.quietly(rivals.on_gpu, session, set())
        self.assertEqual([row[4] for row in self.rows()],
                         ["256x256x256", "512x512x512", "1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "8192x8192x128"])
        self.assertTrue(session.found)
        self.listed = "", [], 1
        self.quietly(rivals.on_gpu, session, set())
        self.quietly(rivals.duels_on_gpu, session)
        self.assertEqual(self.calls[-1][0], "gpu --list")

    def test_duels(self):
        session = Session(self.options(build=self.folder, shapes=["20x20x20", "30x30x3"], csv="some.csv", resume=True))
        self.quietly(rivals.duels_on_gpu, session)
        self.assertEqual(self.calls[1:], [
            (f"gpu duel {self.folder}/09_cuda_regtile/libcourse_gpu.so --shape {shape} --type f32 --pairs 5 --budget 0.4 --csv some.csv "
             "--pairs-csv some_pairs.csv --resume", environment("1"), 130) for shape in ("30x30x3", "20x20x20")])
        self.assertEqual((self.out.getvalue(), session.found), ("  a row\n  a row\n", True))
        del self.calls[:]
        self.quietly(rivals.duels_on_gpu, Session(self.options(build=self.folder, shaped=False)))
        squares = [512, 1000, 1024, 2000, 2048, 3000, 4096, 5000, 6400, 8192, 14400]
        self.assertEqual(sorted(call.split()[4] for call, *_ in self.calls[1:]),
                         sorted([f"{n}x{n}x{n}" for n in squares] + [f"8192x8192x{k}" for k in (32, 64, 128, 156)]))
        self.assertFalse(any("--resume" in call for call, *_ in self.calls))


class Duels(Case):
    def test_who_meets_whom(self):
        own, haswell, widest = library("OpenBLAS"), library("OpenBLAS", "Haswell"), library("OpenBLAS", "SkylakeX")
        for variant, rungs, best, expected in (
                ([], ["avx512", "tuned"], widest, {("avx512", "SkylakeX"), ("tuned", "Haswell")}),
                ([], ["tuned"], own, {("tuned", ""), ("tuned", "Haswell")}),
                (["avx512", "tuned"], ["avx512", "tuned"], own, {("avx512", ""), ("tuned", ""), ("tuned", "Haswell")}),
                ([], ["avx512", "tuned"], haswell, {("avx512", "Haswell"), ("tuned", "Haswell")})):
            options = self.options(variant=variant, rungs=rungs)
            self.assertEqual({(rung, one.kernel) for rung in rungs for one in (own, haswell, widest) if rivals.meets(options, rung, one, best)},
                             expected)

    def test_each_in_its_process_the_cheap_shapes_first(self):
        self.rates = {"libBLIS.so": 1, "libGood.so": 1, "BLIS": 1, "BLIS haswell": 2}
        session = Session(self.options(threads=[1, 2], resume=True, variant=["avx512"], shapes=["40x40x40", "5x6x7"]))
        with mock.patch.object(session, "right", lambda setting, threads: (setting.name, threads) != ("Good", 1)):
            self.quietly(rivals.duels, session, [[library("BLIS"), library("BLIS", "haswell")], [library("Good", openmp=False)], [library("Lost")]])
        common = "--type f32 --pairs 5 --budget 0.4 --csv rows.csv --resume --unheeded"
        blis = "duel /built/05_avx2/libcourse_blas.so libBLIS.so BLIS haswell --threads"
        good = "duel /built/05_avx2/libcourse_blas.so libGood.so Good --threads"
        met = [(call, given, limit) for call, given, limit in self.calls if call.startswith("duel") and "Lost" not in call]
        haswell = {"KERNEL": "haswell"}
        wide, packed = {"COURSE_RUNG": "avx512"}, {"COURSE_RUNG": "packed"}
        apart = environment("2") | {"GOMP_SPINCOUNT": "10000"}
        self.assertEqual([call for call, *_ in met], [call for shape in ("5x6x7", "40x40x40") for call in (
            f"{blis} 1 --shape {shape} {common} 0.0", f"{blis} 1 --shape {shape} {common} 0.0", f"{blis} 2 --shape {shape} {common} 0.0",
            f"{blis} 2 --shape {shape} {common} 0.0", f"{good} 2 --shape {shape} {common} 0.005", f"{good} 2 --shape {shape} {common} 0.005")])
        one, two = environment("1") | haswell, environment("2", "true") | haswell
        self.assertEqual([given for _, given, _ in met], [one | wide, one | packed, two | wide, two | packed, apart | wide, apart | packed] * 2)
        for (_, _, limit), flops in zip(met, [2 * 5 * 6 * 7] * 6 + [2 * 40**3] * 6):
            self.assertAlmostEqual(limit, 10 + 10 * 0.4 + 6e-9 * 5 * flops, places=9)
        self.assertEqual(self.out.getvalue().splitlines()[1:],
                         [f"  {shape} {who}" for shape in ("5x6x7", "40x40x40") for who in ["BLIS haswell"] * 4 + ["Good"] * 2])
        self.assertEqual((self.err.getvalue(), session.found), ("rivals: Lost with 1 thread left out: it ended by Aborted\n", True))

    def test_one_thread_disturbs_nobody(self):
        self.rates = {"libGood.so": 1}
        self.quietly(rivals.duels, Session(self.options()), [[library("Good", openmp=False)]])
        met = [(call.split()[-1], given["COURSE_RUNG"], "GOMP_SPINCOUNT" in given) for call, given, _ in self.calls
               if call.startswith("duel")]
        self.assertEqual(met, [("0.0", "avx512", False)] * 2)

    def test_nothing_is_found_of_who_ends(self):
        session = Session(self.options())
        self.quietly(rivals.duels, session, [[library("Lost")]])
        self.assertFalse(session.found)


class Asked(Case):
    def asked(self, *arguments):
        self.built = self.folder.resolve() / "built"
        with mock.patch.object(sys, "argv", ["rivals.py", "--build", "built", *arguments]):
            return rivals.asked()

    def test_by_default(self):
        options = self.asked()
        squares = [256, 384, 512, 768, 1024, 1500, 2000, 2048, 3000, 4096]
        flat = [f"{n}x{n}x{k}" for n in (2048, 4096) for k in (32, 64, 128, 156)]
        self.assertEqual(options.shapes, [f"{n}x{n}x{n}" for n in squares] + flat)
        self.assertEqual(self.calls, [(f"check --size {','.join(map(str, squares))} --shape {','.join(flat)} --type f32,f64 --pairs 21 --budget 0.3",
                                       {}, 60)])
        self.assertEqual((options.type, options.threads, options.shaped, options.csv, options.machine), (["f32", "f64"], [1, 4], False, None, None))
        self.assertEqual((options.processor, options.features, options.cpus), ("A, fast one (4 cores)", set(WIDE.split()), 4))
        self.assertEqual((options.variant, options.rival, options.blas, options.rungs), ([], [], [], ["avx512", "tuned"]))
        self.assertEqual((options.resume, options.alone, options.list, options.build), (False, False, False, self.built))

    def test_alone(self):
        options = self.asked("--alone")
        self.assertEqual(options.shapes, ["256x256x256", "512x512x512", "1024x1024x1024", "2048x2048x2048", "2048x2048x64", "4096x4096x128"])
        self.assertEqual((options.type, options.pairs, options.budget), (["f32", "f64", "i32"], "5", "0.4"))

    def test_given(self):
        options = self.asked("--shape", "1x2x3,4x5x6,1x2x3", "--size", "7", "--type", "f64,f32,f64", "--threads", "3,1,3", "--variant", "tuned",
                             "--rival", "blas,blis", "--blas", "a.so,b.so", "--pairs", "9", "--budget", "2", "--csv", "x.csv", "--resume",
                             "--machine", "m.csv")
        self.assertEqual((options.shapes, options.type, options.threads), (["7x7x7", "1x2x3", "4x5x6"], ["f64", "f32"], [3, 1]))
        self.assertEqual((options.variant, options.rungs, options.rival, options.blas), (["tuned"], ["tuned"], ["blas", "blis"], ["a.so", "b.so"]))
        self.assertEqual((options.pairs, options.budget, options.csv, options.resume, options.machine, options.shaped),
                         ("9", "2", "x.csv", True, "m.csv", True))
        self.assertEqual(self.asked("--size", "7").shapes, ["7x7x7"])
        self.assertEqual(self.asked("--threads", "4").threads, [4])

    def test_what_the_processor_lacks(self):
        self.processor = "processor\tB\nfeatures\tavx avx2 fma avx512f\ncpus\t1\n"
        options = self.asked()
        self.assertEqual((options.lacks, options.rungs, options.threads), ({"avx512": "avx512dq,avx512bw,avx512vl", "tuned": ""}, ["tuned"], [1]))

    def test_refused(self):
        for arguments, reason in ((["--resume"], "--resume: needs --csv FILE, the file that has rows"),
                                  (["--variant", "tuned,x"], "--variant: 'x' is unknown; give avx512, tuned"),
                                  (["--rival", ""], "--rival: '' is unknown; give eigen, openblas, blis, onednn, mkl, cublas, blas"),
                                  (["--blas", "a.so,"], "--blas: '' names no file; give a shared library's path"),
                                  (["--siz", "5"], "unrecognized arguments: --siz 5; --help lists the options")):
            with self.assertRaises(Refusal) as caught:
                self.asked(*arguments)
            self.assertEqual(str(caught.exception), reason)

    def test_help(self):
        with self.assertRaises(SystemExit):
            self.quietly(self.asked, "--help")
        for line in ("Our last rungs and every library here, each at its best, in turns: rivals.py --help\n",
                     "  --variant VARIANT  our rungs: avx512,tuned\n",
                     "of eigen,openblas,blis,onednn,mkl,cublas,blas"):
            self.assertIn(line, self.out.getvalue())


class Program(Case):
    def setUp(self):
        super().setUp()
        self.about = {str(self.folder / "good.so"): facts("f32 i32")}
        self.rates = {"good.so": 5, str(self.folder / "good.so"): 1}
        (self.folder / "good.so").touch()
        self.mine = "--rival", "blas", "--blas", "good.so", "--size", "40", "--threads", "1", "--type", "f32"

    def test_list(self):
        self.processor = "processor\tB\nfeatures\tavx2 fma avx512f\ncpus\t1\n"
        self.assertEqual(self.program("--list", *self.mine), None)
        self.assertEqual(self.out.getvalue(), "rivals: ours and every library, in turns\n"
                         "  avx512           against each library's best setting; not here: this processor lacks avx512dq,avx512bw,avx512vl\n"
                         "  tuned            against OpenBLAS Haswell and BLIS haswell; without AVX-512, or when named, against all\n"
                         "  against          good.so\n")

    def test_alone(self):
        self.assertEqual(self.program("--alone", *self.mine), 0)
        self.assertEqual(self.rows(), [["library", "f32", "good.so", "1", "40x40x40", "5", "GFLOP/s", "as chosen and best; 1.2; /usr/x"]])
        self.assertEqual(self.program("--alone", "--csv", "mine.csv", "--resume", *self.mine), 0)
        self.assertEqual(self.program("--alone", "--csv", "mine.csv", "--resume", *self.mine), 0)
        self.assertEqual(len(self.rows("mine.csv")), 1)
        self.assertTrue(self.out.getvalue().endswith("rivals: 1 rows were in mine.csv already\n"), self.out.getvalue())
        self.assertEqual(self.program("--alone", "--csv", "mine.csv", *self.mine), 0)
        self.assertEqual(len(self.rows("mine.csv")), 2)
        self.assertEqual(self.out.getvalue().count("already"), 1)

    def test_what_the_file_knows(self):
        seen = []
        with mock.patch.object(rivals, "alone", lambda session, libraries: seen.append((session.known, session.options.resume))):
            rivals.append("mine.csv", MACHINE_COLUMNS, ["library", "f32", "A b", "1", "8x8x8", 1, "", "best; "])
            for arguments in ([], ["--csv", "mine.csv"], ["--csv", "mine.csv", "--resume"], ["--csv", "new.csv", "--resume"]):
                self.program("--alone", *arguments, *self.mine)
        self.assertEqual(seen, [({}, False), ({}, False), ({"A": "A b"}, True), ({}, False)])
        with mock.patch.object(rivals, "duels", lambda session, libraries: seen.append((session.known, session.options.resume))):
            rivals.append("met.csv", standing.COLUMNS, [{"variant": "avx512", "rival": "C d"}.get(name, "") for name in standing.COLUMNS])
            for arguments in (["--csv", "met.csv"], ["--csv", "met.csv", "--resume"], ["--csv", "met.csv", "--resume", "--machine", "mine.csv"],
                              ["--csv", "new.csv", "--resume"]):
                self.program(*arguments, *self.mine)
        self.assertEqual(seen[4:], [({}, False), ({"C": "C d"}, True), ({"A": "A b"}, True), ({}, False)])

    def test_duels(self):
        self.assertEqual(self.program("--variant", "tuned", *self.mine), 0)
        self.assertEqual(self.out.getvalue(),
                         "ours, as often as fast as: the median of 21 pairs or more, and its quartiles; on A, fast one (4 cores)\n"
                         "  40x40x40 good.so\n"
                         "f32, 1 thread, tuned against every library: geometric mean 1.500; worst 1.500 at 40, good.so; 0 of 1 cells below 0.98\n")
        self.assertEqual(self.err.getvalue(), "")

    def test_how_each_stands(self):
        given = dict.fromkeys(standing.COLUMNS, "") | {"type": "f32", "m": 8, "n": 8, "k": 8, "threads": 2, "variant": "best",
                                                       "rival": "cuBLAS default", "pairs": 3,
                                                       "ratio": 0.5, "ratio_low": 0.4, "ratio_high": 0.6, "ours_gflops": 1, "rival_gflops": 2}
        for others in {}, {"rival": "Eigen", "variant": "tuned_threads"}:
            rivals.append("met.csv", standing.COLUMNS, (given | others).values())
        self.assertEqual(self.program("--csv", "met.csv", "--resume", "--variant", "tuned", *self.mine), 0)
        self.assertEqual(self.out.getvalue().splitlines()[2:-1], [
            "f32, 1 thread, tuned against every library: geometric mean 1.500; worst 1.500 at 40, good.so; 0 of 1 cells below 0.98",
            "f32, GPU, best against cuBLAS: geometric mean 0.500; worst 0.500 at 8, cuBLAS default; 1 of 1 cells below 0.98",
            "f32, 2 threads, tuned_threads against every library: geometric mean 0.500; worst 0.500 at 8, Eigen; 1 of 1 cells below 0.98"])

    def test_nothing_is_here(self):
        self.assertEqual(self.program("--rival", "mkl"), 77)
        self.assertEqual(self.err.getvalue(), "rivals: skipped: no library that was asked for is here\n")
        self.processor = "processor\tB\nfeatures\tavx2 fma\ncpus\t1\n"
        self.err = io.StringIO()
        self.assertEqual(self.program("--variant", "avx512", *self.mine), 77)
        self.assertEqual(self.err.getvalue(), "rivals: avx512 skipped: this processor lacks avx512f,avx512dq,avx512bw,avx512vl\n")
        self.assertEqual([call for call, *_ in self.calls if not call.startswith("check")], [])

    def test_wrong(self):
        wrong = "", ["wrong: bad; again by: x --type f32 --shape 5x6x7"], 1
        self.answer = lambda words, rows: wrong if words[0] == "alone" else Case.answer(self, words, rows)
        self.assertEqual(self.program(*self.mine), 1)
        self.assertEqual(self.err.getvalue(), "rivals: good.so f32 is wrong: 5x6x7: bad\n")

    def test_whether_cublas_is_met(self):
        for arguments, met in (([], 1), (["--variant", "tuned"], 0), (["--rival", "mkl"], 0), (["--rival", "cublas", "--variant", "tuned"], 1),
                               (["--type", "f64"], 0)):
            with mock.patch.object(rivals, "duels"), mock.patch.object(rivals, "duels_on_gpu") as on_gpu:
                self.assertEqual(self.program(*arguments), 77)
            self.assertEqual(on_gpu.call_count, met, arguments)
        self.processor = "processor\tB\nfeatures\tavx\ncpus\t1\n"
        self.assertEqual(self.program("--type", "f64"), 77)
        with mock.patch.object(rivals, "duels"), mock.patch.object(rivals, "duels_on_gpu") as on_gpu:
            self.assertEqual(self.program("--csv", "new.csv"), 77)
        self.assertEqual(on_gpu.call_count, 1)
        self.assertIn("rivals: tuned skipped: this processor lacks avx2,fma\n", self.err.getvalue())


if __name__ == "__main__":
    unittest.main()
