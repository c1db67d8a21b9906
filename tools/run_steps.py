#!/usr/bin/env python3
"""Runs the steps for the report, one program after the other: two at once would disturb each other's times.

BUILD/programs.txt lists the programs, one a line: name, path below BUILD, features. `threads` and `tiles` say what a
program is swept over; `tiles=2,4,8`, that these are its tiles; `blocks=8x8,32x8`, over which shapes of a thread block;
`gpu`, that it has sizes of its own; `ranks`, that mpirun starts it; `machine` and `libraries`, that it measures these
instead of a step. Those come first and always, for predictions and charts need them, and so does the baseline, which
every speedup needs.

Makefile.report gives the options. A program that fails is named, at once and in OUT/failed, and the others still run.
Exit status: 0 all were started; 2 there is no such step; 130 or 143 interrupted."""
import argparse, os, shlex, shutil, signal, subprocess, sys
from pathlib import Path
from typing import NamedTuple

from measured import BASELINE

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


def command_lines(program, given):
    """What one program is run with: lists of words."""
    command = [str(given.build / program.path)]
    if program.of_machine():
        more = given.machine_options if "machine" in program.features else f"--alone {given.library_options}"
        return [[*command, "--csv", str(given.out / "machine.csv"), "--resume", *shlex.split(more)]]
    command += ["--type", ",".join(given.types), "--repeat", given.repeat, "--budget", given.budget,
                "--fill", given.fill, "--csv", str(given.out / "results.csv"), "--resume", "--quiet"]
    if not program.asked_for(given.steps):
        command += ["--variant", BASELINE[1]]
    swept, gpu = "threads" in program.features, "gpu" in program.features
    runs = [[*command, "--size", ",".join(given.gpu_sizes if gpu else given.sizes),
             *["--threads", ",".join(given.threads)] * swept]]
    for feature, option in (("tiles", "--tile"), ("blocks", "--block")):
        if feature in program.features:  # at the other sizes a program chooses what it is best with
            runs.append([*command, "--size", given.gpu_tile_size if gpu else given.tile_size, option,
                         program.features[feature] or ",".join(given.tiles), *["--threads", given.cores] * swept])
    if "ranks" in program.features:
        runs = [["mpirun", "-n", ranks, *run] for ranks in given.ranks for run in runs]
    return runs


def plan(given):
    """(program, its command lines) of all that is asked for."""
    programs = programs_of(given.build)
    for step in given.steps:
        if not any(program.asked_for([step]) for program in programs):
            there = sorted({program.path.split("/")[0] for program in programs})
            sys.exit(print(f"STEPS: there is no {step}; give some of {' '.join(there)}", file=sys.stderr) or 2)
    return [(program, command_lines(program, given)) for program in programs
            if program.asked_for(given.steps) or program.of_machine() or program.name == BASELINE[0]]


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


def run_all(planned, out):
    """Runs what is planned; what fails is named."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "failed", "w", encoding="utf-8", buffering=1) as failed:
        for number, (program, commands) in enumerate(planned, 1):
            print(f"== {program.name} ({number} of {len(planned)})", flush=True)
            if "ranks" in program.features and not shutil.which("mpirun"):
                print("skipped: there is no mpirun here; ./setup.sh installs one", flush=True)
                continue
            for status in map(run, commands):
                if status in (128 + signal.SIGINT, 128 + signal.SIGTERM):
                    sys.exit(status)
                if status not in WELL:
                    print(f"{program.name} ended with {status}", file=sys.stderr)
                    print(f"{program.name} ended with {status}", file=failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    for name in ("sizes", "gpu-sizes", "types", "threads", "ranks", "tiles", "steps"):
        parser.add_argument(f"--{name}", nargs="*", default=[])
    for name in ("repeat", "budget", "fill", "tile-size", "gpu-tile-size", "cores", "machine-options", "library-options"):
        parser.add_argument(f"--{name}", required="options" not in name, default="")
    parser.add_argument("--plan", action="store_true", help="print the command lines, one a line, and run nothing")
    given = parser.parse_args()
    planned = plan(given)
    if given.plan:
        return print("\n".join(shlex.join(command) for _, commands in planned for command in commands))
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, Signals.take)
    run_all(planned, given.out)


if __name__ == "__main__":
    main()
