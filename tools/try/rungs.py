#!/usr/bin/env python3
"""The learner's workbench: write a rung's kernel yourself, and be told at once whether it is right
and how fast.

    rungs.py BUILD                  (make try)               the rungs, in reading order, and how far you are
    rungs.py BUILD RUNG             (make try RUNG=…)        writes mine/RUNG.cpp, a hole, and looks at it whenever it is saved
    rungs.py BUILD RUNG --check     (make try … CHECK=1)     looks once
    rungs.py BUILD RUNG --hint      (make hint RUNG=…)       the next hint; after the last, what differs from the course's kernel
    rungs.py BUILD --report OUT …   (make report)            measures what is right in mine/ and adds it to OUT/results.csv

rungs.ini says which fragment of which file a rung is. The learner's file takes that fragment's
place in a copy of the step's folder; what includes it is compiled as the step's program was, and
linked with its other objects, by a CMake project of the rung's own (CMakeLists.txt). So a kernel runs in the step's own program: its verifier, its
options, MPI and the emulator.

Exit status: 0 right; 1 wrong, or not compiled; 2 the command line; 77 this machine cannot run
it."""
import argparse, configparser, contextlib, csv, difflib, fcntl, io, os, re, resource, shlex, shutil, signal, statistics, subprocess, sys, tempfile, textwrap, time
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tools"), str(ROOT / "tools/report")]
from measured import LIMITS, Machine, Refusal, append, lines_of
from notes.fragments import fragment
from run_plan import CORES, environment

MINE = Path(os.environ.get("COURSE_MINE", ROOT / "mine")).resolve()  # tests have one of their own
SHAPES = (
    "33x33x33",
    "17x40x23",
    "1x1x1",
    "3x2x4",
    "8x8x8",
    "32x64x32",
    "130x70x150",
    "257x129x65",
)  # the first says most of a fault
ON_GPU = ("33x35x31", "1x1x1", "3x2x4", "32x32x32", "130x140x37")
ORDERS = ("forward", "reversed", "987654")  # of threads under the emulator
PATIENCE = int(os.environ.get("COURSE_PATIENCE", "10"))  # seconds that a run may take
FASTER = ""  # options that tests compile with
HOLE = "// your code"
BEYOND = "an element that the matrix does not have"
RACING = "4x4x20000"
RACE = "The result differs from run to run: do two threads write to the same element?"
WIDTH = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000


def told(text, indent=""):
    """A line, on a terminal as wide as that."""
    print(
        textwrap.fill(
            text,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=indent + "  ",
            break_on_hyphens=False,
        )
    )


def refuse(text):
    print(f"try: {text}", file=sys.stderr)
    sys.exit(2)


# ---- rungs ----


def load_rungs():
    """{name: what rungs.ini says of it}, in reading order."""
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(Path(__file__).with_name("rungs.ini"), encoding="utf-8")
    rungs = {}
    for name in ini.sections():
        step, _, short = name.partition("/")
        of = {
            "path": "",
            "step": step,
            "declaration": "",
            "function": short,
            "variant": short,
            "fragment": short,
            "options": "",
            "include": "",
            "solution": "",
            "call": "",
            "n": "512",
            "hint": "",
        } | dict(ini[name])
        if of["call"]:  # it takes the variant's place
            of |= {"fragment": of["variant"], "function": of["variant"]} | dict(ini[name])
        of["declaration"] = re.sub(r"(?m)^\|", "", of["declaration"])  # the | keeps an indentation
        rungs[name] = SimpleNamespace(name=name, **of)
    return rungs


def is_on_gpu(rung):
    return rung.file.endswith(".cuh")


def learners_file(rung):
    return (
        Path(rung.path) if rung.path else MINE / f"{rung.name}.{'cu' if is_on_gpu(rung) else 'cpp'}"
    )


def written(rung):
    """What the learner has written; a byte that is not UTF-8, in a comment perhaps, is the
    compiler's to judge."""
    return learners_file(rung).read_text(encoding="utf-8", errors="replace")


def shown(rung):
    return f"mine/{learners_file(rung).relative_to(MINE)}"


def solution(rung):
    """The course's own lines: what the learner writes."""
    name, _, part = rung.solution.partition("#")
    return fragment(ROOT / rung.step / (name or rung.file), part or rung.fragment)


def includes(rung):
    return [f"#include {header}" for header in rung.include.split("\n") if header]


def body_of(lines, function):
    """(first, last): the lines of the function's braces."""
    head = next(i for i, line in enumerate(lines) if re.match(rf"\S.*\b{function}\(", line))
    first = next(i for i in range(head, len(lines)) if lines[i].endswith("{"))
    return first, next(i for i in range(first, len(lines)) if lines[i] == "}")


def hole(rung):
    """The learner's file before anything is written: the declaration and its comment stay, its body
    goes."""
    about = [
        f"// {rung.name}: {rung.idea}",
        f"// Save, and `make try RUNG={rung.name}` says whether it is right.",
    ]
    if rung.declaration:
        return "\n".join([*about, "", rung.declaration, ""])
    about += [f"// Stuck? `make hint RUNG={rung.name}`", ""]
    lines = solution(rung)
    first, last = body_of(lines, rung.solution.partition("#")[2] or rung.function)
    return "\n".join(
        [
            *about,
            *includes(rung),
            *[""] * bool(rung.include),
            *lines[: first + 1],
            f"  {HOLE}",
            *lines[last:],
            "",
        ]
    )


# ---- its program ----


def ninja(build, *words):
    return subprocess.run(
        ["ninja", "-C", build, "-t", *words], capture_output=True, text=True
    ).stdout


def program_of(build, rung):
    """The step's program for this processor, if the step has one; else the plain one."""
    plan = (build / "programs.txt").read_text(encoding="utf-8")
    name = f"{rung.step}-native" if f"{rung.step}-native " in plan else rung.step
    return f"{rung.step}/{name}"


def scratch(build, rung):
    """The folder in which its program is made."""
    return (
        build / "try" if MINE == ROOT / "mine" else MINE / "build"
    ) / rung.name  # two learners' at once do not meet


def overlay(build, rung):
    """A copy of the step's folder in which the fragment is the learner's file."""
    folder = scratch(build, rung)
    place = folder / rung.step / rung.file
    shutil.copytree(
        ROOT / rung.step,
        folder / rung.step,
        dirs_exist_ok=True,
        copy_function=lambda source, copy: Path(copy) == place or shutil.copy2(source, copy),
        ignore=shutil.ignore_patterns("*.md", "*.svg", "pictures"),
    )
    lines = (ROOT / rung.step / rung.file).read_text(encoding="utf-8").split("\n")
    first, last = (
        next(i for i, line in enumerate(lines) if line.strip() == f"// [{slash}{rung.fragment}]")
        for slash in ("", "/")
    )
    headers = re.findall(r"^#include .*", written(rung), re.M)  # outside of the namespace
    own = [f'#include "{learners_file(rung)}"']
    if (
        rung.call
    ):  # an exercise: its function in a namespace of its own, called in the place of the variant's body
        part = lines[first + 1 : last]
        head, end = body_of(part, rung.function)
        own += [*part[: head + 1], f"  {rung.call};", *part[end:]]
    text = "\n".join([*headers, *lines[:first], *own, *lines[last + 1 :]])
    if not place.exists() or place.read_text(encoding="utf-8") != text:
        place.write_text(text, encoding="utf-8")
    return folder


@contextlib.contextmanager
def alone(folder):
    """Nobody else is in this folder meanwhile: another terminal's rungs.py waits here."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def sources_with(build, rung):
    """The sources of its program that were made of the rung's file, too, says ninja."""
    file, name = ROOT / rung.step / rung.file, Path(program_of(build, rung)).name
    found = []
    for block in ninja(build, "deps").split("\n\n"):
        head, *files = block.strip().split("\n")
        if re.match(rf"{rung.step}/CMakeFiles/{name}(-kernels|-gpu|-emulated)?\.dir/", head):
            paths = [(build / path.strip()).resolve() for path in files]  # ccache's are relative
            found += paths[:1] * (file in paths)
    return found


def project(build, rung):
    """The folder of the CMake project that makes the learner's program; configured once."""
    folder = overlay(build, rung)
    place = folder / "build"
    if not (place / "build.ninja").exists():
        sees = sources_with(build, rung)
        if not sees:
            refuse(f"nothing of {rung.step} is made of {rung.file}; please build it again")
        said = {
            "COURSE_BUILD": build,
            "PROGRAM": Path(program_of(build, rung)).name,
            "COPY": folder / rung.step,
            "SEES": ";".join(map(str, sees)),
            "FASTER": FASTER,
        }
        words = [f"-D{name}={value}" for name, value in said.items()]
        done = subprocess.run(
            ["cmake", "-S", ROOT / "tools/try", "-B", place, "-G", "Ninja", *words],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            refuse(f"cmake: {done.stderr.strip()}")
    return place


def needs_ninja(build):
    """It is asked for the commands."""
    if not (build / "build.ninja").exists():
        refuse(
            f"{build} was not configured for ninja; ./setup.sh installs it, then remove {build} and build again"
        )


def compiled(build, rung, debug=False):
    """The program, or nothing and what the compiler says of the learner's file."""
    place, target = project(build, rung), "debug" if debug else "program"
    done = subprocess.run(
        ["ninja", "-C", place, target],
        capture_output=True,
        text=True,
        errors="replace",
        env=os.environ | {"LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        return None, first_error(done.stdout, learners_file(rung))
    return str(place / target), ""


def first_error(text, mine):
    """The first error in the learner's file, with the lines that show it; another's, if there is
    none in it."""
    lines = text.split("\n")
    at = next(
        (i for i, line in enumerate(lines) if line.startswith(f"{mine}:") and "error" in line), None
    )
    if at is None:
        at = next(
            (i for i, line in enumerate(lines) if "error" in line or "undefined reference" in line),
            0,
        )
    end = at + 1
    while end < len(lines) and re.match(r"\s+(\d+ )?\|", lines[end]):
        end += 1
    return "\n".join(lines[at:end]).replace(f"{MINE}/", "mine/").replace(f"{ROOT}/", "")


# ---- is it right? ----


def lower(what, most):
    """Lowers a limit of this process; one that is lower already stays."""
    found = [limit for limit in resource.getrlimit(what) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(what, (min(found + [most]),) * 2)


def run(command, patience=PATIENCE, limited=True, timed=False):
    """(exit status, or None if it did not end; stdout; stderr), in a group of its own with limits
    on memory and time."""

    def limits():
        if limited and (
            "--emulate" in command or not any("cuda" in word for word in command)
        ):  # a GPU takes addresses by the terabyte
            lower(resource.RLIMIT_AS, 16 << 30)
        lower(resource.RLIMIT_CPU, 2 * patience * CORES)  # should nobody be left to end it
        lower(resource.RLIMIT_CORE, 0)

    around = (
        environment(command) | os.environ
        if timed or "mpirun" in command
        else os.environ | {"OMP_WAIT_POLICY": "passive"}
    )
    around |= {
        "ASAN_OPTIONS": "handle_sigill=1:detect_leaks=0"
    }  # a matrix asked for what it does not have ends so
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=limits,
        env=around,
    )
    try:
        out, err = process.communicate(timeout=patience)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        end(process)
        return None, *process.communicate()
    except BaseException:  # Ctrl-C
        end(process)
        raise


def end(process):
    """Ends a program and all that it started; mpirun is left the time to end its ranks."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signum)
            process.wait(timeout=2)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def has_gpu(build, rung):
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        return False
    return (
        "nvcc" in ninja(build, "commands", program_of(build, rung))
        and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
        if shutil.which("nvidia-smi")
        else False
    )


def command_of(rung, program, *words, threads=None):
    start = ["mpirun", "-n", "2"] if rung.step == "06_mpi" else []
    options = (
        re.sub(r"--threads \d+", f"--threads {threads}", rung.options) if threads else rung.options
    )
    return [
        *start,
        program,
        "--variant",
        rung.variant,
        *["--type", "f32"] * ("--type" not in words),
        *shlex.split(options),
        *words,
    ]


def explained(err, of_nan=""):
    """What the program says of a wrong result: the lines of --explain, else its own. `of_nan` is
    added where there is NaN."""
    said = re.search(r"wrong: .*\n((?:  .*\n)*)", err)  # its own lines: mpirun adds more
    lines = [line.strip() for line in said[1].splitlines()] if said else []
    if any("NaN" in line for line in lines) and of_nan:
        lines.append(of_nan)
    return (
        lines
        or [
            re.sub(r"^\S+: (wrong: )?|; again by: .*", "", line) for line in err.split("\n") if line
        ][:1]
    )


def name_of(status):
    return signal.Signals(-status).name if status < 0 else f"exit {status}"


def checked_again(build, rung, command, unknown):
    """What the address sanitizer says of this run, or else `unknown`."""
    program, _ = compiled(build, rung, debug=True)
    start = command.index("--variant") - 1  # mpirun may stand before the program
    err = (
        run([*command[:start], program, *command[start + 1 :]], limited=False)[2] if program else ""
    )
    return sanitizers_words(rung, err, unknown)


def sanitizers_words(rung, err, unknown):
    """Which access, and where in the learner's file."""
    kind = re.search(r"AddressSanitizer: ([\w-]+)", err)
    line = re.search(
        rf"in (?:void )?(?:\w+::)*(\w+).*{re.escape(str(learners_file(rung)))}:(\d+)", err
    )
    kind = {"ILL": BEYOND, "TRAP": BEYOND}.get(
        kind[1] if kind else "", kind[1] if kind else unknown
    )
    return kind + (f", in {line[1]}(), line {line[2]} of {shown(rung)}." if line else ".")


def stays_inside(build, rung, program):
    """True if one shape runs where each access through a View is checked, under the address
    sanitizer; else it says what went wrong. The emulator's kernels are always checked."""
    order = ["--emulate", "forward"] if is_on_gpu(rung) else []
    if not order:
        program, error = compiled(build, rung, debug=True)
        if program is None:
            print(f"✘ it does not compile with checks:\n{error}")
            return False
    shapes = [(ON_GPU if is_on_gpu(rung) else SHAPES)[0]]
    if "--threads" in rung.options:  # unoptimised, and on few elements of C: a race shows
        shapes += [RACING] * 4
    for shape in shapes:
        races = shape != shapes[0]
        words = f"--shape {shape} --verify full --explain --repeat {3 if races else 1} --warmup 0"
        threads = CORES if races else None
        command = command_of(rung, program, *words.split(), *order, threads=threads)
        status, _, err = run(command, limited=False)
        if status == 0:
            continue
        print(f"✘ with every access checked, m x n x k = {shape}:")
        if status == 1 and "AddressSanitizer" not in err:
            said = explained(err) + [RACE] * races
        else:
            unknown = "it has not ended" if status is None else name_of(status)
            said = [f"The first access outside: {sanitizers_words(rung, err, unknown)}"]
        for line in said:
            told(line, "  ")
        return False
    return True


def verified(build, rung, program):
    """True if it is right at all shapes, in all orders; else it says what is wrong. None if this
    machine cannot run it."""
    emulated, rows = is_on_gpu(rung) and not has_gpu(build, rung), scratch(build, rung) / "rows.csv"
    rows.unlink(missing_ok=True)
    orders = [["--emulate", order] for order in ORDERS] if emulated else [[]]
    for shape in ON_GPU if is_on_gpu(rung) else SHAPES:
        races = (
            "--threads" in rung.options and shape in SHAPES[-2:]
        )  # a race is lost seldom, and by threads that run
        words = [
            "--shape",
            shape,
            *(["--csv", str(rows)] if races else ["--pad", "3"]),
            "--verify",
            "full",
            "--explain",
            "--repeat",
            "3" if races else "1",
            "--warmup",
            str(int(races)),
        ]
        for order in orders * (10 if races else 1):
            command = command_of(rung, program, *words, threads=CORES if races else None)
            status, out, err = run(command + order)
            if status == 77:
                print(err.strip(), file=sys.stderr)
                return None
            if status != 0 or " right" not in out:
                print(f"✘ m x n x k = {shape}:")
                for line in findings(build, rung, command, orders, order, status, err):
                    told(line, "  ")
                return False
    errors = {(row["m"], row["relative_error"]) for row in lines_of(rows)} if rows.exists() else ()
    if len(errors) > 2 and not re.search(r"\b(atomic|critical)\b", written(rung)):
        print("✘ right so far, but the last bits differ from run to run:")
        told(
            "Do two threads add to the same element? Now and then one of the additions is lost.",
            "  ",
        )
        return False
    print(
        f"right so far, at {len(ON_GPU if is_on_gpu(rung) else SHAPES)} shapes"
        + " and in three orders of threads" * emulated,
        flush=True,
    )
    return True


def findings(build, rung, command, orders, order, status, err):
    """What to tell of a run, with the threads in this order, that was not right."""
    if status is None:
        return [
            f"It has not ended after {PATIENCE} s. "
            + (
                "Do the ranks wait for each other? Every send needs its receive, in the same order."
                if rung.step == "06_mpi"
                else "Does a loop forget to count?"
            )
        ]
    if status == 2:
        return [err.strip().split("\n")[0]]
    if status != 1 or "wrong" not in err and "threw" not in err:
        words = checked_again(build, rung, command + order, name_of(status))
        return [
            f"It asks for {words}"
            if words.startswith(BEYOND)
            else f"It crashed ({name_of(status)}): {words}"
        ]
    of_nan = (
        "Under the emulator shared memory begins as NaN: is it read before all threads have written it, without a barrier?"
        if order
        else "Has every rank received its part of A and of C, and B?"
        if rung.step == "06_mpi"
        else ""
    )
    said = explained(err, of_nan)
    again = [explained(run(command + other)[2]) for other in (orders if order else [[]] * 4)]
    if any(other[:1] != said[:1] for other in again):
        said.append(
            "The result depends on the order in which threads run: is a barrier missing?"
            if order
            else RACE
        )
    if any("outside its matrix" in line for line in said) and not order:
        said.append(
            f"The first access outside: {checked_again(build, rung, command, 'not through a View')}"
        )
    return said


# ---- how fast is it? ----


def counted(rung, program):
    """(sectors a warp's access, wavefronts a warp's access to shared memory) under the emulator, or
    None."""
    _, out, _ = run(
        command_of(
            rung,
            program,
            "--shape",
            "64x64x64",
            "--emulate",
            "forward",
            "--repeat",
            "1",
            "--warmup",
            "0",
            "--verify",
            "none",
        )
    )
    if not (found := re.search(r"counted: (\d+) (\d+) (\d+) (\d+)", out)):
        return None
    accesses, sectors, shared, wavefronts = map(int, found.groups())
    return sectors / accesses, wavefronts / shared if shared else 0


def compared_counts(build, rung, program):
    """Says how many transactions a warp's accesses take, the learner's and the course's: what a
    clock would say on a GPU."""
    course = scratch(build, rung) / "course.cu"
    course.write_text("\n".join(solution(rung)), encoding="utf-8")
    yours, model = counted(rung, program), SimpleNamespace(**vars(rung) | {"path": course})
    ours = counted(model, compiled(build, model)[0])
    for place, what in enumerate(
        (
            "sectors of 32 bytes a warp's access to global memory",
            "wavefronts a warp's access to shared memory",
        )
    ):
        if yours and ours and ours[place]:
            told(f"{yours[place]:.2f} {what}; the course's kernel takes {ours[place]:.2f}", "  ")


def machine_csv(build, again=False):
    """The limits of this machine: the report's, else its peaks, looked at now; None if there are
    none."""
    for path in (ROOT / "report/machine.csv", build / "try/machine.csv"):
        if path.exists() and not again:
            return path
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    threads = f"1,{CORES}" if CORES > 1 else "1"
    subprocess.run(
        [
            build / "00_machine/00_machine",
            "--variant",
            "peak",
            "--type",
            "f32",
            "--threads",
            threads,
            "--budget",
            "0.02",
            "--csv",
            path,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return path if path.exists() else None


def peak_of(path, workers):
    """The highest peak in f32, or None."""
    try:
        return Machine(path).most("peak", type="f32", threads=workers) if path else None
    except Refusal:  # removed by another that looks at it again
        return None


def threads_of(rung):
    """How many it is timed with: all cores; one where the lesson has one; None where it takes
    none."""
    return 1 if "--threads 1" in rung.options else CORES if "--threads" in rung.options else None


def raced(build, rung, program):
    """Draws the learner's rate, the course's and the baseline's, measured in turns; returns
    (GFLOP/s, share of the peak)."""
    machine, workers = (
        machine_csv(build),
        min(2, CORES) if rung.step == "06_mpi" else threads_of(rung) or 1,
    )
    at = ["--size", rung.n, "--repeat", "3", "--verify", "none"]
    if machine:
        at += ["--machine", str(machine)]
    else:
        told("00_machine has not found this machine's peaks; the rates stand here without them.")
    course, plain = str(build / program_of(build, rung)), SimpleNamespace(
        step="01_naive", variant="ijk", options=""
    )
    runs = {
        "you": command_of(rung, program, *at, threads=threads_of(rung)),
        "the course": command_of(rung, course, *at, threads=threads_of(rung)),
        "three loops": command_of(plain, str(build / "01_naive/01_naive"), *at),
    }
    rates, last = {name: [] for name in runs}, {}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(5):
            for name, command in list(runs.items())[: 3 if turn < 2 else 2]:
                path = Path(folder) / f"{name}-{turn}.csv"
                run([*command, "--csv", str(path)])
                for last[name] in lines_of(path) if path.exists() else ():
                    rates[name].append(float(last[name]["gflops"]))
    fastest, top = max(max(rate, default=0) for rate in rates.values()), None
    for again in (False, True) if not is_on_gpu(rung) else ():
        if not top or top < fastest:  # a peak below a product was measured in a bad moment
            top = peak_of(machine_csv(build, again), workers)
    top = top if top and top >= fastest else None
    where = (
        "on the GPU"
        if is_on_gpu(rung)
        else f"{workers} {'rank' if rung.step == '06_mpi' else 'thread'}{'s' * (workers > 1)}"
    )
    print(f"\nGFLOP/s at n = {rung.n}, {where}:")
    for name, found in rates.items():
        if found:
            rate = statistics.median(found)
            print(
                f"  {name:<12}{bar(rate / (top or fastest)):<34}{rate:9.4g}"
                + (f"{100 * rate / top:7.1f} %" if top else "")
            )
    if top:
        print(f"  {'the peak':<12}{bar(1):<34}{top:9.4g}")
    if (
        not rung.call and not rung.declaration
    ):  # the model is of the course's kernel: another idea may cost something else
        say_limit(last.get("you", {}))
    mine = statistics.median(rates["you"]) if rates["you"] else 0
    return mine, mine / top if top else 0


def say_limit(row):
    print()
    if row.get("predicted_s"):
        flops = 2e-9 * float(row["m"]) * float(row["n"]) * float(row["k"])
        told(
            f"The course's cost model allows this kernel {flops / float(row['predicted_s']):.3g} GFLOP/s: "
            f"{LIMITS.get(row.get('limit'), row.get('limit'))} is its limit."
        )
    else:
        told("`make report` measures this machine; after it the prediction stands here, too.")


def bar(share):
    eighths = round(8 * 32 * min(max(share, 0), 1))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip() or "▏"


# ---- what the learner has done ----


def progress():
    path = MINE / "progress.csv"
    if not path.exists():
        return {}
    with open(path, encoding="utf-8") as file:
        return {row["rung"]: row for row in csv.DictReader(file)}


def note(rung, **what):
    """Keeps the best share, and how many hints were read."""
    rows = progress()
    row = {"rung": rung.name, "solved": "", "gflops": "", "share": "", "hints": "0"} | rows.get(
        rung.name, {}
    )
    if not row["gflops"] or float(what.get("gflops", 0)) >= float(row["gflops"]):
        row |= {name: str(value) for name, value in what.items()}
    rows[rung.name] = row | {name: str(what[name]) for name in ("solved", "hints") if name in what}
    MINE.mkdir(exist_ok=True)
    with open(MINE / "progress.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerows(rows.values())


def listing(rungs):
    done, step = progress(), ""
    for rung in rungs.values():
        place = "your own" if rung.declaration else rung.step
        if place != step:
            print(place)
        step, row = place, done.get(rung.name, {})
        share = (
            f"{100 * float(row['share']):4.0f} %" if row.get("share") not in (None, "", "0") else ""
        )
        name = rung.name if rung.declaration else rung.name.partition("/")[2]
        print(
            f"  {'✔' if row.get('solved') else ' '} {name:<17} {share:>5} "
            + textwrap.shorten(rung.idea, WIDTH - 28, placeholder=" …")
        )
    following = next(
        (
            name
            for name, rung in rungs.items()
            if not rung.declaration and not done.get(name, {}).get("solved")
        ),
        None,
    )
    print(f"\nNext: make try RUNG={following}" if following else "\nAll rungs are solved.")


def hint(rung):
    if rung.declaration:
        return print("Here the idea is yours.")
    hints = [line for line in rung.hint.split("\n") if line]
    row = progress().get(rung.name, {})
    read = int(row.get("hints") or 0)
    if read < len(hints):
        told(f"Hint {read + 1} of {len(hints)}: {hints[read]}")
        return note(rung, hints=read + 1)
    lines = written(rung).split("\n") if learners_file(rung).exists() else []
    print("The course's kernel, and what differs in yours:")
    print(
        "\n".join(
            difflib.unified_diff(
                [line for line in lines if not line.startswith("// ")],
                ["", *solution(rung), ""],
                "yours",
                "the course's",
                n=1,
                lineterm="",
            )
        )
    )


# ---- looking ----


def look(build, rung):
    """Builds, verifies and races the learner's file once; its exit status."""
    if HOLE in written(rung):
        told(f"{shown(rung)} is still a hole: write the kernel there, in the place of '{HOLE}'.")
        return 1
    emulated = is_on_gpu(rung) and not has_gpu(build, rung)
    program, error = compiled(build, rung)
    if program is None:
        print(f"✘ it does not compile:\n{error}")
        return 1
    right = verified(build, rung, program)
    if not right:
        return 77 if right is None else 1
    if not emulated and not stays_inside(build, rung, program):
        return 1
    print("✔ right")
    if emulated:
        if not rung.declaration:
            compared_counts(build, rung, program)
        note(rung, solved="yes")
        return 0
    rate, share = raced(build, rung, program)
    note(rung, solved="yes", gflops=f"{rate:.4g}", share=f"{share:.4f}")
    return 0


# ---- in the report ----


def report(build, rungs, given):
    """Measures what is right of the learner's, one after the other: rows of the step `mine`, the
    variant is the rung's name."""
    results = given.report / "results.csv"
    there = [rung for rung in rungs.values() if learners_file(rung).exists()]
    those = [rung for rung in there if not given.steps or rung.step in given.steps]
    if results.exists():  # what was measured of an earlier state of a file, or of one that is gone
        kept = {rung.name for rung in there if rung not in those}
        rows = [line.split(",", 2) for line in results.read_text(encoding="utf-8").splitlines(True)]
        results.write_text(
            "".join(",".join(row) for row in rows if row[0] != "mine" or row[1] in kept),
            encoding="utf-8",
        )
    if those:
        needs_ninja(build)
    for rung in those:
        with alone(scratch(build, rung)), contextlib.redirect_stdout(io.StringIO()):
            prepared(build, rung)
            program = compiled(build, rung)[0]
            right = program and verified(build, rung, program)
            without_gpu = right and is_on_gpu(rung) and not has_gpu(build, rung)
            right = right and not without_gpu and stays_inside(build, rung, program)
        if not right:
            why = f"`make try RUNG={rung.name}` says why"
            why = "there is no GPU here" if without_gpu else why
            print(f"{shown(rung)} is left out: {why}", flush=True)
            continue
        print(f"== {shown(rung)}", flush=True)
        rung.options = re.sub(r"--tile \d+", "", rung.options)  # the step's best
        machine = given.report / "machine.csv"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            run(
                command_of(
                    rung,
                    program,
                    *shlex.split(given.options),
                    "--size",
                    given.gpu_sizes if is_on_gpu(rung) else given.sizes,
                    "--quiet",
                    *["--machine", str(machine)] * machine.exists(),
                    "--csv",
                    str(path),
                    threads=threads_of(rung),
                ),
                patience=600,
                timed=True,
            )
            for row in lines_of(path) if path.exists() else ():
                if (
                    rung.call or rung.declaration
                ):  # predicted was the kernel in whose place it stands
                    row |= {
                        name: ""
                        for name in row
                        if name in ("predicted_s", "limit") or name.startswith("bytes_")
                    }
                append(results, row | {"step": "mine", "variant": rung.name})


# ---- the command line ----


def prepared(build, rung):
    """Writes the hole if there is no file yet, and builds what the rung is raced against."""
    mine = learners_file(rung)
    if not mine.exists():
        mine.parent.mkdir(parents=True, exist_ok=True)
        mine.write_text(hole(rung), encoding="utf-8")
        print(f"{shown(rung)} is written.")
    targets = [Path(program_of(build, rung)).name, "01_naive", "00_machine"]
    with alone(build / "try"):
        done = subprocess.run(
            ["cmake", "--build", build, "--target", *targets], capture_output=True, text=True
        )
    if done.returncode:
        refuse(f"the course itself does not build here: {done.stdout.strip().splitlines()[-1]}")


def watch(build, rung):
    """Looks whenever the file has changed, until Ctrl-C."""
    mine, seen, missed = learners_file(rung), None, 0
    told(
        f"Write the kernel in {shown(rung)}; each time you save it, it is looked at. Ctrl-C ends this."
    )
    while True:
        try:
            if (now := mine.stat().st_mtime_ns) != seen:
                seen = now
                print(
                    "\n"
                    + textwrap.shorten(
                        f"—— {time.strftime('%H:%M:%S')} {rung.name}: {rung.idea}",
                        WIDTH - 1,
                        placeholder=" …",
                    ),
                    flush=True,
                )
                with alone(scratch(build, rung)):
                    look(build, rung)
                sys.stdout.flush()
            missed = 0
        except FileNotFoundError as error:
            if mine.exists():  # what is missing is another's, a compiler perhaps
                told(str(error))
                continue
            seen, missed = None, missed + 1  # for a moment, while an editor puts a new one there
            if missed == 5:
                told(f"{shown(rung)} is gone; once it is there again, it is looked at.")
                sys.stdout.flush()
        time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("rung", nargs="?")
    parser.add_argument("--check", action="store_true", help="look once")
    parser.add_argument("--hint", action="store_true", help="print the next hint")
    parser.add_argument(
        "--report", type=Path, metavar="OUT", help="add what is right to OUT/results.csv"
    )
    for name in ("sizes", "gpu-sizes", "options", "steps"):
        parser.add_argument(f"--{name}", default="", help="of --report")
    given, rungs = parser.parse_args(), load_rungs()
    for signum in (
        signal.SIGTERM,
        signal.SIGHUP,
    ):  # as Ctrl-C does, so that no kernel is left behind
        signal.signal(signum, lambda signum, frame: sys.exit(128 + signum))
    if given.report:
        return report(given.build.resolve(), rungs, given)
    if given.rung is None:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `make try | head` ends without a word
        return listing(rungs)
    if given.rung not in rungs:
        names = {name.partition("/")[2]: name for name in reversed(rungs)}
        names |= {name: name for name in rungs}
        near = difflib.get_close_matches(given.rung, names, 1, 0.4)
        refuse(
            f"there is no rung {given.rung}"
            + (f"; perhaps {names[near[0]]}?" if near else "; `make try` lists them")
        )
    rung, build = rungs[given.rung], given.build.resolve()
    if given.hint:
        return hint(rung)
    needs_ninja(build)
    try:
        prepared(build, rung)
        if not given.check:
            return watch(build, rung)
        with alone(scratch(build, rung)):
            return look(build, rung)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
