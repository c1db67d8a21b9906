#!/usr/bin/env python3
"""Every library here, by itself and in turns with our last variants: libraries.py --help

A library and a number of threads is a process, build/libraries/libraries or, for cuBLAS,
build/libraries/cublas; options that are not listed here are theirs. Each meets the best variant
with its widest kernel and, where that is of AVX-512, `tuned` with that for AVX2 (not Eigen).

Exit status: 0 well; 1 a product was wrong; 2 the command line cannot be served; 77 nothing that was
asked for is here."""
import argparse, importlib.util, os, signal, subprocess, sys
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools/report"))
from placed import CORES

LIBRARIES = ("eigen", "openblas", "blis", "onednn", "mkl", "cublas")
WITH_KERNELS = ("openblas", "blis", "onednn", "mkl")  # those that can be kept to AVX2
ON_CUBLAS, OF_CORES = {"bf16", "tf32", "f32", "f64"}, {"f32", "f64", "i32"}  # types
ON_GPU = ("best", "bf16", "f32_by_bf16", "f32_by_fp16", "f64_by_integers")
ON_GPU += ("f64_pedantic", "f64_emulated")
VARIANTS = ("library", "avx512", "tuned", *ON_GPU)
AVX512 = {"avx512f", "avx512dq", "avx512bw", "avx512vl"}
# Sizes and shapes unless told otherwise, on the processor and on the GPU.
DEPTHS = (32, 64, 128, 156)
SHAPES = ",".join(f"{n}x{n}x{k}" for n in (2048, 4096) for k in DEPTHS)
SHAPES = ("256,384,512,768,1024,1500,2000,2048,3000,4096", SHAPES)
SHAPES_ON_GPU = ",".join(f"8192x8192x{k}" for k in DEPTHS)
SHAPES_ON_GPU = ("512,1000,1024,2000,2048,3000,3072,4096,5000,6400,8192,14400", SHAPES_ON_GPU)


def say(line):
    print(f"libraries: {line}", file=sys.stderr, flush=True)


def asked():
    """The options, and those that are the programs' own."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    threads = ",".join(dict.fromkeys(["1", str(CORES)]))
    for name, default, what in (
        ("library", ",".join(LIBRARIES), "of these (default), or files with cblas_sgemm or sgemm_"),
        ("variant", "", f"of library (by itself), {', '.join(VARIANTS[1:])} (default all)"),
        ("type", "", "of bf16,tf32,f32,f64,i32 (default all)"),
        ("threads", threads, "default 1 and all"),
        ("size", "", "square sizes: 256,512"),
        ("shape", "", "shapes MxNxK"),
        ("repeat", "", "turns of a row, at most (default 21)"),
        ("csv", "", "append one line a row to this file, as the steps do"),
    ):
        parser.add_argument(f"--{name}", default=default, help=what)
    what = "each side for 1.5 s, of which the last second counts: clock and power, too"
    parser.add_argument("--sustained", action="store_true", help=what)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help=argparse.SUPPRESS)
    return parser.parse_known_args()


def commands(options, library, threads, rest):
    """The command lines for one library."""
    on_gpu, wanted = library == "cublas", options.variant.split(",") if options.variant else []
    types = options.type.split(",") if options.type else []
    others = OF_CORES - ON_CUBLAS if on_gpu else ON_CUBLAS - OF_CORES
    if types and not (types := [type for type in types if type not in others]):
        return
    size, shape = options.size, options.shape
    if not size and not shape:
        size, shape = SHAPES_ON_GPU if on_gpu else SHAPES
    given = {"--type": ",".join(types), "--size": size, "--shape": shape, "--csv": options.csv}
    given["--repeat"] = options.repeat or ("1" if options.sustained else "21")
    given |= {} if on_gpu else {"--library": library, "--threads": threads}
    words = [word for pair in given.items() if pair[1] for word in pair] + rest
    words += ["--sustained", "--warmup", "0"] * options.sustained
    cpuinfo = Path("/proc/cpuinfo")
    wide = cpuinfo.exists() and AVX512.issubset(cpuinfo.read_text(errors="replace").split())
    alone = [] if options.sustained and not on_gpu else ["library"]
    here = (*alone, *(ON_GPU if on_gpu else ["avx512" if wide else "tuned"]))
    groups = [([], [name for name in wanted if name in here])]
    if library in WITH_KERNELS and wide and (not wanted or "tuned" in wanted):
        groups.append((["--kernel", "avx2"], ["tuned"]))
    several = "_threads" * (threads != "1" and not on_gpu)
    sustained = "_sustained" * options.sustained
    for kernel, names in groups:
        names = [name + several * (name != "library") + sustained for name in names]
        if names or not wanted:
            program = options.build / "libraries" / ("cublas" if on_gpu else "libraries")
            yield [program, *words, *kernel, *["--variant", ",".join(names)] * bool(names)]


def run(line, library):
    """The exit status; PyTorch for x86 has MKL in its own library, the one that torch.mm calls."""
    around = dict(os.environ)
    if library == "mkl" and (package := importlib.util.find_spec("torch")):
        known = os.environ.get("LD_LIBRARY_PATH")
        folder = str(Path(package.origin).parent / "lib")
        around["LD_LIBRARY_PATH"] = ":".join(filter(None, (folder, known)))
    try:
        return subprocess.run(line, env=around, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        if library == "cublas":
            say("cuBLAS skipped: built without nvcc or without cuBLAS")
            return 77
        say(f"cannot start {line[0]}: {error.strerror}; make build")
        return 2


def main():
    (options, rest), statuses = asked(), set()
    for name in options.variant.split(",") if options.variant else ():
        if name not in VARIANTS:
            say(f"--variant: '{name}' is unknown; give {', '.join(VARIANTS)}; --help lists options")
            return 2
    first, *_ = counts = options.threads.split(",")
    for library, threads in product(options.library.split(","), counts):
        if library == "cublas" and threads != first:
            continue  # rows of a GPU have no threads
        for line in commands(options, library, threads, rest):
            if (status := run(line, library)) == 2:
                return 2
            if status < 0:
                how = f"it ended by {signal.strsignal(-status)}"
                say(f"{library} with --threads {threads} left out: {how}")
            statuses.add(status)
    if not statuses:
        say("skipped: no library that was asked for has these types and variants")
    return next((status for status in (1, 0) if status in statuses), 77)


if __name__ == "__main__":
    # Ctrl-C ends at once, and with it the library's process, which ends with this one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
