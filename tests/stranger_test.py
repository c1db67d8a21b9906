"""The course on a stranger's machine. What is inherited changes nothing, and a closed pipe ends
what runs without a word of ours; and what build.py does there, with a cmake that only says what it
was called with."""

import fcntl, os, re, shutil, subprocess, sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAKE = "make --no-print-directory BUILD=there"
CSV = "plots/reference/h100/results.csv"
STRANGE = {  # a variable: what a shell's, a job's or another project's settings may give it
    "OUT": "/nonexistent a",
    "QUICK": "yes",
    "PYTHON": "false",
    "PYTHONHOME": "/nonexistent",
    "OMP_NUM_THREADS": "1",
    "BASH_FUNC_grep%%": "() { echo no; }",
    "LC_ALL": "tr_TR.UTF-8",
    "TMPDIR": "/proc/none",
}
# What make itself says of TMPDIR before it reads a makefile, and of SIGPIPE.
OWN_WORDS = r"(?m)^make: (TMPDIR value|using default temporary|\*\*\*).*\n"
OF_MAKE = {"OUT", "QUICK", "PYTHON"}  # the same names may mean others' things
CMAKE = """#!/bin/sh
echo "$2" >>"$COURSE_SAID"
[ "$1" = --build ] && exit
printf 'CMAKE_%s:INTERNAL=%s\\n' HOME_DIRECTORY "$2" CACHEFILE_DIR "$PWD/$4" >"$4/CMakeCache.txt"
"""


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def strange(tmp_path):
    (tmp_path / ".gnuplot").write_text("set datafile separator ','; set output\n")
    (tmp_path / "bash_env").write_text("cd /; echo a word\n")
    return STRANGE | {"HOME": str(tmp_path), "BASH_ENV": f"{tmp_path}/bash_env"}


def said(command, environment):
    # The python3 that this is, not a wrapper in bash.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    clean = {"PATH": path, "HOME": str(Path.home())}
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "cwd": ROOT, "text": True}
    done = subprocess.run(command, shell=True, env=clean | environment, **how)
    return done.returncode, re.sub(OWN_WORDS, "", done.stdout)


def test_a_strangers_settings_change_nothing(strange):
    for command in "-n report test plan simulate", f"ladder OUT={Path(CSV).parent}", "help":
        status, words = said(f"{MAKE} {command}", {})
        assert status == 0, words
        assert said(f"{MAKE} {command}", strange) == (0, words)


def run_plan_in(folder, script):
    """The command of a plan whose one program is this script."""
    program(folder / "build/00_machine/00_machine", f"#!{sys.executable} -E\n{script}\n")
    (folder / "plan").write_text("00_machine/00_machine\n")
    return f"tools/report/run_plan.py {folder}/plan --build {folder}/build --out {folder}/out"


def test_what_is_started_has_none_of_them(tmp_path, strange):
    script = "import os; print(*sorted(os.environ), os.environ['LC_ALL'])"
    run_plan = run_plan_in(tmp_path, script)
    started = tmp_path / "build/00_machine/00_machine"
    ctest = f'include("{ROOT}/cmake/inherited.cmake")\nexecute_process(COMMAND {started})\n'
    (tmp_path / "ctest.cmake").write_text(ctest)
    (tmp_path / "makefile").write_text(f"include Makefile\nshown:\n\t@{started}\n")
    by = f"cmake -P {tmp_path}/ctest.cmake", f"make -f {tmp_path}/makefile shown"
    for command in *by, f"{sys.executable} -E {run_plan}":
        status, words = said(command, strange)
        assert (status, words.split()[-1]) == (0, "C.UTF-8"), words
        assert strange.keys() & {*words.split()} - OF_MAKE == {"HOME", "LC_ALL"}


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="no gnuplot here")
def test_pictures_are_the_same(tmp_path, strange):
    pictures = []
    for at, environment in enumerate(({}, strange)):
        command = f"{sys.executable} -E tools/report/report.py page {CSV} --out {tmp_path}/{at}"
        assert said(command, environment)[0] == 0
        pictures.append((tmp_path / f"{at}/charts/ladder_f32_gpu.svg").read_text(encoding="utf-8"))
    assert pictures[0] == pictures[1]


def test_a_closed_pipe_ends_all_without_a_word_of_ours(tmp_path):
    dies = "from signal import *; signal(SIGPIPE, SIG_DFL); raise_signal(SIGPIPE)"
    run_plan = run_plan_in(tmp_path, dies)
    for command in f"{MAKE} help", f"{MAKE} ladder OUT={Path(CSV).parent}", f"python3 {run_plan}":
        closed = f"{{ {command}; }} | head -n 1 >{tmp_path}/first"
        assert said(closed, {}) == (0, ""), command


def test_make_refuses_what_breaks_a_command_line():
    for given, why in (
        ('rows OUT="a\'b"', "OUT: it has a ' in it; give letters, digits, . _ / and -"),
        ("rows QUICK=yes", "QUICK: 'yes' is unknown; give QUICK=1, or nothing"),
        ("reference MACHINE=../a", "MACHINE: '../a' is no name for a folder"),
    ):
        status, words = said(f"{MAKE} {given}", {})
        assert status == 2 and why in words


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A checkout, configured."""
    tmp_path.chmod(0o755)
    program(tmp_path / "bin/cmake", CMAKE)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("COURSE_SAID", str(tmp_path / "said"))
    return checkout(tmp_path / "course (1)")


def checkout(root):
    shutil.copytree(ROOT / "tools/report", root / "tools/report")
    for file in "tools/build.py", "tools/inherited.txt", "CMakeLists.txt":
        shutil.copy(ROOT / file, root / file)
    assert build(root) == (0, "building (the log is build.log)\n", "")
    return root


def start(root, folder="build", **more):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    python = "/usr/bin/python3" if "user" in more else sys.executable  # root's may be root's alone
    call = [python, "-B", "tools/build.py", folder, "all"]
    return subprocess.Popen(call, cwd=root, **pipes, **more)


def build(*of, **more):
    process = start(*of, **more)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_a_folder_that_was_configured_elsewhere_is_left(root, tmp_path):
    now, other = root.rename(tmp_path / "renamed"), checkout(tmp_path / "other")
    for folder, was in ("build", root), (other / "build", other):
        words = f"{folder} was configured for {was}: remove it, or give another: BUILD=…\n"
        assert build(now, folder) == (2, "", words)


def test_two_at_once_build_one_after_the_other(root, tmp_path):
    with open(root / "build/lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        process = start(root)
        assert process.stdout.readline() == "another make builds in build: waiting\n"
        assert (tmp_path / "said").read_text().count("\n") == 2, "the fixture's alone"
    assert (process.communicate(timeout=60)[1], process.returncode) == ("", 0)


@pytest.mark.parametrize("folder", ["build", "new"])
def test_a_folder_that_another_owns(root, folder):
    me = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
    for path in (root, root / "build/lock"):
        path.chmod(0o555)
    for path in root.parents[:3]:  # pytest's own folders are their user's
        path.chmod(0o755) if path.owner() == root.owner() and path != Path("/tmp") else None
    status, out, err = build(root, folder, **me)
    root.chmod(0o755)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.search("Permission denied: .* belongs to .*, and you are .*; give fold", err)
