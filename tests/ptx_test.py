#!/usr/bin/env python3
"""What nvcc makes of the kernels of 07 to 09, and of 11's for Hopper: ptx_test.py NVCC SOURCE. 77 where there is no nvcc.

The loop of 07's kernels has eight steps, so that eight loads can be under way; shared has two barriers; 09's load, store and
copy 16 bytes at a time where rows are aligned; what is copied by cp.async, or by another block, is waited for; 11's for Hopper
copy by TMA and multiply by wgmma. No register is spilt, in 00's wgmma neither, and ptxas lets products be under way together."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KERNELS = {"cuda_global": ("coalesced<float>", "uncoalesced<float>"), "cuda_shared": ("shared<float, 32>", "shared<double, 16>"),
           "cuda_regtile": [f"{kernel}<{type}{aligned}>" for type in ("float", "double") for kernel, aligned in (
               ("column", ", 32"), ("square", ""), ("transposed", ""), ("vectorised", ", true"), ("conflict_free", ", true"),
               ("double_buffered", ", true"))] + [
               f"{kernel}<{type}, true>" for type in ("float", "double")
               for kernel in ("kept_addresses", "async_copies", "warp_tiles", "fragments_ahead")] + [
               f"{kernel}<cuda_regtile::Tiling<{tiling}>, true>" for kernel, tiling in (
                   ("tiled", "float, 128, 128, 8"), ("tiled", "double, 128, 128, 8"), ("tiled", "float, 128, 256, 16"),
                   ("tiled", "float, 128, 128, 16"), ("tiled", "float, 64, 128, 8"), ("tiled", "float, 64, 128, 16, 2"),
                   ("tiled", "float, 64, 128, 32, 4"), ("tiled", "float, 64, 64, 16, 4"), ("tiled", "float, 32, 64, 32, 8"),
                   ("thin", "float, 64, 64, 8"))]}
STREAM_K = "stream_k<cuda_regtile::Tiling<float, 128, 256, 16>>"
# Of each of 11's rungs for Hopper, what its PTX and its SASS must have.
TMA = ["cp.async.bulk.tensor", "mbarrier.try_wait"]
HOPPER = {"tma": ([*TMA, "mma.sync"], ["UTMALDG", " HMMA"]), "wgmma": ([*TMA, "wgmma.mma_async"], ["UTMALDG", "HGMMA"])}
HOPPER |= dict.fromkeys(("roles", "persistent", "by_parts"), ([*TMA, "wgmma.mma_async", "setmaxnreg"], ["UTMALDG", "HGMMA"]))


def compiled(nvcc, source, file, arch, folder):
    """The PTX of a source file, and what ptxas says of it; the SASS is in FOLDER, too."""
    done = subprocess.run([nvcc, "-std=c++20", "--expt-relaxed-constexpr", "-O3", f"-gencode=arch=compute_{arch},code=sm_{arch}", "-I", source, "-DCOURSE_LEAST_CAPABILITY=90",
                           "-Xptxas", "-v", "--keep", "--keep-dir", folder, "-c", file, "-o", folder / f"{file.stem}.o"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"nvcc: {done.stderr}")
    return (folder / f"{file.stem}.ptx").read_text(), done.stderr


def complaints(said):
    """What is wrong by what ptxas says: registers are spilt, or it had to put one wgmma after the other."""
    spilt = re.findall(r"(\d+) bytes spill", said)
    failures = [f"spilt registers: {spilt}"] if not spilt or any(int(bytes) for bytes in spilt) else []
    return failures + re.findall(r".*serialized.*", said)


def knows_hopper(nvcc):
    """As 11_cuda_tensor/CMakeLists.txt asks: nvcc 12.5 or later."""
    version = re.search(r"release (\d+)\.(\d+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout)
    return (int(version[1]), int(version[2])) >= (12, 5)


def hopper(nvcc, source, folder):
    """What is wrong with 11's kernels for Hopper."""
    text, said = compiled(nvcc, source, Path(source) / "11_cuda_tensor/hopper/launch.cu", "90a", folder)
    failures = complaints(said)
    cuobjdump = shutil.which("cuobjdump") or shutil.which(Path(nvcc).with_name("cuobjdump"))
    sass = ""
    if cuobjdump:
        sass = subprocess.run([cuobjdump, "-sass", folder / "launch.cubin"], capture_output=True, text=True, check=True).stdout
    else:
        print("no cuobjdump here: SASS is not looked at")
    for rung, (in_ptx, in_sass) in HOPPER.items():
        names = re.findall(rf"\.entry (\w*6hopper{len(rung)}{rung}I\w*)", text)
        if not names:
            failures.append(f"{rung}: no such kernel")
        for name in names:
            code = "\n".join(body(text, name))
            failures += [f"{name}: no {word}" for word in in_ptx if word not in code]
            failures += [f"{name}: {fence}" for fence in re.findall(r"\b(?:membar|fence\.(?:acq_rel|sc))\S*", code)]
            if cuobjdump:
                code = sass.partition(f"Function : {name}\n")[2].partition("Function : ")[0]
                failures += [f"{name}: no {word} in SASS" for word in in_sass if word not in code]
                if "MEMBAR" in code[code.find("HGMMA"):code.rfind("HGMMA")]:
                    failures.append(f"{name}: MEMBAR between products")
    return failures


def ptx(nvcc, source, folder):
    """The PTX of KERNELS, and what ptxas says of them."""
    of = {"cuda_global": "07_cuda_global/gemm.cuh", "cuda_shared": "08_cuda_shared/gemm.cuh", "cuda_regtile": "09_cuda_regtile/tiled.cuh"}
    text = "".join(f'#include "{header}"\n' for header in of.values())
    for space, kernels in KERNELS.items():
        for kernel in kernels:
            type = re.search(r"<(?:cuda_regtile::Tiling<)?(\w+)", kernel)[1]
            views = f"course::View<const {type}>, course::View<const {type}>, course::View<{type}>"
            text += f"template __global__ void {space}::{kernel}({views});\n"
    views = "course::View<const float>, course::View<const float>, course::View<float>"
    text += f"template __global__ void cuda_regtile::{STREAM_K}({views}, cuda_regtile::Shares, cuda_regtile::Parts<float>);\n"
    (folder / "kernels.cu").write_text(text)
    return compiled(nvcc, source, folder / "kernels.cu", "90", folder)


def body(text, name):
    """A kernel's instructions, in order."""
    found = re.search(rf"\.entry [\w$]*{name}[\w$]*\(.*?\n{{\n(.*?)\n}}", text, re.S)
    return [line.strip() for line in found[1].splitlines() if line.strip()]


ORDERS = {"c": r"cp\.async\.c[ag]\.", "G": r"cp\.async\.commit_group;", "w": r"cp\.async\.wait_group 0;", "b": r"bar\.sync",
          "s": r"st\.global\.f32", "r": r"(st\.release|fence\.acq_rel)\.gpu", "a": r"(ld\.acquire|fence\.acq_rel)\.gpu", "g": r"ld\.global\.cg"}


def orders(code):
    """What brings data, and what waits for it, in order: a letter each."""
    return "".join(letter for line in code for letter, of in ORDERS.items() if re.match(of, line))


def main(nvcc, source):
    if not shutil.which(nvcc):
        print("no nvcc here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        text, said = ptx(nvcc, source, Path(folder))
        failures = complaints(compiled(nvcc, source, Path(source) / "00_machine/kernels/wgmma.cu", "90a", Path(folder))[1])
        if knows_hopper(nvcc):
            failures += hopper(nvcc, source, Path(folder))
    for name in ("9coalescedIf", "11uncoalescedIf"):
        if "fma" not in "".join(code := body(text, name)):
            failures.append(f"{name}: no multiply-add")
        # nvcc's PTX has load and use in turn; ptxas moves the loads up. What it needs is eight steps without a branch.
        steps = max((len(re.findall(r"^fma", part, re.M)) for part in re.split(r"^(?:@%p\d+ )?bra.*$|^\$L.*$", "\n".join(code), flags=re.M)), default=0)
        if steps != 8:
            failures.append(f"{name}: {steps} multiply-adds in the loop, not 8")
    for name in ("6sharedIfLi32", "6sharedIdLi16"):
        code = body(text, name)
        barriers = [at for at, line in enumerate(code) if line.startswith("bar.sync")]
        if len(barriers) != 2:
            failures.append(f"{name}: {len(barriers)} barriers, not 2")
    vectors = ["ld.global.v4", "ld.shared.v4", "st.global.v4"]
    wanted = dict.fromkeys(("10vectorisedIfLb1", "13conflict_freeIfLb1", "15double_bufferedIfLb1"), [*vectors, "st.shared.v4"])
    wanted["14kept_addressesIfLb1"] = ["ld.global.v4", "ld.shared.v4", "st.shared.v4"]
    wanted |= dict.fromkeys(("12async_copiesIfLb1", "5tiledINS_6TilingIfLi128ELi256", "5tiledINS_6TilingIfLi64ELi128ELi32",
                             "8stream_kINS_6TilingIfLi128ELi256"), ["ld.global.v4", "ld.shared.v4", "cp.async.cg.shared.global"])
    for name, instructions in wanted.items():
        code = "\n".join(body(text, name))
        failures += [f"{name}: no {instruction}" for instruction in instructions if not re.search(rf"{re.escape(instruction)}\b", code)]
        # Beside those of C, which are as many as stores, of A and of B, or of A alone.
        loads, stores = (len(re.findall(rf"{kind}.global.v4", code)) for kind in ("ld", "st"))
        if loads - stores < 2 - ("cp.async" in code):
            failures.append(f"{name}: {loads} loads of 16 bytes and {stores} stores")
    # The emulator has words of its own for these, and blocks that see at once what others write.
    waiting = re.findall(r"\.entry (\w*(?:async_copies|warp_tiles|fragments_ahead|5tiled|4thin|8stream_k)\w*)", text)
    if len(waiting) != 3 * 2 + 10 + 1:
        failures.append(f"kernels with cp.async: {waiting}")
    for name in waiting:
        done = orders(body(text, name))
        if not re.match("(c+Gwb){2}", done):  # copies, their group, which is awaited, and so by all threads
            failures.append(f"{name}: copies are not waited for: {done}")
        if "8stream_k" in name and not ("sb" in done and "r" in done and "a" in done and "bg" in done):
            failures.append(f"{name}: parts are not there for who reads them: {done}")
    failures += complaints(said)
    print("\n".join(failures))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
