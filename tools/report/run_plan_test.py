#!/usr/bin/env python3
"""Tests of run_plan.py on programs of a line each: python3 tools/report/run_plan_test.py"""
import ctypes, fcntl, os, platform, signal, struct, subprocess, sys, tempfile, time, unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "run_plan.py"
sys.path.append(str(TOOL.parent))
from measured import Paces
from placed import processors

CORES = processors()
ROWS = "--csv out/results.csv --in-turns"
CALL = f"{sys.executable} {TOOL.parents[2]}/libraries/libraries.py --build build"
PLAN = """# all of it
00_machine/00_machine --budget {s}  # alone
libraries/libraries.py --csv more.csv --size 1
A=1 01_naive/01_naive --size {sizes} --type {types&f32,bf16}
02_b/02_b --type {types&bf16}
02_b/02_b {each types} > 'all {each ranks}.csv'
! {mine} of all
! {none} page
|| 02_b/02_b --size {ladder} --few {few} --shape {others}
../tools/x.py 02_b > x.csv"""
COMMANDS = f"""00_machine/00_machine --budget 1 --csv out/machine.csv
{CALL} --size 1 --csv out/more.csv
A=1 01_naive/01_naive --size 9,1008,1024 --type f32 {ROWS}
02_b/02_b f32 > 'out/all 1.csv'
02_b/02_b f32 > 'out/all 3.csv'
02_b/02_b i32 > 'out/all 1.csv'
02_b/02_b i32 > 'out/all 3.csv'
page of all
02_b/02_b --size 1008 --few 1,9 --shape 9,1024 {ROWS}
{sys.executable} ../tools/x.py 02_b > out/x.csv"""
OLD = {"cpu/cpu.cfs_quota_us": "100000\n", "cpu/cpu.cfs_period_us": "100000\n"}
QUOTAS = (  # /proc/self/cgroup, files below /sys/fs/cgroup, processors: as tests/run_test.cpp has
    ("0::/a/b\n", {"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n"}, 1),
    ("0::/../a\n", {"cpu.max": "max 100000\n"}, 1 << 20),
    ("3:memory:/x\n4:cpuacct,cpu:/host/a\n", OLD, 1),
    ("1:cpu:/\n", OLD | {"cpu/cpu.cfs_quota_us": "-1\n"}, 1 << 20),
)
SAMPLES = ("10.000Z,3.0", "20.000Z,2.9", "30.000Z,1.8", "40.000Z,3.1", "50.000Z,3.0")


def without_process_vm_readv():
    """As Docker's profile does on an old kernel: seccomp answers it with EPERM."""
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 310), (6, 0, 0, 0x50001), (6, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    for words in (38, 1, 0, 0, 0), (22, 2, program, 0, 0):
        assert ctypes.CDLL(None).prctl(*words) == 0


class RunPlan(unittest.TestCase):
    before = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program("build/00_machine/00_machine", "exit 2")  # an older one has no --pace
        for name in "libraries", "01_naive", "02_b", "a", "b":
            self.program(f"build/{name}/{name}")
        self.program("tools/x.py")
        self.program("mpirun", 'shift 2; exec "$@"')

    def program(self, path, script='echo "says $1"; touch out/results.csv'):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def start(self, plan, *more):
        (self.folder / "plan").write_text(plan)
        call = [sys.executable, "-B", TOOL, "plan", "--build", "build", "--out", "out", *more]
        around = {"PATH": f"{self.folder}:{os.environ['PATH']}", "OMP_PROC_BIND": "x"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": self.before}
        return subprocess.Popen(call, cwd=self.folder, text=True, env=around, **pipes)

    def run_plan(self, plan, *more):
        process = self.start(plan, *more)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def said(self, plan):
        """What the programs said."""
        out = self.run_plan(plan)[1].splitlines()
        return [line for line in out if not line.startswith("== ") and "done already" not in line]

    def planned(self, plan, *more):
        status, out, err = self.run_plan(plan, "--plan", *more)
        self.assertEqual((status, err, (self.folder / "out").exists()), (0, "", False))
        return out.replace("build/", "").strip()

    def test_each_line_gets_its_settings_and_its_file(self):
        sizes = ["sizes=9,1008,1024", "types=f32,i32", "ranks=1,3", "threads=1,5,9"]
        planned = self.planned(PLAN, "--set", "s=1", "none=", "mine=page", *sizes)
        self.assertEqual(planned, COMMANDS)
        large = self.planned("02_b/02_b --size {ladder}", "--set", "sizes=9,5000")
        self.assertIn("--size 512,5000 ", large, "the estimate needs a size before")
        refused = (2, "", "{siz} is no setting: 02_b/02_b {siz}\n")
        self.assertEqual(self.run_plan("02_b/02_b {siz}", "--plan"), refused)

    def test_teams_larger_than_the_processor_run_apart_and_ranks_share_it(self):
        fit = ",".join(dict.fromkeys(["1", str(CORES)]))
        plan = "02_b/02_b --threads {threads}%s\nmpirun -n 2 02_b/02_b --threads {threads}"
        lines = self.planned(plan % f",{CORES + 1},{CORES + 2}", "--set", f"threads={fit}")
        counts = [line.split("--threads ")[1].split()[0] for line in lines.splitlines()]
        self.assertEqual(counts, [fit, f"{CORES + 1}", f"{CORES + 2}", "1"])
        self.assertTrue(lines.endswith(" --ranks 2"), "which another MPI's mpirun does not start")

    def test_of_the_steps_asked_for_and_the_baseline(self):
        plan = f"01_naive/01_naive --variant ijk {ROWS}\n01_naive/01_naive\n02_b/02_b {ROWS}"
        planned = self.planned(plan.replace(ROWS, ""), "--steps", "02_b")
        self.assertEqual(planned, plan.replace("01_naive/01_naive\n", ""))
        refused = (2, "", "STEPS: there is no 9; give some of 01_naive 02_b\n")
        self.assertEqual(self.run_plan(plan, "--steps", "9"), refused)

    def test_a_line_done_runs_again_if_it_or_its_program_changed_or_its_file_is_gone(self):
        plan = "libraries/libraries 1\nlibraries/libraries 2 > 2.csv\nlibraries/libraries 1"
        self.assertEqual([self.said(plan), self.said(plan)], [["says 1"] * 2, []])
        self.assertEqual((self.folder / "out/2.csv").read_text(), "says 2\n")
        self.assertEqual(self.said("libraries/libraries 1\nlibraries/libraries 3"), ["says 3"])
        for newer in "libraries/libraries", "05_avx2/libcourse_blas.so":  # which it loads
            self.program(f"build/{newer}")
            self.assertEqual(self.said(plan), ["says 1"] * 2)
        (self.folder / "out/results.csv").unlink()
        self.assertEqual([self.said(plan), self.said(plan)], [["says 1"], []])

    def test_a_line_beside_a_slow_sample_runs_once_more_and_stays_disturbed(self):
        script = "read -r pace <paces; sed -i 1d paces; echo $pace"
        self.program("build/00_machine/00_machine", script)
        # Line 1 is calm; 2 meets a slow moment, and is calm the second time; 3 both times.
        paces = "3.0 3.1 2.9 3.0 2.9 1.8 1.9 3.0 3.0 1.8 2.9 1.8"
        (self.folder / "paces").write_text(paces.replace(" ", "\n"))
        plan = "".join(f"a/a {place}\n" for place in (0, 0, 0, 1, 2, 3))
        self.assertEqual(self.said(plan), [f"says {at}" for at in (0, 0, 0, 1, 2, 2, 3, 3)])
        (self.folder / "paces").write_text("3.0\n" * 9)
        self.assertEqual(self.said(plan), ["says 3"], "which the next report measures again")
        for _ in range(60):  # the host was slow all the time, as is known now
            add(self.folder / "out/pace.csv", os.uname().nodename, "6.0")
        (self.folder / "paces").write_text("6.0\n" * 9)
        self.assertEqual(len(self.said(plan)), 6)

    def test_a_row_is_disturbed_by_the_samples_around_it(self):
        lines = ["host,at,gops", "b,2026-11-29T12:40:31.000Z,0.5", "a,20"]
        lines += [f"a,2026-11-29T12:40:{sample}" for sample in SAMPLES]
        (path := self.folder / "pace.csv").write_text("\n".join(lines))
        times = "05.000 15.000 20.000 29.999 30 39.999 40.000 59".split()
        slow = [at for at in times if Paces(path).slow("a", f"2026-11-29T12:40:{at}Z")]
        self.assertEqual(slow, times[2:6])
        for few in Paces(path).slow("b", "2026"), Paces("none.csv").slow("a", "2026"):
            self.assertFalse(few, "too few samples say of nobody that it is slow")

    def test_what_fails_is_named_at_once_and_at_the_end_and_the_others_run(self):
        self.program("build/a/a", "exit 1")
        self.program("build/d/d", "kill -SEGV $$")
        self.program("build/e/e", 'test "$1" = emulated && echo here || exit 77')
        plan = "a/a > a.csv\na/a 2\ne/e\nc/c\nd/d\n|| e/e emulated > e.csv\n|| a/a emulated"
        status, out, err = self.run_plan(plan)
        failed = f"a ended with 1: build/a/a > out/a.csv\na ended with 1: build/a/a 2 {ROWS}\n"
        failed += f"d ended with 139: build/d/d {ROWS}\n"
        said = f"c skipped: it is not built in build\n{failed}3 of 6 failed:\n{failed}"
        self.assertEqual((status, err), (1, said))
        self.assertRegex(out, r"(?s)^== a \(1 of 6\); \d+ s gone\n.*== e \(5 of")
        there = {path.name: path.read_text() for path in (self.folder / "out").iterdir()}
        self.assertEqual((there.pop("failed"), there.pop("e.csv")), (failed, "here\n"))
        self.assertEqual([*there], [".done"])
        self.assertEqual(self.run_plan("e/e emulated")[0], 0)
        self.assertFalse((self.folder / "out/failed").exists(), "the next report begins anew")

    def test_threads_and_ranks_are_bound_to_their_cores(self):
        binding = "$OMPI_MCA_hwloc_base_binding_policy, $OMPI_MCA_rmaps_base_mapping_policy"
        self.program("build/a/a", f"echo is $OMP_WAIT_POLICY, $OMP_PROC_BIND, {binding}")
        plan = f"a/a\na/a --threads 1\nOMP_WAIT_POLICY=x a/a\nmpirun -n {CORES} a/a\n"
        said = ["is , , ,", "is , true, ,", "is x, , ,", "is , , hwthread, slot:PE=1"]
        crowd = f"mpirun -n {CORES + 1} a/a"
        self.assertEqual(self.said(plan + crowd), [*said, "is passive, , none,"])
        self.program("mpirun", 'echo "(Open MPI) 5 ${*%% build*}"')
        ways = ["slot:PE=1:hwtcpus --bind-to hwthread", ":oversubscribe --bind-to none"]
        said = [f"(Open MPI) 5 --map-by {way} -n {CORES + at}" for at, way in enumerate(ways)]
        self.assertEqual(self.said(f"mpirun -n {CORES} a/a\n{crowd}"), said)

    @unittest.skipUnless(platform.machine() == "x86_64", "the number of its system call")
    def test_open_mpi_copies_by_two_where_one_may_not_read_anothers_memory(self):
        self.program("mpirun", "echo is ${OMPI_MCA_btl_vader_single_copy_mechanism-its own}")
        for self.before, said in (None, "is its own"), (without_process_vm_readv, "is none"):
            self.assertEqual(self.said(f"mpirun -n 2 a/a {said}"), [said])

    def test_another_report_that_writes_there_is_left_alone(self):
        (self.folder / "out").mkdir()
        with open(self.folder / "out/.done", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            busy = "another report writes out; wait for its end, or give another: OUT=…\n"
            self.assertEqual(self.run_plan("a/a"), (2, "", busy))

    def test_processors_by_the_cgroups_quotas(self):
        for at, (groups, files, least) in enumerate(QUOTAS):
            for name, text in {"groups": groups, **files}.items():
                path = self.folder / f"{at}" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            found = processors(self.folder / f"{at}/groups", self.folder / f"{at}")
            self.assertEqual(found, min(len(os.sched_getaffinity(0)), least), files)

    def test_a_peak_that_a_product_beat_is_measured_again(self):
        cells = dict(step="own", variant="x", type="f32", threads="1", device_kind="processor")
        cells |= dict(m="1000", n="1000", k="1000", name="peak", value="100", unit="GFLOP/s")
        self.program("build/00_machine/00_machine", "echo looks")
        (self.folder / "out").mkdir()
        for seconds, looks in ("0.021", []), ("0.019", ["looks"]):
            cells |= {"verdict": "right", "median_s": seconds, "repeat": "1"}
            for file in "results.csv", "machine.csv":
                text = f"{','.join(cells)}\n{','.join(cells.values())}\n"
                (self.folder / "out" / file).write_text(text)
            self.assertEqual(self.said("00_machine/00_machine --again"), looks)

    def test_an_interruption_of_either_ends_all(self):
        self.program("build/a/a", "kill -TERM $$")
        self.assertEqual(self.run_plan("a/a\nb/b")[0], 143)
        loop = "echo waits; for i in $(seq 600); do sleep 0.1; done"
        self.program("build/a/a", f"trap 'echo told; exit 5' TERM; {loop}")
        process = self.start("a/a\nb/b")
        while process.stdout.readline() != "waits\n":
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60), ("told\n", ""))
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main()
