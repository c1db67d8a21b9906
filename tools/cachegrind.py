#!/usr/bin/env python3
"""Counts instructions and simulated cache misses of single functions, and says whether they are as
worked out.

    cachegrind.py --d1 8192,8,64 --ll 262144,16,64 --per 3375000 --function loop_order::ikj
                  --expect D1m:loop_order::ikj:0.06:0.08 -- PROGRAM ARGUMENTS…

A cache is its bytes, ways and bytes a line. An event is Ir (instructions), D1m or DLm (misses of
the first and of the last level, read and write), or a column of cachegrind's own, such as D1mr. A
function is named in full or from any namespace on, without template arguments and parameters: its
instances and the lambdas in it count together. It must not have been inlined. An expectation is
EVENT:NAME:LOW:HIGH; instead of NAME it may have a difference A-B or a ratio A/B. Sums are divided
by --per.

Exit status: 0 well; 1 an expectation not met; 2 bad usage, no such function, or the program failed;
77 no valgrind here, or the program itself says (by 77) that it cannot run here."""
import argparse, re, shutil, signal, subprocess, sys, tempfile
from pathlib import Path

SUMS = {"D1m": ("D1mr", "D1mw"), "DLm": ("DLmr", "DLmw")}


def stop(says, status=2):
    sys.exit(print(f"cachegrind.py: {says}", file=sys.stderr) or status)


def plain_name(function):
    """The qualified name alone: "void a::f<float>(int) [clone .isra.0]" is a::f."""
    text, before = function.replace("(anonymous namespace)", "{anonymous}"), None
    while text != before:
        text, before = re.sub(r"<[^<>]*>", "", text), text
    words = text.partition("(")[0].split()
    return words[-1].partition(".")[0] if words else ""


def events_by_function(text):
    """{plain name: {event: count}} of a cachegrind.out file."""
    events, functions, counts = [], {}, None
    for line in text.splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fn="):  # comes again in each file it was inlined from
            counts = functions.setdefault(plain_name(line[3:]), dict.fromkeys(events, 0))
        elif line[:1].isdigit() and counts is not None:
            for event, count in zip(events, line.split()[1:]):  # zeros at the end may be left out
                counts[event] += int(count)
    return functions


def total(functions, event, name):
    """The sum of an event over all functions of that name."""
    found = [of for full, of in functions.items() if f"::{full}".endswith(f"::{name}")]
    parts = SUMS.get(event, (event,))
    if not found:
        stop(f"no function {name} ran in the program (was it inlined?)")
    if not set(parts) <= found[0].keys():
        stop(f"no event {event}; there are {', '.join([*SUMS, *found[0]])}")
    return sum(counts[part] for counts in found for part in parts)


def expectation(text):
    """(event, name, "-", "/" or None, another name, low, high)."""
    match = re.fullmatch(r"(\w+):([\w:{}~]+?)(?:([-/])([\w:{}~]+))?:([\d.]+):([\d.]+)", text)
    if not match:
        stop(f"'{text}' is not EVENT:NAME:LOW:HIGH, with NAME, NAME-NAME or NAME/NAME")
    return *match.groups()[:4], float(match[5]), float(match[6])


def measured(caches, program):
    """The text of the cachegrind.out file of a run of `program`."""
    if not shutil.which("valgrind"):
        stop("valgrind is not installed", 77)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "cachegrind.out")
        tool = "--command-line-only=yes --tool=cachegrind --cache-sim=yes --branch-sim=no".split()
        files = [f"--log-file={folder}/log", f"--cachegrind-out-file={out}"]
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "errors": "replace"}
        run = subprocess.run(["valgrind", *tool, *caches, *files, *program], **how)
        said = run.stdout.strip().splitlines() or ["(it said nothing)"]
        if run.returncode == 77:
            stop(f"{program[0]} cannot run here: {said[-1]}", 77)
        # Below 0: a signal; 4 is an instruction that valgrind does not know.
        if run.returncode or not out.is_file():
            stop(f"{program[0]} ended with status {run.returncode}: {said[-1]}")
        return out.read_text(errors="replace")


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw, allow_abbrev=False)
    for cache in ("--d1", "--ll"):
        parser.add_argument(cache, metavar="BYTES,WAYS,LINE", required=True)
    parser.add_argument("--per", type=float, default=1, help="what sums are divided by")
    for option in ("--function", "--expect"):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("program", nargs="+", metavar="-- PROGRAM ARGUMENTS…")
    given = parser.parse_args()
    expected = list(map(expectation, given.expect))
    names = [*given.function, *(name for of in expected for name in (of[1], of[3]) if name)]
    if not names:
        stop("give --function NAME")
    caches = [f"--D1={given.d1}", f"--LL={given.ll}", "--I1=32768,8,64"]
    functions = events_by_function(measured(caches, given.program))
    counted = lambda event, name: total(functions, event, name) / given.per
    events = list(dict.fromkeys(["Ir", *SUMS, *(event for event, *_ in expected)]))
    failed, width = 0, max(map(len, names))
    print(" " * width, *(f"{event:>12}" for event in events))
    for name in dict.fromkeys(names):
        print(f"{name:{width}}", *(f"{counted(event, name):12.6g}" for event in events))
    for text, (event, first, operator, second, low, high) in zip(given.expect, expected):
        found, other = counted(event, first), counted(event, second) if second else 0
        if operator:
            found = found - other if operator == "-" else found / other if other else float("nan")
        if not low <= found <= high:
            failed = 1
            print(f"expected {text}, found {found:.6g}")
    return failed


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
    sys.exit(main())
