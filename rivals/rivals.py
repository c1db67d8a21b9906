#!/usr/bin/env python3
"""Our last rungs and every library here, in turns: rivals.py --help

Every library runs in a process of its own, build/rivals/rivals_cpu or rivals_gpu, in the
environment that it is to have. OpenBLAS and BLIS use their widest kernel that this processor
supports. With --alone each library is timed by itself, for machine.csv.

Exit status: 0 well; 1 a product was wrong; 2 the command line cannot be served; 77 nothing that was
asked for is here."""
import argparse, glob, importlib.util, math, os, signal, subprocess, sys, tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools/report"))
from measured import Refusal, append, lines_of, whose
from processors import processors

OURS = {
    "avx512": "against each library's widest kernel",
    "tuned": "against OpenBLAS Haswell and BLIS haswell; without AVX-512, or if named, against all",
}
OUR_LIBRARY = "05_avx2/libcourse_blas.so"
# Where each may be, the OpenMP build first: one of pthreads often puts two threads on one core.
LIBRARIES = {
    "eigen": ("Eigen", "{build}/rivals/libcourse_eigen.so"),
    "openblas": (
        "OpenBLAS",
        "/usr/lib/*/openblas-openmp/libopenblas.so.0 libopenblaso.so.0 libopenblas.so.0 "
        "libopenblas.so /usr/lib/*/openblas-pthread/libopenblas.so.0",
    ),
    "blis": ("BLIS", "/usr/lib/*/blis-openmp/libblis.so.4 libblis.so.4 libblis.so.3 libblis.so"),
    "onednn": ("oneDNN", "libdnnl.so.3 libdnnl.so.2"),
    # PyTorch for x86 has MKL in its own library, the one that torch.mm calls.
    "mkl": ("MKL", "libmkl_rt.so.2 libmkl_rt.so {torch}/lib/libtorch_cpu.so"),
}
KINDS = (*LIBRARIES, "cublas", "blas")  # on the GPU; given with --blas

WAYS = ("default", "pedantic")  # in which cuBLAS multiplies f32 and f64
AT_BEST = (*WAYS, "bf16x9")  # where it can, f32 by nine products of BF16
TENSOR = "13_f32_by_halves/libcourse_tensor.so"
# Ours on a GPU: type, library, and the ways of cuBLAS that each meets, of which the fastest counts.
OURS_ON_GPU = {
    "best": ("f32", "09_cuda_regtile/libcourse_gpu.so", WAYS),
    "bf16": ("bf16", TENSOR, ("heuristics",)),
    "f32_by_bf16": ("f32", TENSOR, AT_BEST),
    "f32_by_fp16": ("f32", TENSOR, AT_BEST),
}
RUNGS = [*OURS, *OURS_ON_GPU]
# cuBLAS by types as machine.csv knows them: that of our matrices, the ways of which the faster
# counts, a row's note. What tensor cores multiply comes with f32.
CUBLAS = {
    "f32": ("f32", WAYS, ""),
    "f64": ("f64", WAYS, ""),
    "tf32": ("f32", ("tf32",), "sustained; inputs rounded to TF32"),
    "bf16": ("bf16", ("heuristics",), "sustained; BF16 to f32; the fastest heuristic"),
}


def squares(*sizes):
    return [f"{n}x{n}x{n}" for n in sizes]


# Shapes unless told otherwise: alone and in turns, on the processor, on a GPU and its tensor cores.
ALONE = [*squares(256, 512, 1024, 2048), "2048x2048x64", "4096x4096x128"]
ALONE_ON_GPU = [*squares(256, 512, 1024, 2048, 4096, 8192), "8192x8192x128"]
IN_TURNS = squares(256, 384, 512, 768, 1024, 1500, 2000, 2048, 3000, 4096)
IN_TURNS += [f"{n}x{n}x{k}" for n in (2048, 4096) for k in (32, 64, 128, 156)]
IN_TURNS_ON_GPU = squares(512, 1000, 1024, 2000, 2048, 3000, 4096, 5000, 6400, 8192, 14400)
IN_TURNS_ON_GPU += [f"8192x8192x{k}" for k in (32, 64, 128, 156)]
ON_TENSOR_CORES = squares(1024, 2048, 3072, 4096, 8192)


@dataclass
class Library:
    """A library's file, with the kernel that it is made to use."""

    name: str
    file: str
    about: str  # its version, how it was built, and what was loaded
    openmp: bool = False  # its threads are OpenMP's
    width: str = "own"  # of the kernel: avx512, avx2, or as it chooses
    kernel: str = ""  # the kernel's name; of cuBLAS the way
    program: str = "rivals_cpu"

    @property
    def label(self):
        return f"{self.name} {self.kernel}".strip()


def say(line):
    print(f"rivals: {line}", file=sys.stderr, flush=True)


QUIETLY = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "errors": "replace"}


def process(options, program, *arguments, environment={}, limit=60):
    """What a library's process printed, its lines for the user, and its exit status;
    ChildProcessError if it crashed or hung."""
    # It ends with us, even if we end before it can ask to be told.
    around = os.environ | {"COURSE_STARTER": str(os.getpid())} | environment
    command = [options.build / "rivals" / program, *map(str, arguments)]
    try:
        done = subprocess.run(command, env=around, timeout=limit, **QUIETLY)
    except subprocess.TimeoutExpired:
        raise ChildProcessError(f"nothing came for {limit:.4g} s") from None
    except OSError as error:
        raise Refusal(f"cannot start {command[0]}: {error.strerror}; make build") from None
    heard, ours = done.stderr.splitlines(), "rivals: "
    said = [line.removeprefix(ours) for line in heard if line.startswith(ours)]
    if done.returncode < 0:
        raise ChildProcessError(f"it ended by {signal.strsignal(-done.returncode)}")
    if done.returncode == 2:
        raise Refusal(" ".join(said or heard) or f"{program} ended with 2")
    return done.stdout, said, done.returncode


def asked_of(options, *arguments, program="rivals_cpu", environment={}):
    """What a library says of itself, {name: value}; or {"why": reason} if it ends or refuses."""
    try:
        said, *_ = process(options, program, "check", *arguments, environment=environment)
    except (Refusal, ChildProcessError) as ended:
        return {"why": str(ended)}
    return dict(line.split("\t", 1) for line in said.splitlines())


def environment_of(library, threads, cores):
    """What makes any library use so many threads, one a core as long as there are cores."""
    counts = dict.fromkeys(("OMP", "OPENBLAS", "BLIS", "MKL"), str(threads))
    # One thread alone goes where the system finds room. Our own OpenMP would bind the first thread
    # to one core, and threads that are not OpenMP's would be born there, all of them.
    return {f"{name}_NUM_THREADS": count for name, count in counts.items()} | {
        "MKL_DYNAMIC": "FALSE",
        "OMP_DYNAMIC": "FALSE",
        "OMP_PROC_BIND": "true" if threads > 1 and library.openmp else "false",
        "OMP_PLACES": "threads" if threads > cores else "cores",
    }


# ---- which libraries ----


def loaded(options, name, files):
    """The library in the first of these files that can be loaded and run: with its widest kernel
    here and, if that is not the same, with the one for AVX2; or why there is none."""
    why = ""
    for file in files:
        own = asked_of(options, file)
        if "why" in own:
            why = own["why"]
            continue
        kept = {width: asked_of(options, file, "--kernel", width) for width in ("avx512", "avx2")}
        kept = {width: said for width, said in kept.items() if own["kernel"] and "why" not in said}
        if own["kernel"] and not kept:
            say(f"{name} knows no kernel that is asked for here; it chooses {own['kernel']}")
        return [
            Library(name, file, said["about"], bool(said["openmp"]), width, said["kernel"])
            for width, said in (kept or {"own": own}).items()
        ], ""
    return [], why


def found(options):
    """Each library here with its kernels, the widest first."""
    libraries, kinds = [], options.rival or KINDS
    package = importlib.util.find_spec("torch")
    torch = Path(package.origin).parent if package else "/none"
    for kind, (name, patterns) in LIBRARIES.items():
        files = []
        for pattern in patterns.format(build=options.build, torch=torch).split():
            files += sorted(glob.glob(pattern)) if "/" in pattern else [pattern]
        if kind in kinds:
            libraries.append(loaded(options, name, files)[0])
    for file in options.blas if "blas" in kinds else ():
        # Without a slash the loader would look everywhere but here.
        path, name = os.path.abspath(file) if os.path.exists(file) else file, os.path.basename(file)
        said = asked_of(options, path)
        if "why" in said:
            what = "give a shared library with cblas_sgemm"
            raise Refusal(f"--blas: '{name}' cannot be used: {said['why']}; {what}")
        libraries.append([Library(name, path, said["about"], bool(said["openmp"]))])
    return [kernels for kernels in libraries if kernels]


def cublas(options):
    """cuBLAS's ways to multiply; none, and a line that says why, where it cannot run."""
    about = {"why": "built without nvcc or without cuBLAS"}
    if (options.build / "rivals/rivals_gpu").exists():
        about = asked_of(options, WAYS[0], program="rivals_gpu")
    if "why" in about:
        say(f"cuBLAS skipped: {about['why']}")
        return []
    ways = (*AT_BEST, "heuristics", "tf32")
    made = {"about": about["about"], "program": "rivals_gpu"}
    return [Library("cuBLAS", way, kernel=way, **made) for way in ways]


# ---- what is measured ----


class Session:
    """What one call of this program shares between its measurements."""

    def __init__(self, options):
        self.options = options
        self.out = set()  # who was wrong, crashed or hung, and beside which of ours
        self.wrong = self.found = False  # found: there is a row

    def measure(self, library, threads, types, shape, *more, limit=0, environment={}):
        """The lines that the library's process printed."""
        options, rung = self.options, environment.get("COURSE_RUNG", "")
        if (library.label, rung) in self.out:
            return []
        command = ["measure", library.file, library.label, *more, "--kernel", library.width]
        command += ["--type", ",".join(types), "--shape", shape, "--threads", threads]
        command += ["--pairs", options.pairs, "--budget", options.budget]
        limit += 10 + 40 * float(options.budget)
        environment = environment_of(library, threads, options.cpus) | environment
        try:
            given = {"limit": limit, "environment": environment}
            out, said, status = process(options, library.program, *command, **given)
        except ChildProcessError as why:
            left_out = f"{library.label} with {whose(threads)} left out: {why}"
            out, said, status = "", [left_out], 77
        for line in said:
            say(line)
        self.wrong |= status == 1
        self.found |= status == 0
        if status:
            self.out.add((library.label, rung))
        return out.splitlines()

    def rates(self, library, threads, types, shape, *more):
        """GFLOP/s of the library alone, {type: rate}."""
        limit = 100 * (library.program == "rivals_gpu")
        lines = self.measure(library, threads, types, shape, *more, limit=limit)
        return {type: float(rate) for type, _, rate in (line.partition("\t") for line in lines)}


def alone(session, libraries, gpu):
    """Rows of each library for machine.csv."""
    options = session.options

    def record(type, label, threads, shape, rate, note):
        rate = f"{rate:.0f}" if rate >= 1e4 else f"{rate:.4g}"
        who = f"{type:<4} {label:<20} {threads and whose(threads):>10}"
        print(f"  {who} {shape:<14} {rate:>8} GFLOP/s", flush=True)
        row = {"name": "library", "type": type, "vector": label, "threads": threads}
        row |= {"level": shape, "value": rate, "unit": "GFLOP/s", "note": note}
        append(options.csv, row)

    for (library, *_), threads, shape in product(libraries, options.threads, options.shapes):
        for type, rate in session.rates(library, threads, options.type, shape).items():
            record(type, library.label, threads, shape, rate, library.about)
    for type, (of, ways, note) in CUBLAS.items():
        asked = type in options.type or note and "f32" in options.type
        for shape in options.on_gpu if gpu and asked else ():
            # Tensor cores run into the limit of power: their first moment's rate they cannot keep
            # up.
            settle = ("--settle", 0.75 * bool(note))
            meant = [way for way in gpu if way.kernel in ways]
            rates = [session.rates(way, 1, [of], shape, *settle).get(of, 0) for way in meant]
            best, way = max(zip(rates, (way.kernel for way in meant)))
            if best:
                how = f"{note or way + ' is the better'}; {gpu[0].about}"
                record(type, "cuBLAS", "", shape, best, how)


def compared(options, rung, library, is_widest):
    """Whether a rung and a library are: one asked for with all; else the first with each library's
    widest kernel, `tuned` with those for AVX2."""
    with_all = is_widest and (options.variant or rung == options.rungs[0])
    return with_all or rung == "tuned" and library.width == "avx2"


def flops(shape):
    return 2 * math.prod(map(int, shape.split("x")))


def compare(session, libraries, gpu):
    """Rows of rivals.csv, the cheap shapes first; and what was sustained, in a file beside it."""
    options = session.options
    sustained = ["--sustained-csv", options.csv.removesuffix(".csv") + "_sustained.csv"]

    def rows(library, threads, types, shape, ours, *more, **wanted):
        files = ["--csv", options.csv, *sustained * options.sustained]
        ours = options.build / ours
        for line in session.measure(library, threads, types, shape, ours, *files, *more, **wanted):
            print(line, flush=True)

    pairs = [
        (library, rung)
        for kernels in libraries
        for library in kernels
        for rung in options.rungs
        if compared(options, rung, library, library is kernels[0])
    ]
    shapes = sorted(options.shapes, key=flops)
    for shape, threads, (library, rung) in product(shapes, options.threads, pairs):
        environment, settle = {"COURSE_RUNG": rung}, 0
        if threads > 1 and not library.openmp:
            # Our threads wait for more work at full speed, and would disturb its own.
            environment["GOMP_SPINCOUNT"], settle = "10000", 0.005
        limit = 6e-9 * int(options.pairs) * flops(shape)
        wanted = {"limit": limit, "environment": environment}
        rows(library, threads, options.type, shape, OUR_LIBRARY, "--settle", settle, **wanted)
    for rung in options.gpu_rungs if gpu else ():
        type, ours, ways = OURS_ON_GPU[rung]
        shapes = options.on_tensor_cores if ours == TENSOR else options.on_gpu
        for shape, way in product(sorted(shapes, key=flops), gpu):
            if way.kernel in ways:
                rows(way, 1, [type], shape, ours, limit=100, environment={"COURSE_RUNG": rung})


# ---- the command line ----


def asked():
    """The options, checked."""

    def refuse(message):
        raise Refusal(f"{message}; --help lists the options")

    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = refuse
    for name, what in (
        ("size", "square sizes: 256,512"),
        ("shape", "shapes MxNxK"),
        ("threads", "thread counts (default 1 and all)"),
        ("type", "of f32,f64,i32,bf16 (default f32,f64,bf16; alone f32,f64,i32)"),
        ("pairs", "pairs of runs a row has at least (default 21); alone: runs at most (default 5)"),
        ("budget", "seconds a row may take (default 0.3; alone 0.4)"),
        ("variant", f"our rungs: {','.join(RUNGS)}"),
        ("rival", f"of {','.join(KINDS)} (default all)"),
        ("blas", "more libraries with cblas_sgemm: FILE,..."),
        ("csv", "append one line a row to this file"),
        ("build", "where the course was built"),
    ):
        parser.add_argument(f"--{name}", help=what)
    for name, what in (
        ("alone", "each library by itself, rows of machine.csv"),
        ("sustained", "each of a row alone for 1.5 s, too: clock, power, error beside the CSV"),
        ("list", "print our rungs and the libraries here, and end"),
    ):
        parser.add_argument(f"--{name}", help=what, action="store_true")
    options = parser.parse_args()
    options.build = Path(options.build or ROOT / "build").resolve()
    options.type = options.type or ("f32,f64,i32" if options.alone else "f32,f64,bf16")
    options.pairs = options.pairs or ("5" if options.alone else "21")
    options.budget = options.budget or ("0.4" if options.alone else "0.3")
    for name, known, what in (
        ("variant", RUNGS, ", ".join(RUNGS)),
        ("rival", KINDS, ", ".join(KINDS)),
        ("blas", None, "the path of a shared library"),
    ):
        given = getattr(options, name)
        items = [] if given is None else given.split(",")
        setattr(options, name, items)
        for item in items:
            if item not in (known or [item or None]):
                raise Refusal(f"--{name}: '{item}' is unknown; give {what}")
    shaped = options.size is not None or options.shape is not None
    if not shaped:
        options.shape = ",".join(ALONE if options.alone else IN_TURNS)
    # The C++ programs know what a size, a type or a number of threads may be.
    checked = ("size", "shape", "type", "threads", "pairs", "budget")
    given = [(f"--{name}", getattr(options, name)) for name in checked]
    words = (word for name, value in given if value is not None for word in (name, value))
    process(options, "rivals_cpu", "check", *words)
    options.cpus = processors()
    options.shapes = squares(*options.size.split(",")) if options.size else []
    options.shapes += options.shape.split(",") if options.shape else []
    on_gpu = ALONE_ON_GPU if options.alone else IN_TURNS_ON_GPU
    options.on_gpu, options.on_tensor_cores = (
        options.shapes if shaped else shapes for shapes in (on_gpu, ON_TENSOR_CORES)
    )
    options.type = options.type.split(",")
    threads = options.threads or f"1,{options.cpus}"
    options.threads = list(dict.fromkeys(map(int, threads.split(","))))
    return options


def choose_rungs(options):
    """Which of ours are compared; a line for each that was asked for and cannot run."""
    options.rungs, options.gpu_rungs = [], []
    for rung in options.variant or RUNGS:
        if rung in OURS:
            said = asked_of(options, options.build / OUR_LIBRARY, environment={"COURSE_RUNG": rung})
            if "why" in said:
                say(f"{rung} skipped: {said['why']}")
            else:
                options.rungs.append(rung)
        elif OURS_ON_GPU[rung][0] in options.type:
            options.gpu_rungs.append(rung)


def print_list(libraries):
    print("rivals: ours and every library, in turns")
    for rung, idea in OURS.items():
        print(f"  {rung:<16} {idea}")
    for rung, (type, _, ways) in OURS_ON_GPU.items():
        print(f"  {rung:<16} {type} on a GPU, against cuBLAS {', '.join(ways)}")
    for library in (library for kernels in libraries for library in kernels):
        print(f"  {'against':<16} {library.label}; {library.about}")


def main(folder):
    options = asked()
    if options.csv and os.path.exists(options.csv):
        lines_of(options.csv, ["value" if options.alone else "ratio"])
    options.csv = options.csv or f"{folder}/rows.csv"
    libraries, session = found(options), Session(options)
    if options.list:
        print_list(libraries)
        return 0
    if not options.alone:
        choose_rungs(options)
    with_gpu = "cublas" in options.rival or not options.rival
    gpu = cublas(options) if with_gpu and (options.alone or options.gpu_rungs) else []
    if options.alone:
        alone(session, libraries, gpu)
    elif options.rungs or gpu:
        pairs = f"the median of {options.pairs} pairs or more, and its quartiles"
        print(f"ours, as often as fast as: {pairs}")
        compare(session, libraries, gpu)
    else:
        return 77
    if session.wrong or session.found:
        return int(session.wrong)
    say("skipped: no library that was asked for is here")
    return 77


if __name__ == "__main__":
    # Ctrl-C ends at once, and with it what was started; `rivals --list | head` ends without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        try:
            status = main(folder)
        except (Refusal, ChildProcessError) as refusal:
            say(refusal)
            status = 2
    sys.exit(status)
