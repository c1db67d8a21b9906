#!/usr/bin/env python3
"""Tests of run_steps.py on programs of a line each: python3 tools/run_steps_test.py"""
import os, signal, subprocess, sys, tempfile, time, unittest
from pathlib import Path
from unittest import mock

TOOL = Path(__file__).resolve().parent / "run_steps.py"
OPTIONS = {"sizes": "512", "types": "f32 f64", "threads": "1 2", "ranks": "1 3", "tiles": "8 16", "steps": "",
           "repeat": "5", "budget": "0.2", "fill": "uniform", "tile-size": "512", "cores": "3", "gpu-sizes": "512", "gpu-tile-size": "2048"}


class Steps(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.lines = ["# program path features"]
        os.environ["COURSE_MINE"] = str(self.folder / "mine")

    def program(self, name, script="exit 0", features="", step=None):
        path = self.folder / (step or name) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self.lines.append(f"{name} {step or name}/{name} {features}")

    def start(self, *more, path=None, **given):
        (self.folder / "programs.txt").write_text("\n".join(self.lines) + "\n")
        options = [word for name, value in (OPTIONS | given).items() for word in (f"--{name}", *value.split())]
        return subprocess.Popen([sys.executable, "-B", str(TOOL), str(self.folder), "--out", str(self.folder / "out"),
                                 *options, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"PATH": path or f"{self.folder}:{os.environ['PATH']}"})

    def run_tool(self, *more, **given):
        process = self.start(*more, **given)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def plan(self, *more, **given):
        status, out, err = self.run_tool("--plan", *more, **given)
        self.assertEqual((status, err), (0, ""))
        return [line.replace(f"{self.folder}/", "") for line in out.splitlines()]

    def failed(self):
        return (self.folder / "out" / "failed").read_text()

    def test_what_fails_is_named_and_the_others_run(self):
        self.program("01_right", "echo right")
        self.program("02_wrong", "exit 1")
        self.program("03_refused", "exit 2")
        self.program("04_cannot", "exit 77")
        self.program("05_dies", "kill -SEGV $$")
        self.lines.append("06_gone 06_gone/06_gone")
        self.program("07_last", f"echo last; cat {self.folder}/out/failed")
        status, out, err = self.run_tool()
        self.assertEqual(status, 0)
        self.assertEqual([line for line in out.splitlines() if line.startswith("== ")][2].partition(";")[0], "== 03_refused (3 of 7)")
        named = "02_wrong ended with 1\n03_refused ended with 2\n05_dies ended with 139\n06_gone ended with 127\n"
        self.assertEqual(self.failed(), named)
        self.assertTrue(out.endswith(f"last\n{named}"), "they are named at once")
        gone = f"{self.folder}/06_gone/06_gone: No such file or directory"
        self.assertTrue({*named.splitlines(), gone} <= set(err.splitlines()))
        self.assertEqual(self.run_tool(steps="01_right")[0], 0)
        self.assertEqual(self.failed(), "", "the next report begins anew")

    def test_an_unknown_step_is_refused_in_a_line(self):
        for name, step in (("01_naive", "01_naive"), ("01_naive-O3", "01_naive"), ("02_loop_order", "02_loop_order")):
            self.program(name, "echo ran", step=step)
        status, out, err = self.run_tool(steps="01_naive 99_none")
        self.assertEqual((status, out, err), (2, "", "STEPS: there is no 99_none; give some of 01_naive 02_loop_order\n"))

    def test_machine_and_baseline_are_always_there_the_machine_first(self):
        for name, features in (("01_naive", ""), ("01_naive-O3", ""), ("02_loop_order", ""), ("rivals", "machine")):
            self.program(name, features=features, step=name.partition("-")[0])
        first, base, last = self.plan("--machine-options=--variant topology", steps="02_loop_order")
        self.assertEqual(first, "rivals/rivals --csv out/machine.csv --resume --variant topology")
        self.assertRegex(base, "^01_naive/01_naive .* --variant ijk --size 512$")
        self.assertNotIn("--variant", last)  # a step that is named is measured whole
        for step in ("01_naive", "01_naive-O3"):
            self.assertEqual([line.split()[0] for line in self.plan(steps=step)], ["rivals/rivals", "01_naive/01_naive", "01_naive/01_naive-O3"])

    def test_roofs_that_a_product_beat_are_measured_again(self):
        from measured import COLUMNS, MACHINE_COLUMNS
        def table(file, columns, **cells):
            (self.folder / "out").mkdir(exist_ok=True)
            (self.folder / "out" / file).write_text("\n".join(",".join(line) for line in (columns, [cells.get(of, "") for of in columns])) + "\n")
        def asked(verdict, gflops):
            table("results.csv", COLUMNS, step="own", variant="x", type="f32", m="1000", n="1000", k="1000", threads="1",
                  device="a processor (2 cores)", verdict=verdict, median_s=str(2 / gflops))
            return self.run_tool()[1].count("machine --csv")
        self.program("00_machine", 'case $* in *--again*) echo "machine $*";; esac', "machine")
        self.program("own")
        table("machine.csv", MACHINE_COLUMNS, name="peak", type="f32", threads="1", value="100", unit="GFLOP/s")
        self.assertEqual([asked("right", 99), asked("wrong", 101), asked("right", 101)], [0, 0, 2])  # after the ladder, and at the end

    def test_ranks_are_started_by_mpirun_once_for_each_number(self):
        self.program("06_mpi", "echo ranks $OMPI_ALLOW_RUN_AS_ROOT$OMPI_ALLOW_RUN_AS_ROOT_CONFIRM "
                     "$OMPI_MCA_rmaps_base_oversubscribe, bound to $OMPI_MCA_hwloc_base_binding_policy, "
                     "$OMPI_MCA_rmaps_base_mapping_policy$OMP_WAIT_POLICY", "ranks")
        self.assertEqual([line.split()[:4] for line in self.plan()],
                         [["mpirun", "-n", ranks, "06_mpi/06_mpi"] for ranks in ("1", "3")])
        (self.folder / "mpirun").write_text('#!/bin/sh\necho "mpirun $*"; shift 2; exec "$@"\n')
        (self.folder / "mpirun").chmod(0o755)
        cores = len(os.sched_getaffinity(0))
        out = self.run_tool(ranks=f"1 {cores} {cores + 1}")[1]
        said = [line.partition("1, ")[2] for line in out.splitlines() if line.startswith("ranks 11 ")]
        self.assertEqual(said, [f"bound to hwthread, slot:PE={cores}", "bound to hwthread, slot:PE=1", "bound to none, passive"])

    def test_threads_wait_actively_and_have_a_core_each_unless_ranks_or_the_user_say_otherwise(self):
        for name, features in (("01_naive", ""), ("04_openmp", "threads"), ("06_mpi", "ranks")):
            self.program(name, "echo says $OMP_WAIT_POLICY $OMP_PROC_BIND", features)
        (self.folder / "mpirun").write_text('#!/bin/sh\nshift 2; exec "$@"\n')
        (self.folder / "mpirun").chmod(0o755)
        for own, said in (({}, {"says active true", "says"}), ({"OMP_WAIT_POLICY": "passive"}, {"says passive", "says passive true"})):
            with mock.patch.dict(os.environ, own):
                for name in {"OMP_WAIT_POLICY", "OMP_PROC_BIND"} - own.keys():
                    os.environ.pop(name, None)
                self.assertEqual({line.rstrip() for line in self.run_tool(ranks="1")[1].splitlines() if line.startswith("says")}, said)

    def test_without_mpirun_they_are_skipped_with_a_line(self):
        self.program("06_mpi", "echo ran", "ranks")
        status, out, _ = self.run_tool(path=str(self.folder))
        self.assertEqual((status, "no mpirun here" in out, "ran" in out.split(), self.failed()), (0, True, False, ""))

    def test_a_program_that_was_interrupted_ends_everything(self):
        for signum, status in (("INT", 130), ("TERM", 143)):
            self.lines = []
            self.program("01_stops", f"kill -{signum} $$")
            self.program("02_never", "echo ran")
            self.assertEqual(self.run_tool()[:2], (status, "== 01_stops (1 of 2); 0 s gone, about 5 s left\n"))

    def test_a_signal_is_passed_on(self):
        self.program("01_waits", "trap 'echo told; exit 5' INT TERM; echo waits; while :; do sleep 0.1; done")
        self.program("02_never", "echo ran")
        for signum in (signal.SIGINT, signal.SIGTERM):
            process = self.start()
            while process.stdout.readline() != "waits\n":
                time.sleep(0.01)
            process.send_signal(signum)
            out, _ = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (128 + signum, "told\n"))


if __name__ == "__main__":
    unittest.main()
