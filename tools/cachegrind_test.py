"""Tests of cachegrind.py on an output file written by hand, no valgrind needed: python3 tools/cachegrind_test.py"""
import contextlib, io, subprocess, sys, unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cachegrind

# ikj stands twice (its body, and what was inlined into it from view.hpp), and once more for double.
OUT = """desc: D1 cache:         8192 B, 64 B, 8-way associative
cmd: ./gemm
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
fl=/gemm.hpp
fn=void loop_order::ijk<float>(course::View<float const>, course::View<float const>, course::View<float>)
5 1000 1 1 500 400 20 10 8 2
6 2000 0 0 500 100 0 0 0 0
fn=void loop_order::ikj<float>(course::View<float const>, course::View<float const>, course::View<float>)
7 300 1 1 100 20 1 50 4 1
fl=/view.hpp
fn=void loop_order::ikj<float>(course::View<float const>, course::View<float const>, course::View<float>)
3 30 0 0 10 5
fn=void loop_order::ikj<double>(course::View<double const>) [clone ._omp_fn.0]
3 3
fl=/main.cpp
fn=void loop_order::rows_ikj<float>(course::View<float const>)
1 7 0 0 0 0 0 0 0 0
fn=main
9 9000 0 0 0 0 0 0 0 0
summary: 12340 2 2 1110 525 21 60 12 3
"""
CACHES = ["--d1", "8192,8,64", "--ll", "262144,16,64"]


class Parser(unittest.TestCase):
    def test_counts_of_a_function_are_summed_over_lines_and_files(self):
        functions = cachegrind.events_by_function(OUT)
        self.assertEqual(len(functions), 5)
        self.assertEqual(functions["main"]["Ir"], 9000)
        ijk, ikj, *_ = functions.values()
        self.assertEqual(list(ijk.values()), [3000, 1, 1, 1000, 500, 20, 10, 8, 2])
        self.assertEqual(list(ikj.values()), [330, 1, 1, 110, 25, 1, 50, 4, 1])  # zeros at a line's end left out

    def test_events_and_their_sums(self):
        functions = cachegrind.events_by_function(OUT)
        for event, expected in ("Ir", 3000), ("D1m", 508), ("DLm", 22), ("Dr", 1000), ("D1mw", 8):
            self.assertEqual(cachegrind.total(functions, event, "loop_order::ijk"), expected)

    def test_instances_count_together(self):
        self.assertEqual(cachegrind.total(cachegrind.events_by_function(OUT), "Ir", "loop_order::ikj"), 333)


class Names(unittest.TestCase):
    def test_plain_name(self):
        for function, name in {
            "main": "main",
            "gemm": "gemm",
            "gemm._omp_fn.0": "gemm",
            "loop_order::ikj(int)": "loop_order::ikj",
            "void loop_order::ikj<float>(course::View<float const>, int) [clone .isra.0]": "loop_order::ikj",
            "std::vector<float, std::allocator<float> > a::f<float>(int)": "a::f",
            "a::Matrix<float>::view(long, long) const": "a::Matrix::view",
            "(anonymous namespace)::f(int)": "{anonymous}::f",
            "float a::f<void (*)(int), (b)1>(void (*)(int))": "a::f",
            "a::f<float>(int)::{lambda(int, float*)#1}::operator()(int, float*) const": "a::f::{lambda#1}::operator()",
            "a::V::f(int) const::{lambda()#2}::operator()() const": "a::V::f::{lambda#2}::operator()",
            "bool a::operator< <float>(int)": "a::operator<",
            "a::V::operator->() const": "a::V::operator->",
            "operator new(unsigned long)": "operator new",
            "(below main)": "",
        }.items():
            self.assertEqual(cachegrind.plain_name(function), name, function)

    def test_a_name_matches_whole_words_from_any_namespace_on(self):
        function = "void course::loop_order::ikj<float>(course::View<float const>)"
        for name in "ikj", "loop_order::ikj", "course::loop_order::ikj":
            self.assertTrue(cachegrind.is_named(function, name), name)
        for name in "kj", "order::ikj", "loop_order", "View", "ikj<float>", "":
            self.assertFalse(cachegrind.is_named(function, name), name)
        self.assertFalse(cachegrind.is_named("void loop_order::rows_ikj<float>(int)", "ikj"))
        self.assertFalse(cachegrind.is_named("void apply<&loop_order::ikj>(int)", "ikj"))
        self.assertFalse(cachegrind.is_named("loop_order::ikj(int)::{lambda()#1}::operator()() const", "ikj"))


class Program(unittest.TestCase):
    def run_tool(self, *arguments, measured=lambda caches, program: OUT):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            status = cachegrind.main([*arguments], measured=measured)
        self.out, self.err = out.getvalue(), err.getvalue()
        return status

    def tool(self, *arguments):
        return self.run_tool(*CACHES, *arguments, "--", "./gemm", "--size", "150")

    def test_table(self):
        self.assertEqual(self.tool("--per", "100", "--function", "loop_order::ijk", "--function", "main"), 0)
        self.assertEqual([line.split() for line in self.out.splitlines()], [
            ["Ir", "D1m", "DLm"], ["loop_order::ijk", "30", "5.08", "0.22"], ["main", "90", "0", "0"]])
        self.assertEqual(self.tool("--function", "main"), 0)
        self.assertEqual(self.out.splitlines()[1].split(), ["main", "9000", "0", "0"], "of one, unless told otherwise")

    def test_caches_and_program_are_handed_on(self):
        seen = []
        self.run_tool(*CACHES, "--function", "main", "--", "./gemm", "--", "--d1",
                      measured=lambda *arguments: seen.extend(arguments) or OUT)
        self.assertEqual(seen, [["--D1=8192,8,64", "--LL=262144,16,64", "--I1=32768,8,64"], ["./gemm", "--", "--d1"]])

    def test_expectations_met_at_both_ends(self):
        for what in (["--expect", "D1m:loop_order::ijk:5.08:5.08"], ["--expect", "DLmw:ijk:0:0.02"],
                     ["--expect-difference", "D1m:loop_order::ijk:loop_order::ikj:4.7:4.8"],
                     ["--expect-ratio", "Ir:ijk:ikj:9:9.1"]):
            self.assertEqual(self.tool("--per", "100", *what), 0, what)

    def test_expectations_not_met(self):
        for what, said in ((["--expect", "D1m:ijk:5.1:6"], "expected D1m of ijk within 5.1 and 6, found 5.08"),
                           (["--expect", "D1m:ijk:0:5"], "found 5.08"),
                           (["--expect-difference", "D1m:ikj:ijk:4:5"], "D1m of ikj - ijk within 4 and 5, found -4.79"),
                           (["--expect-ratio", "Ir:ikj:ijk:9:9.1"], "Ir of ikj / ijk within 9 and 9.1, found 0.111"),
                           (["--expect-ratio", "D1m:ijk:main:0:9"], "found inf"),
                           (["--expect-ratio", "D1m:main:main:0:9"], "found nan")):
            self.assertEqual(self.tool("--per", "100", "--expect", "Ir:main:90:90", *what), 1, what)
            self.assertIn(said, self.out)
            self.assertEqual(self.out.count("expected"), 1)

    def refused(self, *arguments, said):
        self.assertEqual(self.run_tool(*arguments), 2, arguments)
        self.assertIn(said, self.err)
        self.assertEqual((self.err.count("\n"), self.out), (1, ""))

    def test_bad_usage_and_missing_names_are_one_line(self):
        run = ["--", "./gemm"]
        self.refused(*CACHES, "--function", "kji", *run, said="no function kji")
        self.refused(*CACHES, "--expect", "D1m:kji:0:1", *run, said="no function kji")
        self.refused(*CACHES, "--expect", "L2m:ijk:0:1", *run, said="no event L2m")
        self.refused(*CACHES, "--function", "ijk", said="no program")
        self.refused(*CACHES, *run, said="no --function")
        self.refused(*CACHES, "--func", "ijk", *run, said="--func")
        self.refused("--d1", "8192,8,64", "--function", "ijk", *run, said="--ll")
        for per in "0", "-1", "nan", "inf", "x":
            self.refused(*CACHES, "--function", "ijk", f"--per={per}", *run, said="--per")
        for wrong in "D1m:ijk:0", "D1m:ijk:ikj:0:1", "D1m:ijk:1:0", "D1m:ijk:a:1", "D1m:ijk:nan:1", "D1m::0:1", "":
            self.refused(*CACHES, f"--expect={wrong}", *run, said=f"'{wrong}' is not EVENT:NAME:LOW:HIGH")
        self.refused(*CACHES, "--expect-ratio", "D1m:ijk:0:1", *run, said="EVENT:NAME:NAME:LOW:HIGH")

    def test_from_the_command_line(self):
        done = subprocess.run([sys.executable, "-B", cachegrind.__file__, *CACHES, "--", "./gemm"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "cachegrind.py: no --function NAME\n"))

    def measured(self, status, said="", writes=True, which=lambda name: name):
        """What measured() makes of a valgrind that ends so; returns its text, or its exit status with self.said."""
        def valgrind(command, **_):
            if writes:
                Path(next(w for w in command if "out-file" in w).split("=")[1]).write_text(OUT)
            return mock.Mock(returncode=status, stdout=said)
        with mock.patch("subprocess.run", valgrind), mock.patch("shutil.which", which):
            try:
                return cachegrind.measured([], ["./gemm"])
            except cachegrind.Stop as stop:
                self.said = stop.args[0]
                return stop.args[1]

    def test_how_the_program_ended(self):
        self.assertEqual(self.measured(0), OUT)
        for expected, said, case in (
                (77, "cannot run here: no AVX2", dict(status=77, said="x\nno AVX2\n")),
                (77, "valgrind is not installed", dict(status=0, which=lambda name: name != "valgrind")),
                (2, "no program ./gemm", dict(status=0, which=lambda name: None)),
                (2, "status 1: wrong", dict(status=1, said="wrong\n")),
                (2, "SIGILL (an instruction", dict(status=-4)),
                (2, "SIGSEGV", dict(status=-11)),
                (2, "valgrind: bad set", dict(status=1, said="valgrind: bad set\nvalgrind: help\n", writes=False))):
            self.assertEqual(self.measured(**case), expected, case)
            self.assertIn(said, self.said)


if __name__ == "__main__":
    unittest.main()
