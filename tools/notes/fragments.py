"""Pieces of source by name: what stands between the lines `// [name]` and `// [/name]`
(after `#` in scripts)."""
import re

MARK = re.compile(r"\s*(?://|#)\s*\[(/?[\w.-]+)\]\s*$")


def fragment(source, name):
    """Its lines, dedented, without marks inside."""
    lines = source.read_text(encoding="utf-8").split("\n")
    marks = [mark and mark[1] for mark in map(MARK.match, lines)]
    once = marks.count(name) == 1 == marks.count("/" + name)
    if not once or marks.index(name) > marks.index("/" + name):
        raise ValueError(f"{source.name} needs a mark [{name}], then a mark [/{name}]")
    between = range(marks.index(name), marks.index("/" + name))
    kept = [lines[at] for at in between if not marks[at]]
    code = [line for line in kept if line.strip() and not line.startswith("#pragma")]
    margin = min((len(line) - len(line.lstrip()) for line in code), default=0)
    dedented = (line if line.startswith("#pragma") else line[margin:] for line in kept)
    return "\n".join(dedented).strip("\n").split("\n")
