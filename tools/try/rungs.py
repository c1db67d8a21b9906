#!/usr/bin/env python3
"""The learner's workbench: write a rung's kernel yourself, and be told at once whether it is right
and how fast.

    make try            rungs.py BUILD               the rungs in order, and how far you are
    make try RUNG=…     rungs.py BUILD RUNG          writes mine/RUNG.cpp; inspects each save
    make try … CHECK=1  rungs.py BUILD RUNG --check  inspects it once
    make hint RUNG=…    rungs.py BUILD RUNG --hint   the next hint; at last, our kernel
    make report         rungs.py BUILD --report OUT  adds what is right in mine/ to the report

rungs.ini says which fragment of which file a rung is. The learner's file takes that fragment's
place in a copy, which is compiled as the step's was and linked with its other objects, and with
child.cpp in the place of the runner (CMakeLists.txt). The verdict is judge.py's, a parent's.

Exit status: 0 right; 1 wrong, or not compiled; 2 the command line; 77 this machine cannot run
it."""
import argparse, contextlib, csv, difflib, io, math, shlex, signal, statistics, sys, tempfile
import textwrap, time
from pathlib import Path

from rung import MINE, ROOT, STUB, alone, load_rungs
from measured import Machine, Refusal, lines_of
from process import PATIENCE, run
from verdict import WIDTH, checked, end_of, problem_of, told, types_of, verdict, wrong
from placed import CORES


def compared_counts(rung, program):
    """Says how many transactions a warp's accesses take under the emulator, the learner's and the
    course's: what a clock would say on a GPU."""
    how = {"shapes": ["64x64x64"], "types": types_of(rung)[:1], "order": "forward count", "pad": 0}
    both = [checked(rung, of, **how) for of in (program, rung.course)]
    if not all(found.right() and found.last().counts[0] for found in both):
        return
    yours, ours = (found.last().counts for found in both)
    whats = "sectors of 32 bytes a warp's access to global", "wavefronts a warp's access to shared"
    for i, what in zip((0, 2), whats):  # accesses, then what they take
        if ours[i] and yours[i]:
            mine, its = yours[i + 1] / yours[i], ours[i + 1] / ours[i]
            told(f"{mine:.2f} {what} memory; the course's kernel takes {its:.2f}", "  ")


def peak_of(workers):
    """The highest peak in f32 that the report has measured here, or None."""
    path = ROOT / "report/machine.csv"
    return Machine(path).most("peak", type="f32", threads=workers) if path.exists() else None


def threads_of(rung):
    """All cores; one where the lesson times one; None where the kernel takes none."""
    return None if not rung.threaded else 1 if "--threads 1" in rung.options else CORES


def rate_of(rung, program):
    """(GFLOP/s of the median of three products, Found) at n, with the step's own tile or block."""
    problem = problem_of(types_of(rung)[0], "x".join([rung.n] * 3), True)
    how = {"problems": [problem], "repeat": 4, "pad": 0, "timed": True, "threads": threads_of(rung)}
    found = checked(rung, program, [], ranks=2, **how)
    seconds = statistics.median(row.seconds for row in found.rows[1:]) if found.right() else 0
    return 2e-9 * int(rung.n) ** 3 / seconds if seconds > 0 else math.inf, found


def raced(rung, program):
    """Draws rates, measured in turns; (GFLOP/s, share of the course's rate: median, least, most),
    False if C is wrong there, None if the rate cannot be told."""
    workers = min(2, CORES) if rung.on_ranks else threads_of(rung) or 1
    plain = rung.but(step="01_naive", variant="ijk", options="", file="gemm.cpp")
    runs = {"you": (rung, program), "the course": (rung, rung.course)}
    if (rung.course, rung.variant) != (plain.course, plain.variant):
        runs["three loops"] = (plain, plain.course)
    rates = {name: [] for name in runs}
    for turn in range(5):
        of_turn = list(runs.items())[: 3 if turn < 2 else 2]
        for name, (of, command) in of_turn[:: -1 if turn % 2 else 1]:  # neither is always the first
            rate, found = rate_of(of, command)
            rates[name].append(rate)
            if found.right():
                continue
            row, ended = found.last(), end_of(found)
            is_wrong = row is not None and row.verdict == "wrong"
            if not is_wrong and (found.run.status is None or name != "you"):
                return told(f"? No race at n = {rung.n}: {name}, {ended} after {PATIENCE} s.")
            said = row.message if is_wrong else f"It ended by {ended}."
            return wrong(rung, f"right so far, but wrong at n = {rung.n}", [said])
    medians = {name: statistics.median(found) for name, found in rates.items()}
    mine, top = medians["you"], (None if rung.on_gpu else peak_of(workers)) or math.inf
    if not mine < 1.1 * top:  # inf if it says that it takes no time
        about = f"It reaches {mine:.4g} GFLOP/s, and the peak is {top:.4g}"
        return told(f"? {about}: read the code, for its time is not that of a product.")
    what = f"{workers} {'rank' if rung.on_ranks else 'thread'}{'s' * (workers > 1)}"
    print(f"\nGFLOP/s at n = {rung.n}, {'on the GPU' if rung.on_gpu else what}:")
    for name, rate in medians.items():
        bar = "█" * round(32 * rate / max(medians.values())) or "▏"
        print(f"  {name:<12}{bar:<34}{rate:9.4g}")
    ratios = sorted(yours / ours for yours, ours in zip(rates["you"], rates["the course"]))
    shares = statistics.median(ratios), ratios[0], ratios[-1]
    said = "  you reach {:.0%} of the course's rate ({:.0%} to {:.0%}, {} turns)"
    print(said.format(*shares, len(ratios)).replace("%", " %"))
    return mine, shares


def progress():
    """{rung: row}, as note() keeps them."""
    path = MINE / "progress.csv"
    return {row.get("rung"): row for row in (lines_of(path) if path.exists() else [])}


def note(rung, **what):
    """Keeps what was found of a rung last, or how many hints were read."""
    with alone(rung.build / "try/progress"):
        rows = progress()
        none = dict.fromkeys(("rung", "solved", "gflops", "share", "least", "most", "hints"))
        rows[rung.name] = none | rows.get(rung.name, {}) | {"rung": rung.name} | what
        MINE.mkdir(exist_ok=True)
        write(MINE / "progress.csv", [*rows.values()])


def write(path, rows):
    """A CSV of rows {column: cell}, with the first one's columns; the old one stays until then."""
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(path)


def listing(rungs):
    done, step, left = progress(), "", []
    for name, rung in rungs.items():
        place, row = "your own" if rung.declaration else name.partition("/")[0], done.get(name, {})
        print(f"{place}\n" * (place != step), end="")
        step, short = place, name if rung.declaration else name.partition("/")[2]
        share = f"{100 * float(row['share']):4.0f} %" if row.get("share") else ""
        idea = textwrap.shorten(rung.idea, WIDTH - 28, placeholder=" …")
        left += [name] * (not rung.declaration and not row.get("solved"))
        print(f"  {'✔' if row.get('solved') else ' '} {short:<17} {share:>5} {idea}")
    print(f"\nNext: make try RUNG={left[0]}" if left else "\nAll rungs are solved.")


def hint(rung):
    if rung.declaration:
        return print("Here the idea is yours.")
    hints = [line for line in rung.hint.split("\n") if line]
    read = int(progress().get(rung.name, {}).get("hints") or 0)
    if read < len(hints):
        told(f"Hint {read + 1} of {len(hints)}: {hints[read]}")
        return note(rung, hints=read + 1)
    yours = rung.text.split("\n") if rung.path.exists() else []
    yours = [line for line in yours if not line.startswith("// ")]
    diff = difflib.unified_diff(yours, rung.model(), "yours", "the course's", n=1, lineterm="")
    print("The course's kernel, and what differs in yours:", *diff, sep="\n")


def inspect(rung):
    """Builds, verifies and races the learner's file once; its exit status."""
    if STUB in rung.text:
        told(f"{rung.shown} is still a stub: write the kernel there, in the place of '{STUB}'.")
        return 1
    rung.warnings.clear()
    program, error = rung.compiled()
    if program is None:
        return print(f"✘ it does not compile:\n{error}") or 1
    noted, right = {"solved": "yes"}, verdict(rung, program)
    sys.stdout.flush()
    if right and not rung.emulated and rung.n != "0":
        if right := raced(rung, program):
            rate, rung.of_course = right
            of = zip(("share", "least", "most"), map("{:.4f}".format, rung.of_course))
            noted |= {"gflops": f"{rate:.4g}"} | dict(of)
    elif right and rung.emulated and not rung.declaration:
        compared_counts(rung, program)
    if right:
        note(rung, **noted)
    return 0 if right else 77 if right is None else 1


def report(rungs, given):
    """Measures what is right of the learner's: rows of the step `mine`, the variant is the rung."""
    results, machine = given.report / "results.csv", given.report / "machine.csv"
    there = [rung for rung in rungs.values() if rung.path.exists() and rung.n != "0"]
    those = [rung for rung in there if not given.steps or rung.step in given.steps]
    rows = lines_of(results, ["step", "variant"]) if results.exists() else []
    # Without what was measured of an earlier state of a file, or of one that is gone.
    kept = {rung.name for rung in there if rung not in those}
    rows = [row for row in rows if row["step"] != "mine" or row["variant"] in kept]
    write(results, rows) if rows else results.unlink(missing_ok=True)
    for rung in those:
        program, why = None, f"`make try RUNG={rung.name}` says why"
        with alone(rung.folder), contextlib.redirect_stdout(io.StringIO()):
            try:
                prepared(rung)
                if (right := rung.compiled()[0]) and verdict(rung, right):
                    lacks = None, "there is no GPU here"
                    program, why = lacks if rung.emulated else rung.compiled("-report")
            except Refusal as error:
                why = str(error)
        if program is None:
            print(f"{rung.shown} is left out: {why}", flush=True)
            continue
        print(f"== {rung.shown}", flush=True)
        words = ["mpirun", "-n", "2"] * rung.on_ranks + [program, "--variant", rung.variant]
        words += [*shlex.split(given.options), "--in-turns"]
        words += ["--threads", threads_of(rung)] * rung.threaded
        words += ["--machine", machine] * machine.exists()
        words += ["--size", given.gpu_sizes if rung.on_gpu else given.sizes]
        with tempfile.NamedTemporaryFile() as file:
            words += ["--csv", file.name]
            run(words, patience=600, timed=True, limited=not rung.on_gpu)
            measured = lines_of(file.name)
        for row in measured:
            row |= {"step": "mine", "variant": rung.name}
            if rung.call or rung.declaration:  # predicted was what stood in its place
                of_model = [name for name in row if name.startswith("bytes_")]
                row |= dict.fromkeys(["predicted_s", "limit", *of_model], "")
        rows += measured
        if rows:
            write(results, rows)


def prepared(rung):
    """Writes the stub if there is no file yet, and builds what the rung is raced against."""
    if not (rung.build / "build.ninja").exists():  # it is asked for the commands
        mend = f"sh setup.sh installs it, then remove {rung.build} and build again"
        raise Refusal(f"{rung.build} was not configured for ninja; {mend}")
    if not rung.path.exists():
        rung.path.parent.mkdir(parents=True, exist_ok=True)
        rung.path.write_text(rung.stub(), encoding="utf-8")
        print(f"{rung.shown} is written.")
    with alone(rung.build):
        words = ["ninja", "-C", rung.build, rung.course.name, "try-01_naive"]
        done = run(words, patience=600, writes=rung.build)
    if done.status != 0:
        lines = (done.out + done.err).strip().splitlines() or ["it takes too long"]
        why = next((line for line in lines if "error" in line), lines[-1])
        raise Refusal(f"the course itself does not build here: {why}")


def watch(rung):
    """Inspects it whenever the file has changed, until Ctrl-C."""
    seen = None
    told(f"Write the kernel in {rung.shown}; it is inspected at each save. Ctrl-C ends this.")
    while True:
        try:
            if (now := rung.path.stat().st_mtime_ns) != seen:
                seen = now
                about = f"—— {time.strftime('%H:%M:%S')} {rung.name}: {rung.idea}"
                print("\n" + textwrap.shorten(about, WIDTH - 1, placeholder=" …"), flush=True)
                with alone(rung.folder):
                    inspect(rung)
        except OSError as error:
            if rung.path.exists():  # else an editor is about to put a new one there
                told(str(error))
        sys.stdout.flush()
        time.sleep(0.2)


def named(rungs, name):
    """The rung of this name."""
    if name not in rungs:
        short = {name.partition("/")[2]: name for name in reversed(rungs)}
        near = difflib.get_close_matches(name, [*rungs, *short], 1, 0.4)
        perhaps = f"perhaps {short.get(near[0], near[0])}?" if near else "`make try` lists them"
        raise Refusal(f"there is no rung {name}; {perhaps}")
    return rungs[name]


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("build", type=Path)
    parser.add_argument("rung", nargs="?")
    parser.add_argument("--check", action="store_true", help="inspect once")
    parser.add_argument("--hint", action="store_true", help="print the next hint")
    parser.add_argument("--solution", action="store_true", help="write ours, and inspect it once")
    parser.add_argument("--report", type=Path, metavar="OUT", help="add to OUT's report")
    for name in ("sizes", "gpu-sizes", "options", "steps"):
        parser.add_argument(f"--{name}", default="", help="of --report")
    given = parser.parse_args()
    rungs = load_rungs(given.build.resolve())
    if given.report:
        return report(rungs, given)
    if given.rung is None:
        return listing(rungs)
    rung = named(rungs, given.rung)
    if given.hint:
        return hint(rung)
    prepared(rung)
    if given.solution:
        ours = "\n".join([*rung.includes(), *rung.model(), ""])
        if STUB not in rung.text and rung.text != ours:
            raise Refusal(f"{rung.shown} has a kernel; move it away first")
        rung.path.write_text(ours, encoding="utf-8")
    elif not given.check:
        return watch(rung)
    with alone(rung.folder):
        return inspect(rung)


def ended(program):
    """Ends with its exit status; a refusal is one line, status 2, and Ctrl-C is no fault."""
    for signum in (signal.SIGTERM, signal.SIGHUP):  # like Ctrl-C: no kernel is left behind
        signal.signal(signum, lambda signum, frame: sys.exit(128 + signum))
    try:
        sys.exit(program())
    except KeyboardInterrupt:
        sys.exit(0)
    except (OSError, Refusal) as error:
        sys.exit(print(f"try: {error}", file=sys.stderr) or 2)


if __name__ == "__main__":
    ended(main)
