"""Numbers of answers as they are printed with a sign, and as JSON has them."""

from __future__ import annotations

import math


def signed(value: float, nothing: float = 1e-15) -> str:
    """A number with its sign; NaN becomes a dash, and what is ``nothing`` at most (rounding) is 0.

    >>> signed(0.25), signed(-2.0), signed(float("-inf")), signed(float("nan")), signed(-1e-17)
    ('+0.25', '−2', '−∞', '–', '0')
    """
    if math.isnan(value):
        return "–"
    return "0" if abs(value) <= nothing else f"{value:+.4g}".replace("inf", "∞").replace("-", "−")


def finite_or_none(value: float) -> float | None:
    """A number for plain data: None if it is infinite or not defined.

    >>> finite_or_none(0.5), finite_or_none(float("inf"))
    (0.5, None)
    """
    return value if math.isfinite(value) else None
