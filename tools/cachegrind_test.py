"""Tests of cachegrind.py with a valgrind that only pretends: python3 tools/cachegrind_test.py"""
import os, subprocess, sys, tempfile, unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cachegrind

# ikj stands twice (its body, and what was inlined into it from view.hpp), and once more for double.
OUT = """events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
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
fn=void loop_order::rows_ikj<float>(course::View<float const>)
1 7 0 0 0 0 0 0 0 0
fn=main
9 9000 0 0 0 0 0 0 0 0
summary: 12340 2 2 1110 525 21 60 12 3
"""
VALGRIND = """#!/bin/sh
for word; do case $word in --cachegrind-out-file=*) [ -n "$SILENT" ] || printf '%s' "$OUT" >"${word#*=}" ;; esac; done
echo "$@" >"$0.called"
echo said
exit ${STATUS:-0}
"""


class Cachegrind(unittest.TestCase):
    def run_tool(self, *arguments, **environment):
        """The exit status and what was said."""
        with tempfile.TemporaryDirectory() as folder:
            valgrind = Path(folder, "valgrind")
            valgrind.write_text(VALGRIND)
            valgrind.chmod(0o755)
            done = subprocess.run([sys.executable, "-B", cachegrind.__file__, "--d1", "8192,8,64", "--ll", "262144,16,64", *arguments], text=True,
                                  capture_output=True, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "OUT": OUT} | environment)
            self.called = Path(f"{valgrind}.called").read_text() if Path(f"{valgrind}.called").exists() else ""
        return done.returncode, done.stdout + done.stderr

    def test_table_of_what_counts_together(self):
        status, said = self.run_tool("--per", "100", "--function", "loop_order::ijk", "--function", "ikj", "--function", "main", "--", "./gemm", "--d1")
        self.assertEqual((status, [line.split() for line in said.splitlines()]), (0, [
            ["Ir", "D1m", "DLm"], ["loop_order::ijk", "30", "5.08", "0.22"], ["ikj", "3.33", "0.29", "0.02"], ["main", "90", "0", "0"]]))
        self.assertIn("--D1=8192,8,64 --LL=262144,16,64 --I1=32768,8,64", self.called)
        self.assertTrue(self.called.endswith("./gemm --d1\n"))

    def test_expectations(self):
        for what, status, says in (("D1m:loop_order::ijk:5.08:5.08", 0, ""), ("D1m:loop_order::ijk-loop_order::ikj:4.7:4.8", 0, ""),
                                   ("Ir:ijk/ikj:9:9.1", 0, ""), ("D1m:ijk:5.1:6", 1, "expected D1m:ijk:5.1:6, found 5.08"),
                                   ("D1m:ikj-ijk:4:5", 1, "found -4.79"), ("D1m:main/main:0:9", 1, "found nan"),
                                   ("L2m:ijk:0:1", 2, "no event L2m"), ("D1m:kji:0:1", 2, "no function kji"), ("D1m:ijk", 2, "is not EVENT:NAME:LOW:HIGH")):
            found, said = self.run_tool("--per", "100", "--expect", what, "--", "./gemm")
            self.assertEqual((found, says in said), (status, True), (what, said))

    def test_how_the_program_ended(self):
        for environment, status, says in (({"STATUS": "77"}, 77, "cannot run here: said"), ({"STATUS": "1"}, 2, "status 1: said"),
                                          ({"SILENT": "1"}, 2, "status 0: said")):
            self.assertEqual((self.run_tool("--function", "main", "--", "./gemm", **environment)), (status, f"cachegrind.py: ./gemm {says}\n" if status == 77 else
                                                                                                   f"cachegrind.py: ./gemm ended with {says}\n"))
        self.assertEqual(self.run_tool("--", "./gemm")[0], 2)


if __name__ == "__main__":
    unittest.main()
