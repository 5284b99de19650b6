"""Whether the findings support or contradict each other, as a table with a verdict in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bayou.explain.conflict_measure import (
    INDEPENDENT,
    FindingAgainstRest,
    PairConflict,
    RareCause,
    conflict_of_findings,
)
from bayou.frames import pandas_frame
from bayou.inference import Question
from bayou.models.answers.exact_remedies import remedies
from bayou.models.answers.findings.finding_strength import finding_labels
from bayou.models.answers.signed_numbers import finite_or_none, signed
from bayou.models.evidence import Given, question_from
from bayou.networks import FrozenNetwork
from bayou.probability.table_algebra import finding_text
from bayou.schema import Schema
from bayou.text.tables import Cell, PrintedTable, TextTable, probability_text, visible
from bayou.typing import Name

if TYPE_CHECKING:
    import pandas

REMEDY = "net.nearest_findings(given) says which to release"
"""What to do about findings that cannot occur together."""


@dataclass(frozen=True, eq=False, repr=False)
class FindingConflict(PrintedTable):
    """Jensen's measure of conflict, in bits: of all findings, of each against the others, and of pairs.

    ``bits`` is log2 of the product of P(finding) over P(all findings): negative if they support each other,
    positive if they contradict each other, infinite if they cannot occur together. ``causes`` are the states
    of other variables that would explain a conflict.

    >>> import bayou
    >>> found = bayou.examples.asia().conflict({"lung": "no", "xray": "yes"})
    >>> round(found.bits, 3), [(one.name, round(one.before, 4), round(one.after, 4)) for one in found.causes]
    (0.886, [('tub', 0.0104, 0.1708), ('either', 0.0648, 0.1708)])
    """

    bits: float
    findings: tuple[FindingAgainstRest, ...]
    pairs: tuple[PairConflict, ...]
    causes: tuple[RareCause, ...]
    impossible: tuple[str, ...]
    labels: Mapping[Name, str]
    schema: Schema
    plain: frozenset[Name]
    """The variables whose finding is a state or a set of states, so that it has a probability."""

    @property
    def contradict(self) -> bool:
        """Whether the findings contradict each other: a conflict above 0."""
        return self.bits > INDEPENDENT

    @property
    def verdict(self) -> str:
        """What the measure says, in words."""
        if self.impossible:
            return f"The findings cannot occur together: {', '.join(self.impossible)}. {REMEDY}."
        if len(self.findings) == 1:
            return "There is one finding only, which cannot contradict others."
        if abs(self.bits) <= INDEPENDENT:
            return "The findings neither support nor contradict each other: they are independent."
        times = _factor(abs(self.bits))
        if self.bits < 0:
            return (
                f"The findings support each other: together they are {times} times as probable as if they "
                f"were independent.{self._exception()}"
            )
        return (
            f"The findings contradict each other: together they are {times} times less probable than if they "
            f"were independent. {self._culprits()}{self._explanation()}"
        )

    def _exception(self) -> str:
        worst = self.pairs[0]
        if len(self.pairs) == 1 or worst.bits <= INDEPENDENT:
            return ""
        return f" But {self._pair(worst)} contradict each other ({signed(worst.bits, INDEPENDENT)} bits)."

    def _culprits(self) -> str:
        worst = self.pairs[0]
        if len(self.pairs) == 1:
            return ""
        if worst.bits > INDEPENDENT:
            return f"Most of all {self._pair(worst)} do ({signed(worst.bits, INDEPENDENT)} bits). "
        least = self.labels[self.findings[0].name]
        return f"No two of them do so by themselves; {least} fits the others least. "

    def _explanation(self) -> str:
        if not self.causes:
            return (
                "No single state of another variable would explain it: a finding may be wrong, or the "
                "network may not fit this case."
            )
        cause = self.causes[0]
        before, after = probability_text(cause.before), probability_text(cause.after)
        return f"{self._cause(cause)} would explain it: {before} before, {after} given the findings."

    def _pair(self, pair: PairConflict) -> str:
        return f"{self.labels[pair.first]} and {self.labels[pair.second]}"

    def _cause(self, cause: RareCause) -> str:
        return finding_text(cause.name, self.schema[cause.name].states[cause.state])

    def to_table(self) -> TextTable:
        """One row per finding, the one that fits the others least first.

        >>> import bayou
        >>> found = bayou.examples.asia().conflict({"bronc": "yes", "dysp": "yes"})
        >>> print(found.to_table())
        The conflict of the findings: −0.8901 bits
        finding    P alone  P given the others  conflict (bits)
        bronc=yes  0.4500   0.8340              −0.8901
        dysp=yes   0.4360   0.8080              −0.8901
        """
        rows: list[list[Cell]] = []
        for one in self.findings:
            chances: list[Cell] = ["–", "–"]
            if one.name in self.plain:
                chances = [_chance(one.log_alone), _chance(one.log_given_rest)]
            rows.append([self.labels[one.name], *chances, signed(one.bits, INDEPENDENT)])
        header = ["finding", "P alone", "P given the others", "conflict (bits)"]
        return TextTable(
            header, rows, title=f"The conflict of the findings: {signed(self.bits, INDEPENDENT)} bits"
        )

    def _remarks(self) -> list[str]:
        return [visible(self.verdict)]

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data; a number that is infinite or undefined is None.

        >>> import bayou
        >>> found = bayou.examples.asia().conflict({"bronc": "yes", "dysp": "yes"})
        >>> round(found.to_dict()["bits"], 4)
        -0.8901
        """
        labels = self.labels
        return {
            "bits": finite_or_none(self.bits),
            "possible": not self.impossible,
            "verdict": self.verdict,
            "findings": [
                {"name": one.name, "finding": labels[one.name], "bits": finite_or_none(one.bits)}
                for one in self.findings
            ],
            "pairs": [
                {"names": [one.first, one.second], "bits": finite_or_none(one.bits)} for one in self.pairs
            ],
            "causes": [
                {
                    "name": one.name,
                    "state": self.schema[one.name].states[one.state],
                    "before": one.before,
                    "after": one.after,
                    "bits": one.bits,
                }
                for one in self.causes
            ],
        }

    def to_frame(self) -> pandas.DataFrame:
        """One row per pair of findings, the largest conflict first (needs pandas).

        >>> import bayou
        >>> found = bayou.examples.asia().conflict({"bronc": "yes", "dysp": "yes"})
        >>> found.to_frame().round(4).to_dict("list")
        {'first': ['bronc=yes'], 'second': ['dysp=yes'], 'bits': [-0.8901]}
        """
        columns = {
            "first": [self.labels[one.first] for one in self.pairs],
            "second": [self.labels[one.second] for one in self.pairs],
            "bits": [one.bits for one in self.pairs],
        }
        return pandas_frame(columns, "FindingConflict.to_frame")


def conflict_from(
    network: FrozenNetwork,
    given: Given | None,
    likelihood: Given | None,
    do: Given | None,
    marginal: Given | None,
) -> FindingConflict:
    """The conflict of the findings of a user."""
    return conflict_of(network, question_from(network, (), given, likelihood, do, marginal))


def conflict_of(network: FrozenNetwork, question: Question) -> FindingConflict:
    """The conflict of the findings of a question."""
    from bayou.inference.conflict import conflict
    from bayou.inference.query import is_possible

    with remedies("Give fewer findings,"):
        found = conflict_of_findings(network, question)
    never = found.bits == math.inf
    impossible = conflict(network, question, partial(is_possible, network)) if never else []
    return FindingConflict(
        found.bits,
        found.findings,
        found.pairs,
        found.causes,
        tuple(impossible),
        finding_labels(network, question),
        network.schema,
        frozenset(one.name for one in found.findings if _has_chance(network, question, one.name)),
    )


def _has_chance(network: FrozenNetwork, question: Question, name: Name) -> bool:
    """Whether a finding is a state or a set of states, and not a number or a matter of degree."""
    weights = question.likelihood.get(name)
    if weights is None:
        return not network.schema[name].is_continuous
    return name not in question.evidence and set(weights.tolist()) <= {0.0, 1.0}


def _factor(bits: float) -> str:
    """2 to so many bits, with three digits."""
    return f"{2.0**bits:.3g}" if bits < 1000 else f"2^{bits:.0f}"


def _chance(log: float) -> Cell:
    return "–" if math.isnan(log) else math.exp(log)
