#!/usr/bin/env python3
"""Refills the code, figures and tables of the notes from the sources and the CSV files.

    notes.py [--check] [FILE.md …]        (no FILE: every tracked *.md of the repository)

What a note may hold, outside fenced code blocks and `code spans`:

    <!-- code: gemm.hpp#ikj -->           then at once a fence: what lies between the comment lines
                                          "// [ikj]" and "// [/ikj]" (or "# [ikj]"), dedented
    <!--=ijk_2000-->3.06<!--/-->          a figure by its name, which the figures.csv beside the note explains (figures.py)
    <!-- table: CSV; FILTER; rows=step+variant; cols=n; COLUMN; FORMAT; title=TEXT -->
    <!-- table: CSV; FILTER; rows=step+variant; cols=*; COLUMN+COLUMN/COLUMN; FORMAT; title=TEXT -->
                                          the columns themselves side by side, and a quotient of two
    <!-- /table -->                       both alone on their lines, the table between them
    <!-- libraries: RIVALS.csv -->        how ours stand against the libraries, a row for each rung, type and number of threads;
    <!-- /libraries -->                   alone on their lines, too

FILTER is "column=value,column=this|that"; it must leave one row for each cell. Rows that differ only in their commit and
what they measured are one row: the last. FORMAT is %.3g unless given, and TEXT stands for the first heading. A CSV is looked
for under plots/, beside the note, then from the root; a source file beside the note, then from the root.
A figure from a row that other programs disturbed (quiet=no) ends with ~, one that was not verified with °.

Relative links and images must exist. Beside a figures.csv a line of text has one sentence and at most 300 characters,
and does not begin with a figure, for Markdown would show what follows as it is. Exit status: 0 well; 1 --check found something stale; 2 an error,
each one line on stderr (a note with an error is left as it is)."""
import argparse, re, sqlite3, subprocess, sys, textwrap
from pathlib import Path
from urllib.parse import unquote

import against_libraries
from figures import Figures, label, rows_of, the_one, written
from measured import Refusal, typed

FENCE = re.compile(r"([ \t]*)(```+|~~~+)[^`]*$")
FRAGMENT_MARK = re.compile(r"\s*(?://|#)\s*\[(/?[\w.-]+)\]\s*$")
CODE = re.compile(r"\s*<!--\s*code:\s*(\S.*?)#([\w.-]+)\s*-->\s*$")
TABLE = re.compile(r"\s*<!--\s*(table|libraries):(.*?)-->\s*$")
# A code span comes first, so that a marker shown in one is passed over.
INLINE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|"
                    r"<!--=(\w+)-->((?:(?!<!--).)*)<!--/-->")
STRAY = re.compile(r"<!--(?:=|/-->).*|<!--\s*(?:(?:code|table|libraries)\s*:|/\s*(?:code|table|libraries)\s*-->).*")
LINK = re.compile(r"""\]\(\s*<?([^)\s>]+)|\b(?:src|href)=["']([^"']+)""")


def find(name, folders):
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise Refusal(f"no file {name}")


def fragment(source, name):
    """The lines of `source` between its marks [name] and [/name], dedented, without marks inside."""
    lines = source.read_text(encoding="utf-8").split("\n")
    marks = [mark and mark[1] for mark in map(FRAGMENT_MARK.match, lines)]
    if marks.count(name) != 1 or marks.count("/" + name) != 1:
        raise Refusal(f"{source.name} has {marks.count(name)} marks [{name}] and {marks.count('/' + name)} "
                      f"marks [/{name}], one of each is needed")
    first, last = marks.index(name), marks.index("/" + name)
    if last < first:
        raise Refusal(f"{source.name} has [/{name}] before [{name}]")
    kept = [line for line, mark in zip(lines[first:last], marks[first:last]) if not mark]
    return textwrap.dedent("\n".join(kept)).strip("\n").split("\n")


def alternatives(conditions):
    """{column: [its possible values]} of a filter."""
    parts = [part.partition("=") for part in conditions.split(",") if part.strip()]
    if not all(equals for _, equals, _ in parts):
        raise Refusal(f"the filter '{conditions}' is not of the shape column=value,column=value")
    return {name.strip(): [value.strip() for value in values.split("|")] for name, _, values in parts}


def in_sql(column, texts):
    """That a column has one of these values."""
    values = [typed(column, text) for text in texts]
    return "(" + " OR ".join(f'rows."{column}" IS {"NULL" if value is None else repr(value)}' for value in values) + ")"


def filtered(conditions):
    """A filter as figures.csv would have it."""
    return " AND ".join(in_sql(*each) for each in alternatives(conditions).items()) or "1"


def in_order(values, given):
    """Distinct values: as the filter gives them, else numbers ascending, else as they first appear."""
    distinct = list(dict.fromkeys(values))
    if len(given) > 1:
        return sorted(distinct, key=lambda value: given.index(label(value)))
    try:
        return sorted(distinct, key=float)
    except (TypeError, ValueError):
        return distinct


def table_lines(argument, folders):
    """The lines of a Markdown table: a column for each value of the column `cols`, or, for cols=*, for each of COLUMN+COLUMN/COLUMN."""
    fields = [field.strip() for field in argument.split(";")]
    title = fields.pop()[len("title="):] if fields[-1].startswith("title=") else None
    if len(fields) not in (5, 6) or fields[2][:5] != "rows=" or fields[3][:5] != "cols=":
        raise Refusal("a table needs CSV; FILTER; rows=COLUMN; cols=COLUMN; COLUMN; FORMAT; title=TEXT")
    path, given, where = find(fields[0], folders), alternatives(fields[1]), filtered(fields[1])
    labels, across = fields[2][5:].split("+"), fields[3][5:].strip()
    forms, keys = (fields[5:] or ["%.3g"])[0].split("+"), labels + [across] * (across != "*")
    terms = fields[4].split("+") if across == "*" else [fields[4]]
    for name, texts in given.items():
        for text in texts:  # so that no misspelt alternative gets lost
            if not rows_of(path, f"{where} AND {in_sql(name, [text])}", "1"):
                raise Refusal(f"no row of {path.name} matches '{fields[1]}' with {name}={text}")
    found, cells = {}, {}
    for row in rows_of(path, where, *(f'rows."{name}"' for name in keys), *terms):
        found.setdefault(row[0][:len(keys)], []).append(row)
    order = {name: in_order(values, given.get(name, ())) for name, values in zip(keys, zip(*found))}
    for key, alike in found.items():
        values, mark = the_one(alike, path, ','.join(map(label, key)))
        for head, value, form in zip(terms if across == "*" else key[-1:], values[len(keys):], len(terms) * forms):
            cells[key[:len(labels)], head] = "–" if value is None else written(value, form, mark)
    heads = terms if across == "*" else order[across]
    lines = [[title or labels[0], *labels[1:], *map(label, heads)], ["---"] * len(labels) + ["---:"] * len(heads)]
    for key in sorted({key for key, _ in cells}, key=lambda key: [order[name].index(value) for name, value in zip(labels, key)]):
        lines.append([*map(label, key), *(cells.get((key, head), "–") for head in heads)])
    return in_bars(lines)


def in_bars(lines):
    return ["| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines]


def library_lines(argument, folders):
    """How ours stand against the libraries."""
    headings, rows = against_libraries.summary(against_libraries.load(find(argument.strip(), folders)))
    return in_bars([headings, ["---"] * 3 + ["---:"] * (len(headings) - 3), *rows])


def past(lines, start, closing):
    """The index past the first line after `start` that has `closing` in it."""
    for at in range(start + 1, len(lines)):
        if re.search(closing, lines[at]):
            return at + 1
    raise Refusal("this is never closed")


def past_fence(lines, start):
    return past(lines, start, rf"^\s*{FENCE.match(lines[start])[2]}+\s*$")


def past_table(lines, start, kind):
    end = past(lines, start, STRAY)
    if re.match(rf"\s*<!--\s*/{kind}\s*-->\s*$", lines[end - 1]):
        return end
    raise Refusal(f"the {kind} has no <!-- /{kind} -->")


def code_block(marker, lines, opening, folders):
    """The fenced block that opens at `opening`, with the code that `marker` asks for."""
    fence, code = FENCE.match(lines[opening]), fragment(find(marker[1], folders), marker[2])
    if any(line.strip().startswith(fence[2]) for line in code):
        raise Refusal(f"{marker[1]}#{marker[2]} has a line that would close the fence {fence[2]}")
    return [fence[0], *(fence[1] + line if line else "" for line in code), fence[1] + fence[2]]


def broken_link(target, note, root):
    path = unquote(re.split("[#?]", target)[0])
    if not path or re.match(r"[A-Za-z][\w+.-]*:|//", path):
        return False
    return not (root / path[1:] if path[0] == "/" else note.parent / path).exists()


def badly_set(line):
    """What is wrong with how a line of text is set, or nothing."""
    content = re.sub(r"\s*(?:(?:[-*+]|\d+[.)])\s+)*", "", line, count=1)  # without the "1. " of a list
    text = INLINE.sub(lambda match: match[0] if match[1] else match[3] or "", content)
    if re.match(r"[|#]", content):
        return ""
    if content.startswith("<!--="):
        return "the line begins with a figure; begin with a word"
    if re.search(r"[a-z0-9)`*>][.?!:]?[.?!] +[*`]*[A-ZÄÖÜ]", text):
        return "two sentences; give each a line of its own"
    return f"the line has {len(line)} characters, 300 are allowed" if len(line) > 300 else ""


def refill(note, root, lines, figures=None):
    """(the lines refilled, [(line number, what is stale)], [(line number, what is wrong)])."""
    filled, stale, errors, at = [], [], [], 0
    code_folders, csv_folders = [note.parent, root], [root / "plots", note.parent, root]

    def figure_again(match):
        if match[1]:  # a code span
            return match[0]
        _, name, before = match.groups()
        if not figures:
            raise Refusal(f"there is no figures.csv beside the note, which would say what {name} is")
        text = figures.text(name)
        if text != before:
            stale.append((at + 1, f"'{before}', should be '{text}' ({name})"))
        return match[0].replace(f"-->{before}<!--", f"-->{text}<!--")

    while at < len(lines):
        line, end, what = lines[at], at + 1, ""
        new = [line]
        try:
            if FENCE.match(line):
                end = len(lines)  # should it never close, the rest is code, as for any reader of Markdown
                end = past_fence(lines, at)
                new = lines[at:end]
            elif marker := CODE.match(line):
                if end == len(lines) or not FENCE.match(lines[end]):
                    raise Refusal("a fence must follow this marker at once")
                end, what = past_fence(lines, at + 1), f"code {marker[1]}#{marker[2]}"
                new = [line, *code_block(marker, lines, at + 1, code_folders)]
            elif marker := TABLE.match(line):
                kind, argument = marker.groups()
                end, what = past_table(lines, at, kind), f"{kind} {argument.strip()}"
                fill = table_lines if kind == "table" else library_lines
                new = [line, *fill(argument, csv_folders), lines[end - 1]]
            else:
                rest = INLINE.sub("", line)
                errors += [(at + 1, f"broken link {target}") for target in map("".join, LINK.findall(rest))
                           if broken_link(target, note, root)]
                if figures and (wrong := badly_set(line)):
                    errors.append((at + 1, wrong))
                if stray := STRAY.search(rest):
                    raise Refusal(f"misspelt, unclosed or not alone on its line: {stray[0]}")
                new = [INLINE.sub(figure_again, line)]
        except (Refusal, sqlite3.Error, OSError, ValueError, TypeError) as problem:
            errors.append((at + 1, str(problem)))
            new = lines[at:end]
        if what and new != lines[at:end]:
            stale.append((at + 1, what))
        filled += new
        at = end
    return filled, stale, errors


def notes_of(root):
    """The repository's notes: those git tracks, or without git all, save what was built."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.md"], capture_output=True, text=True).stdout
    except OSError:
        listed = ""
    paths = [root / name for name in listed.split("\0") if name] or sorted(root.rglob("*.md"))
    built = re.compile(r"(.*/)?((build|\.)[^/]*|report)/")
    return [path for path in paths if path.is_file() and not built.match(path.relative_to(root).as_posix())]


def main(arguments, root=Path(__file__).resolve().parent.parent):
    options = argparse.ArgumentParser(description="Refills the notes from the sources and the CSV files.")
    options.add_argument("--check", action="store_true", help="write nothing, name what is stale")
    options.add_argument("notes", nargs="*", type=Path, metavar="FILE.md")
    options, status, figures = options.parse_args(arguments), 0, {}
    for note in map(Path.resolve, options.notes or notes_of(root)):
        name, beside = note.relative_to(root) if note.is_relative_to(root) else note, note.parent / "figures.csv"
        try:
            if beside.is_file() and beside not in figures:
                figures[beside] = Figures(beside, root / "plots")
            filled, stale, errors = refill(note, root, note.read_text(encoding="utf-8").split("\n"), figures.get(beside))
        except (Refusal, OSError, UnicodeError) as problem:
            filled, stale, errors = [], [], [(1, problem)]
        for line, what in errors:
            print(f"{name}:{line}: {what}", file=sys.stderr)
        for line, what in stale if options.check else ():
            print(f"{name}:{line}: stale {what}")
        if stale and not errors and not options.check:
            note.write_text("\n".join(filled), encoding="utf-8")
            print(name)
        status = max(status, 2 if errors else 1 if stale and options.check else 0)
    for beside, of in figures.items():
        if not options.notes and (unused := of.unused()):
            print(f"{beside.parent.name}/figures.csv: no page has {', '.join(unused)}", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
