"""A program, with limits on time, memory and files; how it ended."""
import contextlib, ctypes, os, resource, signal, subprocess, sys, tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tools"), str(ROOT / "tools/report")]
from placed import CORES, OF_THREADS, placed

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


def run(command, patience=PATIENCE, limited=True, timed=False, writes=None):
    """A Run, in a group of its own with limits; in a sandbox it writes to this path only."""
    limits = MOST | {resource.RLIMIT_CPU: 2 * patience * CORES}  # should nobody be left to end it
    if not limited:  # a GPU takes addresses by the terabyte, as sanitizers do
        limits[resource.RLIMIT_AS] = MEMORY

    def begin():
        os.setsid()
        for what, most in limits.items():
            least = min(most, *resource.getrlimit(what), key=lambda of: of % 2**64)  # -1 is none
            resource.setrlimit(what, (least, least))

    words, around = placed([str(word) for word in command])
    if "mpirun" not in words:
        around = around | (OF_THREADS if timed else {"OMP_WAIT_POLICY": "passive"})
    start, known = CONFINE(writes, words) if CONFINE else ([], os.environ)
    if start:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # to be told when the last has ended
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
        env = known | around | SANITIZERS
        process = subprocess.Popen([*start, *words], env=env, preexec_fn=begin, **streams)
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
        return Run(status, *said)


def end(process):
    """Ends a program and all that it started; mpirun is left the time to end its ranks."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, signum)
            process.wait(timeout=2)
