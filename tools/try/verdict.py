"""Is a learner's kernel right? And if not, what is wrong, in a student's words."""
import contextlib, re, resource, secrets, shutil, signal, sys, textwrap
from functools import cache, partial

from judge import FAILED, FAR, OUTSIDE, REFUSED, Problem, ask
import process
from process import MEMORY, PATIENCE

THIN = "3x4x0 0x4x3 3x0x4 1x17x9 17x1x9 17x9x1".split()
SHAPES = "33x33x33 17x40x23 1x1x1 3x2x4 8x8x8 32x64x32".split() + THIN
SHAPES += "3x300x5 5x3x300 130x70x150 257x129x65".split()
ON_GPU = "33x35x31 1x1x1 3x2x4 32x32x32".split() + THIN + ["130x140x37"]  # the first says most
RANKS = 2, 1, 3, 5
ORDERS = "forward", "reversed", "987654"  # of threads under the emulator
NO_SANITIZER = "`ulimit -v` leaves the sanitizers no memory" * (MEMORY != resource.RLIM_INFINITY)
WIDTH = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000
RACE = "The result differs from run to run: do two threads write to the same element?"
MESSAGE = "The result differs from run to run: does somebody wait for each message to arrive?"
FAR_APART = (
    "i * ld() is more than 2³¹ there: an int overflows, in a square matrix from 46,341 rows on."
)
ORDER = "The result depends on the order in which threads run: "
ORDER += "is a barrier missing, or do two write to one place?"
BEYOND = "an element that the matrix does not have"
CRASHES = {  # the address sanitizer's words
    "ABRT": "it ended itself",
    "ILL": BEYOND,
    "TRAP": BEYOND,
    "SEGV": "an address where no memory is",
    "FPE": "a division by 0",
    "heap-buffer-overflow": "memory outside of every matrix",
    "stack-buffer-overflow": "an array beyond its end",
    "stack-buffer-underflow": "an array before its beginning",
    "dynamic-stack-buffer-overflow": "an array beyond its end",
    "use-after-poison": "memory beside a row of C, or beyond the last one",
    "heap-use-after-free": "memory that was given back",
    "stack-overflow": "too much of the stack: a recursion without an end, or a large array",
}
OF_MPI = {
    "MPI_ERR_RANK": "there is no rank of that number; the last one is size - 1",
    "MPI_ERR_TRUNCATE": "the message is longer than its receiver expects",
    "MPI_ERR_TAG": "a tag is at least 0",
}


def told(text, indent=""):
    """A line, on a terminal as wide as that."""
    indents = {"initial_indent": indent, "subsequent_indent": indent + "  "}
    print(textwrap.fill(text, WIDTH, break_on_hyphens=False, **indents))


SEED = secrets.randbits(62)  # no program knows it before it is asked
problem_of = cache(lambda kind, shape, digits=False: Problem(kind, shape, SEED, digits))


def types_of(rung):
    return [rung.option("--type")] if rung.option("--type") else ["f32", "f64", "i32"]


def owner_of(ranks, grid, block):
    """Which rank makes an element of C: whole rows shared out evenly, or blocks on a grid."""

    def owner(m, i, j):
        if grid[0]:
            return i // block[0] % grid[0] * grid[1] + j // block[1] % grid[1]
        return next(rank for rank in range(ranks) if m * (rank + 1) // ranks > i)

    return owner if ranks > 1 else None


def settings_of(rung, ranks=2, threads=None, timed=False):
    """Lists of threads, tile, grid and block, as child.cpp has them; 0: the step's own."""
    sides = lambda text: tuple(map(int, text.split("x"))) if text and not timed else (0, 0)
    grids = rung.option("--grid")
    if grids and ranks != 2:
        grids = f"1x{ranks},{ranks}x1"
    threads = threads or int(rung.option("--threads") or 1)
    tile = 0 if timed else int(rung.option("--tile") or 0)
    block = sides(rung.option("--block"))
    return [(threads, tile, *sides(grid), *block) for grid in (grids or "").split(",")]


def checked(rung, program, shapes, types=None, order="", ranks=2, threads=None, **how):
    """Found of these shapes in each type."""
    start, timed = [], how.get("timed", False)
    if rung.on_ranks:
        start = ["mpirun", "-n", ranks]
    if how.pop("watched", False):
        start = ["env", "OMP_TOOL_VERBOSE_INIT=stderr"]
    problems = [problem_of(kind, shape) for kind in types or types_of(rung) for shape in shapes]
    problems = how.pop("problems", problems)
    settings = settings_of(rung, ranks, threads, timed)
    words = [rung.variant, *order.split()]
    owner = owner_of(ranks, settings[-1][2:4], settings[-1][4:6]) if rung.on_ranks else None
    limited = how.pop("limited", True) and (not rung.on_gpu or bool(order))
    for _ in range(5):
        found = ask(start, program, words, settings, problems, owner=owner, limited=limited, **how)
        if "ORTE_ERROR_LOG" not in found.run.err:  # else mpirun has lost what a rank said
            break
    return found


# ---- the verdict ----


def verdict(rung, program):
    """True if it is right; else it says what is wrong. None if this machine cannot run it."""
    emulated = rung.emulated
    shapes = ON_GPU if rung.on_gpu else SHAPES
    orders = [{"order": order} for order in ORDERS] if emulated else [{}]
    if rung.on_ranks:
        orders = [{"ranks": ranks} for ranks in RANKS]
    for order in orders:
        if rung.on_ranks and order["ranks"] != RANKS[0]:
            shapes = SHAPES[:3]
        # Twice: what the first run wrote to A or B, or keeps, spoils the second.
        found = checked(rung, program, shapes, repeat=2, **order)
        if found.rows and found.last().state == REFUSED:
            print(f"{rung.variant}: {found.last().message}", file=sys.stderr)
            return None
        if not found.right():
            return wrong(rung, found, findings(rung, program, found, orders, order), order)
    shapes = ON_GPU if rung.on_gpu else SHAPES
    told(f"right so far, at {len(shapes)} shapes" + " and in three orders of threads" * emulated)
    sys.stdout.flush()
    print_of_learner(found)
    said, unchecked = race(rung) if rung.threaded else ([], "")
    if said:
        return told_but("not always", said)
    if not (NO_SANITIZER or stays_inside(rung, program, shapes[0])):
        return False
    missing = f"not checked for races: {unchecked}" * bool(unchecked)
    if NO_SANITIZER:
        missing = f"not checked for accesses outside, nor for races: {NO_SANITIZER}"
    print("✔ right" + f" ({missing})" * bool(missing))
    return True


def wrong(rung, found, said, order={}, how=""):
    if row := found.last():
        of_type = f", {row.problem.kind}" * (row.problem.kind not in ("f32", "bf16"))
        of_type += f", {order.get('ranks', 2)} ranks" * rung.on_ranks
        print(f"✘ {how}m x n x k = {row.problem.shape}{of_type}:")
    else:
        print(f"✘ {how}it has no result:")
    print_of_learner(found)
    said += [f"The compiler warns of {warning}." for warning in sorted(rung.warnings)]
    for line in dict.fromkeys(said):
        told(line, "  ")
    return False


def told_but(what, lines):
    print(f"✘ right so far, but {what}:")
    for line in lines:
        told(line, "  ")
    return False


def print_of_learner(found, most=8):
    lines = found.printed()
    for line in lines[:most] + [f"… and {len(lines) - most} lines more"] * (len(lines) > most):
        print(f"  it printed: {line}")


def explained(row):
    """What is said of a wrong row."""
    said = [line for line in row.said[:3] if line]
    return [row.message] * (not said or row.state in (OUTSIDE, FAILED)) + said


def findings(rung, program, found, orders, order):
    """What to tell of a run, with the threads in this order, that was not right."""
    row = found.last()
    if rung.threaded and (said := race(rung)[0]):
        return said
    if row is None or row.verdict != "wrong":
        if said := of_mpi(found.run.err):
            return said
        if found.run.status is not None:
            return crash(rung, found, order)
        why = "Does a loop forget to count?"
        if rung.on_ranks:
            why = "Do the ranks wait for each other? Every send needs its receive, with its tag."
        return [f"It has not ended after {PATIENCE} s. {why}"]
    if row.state == FAILED:
        return explained(row)
    kind, shape, unwritten = row.problem.kind, row.problem.shape, row.said.unwritten
    again = partial(checked, rung, program=program, shapes=[shape], types=[kind])

    def differs(order):
        other = again(**order).last()
        return other is None or other.problem is not row.problem or other.said[:1] != row.said[:1]

    others = orders if rung.emulated else [order] * (4 if rung.threaded else 2 * rung.on_ranks)
    if found.run.status is None or (unwritten and rung.on_ranks):
        others = []  # it would take as long once more, or tell no more
    depends = any(differs(other) for other in others)
    if depends or (unwritten and rung.emulated):
        row.said = row.said._replace(where="")  # it says nothing then
    said = explained(row)
    if unwritten and rung.emulated:
        begins = "Under the emulator shared memory, and what is copied to it, begins as NaN: "
        said += [begins + "is it read without a barrier before, or without a wait for the copy?"]
    if unwritten and rung.on_ranks:
        said += ["Has every rank received its part of A and of C, and B, and waited for them?"]
    if not others and (found.run.status is None or rung.on_ranks):
        return said
    if kind in ("f64", "i32") and row.state != OUTSIDE:
        said.append("In f32 it is right: does a number have another type than T?")
    if depends:
        return said + [ORDER if rung.emulated else MESSAGE if rung.on_ranks else RACE]
    if again(repeat=2, pad=0, **order).right():
        ld = "Where ld() is cols() it is right: element (i, j) lies at data() + i * ld() + j."
        said = [line for line in said if line in (row.message, row.said.element)] + [ld]
    if again(**order).right():
        keeps = "The first run is right, a second one is not: "
        keeps += "does it write to A or B, or keep a sum?"
        said.append(MESSAGE if rung.on_ranks else keeps)
    if row.state == OUTSIDE and not rung.emulated:
        debug, _ = rung.compiled("-debug")
        words = {"pad": 16, "limited": False}  # to poison whole words
        where = access(rung, again(program=debug, **words, **order)) if debug else ""
        hidden = "by a pointer, not through a View"
        hidden += ": does a mask let a vector reach beyond the row?" * (rung.step == "05_avx2")
        said.append(f"The first access outside: {where or hidden}.".replace("?.", "?"))
    return said


def of_mpi(err):
    """MPI's own line about a call that failed."""
    call = re.search(
        r"An error occurred in (MPI_\w+)|Fatal error in P?(MPI_\w+): (.*?),? error stack", err
    )
    if not call:
        return []
    error = re.search(r"\*\*\* (MPI_ERR_\w+): (.*)", err)
    says = f"{error[1]}: {error[2]}" if error else call[3] or "no more than that"
    why = OF_MPI.get(error[1] if error else "")
    return [f"{call[1] or call[2]} failed. MPI says: {says}" + f" ({why})" * bool(why) + "."]


def end_of(found):
    """How it ended, in one word; mpirun says it of its ranks."""
    of_rank = re.search(r"exited on signal (\d+)", found.run.err)
    number = int(of_rank[1]) if of_rank else -(found.run.status or 0)
    names = {int(of): of.name for of in signal.Signals}
    return names.get(number, f"signal {number}") if number > 0 else f"exit {found.run.status}"


def crash(rung, found, order):
    """What the address sanitizer says of this run, or else how it ended."""
    if found.run.status == 0:
        return ["It ended the program (exit 0)."]
    row, (debug, _) = found.last(), rung.compiled("-debug")
    again = found
    if debug and row:
        of = row.problem
        again = checked(rung, debug, [of.shape], [of.kind], repeat=2, limited=False, **order)
    if (outside := access(rung, again)).startswith(BEYOND):
        return [f"It asks for {outside}."]
    why = re.search(r"what\(\): *(.*)", found.run.err)
    why = [text for text in (why and why[1], outside) if text]
    return [f"It crashed ({end_of(found)})" + f": {', '.join(why)}" * bool(why) + "."]


def access(rung, found):
    """What the address sanitizer stopped at, and where in the learner's file; or nothing."""
    kind = re.search(r"AddressSanitizer: ([\w-]+)", found.run.err)
    if not kind:
        return ""
    line = re.search(rf"{re.escape(str(rung.path))}:(\d+)", found.run.err)
    said = CRASHES.get(kind[1], kind[1].replace("-", " "))
    if kind[1] == "SEGV" and "high value address" in found.run.err:  # or so the processor tells it
        said = "a vector at an address that is no multiple of its size (loadu, storeu), or " + said
    return said + (f", in line {line[1]} of {rung.shown}" if line else "")


def stays_inside(rung, program, shape):
    """True if it runs unoptimised, where each access through a View is checked, under the address
    sanitizer; else it says what went wrong. The emulator always checks accesses through a View."""
    pointers = re.search(r"data\(\)|reinterpret_cast|&\w+\(", rung.text)
    if not rung.on_gpu or pointers:
        program, error = rung.compiled("-debug")
    elif rung.emulated:
        return True
    if program is None:
        print(f"✘ it does not compile with checks:\n{error}")
        return False
    watched = partial(checked, rung, program, limited=False, order="forward" * rung.on_gpu)
    found = watched([shape])
    apart = rung.on_gpu or rung.on_ranks or rung.function == "rows_of_rows"
    if found.right() and not (apart or process.CONFINE):  # 80 GiB of addresses are no hand-in's
        with contextlib.suppress(OSError):  # not everywhere can so many addresses be had
            far = watched(["5x5x5"], ["f32"], pad=FAR - 5)
            found = far if far.rows else found
    if found.right() or (
        rung.on_gpu and found.run.status == 2 and not found.rows
    ):  # 2: built without the emulator
        return True
    row, how = found.last(), "with every access checked, "
    if row and row.verdict == "wrong":
        said = explained(row)
        said += ["Is a variable used before it is set?"] * row.said.unwritten
    else:
        how_it_ended = "it has not ended" if found.run.status is None else end_of(found)
        said = [f"The first access outside: {access(rung, found) or how_it_ended}."]
    said += [FAR_APART] * (row is not None and row.pad > FAR // 2)
    return wrong(rung, found, said, how=how)


# ---- races ----


def race(rung):
    """What the thread sanitizer sees in a run; and why nothing can be said of races, else empty."""
    if NO_SANITIZER:
        return [], NO_SANITIZER
    clang = shutil.which("clang++")
    program = rung.raced_by(clang).compiled()[0] if clang else None
    if program is None:
        return [], "that needs clang; `sh setup.sh test` installs it"
    found = checked(rung, program, SHAPES[:2], ["f32"], threads=5, limited=False, watched=True)
    if "Tool was started" not in found.run.err:
        why = "clang's OpenMP is here without Archer"
        return [], "the thread sanitizer does not run here" if "FATAL" in found.run.err else why
    if "data race" not in found.run.err:
        return [], ""
    first = found.run.err.split("==================")[1]
    line = rf"{re.escape(str(rung.path))}:(\d+)|\n\n"
    at = re.compile(rf"(?i)(read|write) of size[\s\S]*?(?:{line})")
    accesses = [f"{of[1].lower()}s it in line {of[2] or '?'}" for of in at.finditer(first)]
    both = ", the other ".join(accesses[:2])
    of = "an element of a matrix: only one thread may write to it"
    if "Location is stack" in first:
        of = "a variable of the function, which all threads share: "
        of += "declare it inside, or name it in private or reduction"
    same = "Two threads use the same memory at the same time"
    return [f"{same}: one {both} of {rung.shown}.", f"It is {of}."], ""
