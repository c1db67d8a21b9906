#!/usr/bin/env python3
"""Configures and builds the course, as make does it.

    build.py BUILD [TARGET [OPTION of CMake...]]

Without a TARGET a folder is configured if it has not been. Another make that builds there is waited
for. Exit status: 0 well; 1 it does not build; 2 it cannot be written here."""
import re, shutil, signal, subprocess, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools/report"))
from started import locked, refuse
from placed import CORES


def of_here(build):
    """Refuses a folder that was configured for another checkout, or another name of this one."""
    cache = build / "CMakeCache.txt"
    known = cache.read_text(errors="replace") if cache.exists() else ""
    found = re.findall(r"(?m)^CMAKE_(?:HOME_DIRECTORY|CACHEFILE_DIR):INTERNAL=(.*)", known)
    if other := [was for was in found if Path(was).resolve() not in (ROOT, build.resolve())]:
        refuse(f"{build} was configured for {other[0]}: remove it, or give another: BUILD=…")


def main(build, target="", *options):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    busy = f"another make builds in {build}: waiting"
    lock = locked(build / "lock", lambda: print(busy, flush=True))
    log = locked(f"{build}.log", lambda: None)
    log.truncate(0)
    of_here(build)
    is_new = not (build / "CMakeCache.txt").exists()
    ninja = ["-G", "Ninja"] if is_new and shutil.which("ninja") else []
    commands = [["cmake", "-S", ROOT, "-B", build, *ninja, *options]]
    if target:
        print(f"building (the log is {log.name})", flush=True)
        commands += [["cmake", "--build", build, "--target", target, "--parallel", str(CORES)]]
    elif (build / "build.ninja").exists():
        commands = []
    for command in commands:
        if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode:
            lines = Path(log.name).read_text(errors="replace").splitlines()
            errors = [line for line in lines if re.search("[Ee]rror", line)]
            print("\n".join(errors if "--build" in command else lines), file=sys.stderr)
            return 1
    return lock.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
