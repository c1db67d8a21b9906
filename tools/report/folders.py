"""Folders that are written: who may, and one at a time."""

import fcntl, os, pwd, sys
from pathlib import Path


def refuse(why):
    sys.exit(print(why, file=sys.stderr) or 2)


def user(number):
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # as in a container
        return f"user {number}"


def locked(path, busy):
    """The open file of this path, locked until it is closed or this program ends; its folders are
    made. Calls busy() if another program has locked it, and waits."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError as error:
        there = next(at for at in (path, *path.absolute().parents) if at.exists())
        owner, you = user(there.stat().st_uid), user(os.geteuid())
        whose = f"{there} belongs to {owner}, and you are {you}"
        refuse(f"{path}: {error.strerror}: {whose}; give folders of yours: BUILD=… OUT=…")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        busy()
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        pass  # the file system has no locks
    return file
