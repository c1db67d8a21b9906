"""A program, with limits on time, memory and files; how it ended, and what it tells of its rows."""
import contextlib, ctypes, json, os, re, resource, signal, subprocess, sys, tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tools"), str(ROOT / "tools/report")]
from measured import Refusal
from placed import CORES, placed

PATIENCE = int(os.environ.get("COURSE_PATIENCE", "10"))  # seconds that a run may take
MEMORY = resource.getrlimit(resource.RLIMIT_AS)[1]
MOST = {resource.RLIMIT_AS: 16 << 30, resource.RLIMIT_FSIZE: 1 << 28, resource.RLIMIT_CORE: 0}
PR_SET_CHILD_SUBREAPER = 36
CONFINE = None  # a function that puts a command into a sandbox; handins.py has one
SANITIZERS = {
    # A matrix that is asked for what it does not have ends by SIGILL.
    "ASAN_OPTIONS": "handle_sigill=1:handle_abort=1:detect_leaks=0:verify_asan_link_order=0",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:halt_on_error=1:exitcode=66",
}


class Run(NamedTuple):
    status: int | None  # None if it did not end
    out: str
    err: str
    command: list = []
    rows: list = []  # what tools/try/tutor.cpp says of each, the last one perhaps unfinished

    def ended(self):
        """How, in one word; mpirun says it of its ranks."""
        of_rank = re.search(r"exited on signal (\d+)", self.err)
        number = int(of_rank[1]) if of_rank else -(self.status or 0)
        return signal.Signals(number).name if number > 0 else f"exit {self.status}"

    def last(self):
        return self.rows[-1] if self.rows else {}

    def right(self):
        """Whether it ended well and has a row of each shape and type, each as often, all right."""
        of = dict(zip(self.command, self.command[1:]))
        rows = [(row["type"], row["shape"]) for row in self.rows if row.get("verdict") == "right"]
        types = of["--type"].split(",") if "--type" in of else {row[0] for row in rows}
        counts = {rows.count((t, shape)) for t in types for shape in of["--shape"].split(",")}
        well = self.status == 0 and len(rows) == len(self.rows)
        return well and len(counts) == 1 and 0 not in counts

    def printed(self):
        """What the learner's kernel printed in the first row that is wrong or did not end; if all
        are right, in the first one."""
        chunk = self.out.split("\x1e")[1 if self.right() else -1]  # one a row
        return [line for line in chunk.split("\n") if line.strip()]


def lower(what, most):
    """Lowers a limit of this process; one that is lower already stays."""
    found = [limit for limit in resource.getrlimit(what) if limit != resource.RLIM_INFINITY]
    found += [most] if most != resource.RLIM_INFINITY else []
    resource.setrlimit(what, (min(found, default=most),) * 2)


def rows_of(file):
    """A row has a line as it begins, and one more as it ends."""
    rows = []
    for line in file:
        with contextlib.suppress(ValueError):  # it was torn
            of = json.loads(line)
            rows.append(of) if "shape" in of else rows[-1].update(of)
    return rows


def run(command, patience=PATIENCE, limited=True, timed=False, explained=False, writes=None):
    """A Run, in a group of its own with limits; in a sandbox it writes to this folder, else to the
    files of --csv and --explain only."""

    def limits():
        on_gpu = any("cuda" in word for word in command) and "--emulate" not in command
        free = on_gpu or not limited  # a GPU takes addresses by the terabyte, as sanitizers do
        for what, most in MOST.items():
            lower(what, MEMORY if free and what == resource.RLIMIT_AS else most)
        lower(resource.RLIMIT_CPU, 2 * patience * CORES)  # should nobody be left to end it

    told = tempfile.NamedTemporaryFile("r", errors="replace")
    command = [str(word) for word in [*command, *["--explain", told.name] * explained]]
    words, around = placed(command)
    if not timed and "mpirun" not in command:
        around = around | {"OMP_WAIT_POLICY": "passive"}
    start, known = CONFINE(command, writes) if CONFINE else ([], os.environ)
    if start:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # to be told when the last has ended
    with told, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [*start, *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=limits,
            env=known | around | SANITIZERS,
        )
        try:
            status = process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            status = None
        finally:  # Ctrl-C, too
            end(process)
            with contextlib.suppress(ChildProcessError):
                while start:
                    os.waitpid(-1, 0)
        if start and status and 128 < status < 192:  # as a shell says it
            status = 128 - status
        said = (os.pread(file.fileno(), 1 << 24, 0).decode(errors="replace") for file in (out, err))
        if status != 0 and os.statvfs(tempfile.gettempdir()).f_bavail == 0:
            raise Refusal(f"{tempfile.gettempdir()} is full; give a TMPDIR that has room")
        return Run(status, *said, command, rows_of(told))


def end(process):
    """Ends a program and all that it started; mpirun is left the time to end its ranks."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signum)
            process.wait(timeout=2)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
