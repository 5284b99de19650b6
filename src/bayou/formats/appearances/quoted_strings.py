"""Strings in double quotes with escapes as in C, which Hugin and Netica write (a line end is backslash n)."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:\r?\n[\t ]*|(.))", re.DOTALL)
_MEANING = {"n": "\n", "t": "\t", "r": "\r"}
_WRITTEN = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})
_PLAIN = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]*")


def unescaped(raw: str) -> str:
    """Return what the characters between two quotes mean; a backslash at the end of a line joins the lines.

    >>> unescaped("a\\\\nb"), unescaped("2 \\\\\\\\ 3")
    ('a\\nb', '2 \\\\ 3')
    """
    return _ESCAPE.sub(lambda found: "" if found[1] is None else _MEANING.get(found[1], found[1]), raw)


def quoted(text: str) -> str:
    """Return a text in quotes; :func:`unescaped` gives it back.

    >>> print(quoted('say "hi"'))
    "say \\"hi\\""
    """
    return f'"{text.translate(_WRITTEN)}"'


def fits_quotes(text: str) -> bool:
    """Whether a quoted string can hold the text: no control characters but tabs and line ends.

    >>> fits_quotes("a\\nb"), fits_quotes("\\x00")
    (True, False)
    """
    return _PLAIN.fullmatch(text) is not None


def cleaned(text: str) -> str:
    """The text with a blank for every character that a quoted string cannot hold."""
    return "".join(character if fits_quotes(character) else " " for character in text)
