"""Probabilities with their errors as they are printed, and the warning about those not to be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from bayou.errors import warn_user
from bayou.probability.table_values import state_tuples
from bayou.schema import Schema, label
from bayou.text.tables import Bar, Cell, TextTable

if TYPE_CHECKING:
    from bayou.inference import Bounds, Estimate
    from bayou.inference.loopy.convergence import Convergence
    from bayou.probability.probability_table import ProbabilityTable


def estimate_table(posterior: ProbabilityTable, estimate: Estimate | Bounds) -> TextTable:
    """One row per cell, with its bounds, or with half of the width of its 99 % interval."""
    states = state_tuples(Schema(posterior.variables))
    values = posterior.to_array().ravel().tolist()
    rows: list[list[Cell]] = [
        [*map(label, cell), value, *ends, Bar(value)]
        for cell, value, ends in zip(states, values, error_cells(estimate), strict=True)
    ]
    header = [*map(label, posterior.names), "P", *error_headings(estimate), ""]
    return TextTable(header, rows, title=posterior.title)


def error_headings(estimate: Estimate | Bounds) -> list[str]:
    """The headings of the columns of :func:`error_cells`."""
    return ["at least", "at most"] if estimate.engine == "bounds" else ["±"]


def error_cells(estimate: Estimate | Bounds) -> list[list[Cell]]:
    """What is printed beside each probability: both bounds, or half of the width of its interval.

    Bounds are rounded outward (except by less than 1e-11), so that what is printed is true as well.
    """
    if estimate.engine != "bounds":
        return [[margin_text(margin)] for margin in estimate.margin.ravel().tolist()]
    ends = zip(estimate.lower.ravel().tolist(), estimate.upper.ravel().tolist(), strict=True)
    return [[bound_text(low, up=False), bound_text(high, up=True)] for low, high in ends]


def bound_text(bound: float, up: bool) -> str:
    """A bound with four decimals, rounded outward; with two digits if it is below 0.001.

    >>> bound_text(0.12345, up=False), bound_text(0.12341, up=True), bound_text(0.0000451, up=True)
    ('0.1234', '0.1235', '4.6e-05')
    >>> bound_text(0.0, up=False), bound_text(1.0, up=True), bound_text(0.0, up=True)
    ('0', '1', '0')
    """
    if bound in (0.0, 1.0):
        return str(int(bound))
    unit = 0.0001 if bound >= 0.001 else 10.0 ** (floor(log10(bound)) - 1)
    steps = bound / unit
    whole = round(steps) if abs(steps - round(steps)) < 1e-7 else ceil(steps) if up else floor(steps)
    return f"{whole * unit:.4f}" if bound >= 0.001 else f"{whole * unit:.2g}"


def margin_text(margin: float) -> str:
    """Half of the width of an interval, with four decimals, or two digits if it is below 0.001.

    >>> margin_text(0.01234), margin_text(0.0000456), margin_text(0.0)
    ('0.0123', '4.6e-05', '0')
    """
    return "0" if margin == 0 else f"{margin:.4f}" if margin >= 0.001 else f"{margin:.2g}"


def worst_estimate(estimates: Iterable[Estimate | Bounds]) -> Estimate | Bounds | None:
    """The one that a line below several should tell of: the least trusted, then the least certain."""

    def order(one: Estimate | Bounds) -> tuple[bool, float]:
        certain = -float(one.margin.max(initial=0.0)) if one.engine == "bounds" else one.effective_size
        return one.trusted, certain

    return min(estimates, key=order, default=None)


def reasons_for_doubt(verdicts: Iterable[Estimate | Bounds | Convergence | None]) -> tuple[str, ...]:
    """Why an answer is not to be trusted, each reason once; exact answers have no verdict (None).

    An answer is trusted if it is exact, if its bounds are guaranteed, or if the engine that estimated it has
    no doubt about its intervals. An engine without error bars always has a reason.
    """
    found = [reason for verdict in verdicts if verdict is not None for reason in verdict.reasons]
    return tuple(dict.fromkeys(found))


def warn_if_distrusted(estimates: Iterable[Estimate | Bounds | None]) -> None:
    """Warn once if one of the estimates is not to be trusted; its reasons are in ``estimate.reasons``."""
    for estimate in estimates:
        if estimate is not None and not estimate.trusted:
            warn_user(f"This estimate is not to be trusted: {'; '.join(estimate.reasons)}.")
            return
