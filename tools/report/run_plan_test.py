#!/usr/bin/env python3
"""Tests of run_plan.py on programs of a line each: python3 tools/report/run_plan_test.py"""
import os, signal, subprocess, sys, tempfile, time, unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "run_plan.py"
ROOT = TOOL.parents[2]
CORES = len(os.sched_getaffinity(0))


class RunPlan(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def program(self, path, script='echo "says $*"'):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def start(self, plan, *more, **variables):
        (self.folder / "plan").write_text(plan)
        call = [sys.executable, "-B", TOOL, "plan", "--build", "build", "--out", "out", *more]
        variables = {"PATH": f"{self.folder}:{os.environ['PATH']}"} | variables
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(call, cwd=self.folder, text=True, env=variables, **pipes)

    def run_plan(self, plan, *more, **variables):
        process = self.start(plan, *more, **variables)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def said(self, plan, **variables):
        """What the programs said."""
        out = self.run_plan(plan, **variables)[1].splitlines()
        return [line for line in out if not line.startswith("== ") and " lines of " not in line]

    def planned(self, plan, *more):
        for path in ("00_machine/00_machine", "rivals/rivals", "01_naive/01_naive", "02_b/02_b"):
            self.program(f"build/{path}")
        status, out, err = self.run_plan(plan, "--plan", *more)
        self.assertEqual((status, err, (self.folder / "out").exists()), (0, "", False))
        return out.replace("build/", "").splitlines()

    def test_each_line_gets_its_settings_and_its_file(self):
        plan = """# all of it\n\n00_machine/00_machine --budget {s}  # alone\nrivals/rivals --csv more.csv\n
            A=1 01_naive/01_naive --size {sizes} --type {types&f32,bf16}\n02_b/02_b --type {types&bf16}\n
            02_b/02_b {none}\n02_b/02_b {each types} > 'all {each ranks}.csv'\n! {mine} of all\n! {none} page\n
            02_b/02_b --size {ladder} --threads {few} --shape {others} --tile {between}"""
        settings = (
            "s=1 sizes=9,1008,1024 types=f32,i32 ranks=1,3 threads=1,1 none= mine=page".split()
        )
        expected = """00_machine/00_machine --budget 1 --csv out/machine.csv\nrivals/rivals --csv out/more.csv
            A=1 01_naive/01_naive --size 9,1008,1024 --type f32 --csv out/results.csv --quiet
            02_b/02_b f32 > 'out/all 1.csv'\n02_b/02_b f32 > 'out/all 3.csv'\n02_b/02_b i32 > 'out/all 1.csv'
            02_b/02_b i32 > 'out/all 3.csv'\npage of all"""
        self.assertEqual(
            self.planned(plan, "--set", *settings), [line.strip() for line in expected.split("\n")]
        )
        last = self.planned(
            plan.replace("--threads {few}", "{few}"), "--set", *settings, "threads=1,5,9"
        )[-1]
        self.assertEqual(
            last, "02_b/02_b --size 1008 1,9 --shape 9,1024 --tile 5 --csv out/results.csv --quiet"
        )
        refused = (2, "", "{siz} is no setting: 02_b/02_b {siz}\n")
        self.assertEqual(self.run_plan("02_b/02_b {siz}", "--plan"), refused)

    def test_teams_larger_than_the_processor_run_apart_and_ranks_share_it(self):
        fit = ",".join(dict.fromkeys(["1", str(CORES)]))
        plan = "02_b/02_b --threads {threads}%s\nmpirun -n 2 02_b/02_b --threads {threads}"
        self.program("mpirun")
        lines = self.planned(plan % f",{CORES + 1},{CORES + 2}", "--set", f"threads={fit}")
        counts = [line.split("--threads ")[1].split()[0] for line in lines]
        self.assertEqual(counts, [fit, f"{CORES + 1}", f"{CORES + 2}", "1"])

    def test_of_the_steps_asked_for_and_the_baseline(self):
        plan = (
            "00_machine/00_machine\n01_naive/01_naive --variant ijk\n01_naive/01_naive\n02_b/02_b"
        )
        chosen = [line.split(" --csv")[0] for line in self.planned(plan, "--steps", "02_b")]
        self.assertEqual("\n".join(chosen), plan.replace("01_naive/01_naive\n", ""))
        refused = (2, "", "STEPS: there is no 9; give some of 01_naive 02_b\n")
        self.assertEqual(self.run_plan(plan, "--steps", "9"), refused)

    def test_a_line_done_runs_again_if_it_or_its_program_changed_or_its_file_is_gone(self):
        plan = "a/a 1\na/a 2 > 2.csv\n"
        self.program("build/a/a", 'echo "says $1"; touch out/results.csv')
        self.assertEqual([self.said(plan), self.said(plan)], [["says 1"], []])
        self.assertEqual((self.folder / "out/2.csv").read_text(), "says 2\n")
        self.assertEqual(self.said("a/a 1\na/a 3"), ["says 3"])
        self.program("build/a/a", 'echo "now $1"; touch out/results.csv')
        self.assertEqual(self.said(plan), ["now 1"])
        (self.folder / "out/results.csv").unlink()
        self.assertEqual([self.said(plan), self.said(plan)], [["now 1"], []])

    def test_a_disturbed_row_is_measured_again_until_each_was_quiet_once(self):
        (self.folder / "tries").write_text("no yes\nyes no\nno no\n")
        append = """read -r one two <tries; sed -i 1d tries; echo "tried $one $two"
            test -e out/results.csv || echo step,m,repeat,quiet,commit >out/results.csv
            printf "a,1,5,$one,c\\na,2,5,$two,c\\n" >>out/results.csv"""
        self.program("build/a/a", append)
        tries = [self.said("a/a") for _ in range(3)]
        self.assertEqual(tries, [["tried no yes"], ["tried yes no"], []])

    def test_what_fails_is_named_at_once_and_at_the_end_and_the_others_run(self):
        for name, script in (
            ("a", "exit 1"),
            ("b", "exit 77"),
            ("d", "kill -SEGV $$"),
            ("e", "cat out/failed"),
        ):
            self.program(f"build/{name}/{name}", f"{script}")
        status, out, err = self.run_plan("a/a 1\na/a 2 > 2.csv\nb/b 1\nb/b 2\nc/c\nd/d\ne/e")
        files = "--csv out/results.csv --quiet"
        failed = f"a ended with 1: build/a/a 1 {files}\na ended with 1: build/a/a 2 > out/2.csv\n"
        failed += f"d ended with 139: build/d/d {files}\n"
        self.assertEqual(
            (status, err),
            (1, f"c skipped: it is not built in build\n{failed}3 of 6 failed:\n{failed}"),
        )
        self.assertTrue(
            out.startswith("== a (1 of 6); 0 s gone, about ") and out.endswith(f" left\n{failed}")
        )
        self.assertEqual(out.count("== b"), 1, "what cannot run is not asked again")
        self.assertEqual(
            {path.name for path in (self.folder / "out").iterdir()}, {"failed", ".done"}
        )
        self.assertEqual(self.run_plan("b/b")[0], 0)
        self.assertFalse((self.folder / "out/failed").exists(), "the next report begins anew")
        self.assertEqual(self.run_plan("c/c")[0], 2)

    def test_threads_wait_actively_and_ranks_are_bound_to_their_cores(self):
        names = "OMP_WAIT_POLICY OMP_PROC_BIND OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_rmaps_base_mapping_policy"
        self.program("build/a/a", "echo is " + " ".join(f"${name}," for name in names.split()))
        self.program("mpirun", 'shift 2; exec "$@"')
        plan = f"a/a\na/a --threads 1\nOMP_WAIT_POLICY=x a/a\nmpirun -n {CORES} a/a\nmpirun -n {CORES + 1} a/a"
        ranks = ["is , , hwthread, slot:PE=1,", "is passive, , none, ,"]
        self.assertEqual(
            self.said(plan), ["is , , , ,", "is active, true, , ,", "is x, , , ,", *ranks]
        )
        self.assertEqual(
            self.said("a/a --threads 1", OMP_WAIT_POLICY="passive"), ["is passive, true, , ,"]
        )
        said = "a skipped: there is no mpirun here; ./setup.sh installs one\n"
        self.assertTrue(self.run_plan("mpirun -n 2 a/a", PATH="/nowhere")[2].startswith(said))

    def test_a_peak_that_a_product_beat_is_measured_again(self):
        sys.path[:0] = [str(TOOL.parent), str(ROOT / "tools")]
        from measured import COLUMNS, MACHINE_COLUMNS

        def table(file, columns, cells):
            lines = [columns, [cells.get(column, "") for column in columns]]
            (self.folder / "out" / file).write_text(
                "".join(",".join(line) + "\n" for line in lines)
            )

        row = dict(step="own", variant="x", type="f32", m="1000", n="1000", k="1000", threads="1")
        peak = dict(name="peak", type="f32", threads="1", value="100", unit="GFLOP/s")
        self.program("build/00_machine/00_machine", "echo looks")
        (self.folder / "out").mkdir()
        table("machine.csv", MACHINE_COLUMNS, peak)
        for verdict, gflops, said in (
            ("right", 99, []),
            ("wrong", 101, []),
            ("right", 101, ["looks"]),
        ):
            cells = dict(device="a processor (2 cores)", verdict=verdict, median_s=str(2 / gflops))
            table("results.csv", COLUMNS, row | cells)
            self.assertEqual(self.said("00_machine/00_machine --again"), said)

    def test_an_interruption_of_either_or_a_closed_pipe_ends_all(self):
        self.program("build/b/b", "echo ran")
        self.program("build/a/a", "kill -TERM $$")
        self.assertEqual(self.run_plan("a/a\nb/b")[0], 143)
        waits = "trap 'echo told; exit 5' INT TERM; echo waits; while :; do sleep 0.1; done"
        self.program("build/a/a", waits)
        process = self.start("a/a\nb/b")
        while process.stdout.readline() != "waits\n":
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(
            (*process.communicate(timeout=60), process.returncode), ("told\n", "", 130)
        )
        self.program("build/a/a", "sleep 0.3")
        process = self.start("a/a 1\na/a 2")
        process.stdout.close()
        self.assertEqual((process.wait(60), process.stderr.read()), (-signal.SIGPIPE, ""))
        process.stderr.close()

    def test_the_plans_name_programs_that_there_are(self):
        for plan in [*TOOL.parent.glob("plans/*.txt"), *ROOT.glob("plots/reference/plan*.txt")]:
            for line in plan.read_text().splitlines():
                if line and line[0] not in "#!":
                    program = next(word for word in line.split() if "/" in word and "=" not in word)
                    step, name = program.removeprefix("../").split("/")
                    self.assertTrue(name.startswith(step) or (ROOT / step / name).exists(), line)
                    self.assertTrue((ROOT / step).is_dir(), line)


if __name__ == "__main__":
    unittest.main()
