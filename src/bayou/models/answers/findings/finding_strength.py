"""How strong the findings of a question are, as a table; their Shapley shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import seed_number
from bayou.errors import BadQuestion
from bayou.explain import FindingStrengths, ShapleyShares, shapley_shares, strengths
from bayou.frames import pandas_frame
from bayou.inference import Question, ask
from bayou.models.answers.signed_numbers import finite_or_none, signed
from bayou.models.evidence import Given, question_from
from bayou.models.findings import Findings
from bayou.networks import FrozenNetwork
from bayou.probability.table_algebra import finding_text
from bayou.schema import label
from bayou.text.tables import Cell, PrintedTable, TextTable, probability_text
from bayou.typing import Name, State

if TYPE_CHECKING:
    import pandas

SHARE_UNITS = ("log odds", "probability")


class StrengthTable(PrintedTable):
    """How much each finding changes the log odds of one state of the target; the largest weight first.

    A weight is a log likelihood ratio, log P(finding | state) / P(finding | not state): what the finding adds
    to the log odds of the state. ``weight_alone`` is that of the finding by itself, ``weight`` that of the
    finding given all the others. ``shares`` are the Shapley shares, if they were asked for.
    """

    def __init__(
        self,
        title: str,
        labels: Mapping[Name, str],
        strengths: FindingStrengths,
        shares: ShapleyShares | None = None,
    ) -> None:
        self._title, self._labels = title, dict(labels)
        self.before, self.after, self.findings = strengths.before, strengths.after, strengths.findings
        self.shares = shares

    def to_table(self) -> TextTable:
        """One row per finding."""
        header = ["finding", "P alone", "weight alone", "P without", "weight"]
        rows: list[list[Cell]] = [
            [self._labels[one.name], one.alone, signed(one.weight_alone), one.without, signed(one.weight)]
            for one in self.findings
        ]
        if self.shares is not None:
            header.append("share")
            for row, one in zip(rows, self.findings, strict=True):
                row.append(signed(self.shares[one.name]))
        moved = f"{probability_text(self.before)} before, {probability_text(self.after)} after"
        return TextTable(header, rows, title=f"{self._title}: {moved}")

    def _remarks(self) -> list[str]:
        return [] if self.shares is None else [str(self.shares)]

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data; a weight that is infinite or undefined is None."""
        findings = []
        for one in self.findings:
            entry: dict[str, Any] = {
                "name": one.name,
                "finding": self._labels[one.name],
                "alone": one.alone,
                "weight_alone": finite_or_none(one.weight_alone),
                "without": one.without,
                "weight": finite_or_none(one.weight),
            }
            if self.shares is not None:
                entry |= {"share": self.shares[one.name], "share_error": self.shares.error(one.name)}
            findings.append(entry)
        unit = {} if self.shares is None else {"share_unit": self.shares.unit}
        return {"before": self.before, "after": self.after, "findings": findings, **unit}

    def to_frame(self) -> pandas.DataFrame:
        """One row per finding, the largest weight first (needs pandas)."""
        columns: dict[str, Any] = {
            "finding": [self._labels[one.name] for one in self.findings],
            "alone": [one.alone for one in self.findings],
            "weight_alone": [one.weight_alone for one in self.findings],
            "without": [one.without for one in self.findings],
            "weight": [one.weight for one in self.findings],
        }
        if self.shares is not None:
            columns["share"] = [self.shares[one.name] for one in self.findings]
        return pandas_frame(columns, "StrengthTable.to_frame")


def strength_from(
    network: FrozenNetwork,
    target: Name,
    given: Given | None,
    state: State | None,
    likelihood: Given | None,
    do: Given | None,
    marginal: Given | None,
    shares: bool | str = False,
    seed: Any = 0,
) -> StrengthTable:
    """The strength of each finding for a state (None: the one whose probability the findings raise most)."""
    seed, unit = seed_number(seed), share_unit(shares)
    question = question_from(network, network.dag.only(target), given, likelihood, do, marginal)
    variable = network.schema[question.targets[0]]
    code = _most_raised(network, question) if state is None else variable.code(state)
    labels = finding_labels(network, question)
    asked = f"P({label(variable.name)}={label(variable.states[code] if variable.states else state)})"
    found = strengths(network, question, code)
    parts = None if unit is None else shapley_shares(network, question, code, seed, unit)
    return StrengthTable(f"Strength of the findings, {asked}", labels, found, parts)


def share_unit(shares: bool | str) -> str | None:
    """What Shapley shares are shares of, from what a user asked for; None if for none.

    >>> share_unit(True), share_unit("probability"), share_unit(False)
    ('log odds', 'probability', None)
    """
    if shares not in (True, False, *SHARE_UNITS):
        raise BadQuestion(f"shares are True, False, 'log odds' or 'probability', not {shares!r}.")
    return (shares if isinstance(shares, str) else SHARE_UNITS[0]) if shares else None


def finding_labels(network: FrozenNetwork, question: Question) -> dict[Name, str]:
    """How the finding about each variable is printed: ``Wet=yes``, ``likelihood of Wet``, or both."""
    labels = {name: question.shown.get(name, f"likelihood of {label(name)}") for name in question.likelihood}
    for name, value in Findings.of(network, question).evidence.items():
        labels[name] = finding_text(name, value) + (" and its likelihood" if name in labels else "")
    return labels


def _most_raised(network: FrozenNetwork, question: Question) -> int:
    """Return the code of the target's state whose probability the findings raise most."""
    before = ask(network, replace(question, evidence={}, likelihood={})).table
    after = ask(network, question).table
    # A continuous target has no table; the function strengths refuses it.
    return int(np.argmax(after - before)) if before is not None and after is not None else 0
