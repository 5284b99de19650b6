"""The colours of drawings, and how well they can be told apart.

Text is on a light background of its own, so that a picture can be shown on light and dark pages; lines
between boxes contrast with white and with black. Contrast ratios are those of WCAG 2.2 (AA: 4.5 for text, 3
for shapes).
"""

from __future__ import annotations

import re

PLAIN, MISSING, EXTRA, TURNED = "#78879b", "#d9694a", "#3d9a6b", "#9b72c4"
"""Lines: plain ones, and those that a comparison marks."""
BOX, INK, EDGE, PAPER = "#e4edf7", "#1f2d3d", "#6f94bd", "#f6f8fa"
WHITE = "#ffffff"
BELIEF, PRIOR, TRACK = "#16436e", "#828e9c", "#ffffff"
"""A bar, the ghost of the prior behind it, and the ground behind both."""
QUIET = "#4f5d6c"
"""Text that is less important."""
OBSERVED, OBSERVED_PAPER = "#9a3b00", "#ffe6cc"
SET, SET_PAPER = "#5f3596", "#ebe2f8"
LIKELY, LIKELY_PAPER = "#1d6640", "#dcf1e4"

MARKS = {
    "observed": (OBSERVED, OBSERVED_PAPER),
    "do": (SET, SET_PAPER),
    "likelihood": (LIKELY, LIKELY_PAPER),
}
"""Ink and paper of the boxes with findings, by kind."""


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours written #rrggbb, from 1 (the same) to 21 (black and white).

    >>> round(contrast("#000000", "#ffffff"), 6), contrast("#777777", "#777777")
    (21.0, 1.0)
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ink_on(colour: str) -> str:
    """The colour of text on a ground: dark or white, whichever can be read better.

    >>> ink_on("#ffe6cc"), ink_on("#102040")
    ('#1f2d3d', '#ffffff')
    """
    if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
        return INK  # a colour by name: its luminance is not known
    return INK if contrast(INK, colour) >= contrast(WHITE, colour) else WHITE


def _luminance(colour: str) -> float:
    """The relative luminance of WCAG, from 0 to 1."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
