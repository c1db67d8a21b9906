#!/usr/bin/env python3
"""Every library here, by itself and in turns with our last rungs: libraries.py --help

A library and a number of threads is a process, build/libraries/libraries or, for cuBLAS,
build/libraries/cublas; options that are not listed here are theirs. OpenBLAS and BLIS meet the best
rung with their widest kernel and, where that is of AVX-512, `tuned` with that for AVX2.

Exit status: 0 well; 1 a product was wrong; 2 the command line cannot be served; 77 nothing that was
asked for is here."""
import argparse, importlib.util, os, signal, subprocess, sys
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools/report"))
from processors import processors

LIBRARIES = ("eigen", "openblas", "blis", "onednn", "mkl", "cublas")
WITH_KERNELS = ("openblas", "blis")  # those that can be kept to AVX2
TYPES = {"cublas": ("bf16", "tf32", "f32", "f64")}  # of the others these:
OF_CORES = ("f32", "f64", "i32")
RUNGS = ("avx512", "tuned", "best", "bf16", "f32_by_bf16", "f32_by_fp16")
ON_GPU = RUNGS[2:]
WIDE = {"avx512f", "avx512dq", "avx512bw", "avx512vl"}
# Shapes unless told otherwise.
SIZES, DEPTHS = "256,384,512,768,1024,1500,2000,2048,3000,4096", (32, 64, 128, 156)
SHAPES = ",".join(f"{n}x{n}x{k}" for n in (2048, 4096) for k in DEPTHS)
SIZES_ON_GPU = "512,1000,1024,2000,2048,3000,3072,4096,5000,6400,8192,14400"
SHAPES_ON_GPU = ",".join(f"8192x8192x{k}" for k in DEPTHS)


def say(line):
    print(f"libraries: {line}", file=sys.stderr, flush=True)


def asked():
    """The options, and those that are the programs' own."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    all_cores = processors()
    for name, default, what in (
        ("library", ",".join(LIBRARIES), "of these (default), or files with cblas_sgemm or sgemm_"),
        ("variant", "", f"of library (by itself), {', '.join(RUNGS)} (default all)"),
        ("type", "", "of bf16,tf32,f32,f64,i32 (default all)"),
        ("threads", f"1,{all_cores}" if all_cores > 1 else "1", "default 1 and all"),
        ("size", "", "square sizes: 256,512"),
        ("shape", "", "shapes MxNxK"),
        ("repeat", "", "turns of a row, at most (default 21)"),
        ("csv", "", "append one line a row to this file, as the steps do"),
    ):
        parser.add_argument(f"--{name}", default=default, help=what)
    what = "in turns of a second each: clock and power, too"
    parser.add_argument("--sustained", action="store_true", help=what)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help=argparse.SUPPRESS)
    return parser.parse_known_args()


def processes(options, library, threads):
    """What is asked of one library: for each process the words that choose its rows."""
    wanted = options.variant.split(",") if options.variant else []
    if unknown := [name for name in wanted if name not in ("library", *RUNGS)]:
        sys.exit(refusal(f"--variant: '{unknown[0]}' is unknown; give library, {', '.join(RUNGS)}"))
    flags = Path("/proc/cpuinfo").read_text(errors="replace").split() if os.name == "posix" else []
    wide = WIDE.issubset(flags)
    of_cores = ["library", "avx512" if wide else "tuned"]
    here = ["library", *ON_GPU] if library == "cublas" else of_cores
    groups = [([], [name for name in wanted if name in here])]
    if library in WITH_KERNELS and wide and (not wanted or "tuned" in wanted):
        groups.append((["--kernel", "avx2"], ["tuned"]))
    for words, names in groups:
        several = "_threads" * (threads > 1 and library != "cublas")
        names = [
            name + several * (name != "library") + "_sustained" * options.sustained
            for name in names
        ]
        if names or not wanted:
            yield [*words, *(["--variant", ",".join(names)] if names else [])]


def refusal(why):
    say(f"{why}; --help lists the options")
    return 2


def command(options, library, threads, words, rest):
    """The program's command line; None where it has none of the types."""
    on_gpu = library == "cublas"
    known, types = TYPES.get(library, OF_CORES), options.type.split(",") if options.type else []
    others = {*TYPES["cublas"], *OF_CORES}.difference(known)
    if types and not (types := [type for type in types if type not in others]):
        return None
    given = {"--type": ",".join(types), "--size": options.size, "--shape": options.shape}
    if not options.size and not options.shape:
        given["--size"] = SIZES_ON_GPU if on_gpu else SIZES
        given["--shape"] = SHAPES_ON_GPU if on_gpu else SHAPES
    given["--repeat"] = options.repeat or ("1" if options.sustained else "21")
    given["--csv"] = options.csv
    if not on_gpu:
        given |= {"--library": library, "--threads": str(threads)}
    words = [word for pair in given.items() if pair[1] for word in pair] + words
    words += ["--sustained", "--warmup", "0"] * options.sustained
    return [options.build / "libraries" / ("cublas" if on_gpu else "libraries"), *words, *rest]


def environment(library):
    """PyTorch for x86 has MKL in its own library, the one that torch.mm calls."""
    if library != "mkl" or not (package := importlib.util.find_spec("torch")):
        return None
    folder, known = Path(package.origin).parent / "lib", os.environ.get("LD_LIBRARY_PATH")
    return os.environ | {"LD_LIBRARY_PATH": ":".join(filter(None, (str(folder), known)))}


def main():
    options, rest = asked()
    statuses = set()
    for library, threads in product(options.library.split(","), options.threads.split(",")):
        if library == "cublas" and threads != options.threads.split(",")[0]:
            continue  # a GPU's rows have no threads
        count = int(threads) if threads.isdecimal() else 1  # the program refuses it
        for words in processes(options, library, count):
            if not (line := command(options, library, threads, words, rest)):
                continue
            try:
                status = subprocess.run(
                    line, env=environment(library), stdin=subprocess.DEVNULL
                ).returncode
            except OSError as error:
                if library != "cublas":
                    return refusal(f"cannot start {line[0]}: {error.strerror}; make build")
                say("cuBLAS skipped: built without nvcc or without cuBLAS")
                status = 77
            if status == 2:
                return 2
            if status < 0:
                why = signal.strsignal(-status)
                say(f"{library} with --threads {threads} left out: it ended by {why}")
            statuses.add(status if status >= 0 else 77)
    return next((status for status in (1, 0) if status in statuses), 77)


if __name__ == "__main__":
    # Ctrl-C ends at once, and with it the library's process, which ends with this one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
