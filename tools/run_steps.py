#!/usr/bin/env python3
"""Runs the steps for the report, one program after the other: two at once would disturb each other's times.

report_commands.py says with what. After the ladder comes the page, with --page.

Makefile.report gives the options. A program that fails is named, at once and in OUT/failed, and the others still run.
Exit status: 0 all were started; 2 there is no such step; 130 or 143 interrupted."""
import argparse, os, shlex, shutil, signal, subprocess, sys, threading, time
from pathlib import Path

from measured import Refusal, load
from report_commands import count, plan, programs_of, work

# As root, and with more ranks than cores.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_use_hwthreads_as_cpus": "1"}
# Threads that wait for one another then count as busy, or --quiet would take a share of work that is not even for a
# disturbance. Not for ranks: several on one core would only keep each other from work.
ACTIVE = {"OMP_WAIT_POLICY": "active"}
# A core for each thread of a product: a kernel may leave two short-lived threads on one core, where each waits for the other.
BOUND = {"OMP_PROC_BIND": "true"}
WELL = (0, 77)  # 77: this machine cannot run it, and the program said so


class Signals:
    """Passes a signal on to the program that runs, unless that ends within a second: Ctrl-C at a terminal reaches both."""
    pending, running = 0, None

    @classmethod
    def take(cls, signum, frame):
        cls.pending, later = signum, threading.Timer(1, lambda: cls.running and cls.running.send_signal(signum))
        later.daemon = True
        later.start()


def ranks_environment(ranks):
    """Each rank is bound to its share of the cores. Unbound, two may lie on one core; and OpenMP, which then counts all
    cores as its own, lets threads that wait keep a core from another rank's that work: 33 instead of 410 GFLOP/s with
    2 ranks of 2 threads on two cores."""
    cores = len(os.sched_getaffinity(0))
    if ranks > cores:
        return OPEN_MPI | {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMP_WAIT_POLICY": "passive"}
    return OPEN_MPI | {"OMPI_MCA_rmaps_base_mapping_policy": f"slot:PE={cores // max(1, ranks)}",
                       "OMPI_MCA_hwloc_base_binding_policy": "hwthread"}


def environment(command):
    if "mpirun" in command:
        return ranks_environment(count(command[command.index("-n") + 1]))
    return ACTIVE | BOUND if "--threads" in command else {}  # 00_machine pins its own: a team of `pace` that spins would take their cores


def run(command, printed=None):
    """Its exit status, one that died by a signal has 128 more than the signal, as in a shell; what it prints goes to this file, if
    there is one. An interruption, of the program or of this one, ends all."""
    try:
        Signals.running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, env=environment(command) | os.environ)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    status = Signals.running.wait()
    Signals.running = None
    status = 128 + Signals.pending if Signals.pending else 128 - status if status < 0 else status
    if status in (128 + signal.SIGINT, 128 + signal.SIGTERM):
        sys.exit(status)
    return status


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def remeasure_roofs(given):
    """A product that is right and faster than the peak says that the peak was disturbed."""
    try:
        rows = [(of, row) for of in load(given.out / "results.csv", given.out / "machine.csv") for row in of.select("NOT gpu")]
    except Refusal:
        return  # nothing was measured
    roofs = [(row, of.roof(row.type, row.workers)) for of, row in rows if of.at_home(row)]
    for program in programs_of(given.build):
        if "machine" in program.features and any(roof and row.rate > roof.value for row, roof in roofs):
            run([str(given.build / program.path), "--csv", str(given.out / "machine.csv"), "--again"])


def of_mine(given):
    """What measures the learner's own kernels."""
    options = ["--type", ",".join(given.types), "--repeat", given.repeat, "--budget", given.budget, "--fill", given.fill]
    return [sys.executable, str(Path(__file__).with_name("rungs.py")), str(given.build), "--report", str(given.out), "--sizes", ",".join(given.sizes),
            "--gpu-sizes", ",".join(given.gpu_sizes), "--steps", " ".join(given.steps), f"--options={shlex.join(options)}"]


def run_all(stages, given):
    """Runs what is planned, the ladder's page in between; what fails is named, once."""
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "failed").write_text("")
    entries, failed, absent, began = sum(stages, []), [], set(), time.monotonic()
    for number, (program, commands) in enumerate(entries, 1):
        if program.name in absent:
            continue
        done, left = (sum(work(*entry) for entry in of if entry[0].name not in absent) for of in (entries[:number - 1], entries[number - 1:]))
        gone = time.monotonic() - began
        left *= gone / done if done else 0.4  # seconds a row
        print(f"== {program.name} ({number} of {len(entries)}); {duration(gone)} gone, about {duration(left)} left", flush=True)
        if "ranks" in program.features and not shutil.which("mpirun"):
            print("skipped: there is no mpirun here; ./setup.sh installs one", flush=True)
            absent.add(program.name)
        for command in commands:
            if program.name in absent:
                break
            status = run(command)
            if status == 77 and "gpu" in program.features:
                absent.add(program.name)
            elif status not in WELL and (name := f"{program.name} ended with {status}") not in failed:
                failed.append(name)
                (given.out / "failed").write_text("\n".join([*failed, ""]), encoding="utf-8")
                print(name, file=sys.stderr)
        if number == len(stages[0]):
            run(of_mine(given))
            remeasure_roofs(given)
            if given.page:
                run(shlex.split(given.page))
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
