#!/usr/bin/env python3
"""Our last rungs and every library here, each at its best, in turns: rivals.py --help

Every library runs in a process of its own, build/rivals/rivals_cpu or rivals_gpu, in the environment that it is to have. With
--alone each library is timed by itself, for machine.csv: as it chooses, and as it is fastest.

Exit status: 0 well; 1 a product was wrong; 2 the command line cannot be served; 77 nothing that was asked for is here."""
import argparse, glob, math, os, signal, subprocess, sys, tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools/report"))
import against_libraries
from measured import MACHINE_COLUMNS, Refusal, append, lines_of, whose

AVX2, AVX512 = "avx2 fma", "avx2 fma avx512f avx512dq avx512bw avx512vl"
OURS = {"avx512": (AVX512, "against each library's best setting"),
        "tuned": (AVX2, "against OpenBLAS Haswell and BLIS haswell; without AVX-512, or when named, against all")}
# By kind: its name, where it may be (the OpenMP build first: one of pthreads often puts two threads on one core), the
# variable that chooses its kernel, and the kernels with the features of the processor that they need.
KINDS = {
    "eigen": ("Eigen", "{build}/rivals/libcourse_eigen.so", "", {}),
    "openblas": ("OpenBLAS", "/usr/lib/*/openblas-openmp/libopenblas.so.0 libopenblaso.so.0 libopenblas.so.0 "
                 "libopenblas.so /usr/lib/*/openblas-pthread/libopenblas.so.0", "OPENBLAS_CORETYPE",
                 {"Haswell": AVX2, "Zen": AVX2, "SkylakeX": AVX512, "Cooperlake": AVX512 + " avx512bf16",
                  "SapphireRapids": AVX512 + " avx512bf16"}),
    "blis": ("BLIS", "/usr/lib/*/blis-openmp/libblis.so.4 libblis.so.4 libblis.so.3 libblis.so", "BLIS_ARCH_TYPE",
             {"haswell": AVX2, "zen": AVX2, "zen2": AVX2, "zen3": AVX2, "skx": AVX512, "zen4": AVX512}),
    "onednn": ("oneDNN", "libdnnl.so.3 libdnnl.so.2", "", {}),
    "mkl": ("MKL", "libmkl_rt.so.2 libmkl_rt.so", "", {}),
    "cublas": ("cuBLAS", "", "", {}),  # on the GPU
    "blas": ("", "", "", {}),  # given with --blas
}
WAYS = ("default", "pedantic")  # in which cuBLAS multiplies f32 and f64
TENSOR, AT_BEST = "11_cuda_tensor/libcourse_tensor.so", (*WAYS, "bf16x9")  # where it can, f32 by nine products of BF16
# Ours on a GPU: type, library, and the ways of cuBLAS that each meets, of which the fastest counts.
OURS_ON_GPU = {"best": ("f32", "09_cuda_regtile/libcourse_gpu.so", WAYS), "bf16": ("bf16", TENSOR, ("heuristics",)),
               "f32_by_bf16": ("f32", TENSOR, AT_BEST), "f32_by_fp16": ("f32", TENSOR, AT_BEST)}
# cuBLAS by types as machine.csv knows them: that of our matrices, the ways of which the faster counts, a row's note. Tensor
# cores round their inputs: they are types of their own.
CUBLAS = {"f32": ("f32", WAYS, ""), "f64": ("f64", WAYS, ""),
          "tf32": ("f32", ["tf32"], "sustained; within 2^-10 of f32 in the infinity norm"),
          "bf16": ("f32", ["bf16"], "sustained; BF16 to BF16; within 2^-8 of f32 in the infinity norm")}
NARROW = ("OpenBLAS Haswell", "BLIS haswell")  # kept to AVX2: what `tuned` is compared with
CLEARLY = 1.03                                 # a setting is better than the library's own choice from here on
SCREENED = "512x512x512"                       # where settings compete
# Unless told otherwise, without and with --alone.
DEFAULTS = {False: {"type": "f32,f64,bf16", "pairs": "21", "budget": "0.3", "size": "256,384,512,768,1024,1500,2000,2048,3000,4096",
                    "shape": ",".join(f"{n}x{n}x{k}" for n in (2048, 4096) for k in (32, 64, 128, 156))},
            True: {"type": "f32,f64,i32", "pairs": "5", "budget": "0.4", "size": "256,512,1024,2048",
                   "shape": "2048x2048x64,4096x4096x128"}}
ON_GPU = {False: [f"{n}x{n}x{n}" for n in (512, 1000, 1024, 2000, 2048, 3000, 4096, 5000, 6400, 8192, 14400)]
          + [f"8192x8192x{k}" for k in (32, 64, 128, 156)],
          True: [f"{n}x{n}x{n}" for n in (256, 512, 1024, 2048, 4096, 8192)] + ["8192x8192x128"]}
ON_TENSOR_CORES = [f"{n}x{n}x{n}" for n in (1024, 2048, 3072, 4096, 8192)]
OPTIONS = {"size": "square sizes: 256,512", "shape": "shapes MxNxK", "type": "of f32,f64,i32,bf16 (default f32,f64,bf16; alone all)",
           "threads": "thread counts (default 1 and all)", "variant": f"our rungs: {','.join([*OURS, *OURS_ON_GPU])}",
           "rival": f"of {','.join(KINDS)} (default all)", "blas": "more libraries with cblas_sgemm: FILE,...",
           "pairs": "pairs of runs a row has at least (default 21); alone: runs at most (default 5)",
           "budget": "seconds a row may take (default 0.3; alone 0.4)", "csv": "append one line a row to this file",
           "machine": "what 00_machine found: each library's best setting", "build": "where the course was built"}
FLAGS = {"alone": "each library by itself, rows of machine.csv", "resume": "leave out rows that the CSV has",
         "sustained": "each of a row alone for 1.5 s, too; with clock, power and error in a file beside the CSV",
         "list": "print our rungs and the libraries here, and end"}


@dataclass
class Setting:
    """A library file and one way to set it up."""
    name: str
    file: str
    about: str         # its version, how it was built, and what was loaded
    types: list
    openmp: bool       # its threads are OpenMP's
    kernel: str = ""   # that it is made to use; empty: as it chooses
    environment: dict = field(default_factory=dict)  # read while the library loads
    program: str = "rivals_cpu"

    @property
    def label(self):
        return f"{self.name} {self.kernel}".strip()


def say(line):
    print(f"rivals: {line}", file=sys.stderr, flush=True)


def process(program, *arguments, environment={}, limit=60):
    """Its lines NAME <tab> VALUE, its lines for the user, its exit status; ChildProcessError if it crashed or hung."""
    # What it inherits must not say how many threads, and where; nor make cuBLAS round f32, or emulate it.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "NVIDIA_TF32_", "CUBLAS_"))}
    inherited["COURSE_STARTER"] = str(os.getpid())  # it ends with us, even if we end before it can ask to be told
    try:
        done = subprocess.run([program, *map(str, arguments)], env=inherited | environment, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=limit, capture_output=True)
    except subprocess.TimeoutExpired:
        raise ChildProcessError(f"nothing came for {limit:.4g} s") from None
    except OSError as error:
        raise Refusal(f"cannot start {program}: {error.strerror}; make build") from None
    said = [line.removeprefix("rivals: ") for line in done.stderr.splitlines() if line.startswith("rivals: ")]
    if done.returncode < 0:
        raise ChildProcessError(f"it ended by {signal.strsignal(-done.returncode)}")
    if done.returncode == 2:
        raise Refusal(" ".join(said) or done.stderr.strip() or f"{program} ended with 2")
    return dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line), said, done.returncode


def check(options, *arguments, environment={}, program="rivals_cpu"):
    return process(options.build / "rivals" / program, "check", *arguments, environment=environment)[0]


def tried(*arguments, **named):
    """The same of a library that may end or refuse: {"why": reason} if it does."""
    try:
        return check(*arguments, **named)
    except (Refusal, ChildProcessError) as ended:
        return {"why": str(ended)}


def environment_of(setting, threads, cores):
    """What makes any library use so many threads, one a core as long as there are cores."""
    counts = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    # One thread alone goes where the system finds room. Our own OpenMP would bind the first thread to one core, and
    # threads that are not OpenMP's would be born there, all of them.
    bind = "true" if threads > 1 and setting.openmp else "false"
    return setting.environment | counts | {"MKL_DYNAMIC": "FALSE", "OMP_DYNAMIC": "FALSE", "OMP_PROC_BIND": bind,
                                           "OMP_PLACES": "threads" if threads > cores else "cores"}


# ---- which libraries ----

def settings_of(options, kind, name, files):
    """The settings of the first of these files that can be loaded which this processor can run, its own choice first."""
    about = {"why": ""}
    for file in files:
        if "why" not in (about := tried(options, file)):
            break
    if kind == "blas" and "why" in about:
        raise Refusal(f"--blas: '{name}' cannot be used: {about['why']}; give a shared library with cblas_sgemm")
    if "why" in about or not set(about["needs"].replace(",", " ").split()) <= options.features:
        return []
    own, numbers = Setting(name, file, about["about"], about["types"].split(), bool(about["openmp"])), about["kernels"].split()
    settings = [own]
    for kernel, needed in KINDS[kind][3].items():
        if set(needed.split()) <= options.features and (not numbers or kernel in numbers):
            # BLIS wants a number, which differs from version to version.
            environment = {KINDS[kind][2]: str(numbers.index(kernel)) if numbers else kernel}
            about = tried(options, file, environment=environment)
            if about.get("kernel", "").lower() == kernel.lower():  # one that does not know the setting chooses itself
                settings.append(replace(own, about=about["about"], kernel=kernel, environment=environment))
    return settings


def found(options):
    """The settings of each library for the processor here, library by library."""
    libraries, kinds = [], options.rival or KINDS
    for kind, (name, patterns, *_) in KINDS.items():
        if kind in kinds and patterns:
            files = [file for pattern in patterns.format(build=options.build).split()
                     for file in (sorted(glob.glob(pattern)) if "/" in pattern else [pattern])]
            libraries.append(settings_of(options, kind, name, files))
    for file in options.blas if "blas" in kinds else ():
        # Without a slash the loader would look everywhere but here.
        libraries.append(settings_of(options, "blas", os.path.basename(file), [os.path.abspath(file) if os.path.exists(file) else file]))
    return [settings for settings in libraries if settings]


def cublas(options):
    """cuBLAS's ways to multiply; none, and a line that says why, where it cannot run."""
    about = {"why": "built without nvcc or without cuBLAS"}
    if (options.build / "rivals/rivals_gpu").exists():
        about = tried(options, WAYS[0], program="rivals_gpu")
    if "why" in about:
        return say(f"cuBLAS skipped: {about['why']}") or []
    return [Setting("cuBLAS", way, about["about"], ["f32", "f64"], False, way, {}, "rivals_gpu") for way in (*AT_BEST, "heuristics", "tf32", "bf16")]


def known_settings(path, options):
    """What machine.csv knows: the label of each library's best setting, by the library's name."""
    known = {}
    for cells in lines_of(path, MACHINE_COLUMNS) if path else ():
        if cells["name"] == "processor" and cells["note"] != options.processor.replace(",", " "):
            if options.alone:
                raise Refusal(f"--resume: {path} tells of another processor, {cells['note']}, not of {options.processor}; "
                              "give another file")
            return say(f"{path} is of another machine, {cells['note']}") or {}
        if cells["name"] == "library" and cells["note"].startswith(("best;", "as chosen and best;")):
            known[cells["vector"].split()[0]] = cells["vector"]
    return known


# ---- what is measured ----

class Session:
    """What one call of this program shares between its measurements."""

    def __init__(self, options):
        self.options, self.known, self.out = options, {}, set()  # out: who was wrong, crashed or hung, and beside which of ours
        self.wrong = self.found = False                          # found: there is a row

    def measure(self, setting, threads, types, shape, *more, limit=0, environment={}):
        """What a process that measures the setting printed, by type."""
        options = self.options
        if (who := (setting.label, environment.get("COURSE_RUNG", ""))) in self.out:
            return {}
        try:
            lines, said, status = process(
                options.build / "rivals" / setting.program, "measure", setting.file, setting.label, *more, "--type", ",".join(types),
                "--shape", shape, "--threads", threads, "--pairs", options.pairs, "--budget", options.budget,
                limit=limit + 10 + 40 * float(options.budget), environment=environment_of(setting, threads, options.cpus) | environment)
        except ChildProcessError as why:
            lines, said, status = {}, [f"{setting.label} with {whose(threads)} left out: {why}"], 77
        for line in said:
            say(line)
        self.wrong |= status == 1
        self.found |= status == 0 and "--csv" in more
        if status:
            self.out.add(who)
        return {type: line for type, line in lines.items() if type in types}

    def rates(self, setting, threads, types, shape, *more):
        """GFLOP/s of the library alone, {type: rate}."""
        limit = 100 * (setting.program == "rivals_gpu")
        return {type: float(rate) for type, rate in self.measure(setting, threads, types, shape, *more, limit=limit).items()}

    def best(self, settings):
        """The best setting of a library: its own choice, unless another is clearly better. A look is told in a line."""
        own, *others = settings
        known = [setting for setting in settings if setting.label == self.known.get(own.name)]
        if known or not others:
            return (known or settings)[0]
        type = min(set(own.types) & set(self.options.type), default="f32")
        rates = {setting.kernel: self.rates(setting, 1, [type], SCREENED).get(type, 0) for setting in settings}
        looked = " ".join(f"{kernel or 'its choice'} {rate:.4g}" for kernel, rate in rates.items())
        print(f"library {own.name}, {type}, {SCREENED}, on 1 thread: {looked} GFLOP/s", flush=True)
        return max(settings, key=lambda setting: rates[setting.kernel] * (1 if setting.kernel else CLEARLY))


def alone(session, libraries, gpu):
    """Rows of each library for machine.csv."""
    options = session.options
    rows = lines_of(options.csv, MACHINE_COLUMNS) if options.resume else ()
    there = {tuple(cells[name] for name in ("type", "vector", "threads", "level")) for cells in rows}

    def missing(*row):
        session.found |= row in there
        return row not in there

    def record(type, label, threads, shape, rate, note):
        rate = f"{rate:.{0 if rate >= 1e4 else 4}{'f' if rate >= 1e4 else 'g'}}"
        print(f"  {type:<4} {label:<20} {threads and whose(threads):>10} {shape:<14} {rate:>8} GFLOP/s", flush=True)
        append(options.csv, MACHINE_COLUMNS, ["library", type, label, threads, shape, rate, "GFLOP/s", note])
        session.found = True

    for settings in libraries:
        best = session.best(settings)
        for setting in {settings[0].label: settings[0], best.label: best}.values():
            why = "as chosen and best" if settings[0] is best else "best" if setting is best else "as chosen"
            for threads, shape in ((threads, shape) for threads in options.threads for shape in options.shapes):
                types = [type for type in options.type if type in setting.types and missing(type, setting.label, str(threads), shape)]
                for type, rate in session.rates(setting, threads, types, shape).items() if types else ():
                    record(type, setting.label, threads, shape, rate, f"{why}; {setting.about}")
    for type, (of, ways, note) in CUBLAS.items() if gpu else ():
        for shape in options.on_gpu if of in options.type else ():
            if missing(type, "cuBLAS", "", shape):
                # Tensor cores run into the limit of power: what they do in the first moment they cannot keep up.
                rates = {way.kernel: session.rates(way, 1, [of], shape, "--settle", 0.75 * bool(note)).get(of, 0)
                         for way in gpu if way.kernel in ways}
                best = max(rates, key=rates.get)
                if rates[best]:
                    record(type, "cuBLAS", "", shape, rates[best], f"{note or best + ' is the better'}; {gpu[0].about}")


def compared(options, rung, setting, best):
    """Whether a rung and a setting are: one asked for with all; else the widest with each best, `tuned` with those kept to AVX2."""
    return setting is best and (options.variant or rung == options.rungs[0]) or rung == "tuned" and setting.label in NARROW


def compare(session, libraries, gpu):
    """Rows of rivals.csv, the cheap shapes first; and every pair of a GPU's, and what was sustained, in files beside it."""
    options = session.options
    libraries = [settings for settings in libraries if options.rungs and set(options.type) & set(settings[0].types)]
    best = {settings[0].label: session.best(settings) for settings in libraries}

    def beside(kind):
        return f"--{kind}-csv", options.csv.removesuffix(".csv") + f"_{kind}.csv"

    def flops(shape):
        return 2 * math.prod(map(int, shape.split("x")))

    def rows(setting, threads, types, shape, ours, *more, **wanted):
        for line in session.measure(setting, threads, types, shape, options.build / ours, "--csv", options.csv, *more,
                                    *(beside("sustained") if options.sustained else ()), *["--resume"] * options.resume, **wanted).values():
            print(line, flush=True)

    pairs = [(setting, rung) for settings in libraries for setting in settings for rung in options.rungs
             if compared(options, rung, setting, best[settings[0].label]) and set(options.type) & set(setting.types)]
    for shape in sorted(options.shapes, key=flops):
        for threads, (setting, rung) in ((threads, pair) for threads in options.threads for pair in pairs):
            # Our threads wait for more work at full speed, and would disturb those that are not OpenMP's.
            apart = threads > 1 and not setting.openmp
            name = "packed" if rung == "tuned" else rung  # what it was called once: `--blas` may load a state of then
            rows(setting, threads, options.type, shape, "05_avx2/libcourse_blas.so", "--settle", 0.005 * apart,
                 limit=6e-9 * int(options.pairs) * flops(shape),
                 environment={"COURSE_RUNG": name} | ({"GOMP_SPINCOUNT": "10000"} if apart else {}))
    for rung in options.gpu_rungs if gpu else ():
        type, library, ways = OURS_ON_GPU[rung]
        for shape in sorted(options.on_tensor_cores if library == TENSOR else options.on_gpu, key=flops):
            for way in (way for way in gpu if way.kernel in ways):
                rows(way, 1, [type], shape, library, *beside("pairs"), limit=100, environment={"COURSE_RUNG": rung})


def refuse(message):
    raise Refusal(f"{message}; --help lists the options")


def asked():
    """The options, checked: lists of items, and what this machine is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.error = refuse
    for name, what in (OPTIONS | FLAGS).items():
        parser.add_argument(f"--{name}", help=what, action="store_true" if name in FLAGS else "store")
    options = parser.parse_args()
    options.build = Path(options.build or ROOT / "build").resolve()
    if options.resume and not options.csv:
        raise Refusal("--resume: needs --csv FILE, the file that has rows")
    for name, known in (("variant", [*OURS, *OURS_ON_GPU]), ("rival", KINDS), ("blas", None)):
        given = getattr(options, name)
        setattr(options, name, [] if given is None else given.split(","))
        for item in getattr(options, name):
            if item not in (known or [item or None]):
                raise Refusal(f"--{name}: '{item}' is unknown; give {', '.join(known or ['the path of a shared library'])}")
    shaped = options.size is not None or options.shape is not None
    for name, default in DEFAULTS[options.alone].items():
        if getattr(options, name) is None and not (shaped and name in ("size", "shape")):
            setattr(options, name, default)
    given = {name: getattr(options, name) for name in ("size", "shape", "type", "threads", "pairs", "budget")}
    machine = check(options, *(word for name, value in given.items() if value is not None for word in (f"--{name}", value)))
    options.processor, options.features, options.cpus = machine["processor"], set(machine["features"].split()), int(machine["cpus"])
    squares = [f"{n}x{n}x{n}" for n in options.size.split(",")] if options.size else []
    options.shapes = list(dict.fromkeys(squares + (options.shape.split(",") if options.shape else [])))
    options.on_gpu = options.shapes if shaped else ON_GPU[options.alone]
    options.on_tensor_cores = options.shapes if shaped else ON_TENSOR_CORES
    options.type = list(dict.fromkeys(options.type.split(",")))
    options.threads = list(dict.fromkeys(map(int, (options.threads or f"1,{options.cpus}").split(","))))
    options.lacks = {rung: ",".join(name for name in needed.split() if name not in options.features) for rung, (needed, _) in OURS.items()}
    options.asked = [rung for rung in options.variant or OURS if rung in OURS]
    options.rungs = [rung for rung in options.asked if not options.lacks[rung]]
    options.gpu_rungs = [rung for rung, (type, *_) in OURS_ON_GPU.items() if type in options.type and rung in (options.variant or OURS_ON_GPU)]
    return options


def main(folder):
    options = asked()
    there = bool(options.csv) and os.path.exists(options.csv)
    options.csv, options.resume = options.csv or f"{folder}/rows.csv", options.resume and there
    libraries, session = found(options), Session(options)
    if options.list:
        print("rivals: ours and every library, in turns")
        for rung, (_, idea) in OURS.items():
            print(f"  {rung:<16} {idea}" + f"; not here: this processor lacks {options.lacks[rung]}" * bool(options.lacks[rung]))
        for rung, (type, _, ways) in OURS_ON_GPU.items():
            print(f"  {rung:<16} {type} on a GPU, against cuBLAS {', '.join(ways)}")
        print("".join(f"  {'against':<16} {settings[0].name}\n" for settings in libraries), end="")
        return 0
    before = lines_of(options.csv, MACHINE_COLUMNS if options.alone else against_libraries.COLUMNS) if there else ()
    session.known = known_settings(options.machine if not options.alone else options.csv if options.resume else None, options)
    with_gpu = "cublas" in options.rival or not options.rival
    gpu = cublas(options) if with_gpu and (options.alone or options.gpu_rungs) else []
    for rung in () if options.alone else options.asked:
        if options.lacks[rung]:
            say(f"{rung} skipped: this processor lacks {options.lacks[rung]}")
    if options.alone:
        alone(session, libraries, gpu)
    elif options.rungs or gpu:
        print(f"ours, as often as fast as: the median of {options.pairs} pairs or more, and its quartiles; on {options.processor}")
        compare(session, libraries, gpu)
        for variant, against, type, threads, mean, worst, below in against_libraries.summary(against_libraries.load(options.csv))[1] if session.found else ():
            print(f"{type}, {whose(int(threads)) if threads.isdigit() else threads}, {variant} against {against}: geometric mean {mean}; "
                  f"worst {worst}; {below} cells below {against_libraries.TARGET:g}")
    else:
        return 77
    if options.resume:
        print(f"rivals: {len(before)} rows were in {options.csv} already")
    if session.wrong or session.found:
        return int(session.wrong)
    return say("skipped: no library that was asked for is here") or 77


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends at once, and with it what was started
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `rivals --list | head` ends without a word
    with tempfile.TemporaryDirectory() as folder:
        try:
            status = main(folder)
        except (Refusal, ChildProcessError) as refusal:
            status = say(refusal) or 2
    sys.exit(status)
