#!/usr/bin/env python3
"""Runs the steps for the report, one program after the other: two at once would disturb each other's times.

BUILD/programs.txt lists the programs, one a line: name, path below BUILD, features. `threads` and `tiles` say what a
program is swept over; `tiles=2,4,8`, that these are its tiles; `blocks=8x8,32x8`, over which shapes of a thread block;
`gpu`, that it has sizes of its own; `ranks`, that mpirun starts it; `machine` and `libraries`, that it measures these
instead of a step. Those come first and always, for predictions and charts need them, and so does the baseline, which
every speedup needs. Then comes the ladder, what ladder.txt names at the ladder's sizes, and the page, with --page; then
the other sizes, the threads and the tiles.

Makefile.report gives the options. A program that fails is named, at once and in OUT/failed, and the others still run.
Exit status: 0 all were started; 2 there is no such step; 130 or 143 interrupted."""
import argparse, math, os, shlex, shutil, signal, subprocess, sys, time
from pathlib import Path
from typing import NamedTuple

from measured import BASELINE, Refusal, ladder_sizes, load

# As root, with more ranks than cores, and not bound: with two ranks Open MPI would give OpenMP one core.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
# Threads that wait for one another then count as busy, or --quiet would take a share of work that is not even for a
# disturbance. Not for ranks: several on one core would only keep each other from work.
ACTIVE = {"OMP_WAIT_POLICY": "active"}
WELL = (0, 77)  # 77: this machine cannot run it, and the program said so


class Program(NamedTuple):
    name: str
    path: str
    features: dict  # each with its list, or nothing

    def of_machine(self):
        return {"machine", "libraries"} & set(self.features)

    def asked_for(self, steps):
        return not steps or self.name in steps or self.path.split("/")[0] in steps


def programs_of(build):
    listed = build / "programs.txt"
    if not listed.is_file():
        sys.exit(print(f"there is no {listed}; `make build` writes it", file=sys.stderr) or 2)
    lines = listed.read_text(encoding="utf-8").splitlines()
    found = [Program(name, path, dict(feature.partition("=")[::2] for feature in features)) for name, path, *features in
             (line.split() for line in lines if line and not line.startswith("#"))]
    return sorted(found, key=lambda program: not program.of_machine())


LISTED = {name: words for name, *words in (  # {program: its words in ladder.txt}
    line.split() for line in Path(__file__).with_name("ladder.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#")}


def count(word):
    return int(word) if word.isdecimal() else 0  # the programs refuse it


def command_lines(program, given, ladder):
    """What one program is run with, for the ladder or for the rest: lists of words."""
    command = [str(given.build / program.path)]
    if program.of_machine():
        more = given.machine_options if "machine" in program.features else f"--alone {given.library_options}"
        return [[*command, "--csv", str(given.out / "machine.csv"), "--resume", *shlex.split(more)]] * ladder
    command += ["--type", ",".join(given.types), "--repeat", given.repeat, "--budget", given.budget,
                "--fill", given.fill, "--csv", str(given.out / "results.csv"), "--resume", "--quiet"]
    named = bool(given.steps) and program.asked_for(given.steps)
    whole, words = named or given.full, LISTED.get(program.name, ["tiles"])  # no variant: all of them
    variants = [word for word in words if word != "tiles"]
    if not program.asked_for(given.steps):
        whole, variants = False, [BASELINE[1]]
    elif not words and (ladder or not whole) and not named:
        return []
    command += ["--variant", ",".join(variants)] * bool(variants and (ladder or not whole) and not named)
    swept, gpu = "threads" in program.features, "gpu" in program.features
    sizes = given.gpu_sizes if gpu else given.sizes
    top = [n for n in sizes if count(n) in ladder_sizes(map(count, given.sizes))] or sizes[-1:]
    few = list(dict.fromkeys([given.threads[0], given.threads[-1]]))  # a curve; those between stand at the ladder's sizes
    sweeps = [(top, few)] if ladder else [(sizes, given.threads)] if given.full else [
        ([n for n in sizes if n not in top], given.threads if whole else few),
        (top * swept, [threads for threads in given.threads if threads not in few])]
    runs = []
    for ranks in given.ranks if "ranks" in program.features else ["1"]:
        most = max(map(count, [given.cores, ranks, *given.threads]))
        start = ["mpirun", "-n", ranks] if "ranks" in program.features else []
        for at, threads in sweeps:
            fit = [t for t in threads if whole or count(t) * count(ranks) <= most]
            if at and fit:
                runs.append([*start, *command, "--size", ",".join(at), *["--threads", ",".join(fit)] * swept])
    for feature, option in (("tiles", "--tile"), ("blocks", "--block")):
        if feature in program.features and not ladder and (whole or "tiles" in words):  # else each is run with its best
            runs.append([*command, "--size", given.gpu_tile_size if gpu else given.tile_size, option,
                         program.features[feature] or ",".join(given.tiles), *["--threads", given.cores] * swept])
    return runs


def plan(given):
    """(program, its command lines) of all that is asked for: of the ladder, and of the rest."""
    programs = programs_of(given.build)
    for step in given.steps:
        if not any(program.asked_for([step]) for program in programs):
            there = sorted({program.path.split("/")[0] for program in programs})
            sys.exit(print(f"STEPS: there is no {step}; give some of {' '.join(there)}", file=sys.stderr) or 2)
    asked = [program for program in programs
             if program.asked_for(given.steps) or program.of_machine() or program.name == BASELINE[0]]
    return [[(program, lines) for program in asked if (lines := command_lines(program, given, ladder))]
            for ladder in (True, False)]


class Stopped(Exception):
    pass


class Signals:
    """Raises Stopped while a program is waited for. One that comes while a program is being started waits, too: else
    the program would be left behind."""
    pending, armed = 0, False

    @classmethod
    def take(cls, signum, frame):
        cls.pending = signum
        if cls.armed:
            raise Stopped


def run(command, printed=None):
    """Its exit status; what it prints goes to this file, if there is one; one that died by a signal has 128 more than the signal, as in a shell."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed,
                                   env=(OPEN_MPI if "mpirun" in command else ACTIVE) | os.environ)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    try:
        Signals.armed = True
        if Signals.pending:
            raise Stopped
        status = process.wait()
        Signals.armed = False
    except Stopped:
        Signals.armed = False
        try:
            process.wait(timeout=1)  # Ctrl-C at a terminal has reached it already
        except subprocess.TimeoutExpired:
            process.send_signal(Signals.pending)
            process.wait()
        return 128 + Signals.pending
    return status if status >= 0 else 128 - status


def rows_of(program, commands):
    """About how many rows they measure."""
    if program.of_machine():
        return 20  # as long as so many of a step
    lists = [dict(zip(line, line[1:])) for line in commands]
    return sum(math.prod(len(of.get(f"--{name}", "," * 7 * (name == "variant")).split(","))
                         for name in ("variant", "type", "size", "threads", "tile", "block")) for of in lists)


def spoken(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def remeasure_roofs(given):
    """A product that is right and faster than the peak says that the peak was disturbed."""
    try:
        rows = [(of, row) for of in load(given.out / "results.csv", given.out / "machine.csv") for row in of.squares]
    except Refusal:
        return  # nothing was measured
    roofs = [(row, of.roof(row.type, row.threads * (row.ranks or 1))) for of, row in rows if not row.gpu and of.at_home(row)]
    for program in programs_of(given.build):
        if "machine" in program.features and any(roof and row.gflops() > roof.value for row, roof in roofs):
            run([str(given.build / program.path), "--csv", str(given.out / "machine.csv"), "--again"])


def run_all(stages, given):
    """Runs what is planned, the ladder's page in between; what fails is named, once."""
    given.out.mkdir(parents=True, exist_ok=True)
    entries, names, absent, began = sum(stages, []), [], set(), time.monotonic()
    rows = [rows_of(*entry) for entry in entries]
    with open(given.out / "failed", "w", encoding="utf-8", buffering=1) as failed:
        for number, (program, commands) in enumerate(entries, 1):
            gone, done = time.monotonic() - began, sum(rows[:number - 1])
            left = sum(rows[number - 1:]) * (gone / done if done else 4 * float(given.budget))
            print(f"== {program.name} ({number} of {len(entries)}); {spoken(gone)} gone, about {spoken(left)} left", flush=True)
            if program.name not in absent and "ranks" in program.features and not shutil.which("mpirun"):
                print("skipped: there is no mpirun here; ./setup.sh installs one", flush=True)
                absent.add(program.name)
            for command in commands if program.name not in absent else ():
                status = run(command)
                if status in (128 + signal.SIGINT, 128 + signal.SIGTERM):
                    sys.exit(status)
                if status == 77 and "gpu" in program.features:
                    absent.add(program.name)
                    break
                if status not in WELL and (name := f"{program.name} ended with {status}") not in names:
                    names.append(name)
                    print(name, file=sys.stderr)
                    print(name, file=failed)
            if number == len(stages[0]):
                remeasure_roofs(given)
                if given.page and run(shlex.split(given.page)) in (128 + signal.SIGINT, 128 + signal.SIGTERM):
                    sys.exit(128 + Signals.pending)
    remeasure_roofs(given)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    for name in ("sizes", "gpu-sizes", "types", "threads", "ranks", "tiles", "steps"):
        parser.add_argument(f"--{name}", nargs="*" if name == "steps" else "+", default=[])
    for name in ("repeat", "budget", "fill", "tile-size", "gpu-tile-size", "cores", "machine-options", "library-options", "page"):
        parser.add_argument(f"--{name}", required="options" not in name and name != "page", default="")
    parser.add_argument("--full", action="store_true", help="every program and variant, all threads at all sizes")
    parser.add_argument("--plan", action="store_true", help="print the command lines, one a line, and run nothing")
    given = parser.parse_args()
    stages = plan(given)
    if given.plan:
        return print("\n".join(shlex.join(command) for _, commands in sum(stages, []) for command in commands))
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, Signals.take)
    run_all(stages, given)


if __name__ == "__main__":
    main()
