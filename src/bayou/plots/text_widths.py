"""How wide a text is drawn in a sans-serif font, by classes of letters.

The widths are those of DejaVu Sans, rounded up: Helvetica and Arial are narrower, so a text that fits by
these numbers fits in all fonts of the pictures.
"""

from __future__ import annotations

import unicodedata

_CLASSES = {
    "ijlI'|ı": 0.34,
    " .,:;!-()[]f\\/": 0.42,
    "rtłľſŀ": 0.45,
    'Js"*°_`–': 0.53,
    "TLFzxcvkye?ES": 0.66,
    "VXYZħ": 0.7,
    "+=<>~^#&×÷ŉ": 0.88,
    "mMW@%w…—ÆæĦ": 1.01,
    "Œœ": 1.08,
}
_LETTER, _CAPITAL, _FULL, _EMOJI = 0.645, 0.8, 1.02, 1.4
_WIDTHS = {sign: width for signs, width in _CLASSES.items() for sign in signs}


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in pixels at a font size.

    >>> text_width("ill", 10) < text_width("win", 10) < text_width("WWW", 10)
    True
    >>> text_width("年", 10) >= 10
    True
    """
    return sum(map(_em, text)) * size * (1.12 if bold else 1.0)


def fitted(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text if it fits into so many pixels, else its beginning with an ellipsis.

    >>> fitted("Rain", 100, 13), fitted("a very long name of a variable", 80, 13)
    ('Rain', 'a very lo…')
    """
    if text_width(text, size, bold) <= room + 1e-6:
        return text
    room -= text_width("…", size, bold)
    end = 0
    while end < len(text) and (room := room - text_width(text[end], size, bold)) >= 0:
        end += 1
    return text[:end].rstrip() + "…"


def _em(sign: str) -> float:
    """The width of one sign as a share of the font size."""
    known = _WIDTHS.get(sign)
    if known is not None:
        return known
    if unicodedata.combining(sign):
        return 0.0
    if ord(sign) >= 0x1F000:
        return _EMOJI
    if unicodedata.east_asian_width(sign) in "WF":
        return _FULL
    base = unicodedata.normalize("NFD", sign)[0]
    if base != sign and base in _WIDTHS:
        return _WIDTHS[base]
    if ord(sign) > 0x24F:
        return _FULL if unicodedata.category(sign) in ("Lo", "So", "Sm") else 0.85
    return _CAPITAL if sign.isupper() else _LETTER
