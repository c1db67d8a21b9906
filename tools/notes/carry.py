"""Carries an edit of a page into its template, where it touches no query."""
import hashlib, re, subprocess
from contextlib import suppress
from difflib import SequenceMatcher

from figures import PLOTS, Refusal

TAG = re.compile(r"(\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})", re.S)
MARK = re.compile("\0(\\d+)\0")
RENDERED = PLOTS.parent / "build/rendered"  # the blobs of the pages that were written here


def blob(text):
    """The name that git gives a file of this text."""
    content = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def edited(page, text):
    """Whether a page that should be this text was edited, and what it is made of was not. Refusal:
    both were."""
    if not page.is_file() or (now := page.read_text(encoding="utf-8")) == text:
        return False
    ours = RENDERED.read_text().split() if RENDERED.is_file() else []
    call = ["git", "rev-parse", *(f"HEAD~{of}:./{page.name}" for of in range(5))]
    asked = []
    with suppress(OSError):  # there is no git
        done = subprocess.run(call, cwd=page.parent, capture_output=True, text=True)
        asked = done.stdout.split()
    told = (now, ours, False), (text, asked, True), (now, asked, False), (text, ours, True)
    for of, known, is_edit in told:
        if blob(of) in known:
            return is_edit
    said = "it was edited, and what it is made of, too; undo one, or remove the page"
    raise Refusal(f"{page.parent.name}/{page.name}: {said}")


def keep(text):
    """Notes that this is a rendering of ours."""
    RENDERED.parent.mkdir(exist_ok=True)
    with RENDERED.open("a") as file:
        file.write(blob(text) + "\n")


def origins(render, template):
    """For each line that is rendered the number of the template's line that it comes from."""
    lines, inside = template.split("\n"), set()  # inside a tag a line begins that is not marked
    for tag in TAG.finditer(template):
        first = template.count("\n", 0, tag.start())
        inside |= {*range(first + 1, first + 1 + tag[0].count("\n"))}
    for at in {*range(len(lines))} - inside:
        lines[at] = lines[at] if lines[at].lstrip()[:2] == "{%" else f"\0{at}\0{lines[at]}"
    found, at = [], 0
    for line in render("\n".join(lines)):
        at = int(of[1]) if (of := MARK.search(line)) else at
        found.append(at)
    return found


def literal(line, old, new):
    """A template's line that renders to old, changed beside its queries to render to new."""
    parts = TAG.split(line)
    values = re.fullmatch("(.*?)".join(map(re.escape, parts[::2])), old).groups()
    between = ["", *map(re.escape, values), ""]
    first, last = (re.fullmatch(any.join(between), new).groups() for any in ("(.*?)", "(.*)"))
    parts[::2] = first if first == last else ()
    return "".join(parts)


def carried(template, name, compiled, page):
    """The template that renders to the page; else a Refusal says which line to edit."""
    render = lambda text: compiled(text).render().lstrip("\n").split("\n")
    lines, old, new = template.split("\n"), render(template), page.split("\n")
    where = origins(render, template)[-len(old) :]  # without empty lines at the top
    for tag, a, b, c, d in reversed(SequenceMatcher(None, old, new, False).get_opcodes()):
        if tag == "equal":
            continue
        wanted, at = old[:a] + new[c:d] + old[b:], where[max(a - (a == b), 0)]
        try:
            if b - a == d - c:
                for i, line in enumerate(new[c:d], a):
                    lines[where[i]] = literal(lines[where[i]], old[i], line)
            elif [lines[of] for of in where[a:b]] == old[a:b]:
                first = at + (a == b)
                lines[first : first + b - a] = new[c:d]
            if render("\n".join(lines)) != wanted:
                raise ValueError
        except Exception:  # whatever a template may raise
            said = f"{name}:{at + 1}: edit this line; by a query it makes the page's {c + 1}"
            raise Refusal(said) from None
        old = wanted
    return "\n".join(lines)
