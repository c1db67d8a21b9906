#!/usr/bin/env python3
"""Configures and builds the course, as make does it.

    build.py BUILD [TARGET [OPTION of CMake...]]

Without a TARGET a folder is configured if it has not been. Another make that builds there is waited
for. A folder that came here with its course, renamed, moved or copied, is emptied first.

Exit status: 0 well; 1 it does not build; 2 it cannot be written here."""
import os, re, shutil, signal, subprocess, sys, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools/report"))
from started import locked, refuse
from placed import CORES


def of_here(build):
    """Empties a folder that was configured elsewhere; refuses one of another checkout."""
    cache = build / "CMakeCache.txt"
    known = cache.read_text(errors="replace") if cache.exists() else ""
    found = dict(re.findall(r"(?m)^CMAKE_(HOME_DIRECTORY|CACHEFILE_DIR):INTERNAL=(.*)", known))
    was = {name: Path(path).resolve() for name, path in found.items()}
    if was.get("CACHEFILE_DIR", build.resolve()) != build.resolve():
        print(f"{build} was configured in {was['CACHEFILE_DIR']}: it is built afresh", flush=True)
        for path in [path for path in build.iterdir() if path.name != "lock"]:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    elif was.get("HOME_DIRECTORY", ROOT) != ROOT:
        refuse(f"{build} is of the course in {was['HOME_DIRECTORY']}; give another: BUILD=…")


def not_of_the_future():
    """Ninja configures again and again for a file of CMake's that is newer than what it made."""
    for path in [*ROOT.rglob("CMakeLists.txt"), *ROOT.rglob("*.cmake")]:
        if path.stat().st_mtime > time.time():
            print(f"{path.relative_to(ROOT)} is dated in the future: dated now", flush=True)
            try:
                os.utime(path)
            except OSError as error:
                refuse(f"{path}: {error.strerror}; it is dated in the future")


def main(build, target="", *options):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    busy = f"another make builds in {build}: waiting"
    lock = locked(build / "lock", lambda: print(busy, flush=True))
    log = locked(f"{build}.log", lambda: None)
    log.truncate(0)
    of_here(build)
    not_of_the_future()
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
