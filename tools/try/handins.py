#!/usr/bin/env python3
"""Marks a folder of hand-ins: a table with a line for each, in FOLDER-checked.csv and .json, too.

    make try HANDINS=FOLDER RUNG=02_loop_order/ikj CHECK=1    handins.py BUILD FOLDER [RUNG]

FOLDER has a file STUDENT.cpp (.cu) or a folder STUDENT for each. A file STEP/NAME.cpp in a
student's folder belongs to that rung, another to RUNG. One after the other is built, verified and
raced as by `make try RUNG=… CHECK=1`, but in a sandbox: what is built and run sees the system and
the course, read-only, no network, and of hand-ins itself alone; time, memory, files and processes
are limited, and all that it started ends with it. Whether C is right is found outside of it; how
long it took, it says itself.

Exit status: 0 all are right; 1 not all; 2 the command line; 77 there is no sandbox here."""
import argparse, contextlib, functools, glob, io, json, os, re, resource, shutil, subprocess, sys
from pathlib import Path

# A build folder of their own, where all is built as it is run: by `nobody`, if root starts it.
room = "try/unsafe" if "--unsafe" in sys.argv else "try/handins"
os.environ["COURSE_MINE"] = str(Path([*sys.argv, "build"][1]).resolve() / room / "mine")
import rungs, process, verdict
from measured import Refusal
from rung import MINE, ROOT, alone, configured, load_rungs
from placed import CORES

ENDINGS, COLUMNS = (".cpp", ".cu"), "student rung right share least most message said".split()
NOBODY = 65534  # root's hand-ins run as this user: no limit of processes holds for root
ROOM = ["--perms", "1777", "--size", str(1 << 28), "--tmpfs"]
SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /etc /opt /sys".split()
KNOWN = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/tmp"}
KNOWN |= {name: os.environ[name] for name in ["CUDA_VISIBLE_DEVICES"] if name in os.environ}


def bound(kind, *paths):
    """bwrap's words for these paths, and for the folders above: else only root may pass through."""
    above = [["--dir", parent] for path in paths for parent in reversed(Path(path).parents)]
    return [word for words in [*above, *([kind, path, path] for path in paths)] for word in words]


def sandbox(build, folder, writes, command):
    """bwrap, its words and the environment. Of the course neither its history nor mine/ is seen,
    and of what was built for `make try` only the program that runs."""
    words = "bwrap --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try"
    words = [*words.split(), "--die-with-parent", "--new-session"]
    words += bound("--ro-bind-try", *SYSTEM)
    words += ["--proc", "/proc", "--dev", "/dev", *ROOM, "/dev/shm", *ROOM, "/tmp"]
    words += bound("--dev-bind", *glob.glob("/dev/nvidia*")) + bound("--ro-bind", ROOT, build)
    for path in (ROOT / ".git", ROOT / "mine", folder, build / "try"):
        if path.exists() and {ROOT, build} & {*path.parents}:
            words += ["--tmpfs", path] if path.is_dir() else ["--ro-bind", "/dev/null", path]
    built = [word for word in command if build / "try" in Path(word).parents]
    words += bound("--ro-bind", MINE, *filter(os.path.isfile, built))
    words += bound("--bind", writes) if writes else []
    user = ["--", "prlimit", f"--nproc={512 + 4 * CORES}"]
    if os.getuid() == 0:
        if writes:
            os.chown(writes, NOBODY, NOBODY)
        drop = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups --bounding-set=-all"
        user[1:1] = [*drop.split(), "--inh-caps=-all", "--no-new-privs"]
    else:
        words += ["--unshare-user"]
    words += ["--chdir", "/tmp", "--remount-ro", "/dev", "--remount-ro", "/", *user]
    return list(map(str, words)), KNOWN


def confined(build, folder):
    """Puts all that is run into a sandbox; why it cannot, if there is none here."""
    if not shutil.which("bwrap"):
        return "there is no bwrap here to run hand-ins in; `sh setup.sh teach` installs it"
    process.CONFINE = functools.partial(sandbox, build, folder)
    done = process.run(["true"])
    if done.status != 0:
        said = (done.err.strip() or "no reason").splitlines()[-1]
        return f"bwrap cannot make a sandbox for hand-ins here: {said}; root may be let"
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    most = min(half, (4 << 30) + (CORES << 28), process.MOST[resource.RLIMIT_AS])
    process.MOST[resource.RLIMIT_AS] = most
    for name in process.SANITIZERS:  # they need more addresses than there is memory
        process.SANITIZERS[name] += f":hard_rss_limit_mb={most >> 20}"


def handed_in(folder, known, otherwise):
    """(student, rung, file) of each; the file may lack, or its rung."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            files = sorted(file for file in entry.rglob("*") if file.suffix in ENDINGS)
            for file in files or [None]:
                name = f"{file.parent.name}/{file.stem}" if file else otherwise
                yield entry.name, name if name in known else otherwise, file
        elif not entry.name.startswith("."):
            yield entry.stem, otherwise, entry if entry.suffix in ENDINGS else None


def inspected(rung, file):
    """(right, shares of the course's rate, all that is said) of a hand-in."""
    if file is None or rung is None:
        return "no", (), "✘ which rung is it?" if file else "✘ no .cpp or .cu is there"
    if file.is_symlink() or not file.is_file() or file.stat().st_size > 1 << 20:
        return "no", (), "✘ it is a link, no file, or too large"
    rung.of_course = ()
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
        try:
            rung.path.parent.mkdir(parents=True, exist_ok=True)
            rung.path.write_bytes(file.read_bytes())
            rungs.prepared(rung)
            status = rungs.inspect(rung)
        except Refusal as error:
            status = print(f"? {error}") or 77
        except Exception as error:  # only a forger spoils the shared memory
            status = print(f"✘ what it left cannot be read: {error!r}")
        finally:  # the next one reads none of it
            left = [MINE.parent.rglob(f"{of}/{rung.target}*") for of in ("CMakeFiles", "programs")]
            subprocess.run(["rm", "-rf", rung.path, *left[0], *left[1]])
    right = {0: "yes", 77: "?"}.get(status, "no")
    text = "\n".join(line[:500] for line in said.getvalue().splitlines()[:100])
    return right, rung.of_course if right == "yes" else (), text


def plain(text):
    """Without what moves a cursor; and no cell that a spreadsheet takes for a formula."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text).lstrip("=+-@")


def message(said):
    """The lines of it that say most."""
    said = re.sub(r"(?m)^ *(it printed:|right so).*\n", "", said)
    if found := re.search(r"(?m)^[?✘] (it does not compile:)?(.*\n?.*)", said):
        return " ".join(found[2].split())
    lines = [line.strip("✔ ") for line in said.split("\n")]
    return "; ".join(line for line in lines if "right (" in line or "kernel takes" in line)


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rung", nargs="?", default="", help="of a file STUDENT.cpp")
    parser.add_argument("--unsafe", action="store_true", help="without a sandbox")
    given = parser.parse_args()
    build, folder, known = given.build.resolve(), given.folder.resolve(), load_rungs(MINE.parent)
    if given.rung:
        rungs.named(known, given.rung)
    handed = [*handed_in(folder, known, given.rung)]
    os.umask(0o022)
    verdict.WIDTH, rows = 1 << 20, []
    width = shutil.get_terminal_size((150, 0)).columns
    with alone(MINE):
        if not given.unsafe and (why := confined(build, folder)):
            why += "; UNSAFE=yes runs these strangers' programs without it"
            return print(f"try: {why}", file=sys.stderr) or 77
        configured(MINE.parent, build)
        print(f"{'student':<20} {'rung':<24} right  {'of ours':>16}  message")
        for student, name, file in handed:
            student = re.sub(r"_\d+_assignsubmission.*", "", plain(student))  # Moodle's
            right, shares, said = inspected(known.get(name), file)
            shown = [f"{share:.2f}" for share in shares] or [""] * 3
            cells = student, name, right, *shown, plain(message(said)), plain(said)
            rows.append(dict(zip(COLUMNS, cells)))
            rungs.write(Path(f"{folder}-checked.csv"), rows)
            percent = [round(100 * share) for share in shares]
            of_ours = "{} % ({}–{})".format(*percent) if percent else ""
            line = f"{student[:20]:<20} {name[:24]:<24} {right:<5}  {of_ours:>16}  "
            print((line + cells[6])[: width - 1], flush=True)
    Path(f"{folder}-checked.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0 if all(row["right"] == "yes" for row in rows) else 1


if __name__ == "__main__":
    rungs.ended(main)
