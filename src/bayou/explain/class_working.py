"""The hand calculation of a classifier's posterior: priors times likelihoods, divided by their sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.explain.smallest_change import value_text
from bayou.schema import label
from bayou.text.latex import latex_power, latex_text
from bayou.text.tables import html_lines, probability_text, visible
from bayou.typing import Name, State

_MOST_IN_A_LINE = 8


@dataclass(frozen=True)
class WorkingFactor:
    """One factor of a product: how it is written ('3/5', 'N(66; 73, 38.4)') and the log of its value.

    ``behind`` are the counts it was estimated from ('3 of 5'). Decimals are shown only beside factors that
    are not fractions.
    """

    text: str
    latex: str
    log: float
    behind: str = ""
    is_fraction: bool = True


@dataclass(frozen=True)
class ClassWorking:
    """P(class) · Π P(finding | class) for each class, and the normalisation; all numbers are the model's.

    ``text`` and ``latex`` are two ways to write it; ``joint_log`` and ``posterior`` are its results.
    """

    target: Name
    classes: tuple[State, ...]
    findings: tuple[tuple[Name, State], ...]
    priors: tuple[WorkingFactor, ...]
    factors: tuple[tuple[WorkingFactor, ...], ...]
    """One tuple per class, with one factor per finding."""
    weight: float
    """The exponent of the likelihoods; 1 in plain naive Bayes."""
    joint_log: tuple[float, ...]
    posterior: tuple[float, ...]
    left_out: tuple[str, ...] = ()
    powers: tuple[float, ...] = ()
    """The exponent of each finding's factor, where they differ; then ``weight`` is 1."""
    power_of_all: float = 1.0
    """The exponent of the whole product, the prior with it, in text classifiers."""

    @property
    def text(self) -> str:
        """The calculation as plain text."""
        return "\n".join(self._text_lines())

    @property
    def latex(self) -> str:
        """The calculation as a LaTeX align environment."""
        return "\\begin{align*}\n" + " \\\\\n".join(self._latex_lines()) + "\n\\end{align*}"

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def to_latex(self) -> str:
        """The calculation as LaTeX: the same as ``latex``."""
        return self.latex

    def to_html(self) -> str:
        """The calculation as HTML; names in it are escaped."""
        return html_lines(self.text)

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_latex_(self) -> str:
        return self.latex

    def _text_lines(self) -> Iterator[str]:
        for code, state in enumerate(self.classes):
            own = visible(label(state))
            given = [f"P({visible(_finding(name, value))} | {own})" for name, value in self.findings]
            yield self._product(f"P({own})", given, " · ")
            prior, factors = self.priors[code], self.factors[code]
            steps = [self._product(_bracketed(prior), [_bracketed(f) for f in factors], "·")]
            if not all(f.is_fraction for f in (prior, *factors)):
                steps.append(self._product(number(prior.log), [number(f.log) for f in factors], " · "))
            yield "  = " + "\n  = ".join(steps) + f" = {number(self.joint_log[code])}"
        if self.left_out:
            yield f"Left out: {', '.join(map(visible, self.left_out))}"
        sums = " + ".join(number(log) for log in self.joint_log)
        for code, state in enumerate(self.classes):
            share = probability_text(self.posterior[code])
            yield f"P({visible(label(state))} | row) = {number(self.joint_log[code])} / ({sums}) = {share}"

    def _product(self, prior: str, given: list[str], times: str) -> str:
        plain = self._plain_product(prior, given, times)
        return plain if self.power_of_all == 1 else f"[{plain}]^{self.power_of_all:.4g}"

    def _plain_product(self, prior: str, given: list[str], times: str) -> str:
        if len(given) > _MOST_IN_A_LINE:
            times = f"\n      {times.strip()} "
        if self.powers:
            given = [f"{each}^{power:.4g}" for each, power in zip(given, self.powers, strict=True)]
        if self.weight == 1 or not given:
            return times.join([prior, *given])
        return f"{prior}{times}[{times.join(given)}]^{self.weight:.4g}"

    def _latex_lines(self) -> Iterator[str]:
        for code, state in enumerate(self.classes):
            own = latex_text(label(state))
            given = [rf"P({latex_text(_finding(name, value))} \mid {own})" for name, value in self.findings]
            yield rf"&{self._latex_product(rf'P({own})', given)}"
            prior, factors = self.priors[code], self.factors[code]
            steps = [self._latex_product(prior.latex, [factor.latex for factor in factors])]
            if not all(factor.is_fraction for factor in (prior, *factors)):
                numbers = [latex_number(factor.log) for factor in factors]
                steps.append(self._latex_product(latex_number(prior.log), numbers))
            yield rf"&\quad = {' = '.join(steps)} = {latex_number(self.joint_log[code])}"
        if self.left_out:
            yield rf"&\text{{Left out: }}{', '.join(map(latex_text, self.left_out))}"
        sums = " + ".join(latex_number(log) for log in self.joint_log)
        for code, state in enumerate(self.classes):
            quotient = rf"\frac{{{latex_number(self.joint_log[code])}}}{{{sums}}}"
            share = probability_text(self.posterior[code])
            yield rf"&P({latex_text(label(state))} \mid \text{{row}}) = {quotient} = {share}"

    def _latex_product(self, prior: str, given: list[str]) -> str:
        plain = self._plain_latex_product(prior, given)
        if self.power_of_all == 1:
            return plain
        return rf"\left[{plain}\right]^{{{self.power_of_all:.4g}}}"

    def _plain_latex_product(self, prior: str, given: list[str]) -> str:
        if self.powers:
            powered = zip(given, self.powers, strict=True)
            given = [rf"\left({each}\right)^{{{power:.4g}}}" for each, power in powered]
        if self.weight == 1 or not given:
            return r" \cdot ".join([prior, *given])
        product = r" \cdot ".join(given)
        return rf"{prior} \cdot \left({product}\right)^{{{self.weight:.4g}}}"

    def to_dict(self) -> dict[str, Any]:
        """The factors and the results of every class as plain data."""
        return {
            "target": self.target,
            "findings": [{"name": name, "value": value} for name, value in self.findings],
            "weight": self.weight,
            **({"powers": list(self.powers)} if self.powers else {}),
            **({} if self.power_of_all == 1 else {"power_of_all": self.power_of_all}),
            "left_out": list(self.left_out),
            "classes": [
                {
                    "class": state,
                    "prior": {"text": self.priors[code].text, "log": self.priors[code].log},
                    "factors": [{"text": f.text, "log": f.log} for f in self.factors[code]],
                    "joint_log": self.joint_log[code],
                    "posterior": self.posterior[code],
                }
                for code, state in enumerate(self.classes)
            ],
        }


def fraction(count: float, total: float, added: float = 0.0, added_total: float = 0.0) -> tuple[str, str]:
    r"""Return count / total, or (count + added) / (total + added_total), as text and as LaTeX.

    >>> fraction(2, 9), fraction(2, 9, 1, 3)
    (('2/9', '\\frac{2}{9}'), ('(2+1)/(9+3)', '\\frac{2+1}{9+3}'))
    """
    if not added_total:
        return f"{count:g}/{total:g}", rf"\frac{{{count:g}}}{{{total:g}}}"
    above, below = f"{count:g}+{added:g}", f"{total:g}+{added_total:g}"
    return f"({above})/({below})", rf"\frac{{{above}}}{{{below}}}"


def number(log: float) -> str:
    """Return exp(log) with four digits as text, even if it is too small or too large for a float.

    >>> number(-3.8835), number(float("-inf")), number(-2000.0)
    ('0.0206', '0', '2.577e-869')
    """
    if np.isneginf(log):
        return "0"
    if -600 < log < 600:
        value = float(np.exp(log))
        return probability_text(value) if value <= 1 else f"{value:.4g}"
    power, rest = divmod(log / np.log(10), 1)
    return f"{10**rest:.4g}e{int(power):+03d}"


def latex_number(log: float) -> str:
    """Return the same as LaTeX, with the power of ten as a superscript."""
    return latex_power(number(log))


def _finding(name: Name, value: State) -> str:
    return f"{label(name)}={value_text(value)}"


def _bracketed(factor: WorkingFactor) -> str:
    return f"({factor.text})" if factor.is_fraction and "(" not in factor.text else factor.text
