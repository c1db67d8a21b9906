"""Is a learner's kernel right? And if not, what is wrong, in a student's words."""
import re, resource, secrets, shutil, signal, sys, textwrap
from functools import cache, partial

from judge import FAILED, OUTSIDE, REFUSED, Problem, ask, np
from diagnose import Diagnosis, diagnosed
from process import MEMORY, PATIENCE

THIN = "3x4x0 0x4x3 3x0x4 1x17x9 17x1x9 17x9x1".split()
SHAPES = "33x33x33 17x40x23 1x1x1 3x2x4 8x8x8 32x64x32".split() + THIN
SHAPES += "3x300x5 5x3x300 130x70x150 257x129x65".split()
ON_GPU = "33x35x31 1x1x1 3x2x4 32x32x32".split() + THIN + ["130x140x37"]  # the first says most
RANKS = 2, 1, 3, 5
ORDERS = "forward", "reversed", "987654"  # of threads under the emulator
NO_SANITIZER = "`ulimit -v` leaves the sanitizers no memory" * (MEMORY != resource.RLIM_INFINITY)
WIDTH = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000
UNLIKE = "Under the thread sanitizer it is not right, or does not end."


def told(text, indent=""):
    """A line, on a terminal as wide as that, at once."""
    indents = {"initial_indent": indent, "subsequent_indent": indent + "  "}
    print(textwrap.fill(text, WIDTH, break_on_hyphens=False, **indents), flush=True)


SEED = secrets.randbits(62)  # no program knows it before it is asked
problem_of = cache(lambda kind, shape, digits=False: Problem(kind, shape, SEED, digits))


def types_of(rung):
    return [rung.option("--type")] if rung.option("--type") else ["f32", "f64", "i32"]


def settings_of(rung, ranks, threads, timed):
    """Lists of threads, tile, grid and block, as child.cpp has them; 0: the step's own."""
    option = lambda name: "" if timed else rung.option(name)
    sides = lambda text: map(int, (text or "0x0").split("x"))
    grids = option("--grid") if ranks == 2 else option("--grid") and f"1x{ranks},{ranks}x1"
    first = threads or int(rung.option("--threads") or 1), int(option("--tile") or 0)
    return [[*first, *sides(grid), *sides(option("--block"))] for grid in grids.split(",")]


def owners_of(row, ranks):
    """The rank that makes each element of C: whole rows shared out evenly, or blocks on a grid."""
    i, j = np.indices(row.c.shape)
    _, _, p, q, rows, cols = row.setting
    if p:
        return i // rows % p * q + j // cols % q
    return np.searchsorted([len(i) * (rank + 1) // ranks for rank in range(ranks)], i, "right")


def checked(rung, program, shapes, types=None, order="", ranks=2, threads=None, start=(), **how):
    """Found of these shapes in each type, or of these problems."""
    asked = [problem_of(kind, shape) for kind in types or types_of(rung) for shape in shapes]
    asked = settings_of(rung, ranks, threads, how.get("timed")), how.pop("problems", asked)
    how["limited"] = how.get("limited", True) and (not rung.on_gpu or bool(order))
    start = ["mpirun", "-n", ranks] if rung.on_ranks else start
    for _ in range(5 if rung.on_ranks else 1):
        found = ask(start, program, [rung.variant, *order.split()], *asked, **how)
        if "ORTE_ERROR_LOG" not in found.run.err:
            break  # else mpirun has lost what a rank said
    if row := found.last():
        row.place = f"m x n x k = {row.problem.shape}" + f", {ranks} ranks" * rung.on_ranks
        row.place += f", {row.problem.kind}" * (row.problem.kind in ("f64", "i32"))
        row.said = Diagnosis()
        if row.wrong.any() and not row.problem.digits:
            owners = owners_of(row, ranks) if rung.on_ranks and ranks > 1 else None
            row.said = diagnosed(row.problem, row.c, row.wrong, owners)
    return found


# ---- the verdict ----


def verdict(rung, program):
    """True if it is right; else it says what is wrong. None if this machine cannot run it."""
    shapes = ON_GPU if rung.on_gpu else SHAPES
    orders = [{"order": order} for order in ORDERS if rung.emulated]
    orders += [{"ranks": ranks} for ranks in RANKS if rung.on_ranks]
    for order in orders or [{}]:
        of_order = SHAPES[:3] if order.get("ranks", 2) != 2 else shapes
        found = checked(rung, program, of_order, repeat=2, **order)  # twice: it may keep a sum
        if found.right():
            continue
        row = found.last()
        if row and row.state == REFUSED:
            of = {"shapes": [row.problem.shape], "types": [row.problem.kind]}
            ours = checked(rung, rung.course, **of, **order).last()
            if ours and ours.state == REFUSED:
                return print(f"{rung.variant}: {ours.message}", file=sys.stderr)
        said = findings(rung, program, found, orders, order)
        return wrong(rung, row.place if row else "it has no result", said, found)
    orders_too = " and in three orders of threads" * rung.emulated
    told(f"right so far, at {len(shapes)} shapes{orders_too}")
    print_of_learner(found)
    said, missing = [], f"not checked for accesses outside, nor for races: {NO_SANITIZER}"
    if not NO_SANITIZER:
        said, missing = race(rung) if rung.threaded else ([], "")
        said = said or outside(rung, shapes[0])
    if said:
        return wrong(rung, "right so far, but not always", said)
    print("✔ right" + f" ({missing})" * bool(missing))
    return True


def wrong(rung, what, lines, found=None):
    print(f"✘ {what}:")
    if found:
        print_of_learner(found)
    lines = [*lines, *(f"The compiler warns of {warning}." for warning in sorted(rung.warnings))]
    for line in dict.fromkeys(lines):
        told(line, "  ")
    return False


def print_of_learner(found, most=8):
    """What the kernel printed in the last of these products; if all are right, in the first."""
    at = 0 if found.right() else len(found.rows) - 1
    lines = "".join(found.run.out.split("\x1e")[1:][at:][:1]).split("\n")
    lines = [line for line in lines if line.strip()]
    for line in lines[:most] + [f"… and {len(lines) - most} lines more"] * (len(lines) > most):
        print(f"  it printed: {line}")


def explained(row):
    """What is said of a wrong row."""
    said = [line for line in row.said[:3] if line]
    return [row.message] * (not said or row.state in (OUTSIDE, FAILED, REFUSED)) + said


def findings(rung, program, found, orders, order):
    """What to tell of a run, with the threads in this order, that was not right."""
    row, ended = found.last(), found.run.status is not None
    if rung.threaded and (said := race(rung)[0]) and said != [UNLIKE]:
        return said
    if row is None or row.verdict != "wrong":
        if ended:
            return crash(rung, found, order)
        why = "Does a loop forget to count?"
        if rung.on_ranks:
            why = "Do the ranks wait for each other? Every send needs its receive, with its tag."
        return [f"It has not ended after {PATIENCE} s. {why}"]
    said, kind, unwritten = explained(row), row.problem.kind, row.said.unwritten
    if row.state in (FAILED, REFUSED) or not ended:
        return said
    if unwritten and rung.on_ranks:
        why = "Has every rank received its part of A and of C, and B, and waited for them?"
        return [*said, why]
    if unwritten and rung.emulated:
        why = "Under the emulator shared memory, and what is copied to it, begins as NaN: "
        said += [why + "is it read without a barrier before, or without a wait for the copy?"]
    if kind in ("f64", "i32") and row.state != OUTSIDE:
        said += ["In f32 it is right: does a number have another type than T?"]
    again = partial(checked, rung, program, [row.problem.shape], [kind])
    others = [again(**other).last() for other in orders if rung.emulated]
    if any(other is None or other.said[:1] != row.said[:1] for other in others):
        why = "is a barrier missing, or do two write to one place?"
        return [*said, f"The result depends on the order in which threads run: {why}"]
    if again(repeat=2, pad=0, **order).right():
        why = "Where ld() is cols() it is right: element (i, j) lies at data() + i * ld() + j."
        said = [row.said.element or row.message, why]
    if again(**order).right():
        said += ["Another run is right: does it keep a sum, or not wait for a message?"]
    if row.state == OUTSIDE and not rung.emulated:
        _, where = accessed(rung, row.problem.shape, [kind], **order)
        where = where or "by a pointer, not through a View"
        said += [f"The first access outside: {where}."]
    return said


def end_of(found):
    """How it ended, in one word; mpirun says it of its ranks."""
    if found.run.status is None:
        return "it has not ended"
    of_rank = re.search(r"exited on signal (\d+)", found.run.err)
    number = int(of_rank[1]) if of_rank else -found.run.status
    names = {int(of): of.name for of in signal.Signals}
    return names.get(number, f"signal {number}") if number > 0 else f"exit {found.run.status}"


def crash(rung, found, order):
    """How it ended, and why, in its own words, MPI's or the address sanitizer's."""
    if found.run.status == 0:
        return ["It ended the program (exit 0)."]
    words = r"(?:what\(\): +|\*\*\* (?=An error occurred in MPI_|MPI_ERR_)|Fatal error in )(.*?)"
    words = rf"(?m){words}(?:, error stack:)?$"
    said = [*dict.fromkeys(re.findall(words, found.run.err))][:2]
    if found.rows and not said:
        of = found.last().problem
        said = [accessed(rung, of.shape, [of.kind], repeat=2, **order)[1]]
    why = ": ".join(filter(None, said))
    return [f"It crashed ({end_of(found)})" + f": {why}" * bool(why) + "."]


def accessed(rung, shape, types=None, **how):
    """Found of a run unoptimised, where each access through a View is checked, under the address
    sanitizer, and what that stopped at, and where; or nothing, and the compiler's words."""
    program, error = rung.compiled("-debug")
    if program is None:
        return None, error
    found = checked(rung, program, [shape], types, limited=False, **how)
    kind = re.search(r"AddressSanitizer: ([\w-]+)", found.run.err)
    line = re.search(rf"{re.escape(str(rung.path))}:(\d+)", found.run.err)
    if not kind:
        return found, ""
    beyond = kind[1] in ("ILL", "TRAP")  # a View's own check
    said = "an element that the matrix does not have" if beyond else kind[1].replace("-", " ")
    return found, said + (f", in line {line[1]} of {rung.shown}" if line else "")


def outside(rung, shape):
    """What is wrong with every access checked, or nothing. The emulator checks those through a View
    in each run."""
    if rung.emulated and not re.search(r"data\(\)|reinterpret_cast|&\w+\(", rung.text):
        return []
    found, where = accessed(rung, shape, order="forward" * rung.on_gpu)
    if found is None or found.right():
        return ["It does not compile with checks:", *where.split("\n")] if where else []
    row = found.last()
    if row and row.verdict == "wrong":
        said = explained(row) + ["Is a variable used before it is set?"] * row.said.unwritten
        return ["With every access checked it is wrong:", *said]
    if rung.on_gpu and found.run.status == 2:  # it has no emulator
        return []
    return [f"With every access checked, the first one outside: {where or end_of(found)}."]


# ---- races ----


def race(rung):
    """What the thread sanitizer sees in one run; and why nothing can be said of races, if so."""
    clang = shutil.which("clang++")
    program = rung.raced_by(clang).compiled()[0] if clang else None
    if program is None:
        return [], "that needs clang; `sh setup.sh test` installs it"
    start = ["env", "OMP_TOOL_VERBOSE_INIT=stderr"]
    found = checked(rung, program, SHAPES[:2], ["f32"], threads=5, limited=False, start=start)
    err = found.run.err
    if "data race" not in err and found.rows and not found.right():
        return [UNLIKE], ""
    if "Tool was started" not in err:
        return [], "clang's thread sanitizer or its Archer does not run here"
    if "data race" not in err:
        return [], ""
    first = (err.split("==================") + [""])[1]
    each = rf"(?i)(read|write) of size[\s\S]*?(?:{re.escape(str(rung.path))}:(\d+)|\n\n)"
    each = [f"{how.lower()}s it in line {at or '?'}" for how, at in re.findall(each, first)]
    both = ", the other ".join(each[:2])
    of = "an element of a matrix: only one thread may write to it"
    if "Location is stack" in first:
        of = "a variable of the function, which all threads share: "
        of += "declare it inside, or name it in private or reduction"
    same = "Two threads use the same memory at the same time"
    return [f"{same}: one {both} of {rung.shown}.", f"It is {of}."], ""
