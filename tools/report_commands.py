"""What `make report` runs: the command lines of every program, and about how long they take.

BUILD/programs.txt lists the programs, one a line: name, path below BUILD, features. `threads` and `tiles` say what a
program is swept over; `tiles=2,4,8`, that these are its tiles; `blocks=8x8,32x8`, over which shapes of a thread block;
`types=bf16,f32`, that it has these types alone; `gpu`, that it has sizes of its own; `ranks`, that mpirun starts it;
`machine` and `libraries`, that it measures these instead of a step. Those come first and always, for predictions and
charts need them, and so does the baseline, which every speedup needs. Then comes the ladder, what ladder.txt names at
the ladder's sizes; then the other sizes, the threads and the tiles."""
import math, shlex, sys
from pathlib import Path
from typing import NamedTuple

from measured import BASELINE, ladder_sizes

LISTED = {name: words for name, *words in (  # {program: its words in ladder.txt}
    line.split() for line in Path(__file__).with_name("ladder.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#")}


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


def count(word):
    return int(word) if word.isdecimal() else 0  # the programs refuse it


def command_lines(program, given, ladder):
    """What one program is run with, for the ladder or for the rest: lists of words."""
    command = [str(given.build / program.path)]
    if program.of_machine():
        more = given.machine_options if "machine" in program.features else f"--alone {given.library_options}"
        return [[*command, "--csv", str(given.out / "machine.csv"), *["--resume"] * ("machine" in program.features), *shlex.split(more)]] * ladder
    types = [name for name in given.types if name in program.features.get("types", name).split(",")]
    if not types:
        return []
    command += ["--type", ",".join(types), "--repeat", given.repeat, "--budget", given.budget,
                "--fill", given.fill, "--csv", str(given.out / "results.csv"), "--resume", "--quiet"]
    words = LISTED.get(program.name, ["tiles"])  # no variant: all of them
    if not program.asked_for(given.steps):
        whole, variants = False, [BASELINE[1]]
    elif given.steps or given.full and not ladder:
        whole, variants = True, []
    elif words:
        whole, variants = given.full, [word for word in words if word != "tiles"]
    else:
        return []
    command += ["--variant", ",".join(variants)] * bool(variants)
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
            # A team larger than the processor leaves its bound threads on the same cores: the next one would run there.
            more = [t for t in fit if swept and count(t) > count(given.cores)]
            for team in [[t for t in fit if t not in more], *([t] for t in more)]:
                if at and team:
                    runs.append([*start, *command, "--size", ",".join(at), *["--threads", ",".join(team)] * swept])
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


def work(program, commands):
    """About how much they have to measure: 1 is a row of n = 1000."""
    if program.of_machine():
        return 20 if "machine" in program.features else 6
    return sum(shares(dict(zip(line, line[1:])), "gpu" in program.features) for line in commands)


def shares(options, gpu):
    rows = math.prod(len(options.get(f"--{name}", "," * 7 * (name == "variant")).split(","))
                     for name in ("variant", "type", "threads", "tile", "block"))
    return rows * sum(0.2 if gpu else 0.1 + (count(n) / 1000) ** 2 for n in options["--size"].split(","))
