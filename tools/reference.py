#!/usr/bin/env python3
"""Takes the data behind the lessons in one go: `make reference MACHINE=name`.

    reference.py BUILD MACHINE [--plan FILE] [--out DIR] [--dry]

PLAN (plots/reference/plan.txt) has a command line a line, # begins a comment: a program below BUILD and its options,
perhaps after variables of the environment (NAME=value) and `mpirun -n N`. Added are the files in OUT/MACHINE (OUT is
plots/reference): 00_machine and rivals write machine.csv, the others results.csv with --quiet, or the file that a line names
by --csv; all of them --resume: called again, it goes on where it was stopped and measures again what was disturbed.
A line that ends in `> FILE` is an experiment that prints its own CSV: it runs if there is no such file yet.

Exit status: 0 well; 1 a program failed, each is named at the end; 2 the command line; 130 or 143 interrupted."""
import argparse, contextlib, os, re, shlex, shutil, signal, sys
from pathlib import Path

from run_steps import WELL, Signals, run

REFERENCE = Path(os.path.relpath(Path(__file__).resolve().parent.parent / "plots/reference"))
OF_MACHINE = ("00_machine", "rivals")


def command_lines(plan, build, folder):
    """What the plan's lines are run as: (list of words, the file that gets what is printed, or None)."""
    for line in plan.read_text(encoding="utf-8").splitlines():
        if not (words := shlex.split(line, comments=True)):
            continue
        words[:0] = ["env"] * ("=" in words[0])
        place = next(place for place, word in enumerate(words) if "/" in word and "=" not in word)
        name, machine = words[place], str(folder / "machine.csv")
        words[place] = str(build / name)
        if words[-2:-1] == [">"]:
            yield words[:-2], folder / words[-1]
            continue
        step = name.partition("/")[0] not in OF_MACHINE
        csv = "results.csv" if step else "machine.csv"
        if "--csv" in words:
            csv = words.pop(words.index("--csv") + 1)
            words.remove("--csv")
        files = ["--csv", str(folder / csv), *["--machine", machine, "--quiet"] * step]
        yield [*words, *files, *["--resume"] * (name != "rivals/rivals")], None


def in_shell(command, printed):
    return shlex.join(command) + (f" > {shlex.quote(str(printed))}" if printed else "")


def run_all(commands):
    """Runs them one after the other; those that failed, with their exit status."""
    failed = []
    for number, (command, printed) in enumerate(commands, 1):
        line = in_shell(command, printed)
        print(f"== {number} of {len(commands)}: {line}", flush=True)
        if "mpirun" in command and not shutil.which("mpirun"):
            print("skipped: there is no mpirun here; ./setup.sh installs one", flush=True)
            continue
        if printed and printed.exists():
            continue
        part = printed and printed.with_name(printed.name + ".part")
        with part.open("w") if part else contextlib.nullcontext() as file:
            status = run(command, file)
        if part:
            part.unlink() if status else part.replace(printed)
        if status not in WELL:
            failed.append(f"ended with {status}: {line}")
            print(failed[-1], file=sys.stderr, flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("machine", metavar="MACHINE")
    parser.add_argument("--plan", type=Path, default=REFERENCE / "plan.txt", metavar="FILE")
    parser.add_argument("--out", type=Path, default=REFERENCE, metavar="DIR")
    parser.add_argument("--dry", action="store_true", help="print the command lines and run none")
    given = parser.parse_args()
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", given.machine):
        sys.exit(print(f"MACHINE: '{given.machine}' is no name for a folder; give letters, digits, - and _, such as "
                       "epyc-zen4", file=sys.stderr) or 2)
    folder = given.out / given.machine
    commands = list(command_lines(given.plan, given.build, folder))
    if given.dry:
        return print("\n".join(in_shell(*command) for command in commands))
    folder.mkdir(parents=True, exist_ok=True)
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, Signals.take)
    if failed := run_all(commands):
        sys.exit(print("\n".join([f"{len(failed)} of {len(commands)} failed:", *failed]), file=sys.stderr) or 1)


if __name__ == "__main__":
    main()
