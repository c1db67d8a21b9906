"""How a tool starts: importing this sets right what it takes over from who starts it, for it and
for all that it starts. And folders that are written: who may, and one at a time."""

import fcntl, os, re, signal, sys
from pathlib import Path

LIST = Path(__file__).parents[1] / "inherited.txt"
KEPT = "|".join(re.sub("(?m)^#.*", "", LIST.read_text(encoding="utf-8")).replace("%", ".*").split())
KEPT += "|TMPDIR" * os.access(os.environ.get("TMPDIR", ""), os.W_OK)
for name in [name for name in os.environ if not re.fullmatch(KEPT, name)]:
    del os.environ[name]
os.environ["LC_ALL"] = "C.UTF-8"  # points in numbers, messages in English
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
for stream in (sys.stdout, sys.stderr):  # a terminal that has no × or … shows a ? instead
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")


def refuse(why):
    sys.exit(print(why, file=sys.stderr) or 2)


def locked(path, busy):
    """The open file of this path, locked until it is closed or this program ends; its folders are
    made. Calls busy() if another program has locked it, and waits."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError as error:
        there = next(at for at in (path, *path.absolute().parents) if at.exists())
        whose = f"{there} belongs to user {there.stat().st_uid}, and you are {os.geteuid()}"
        refuse(f"{path}: {error.strerror}: {whose}; give folders of yours: BUILD=… OUT=…")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        busy()
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        pass  # the file system has no locks
    return file
