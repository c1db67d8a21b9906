#!/usr/bin/env python3
"""Our last rungs and every library here, each at its best, in turns: rivals.py --help

Every meeting is a process of its own, build/rivals/meet, in the environment its library is to have. With --alone each
library is timed by itself, for machine.csv: as it chooses, and as it is fastest.

Exit status: 0 well; 1 a product was wrong; 2 the command line cannot be served; 77 nothing that was asked for is here."""
import argparse, glob, math, os, re, signal, subprocess, sys, tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
import standing
from measured import COLUMNS, MACHINE_COLUMNS, Refusal, append, lines_of, whose

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
    "cublas": ("cuBLAS", "", "", {}),  # on the GPU, against 09's best
    "blas": ("", "", "", {}),  # given with --blas
}
# cuBLAS by types as machine.csv knows them: that of our matrices, its ways to multiply them, and what a row's note says. The
# tensor cores' types check themselves: our verifier refuses their rounding.
CUBLAS = {"f32": ("f32", "default,pedantic", ""), "f64": ("f64", "default,pedantic", ""),
          "tf32": ("f32", "tf32", "sustained; within 2^-10 of f32 in the infinity norm"),
          "bf16": ("f32", "bf16", "sustained; BF16 to BF16; within 2^-8 of f32 in the infinity norm")}
ON_GPU = [f"{n}x{n}x{n}" for n in (256, 512, 1024, 2048, 4096, 8192)] + ["8192x8192x128"]  # by default
GPU_DUELS = [f"{n}x{n}x{n}" for n in "512 1000 1024 2000 2048 3000 4096 5000 6400 8192 14400".split()] + [
    f"8192x8192x{k}" for k in "32 64 128 156".split()]
NARROW = ("OpenBLAS Haswell", "BLIS haswell")  # kept to AVX2: what `tuned` meets
CLEARLY = 1.03                                 # a setting is better than the library's own choice from here on
SCREENED, EDGES = "512x512x512", "67x45x129,301x257x190"  # where settings compete; multiples of nothing
DEFAULTS = {False: {"type": "f32,f64", "pairs": "21", "budget": "0.3", "size": "256,384,512,768,1024,1500,2000,2048,3000,4096",
                    "shape": ",".join(f"{n}x{n}x{k}" for n in (2048, 4096) for k in (32, 64, 128, 156))},
            True: {"type": "f32,f64,i32", "pairs": "5", "budget": "0.4", "size": "256,512,1024,2048",
                   "shape": "2048x2048x64,4096x4096x128"}}  # by --alone


class Ended(Exception):
    """How a process ended that was to end by itself."""


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

    @property
    def label(self):
        return f"{self.name} {self.kernel}".strip()


def meet(build, *arguments, environment={}, limit=60):
    """What build/rivals/meet printed, what it said on stderr, and its exit status. A library's words are dropped. What is
    for the "gpu" meet_gpu is told. Raises Ended."""
    command = [build / "rivals/meet", *arguments] if arguments[0] != "gpu" else [build / "rivals/meet_gpu", *arguments[1:]]
    # What it inherits must not say how many threads, and where.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    inherited["COURSE_STARTER"] = str(os.getpid())  # it ends with us, even if we end before it can ask to be told
    try:
        done = subprocess.run([*map(str, command)], env=inherited | environment, text=True,
                              stdin=subprocess.DEVNULL, timeout=limit, capture_output=True, errors="replace")
    except subprocess.TimeoutExpired:
        raise Ended(f"nothing came for {limit:.4g} s") from None
    except OSError as error:
        raise Refusal(f"cannot start {command[0]}: {error.strerror}; make build") from None
    said = [line.removeprefix("rivals: ") for line in done.stderr.splitlines() if line.startswith("rivals: ")]
    if done.returncode < 0:
        raise Ended(f"it ended by {signal.strsignal(-done.returncode)}")
    if done.returncode == 2:
        raise Refusal(" ".join(said) or done.stderr.strip() or "meet ended with 2")
    return done.stdout, said, done.returncode


def check(build, *arguments, environment={}):
    """What `meet check` finds: {name: value}. Raises Refusal with its reason."""
    found, *_ = meet(build, "check", *arguments, environment=environment)
    return dict(line.split("\t", 1) for line in found.splitlines() if "\t" in line)


def say(line):
    print(f"rivals: {line}", file=sys.stderr, flush=True)


# ---- which libraries ----

def settings_of(build, features, kind, name, files):
    """The settings of the first of these files that can be loaded which this processor can run, its own choice first."""
    for file in files:
        try:
            about = check(build, file)
            break
        except (Refusal, Ended) as ended:
            why = ended
    else:
        if kind == "blas":
            raise Refusal(f"--blas: '{name}' cannot be used: {why}; give a shared library with cblas_sgemm")
        return []
    if not set(about["needs"].replace(",", " ").split()) <= features:
        return []
    settings, numbers = [Setting(name, file, about["about"], about["types"].split(), bool(about["openmp"]))], about["kernels"].split()
    for kernel, needed in KINDS[kind][3].items():
        if set(needed.split()) <= features and (not numbers or kernel in numbers):
            # BLIS wants a number, which differs from version to version.
            environment = {KINDS[kind][2]: str(numbers.index(kernel)) if numbers else kernel}
            about = check(build, file, environment=environment)
            if about["kernel"].lower() == kernel.lower():  # one that does not know the setting chooses itself
                settings.append(Setting(name, file, about["about"], settings[0].types, settings[0].openmp, kernel, environment))
    return settings


def found(options):
    """The settings of each library here, library by library."""
    libraries, kinds = [], options.rival or KINDS
    for kind, (name, patterns, *_) in KINDS.items():
        if kind in kinds and kind != "blas":
            files = [file for pattern in patterns.format(build=options.build).split()
                     for file in (sorted(glob.glob(pattern)) if "/" in pattern else [pattern])]
            libraries.append(settings_of(options.build, options.features, kind, name, files))
    for file in options.blas if "blas" in kinds else ():
        # Without a slash the loader would look everywhere but here.
        files = [os.path.abspath(file) if os.path.exists(file) else file]
        libraries.append(settings_of(options.build, options.features, "blas", os.path.basename(file), files))
    return [settings for settings in libraries if settings]


def known_settings(path, options):
    """What machine.csv knows: the label of each library's best setting, by the library's name."""
    known = {}
    for cells in lines_of(path, MACHINE_COLUMNS) if path else ():
        if cells["name"] == "processor" and cells["note"] != options.processor.replace(",", " "):
            if options.alone:
                raise Refusal(f"--resume: {path} tells of another processor, {cells['note']}, not of {options.processor}; "
                              "give another file")
            say(f"{path} is of another machine, {cells['note']}")
            return {}
        if cells["name"] == "library" and cells["note"].startswith(("best;", "as chosen and best;")):
            known[cells["vector"].split()[0]] = cells["vector"]
    return known


def met_settings(path, rung):
    """The same by rivals.csv: whom our widest rung met; one kept to AVX2 may have been met besides."""
    known = {}
    for cells in lines_of(path, standing.COLUMNS):
        name = cells["rival"].split()[0]
        if cells["variant"].removesuffix("_threads") == rung and known.get(name) in (None, *NARROW):
            known[name] = cells["rival"]
    return known


# ---- what is run ----

def environment_of(setting, threads, cores):
    """What makes any library use so many threads, one a core as long as there are cores."""
    counts = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    # One thread alone goes where the system finds room. Our own OpenMP would bind the first thread to one core, and
    # threads that are not OpenMP's would be born there, all of them.
    bind = "true" if threads > 1 and setting.openmp else "false"
    return setting.environment | counts | {"MKL_DYNAMIC": "FALSE", "OMP_DYNAMIC": "FALSE", "OMP_PROC_BIND": bind,
                                           "OMP_PLACES": "threads" if threads > cores else "cores"}


class Session:
    """What one call of this program shares between its meetings."""

    def __init__(self, options):
        self.options, self.known = options, {}
        self.out, self.checked = set(), set()  # out: not asked again
        self.wrong = self.found = False        # found: there is a row

    def run(self, what, setting, threads, *arguments, limit, environment={}):
        """What one process printed; None if it came to nothing."""
        if setting.label in self.out:
            return None
        try:
            found, said, status = meet(self.options.build, what, *arguments, limit=10 + limit,
                                       environment=environment_of(setting, threads, self.options.cpus) | environment)
        except Ended as why:
            say(f"{setting.label} with {whose(threads)} left out: {why}")
            status, said = 1, []
        else:
            self.wrong |= status == 1
        # The step's loop ends a wrong result's line with a command, which would not be this program's.
        for line in said if what == "duel" else said[:status]:
            shape = re.search(r"--type (\w+) --shape (\w+)", line)
            say(f"{setting.label} {shape[1]} is wrong: {shape[2]}: {line.removeprefix('wrong: ').partition('; again by')[0]}" if shape else line)
        if status == 1:
            self.out.add(setting.label)
        return found if status == 0 else None

    def right(self, setting, threads):
        """Whether the library is right where the sizes are multiples of nothing; asked once."""
        types = [type for type in self.options.type if type in setting.types]
        if types and (key := (setting.label, threads)) not in self.checked:
            self.checked.add(key)
            self.run("alone", setting, threads, setting.file, setting.label, "--shape", EDGES, "--type", ",".join(types),
                     "--repeat", 1, "--warmup", 0, limit=0)
        return types and setting.label not in self.out

    def timed(self, setting, threads, type, shapes):
        """The rows of these products by the library alone, as {column: cell}."""
        budget, rows = self.options.budget, []
        if shapes and self.right(setting, threads):
            with tempfile.TemporaryDirectory() as folder:
                self.run("alone", setting, threads, setting.file, setting.label, "--shape", ",".join(shapes), "--type", type,
                         "--verify", "none", "--repeat", self.options.pairs, "--budget", budget, "--csv", f"{folder}/rows",
                         limit=40 * float(budget) * len(shapes))
                if os.path.exists(f"{folder}/rows"):
                    rows = lines_of(f"{folder}/rows", COLUMNS)
        return rows

    def best(self, settings):
        """The best setting of a library: its own choice, unless another is clearly better. A look is told in a line."""
        own, *others = settings
        known = [setting for setting in settings if setting.label == self.known.get(own.name)]
        if known or not others:
            return (known or settings)[0]
        type, rates = min(set(own.types) & set(self.options.type), default="f32"), {}
        print(f"library {own.name}, {type}, {SCREENED}, on 1 thread:", end="", flush=True)
        for setting in settings:
            for row in self.timed(setting, 1, type, [SCREENED]):
                rates[setting.kernel] = float(row["gflops"])
                print(f" {setting.kernel or 'its choice'} {rates[setting.kernel]:.4g}", end="", flush=True)
        print(" GFLOP/s")
        return max(settings, key=lambda setting: rates.get(setting.kernel, 0) * (1 if setting.kernel else CLEARLY))

    def duel(self, *arguments, **wanted):
        """Prints the rows that one process adds to rivals.csv."""
        rows = self.run(*arguments, **wanted)
        self.found |= rows is not None
        print("".join(re.findall("^  .*\n", rows or "", re.M)), end="", flush=True)


def alone(session, libraries):
    """Rows of each library for machine.csv."""
    options = session.options
    there = lines_of(options.csv, MACHINE_COLUMNS) if options.resume else ()
    there = {tuple(cells[name] for name in ("type", "vector", "threads", "level")) for cells in there}
    for settings in libraries:
        best = session.best(settings)
        for setting in {settings[0].label: settings[0], best.label: best}.values():
            why = "as chosen and best" if settings[0] is best else "best" if setting is best else "as chosen"
            for threads, type in ((threads, type) for threads in options.threads for type in options.type if type in setting.types):
                wanted = [shape for shape in options.shapes if (type, setting.label, str(threads), shape) not in there]
                session.found |= wanted != options.shapes
                for row in session.timed(setting, threads, type, wanted):
                    shape, rate = f"{row['m']}x{row['n']}x{row['k']}", f"{float(row['gflops']):.4g}"
                    print(f"  {type:<4} {setting.label:<20} {whose(threads):>10} {shape:<14} {rate:>8} GFLOP/s", flush=True)
                    append(options.csv, MACHINE_COLUMNS, ["library", type, setting.label, threads, shape, rate, "GFLOP/s",
                                                          f"{why}; {setting.about}"])
                    session.found = True
    if not options.rival or "cublas" in options.rival:
        on_gpu(session, there)


def cublas_here(build):
    """What cuBLAS says of itself; None, and a line that says why, where it cannot run."""
    why = "built without nvcc or without cuBLAS"
    if (build / "rivals/meet_gpu").exists():
        try:
            listed, _, status = meet(build, "gpu", "--list")
            lacks = re.search("; not here: (.*)", listed)
            if status == 0 and not lacks:
                return listed.partition("\n")[0].removeprefix("rivals: ")
            why = f"meet_gpu ended with {status}" if status else lacks[1]
        except Ended as ended:
            why = ended
    return say(f"cuBLAS skipped: {why}")


def on_gpu(session, there):
    """Rows of cuBLAS for machine.csv, each type in a process of its own: of its ways to multiply the better one."""
    options = session.options
    if not (about := cublas_here(options.build)):
        return
    shapes = options.shapes if options.shaped else ON_GPU
    for type, (of, ways, note) in CUBLAS.items():
        if of not in options.type:
            continue
        wanted = [shape for shape in shapes if (type, "cuBLAS", "", shape) not in there]
        session.found |= wanted != shapes
        if not wanted:
            continue
        setting, of_type, rows = Setting("cuBLAS", "", about, [of], False, type), ["--type", of, "--variant", ways], []
        plain = not note
        if plain:
            session.run("gpu", setting, 1, *of_type, "--shape", EDGES, "--repeat", 1, "--warmup", 0, limit=60)
        with tempfile.TemporaryDirectory() as folder:
            # A budget would be spent by the copies, and the first product of all is no estimate of the others.
            session.run("gpu", setting, 1, *of_type, "--shape", ",".join(wanted), "--verify", "none", "--repeat",
                        options.pairs if plain else 1, "--warmup", 2 if plain else 0, "--budget", 1e9, "--csv", f"{folder}/rows",
                        limit=30 * len(wanted))
            if os.path.exists(f"{folder}/rows"):
                rows = [row for row in lines_of(f"{folder}/rows", COLUMNS) if row["verdict"] != "wrong"]
        for shape in wanted:
            found = [row for row in rows if shape == f"{row['m']}x{row['n']}x{row['k']}"]
            if found:
                best = max(found, key=lambda row: float(row["gflops"]))
                rate = f"{float(best['gflops']):.{0 if float(best['gflops']) >= 1e3 else 1}f}"
                print(f"  {type:<4} {'cuBLAS':<20} {'':>10} {shape:<14} {rate:>8} GFLOP/s", flush=True)
                append(options.csv, MACHINE_COLUMNS, ["library", type, "cuBLAS", "", shape, rate, "GFLOP/s",
                                                      f"{note or best['variant'] + ' is the better'}; {about}"])
                session.found = True


def meets(options, rung, setting, best):
    """A rung that was asked for meets all; else the widest the best of each library, and `tuned` those kept to AVX2."""
    return setting is best and (options.variant or rung == options.rungs[0]) or rung == "tuned" and setting.label in NARROW


def duels(session, libraries):
    """Rows of rivals.csv, the cheap shapes first."""
    options, best = session.options, {settings[0].label: session.best(settings) for settings in libraries}
    pairs = [(setting, rung) for settings in libraries for setting in settings for rung in options.rungs
             if meets(options, rung, setting, best[settings[0].label])]
    for flops, shape in sorted((2 * math.prod(map(int, shape.split("x"))), shape) for shape in options.shapes):
        for threads, (setting, rung) in ((threads, pair) for threads in options.threads for pair in pairs):
            if not session.right(setting, threads):
                continue
            # Our threads wait for more work at full speed, and would disturb those that are not OpenMP's.
            apart = threads > 1 and not setting.openmp
            name = "packed" if rung == "tuned" else rung  # what it was called once: `--blas` may load a state of then
            session.duel(
                "duel", setting, threads, options.build / "05_avx2/libcourse_blas.so", setting.file, setting.label,
                "--threads", threads, "--shape", shape, "--type", ",".join(options.type), "--pairs", options.pairs,
                "--budget", options.budget, "--csv", options.csv, *["--resume"] * options.resume,
                "--unheeded", 0.005 * apart, limit=10 * float(options.budget) + 6e-9 * int(options.pairs) * flops,
                environment={"COURSE_RUNG": name} | ({"GOMP_SPINCOUNT": "10000"} if apart else {}))


def duels_on_gpu(session):
    """Rows of rivals.csv: 09's best against each of cuBLAS's ways to multiply; and every pair, in a file beside it."""
    options = session.options
    if not (about := cublas_here(options.build)):
        return
    shapes = options.shapes if options.shaped else GPU_DUELS
    for shape in sorted(shapes, key=lambda shape: math.prod(map(int, shape.split("x")))):
        session.duel("gpu", Setting("cuBLAS", "", about, ["f32"], False), 1, "duel",
                     options.build / "09_cuda_regtile/libcourse_gpu.so", "--shape", shape, "--type", "f32",
                     "--pairs", options.pairs, "--budget", options.budget, "--csv", options.csv,
                     "--pairs-csv", options.csv.removesuffix(".csv") + "_pairs.csv", *["--resume"] * options.resume, limit=120)


# ---- the command line ----

class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refusal(f"{message}; --help lists the options")


def asked():
    """The options, checked: lists of items, and what this machine is."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    for name, what in (("size", "square sizes: 256,512"), ("shape", "shapes MxNxK"), ("type", "of f32,f64,i32 (default f32,f64; alone all)"),
                       ("threads", "thread counts (default 1 and all)"), ("variant", "our rungs: avx512,tuned"),
                       ("rival", f"of {','.join(KINDS)} (default all)"), ("blas", "more libraries with cblas_sgemm: FILE,..."),
                       ("pairs", "pairs of runs a row has at least (default 21); alone: runs at most (default 5)"),
                       ("budget", "seconds a row may take (default 0.3; alone 0.4)"), ("csv", "append one line a row to this file"),
                       ("machine", "what 00_machine found: each library's best setting")):
        parser.add_argument(f"--{name}", help=what)
    parser.add_argument("--build", default=ROOT / "build", type=Path, help="where the course was built")
    for name, what in (("alone", "each library by itself, rows of machine.csv"), ("resume", "leave out rows that the CSV has"),
                       ("list", "print our rungs and the libraries here, and end")):
        parser.add_argument(f"--{name}", action="store_true", help=what)
    options = parser.parse_args()
    options.build = options.build.resolve()
    if options.resume and not options.csv:
        raise Refusal("--resume: needs --csv FILE, the file that has rows")
    for name, known in (("variant", OURS), ("rival", KINDS), ("blas", None)):
        items = getattr(options, name)
        setattr(options, name, items := [] if items is None else items.split(","))
        for item in items:
            if known and item not in known:
                raise Refusal(f"--{name}: '{item}' is unknown; give {', '.join(known)}")
            if not item:
                raise Refusal("--blas: '' names no file; give a shared library's path")
    options.shaped = options.size is not None or options.shape is not None
    for name, default in DEFAULTS[options.alone].items():
        if getattr(options, name) is None and not (options.shaped and name in ("size", "shape")):
            setattr(options, name, default)
    given = [(f"--{name}", getattr(options, name)) for name in ("size", "shape", "type", "threads", "pairs", "budget")]
    machine = check(options.build, *(word for pair in given if pair[1] is not None for word in pair))
    options.processor, options.features, options.cpus = machine["processor"], set(machine["features"].split()), int(machine["cpus"])
    squares = [f"{n}x{n}x{n}" for n in (options.size or "").split(",") if n]
    options.shapes = list(dict.fromkeys([*squares, *filter(None, (options.shape or "").split(","))]))
    options.type = list(dict.fromkeys(options.type.split(",")))
    options.threads = list(dict.fromkeys(map(int, (options.threads or f"1,{options.cpus}").split(","))))
    options.lacks = {rung: ",".join(name for name in needed.split() if name not in options.features) for rung, (needed, _) in OURS.items()}
    options.rungs = [rung for rung in options.variant or OURS if not options.lacks[rung]]
    return options


def print_list(options, libraries):
    print("rivals: ours and every library, in turns")
    for rung, (_, idea) in OURS.items():
        print(f"  {rung:<16} {idea}" + f"; not here: this processor lacks {options.lacks[rung]}" * bool(options.lacks[rung]))
    for settings in libraries:
        print(f"  {'against':<16} {settings[0].name}")


def main(folder):
    options = asked()
    options.csv = options.csv or f"{folder}/rows.csv"
    libraries, session, there = found(options), Session(options), os.path.exists(options.csv)
    if options.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `rivals --list | head` ends without a word
        return print_list(options, libraries)
    before = lines_of(options.csv, MACHINE_COLUMNS if options.alone else standing.COLUMNS) if there else ()
    options.resume = options.resume and there
    if options.alone:
        session.known = known_settings(options.csv if options.resume else None, options)
        alone(session, libraries)
    else:
        known = known_settings(options.machine, options)
        for rung in options.variant or OURS:
            if options.lacks[rung]:
                say(f"{rung} skipped: this processor lacks {options.lacks[rung]}")
        gpu = "f32" in options.type and ("cublas" in options.rival or not options.rival and not options.variant)
        if not options.rungs and not gpu:
            return 77
        session.known = known or (met_settings(options.csv, options.rungs[0]) if options.resume else {})
        print(f"ours, as often as fast as: the median of {options.pairs} pairs or more, and its quartiles; on {options.processor}")
        duels(session, libraries)
        if gpu:
            duels_on_gpu(session)
        for variant, against, type, threads, mean, worst, below in standing.summary(standing.load(options.csv))[1] if session.found else ():
            print(f"{type}, {whose(int(threads)) if threads.isdigit() else threads}, {variant} against {against}: geometric mean {mean}; worst {worst}; "
                  f"{below} cells below {standing.TARGET:g}")
    if before and options.resume:
        print(f"rivals: {len(before)} rows were in {options.csv} already")
    if not session.found and not session.wrong:
        say("skipped: no library that was asked for is here")
    return 1 if session.wrong else 0 if session.found else 77


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends at once, and with it what was started
    with tempfile.TemporaryDirectory() as folder:
        try:
            status = main(folder)
        except Refusal as refusal:
            status = say(refusal) or 2
    sys.exit(status)
