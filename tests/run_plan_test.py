"""Tests of run_plan.py and of the plans, on programs of a line each and on the course's own."""

import csv, fcntl, os, re, signal, subprocess, sys, time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools/report/run_plan.py"
BUILD = Path(os.environ.get("COURSE_BUILD", ROOT / "build"))
sys.path.append(str(TOOL.parent))
from measured import Paces
from placed import CORES, processors

ROWS = "--csv out/results.csv --in-turns"
CALL = f"{sys.executable} {ROOT}/libraries/libraries.py --build build"
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
{sys.executable} ../tools/x.py 02_b > out/x.csv
"""
QUOTAS = (  # /proc/self/cgroup, files below /sys/fs/cgroup, processors: as run_test.cpp has
    ("0::/a/b\n", {"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n"}, 1),
    ("0::/../a\n", {"cpu.max": "max 100000\n"}, 1 << 20),
)


def program(path, script='echo "says $1"; touch out/results.csv'):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture(autouse=True)
def programs(tmp_path, monkeypatch):
    """A folder with programs that say what they were called with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("OMP_PROC_BIND", "x")
    program("build/00_machine/00_machine", "exit 2")  # of which no pace is known
    for name in "libraries", "01_naive", "02_b", "a", "b":
        program(f"build/{name}/{name}")
    program("tools/x.py")
    program("mpirun", 'shift 2; exec "$@"')


def start(plan, *more, build="build", **how):
    Path("plan").write_text(plan)
    call = [sys.executable, "-B", TOOL, "plan", "--build", build, "--out", "out", *more]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(call, **pipes, **how)


def run_plan(plan, *more, **how):
    process = start(plan, *more, **how)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def said(plan, **how):
    """What the programs said."""
    out = run_plan(plan, **how)[1].splitlines()
    return [line for line in out if not line.startswith("== ") and "done already" not in line]


def planned(plan, *more):
    status, out, err = run_plan(plan, "--plan", *more)
    assert (status, err, Path("out").exists()) == (0, "", False)
    return out.replace("build/", "")


def test_each_line_gets_its_settings_and_its_file():
    sizes = ["sizes=9,1008,1024", "types=f32,i32", "ranks=1,3", "threads=1,5,9"]
    assert planned(PLAN, "--set", "s=1", "none=", "mine=page", *sizes) == COMMANDS
    large = planned("02_b/02_b --size {ladder}", "--set", "sizes=9,5000,8192")
    assert "--size 512,5000 " in large, "the estimate needs a size before"
    refused = (2, "", "{siz} is no setting: 02_b/02_b {siz}\n")
    assert run_plan("02_b/02_b {siz}", "--plan") == refused


def test_teams_larger_than_the_processor_run_apart_and_ranks_share_it():
    fit = ",".join(dict.fromkeys(["1", str(CORES)]))
    plan = "02_b/02_b --threads {threads}%s\nmpirun -n 2 02_b/02_b --threads {threads}"
    lines = planned(plan % f",{CORES + 1},{CORES + 2}", "--set", f"threads={fit}").splitlines()
    counts = [line.split("--threads ")[1].split()[0] for line in lines]
    assert counts == [fit, f"{CORES + 1}", f"{CORES + 2}", "1"]
    assert lines[-1].endswith(" --ranks 2"), "which another MPI's mpirun does not start"


def test_of_the_steps_asked_for_and_the_baseline():
    plan = f"01_naive/01_naive --variant ijk {ROWS}\n01_naive/01_naive\n02_b/02_b {ROWS}\n"
    lines = planned(plan.replace(ROWS, ""), "--steps", "02_b")
    assert lines == plan.replace("01_naive/01_naive\n", "")
    refused = (2, "", "STEPS: there is no 9; give some of 01_naive 02_b\n")
    assert run_plan(plan, "--steps", "9") == refused


def test_a_line_done_runs_again_if_it_or_its_program_changed_or_its_file_is_gone():
    plan = "libraries/libraries 1\nlibraries/libraries 2 > 2.csv\nlibraries/libraries 1"
    assert [said(plan), said(plan)] == [["says 1"] * 2, []]
    assert Path("out/2.csv").read_text() == "says 2\n"
    assert said("libraries/libraries 1\nlibraries/libraries 3") == ["says 3"]
    for newer in "libraries/libraries", "05_avx2/libcourse_blas.so":  # which it loads
        program(f"build/{newer}")
        assert said(plan) == ["says 1"] * 2
    Path("out/results.csv").unlink()
    assert [said(plan), said(plan)] == [["says 1"], []]


def test_a_line_beside_a_slow_sample_runs_once_more_and_stays_disturbed():
    program("build/00_machine/00_machine", "read -r pace <paces; sed -i 1d paces; echo $pace")
    # Line 1 is calm; 2 meets a slow moment, and is calm the second time; 3 both times.
    paces = "3.0 3.1 2.9 3.0 2.9 1.8 3.0 3.0 1.8 2.9 1.8"
    Path("paces").write_text(paces.replace(" ", "\n"))
    plan = "".join(f"a/a {place}\n" for place in (0, 0, 0, 1, 2, 3))
    assert said(plan) == [f"says {at}" for at in (0, 0, 0, 1, 2, 2, 3, 3)]
    Path("paces").write_text("3.0\n" * 9)
    assert said(plan) == ["says 3"], "which the next report measures again"
    with open("out/pace.csv", "a") as file:  # the host was slow all the time, as is known now
        file.write(f"{os.uname().nodename},9999,6.0\n" * 60)
    Path("paces").write_text("6.0\n" * 9)
    assert len(said(plan)) == 6


def test_a_disturbed_peak_is_measured_again():
    program("build/00_machine/00_machine", '[ $1 = --pace ] && exit 2; echo "says $1"; cp sheet $3')
    for note, again in ("disturbed: 36 %", 1), ("12 chains", 1), ("", 0):
        Path("sheet").write_text(f"name,value,note\npeak,2,{note}\n")
        assert said("00_machine/00_machine --again") == ["says --again"] * again


def test_a_row_is_disturbed_by_the_samples_around_it():
    day, lines = "2026-11-29T12:40:", ["host,at,gops", "b,2026-11-29T12:40:31.000Z,0.5", "a,20"]
    samples = "10.000Z,3.0 20.000Z,2.9 30.000Z,1.8 40.000Z,3.1 50.000Z,3.0".split()
    Path("pace.csv").write_text("\n".join(lines + [f"a,{day}{sample}" for sample in samples]))
    times = "05.000 15.000 20.000 29.999 30.000 39.999 40.000 59.000".split()
    paces = Paces("pace.csv")
    assert [at for at in times if paces.slow("a", f"{day}{at}Z")] == times[2:6]
    few = paces.slow("b", "2026"), Paces("none.csv").slow("a", "2026")
    assert few == (False, False), "too few samples say of nobody that it is slow"


def test_what_fails_is_named_and_the_others_run():
    program("build/a/a", "exit 1")
    program("build/d/d", "kill -SEGV $$")
    program("build/e/e", 'test "$1" = emulated && echo here || exit 77')
    plan = "a/a > a.csv\na/a 2\ne/e\nc/c\nd/d\n|| e/e emulated > e.csv\n|| a/a emulated"
    status, out, err = run_plan(plan)
    failed = f"a ended with 1: build/a/a > out/a.csv\na ended with 1: build/a/a 2 {ROWS}\n"
    failed += f"d ended with 139: build/d/d {ROWS}\n"
    assert (status, err) == (1, f"c skipped: it is not built in build\n{failed}")
    assert re.search(r"(?s)^== a \(1 of 6\); \d+ s gone\n.*== e \(5 of", out)
    there = {path.name: path.read_text() for path in Path("out").iterdir()}
    assert (there.pop("failed"), there.pop("e.csv"), [*there]) == (failed, "here\n", [".done"])
    assert run_plan("e/e emulated")[0] == 0
    assert not Path("out/failed").exists(), "the next report begins anew"


def test_threads_and_ranks_are_bound_to_their_cores():
    binding = "$OMPI_MCA_hwloc_base_binding_policy, $OMPI_MCA_rmaps_base_mapping_policy"
    program("build/a/a", f"echo is $OMP_WAIT_POLICY, $OMP_PROC_BIND, {binding}")
    plan = f"a/a\na/a --threads 1\nOMP_WAIT_POLICY=x a/a\nmpirun -n {CORES} a/a\n"
    words = ["is , , ,", "is , true, ,", "is x, , ,", "is , , hwthread, slot:PE=1"]
    crowd = f"mpirun -n {CORES + 1} a/a"
    assert said(plan + crowd) == [*words, "is passive, , none,"]
    program("mpirun", 'echo "(Open MPI) 5 ${*%% build*}"')
    by = ["slot:PE=1:hwtcpus --bind-to hwthread", ":oversubscribe --bind-to none"]
    words = [f"(Open MPI) 5 --map-by {of} -n {CORES + at}" for at, of in enumerate(by)]
    assert said(f"mpirun -n {CORES} a/a\n{crowd}") == words


def test_another_report_that_writes_there_is_left_alone():
    Path("out").mkdir()
    with open("out/.done", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        busy = "another report writes out; wait for its end, or give another: OUT=…\n"
        assert run_plan("a/a") == (2, "", busy)


def test_processors_by_the_cgroups_quotas(tmp_path):
    for at, (groups, files, least) in enumerate(QUOTAS):
        for name, text in {"groups": groups, **files}.items():
            path = tmp_path / f"{at}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = processors(tmp_path / f"{at}/groups", tmp_path / f"{at}")
        assert found == min(len(os.sched_getaffinity(0)), least), files


def test_an_interruption_of_either_ends_all():
    program("build/a/a", "kill -TERM $$")
    assert run_plan("a/a\nb/b")[0] == 143
    loop = "echo waits; for i in $(seq 600); do sleep 0.1; done"
    program("build/a/a", f"trap 'echo told; exit 5' TERM; {loop}")
    process = start("a/a\nb/b")
    while process.stdout.readline() != "waits\n":
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("told\n", "")
    assert process.returncode == 130


def test_killed_in_the_middle_no_row_is_lost_and_then_all_are_there():
    # The last size takes a second: the plan is not over before somebody looks.
    results, plan = Path("out/results.csv"), "01_naive/01_naive --size 40,50\n"
    plan += "03_tiling/03_tiling --size 50 --tile 8,64\n02_loop_order/02_loop_order --size 40,200"
    lines = lambda: results.read_text().splitlines() if results.exists() else []
    keys = lambda: {tuple(line.split(",")[:13]) for line in lines() if line.count(",") > 20}
    for stop_after in 5, 30:
        process = start(plan, build=BUILD, start_new_session=True)
        while len(lines()) <= stop_after and process.poll() is None:
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        killed = lines()
    results.write_text("\n".join([*killed, "torn,by,a,crash"]))  # as one of the machine leaves it
    assert run_plan(plan, build=BUILD)[0] == 0
    assert lines()[: len(killed)] == killed and len(lines()) > len(killed)
    resumed = keys()
    results.unlink(), Path("out/.done").unlink()
    assert run_plan(plan, build=BUILD)[0] == 0
    assert keys() == resumed and len(resumed) > 50


def test_a_host_that_slows_down_for_a_while_marks_its_rows(monkeypatch):
    if not (library := BUILD / "tests/libslow_host.so").exists():
        pytest.skip("libslow_host.so is not built here")
    for n, slow in ("8", ""), ("9", "1"), ("10", ""):
        around = os.environ | {"LD_PRELOAD": str(library), "COURSE_SLOW_HOST": slow}
        plan = f"02_loop_order/02_loop_order --variant ikj --type f32 --size {n}\n" * 4
        assert run_plan(plan, build=BUILD, env=around)[0] == 0
    with open("out/results.csv", newline="") as file:
        rows, paces = list(csv.DictReader(file)), Paces("out/pace.csv")
    assert {row["n"] for row in rows if paces.slow(row["host"], row["started"])} == {"9"}


@pytest.mark.parametrize("character", '"$;(*\\#~')
def test_what_would_break_a_command_line_is_refused_before_anything_runs(character):
    given = ["--set", f"sizes=1{character}b"]
    why = f"'1{character}b' has a {character} in it; give letters, digits, . _ / and -"
    assert run_plan("a/a", *given) == (2, "", f"SIZES: {why}\n")
    assert not Path("out").exists()


def test_what_a_plan_names_is_there():
    """A step's programs, where the step and all of it was built, but for what needs nvcc."""
    cache = BUILD / "CMakeCache.txt"
    everything = cache.exists() and "COURSE_EVERYTHING:BOOL=ON" in cache.read_text(errors="replace")
    plans = [*ROOT.glob("tools/report/plans/*.txt"), *ROOT.glob("plots/reference/plan*.txt")]
    lines = [line for plan in plans for line in plan.read_text().splitlines()]
    for line in (line for line in lines if line and line[0] not in "#!"):
        name = re.search(r"(?:^| )(?:\.\./)?([0-9a-z_]+/[^ ]+)", line)[1]
        there, step = (BUILD / name).exists(), Path(name).parent
        nvcc = name.endswith(("_search", "_links", "_timeline", "_shared_memory"))
        asked = everything and (BUILD / step / step).exists() and not nvcc
        assert (ROOT / step).is_dir() and (there or (ROOT / name).exists() or not asked), line
        variants = re.search(r"--variant (\S+)", line)
        if not variants or not there:
            continue
        listed = subprocess.run([BUILD / name, "--list"], capture_output=True, text=True).stdout
        if "built without nvcc" not in listed:  # then some are missing
            known = set(re.findall(r"(?m)^  (\S+) ", listed))
            assert {*variants[1].split(",")} <= known, line
