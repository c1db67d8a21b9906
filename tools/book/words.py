"""The words of GLOSSARY.md in the other pages: the first time that a page uses one that another
page explains, it leads to the glossary and says what the word means."""

import html, re
from pathlib import Path

from docutils import nodes

GLOSSARY = Path(__file__).resolve().parents[2].joinpath("GLOSSARY.md").read_text(encoding="utf-8")
# They have a plain meaning, too, and are met in it more often.
PLAIN = "core page host device shared private region team event reference mask grid wave".split()
ENTRY = re.compile(r"^- .*(?:\n  .*)*", re.M)
place = lambda words: "word-" + re.sub(r"\W+", "-", words.lower())
BOLD = re.compile(r"\*\*([^*]+)\*\*")
MARKUP = re.compile(r" \(\[[^()]*\]\([^()]*\)(?:, \[[^()]*\]\([^()]*\))*\)|\]\([^()]*\)|^- |[\[`*]")
NOT_IN = nodes.literal, nodes.FixedTextElement, nodes.reference, nodes.title, nodes.thead
NOT_IN += nodes.strong, nodes.emphasis


def anchored():
    """The glossary with a place to lead to before each word."""
    each = lambda of: f'<a id="{place(of[1])}"></a>{of[0]}'
    return ENTRY.sub(lambda entry: BOLD.sub(each, entry[0]), GLOSSARY)


def explained():
    """{word: (place, meaning, pages that explain it)}; a word with two meanings is left out."""
    found, twice = {}, set(PLAIN)
    for entry in ENTRY.findall(GLOSSARY):
        pages = set(re.findall(r"\]\(([^()#]*)\.md", entry))
        for part in re.split(r"\n  (?=\*\*)", entry):  # further words of an entry begin lines
            says = html.escape(" ".join(MARKUP.sub("", part).split()))
            for bold in BOLD.findall(part):
                for word in re.findall(r"(?:^|[,;] )(\w[\w/-]+(?: [\w-]+)*)(?=[,;]|$)", bold):
                    twice |= {word.lower()} & {of.lower() for of in found}
                    found[word] = place(bold), says, pages
    return {word: of for word, of in found.items() if word.lower() not in twice}


def mark(app, doctree, page):
    """Marks a page's words."""
    if "orphan" in app.env.metadata[page] or page == "GLOSSARY":
        return
    words, address = explained(), app.builder.get_relative_uri(page, "GLOSSARY")
    seen = {word for word, (_, _, pages) in words.items() if page in pages}
    small = {word[0].lower() + word[1:]: word for word in words if word[1:].islower()}
    longest = sorted([*words, *small], key=len, reverse=True)
    any_word = re.compile(rf"(?<![\w-])({'|'.join(longest)})s?(?![\w-])")
    within = lambda of: of and (isinstance(of, NOT_IN) or within(of.parent))
    for text in [of for of in doctree.findall(nodes.Text) if not within(of.parent)]:
        pieces, at = [], 0
        for match in any_word.finditer(text):
            if (word := small.get(match[1], match[1])) not in seen:
                seen.add(word)
                to, says, _ = words[word]
                link = f'<a class="word" href="{address}#{to}" aria-description="{says}">'
                link += match[0] + "</a>"
                pieces += [nodes.Text(text[at : match.start()]), nodes.raw("", link, format="html")]
                at = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text[at:])])
