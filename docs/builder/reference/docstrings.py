"""Docstrings as Markdown: examples become blocks of code, roles of Sphinx become links."""

from __future__ import annotations

import re
from collections.abc import Callable

_ROLE = re.compile(r":(?:class|meth|func|attr|mod|exc|data):`~?([^`]+)`")
_DOUBLE = re.compile(r"``(.+?)``", re.DOTALL)


def summary(doc: str) -> str:
    """The first sentence."""
    first = " ".join(doc.split("\n\n")[0].split())
    found = re.match(r"(.+?[.:;!?])(?=\s[A-Z`(]|$)", first)
    return (found[1] if found else first).rstrip(":;")


def markdown(doc: str, link: Callable[[str], str], shown: Callable[[str], str] = str) -> str:
    """The whole docstring; ``link`` turns a name into the place of its entry, or into nothing.

    ``shown`` turns the text of an example into what is shown of it.
    """
    parts = [
        f"```pycon\n{shown(_unindented(part))}\n```" if _is_example(part) else _prose(part, link)
        for part in _blocks(doc)
    ]
    return "\n\n".join(parts)


def example(doc: str) -> str:
    """The examples of a docstring."""
    return "\n".join(part for part in _blocks(doc) if _is_example(part))


def _blocks(doc: str) -> list[str]:
    """Paragraphs; an example ends at the next empty line."""
    return [part for part in re.split(r"\n[ ]*\n", doc.strip("\n")) if part.strip()]


def _is_example(part: str) -> bool:
    return part.lstrip().startswith(">>>")


def _unindented(part: str) -> str:
    indent = len(part) - len(part.lstrip(" "))
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in part.split("\n"))


def _prose(part: str, link: Callable[[str], str]) -> str:
    text = _ROLE.sub(lambda found: _linked(found[1], link), part)
    text = _DOUBLE.sub(lambda found: f"`{found[1]}`", text)
    return text.replace("*args", r"\*args").replace("**", r"\*\*")


def _linked(name: str, link: Callable[[str], str]) -> str:
    place = link(name.removeprefix("bayou."))
    return f"[`{name}`]({place})" if place else f"`{name}`"
