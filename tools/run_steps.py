#!/usr/bin/env python3
"""Runs every step for `make report`, one program after the other: two at once would disturb each other's times.

    run_steps.py --build build --out report … [--plan]        (Makefile.report gives the variables)

build/programs.txt says which programs there are, and what each is swept over: threads, tiles, ranks; `machine` and
`libraries` measure the machine. What ends with anything but 0 and 77 is named, now and in OUT/failed, and the others
go on. --plan prints what would be run. Exit status: 0 all was started; 2 there is no such step."""
import argparse, os, shutil, signal, subprocess, sys
from pathlib import Path

BASELINE = "01_naive", "ijk"  # all speedups are over it: measured whatever STEPS says
# Open MPI as root, more ranks than cores, and no rank tied to a core that its threads would have to share.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}


def programs(build):
    """(program, path, features) of each line of programs.txt."""
    lines = [line.split() for line in (build / "programs.txt").read_text().splitlines() if not line.startswith("#")]
    return [(program, path, set(features)) for program, path, *features in lines]


def step_of(path):
    return path.partition("/")[0]


def commands(program, path, features, given):
    """What is run of one program: (ranks, {option: value}) each; nothing if it was not asked for."""
    if "machine" in features or "libraries" in features:
        more = given.machine_options if "machine" in features else f"--alone {given.library_options}"
        return [(0, {"--csv": f"{given.out}/machine.csv", "--resume": "", "more": more})]
    options = {"--type": given.types, "--repeat": given.repeat, "--budget": given.budget, "--fill": given.fill,
               "--csv": f"{given.out}/results.csv", "--resume": "", "--size": given.sizes}
    if given.steps and not {program, step_of(path)} & set(given.steps.split()):
        return [(0, options | {"--variant": BASELINE[1]})] if program == BASELINE[0] else []
    if "threads" in features:
        options["--threads"] = given.threads
    runs = [(ranks, options) for ranks in (map(int, given.ranks.split()) if "ranks" in features else [0])]
    if "tiles" in features:  # at the sizes a step runs the tile it is best with, at one size all of them
        sweep = {"--size": given.tile_size, "--tile": given.tiles}
        runs.append((0, options | sweep | ({"--threads": given.cores} if "threads" in features else {})))
    return runs


def words(options):
    """The options as a program takes them: lists with commas."""
    flat = []
    for name, value in options.items():
        flat += value.split() if name == "more" else [name, *([",".join(value.split())] if value else [])]
    return flat


def run(command, ranks):
    """The exit status, 128 and the signal's number if it died of one; Ctrl-C ends all at once."""
    launcher = ["mpirun", "-n", str(ranks)] if ranks else []
    status = subprocess.call([*launcher, *command], stdin=subprocess.DEVNULL, env=os.environ | (MPI if ranks else {}))
    status = status if status >= 0 else 128 - status
    if status in (128 + signal.SIGINT, 128 + signal.SIGTERM):
        sys.exit(status)
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("build", "out", "steps", "types", "sizes", "threads", "ranks", "tiles", "tile-size", "cores", "repeat",
                 "budget", "fill", "machine-options", "library-options"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--plan", action="store_true")
    given = parser.parse_args()
    build, out = Path(given.build), Path(given.out)
    known = programs(build)
    for step in given.steps.split():
        if not any(step in (program, step_of(path)) for program, path, _ in known):
            print(f"STEPS: there is no {step}; give some of {' '.join(sorted({step_of(path) for _, path, _ in known}))}",
                  file=sys.stderr)
            return 2
    if not given.plan:
        out.mkdir(parents=True, exist_ok=True)
        (out / "failed").write_text("")
    for number, (program, path, features) in enumerate(known, 1):
        runs = commands(program, path, features, given)
        if runs and not given.plan:
            print(f"== {program} ({number} of {len(known)})", flush=True)
        for ranks, options in runs:
            if given.plan:
                print(program, *([f"on {ranks} ranks"] if ranks else []), *words(options))
            elif ranks and not shutil.which("mpirun"):
                print(f"{program} on {ranks} ranks left out: there is no mpirun here", file=sys.stderr)
            elif (status := run([build / path, *words(options)], ranks)) not in (0, 77):
                print(f"{program} ended with {status}", file=sys.stderr, flush=True)
                with open(out / "failed", "a") as failed:
                    failed.write(f"{program} ended with {status}\n")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
