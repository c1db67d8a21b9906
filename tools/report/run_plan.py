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
these with --quiet, or the file that the line names by --csv. What a line that ends in `> FILE`
prints becomes that file. A line with --again is run if a product was faster than the peak. After !
stands what is no program of ours and is run each time.

A line that ended well is noted in OUT/.done with the hash of its program, and not run again, unless
other programs disturbed one of its rows. What fails is named in OUT/failed, and the others still
run.

Exit status: 0 well; 1 a line failed; 2 the command line; 130 or 143 interrupted."""
import argparse, ctypes, hashlib, math, os, re, select, shlex, shutil, signal, subprocess, sys
import threading, time
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
from folders import locked, refuse  # noqa: E402
from measured import BASELINE, Refusal, key, ladder_sizes, lines_of, load  # noqa: E402
from processors import processors  # noqa: E402

OF_MACHINE = ("00_machine", "libraries")
WORK = {"machine.csv": 40, "libraries.csv": 500}  # about as much as so many rows
# As root, with more ranks than cores, and without ~/.openmpi.
OPEN_MPI = {
    "HOME": os.devnull,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_use_hwthreads_as_cpus": "1",
    "OMPI_MCA_btl": "^tcp",  # of one host: without a network, Open MPI 5 says so for each pair
}
# Threads that wait for one another then count as busy, or --quiet would take a share of work that
# is not even for a disturbance; and a core for each: a kernel may leave two short-lived threads on
# one core. Not for ranks: several on one core would only keep each other from work.
OF_THREADS = {"OMP_WAIT_POLICY": "active", "OMP_PROC_BIND": "true"}
WELL = (0, 77)  # 77: this machine cannot run it, and the program said so
CORES = processors()

# Where one process may not read another's memory (Docker, on an old kernel), Open MPI says so for
# each message.
NO_COPIES = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_smsc": "^cma"}


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

    def name(self):
        return self.program.name if self.program else ""

    def text(self):
        """As a shell takes it."""
        words = [*(f"{name}={value}" for name, value in self.variables.items()), *self.words]
        return shlex.join(words) + (f" > {shlex.quote(str(self.printed))}" if self.printed else "")

    def stamp(self):
        """Tells this line here, and the state of the programs in it, from every other."""
        files = [Path(word) for word in self.words if "/" in word and Path(word) != self.csv]
        files = filter(Path.is_file, [*files, *of_libraries(self.program)])
        parts = [self.text(), os.uname().nodename, *map(digest, files)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def work(self):
        """About how many rows it measures."""
        rows = math.prod(word.count(",") + 1 for word in self.words)
        return WORK.get(self.csv.name, rows) if self.csv else rows


def of_libraries(program):
    """What libraries.py starts and loads; other programs stand alone."""
    if program.parent.name != "libraries":
        return []
    build = program.parents[1]
    return [program, build / "libraries/cublas", *sorted(build.glob("*/libcourse_*.so"))]


@cache
def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


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
    few = list(dict.fromkeys([threads[0], threads[-1]]))
    return settings | {
        "build": shlex.quote(str(given.build)),
        "out": shlex.quote(str(given.out)),
        # The rate of a size before says how long a large one takes, and whether it is left out.
        "ladder": ladder if count(ladder) <= 1024 else f"512,{ladder}",
        "others": ",".join(n for n in sizes if n != ladder),
        "few": ",".join(few),
        "between": ",".join(number for number in threads if number not in few),
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
    first = next(place for place, word in enumerate(words) if "=" not in word)
    variables = dict(word.split("=", 1) for word in words[:first])
    words = words[first:]
    at = next(place for place, word in enumerate(words) if "/" in word)
    program, step = given.build / words[at], words[at].split("/")[0] not in OF_MACHINE
    called = [str(program)]
    if program.suffix == ".py":
        called = [sys.executable, str(program)]
    if words[at] == "libraries/libraries.py":  # the tool that calls this program
        called = [sys.executable, str(ROOT / words[at]), "--build", str(given.build)]
        program = program.with_suffix("")
    words = [*words[:at], *called, *words[at + 1 :]]
    if words[-2:-1] == [">"]:
        return Command(words[:-2], variables, program, None, given.out / words[-1])
    csv = given.out / ("machine.csv" if program.name == "00_machine" else "results.csv")
    if "--csv" in words:
        place = words.index("--csv")
        csv = given.out / words[place + 1]
        del words[place : place + 2]
    ranks = ["--ranks", option(words, "-n")] if "mpirun" in words else []
    more = ["--csv", str(csv), *["--in-turns"] * step, *ranks]
    return Command([*words, *more], variables, program, csv)


def commands_of(given):
    """All of the plans."""
    settings, commands = settings_of(given), []
    lines = "\n".join(plan.read_text(encoding="utf-8") for plan in given.plans).splitlines()
    for line in lines:
        for text in filled(re.sub(r"(^|\s)#.*", "", line).strip(), settings):
            if text.startswith("!"):
                commands.append(Command(shlex.split(text[1:]), {}))
            elif text:
                of_teams = teams(shlex.split(text), settings)
                commands += [command_of(words, given) for words in of_teams]
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


class Signals:
    """Passes a signal on to the program that runs, unless that ends within a second: Ctrl-C at a
    terminal reaches both."""

    pending, running = 0, None

    @classmethod
    def take(cls, signum, frame):
        cls.pending, later = signum, threading.Timer(1, cls.pass_on)
        later.daemon = True
        later.start()

    @classmethod
    def pass_on(cls):
        if cls.running:
            cls.running.send_signal(cls.pending)


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


def run(command):
    """Its exit status; one that died by a signal has 128 more than the signal, as in a shell. What
    it prints to a file is kept if it ended well. An interruption, of it or of this program, ends
    all."""
    variables = os.environ | environment(command.words) | command.variables
    pipe = subprocess.PIPE if command.printed else None
    try:
        pipes = {"stdin": subprocess.DEVNULL, "stdout": pipe}
        process = subprocess.Popen(placed(command.words), env=variables, **pipes)
    except OSError as error:
        print(f"{command.words[0]}: {error.strerror}", file=sys.stderr)
        return 127
    Signals.running = process
    printed, _ = process.communicate()
    Signals.running, status = None, process.returncode
    status = 128 + Signals.pending if Signals.pending else 128 - status if status < 0 else status
    if status in (128 + signal.SIGINT, 128 + signal.SIGTERM):
        sys.exit(status)
    if status and nobody_reads():
        os.kill(os.getpid(), signal.SIGPIPE)
    if command.printed and status == 0:
        command.printed.write_bytes(printed)
    return status


def nobody_reads():
    """Whether standard output is a pipe that was closed: `make report | head`."""
    (poll := select.poll()).register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def rows_of(csv):
    return lines_of(csv) if csv and csv.exists() else []


def all_quiet(rows, before):
    """Whether each row after the first `before` was left alone, now or at an earlier try."""
    quiet = {(*key(row), row["commit"]) for row in rows if row.get("quiet") == "yes"}
    return all(
        row.get("quiet") != "no" or (*key(row), row["commit"]) in quiet for row in rows[before:]
    )


def a_peak_was_beaten(out):
    """A product that is right and faster than the peak says that the peak was disturbed."""
    try:
        machines = load(out / "results.csv", out / "machine.csv")
    except Refusal:
        return False  # nothing was measured
    rows = [(of, row) for of in machines for row in of.select(gpu=False) if of.at_home(row)]
    roofs = [(row, of.roof(row.type, row.workers)) for of, row in rows]
    return any(roof and row.rate > roof.value for row, roof in roofs)


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class Stamps:
    """OUT/.done: the lines that ended well. Locked: one report at a time writes there."""

    def __init__(self, out):
        busy = f"another report writes {out}; wait for its end, or give another: OUT=…"
        self.file = locked(out / ".done", lambda: refuse(busy))
        self.known = set((out / ".done").read_text().split())

    def has(self, command):
        """A line whose file is gone has to be run again."""
        file = command.csv or command.printed
        return file is not None and file.exists() and command.stamp() in self.known

    def add(self, command):
        self.known.add(command.stamp())
        print(command.stamp(), file=self.file, flush=True)


def heading(commands, number, done, seconds):
    """What runs, and about how long the rest takes, by the work done in so many seconds."""
    left = sum(command.work() for command in commands[number - 1 :])
    rest = left * (seconds / done if done else 0.3)
    gone = f"{duration(seconds)} gone, about {duration(rest)} left"
    return f"== {commands[number - 1].name()} ({number} of {len(commands)}); {gone}"


def run_all(commands, stamps, out):
    """Runs what is not done yet; what failed, a line each. What cannot run, or is refused, with the
    first line of a program is not asked for with its others."""
    failed, absent = [], set()
    left = [command for command in commands if not stamps.has(command)]
    met = {command.name() for command in commands if command not in left}
    if len(left) < len(commands):
        print(f"done already: {len(commands) - len(left)} of {len(commands)} lines", flush=True)
    begun, done = time.monotonic(), 0
    for number, command in enumerate(left, 1):
        name, again = command.name(), "--again" in command.words
        if name in absent or stamps.has(command) or (again and not a_peak_was_beaten(out)):
            continue
        if not command.program:
            run(command)  # it says itself what it does
            continue
        print(heading(left, number, done, time.monotonic() - begun), flush=True)
        before = len(rows_of(command.csv))
        status = run(command)
        done += command.work()
        if status == 0 and not again and all_quiet(rows_of(command.csv), before):
            stamps.add(command)
        if status not in WELL:
            failed.append(f"{name} ended with {status}: {command.text()}")
            print(failed[-1], file=sys.stderr, flush=True)
            (out / "failed").write_text("\n".join([*failed, ""]), encoding="utf-8")
        if status in (2, 77, 127) and name not in met:
            absent.add(name)
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
    stamps = Stamps(given.out)
    (given.out / "failed").unlink(missing_ok=True)
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, Signals.take)
    if failed := run_all(commands, stamps, given.out):
        print("\n".join([f"{len(failed)} of {len(commands)} failed:", *failed]), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
