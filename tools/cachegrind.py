#!/usr/bin/env python3
"""Counts instructions and simulated cache misses of single functions, and says whether they are as worked out.

    cachegrind.py --d1 8192,8,64 --ll 262144,16,64 --per 3375000 --function loop_order::ikj
                  --expect D1m:loop_order::ikj:0.06:0.08 -- PROGRAM ARGUMENTS…

A cache is its bytes, ways and bytes a line. An event is Ir (instructions), D1m or DLm (misses of the first and
of the last level, read and write), or a column of cachegrind's own, such as D1mr. A function is named in full or
from any namespace on, without template arguments and parameters: its instances count together. It must not have
been inlined. An expectation is EVENT:NAME:LOW:HIGH; of a difference or a ratio, EVENT:NAME A:NAME B:LOW:HIGH,
for A - B or A / B. Sums are divided by --per.

Exit status: 0 well; 1 an expectation not met; 2 bad usage, no such function, or the program failed; 77 no
valgrind here, or the program itself says (by 77) that it cannot run here."""
import argparse, math, operator, re, shutil, signal, subprocess, sys, tempfile
from pathlib import Path

SUMS = {"D1m": ("D1mr", "D1mw"), "DLm": ("DLmr", "DLmw")}


class Stop(Exception):
    """The end of the run: a line for the reader, and the exit status."""


def plain_name(function):
    """The qualified name alone: "void a::f<float>(int) [clone .isra.0]" is a::f, a lambda in it a::f::{lambda#1}."""
    text = function.replace("(anonymous namespace)", "{anonymous}")
    # The signs of an operator are part of its name: no brackets, whatever they look like.
    tokens = re.findall(r"\boperator(?:\(\)|\[\]|[-+*/%^&|~!=<>,]+| new| delete)| const(?=::)|->|.", text)
    name, depth = "", 0
    for token, following in zip(tokens, [*tokens[1:], ""]):
        if token in ("<", "("):
            depth += 1
        elif token in (">", ")"):
            depth -= 1
            if depth == 0 and token == ")" and following not in (":", "#", " const"):
                break  # the parameters are the function's own; before :: or # they are those of a scope
        elif depth == 0 and token == " " and following != "<":
            name = ""  # what stood before was the return type
        elif depth == 0 and token not in (" ", " const"):
            name += token
    return name.split(".")[0]  # a C function's clones are f.isra.0 and the like


def is_named(function, name):
    return ("::" + plain_name(function)).endswith("::" + name)


def events_by_function(text):
    """{function: {event: count}} of a cachegrind.out file."""
    events, functions, counts = [], {}, None
    for line in text.splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fn="):  # the same function comes again in each file it was inlined from
            counts = functions.setdefault(line[3:], dict.fromkeys(events, 0))
        elif line[:1].isdigit() and counts is not None:
            for event, count in zip(events, line.split()[1:]):  # zeros at the end may be left out
                counts[event] += int(count)
    return functions


def total(functions, event, name):
    """The sum of an event over all functions of that name."""
    found = [counts for function, counts in functions.items() if is_named(function, name)]
    if not found:
        raise Stop(f"no function {name} ran in the program (was it inlined?)", 2)
    for part in SUMS.get(event, (event,)):
        if part not in found[0]:
            raise Stop(f"no event {event}; there are {', '.join([*SUMS, *found[0]])}", 2)
    return sum(counts[part] for counts in found for part in SUMS.get(event, (event,)))


def expectation(text, names):
    """(event, names, low, high) of EVENT:NAME…:LOW:HIGH."""
    parts = re.split(r"(?<!:):(?!:)", text)
    try:
        event, *functions, low, high = parts
        low, high = float(low), float(high)
    except ValueError:
        functions = []
    if len(functions) != names or not all(parts) or not low <= high:
        raise Stop(f"'{text}' is not EVENT:{'NAME:' * names}LOW:HIGH", 2)
    return event, functions, low, high


def divided(a, b):
    return a / b if b else math.inf if a else math.nan


def unmet(functions, kind, event, names, low, high, per):
    """A line about an expectation that was not met, or None."""
    values = [total(functions, event, name) / per for name in names]
    found = {"": lambda a: a, " - ": operator.sub, " / ": divided}[kind](*values)
    if low <= found <= high:
        return None
    return f"expected {event} of {kind.join(names)} within {low:g} and {high:g}, found {found:.6g}"


def measured(caches, program):
    """The text of the cachegrind.out file of a run of `program`."""
    if not shutil.which(program[0]):
        raise Stop(f"no program {program[0]}", 2)
    if not shutil.which("valgrind"):
        raise Stop("valgrind is not installed", 77)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "cachegrind.out")
        run = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=no", *caches,
                              f"--log-file={folder}/log", f"--cachegrind-out-file={out}", *program],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        said = run.stdout.strip().splitlines() or ["(it said nothing)"]
        if run.returncode == 77:
            raise Stop(f"{program[0]} cannot run here: {said[-1]}", 77)
        if run.returncode < 0:
            ended = signal.Signals(-run.returncode).name
            raise Stop(f"{program[0]} was ended by {ended}" + (
                " (an instruction that valgrind does not know?)" if ended == "SIGILL" else ""), 2)
        if run.returncode or not out.is_file():
            if not out.is_file():  # valgrind did not start it: impossible caches, or not a program
                raise Stop(said[0], 2)
            raise Stop(f"{program[0]} ended with status {run.returncode}: {said[-1]}", 2)
        return out.read_text(errors="replace")


class Options(argparse.ArgumentParser):
    def error(self, message):
        raise Stop(message, 2)


def options_of(arguments):
    options = Options(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
                      usage="cachegrind.py OPTIONS -- PROGRAM ARGUMENTS…")
    for cache, otherwise in ("--d1", None), ("--ll", None), ("--i1", "32768,8,64"):
        options.add_argument(cache, metavar="BYTES,WAYS,LINE", required=not otherwise, default=otherwise)
    options.add_argument("--per", type=float, default=1, help="what sums are divided by, for example multiply-adds")
    options.add_argument("--function", action="append", default=[], metavar="NAME")
    for kind, names in ("", "NAME"), ("-difference", "NAME:NAME"), ("-ratio", "NAME:NAME"):
        options.add_argument(f"--expect{kind}", action="append", default=[], metavar=f"EVENT:{names}:LOW:HIGH")
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options, options.program = options.parse_args(arguments[:at]), arguments[at + 1:]
    if not options.program:
        raise Stop("no program; it is given after --", 2)
    if not 0 < options.per < math.inf:
        raise Stop(f"--per {options.per:g}: a number above 0 is needed", 2)
    kinds = ("", 1, options.expect), (" - ", 2, options.expect_difference), (" / ", 2, options.expect_ratio)
    options.expectations = [(kind, *expectation(text, names)) for kind, names, texts in kinds for text in texts]
    options.names = list(dict.fromkeys(options.function + [n for e in options.expectations for n in e[2]]))
    if not options.names:
        raise Stop("no --function NAME", 2)
    return options


def main(arguments, measured=measured):
    try:
        options = options_of(arguments)
        caches = [f"--{name.upper()}={getattr(options, name)}" for name in ("d1", "ll", "i1")]
        functions = events_by_function(measured(caches, options.program))
        events = list(dict.fromkeys(["Ir", *SUMS, *(e[1] for e in options.expectations)]))
        table = {name: [total(functions, event, name) / options.per for event in events] for name in options.names}
        failures = [line for e in options.expectations if (line := unmet(functions, *e, options.per))]
        width = max(map(len, options.names))
        print(" " * width, *(f"{event:>12}" for event in events))
        for name, sums in table.items():
            print(f"{name:{width}}", *(f"{value:12.6g}" for value in sums))
        for failure in failures:
            print(failure)
        return 1 if failures else 0
    except Stop as stop:
        print(f"cachegrind.py: {stop.args[0]}", file=sys.stderr)
        return stop.args[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
