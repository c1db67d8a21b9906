"""Folders that are written: who may, and one at a time."""

import fcntl, os, sys
from pathlib import Path


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
