"""The calculation of Bayes' theorem line by line, in plain text and in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from bayou.schema.states import label
from bayou.text.latex import latex_power, latex_text
from bayou.text.tables import probability_text, visible

_MOST_FACTORS = 12
"""Products are written out if they have at most this many factors in all."""
_MOST_FINDINGS_NAMED = 4
"""At most this many findings are named; the others are counted."""


class BayesCalculation(Protocol):
    """The result of Bayes' theorem, as far as the calculation is printed from it."""

    @property
    def prior(self) -> dict[Any, float]: ...
    @property
    def joint(self) -> dict[Any, float]: ...
    @property
    def posterior(self) -> dict[Any, float]: ...
    @property
    def evidence(self) -> float: ...
    @property
    def factors(self) -> tuple[tuple[float, ...], ...]: ...
    @property
    def observed(self) -> tuple[Any, ...]: ...


def text_working(result: BayesCalculation) -> Iterator[str]:
    """Yield one line per hypothesis: the products, their sum, the quotient."""
    products = _products(result, " × ", _number)
    finding = visible(_finding(result))
    for position, name in enumerate(result.prior):
        steps = [f"P({visible(label(name))} | {finding})"]
        if products:
            steps.append(f"{products[position]} / ({' + '.join(products)})")
        if result.evidence:
            steps.append(f"{_number(result.joint[name])} / {_number(result.evidence)}")
        yield " = ".join([*steps, probability_text(result.posterior[name])])


def latex_working(result: BayesCalculation) -> Iterator[str]:
    """Yield the same lines in LaTeX, for an align environment."""
    products = _products(result, r" \times ", _latex_number)
    finding = latex_text(_finding(result))
    for position, name in enumerate(result.prior):
        steps = [rf"P({latex_text(label(name))} \mid {finding}) &"]
        if products:
            steps.append(rf"\frac{{{products[position]}}}{{{' + '.join(products)}}}")
        if result.evidence:
            steps.append(rf"\frac{{{_latex_number(result.joint[name])}}}{{{_latex_number(result.evidence)}}}")
        yield "= ".join([steps[0], " = ".join([*steps[1:], _latex_number(result.posterior[name])])])


def _products(result: BayesCalculation, times: str, number: Any) -> Sequence[str]:
    """Return text such as ``0.98 × 0.008`` per hypothesis; empty if the lines would be too long."""
    if len(result.prior) * (len(result.factors) + 1) > _MOST_FACTORS:
        return []
    columns = zip(*result.factors, result.prior.values(), strict=True)
    return [times.join(number(value) for value in column) for column in columns]


def _finding(result: BayesCalculation) -> str:
    """Name the findings: ``+, -, 3 more``."""
    names = [label(state) for state in result.observed[:_MOST_FINDINGS_NAMED]]
    more = len(result.observed) - len(names)
    return ", ".join([*names, f"{more} more"] if more else names) or "finding"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _latex_number(value: float) -> str:
    return latex_power(_number(value))
