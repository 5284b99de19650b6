"""The names of a page of the reference as an index at its top, and where the rest of a class stands."""

from __future__ import annotations

import html
from collections.abc import Iterator

from docs.builder.markdown import slug
from docs.builder.reference.public_names import Public

_FEWEST = 4
"""A page with fewer names is its own index."""


def name_index(
    entries: list[tuple[Public, list[Public]]], subjects: dict[str, list[str]], where: dict[str, str]
) -> str:
    """A fold with links to the entries and to their members; open, and closed by the script on telephones."""
    count = sum(1 + len(members) for _, members in entries)
    if count < _FEWEST:
        return ""
    lines = [*_lines(entries), *_elsewhere({public.name for public, _ in entries}, subjects, where)]
    summary = f"<summary>{count} names on this page</summary>"
    return "\n".join(['<details class="names" open>', summary, *lines, "</details>"])


def _lines(entries: list[tuple[Public, list[Public]]]) -> Iterator[str]:
    """A line for each class with its members; names without members stand together."""
    alone: list[str] = []
    for public, members in entries:
        link = _link(f"#{slug(public.name, set())}", _without_class(public.name))
        if not members:
            alone.append(link)
            continue
        if alone:
            yield _line("", alone)
            alone = []
        yield _line(f"{link}: ", [_link(f"#{slug(one.name, set())}", _last(one.name)) for one in members])
    if alone:
        yield _line("", alone)


def _elsewhere(here: set[str], subjects: dict[str, list[str]], where: dict[str, str]) -> Iterator[str]:
    """The members of a class of this page that have pages of their own."""
    for title, names in subjects.items():
        found = [name for name in names if name.rpartition(".")[0] in here and name not in here]
        if found:
            yield _line(
                f"On the page {_link(where[found[0]].partition('#')[0], title, code=False)}: ",
                [_link(where[name], _last(name)) for name in found],
            )


def _line(before: str, links: list[str]) -> str:
    return f"<p>{before}{', '.join(links)}</p>"


def _link(place: str, text: str, code: bool = True) -> str:
    shown = f"<code>{html.escape(text)}</code>" if code else html.escape(text)
    return f'<a href="{place}">{shown}</a>'


def _without_class(name: str) -> str:
    """``Network.query`` stands on a page that has ``Network`` in its title."""
    return _last(name) if name[0].isupper() else name


def _last(name: str) -> str:
    return name.rpartition(".")[2]
