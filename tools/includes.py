#!/usr/bin/env python3
"""Who includes whom, room by room: includes.py [--check]

Prints, for each room of the house, the headers of other rooms that it includes and how often. A step's kernels are a room
of their own: they know common/view.hpp and nothing else. --check ends with 1 and a line for each include that the house
does not allow."""
import collections, re, subprocess, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNEL = re.compile(r"(gemm\w*|blocks|five_loops|micro_kernel|pack|space|vector|received|ptx|async|layout|messages|rows|block_cyclic|summa\w*|f16|f32|parts|split|by_parts|wide)\.(cpp|hpp|cuh|cu)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What each room may include besides itself.
ALLOWED = {"kernels": ["common/bf16.hpp", "common/view.hpp", "gpu/launch.hpp"], "common": [], "runner": ["common/"], "tests": [""],
           "gpu": ["common/", "gpu/emulator/", "runner/run.hpp", "runner/text.hpp"], "emulator": ["common/", "gpu/"],
           "step": ["common/", "runner/", "gpu/", "kernels", "05_avx2/library/best.hpp", "09_cuda_regtile/library.hpp", "rivals/compare.hpp"], "rivals": ["common/", "runner/", "gpu/"]}


def room(path):
    """The room of the house that a file lies in; a step's kernels are one of their own."""
    folder = path.parts[0]
    if path.parts[:2] == ("gpu", "emulator"):
        return "emulator"
    return f"kernels of {folder}" if re.match(r"0[1-9]|1\d", folder) and KERNEL.match(path.name) else folder


def resolved(text, source):
    """The file of the course that this include means, or None: a system's or a generated one."""
    return next((base / text for base in (source.parent, Path()) if (ROOT / base / text).is_file()), None)


def main(check):
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.hpp", "*.cu", "*.cuh"],
                            cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        print("this is no git checkout")
        return 77
    files = listed.stdout.split()
    seen, wrong = collections.defaultdict(collections.Counter), []
    for source in map(Path, files):
        here = room(source)
        kind = here.partition(" of ")[0]
        allowed = tuple(ALLOWED.get(kind, ALLOWED["step"]))
        for text in INCLUDE.findall((ROOT / source).read_text(encoding="utf-8")):
            target = resolved(text, source)
            if target is None or room(target) == here:
                continue
            there, name = room(target), target.as_posix()
            seen[here][name if kind == "kernels" and there == "common" else there] += 1
            if not name.startswith(allowed) and not ("kernels" in allowed and there == f"kernels of {source.parts[0]}"):
                wrong.append(f"{source} includes {name}")
    if check:
        print("\n".join(wrong) if wrong else f"{len(files)} files, every include allowed")
        return int(bool(wrong))
    for here, rooms in sorted(seen.items()):
        print(f"{here:{max(map(len, seen))}} ──► " + ", ".join(f"{there} ({count})" for there, count in sorted(rooms.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
