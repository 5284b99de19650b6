"""How credible intervals are printed: headings of columns, ends of means, and what they were learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.errors import counted, number_text

if TYPE_CHECKING:
    from bayou.explain import CredibleInterval


def interval_headings(interval: CredibleInterval | None, of: str = "") -> list[str]:
    """The headings of the columns with the two ends: ``2.5 %`` and ``97.5 %``; none without an interval."""
    if interval is None:
        return []
    low = 50 * (1 - interval.mass)
    return [f"{of}{low:.4g} %", f"{of}{100 - low:.4g} %"]


def mean_ends(interval: CredibleInterval | None, place: int | tuple[()] = ()) -> list[str]:
    """The two ends of the interval of a mean as texts; none without an interval."""
    if interval is None:
        return []
    return [f"{float(end[place]):.6g}" for end in (interval.lower, interval.upper)]


def records_text(interval: CredibleInterval | None) -> str:
    """Describe how many rows and draws an interval is based on; empty without an interval."""
    if interval is None:
        return ""
    counts = interval.rows.values()
    least, most = min(counts), max(counts)
    rows = counted(most, "row") if least == most else f"{number_text(least)} to {counted(most, 'row')}"
    numbers = {"table": len(counts) - interval.gaussians, "Gaussian": interval.gaussians}
    kinds = " and ".join(counted(number, kind) for kind, number in numbers.items() if number)
    text = f"{kinds} learned from {rows}; {interval.draws:,} draws"
    if interval.expected:
        text += "; counts of rows with gaps are expected counts, so the true interval is wider"
    return text
