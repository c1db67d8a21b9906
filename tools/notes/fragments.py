"""Pieces of source by name: what stands between the lines `// [name]` and `// [/name]`
(after `#` in scripts), and how one differs from another."""
import difflib, re

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


def difference(old, new, context):
    """How lines `new` differ from `old`, after - and +, with `context` lines round each change; …
    stands for others between. Comments, indentation and empty lines make no difference."""
    bare = lambda line: re.sub(r"\s*//.*", "", line)
    old, new = ([line for line in lines if bare(line).strip()] for lines in (old, new))
    removed, kept, shown = map(bare, old), iter(new), []
    for sign, *_ in difflib.ndiff(*([bare(line).strip() for line in each] for each in (old, new))):
        was = next(removed) if sign in "- " else ""
        if sign != "?":
            shown.append(sign + (was if sign == "-" else next(kept)))
    around = range(-context, context + 1)
    near = {at + by for at, line in enumerate(shown) if line[0] != " " for by in around}
    until = enumerate(shown[: max(near) + 1])
    return [line if at in near else " …" for at, line in until if at in near or at - 1 in near]
