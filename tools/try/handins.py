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
import argparse, contextlib, csv, glob, io, json, os, re, resource, shutil, signal, statistics, sys
from pathlib import Path

# A build folder of their own, in which all is built as it is run; for root in the one nobody writes.
os.environ["COURSE_MINE"] = str(Path([*sys.argv, "build"][1]).resolve() / "try/handins/mine")
import rungs, process, verdict
from measured import Refusal
from rung import MINE, ROOT, alone, configured, load_rungs
from placed import CORES

ENDINGS = ".cpp", ".cu"
NOBODY = 65534  # root's hand-ins run as this user: no limit of processes holds for root
ROOM = ["--perms", "1777", "--size", str(1 << 28), "--tmpfs"]
SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /etc /opt /sys".split()
KNOWN = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/tmp"}
KNOWN |= {name: os.environ[name] for name in ["CUDA_VISIBLE_DEVICES"] if name in os.environ}


def sandbox(build, folder):
    """process.CONFINE: bwrap and its words, and the environment. Of the course neither its history
    nor mine/ is seen, and of what was built for `make try` only the program that runs."""
    words = "bwrap --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try"
    words = [*words.split(), "--die-with-parent", "--new-session"]
    for path in SYSTEM:
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--dev", "/dev", *ROOM, "/dev/shm", *ROOM, "/tmp"]
    for path in glob.glob("/dev/nvidia*"):
        words += ["--dev-bind", path, path]
    for path in (ROOT, build):
        for parent in reversed(path.parents):  # else only root may pass through them
            words += ["--dir", parent]
        words += ["--ro-bind", path, path]
    for path in (ROOT / ".git", ROOT / "mine", folder, build / "try"):
        if path.exists() and {ROOT, build} & {*path.parents}:
            words += ["--tmpfs", path] if path.is_dir() else ["--ro-bind", "/dev/null", path]
    user = ["prlimit", f"--nproc={512 + 4 * CORES}"]
    if os.getuid() == 0:
        drop = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups --bounding-set=-all"
        user = [*drop.split(), "--inh-caps=-all", "--no-new-privs", *user]
    else:
        words += ["--unshare-user"]

    def confine(writes, command):
        theirs = [
            word for word in command if Path(word).is_file() and build / "try" in Path(word).parents
        ]
        bound = []
        for path in map(Path, (MINE, *theirs)):
            for parent in reversed(path.parents):  # as above
                bound += ["--dir", parent]
            bound += ["--ro-bind", path, path]
        if writes:
            bound += ["--dir", Path(writes).parent, "--bind", writes, writes]
            if os.getuid() == 0:
                os.chown(writes, NOBODY, NOBODY)
        end = ["--chdir", "/tmp", "--remount-ro", "/dev", "--remount-ro", "/", "--"]
        return list(map(str, [*words, *bound, *end, *user])), KNOWN

    return confine


def confined(build, folder):
    """Puts all that is run into a sandbox, if there is one here."""
    if not shutil.which("bwrap"):
        lacks("there is no bwrap here to run hand-ins in; `sh setup.sh teach` installs it")
    process.CONFINE = sandbox(build, folder)
    done = process.run(["true"])
    if done.status != 0:
        said = (done.err.strip().splitlines() or ["no reason"])[-1]
        lacks(f"bwrap cannot make a sandbox for hand-ins here: {said}; root may be let")
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    most = min(half, (4 << 30) + (CORES << 28), process.MOST[resource.RLIMIT_AS])
    process.MOST[resource.RLIMIT_AS] = most
    for name in process.SANITIZERS:  # they need more addresses than there is memory
        process.SANITIZERS[name] += f":hard_rss_limit_mb={most >> 20}"


def lacks(why):
    sys.exit(print(f"try: {why}", file=sys.stderr) or 77)


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
    """(right, shares of the course's rate in turns, all that is said) of a hand-in."""
    rung.of_course = []
    if file.is_symlink() or not file.is_file() or file.stat().st_size > 1 << 20:
        return "no", [], "it is a link, no file, or too large"
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
        try:
            rung.path.parent.mkdir(parents=True, exist_ok=True)
            rung.path.write_bytes(file.read_bytes())
            rungs.prepared(rung)
            status = rungs.inspect(rung)
        except Refusal as error:
            status = print(error) or 77
        except Exception as error:  # only a forger spoils the shared memory
            status = print(f"✘ what it left cannot be read: {error!r}")
        finally:  # the next one reads none of it
            rung.path.unlink(missing_ok=True)
            for left in MINE.parent.rglob(f"{rung.target}*"):
                if left.suffix == ".dir":
                    shutil.rmtree(left)
                elif left.parent.name == "programs":
                    left.unlink()
    right = {0: "yes", 77: "?"}.get(status, "no")
    text = "\n".join(line[:500] for line in said.getvalue().splitlines()[:100])
    return right, rung.of_course * (right == "yes"), text


def plain(text):
    """Without what moves a cursor; and no cell that a spreadsheet takes for a formula."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text).lstrip("=+-@")


def message(said):
    """The line of it that says most."""
    lines = [line.strip() for line in said.split("\n")]
    lines = [line for line in lines if line and not line.startswith(("it printed:", "right so"))]
    at = next((i for mark in "?✘✔" for i, line in enumerate(lines) if line[0] == mark), 0)
    first, second = [*lines[at : at + 2], "", ""][:2]
    if first.startswith("✔"):
        counts = [line for line in lines if "the course's kernel takes" in line]
        return "; ".join([first[len("✔ right") :].strip(" ()")] * (len(first) > 7) + counts)
    return f"{first} {second}".strip("?✘ ").replace("it does not compile: ", "")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rung", nargs="?", default="", help="of a file STUDENT.cpp")
    given = parser.parse_args()
    build, folder, mine = given.build.resolve(), given.folder.resolve(), MINE.parent
    known = load_rungs(mine)
    if not folder.is_dir():
        raise Refusal(f"HANDINS: there is no folder {given.folder}")
    if given.rung:
        rungs.named(known, given.rung)
    rungs.needs_ninja(build)
    os.umask(0o022)
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, lambda signum, frame: sys.exit(128 + signum))
    MINE.mkdir(parents=True, exist_ok=True)
    confined(build, folder)
    configured(mine, build)
    verdict.WIDTH, rows = 1 << 20, []
    width = shutil.get_terminal_size((150, 0)).columns
    print(f"{'student':<20} {'rung':<24} right  {'of ours':>16}  message")
    with alone(MINE), open(f"{folder}-checked.csv", "w", encoding="utf-8", newline="") as table:
        names = "student rung right share least most message said".split()
        writer = csv.DictWriter(table, names)
        writer.writeheader()
        for student, name, file in handed_in(folder, known, given.rung):
            student = re.sub(r"_\d+_assignsubmission.*", "", plain(student))  # Moodle's
            right, shares, said = (
                "no",
                [],
                "which rung is it?" if file else "no .cpp or .cu is there",
            )
            if file and name:
                right, shares, said = inspected(known[name], file)
            spread = [statistics.median(shares), shares[0], shares[-1]] if shares else []
            shown = [f"{share:.2f}" for share in spread] or [""] * 3
            cells = student, name, right, *shown, plain(message(said)), plain(said)
            rows.append(dict(zip(names, cells)))
            writer.writerow(rows[-1])
            table.flush()
            percent = [f"{100 * share:.0f}" for share in spread]
            of_ours = "{} % ({}–{})".format(*percent) if spread else ""
            line = f"{student[:20]:<20} {name[:24]:<24} {right:<5}  {of_ours:>16}  {cells[6]}"
            print(line[: width - 1], flush=True)
    Path(f"{folder}-checked.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0 if all(row["right"] == "yes" for row in rows) else 1


if __name__ == "__main__":
    rungs.ended(main)
