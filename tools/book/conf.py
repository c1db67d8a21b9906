"""Sphinx's settings for the book; book.py lays out what it reads."""

from pathlib import Path

import words

NORMALIZE = Path("/usr/share/nodejs/normalize.css/normalize.css")
project = html_title = "Matrix multiplication, step by step"
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc, highlight_language, myst_heading_anchors = "README", "none", 4
suppress_warnings = ["misc.highlighting_failure"]
html_theme, html_static_path = "furo", ["static"]
html_css_files, html_js_files = ["book.css"], ["book.js"]
html_copy_source = html_show_sphinx = html_show_copyright = html_use_index = False


def mend(app, failure):
    """Debian's furo imports a script as modules do, and a style sheet of a server's."""
    for file, line, by in (
        ("scripts/furo.js", 'import Gumshoe from "./gumshoe-patched.js";', "gumshoe-patched.js"),
        ("styles/furo.css", "@import url(/javascript/normalize.css/normalize.css);", NORMALIZE),
    ):
        file = Path(app.outdir, "_static", file)
        if line in (text := file.read_text()):
            file.write_text(text.replace(line, (file.parent / by).read_text()))


def setup(app):
    app.connect("doctree-resolved", words.mark)
    app.connect("build-finished", mend)
