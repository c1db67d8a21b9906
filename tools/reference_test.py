"""Tests of reference.py on programs of a line each: python3 tools/reference_test.py"""
import subprocess, sys, tempfile, unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "reference.py"
ROOT = TOOL.parent.parent


class Reference(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def program(self, name, script='echo "$@"'):
        path = self.folder / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_tool(self, plan="", machine="here", *more):
        (self.folder / "plan.txt").write_text(plan)
        done = subprocess.run([sys.executable, "-B", str(TOOL), "build", machine, "--plan", "plan.txt", "--out", "out", *more],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_each_line_gets_its_files_and_is_resumed(self):
        plan = ("# all of it\n\n00_machine/00_machine --budget 1\nrivals/rivals --alone  # the libraries\n"
                "01_naive/01_naive --size 64 --variant ijk\nmpirun -n 2 06_mpi/06_mpi --size 64\n"
                "A=1 B=2 01_naive/01_naive --size 8 --csv more.csv\nA=1 mpirun -n 2 06_mpi/06_mpi --size 64\n"
                "rivals/rivals --csv pairs.csv\n01_naive/01_naive_lines > 'all lines.csv'\n")
        machine, results = "out/here/machine.csv", "out/here/results.csv"
        rows = f"--csv {results} --machine {machine} --quiet --resume"
        self.assertEqual(self.run_tool(plan, "here", "--dry"), (0, "\n".join([
            f"build/00_machine/00_machine --budget 1 --csv {machine} --resume",
            f"build/rivals/rivals --alone --csv {machine}",
            f"build/01_naive/01_naive --size 64 --variant ijk {rows}",
            f"mpirun -n 2 build/06_mpi/06_mpi --size 64 {rows}",
            f"env A=1 B=2 build/01_naive/01_naive --size 8 {rows.replace('results', 'more')}",
            f"env A=1 mpirun -n 2 build/06_mpi/06_mpi --size 64 {rows}",
            "build/rivals/rivals --csv out/here/pairs.csv",
            "build/01_naive/01_naive_lines > 'out/here/all lines.csv'", ""]), ""))
        self.assertFalse((self.folder / "out").exists())

    def test_what_fails_is_named_at_once_and_at_the_end_and_the_others_run(self):
        self.program("a/a", "echo $OMP_WAIT_POLICY; exit 1")
        self.program("b/b", "exit 77")
        self.program("c/c", 'echo last; test -d out/here')
        status, out, err = self.run_tool("a/a --threads 1\nb/b\nc/c\nd/d\n")
        self.assertEqual((status, [line for line in out.splitlines() if line in ("active", "last")]), (1, ["active", "last"]))
        named = [line for line in err.splitlines() if line.startswith("ended with ")]
        self.assertEqual([line.split(" --")[0] for line in named], ["ended with 1: build/a/a", "ended with 127: build/d/d"] * 2)
        self.assertIn("2 of 4 failed:", err)
        self.assertEqual(self.run_tool("b/b\nc/c\n")[::2], (0, ""))

    def test_what_an_experiment_prints_is_kept_unless_it_failed(self):
        self.program("a/a", "echo n,ns; echo ran >>runs")
        self.program("b/b", "echo n,ns; exit 1")
        for _ in range(2):
            self.assertEqual(self.run_tool("a/a > a.csv\n")[0], 0)
        self.assertEqual((self.folder / "out/here/a.csv").read_text(), "n,ns\n")
        self.assertEqual((self.folder / "runs").read_text(), "ran\n")
        self.assertEqual(self.run_tool("b/b > b.csv\n")[0], 1)
        self.assertFalse((self.folder / "out/here/b.csv").exists())

    def test_a_machine_that_is_no_name(self):
        for name in ("", "a b", "a/b", "..", "-x", "/tmp"):
            status, out, err = self.run_tool("", name) if name != "-x" else self.run_tool("", "--", "-x")
            self.assertEqual((status, out), (2, ""), name)
            if name != "-x":
                self.assertEqual(err.count("\n"), 1)
                self.assertIn(f"MACHINE: '{name}'", err)

    def test_the_plan_names_programs_that_there_are(self):
        done = subprocess.run([sys.executable, "-B", str(TOOL), "build", "here", "--dry"], cwd=ROOT, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in done.stdout.splitlines():
            program = next(word for word in line.split() if word.startswith("build/"))
            step = program.split("/")[1]
            self.assertTrue((ROOT / step).is_dir() and program.startswith(f"build/{step}/{step}"), line)
            self.assertRegex(line, " --resume$| > |rivals")


if __name__ == "__main__":
    unittest.main()
