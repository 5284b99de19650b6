"""The pages of the reference: one for each subject that ``docs/lookup/reference.md`` lists.

A class stands there with all its members, unless a subject lists some of these by name (``Network.query``):
so a class with a hundred members has several pages. What a class has from a base that it shares with a class
further up on its page is told there.
"""

from __future__ import annotations

import re

from docs.builder.markdown import render, slug
from docs.builder.page import DOCS, Page
from docs.builder.reference.completeness import FOR_FILES
from docs.builder.reference.docstrings import markdown, summary
from docs.builder.reference.entries import entry
from docs.builder.reference.name_index import name_index
from docs.builder.reference.public_names import Public, members, public_names

LIST = DOCS / "lookup" / "reference.md"
_NAMES = re.compile(r"`([\w.]+)`")


def subjects() -> dict[str, list[str]]:
    """The subjects and the names listed below each."""
    found: dict[str, list[str]] = {}
    for part in LIST.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        lines = (line for line in text.splitlines() if line.startswith("`"))
        found[title] = [name for line in lines for name in _NAMES.findall(line)]
    return found


def url_of_subject(title: str) -> str:
    """The page of a subject."""
    return f"lookup/reference/{slug(title, set())}.html"


def listable() -> dict[str, Public]:
    """What the list may name: public names, and members of public classes."""
    return members() | public_names()


def places() -> dict[str, str]:
    """Where each name of the list stands."""
    found: dict[str, str] = {}
    for title, names in subjects().items():
        for name in names:
            found.setdefault(name, f"site:{url_of_subject(title)}#{slug(name, set())}")
    return found


def reference_pages() -> list[Page]:
    """All of them, rendered."""
    known, listed = listable(), subjects()
    siblings = [(title, url_of_subject(title)) for title in listed]
    pages = []
    for title, names in listed.items():
        page = Page(LIST, url_of_subject(title), parent="lookup/reference.html", siblings=siblings)
        unknown = [name for name in names if name not in known]
        page.problems += [f"docs/lookup/reference.md: there is no public name {name}" for name in unknown]
        render(page, _text(title, [known[name] for name in names if name in known]))
        pages.append(page)
    return pages


def with_summaries(text: str) -> str:
    """The list of names as a reader of the site sees it: each linked, with its first sentence."""
    known, where = listable(), places()

    def line(found: re.Match[str]) -> str:
        names = [name for name in _NAMES.findall(found[0]) if name in known]
        return "\n".join(f"- [`{name}`]({where[name]}): {_short(known[name])}" for name in names)

    return re.sub(r"^`[^\n]*$", line, text, flags=re.MULTILINE)


def _short(public: Public) -> str:
    return markdown(summary(public.doc), lambda _: "") if public.doc else ""


def _text(title: str, entries: list[Public]) -> str:
    where = places()
    told: dict[int, str] = {}
    parts, owns = [], []
    for public in entries:
        own, elsewhere = _members(public, where, told)
        owns.append((public, own))
        parts.append(_with_members(public, own, elsewhere, where))
    return "\n\n".join([f"# {title}", name_index(owns, subjects(), where), *parts]) + "\n"


def _members(
    public: Public, where: dict[str, str], told: dict[int, str]
) -> tuple[list[Public], dict[str, str]]:
    """The members told here, and those told further up on the page, by the name that they have there."""
    own, elsewhere = [], {}
    for member in sorted(public.members, key=_is_for_files):
        if member.name in where:
            continue
        thing = id(getattr(member.thing, "__func__", member.thing))
        if thing in told:
            elsewhere[member.name] = told[thing]
        else:
            told[thing] = member.name
            own.append(member)
    return own, elsewhere


def _is_for_files(member: Public) -> bool:
    """What files need stands last: readers seldom call it."""
    return member.name.rpartition(".")[2] in FOR_FILES


def _with_members(public: Public, own: list[Public], elsewhere: dict[str, str], where: dict[str, str]) -> str:
    def link(name: str) -> str:
        return where.get(name) or where.get(name.rpartition(".")[2], "")

    of_class = public.name.rpartition(".")[0]
    doc = public_names()[of_class].doc if of_class in public_names() else ""
    parts = [entry(public, link, 2, doc)]
    if elsewhere:
        links = [f"[`{there}`](#{slug(there, set())})" for there in elsewhere.values()]
        parts.append(f"<!-- keywords: {', '.join(elsewhere)} -->\n\nThe same as above: {', '.join(links)}.")
    return "\n\n".join([*parts, *(entry(member, link, 3, public.doc) for member in own)])
