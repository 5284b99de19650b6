"""Widths of texts against a real font."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou.plots.text_widths import fitted, text_width

matplotlib = pytest.importorskip("matplotlib")
SIGNS = "".join(map(chr, [*range(32, 127), *range(0xC0, 0x180)])) + "°…–ßΩλμσ"


def drawn_width(text: str, size: float, bold: bool) -> float:
    """The width in DejaVu Sans, which matplotlib brings along."""
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    font = FT2Font(findfont(FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")))
    font.set_size(100, 72)
    return sum(font.load_char(ord(sign)).linearHoriAdvance / 65536 for sign in text) * size / 100


@given(st.text(SIGNS, max_size=30), st.booleans())
def test_a_text_is_not_wider_than_said_and_not_much_narrower(text: str, bold: bool) -> None:
    said, drawn = text_width(text, 13, bold), drawn_width(text, 13, bold)
    assert said >= 0.985 * drawn
    if "J" not in text:  # which is wide in Helvetica and narrow in DejaVu Sans
        assert said <= 1.5 * drawn + 1


def test_usual_names_are_measured_well() -> None:
    for name in ("PulmonaryEmbolism", "HREKG", "LVFailure", "smoke", "ForestFire", "R_LNLW_MEPC_5"):
        assert text_width(name, 13) <= 1.2 * drawn_width(name, 13, bold=False)


@given(st.text(max_size=40), st.floats(20, 200))
def test_a_fitted_text_fits_and_begins_as_the_text_does(text: str, room: float) -> None:
    shown = fitted(text, room, 11)
    assert text_width(shown, 11) <= room + 1e-9
    assert shown == text or text.startswith(shown[:-1])


def test_wide_signs_and_marks() -> None:
    assert text_width("年齢", 10) >= 20
    assert text_width("e\u0301", 10) == text_width("e", 10)
