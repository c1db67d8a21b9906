#!/usr/bin/env python3
"""Renders the pages from their templates, text/NAME.md.jinja to NAME.md above: notes.py [--check]

A template is Markdown with jinja2 in it, a sentence a line. First it says what the page draws from:

    {% set run = csv('epyc-zen5/results.csv', 'gflops', 'variant n', type='f32', threads=1) %}
    {% set native = run(step='03_tiling-native', tile=256) %}

The CSV lies under plots/reference/ or plots/. Then come the column that is the figure, the columns
that a query's words fill in turn, and what all queries have in common; a call adds to that or
replaces it. n alone is a square product. One row must be left; of one measured again the last quiet
one counts, else the last. A ~ follows where other programs disturbed it, a ° if it is unverified.

    {{ native('tiled', 1000) | f1 }}                      f0 to f6: so many decimals; g2, g3: digits
    {{ native('tiled', 1000).median_ms | f2 }}            another column; for _ms, tflops see UNITS
    {{ (native('tiled', 1000) / peak) | f2 }}             arithmetic, min(…), max(…)
    | `tiled` | {{ native('tiled', [256, 512]) | f1 }} |  a list fills a cell each; [0] is its first
    {{ code('gemm.cpp', 'tiled') }}                       from the line // [tiled] to // [/tiled]
    {{ difference('gemm.cpp:jki', 'gemm.cpp:kji') }}      what kji changes: a ```diff block

An edit of a page itself is carried into its template, where it touches no query. Status: 0 well,
1 --check found a page that differs from its template, 2 one cannot be made or carried."""
import re, signal, sys, traceback
from functools import partial
from pathlib import Path

import jinja2

from carry import carried, edited, keep
from figures import Figure, Refusal, extreme, query, standing, written
from fragments import difference, fragment

ROOT = Path(__file__).resolve().parents[2]


def code(folder, name, part):
    """A fragment of a source beside the page, or from the root."""
    return "\n".join(fragment(folder / name if (folder / name).is_file() else ROOT / name, part))


def changes(folder, old, new, context=1, names={}):
    """How FILE:NAME differs from an old one that takes over its NAME, and `names`."""
    before, after = (code(folder, *place.split(":")) for place in (old, new))
    for name, its in {old.split(":")[1]: new.split(":")[1], **names}.items():
        before = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", its, before)
    return "\n".join(difference(before.split("\n"), after.split("\n"), context))


def printable(value):
    if isinstance(value, Figure):
        raise Refusal("a figure needs a format, such as | f1")
    return value


def environment(folder):
    """What the templates of a folder may use."""
    how = {of: True for of in ("trim_blocks", "lstrip_blocks", "keep_trailing_newline")}
    how |= {"loader": jinja2.FileSystemLoader(folder), "undefined": jinja2.StrictUndefined}
    jinja = jinja2.Environment(finalize=printable, **how)
    jinja.globals |= {"csv": query, "standing": standing, "code": partial(code, folder.parent)}
    jinja.globals |= {"difference": partial(changes, folder.parent)}
    jinja.globals |= {"min": partial(extreme, min), "max": partial(extreme, max)}
    jinja.filters |= {f"f{digits}": partial(written, f"%.{digits}f") for digits in range(7)}
    jinja.filters |= {f"g{digits}": partial(written, f"%.{digits}g") for digits in (2, 3)}
    return jinja


def rendered(template):
    try:
        page = environment(template.parent).get_template(template.name).render()
    except Exception as error:  # whatever a template may raise
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(template)]
        line = getattr(error, "lineno", None) or (lines or ["?"])[-1]
        raise Refusal(f"{template.relative_to(ROOT)}:{line}: {error}") from None
    return page.lstrip("\n")


def templates():
    found = ROOT.glob("**/text/*.md.jinja")
    return sorted(path for path in found if "build" not in path.relative_to(ROOT).parts[0])


def main(arguments):
    """Writes each page that differs, or with --check only names it."""
    status = 0
    for template in templates():
        page = template.parents[1] / template.stem
        try:
            text = rendered(template)
            if arguments != ["--check"] and edited(page, text):
                source, text = (of.read_text(encoding="utf-8") for of in (template, page))
                compiled, name = environment(template.parent), template.relative_to(ROOT)
                source = carried(source, name, compiled.from_string, text)
                template.write_text(source, encoding="utf-8")
                keep(text)
                print(name)
        except Refusal as refusal:
            print(refusal, file=sys.stderr)
            status = 2
            continue
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            print(page.relative_to(ROOT))
            if arguments == ["--check"]:
                status = max(status, 1)
            else:
                keep(text)
                page.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
    sys.exit(main(sys.argv[1:]))
