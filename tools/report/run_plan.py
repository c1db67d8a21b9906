#!/usr/bin/env python3
"""Runs the command lines of a plan, one after the other: two at once would disturb each other.

    run_plan.py PLAN... --build BUILD --out OUT [--set NAME=VALUE...] [--steps STEP...] [--plan]

A line of a PLAN is a program below BUILD with its options, perhaps after variables of the
environment (NAME=value) and `mpirun -n N`; # begins a comment. In braces stand settings:
    {sizes}           this setting; a line whose setting is empty is left out
    {types&f32,f64}   those of its items that are among these
    {each ranks}      the line is run for each of its items
Added are --in-turns, to the steps, and a file in OUT: machine.csv, results.csv, or what the line
names by --csv; a line that ends in `> FILE` prints into that. A line that begins with || is run if
its program could not run before (77), one that begins with ! each time: it is no program of ours.

Between lines the pace of the processors is written to OUT/pace.csv; a line that was disturbed runs
once more, and again when this is called again. Any other that ended well is, by OUT/.done, not run
again as long as its programs are older. What fails is named in OUT/failed; the others still run.

Exit status: 0 well; 1 a line failed; 2 the command line; 130 or 143 interrupted."""
import argparse, os, re, shlex, signal, subprocess, sys, time
from collections import Counter
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
from started import locked, refuse
from measured import BASELINE, Paces, read, select
from placed import CORES, OF_THREADS, placed, ranks_of

HOST = os.uname().nodename
OF_MACHINE = ("00_machine", "libraries")


class Command(NamedTuple):
    """What a line of a plan is run as."""

    words: list
    variables: dict  # of the environment
    program: Path | None = None  # of ours
    csv: Path | None = None  # where its rows go
    printed: Path | None = None  # the file that gets what it prints
    instead: bool = False  # of what its program could not run
    number: int = 1  # among the lines alike of its plan

    name = property(lambda of: of.program.name if of.program else "")
    folder = property(lambda of: of.program.parent.name if of.program else "")
    # The processors' pace says nothing of these.
    on_gpu = property(lambda of: "07" <= of.folder < "16" or "cublas" in of.words)

    def text(self):
        """As a shell takes it."""
        words = [*(f"{name}={value}" for name, value in self.variables.items()), *self.words]
        return shlex.join(words) + (f" > {shlex.quote(str(self.printed))}" if self.printed else "")

    def files(self):
        """What it runs and loads of ours."""
        files = [Path(word) for word in self.words if "/" in word and Path(word) != self.csv]
        if self.folder == "libraries":  # libraries.py starts these
            build = self.program.parents[1]
            files += [self.program, build / "libraries/cublas", *build.glob("*/libcourse_*.so")]
        return filter(Path.is_file, [*files, *self.program.parent.glob("*.so")])


def option(words, name):
    return words[words.index(name) + 1] if name in words else ""


def count(word):
    return int(word) if word.isdecimal() else 0  # the programs refuse it


def utc(at=None):
    """A time, else now, as the CSV files have it."""
    of = datetime.fromtimestamp(time.time() if at is None else at, timezone.utc)
    return of.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def settings_of(given):
    """What --set gives, and what follows from sizes and threads."""
    settings = dict(setting.split("=", 1) for setting in given.set)
    for name, value in settings.items():
        if name != "mine" and (unfit := re.search(r"[^\w./,:=+ -]", value)):
            why = f"'{value}' has a {unfit[0]} in it; give letters, digits, . _ / and -"
            refuse(f"{name.upper()}: {why}")
    sizes, threads = (settings.get(name, "").split(",") for name in ("sizes", "threads"))
    # No power of two if possible: there the baseline is slow (01), every factor over it too large.
    ladder = max([n for n in sizes if count(n).bit_count() > 1] or sizes, key=count)
    settings |= {name: shlex.quote(str(vars(given)[name])) for name in ("build", "out")}
    settings["others"] = ",".join(n for n in sizes if n != ladder)
    # The rate of a size before says how long a large one takes, and whether it is left out.
    settings["ladder"] = ladder if count(ladder) <= 1024 else f"512,{ladder}"
    settings["few"] = ",".join(dict.fromkeys([threads[0], threads[-1]]))
    return settings | {"cores": str(CORES)}


def filled(line, settings):
    """The lines that a line with braces stands for: none, one, or one for each item."""
    if not (field := re.search(r"\{(each )?(\w+)(?:&(\S*?))?\}", line)):
        return [line]
    each, name, among = field.groups()
    if (value := settings.get(name)) is None:
        refuse(f"{{{name}}} is no setting: {line}")
    if among:
        value = ",".join(item for item in value.split(",") if item in among.split(","))
    items = filter(None, value.split(",") if each else [value])
    lines = [line[: field.start()] + item + line[field.end() :] for item in items]
    return [more for line in lines for more in filled(line, settings)]


def teams(words, settings):
    """The line for all teams that fit on the cores, and apart for each larger one, which leaves its
    bound threads on the same cores: the next team would run there. Of ranks' teams those that all
    are no more than the most threads."""
    if "--threads" not in words:
        return filter(None, [words])
    at, ranks = words.index("--threads") + 1, ranks_of(words) or 1
    most = max(CORES, ranks, *map(count, settings.get("threads", "").split(",")))
    asked = [word for word in words[at].split(",") if ranks == 1 or ranks * count(word) <= most]
    fit = [word for word in asked if ranks * count(word) <= CORES]
    groups = [fit, *([word] for word in asked if word not in fit)]
    return [[*words[:at], ",".join(group), *words[at + 1 :]] for group in groups if group]


def command_of(words, given):
    if words[0] == "!":
        return Command(words[1:], {})
    instead = words[0] == "||"
    words = words[instead:]
    first = next(place for place, word in enumerate(words) if "=" not in word)
    variables, words = dict(word.split("=", 1) for word in words[:first]), words[first:]
    at = next(place for place, word in enumerate(words) if "/" in word)
    program = given.build / words[at]
    called = [sys.executable] * (program.suffix == ".py") + [str(program)]
    if words[at] == "libraries/libraries.py":  # the tool that calls this program
        called = [sys.executable, str(ROOT / words[at]), "--build", str(given.build)]
        program = program.with_suffix("")
    words[at : at + 1] = called
    if words[-2:-1] == [">"]:
        return Command(words[:-2], variables, program, None, given.out / words[-1], instead)
    name = "machine.csv" if program.name == "00_machine" else "results.csv"
    if "--csv" in words:
        name = words.pop(words.index("--csv") + 1)
        words.remove("--csv")
    words += ["--csv", str(given.out / name)]
    words += ["--in-turns"] * (program.parent.name not in OF_MACHINE)
    words += ["--ranks", option(words, "-n")] * ("mpirun" in words)
    return Command(words, variables, program, given.out / name, None, instead)


def commands_of(given):
    """All of the plans."""
    settings, commands = settings_of(given), []
    for plan in given.plans:
        alike = Counter()
        for line in plan.read_text(encoding="utf-8").splitlines():
            for text in filled(re.sub(r"(^|\s)#.*", "", line).strip(), settings):
                for words in teams(shlex.split(text), settings):
                    command = command_of(words, given)
                    alike[command.text()] += 1
                    commands.append(command._replace(number=alike[command.text()]))
    return commands


def asked_for(commands, steps):
    """Those of the steps, and what all steps need: the machine's, and the speedup's baseline."""
    names = {name for of in commands for name in (of.folder, of.name)} - {"", *OF_MACHINE}
    if unknown := [step for step in steps if step not in names]:
        refuse(f"STEPS: there is no {unknown[0]}; give some of {' '.join(sorted(names))}")
    wanted = {"", *OF_MACHINE, *steps} if steps else {of.name for of in commands}
    is_baseline = lambda of: (of.name, option(of.words, "--variant")) == BASELINE
    return [of for of in commands if {of.folder, of.name} & wanted or is_baseline(of)]


def possible(commands, given):
    """Those whose program is here; of the others each is named once."""
    lacking = [of.name for of in commands if of.program and not of.program.exists()]
    if all(of.name in ("", *lacking) for of in commands):
        refuse(f"no program of {given.plans[0]} is in {given.build}; `make build` builds them")
    for name in dict.fromkeys(lacking):
        print(f"{name} skipped: it is not built in {given.build}", file=sys.stderr)
    return [of for of in commands if of.name not in lacking]


def run(command):
    """Its exit status; one that died by a signal has 128 more than the signal, as in a shell. What
    it prints to a file is kept if it ended well. An interruption, of it or of this program, or a
    pipe that nobody reads ends all."""
    words, around = placed(command.words)
    around, pipe = os.environ | around | command.variables, command.printed and subprocess.PIPE
    try:
        process = subprocess.Popen(words, env=around, stdin=subprocess.DEVNULL, stdout=pipe)
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr)
        return 127
    try:
        printed, _ = process.communicate()
    except SystemExit:  # Ctrl-C at a terminal reaches both, another signal this program only
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        process.terminate()
        process.wait()
        raise
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    if status - 128 in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        sys.exit(status)
    if command.printed and status == 0:
        command.printed.write_bytes(printed)
    return status


def sample(given):
    """Adds the pace of the processors to OUT/pace.csv."""
    call, path = [given.build / "00_machine/00_machine", "--pace"], given.out / "pace.csv"
    around = {"env": os.environ | OF_THREADS, "capture_output": True, "text": True}
    if call[0].exists() and (said := subprocess.run(call, **around).stdout.strip()):
        with open(path, "a", encoding="utf-8") as file:
            header = "" if file.tell() else "host,at,gops\n"
            file.write(f"{header}{HOST},{utc()},{said}\n")


class Done:
    """OUT/.done: the lines that ended well, and when they began. Locked: one report at a time
    writes there."""

    def __init__(self, out):
        busy = f"another report writes {out}; wait for its end, or give another: OUT=…"
        self.file = locked(out / ".done", lambda: refuse(busy))
        lines = (out / ".done").read_text(encoding="utf-8", errors="replace").splitlines()
        self.began = {line: began for began, _, line in (line.partition(" ") for line in lines)}
        self.paces = Paces(out / "pace.csv")

    def line(self, command):
        return f"{HOST} {command.number} {command.text()}"

    def has(self, command):
        """A line whose file is gone, that runs what is newer, or that was disturbed, by what is
        known of the pace today, has to be run again; --again while a peak is of such a moment."""
        file, began = command.csv or command.printed, self.began.get(self.line(command))
        if not began or not file.exists():
            return False
        slow = not command.on_gpu and self.paces.slow(HOST, began)
        if slow or "--again" in command.words and select(read(file), name="peak", disturbed=True):
            return False
        return all(utc(of.stat().st_mtime) < began for of in command.files())

    def add(self, command, began):
        self.began[self.line(command)] = began
        print(began, self.line(command), file=self.file, flush=True)


def run_all(commands, done, given):
    """Runs what is not done yet; what failed, a line each."""
    left = [command for command in commands if not done.has(command)]
    # How a program ended at first: of 2, 77 and 127 its other lines would say the same.
    ended = {of.name: 0 for of in commands if not (of in left or of.instead)}
    failed, start, more = [], time.monotonic(), 0
    if len(left) < len(commands):
        print(f"done already: {len(commands) - len(left)} of {len(commands)} lines", flush=True)

    def once(command, why):
        print(f"== {command.name} {why}", flush=True)
        began, status = utc(), run(command)
        sample(given)
        judged = status == 0 and command.name != "00_machine"  # which looks again itself
        slow = Paces(given.out / "pace.csv").slow(HOST, began)
        return status, began, judged and slow and not command.on_gpu

    sample(given)
    for number, command in enumerate(left, 1):
        gone, first = time.monotonic() - start, ended.get(command.name, 0)
        vain = first != 77 if command.instead else first in (2, 77, 127)
        if vain or done.has(command):
            continue
        if not command.program:
            run(command)  # it says itself what it does
            continue
        status, began, slow = once(command, f"({number} of {len(left)}); {gone:.0f} s gone")
        before = time.monotonic()
        # Not all where each is disturbed: a report would take twice its time.
        if slow and more < 2 + gone / 10:
            time.sleep(1)  # what disturbs is often over then
            sample(given)
            status, began, _ = once(command, "once more: the processors were slower")
        more += time.monotonic() - before
        ended.setdefault(command.name, status)
        if status == 0:
            done.add(command, began)
        if status not in (0, 77):  # 77: this machine cannot run it, and the program said so
            failed.append(f"{command.name} ended with {status}: {command.text()}")
            print(failed[-1], file=sys.stderr, flush=True)
            (given.out / "failed").write_text("\n".join([*failed, ""]), encoding="utf-8")
    return failed


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("plans", type=Path, nargs="+", metavar="PLAN")
    for name in ("--build", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--steps", nargs="*", default=[], metavar="STEP", help="only these")
    parser.add_argument("--plan", action="store_true", help="print the command lines, run none")
    given = parser.parse_args()
    commands = possible(asked_for(commands_of(given), given.steps), given)
    if given.plan:
        return print("\n".join(command.text() for command in commands))
    done = Done(given.out)
    (given.out / "failed").unlink(missing_ok=True)
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, lambda signum, frame: sys.exit(128 + signum))
    try:
        failed = run_all(commands, done, given)
    except OSError as error:  # a full disk, a folder in a file's place
        refuse(f"{error.filename or given.out}: {error.strerror}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
