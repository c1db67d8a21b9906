#!/usr/bin/env python3
"""What nvcc makes of kernels, where a lesson says it: ptx_test.py NVCC SOURCE. 77 where there is no
nvcc.

07's loop has eight steps without a branch; 09's load, store and copy 16 bytes at a time where rows
are aligned; 12's to 14's copy by TMA and multiply by wgmma, with no fence between. No register is
spilt, in 00's wgmma neither, and ptxas lets products be under way together. Where cuobjdump is, and
nvcc is the one named there, the machine code in the lessons' .sass files is in the kernels."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COPYING = ("kept_addresses", "async_copies", "fragments_ahead")
TILINGS = (
    "float, 128, 128, 8",
    "double, 128, 128, 8",
    "float, 128, 256, 16",
    "float, 128, 128, 16",
    "float, 64, 128, 8",
    "float, 64, 128, 16, 2",
    "float, 64, 128, 32, 4",
    "float, 64, 64, 16, 4",
    "float, 32, 64, 32, 8",
)
HEADERS = ("07_cuda_global/gemm.cuh", "09_cuda_regtile/gemm.cuh")
# What must be in the code of a kernel, by a part of its mangled name.
VECTORS = ["ld.global.v4", "ld.shared.v4", "st.shared.v4"]
COPIES = ["ld.global.v4", "ld.shared.v4", "cp.async.cg.shared.global"]
TMA = ["cp.async.bulk.tensor", "mbarrier.try_wait"]
WANTED = {
    "10vectorisedIfLb1": [*VECTORS, "st.global.v4"],
    "13conflict_freeIfLb1": [*VECTORS, "st.global.v4"],
    "15double_bufferedIfLb1": [*VECTORS, "st.global.v4"],
    "14kept_addressesIfLb1": VECTORS,
    "12async_copiesIfLb1": COPIES,
    "5tiledINS_6TilingIfLi128ELi256": COPIES,
    "8stream_kINS_6TilingIfLi128ELi256": COPIES,
}
HOPPER = {
    "12_cuda_hopper/as_library.cu": {
        "3tmaI": [*TMA, "mma.sync"],
        "5wgmmaI": [*TMA, "wgmma.mma_async"],
        "16warp_specialisedI": [*TMA, "wgmma.mma_async", "setmaxnreg"],
        "10persistentI": [*TMA, "wgmma.mma_async", "setmaxnreg"],
        "10f64_tensorINS_8F64ByTma": [*TMA, "m16n8k16.row.col.f64", "setmaxnreg"],
        "9ping_pongINS_12ClusterShapeILi1EEE": [*TMA, "wgmma.mma_async", "setmaxnreg"],
        "9ping_pongINS_12ClusterShapeILi2EEE": [*TMA, "wgmma.mma_async", "multicast::cluster"],
    },
    "13_f32_by_halves/hopper.cu": {"8by_wgmmaI": [*TMA, "wgmma.mma_async", "setmaxnreg"]},
    "14_f64_by_integers/hopper.cu": {"8by_wgmmaI": [*TMA, "wgmma.mma_async", "setmaxnreg"]},
}


def instances():
    """A source file with the kernels of 07 and 09."""
    kernels = {"cuda_global::coalesced<float>": "float", "cuda_global::uncoalesced<float>": "float"}
    for type in ("float", "double"):
        kernels |= {f"cuda_regtile::column<{type}, 32>": type}
        kernels |= {f"cuda_regtile::{name}<{type}>": type for name in ("square", "transposed")}
        aligned = ("vectorised", "conflict_free", "double_buffered", *COPYING)
        kernels |= {f"cuda_regtile::{name}<{type}, true>": type for name in aligned}
        kernels |= {f"cuda_regtile::async_copies<{type}, true, cuda_regtile::ByWarps>": type}
    for tiling in TILINGS:
        type = tiling.partition(",")[0]
        kernels[f"cuda_regtile::tiled<cuda_regtile::Tiling<{tiling}>, true>"] = type
    lines = [f'#include "{header}"' for header in HEADERS]
    for name, type in kernels.items():
        views = f"course::View<const {type}>, course::View<const {type}>, course::View<{type}>"
        lines.append(f"template __global__ void {name}({views});")
    views = "course::View<const float>, course::View<const float>, course::View<float>"
    stream_k = "cuda_regtile::stream_k<cuda_regtile::Tiling<float, 128, 256, 16>>"
    others = "cuda_regtile::Schedule, cuda_regtile::Partials<float>"
    lines.append(f"template __global__ void {stream_k}({views}, {others});")
    return "\n".join(lines) + "\n"


def compiled(nvcc, source, file, arch, folder):
    """The PTX of a source file, and what is wrong by what ptxas says of it."""
    options = ["-std=c++20", "--expt-relaxed-constexpr", "-O3", "-Xptxas", "-v", "--keep"]
    options += [f"-gencode=arch=compute_{arch},code=sm_{arch}", "-DCOURSE_LEAST_CAPABILITY=90"]
    made = folder / f"{file.stem}.cubin"
    paths = ["-I", source, "--keep-dir", folder, "-cubin", file, "-o", made]
    done = subprocess.run([nvcc, *options, *paths], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"nvcc: {done.stderr}")
    spilt = re.findall(r"(\d+) bytes spill", done.stderr)
    failures = re.findall(r".*serialized.*", done.stderr)  # one wgmma after the other
    if not spilt or any(map(int, spilt)):
        failures.append(f"{file.name}: spilt registers: {spilt}")
    return (folder / f"{file.stem}.ptx").read_text(), failures


def bodies(text, name):
    """The instructions, in order, of each kernel whose mangled name has this part, by its name."""
    found = re.findall(rf"\.entry ([\w$]*{name}[\w$]*)\(.*?\n{{\n(.*?)\n}}", text, re.S)
    return {kernel: [line.strip() for line in code.splitlines()] for kernel, code in found}


def missing(text, wanted):
    """A line for each instruction that is not there, and for each kernel."""
    failures = []
    for part, instructions in wanted.items():
        kernels = bodies(text, part)
        failures += [] if kernels else [f"{part}: no such kernel"]
        for name, code in kernels.items():
            all = "\n".join(code)
            absent = (word for word in instructions if not re.search(rf"{re.escape(word)}\b", all))
            failures += [f"{name}: no {word}" for word in absent]
    return failures


def steps_of_07(text):
    """nvcc's PTX has load and use in turn; ptxas moves the loads up. What it needs is eight steps
    without a branch."""
    failures = []
    for part in ("9coalescedIf", "11uncoalescedIf"):
        ((name, code),) = bodies(text, part).items()
        straight = re.split(r"^(?:@%p\d+ )?bra.*$|^\$L.*$", "\n".join(code), flags=re.M)
        steps = max(len(re.findall(r"^fma", lines, re.M)) for lines in straight)
        failures += [] if steps == 8 else [f"{name}: {steps} multiply-adds in the loop, not 8"]
    return failures


def release(nvcc):
    """nvcc's, as (12, 5), which is the first with which the course builds for Hopper."""
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.search(r"release (\d+)\.(\d+)", said).groups()))


def not_in_sass(nvcc, source, cubin):
    """What a lesson prints of a kernel's machine code and is not there, in this order."""
    cuobjdump = shutil.which("cuobjdump", path=Path(shutil.which(nvcc)).parent)
    if not cuobjdump:
        return []
    dump = subprocess.run([cuobjdump, "-sass", cubin], capture_output=True, text=True).stdout
    failures = []
    for file in sorted(source.glob("[01]*/**/*.sass")):
        head, *lines = file.read_text(encoding="utf-8").splitlines()
        made_by, kernel = re.match(r"// nvcc (\S+), (\w+):", head).groups()
        if made_by == "{}.{}".format(*release(nvcc)):
            code = re.search(rf"Function : \w*{kernel}(.*?)(?:Function :|\Z)", dump, re.S)
            there = iter(re.findall(r"/\*[0-9a-f]+\*/ +(.*?) ?;", code[1] if code else ""))
            printed = (line.split("  ")[0] for line in lines if not line.startswith("//"))
            failures += [f"{file.name}: not there: {line}" for line in printed if line not in there]
    return failures


def hopper(nvcc, source, folder):
    """What is wrong with the kernels of 12 to 14 for Hopper."""
    failures = []
    fences = r"\b(?:membar|fence\.(?:acq_rel|sc))\S*"
    for file, wanted in HOPPER.items():
        text, wrong = compiled(nvcc, source, source / file, "90a", folder)
        for part in wanted:
            for name, code in bodies(text, part).items():
                wrong += [f"{name}: {fence}" for fence in re.findall(fences, "\n".join(code))]
        failures += wrong + missing(text, wanted)
    return failures


def main(nvcc, source):
    if not shutil.which(nvcc):
        print("no nvcc here")
        return 77
    source = Path(source)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        kernels = folder / "kernels.cu"
        kernels.write_text(instances())
        text, failures = compiled(nvcc, source, kernels, "90", folder)
        wgmma = source / "00_machine/kernels/hopper.cu"
        failures += compiled(nvcc, source, wgmma, "90a", folder)[1]
        failures += not_in_sass(nvcc, source, folder / "kernels.cubin")
        if release(nvcc) >= (12, 5):
            failures += hopper(nvcc, source, folder)
    failures += steps_of_07(text) + missing(text, WANTED)
    print("\n".join(failures))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
