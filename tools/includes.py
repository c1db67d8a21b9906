#!/usr/bin/env python3
"""Who includes whom, room by room: includes.py [--check]

Prints, for each room of the house, the headers of other rooms that it includes and how often. A step's kernels are a room
of their own: they know common/view.hpp and nothing else. --check ends with 1 and a line for each include that the house
does not allow."""
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNEL = re.compile(r"(gemm\w*|blocks|five_loops|micro_kernel|pack|space|vector|words|async|layout|messages|rows|block_cyclic|summa\w*)\.(cpp|hpp|cuh|cu)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What each room may include besides itself.
ALLOWED = {"kernels": ["common/view.hpp", "gpu/launch.hpp"], "common": [], "runner": ["common/"], "tests": [""],
           "gpu": ["common/", "gpu/emulator/", "runner/run.hpp", "runner/text.hpp"], "emulator": ["common/", "gpu/"],
           "step": ["common/", "runner/", "gpu/", "kernels", "05_avx2/library/best.hpp", "rivals/duel.hpp"], "rivals": ["common/", "runner/", "gpu/"]}


def room(path):
    folder, name = path.parts[0], path.name
    if path.parts[:2] == ("gpu", "emulator"):
        return "emulator"
    if folder[:2].isdigit() and folder != "00_machine" and KERNEL.match(name):
        return f"kernels of {folder}"
    return folder


def resolved(text, source):
    """The file of the course that this include means, or None: a system's or a generated one."""
    for base in (source.parent, Path(".")):
        if (ROOT / base / text).is_file():
            return base / text
    return None


def kind(name):
    if name.startswith("kernels"):
        return "kernels"
    return name if name in ALLOWED else "step"


def main(check):
    files = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.hpp", "*.cu", "*.cuh"],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    seen, wrong = collections.defaultdict(collections.Counter), []
    for source in map(Path, files):
        here = room(source)
        for text in INCLUDE.findall((ROOT / source).read_text(encoding="utf-8")):
            target = resolved(text, source)
            if target is None or room(target) == here:
                continue
            there = room(target)
            seen[here][there if not there.startswith("common") or kind(here) != "kernels" else target.as_posix()] += 1
            own = there == f"kernels of {source.parts[0]}"
            allowed = ALLOWED[kind(here)]
            if not any(target.as_posix().startswith(a) for a in allowed if a != "kernels") and not ("kernels" in allowed and own):
                wrong.append(f"{source} includes {target}")
    if check:
        print("\n".join(wrong) if wrong else f"{len(files)} files, every include allowed")
        return int(bool(wrong))
    width = max(map(len, seen))
    for here in sorted(seen):
        print(f"{here.ljust(width)} ──► " + ", ".join(f"{there} ({count})" for there, count in sorted(seen[here].items())))
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
