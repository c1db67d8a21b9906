#!/usr/bin/env python3
"""Runs every variant of every step on shapes and with options drawn at random, verified whole.

    tests/fuzz.py BUILD [--minutes M] [--seed S] [--programs NAME,…]     (`make fuzz MINUTES=M`)

Each seed is one call of one program: a type, a shape that is small, prime, narrow or at the border of a tile, threads, tiles,
blocks and grids, leading dimensions, a fill; on 1 to 7 ranks where there is mpirun, under the emulator where there is no
GPU. It begins at the seed given (default: the time of day) and takes the next until the minutes are over; the same seed is
the same call. A call is well if it ends with 0, with 77 where this machine lacks what it needs, or with 2 where no variant that was drawn
has the type that was drawn. Any other is printed as one line that repeats it, and the others go on.

Exit status: 0 all were well; 1 some were not, each is named again at the end; 2 the command line."""
import argparse, collections, os, random, re, shlex, shutil, subprocess, sys, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from run_steps import OPEN_MPI, programs_of

PATIENCE = 300  # seconds until a call counts as hung
NO_SUCH_TYPE = "none of this name or kind exists for the types asked for"
PRIMES = (2, 3, 5, 7, 11, 13, 17, 31, 37, 61, 97, 101, 127, 131, 251, 257)
TILES = (4, 6, 8, 12, 14, 16, 24, 32, 48, 64, 96, 128, 192, 256)


def variants_of(program):
    """The names that --list knows."""
    said = subprocess.run([str(program), "--list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60,
                          env=OPEN_MPI | os.environ).stdout
    return re.findall(r"^  ([a-z]\w*) ", said, re.M)


def length(draw, most):
    """Of an edge: nothing, a little, a prime, or a multiple of a tile and its neighbours."""
    kind = draw.random()
    if kind < 0.05:
        return draw.choice((0, 1))
    if kind < 0.4:
        return draw.randint(1, min(40, most))
    if kind < 0.6:
        return min(draw.choice(PRIMES), most)
    if kind < 0.9:
        tile = draw.choice(TILES)
        return max(1, min(draw.randint(1, 4) * tile + draw.choice((-1, 0, 0, 1)), most))
    return draw.randint(1, most)


def call(seed, programs, variants, build):
    """The command line of a seed."""
    draw = random.Random(seed)
    program = draw.choice(programs)
    features, name = program.features, program.name
    gpu, emulated = "gpu" in features, "gpu" in features and not os.path.exists("/dev/nvidia0") and not name.startswith("10")
    ranks = draw.choice((1, 1, 2, 3, 4, 6, 7)) if "ranks" in features and shutil.which("mpirun") else 1
    most = 70 if emulated else 300 if ranks > 1 else 600
    shapes = ["x".join(str(length(draw, most)) for _ in range(3)) for _ in range(draw.randint(1, 4))]
    fill = draw.choice(("uniform", "digits"))
    words = [str(build / program.path), "--shape", ",".join(shapes), "--type", draw.choice(("f32", "f64", "i32")), "--fill", fill,
             "--seed", str(draw.randrange(2**31)), "--pad", str(draw.choice((0, 0, 1, 2, 3, 5, 8, 17))), "--verify",
             draw.choice(("full", "full", "auto")), "--repeat", "1", "--warmup", str(draw.choice((0, 0, 1)))]
    if variants[name]:
        words += ["--variant", ",".join(draw.sample(variants[name], draw.randint(1, min(4, len(variants[name])))))]
    if "threads" in features:
        words += ["--threads", ",".join(map(str, sorted(draw.sample(range(1, 10), draw.randint(1, 2)))))]
    if "tiles" in features:
        of_its_own = features["tiles"] and features["tiles"].split(",")
        words += ["--tile", str(draw.choice(of_its_own or (1, 3, 4, 5, 8, 16, 31, 32, 64, 100, 1000)))]
    if features.get("blocks"):
        words += ["--block", draw.choice((*features["blocks"].split(","), "1x1", "7x3", "33x5"))]
    if emulated:
        words += ["--emulate", draw.choice(("forward", "reversed", str(draw.randrange(2**31))))]
    if "ranks" in features:
        words += ["--block", f"{draw.choice((1, 2, 7, 16, 64, 300))}x{draw.choice((1, 3, 8, 16, 64, 300))}"]
        rows = draw.choice([p for p in range(1, ranks + 1) if ranks % p == 0])
        words += ["--grid", f"{rows}x{ranks // rows}"]
        words = ["mpirun", "-n", str(ranks), *words] if ranks > 1 or draw.random() < 0.5 else words
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--programs", default="")
    given = parser.parse_args()
    wanted = set(filter(None, given.programs.split(",")))
    programs = [program for program in programs_of(given.build) if not program.of_machine() and (not wanted or program.name in wanted)]
    if not programs:
        sys.exit(print(f"--programs: '{given.programs}' names none of those in {given.build}/programs.txt", file=sys.stderr) or 2)
    variants = {program.name: variants_of(given.build / program.path) for program in programs}
    counts, bad, end, seed = collections.Counter(), [], time.monotonic() + 60 * given.minutes, given.seed
    while time.monotonic() < end:
        words = call(seed, programs, variants, given.build)
        env = {"OMP_WAIT_POLICY": "passive", "OMPI_MCA_mpi_yield_when_idle": "1"} | OPEN_MPI | os.environ
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", env=env, start_new_session=True)
        try:
            said, status = process.communicate(timeout=PATIENCE)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            said, status = process.communicate()[0], f"nothing in {PATIENCE} s"
        program = next(Path(word).name for word in words if "/" in word)
        counts[program] += 1
        if status not in (0, 77) and not (status == 2 and NO_SUCH_TYPE in said):
            bad.append(f"seed {seed}: exit {status}: {shlex.join(words)}")
            print(f"{bad[-1]}\n  {(said.strip().splitlines() or ['it said nothing'])[-1]}", flush=True)
        seed += 1
    print(f"{sum(counts.values())} calls, seeds {given.seed} to {seed - 1}: " + ", ".join(f"{name} {n}" for name, n in sorted(counts.items())))
    print("".join(f"{line}\n" for line in bad) + f"{len(bad)} were not well")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
