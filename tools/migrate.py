#!/usr/bin/env python3
"""Rewrites results files that still have the column `counters`, or lack the column `quiet`.

    migrate.py FILE.csv …         rewrites each in place
    migrate.py --back FILE.csv    prints the old form of a migrated file, byte for byte

The limit and the bytes that stood in `counters` get columns of their own. What else stood there (all of it where
the columns alone would lose its order) goes to former_counters.csv in the same folder, as file,line,counters: the
line is that of the migrated file. `quiet` is empty: nobody had asked; on the way back it is left out. Lines torn by a
crash stay as they are.

Exit status: 0 well; 2 a file was refused, with one line on stderr that says why, and left as it was."""
import argparse, signal, sys
from pathlib import Path

from measured import COLUMNS, Refusal

MOVED = "limit,bytes_l1,bytes_l2,bytes_l3,bytes_memory".split(",")
BETWEEN = [name for name in COLUMNS if name != "quiet"]  # without counters already, and without quiet still
OLD = [name for name in BETWEEN if name not in MOVED]
OLD.insert(OLD.index("flags"), "counters")
CELL, FIRST, QUIET = OLD.index("counters"), COLUMNS.index(MOVED[0]), COLUMNS.index("quiet")
KEPT_IN, KEPT_COLUMNS = "former_counters.csv", "file,line,counters"


def read(path):
    """The lines of a file, whatever their bytes; the last is empty where the file ends with a newline."""
    return path.read_bytes().decode("utf-8", "surrogateescape").split("\n")


def to_bytes(lines):
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def write(path, lines):
    fresh = path.with_name(path.name + ".new")  # a full disk must not cost the old file
    fresh.write_bytes(to_bytes(lines))
    fresh.replace(path)


def has_columns(lines, columns):
    return lines[0].rstrip("\r").split(",") == columns


def new_form(line):
    """A line in the new form, and what of its counters has no column there."""
    cells = line.split(",")
    if len(cells) != len(OLD):
        return line, ""
    counters = cells.pop(CELL)
    items = [item.partition("=") for item in counters.split(";")]
    moved = {name: value for name, _, value in items if name in MOVED}
    cells[FIRST:FIRST] = [moved.get(name, "") for name in MOVED]
    cells.insert(QUIET, "")
    rest = ";".join("".join(item) for item in items if item[0] not in MOVED)
    # Where the columns would not give the text back (another order, an empty value), all of it is kept.
    return ",".join(cells), rest if old_counters(moved, rest) == counters else counters


def old_counters(moved, rest):
    items = [f"{name}={moved[name]}" for name in MOVED if moved.get(name)]
    return ";".join(items + [rest] * bool(rest))


def old_form(line, rest):
    cells = line.split(",")
    if len(cells) != len(COLUMNS):
        return line
    del cells[QUIET]
    moved = dict(zip(MOVED, cells[FIRST:FIRST + len(MOVED)]))
    del cells[FIRST:FIRST + len(MOVED)]
    whole = any(item.partition("=")[0] in MOVED for item in rest.split(";"))
    cells.insert(CELL, rest if whole else old_counters(moved, rest))
    return ",".join(cells)


def kept(folder):
    """{file: {line number: text}} of the folder's former_counters.csv."""
    path, found = folder / KEPT_IN, {}
    header, *lines = read(path) if path.exists() else [KEPT_COLUMNS]
    try:
        for line in filter(None, lines):
            file, number, text = line.rsplit(",", 2)
            found.setdefault(file, {})[int(number)] = text
    except ValueError:
        header = None
    if header != KEPT_COLUMNS:
        raise Refusal(f"{path} is not what this program writes")
    return found


def add_quiet(path, lines):
    """From the form between: the one column more."""
    fresh = [lines[0].replace(",".join(BETWEEN), ",".join(COLUMNS))]
    for number, line in enumerate(lines[1:], 2):
        cells = line.split(",")
        if len(cells) == len(COLUMNS):
            raise Refusal(f"{path}, line {number}: it has a cell too many")
        if len(cells) == len(BETWEEN):
            cells.insert(QUIET, "")
        fresh.append(",".join(cells))
    write(path, fresh)


def migrate(path):
    lines = read(path)
    if has_columns(lines, BETWEEN):
        return add_quiet(path, lines)
    if not has_columns(lines, OLD):
        raise Refusal(f"{path} " + ("is migrated already" if has_columns(lines, COLUMNS) else "has other columns"))
    fresh, texts = [lines[0].replace(",".join(OLD), ",".join(COLUMNS))], {}
    for number, line in enumerate(lines[1:], 2):
        changed, rest = new_form(line)
        if old_form(changed, rest) != line:  # a torn line that happens to be as long as a new one
            raise Refusal(f"{path}, line {number}: it would not come back as it is")
        fresh.append(changed)
        if rest:
            texts[number] = rest
    others = kept(path.parent)
    if texts or path.name in others:
        # Written first: should the second writing fail, the old file still has everything.
        write(path.parent / KEPT_IN, [KEPT_COLUMNS, *(
            f"{file},{number},{text}" for file, found in sorted((others | {path.name: texts}).items())
            for number, text in found.items()), ""])
    write(path, fresh)


def back(path):
    lines = read(path)
    if not has_columns(lines, COLUMNS):
        raise Refusal(f"{path} is not migrated")
    texts = kept(path.parent).get(path.name, {})
    first = lines[0].replace(",".join(COLUMNS), ",".join(OLD))
    sys.stdout.buffer.write(to_bytes([first, *(old_form(line, texts.get(number, ""))
                                               for number, line in enumerate(lines[1:], 2))]))


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `migrate.py --back … | head` ends quietly
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE.csv", nargs="+", type=Path)
    parser.add_argument("--back", action="store_true", help="print the old form of one file")
    given = parser.parse_args()
    if given.back and len(given.files) > 1:
        parser.error("--back takes one file")
    status = 0
    for path in given.files:
        try:
            (back if given.back else migrate)(path)
        except (Refusal, OSError) as why:
            print(f"migrate.py: {why}", file=sys.stderr)
            status = 2
    sys.exit(status)


if __name__ == "__main__":
    main()
