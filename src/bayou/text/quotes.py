"""Quotes and brackets in texts that people write: queries, keys of tables, options of the command line.

``'chest x-ray'`` and ``"chest x-ray"`` are one word each. A quote opens where a word could begin and closes
where one could end: the apostrophe in ``St John's`` is a letter.
"""

from __future__ import annotations

from itertools import accumulate

from bayou.errors import BadQuestion

_CLOSING = {"'": "'", '"': '"', "“": "”", "„": "“", "‘": "’", "«": "»"}
_BRACKETS = {"(": ")", "{": "}", "[": "]"}


def unquoted(piece: str) -> str:
    """Remove the blanks and quotes around a word.

    >>> unquoted(" 'chest x-ray' "), unquoted("“yes”"), unquoted("St John's")
    ('chest x-ray', 'yes', "St John's")
    """
    bare = piece.strip()
    return bare[1:-1] if len(bare) >= 2 and _CLOSING.get(bare[0]) == bare[-1] else bare


def quotes_hidden(text: str) -> str:
    """Return the text with every sign in quotes, and the quotes, as NUL: what is left has a meaning.

    >>> quotes_hidden("a='b, c'").replace(chr(0), ".")
    'a=......'
    """
    signs: list[str] = []
    closing = ""
    for place, sign in enumerate(text):
        if closing:
            signs.append("\0")
            closing = "" if sign == closing and not _is_letter(text[place + 1 : place + 2]) else closing
        elif sign in _CLOSING and not (place and _is_letter(text[place - 1])):
            signs.append("\0")
            closing = _CLOSING[sign]
        else:
            signs.append(sign)
    if closing:
        raise BadQuestion(
            f"{text!r}: the quote {closing} is not closed. Put a word that begins or ends with it into the "
            f"other quotes, {_other(closing)}…{_other(closing)}."
        )
    return "".join(signs)


def split_unquoted(text: str, sign: str) -> list[str]:
    """Split at every ``sign`` that is neither inside quotes nor inside brackets that are closed.

    >>> split_unquoted("a, 'b, c', do(d=e, f=g)", ",")
    ['a', " 'b, c'", ' do(d=e, f=g)']
    """
    hidden = quotes_hidden(text)
    inside = _bracketed(hidden)
    pieces, start = [], 0
    for place, letter in enumerate(hidden):
        if letter == sign and place not in inside:
            pieces.append(text[start:place])
            start = place + 1
    return [*pieces, text[start:]]


def closes_at_end(text: str) -> bool:
    """Whether the first round bracket of a text is closed by its last letter.

    >>> closes_at_end("P(a | do(b=c))"), closes_at_end("P(a) | do(b=c)")
    (True, False)
    """
    hidden = quotes_hidden(text)
    return hidden.endswith(")") and {*range(hidden.find("(") + 1, len(text) - 1)} <= _bracketed(hidden)


def _bracketed(hidden: str) -> set[int]:
    """The places of the letters inside brackets that are closed."""
    change = [0] * (len(hidden) + 1)
    opened: list[tuple[int, str]] = []
    for place, letter in enumerate(hidden):
        if letter in _BRACKETS:
            opened.append((place, _BRACKETS[letter]))
        elif opened and letter == opened[-1][1]:
            start, _ = opened.pop()
            change[start + 1] += 1
            change[place] -= 1
    depths = accumulate(change)
    return {place for place, depth in enumerate(depths) if depth}


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _other(quote: str) -> str:
    return "'" if quote == '"' else '"'
