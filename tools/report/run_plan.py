#!/usr/bin/env python3
"""Runs a plan, a command line a line, one after the other: two at once would disturb each other's
times.

    run_plan.py PLAN... --build BUILD --out OUT [--set NAME=VALUE...] [--steps STEP...] [--plan]

A line of a PLAN is a program below BUILD with its options, perhaps after variables of the
environment (NAME=value) and `mpirun -n N`; # begins a comment. In braces stand settings:
    {sizes}           this setting; a line whose setting is empty is left out
    {types&f32,f64}   those of its items that are among these
    {each ranks}      the line is run for each of its items
Added are the files, in OUT: 00_machine writes machine.csv, libraries.py and the steps results.csv,
or the file that the line names by --csv. What a line that ends in `> FILE` prints becomes that
file. A line with --again is run if a product was faster than the peak; one that begins with || if
its program could not run (77) in a line before. After ! stands what is no program of ours and is
run each time.

Between two lines the pace of the processors is measured (OUT/pace.csv); a line that was disturbed
runs once more. One that ended well and undisturbed is noted in OUT/.done, and not run again while
its programs are older than the note. What fails is named in OUT/failed, and the others still run.

Exit status: 0 well; 1 a line failed; 2 the command line; 130 or 143 interrupted."""
import argparse, ctypes, os, re, shlex, shutil, signal, subprocess, sys, time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
from folders import locked, refuse  # noqa: E402
from measured import BASELINE, Refusal, ladder_sizes, load  # noqa: E402
from pace import Paces, add, utc  # noqa: E402
from processors import processors  # noqa: E402

HOST = os.uname().nodename
OF_MACHINE = ("00_machine", "libraries")
# As root, with more ranks than cores, and without ~/.openmpi.
OPEN_MPI = {
    "HOME": os.devnull,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_use_hwthreads_as_cpus": "1",
    "OMPI_MCA_btl": "^tcp",  # of one host: without a network, Open MPI 5 says so for each pair
}
# A core for each thread: a kernel may leave two short-lived threads on one core. A thread that
# waits spins for some 100 µs only (libgomp: 10^5 spins are about 1 ms), then sleeps: a row of one
# thread may be next, on the other hardware thread of the core.
OF_THREADS = {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "10000", "KMP_BLOCKTIME": "1"}
TOLD = (128 + signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGPIPE)  # these end all
CORES = processors()

# Where one process may not read another's memory (Docker, on an old kernel), Open MPI says so for
# each message.
NO_COPIES = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_smsc": "^cma"}
PATIENCE = 3  # seconds that a disturbed line waits for the pace of before
SHARE = 0.15  # of the time gone, for lines that run once more


@cache
def copies_at_once():
    """Whether process_vm_readv is allowed, tried on this process."""
    here = ctypes.create_string_buffer(8)
    part = (ctypes.c_size_t * 2)(ctypes.addressof(here), 8)
    read = getattr(ctypes.CDLL(None), "process_vm_readv", None)
    return read is None or read(os.getpid(), part, 1, part, 1, 0) == 8


class Command(NamedTuple):
    """What a line of a plan is run as."""

    words: list
    variables: dict  # of the environment
    program: Path | None = None  # of ours
    csv: Path | None = None  # where its rows go
    printed: Path | None = None  # the file that gets what it prints
    instead: bool = False  # of lines of its program that could not run
    number: int = 1  # among the lines alike of its plan

    def name(self):
        return self.program.name if self.program else ""

    def text(self):
        """As a shell takes it."""
        words = [*(f"{name}={value}" for name, value in self.variables.items()), *self.words]
        return shlex.join(words) + (f" > {shlex.quote(str(self.printed))}" if self.printed else "")

    def files(self):
        """What it runs and loads of ours."""
        files = [Path(word) for word in self.words if "/" in word and Path(word) != self.csv]
        folder, build = self.program.parent, self.program.parents[1]
        if folder.name == "libraries":  # libraries.py starts these
            files += [self.program, build / "libraries/cublas", *build.glob("*/libcourse_*.so")]
        return filter(Path.is_file, [*files, *folder.glob("*.so")])


# ---- from a plan to commands ----


def option(words, name):
    return words[words.index(name) + 1] if name in words else ""


def count(word):
    return int(word) if word.isdecimal() else 0  # the programs refuse it


def settings_of(given):
    """What --set gives, and what follows from sizes and threads."""
    settings = dict(setting.split("=", 1) for setting in given.set)
    for name, value in settings.items():
        if name != "mine" and (unfit := re.search(r"[^\w./,:=+ -]", value)):
            why = f"'{value}' has a {unfit[0]} in it; give letters, digits, . _ / and -"
            refuse(f"{name.upper()}: {why}")
    sizes, threads = (settings.get(name, "").split(",") for name in ("sizes", "threads"))
    first = str(ladder_sizes(map(count, sizes))[0])
    ladder = first if first in sizes else sizes[-1]
    return settings | {
        "build": shlex.quote(str(given.build)),
        "out": shlex.quote(str(given.out)),
        # The rate of a size before says how long a large one takes, and whether it is left out.
        "ladder": ladder if count(ladder) <= 1024 else f"512,{ladder}",
        "others": ",".join(n for n in sizes if n != ladder),
        "few": ",".join(dict.fromkeys([threads[0], threads[-1]])),
    }


def filled(line, settings):
    """The lines that a line with braces stands for: none, one, or one for each item."""
    if not (field := re.search(r"\{(each )?(\w+)(?:&(\S*?))?\}", line)):
        return [line]
    each, name, among = field.groups()
    if (value := settings.get(name)) is None:
        refuse(f"{{{name}}} is no setting: {line}")
    if among:
        value = ",".join(item for item in value.split(",") if item in among.split(","))
    return [
        more
        for item in (value.split(",") if each else [value])
        if item
        for more in filled(line[: field.start()] + item + line[field.end() :], settings)
    ]


def teams(words, settings):
    """The line for all teams that fit on the cores, and apart for each larger one, which leaves its
    bound threads on the same cores: the next team would run there. Of ranks' teams those that all
    fit."""
    if "--threads" not in words:
        return [words]
    at, ranks = words.index("--threads") + 1, count(option(words, "-n")) if "mpirun" in words else 1
    most = max(CORES, ranks, *map(count, settings.get("threads", "").split(",")))
    asked = [word for word in words[at].split(",") if ranks == 1 or ranks * count(word) <= most]
    fit = [word for word in asked if count(word) <= CORES]
    groups = [fit, *([word] for word in asked if word not in fit)]
    return [[*words[:at], ",".join(group), *words[at + 1 :]] for group in groups if group]


def command_of(words, given):
    if instead := words[0] == "||":
        words = words[1:]
    first = next(place for place, word in enumerate(words) if "=" not in word)
    variables = dict(word.split("=", 1) for word in words[:first])
    words = words[first:]
    at = next(place for place, word in enumerate(words) if "/" in word)
    program = given.build / words[at]
    called = [sys.executable] * (program.suffix == ".py") + [str(program)]
    if words[at] == "libraries/libraries.py":  # the tool that calls this program
        called = [sys.executable, str(ROOT / words[at]), "--build", str(given.build)]
        program = program.with_suffix("")
    words = [*words[:at], *called, *words[at + 1 :]]
    if words[-2:-1] == [">"]:
        return Command(words[:-2], variables, program, None, given.out / words[-1], instead)
    csv = given.out / ("machine.csv" if program.name == "00_machine" else "results.csv")
    if "--csv" in words:
        place = words.index("--csv")
        csv = given.out / words[place + 1]
        del words[place : place + 2]
    ranks = ["--ranks", option(words, "-n")] if "mpirun" in words else []
    is_step = program.parent.name not in OF_MACHINE
    words += ["--csv", str(csv), *["--in-turns"] * is_step, *ranks]
    return Command(words, variables, program, csv, None, instead)


def commands_of(given):
    """All of the plans."""
    settings, commands = settings_of(given), []
    for plan in given.plans:
        alike = Counter()
        for line in plan.read_text(encoding="utf-8").splitlines():
            for text in filled(re.sub(r"(^|\s)#.*", "", line).strip(), settings):
                if text.startswith("!"):
                    commands.append(Command(shlex.split(text[1:]), {}))
                    continue
                for words in teams(shlex.split(text), settings) if text else ():
                    command = command_of(words, given)
                    alike[command.text()] += 1
                    commands.append(command._replace(number=alike[command.text()]))
    return commands


def asked_for(commands, steps):
    """Those of the steps, and the baseline, which every speedup needs."""
    if not steps:
        return commands
    known, chosen = set(), []
    for command in commands:
        folder = command.program.parent.name if command.program else ""
        names, of_step = {folder, command.name()}, folder and folder not in OF_MACHINE
        is_baseline = (command.name(), option(command.words, "--variant")) == BASELINE
        known |= names if of_step else set()
        if not of_step or is_baseline or names & {*steps}:
            chosen.append(command)
    if unknown := [step for step in steps if step not in known]:
        folders = {command.program.parent.name for command in commands if command.program}
        there = " ".join(sorted(folders.difference(OF_MACHINE)))
        refuse(f"STEPS: there is no {unknown[0]}; give some of {there}")
    return chosen


def possible(commands, given):
    """Those whose program is here; of the others each is named once."""
    lacks = {}
    for command in commands:
        if command.program and not command.program.exists():
            lacks[command.name()] = f"it is not built in {given.build}"
        elif "mpirun" in command.words and not shutil.which("mpirun"):
            lacks[command.name()] = "there is no mpirun here; sh setup.sh installs one"
    here = [command for command in commands if command.name() not in lacks]
    if not any(command.program for command in here):
        refuse(f"no program of {given.plans[0]} is in {given.build}; `make build` builds them")
    for name, why in lacks.items():
        print(f"{name} skipped: {why}", file=sys.stderr)
    return here


# ---- running them ----


def environment(words):
    """Each rank is bound to its share of the cores. Unbound, two may lie on one core; and OpenMP,
    which then counts all cores as its own, lets threads that wait keep a core from another rank's
    that work: 33 instead of 410 GFLOP/s with 2 ranks of 2 threads on two cores."""
    if "mpirun" not in words:
        # 00_machine pins its own threads: a team of `pace` that spins would take their cores.
        return OF_THREADS if "--threads" in words else {}
    ranks = count(option(words, "-n"))
    if ranks > CORES:
        binding = {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMP_WAIT_POLICY": "passive"}
    else:
        binding = {
            "OMPI_MCA_rmaps_base_mapping_policy": f"slot:PE={CORES // max(1, ranks)}",
            "OMPI_MCA_hwloc_base_binding_policy": "hwthread",
        }
    return OPEN_MPI | ({} if copies_at_once() else NO_COPIES) | binding


@cache
def open_mpi_5():
    try:
        said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    except OSError:
        return False
    return re.search(r"\(Open MPI\) ([5-9]|\d\d)", said) is not None


def placed(words):
    """Open MPI 5 reads none of these variables, and no other for a rank's share of the cores."""
    if "mpirun" not in words or not open_mpi_5():
        return words
    at, ranks = words.index("mpirun") + 1, count(option(words, "-n"))
    shared = ["--map-by", ":oversubscribe", "--bind-to", "none"]
    share = ["--map-by", f"slot:PE={CORES // max(1, ranks)}:hwtcpus", "--bind-to", "hwthread"]
    return [*words[:at], *(shared if ranks > CORES else share), *words[at:]]


class Running:
    """The program that runs, and the signal that is to end it."""

    process, told = None, 0

    @classmethod
    def tell(cls, signum, frame):
        """Ctrl-C at a terminal reaches the program, too; else it is passed on in a second."""
        if signum != signal.SIGALRM:
            cls.told = signum
            signal.alarm(1)
        elif cls.process:
            cls.process.send_signal(cls.told)


def run(words, variables, kept=False):
    """Its exit status, and what it printed if that is kept. One that died by a signal has 128 more
    than the signal, as in a shell; an interruption, of it or of this program, ends all, as does a
    pipe that nobody reads."""
    variables = os.environ | environment(words) | variables
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE if kept else None}
    try:
        process = Running.process = subprocess.Popen(placed(words), env=variables, **pipes)
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr)
        return 127, b""
    printed, _ = process.communicate()
    Running.process, status = None, -Running.told or process.returncode
    status = 128 - status if status < 0 else status
    if status in TOLD:
        sys.exit(status)
    return status, printed


def run_line(command):
    """Its exit status; what it prints to a file is kept if it ended well."""
    status, printed = run(command.words, command.variables, bool(command.printed))
    if command.printed and status == 0:
        command.printed.write_bytes(printed)
    return status


class Pace:
    """The pace of the processors, as a program tells it, in OUT/pace.csv."""

    def __init__(self, given):
        self.program = given.build / "00_machine/00_machine"
        self.file = given.out / "pace.csv"
        self.sample()

    def sample(self, patience=0):
        """Adds a sample, once the pace is back or after so many seconds; whether it is back."""
        if not self.program.exists():
            return True
        least, end = Paces(self.file).least(HOST), time.monotonic() + patience
        while True:
            status, said = run([str(self.program), "--pace"], OF_THREADS, kept=True)
            if status:
                return True
            if float(said) >= least or time.monotonic() > end:
                add(self.file, HOST, said.decode().strip())
                return float(said) >= least
            time.sleep(0.1)

    def was_slow(self, began):
        return Paces(self.file).slow(HOST, began)


def a_peak_was_beaten(out):
    """A product that is right and faster than the peak says that the peak was disturbed."""
    try:
        machines = load(out / "results.csv", out / "machine.csv")
    except Refusal:
        return False  # nothing was measured
    return any(not row.gpu for of in machines for row, _ in of.above())


class Done:
    """OUT/.done: the lines that ended well, and when they began. Locked: one report at a time
    writes there."""

    def __init__(self, out):
        busy = f"another report writes {out}; wait for its end, or give another: OUT=…"
        self.file = locked(out / ".done", lambda: refuse(busy))
        lines = (out / ".done").read_text(encoding="utf-8").splitlines()
        self.began = {line: began for began, _, line in (line.partition(" ") for line in lines)}

    def line(self, command):
        return f"{HOST} {command.number} {command.text()}"

    def has(self, command):
        """A line whose file is gone, or whose programs are newer, has to be run again."""
        file, began = command.csv or command.printed, self.began.get(self.line(command))
        if not began or not file.exists():
            return False
        return all(utc(program.stat().st_mtime) < began for program in command.files())

    def add(self, command, began):
        self.began[self.line(command)] = began
        print(began, self.line(command), file=self.file, flush=True)


def run_all(commands, done, given):
    """Runs what is not done yet; what failed, a line each. What cannot run, or is refused, with the
    first line of a program is not asked for with its others."""
    failed, absent = [], {}
    left = [command for command in commands if not done.has(command)]
    met = {command.name() for command in commands if command not in left}
    if len(left) < len(commands):
        print(f"done already: {len(commands) - len(left)} of {len(commands)} lines", flush=True)
    pace, begun, more = Pace(given), time.monotonic(), 0
    for number, command in enumerate(left, 1):
        name, again = command.name(), "--again" in command.words
        if absent.get(name) != 77 if command.instead else name in absent:
            continue
        if done.has(command) or (again and not a_peak_was_beaten(given.out)):
            continue
        if not command.program:
            run_line(command)  # it says itself what it does
            continue
        gone = time.monotonic() - begun
        print(f"== {name} ({number} of {len(left)}); {gone:.0f} s gone", flush=True)
        began, status = utc(), run_line(command)
        pace.sample()
        if is_slow := status == 0 and name != "00_machine" and pace.was_slow(began):
            start = time.monotonic()
            if more < SHARE * (start - begun) and pace.sample(PATIENCE):
                print(f"== {name} once more: something slowed the processors down", flush=True)
                began, status = utc(), run_line(command)
                pace.sample()
                is_slow = pace.was_slow(began)
            more += time.monotonic() - start
        if status == 0 and not again and not is_slow:
            done.add(command, began)
        if status not in (0, 77):  # 77: this machine cannot run it, and the program said so
            failed.append(f"{name} ended with {status}: {command.text()}")
            print(failed[-1], file=sys.stderr, flush=True)
            (given.out / "failed").write_text("\n".join([*failed, ""]), encoding="utf-8")
        if status in (2, 77, 127) and name not in met:
            absent[name] = status
        met.add(name)
    return failed


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("plans", type=Path, nargs="+", metavar="PLAN")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--steps", nargs="*", default=[], metavar="STEP", help="only these")
    parser.add_argument("--plan", action="store_true", help="print the command lines, run none")
    given = parser.parse_args()
    commands = possible(asked_for(commands_of(given), given.steps), given)
    if given.plan:
        return print("\n".join(command.text() for command in commands))
    done = Done(given.out)
    (given.out / "failed").unlink(missing_ok=True)
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(signum, Running.tell)
    if failed := run_all(commands, done, given):
        print("\n".join([f"{len(failed)} of {len(commands)} failed:", *failed]), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
