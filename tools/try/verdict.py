"""Is a learner's kernel right? And if not, what is wrong, in a student's words."""
import re, resource, shlex, shutil, sys, textwrap

from process import MEMORY, PATIENCE, run
from rung import output_of
from placed import CORES

THIN = "3x4x0 0x4x3 3x0x4 1x17x9 17x1x9 17x9x1".split()
SHAPES = "33x33x33 17x40x23 1x1x1 3x2x4 8x8x8 32x64x32".split() + THIN
SHAPES += "3x300x5 5x3x300 130x70x150 257x129x65".split()
ON_GPU = "33x35x31 1x1x1 3x2x4 32x32x32".split() + THIN + ["130x140x37"]  # the first says most
RANKS = "2 1 3 5".split()
ORDERS = ("forward", "reversed", "987654")  # of threads under the emulator
# What gives the verdict or carries it: the learner's objects may not define it.
JUDGES = re.compile(
    r".*\bcourse::(Verifier<\w+>::(Verifier|check)|freivalds<|run_rows<|diagnose<).*"
    r"|_?exit|_Exit|write|P?MPI_\w+"
)
RACING = "5x5x20001,5x5x20003,5x5x20005,5x5x20007"  # few elements of C: a race shows
NO_SANITIZER = "`ulimit -v` leaves the sanitizers no memory" * (MEMORY != resource.RLIM_INFINITY)
WIDTH = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000
RACE = "The result differs from run to run: do two threads write to the same element?"
MESSAGE = "The result differs from run to run: does somebody wait for each message to arrive?"
FAR = "i * ld() is more than 2³¹ there: an int overflows, in a square matrix from 46,341 rows on."
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


def command_of(rung, program, *words, threads=None):
    ranks = words[words.index("--ranks") + 1] if "--ranks" in words else "2"
    start = ["mpirun", "-n", ranks] if rung.on_ranks else []
    options = rung.options
    if threads:
        options = re.sub(r"--threads \d+", f"--threads {threads}", options)
    if rung.on_ranks and ranks != "2":
        options = re.sub(r"--grid \S+", f"--grid 1x{ranks},{ranks}x1", options)
    words = [*words, *["--ranks", ranks] * (rung.on_ranks and "--ranks" not in words)]
    return [*start, str(program), "--variant", rung.variant, *shlex.split(options), *words]


def checked(rung, program, shapes, *words, threads=None):
    """A run that verifies these shapes. Its lines come one by one: a crash loses none."""
    words = ["--shape", shapes, "--verify", "full", *words]
    command = command_of(rung, program, *words, threads=threads)
    at = command.index(str(program))
    lines = ["stdbuf", "-oL"] if shutil.which("stdbuf") else []
    lines += ["env", "OMP_TOOL_VERBOSE_INIT=stderr"] * (program.name == "races")
    command[at:at] = lines
    for _ in range(5):
        found = run(command, limited=program.name == "program", explained=True)
        if "ORTE_ERROR_LOG" not in found.err:  # else mpirun has lost what a rank said
            break
    return found


def forged(program):
    """What of the course, or of the system, the learner's objects define."""
    objects = program.parent.glob(f"CMakeFiles/{program.name}-*.dir/**/*.o")
    symbols = output_of("nm", "-C", "--defined-only", *objects).stdout.splitlines()
    names = [line.split(" ", 2)[2] for line in symbols if re.match(r"\w+ [TWVBD] ", line)]
    return [name for name in dict.fromkeys(names) if JUDGES.fullmatch(name)]


# ---- the verdict ----


def verdict(rung, program):
    """True if it is right; else it says what is wrong. None if this machine cannot run it."""
    if names := forged(program):
        print("✘ it defines what is not its own: " + ", ".join(names))
        return False
    emulated = rung.emulated
    shapes = ON_GPU if rung.on_gpu else SHAPES
    orders = [["--emulate", order] for order in ORDERS] if emulated else [[]]
    if rung.on_ranks:
        orders = [["--ranks", ranks] for ranks in RANKS]
    types = [] if "--type" in rung.options else ["--type", "f32,f64,i32"]
    # Twice: what the first run wrote to A or B, or keeps, spoils the second.
    words = ["--pad", "3", "--repeat", "2", "--warmup", "0", *types]
    for order in orders:
        if rung.on_ranks and order[1] != RANKS[0]:
            shapes = SHAPES[:3]
        found = checked(rung, program, ",".join(shapes), *words, *order)
        if found.status == 77:
            print(found.err.strip(), file=sys.stderr)
            return None
        if not found.right():
            return wrong(rung, found, findings(rung, program, found, words, orders, order))
    shapes = ON_GPU if rung.on_gpu else SHAPES
    told(f"right so far, at {len(shapes)} shapes" + " and in three orders of threads" * emulated)
    sys.stdout.flush()
    print_of_learner(found)
    said, unchecked = race(rung) if rung.threaded else ([], "")
    if said:
        return told_but("not always", said)
    if rung.threaded and not stays_the_same(rung, program, unchecked):
        return False
    if not (NO_SANITIZER or stays_inside(rung, program, shapes[0])):
        return False
    missing = f"not checked for races: {unchecked}" * bool(unchecked)
    if NO_SANITIZER:
        missing = f"not checked for accesses outside, nor for races: {NO_SANITIZER}"
    print("✔ right" + f" ({missing})" * bool(missing))
    return True


def place_of(found):
    """(type, shape) of the row that is wrong or did not end."""
    return found.last().get("type"), found.last().get("shape")


def wrong(rung, found, said, how=""):
    of_type, shape = place_of(found)
    if shape:
        ranks = found.last()["ranks"]
        of_type = f", {of_type}" * (of_type not in ("f32", "bf16"))
        print(f"✘ {how}m x n x k = {shape}{of_type}" + f", {ranks} ranks" * rung.on_ranks + ":")
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
    said = [row[name] for name in ("element", "where", "fault") if row.get(name)]
    return [row["message"]] * ("message" in row and (not said or row["seen"] != "")) + said


def instead(words, old, new):
    return [new if word == old else word for word in words]


def findings(rung, program, found, words, orders, order):
    """What to tell of a run, with the threads in this order, that was not right."""
    row, at = found.last(), place_of(found)
    if rung.threaded and (said := race(rung)[0]):
        return said
    if found.status == 2:
        return [found.err.strip().split("\n")[0]]
    if row.get("verdict") != "wrong":
        if said := of_mpi(found.err):
            return said
        if found.status is not None:
            return crash(rung, found, words + order)
        why = "Does a loop forget to count?"
        if rung.on_ranks:
            why = "Do the ranks wait for each other? Every send needs its receive, with its tag."
        return [f"It has not ended after {PATIENCE} s. {why}"]
    if row["seen"] in ("threw", "error"):
        return explained(row)

    def again(*words):
        run = checked(rung, program, at[1], *words)
        return run.status and (place_of(run), run.last().get("element"))

    others = orders if rung.emulated else [order] * (4 if rung.threaded else 2 * rung.on_ranks)
    if found.status is None or (row["unwritten"] and rung.on_ranks):
        others = []  # it would take as long once more, or tell no more
    depends = any(again(*words, *other) != (at, row["element"]) for other in others)
    if depends or (row["unwritten"] and rung.emulated):
        row["where"] = ""  # it says nothing then
    said = explained(row)
    if row["unwritten"] and rung.emulated:
        begins = "Under the emulator shared memory, and what is copied to it, begins as NaN: "
        said += [begins + "is it read without a barrier before, or without a wait for the copy?"]
    if row["unwritten"] and rung.on_ranks:
        said += ["Has every rank received its part of A and of C, and B, and waited for them?"]
    if not others and (found.status is None or rung.on_ranks):
        return said
    if at[0] in ("f64", "i32") and not row["seen"]:
        said.append("In f32 it is right: does a number have another type than T?")
    if depends:
        return said + [ORDER if rung.emulated else MESSAGE if rung.on_ranks else RACE]
    if again(*instead(words, "3", "0"), *order) == 0:
        ld = "Where ld() is cols() it is right: element (i, j) lies at data() + i * ld() + j."
        said = [line for line in said if line in (row["message"], row["element"])] + [ld]
    if again(*instead(words, "2", "1"), *order) == 0:
        keeps = "The first run is right, a second one is not: "
        keeps += "does it write to A or B, or keep a sum?"
        said.append(MESSAGE if rung.on_ranks else keeps)
    if row["seen"] == "outside" and not rung.emulated:
        debug, _ = rung.compiled("debug")
        words = instead(words, "3", "16")  # to poison whole words
        where = access(rung, checked(rung, debug, at[1], *words)) if debug else ""
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


def crash(rung, found, words):
    """What the address sanitizer says of this run, or else how it ended."""
    shape, (debug, _) = place_of(found)[1], rung.compiled("debug")
    again = checked(rung, debug, shape, *words) if debug and shape else found
    if (outside := access(rung, again)).startswith(BEYOND):
        return [f"It asks for {outside}."]
    why = re.search(r"what\(\): *(.*)", found.err)
    why = [text for text in (why and why[1], outside) if text]
    how = "crashed" if found.status else "ended the program"
    return [f"It {how} ({found.ended()})" + f": {', '.join(why)}" * bool(why) + "."]


def access(rung, found):
    """What the address sanitizer stopped at, and where in the learner's file; or nothing."""
    kind = re.search(r"AddressSanitizer: ([\w-]+)", found.err)
    if not kind:
        return ""
    line = re.search(rf"{re.escape(str(rung.path))}:(\d+)", found.err)
    said = CRASHES.get(kind[1], kind[1].replace("-", " "))
    if kind[1] == "SEGV" and "high value address" in found.err:  # or so the processor tells it
        said = "a vector at an address that is no multiple of its size (loadu, storeu), or " + said
    return said + (f", in line {line[1]} of {rung.shown}" if line else "")


def stays_inside(rung, program, shape):
    """True if it runs unoptimised, where each access through a View is checked, under the address
    sanitizer; else it says what went wrong. The emulator always checks accesses through a View."""
    order = ["--emulate", "forward"] if rung.on_gpu else []
    pointers = re.search(r"data\(\)|reinterpret_cast|&\w+\(", rung.text)
    if not rung.on_gpu or pointers:
        program, error = rung.compiled("debug")
    elif rung.emulated:
        return True
    if program is None:
        print(f"✘ it does not compile with checks:\n{error}")
        return False
    found = checked(rung, program, shape, "--repeat", "1", "--warmup", "0", *order)
    racing = found.status == 0 and rung.threaded
    if racing:
        words = ["--type", "f32", "--repeat", "3", "--warmup", "0"]
        found = checked(rung, program, RACING, *words, threads=CORES)
    if found.right() or found.status == 2:  # 2: built without the emulator
        return True
    row, how = found.last(), "with every access checked, "
    if row.get("verdict") == "wrong":
        said = explained(row) + [RACE] * racing
        said += ["Is a variable used before it is set?"] * row["unwritten"]
    else:
        ended = "it has not ended" if found.status is None else found.ended()
        said = [f"The first access outside: {access(rung, found) or ended}."]
    said += [FAR] * (" with " in row.get("shape", ""))
    return wrong(rung, found, said, how)


# ---- races ----


def stays_the_same(rung, program, unchecked):
    """True if many runs of many threads give the same; a race is lost seldom, and by threads that
    run. Bits may change with the threads' order, if the thread sanitizer has seen no race."""
    words, errors = ["--type", "f32", "--repeat", "3", "--warmup", "1"], set()
    for _ in range(10):
        found = checked(rung, program, ",".join(SHAPES[-2:]), *words, threads=CORES)
        if not found.right():
            return wrong(rung, found, explained(found.last()) + [RACE])
        errors |= {(row["shape"], row["error"]) for row in found.rows}
    if len(errors) == 2 or not unchecked or re.search(r"\b(atomic|critical)\b", rung.text):
        return True
    lost = "Do two threads add to the same element? Now and then an addition is lost."
    return told_but("the last bits differ from run to run", [lost])


def race(rung):
    """What the thread sanitizer sees in one run; and why nothing can be said of races, else empty.
    clang's: gcc's OpenMP does not tell it of barriers."""
    if NO_SANITIZER:
        return [], NO_SANITIZER
    clang = shutil.which("clang++")
    program = rung.compiled("races", clang)[0] if clang else None
    if program is None:
        return [], "that needs clang; `sh setup.sh test` installs it"
    words = ["--type", "f32", "--repeat", "1", "--warmup", "0"]
    found = checked(rung, program, ",".join(SHAPES[:2]), *words, threads=5)
    if "Tool was started" not in found.err:
        why = "clang's OpenMP is here without Archer"
        return [], "the thread sanitizer does not run here" if "FATAL" in found.err else why
    if "data race" not in found.err:
        return [], ""
    first = found.err.partition("==================\nWARNING")[2].partition("==================")[0]
    line = rf"{re.escape(str(rung.path))}:(\d+)|\n\n"
    at = re.compile(rf"(?i)(read|write) of size[\s\S]*?(?:{line})")
    accesses = [f"{of[1].lower()}s it in line {of[2] or '?'}" for of in at.finditer(first)]
    both = ", the other ".join(accesses[:2])
    of = "an element of a matrix: only one thread may write to it"
    if "Location is stack" in first or "Location is" not in first:
        of = "a variable of the function, which all threads share: "
        of += "declare it inside, or name it in private or reduction"
    same = "Two threads use the same memory at the same time"
    return [f"{same}: one {both} of {rung.shown}.", f"It is {of}."], ""
