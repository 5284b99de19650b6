"""Findings that cannot occur together: which to release, and what they could be instead."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayou.errors import BadQuestion
from bayou.explain.nearest_findings import MOST_TRIALS, FreedFinding, nearest_possible
from bayou.frames import pandas_frame
from bayou.inference import Question
from bayou.models.answers.exact_remedies import remedies
from bayou.models.evidence import Given, question_from
from bayou.models.findings import Findings
from bayou.networks import FrozenNetwork
from bayou.probability.table_algebra import finding_text
from bayou.schema import label
from bayou.text.tables import Cell, PrintedTable, TextTable, log_probability_text, probability_text, visible
from bayou.typing import Name, State

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class ReleasedFinding:
    """One finding to release: how it was said, and what its variable could be instead.

    ``instead`` has the states with a probability above 0 given the findings that stay, the most probable
    first. A number has ``mean`` and ``std`` instead.
    """

    name: Name
    finding: str
    instead: tuple[tuple[State, float], ...] = ()
    mean: float | None = None
    std: float | None = None

    @property
    def text(self) -> str:
        """What the variable could be instead, as it is printed."""
        if self.mean is not None:
            return f"{label(self.name)} = {self.mean:.6g} ± {self.std:.3g}"
        return ", ".join(f"{label(state)} ({probability_text(p)})" for state, p in self.instead) or "–"


@dataclass(frozen=True)
class Release:
    """Findings whose release lets the others occur together.

    ``log_probability`` is log P(the findings that stay). ``states`` are the most probable states of the
    released variables, all together, given those.
    """

    findings: tuple[ReleasedFinding, ...]
    log_probability: float
    states: dict[Name, State]

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables of the released findings."""
        return tuple(one.name for one in self.findings)

    @property
    def probability(self) -> float:
        """P(the findings that stay); a density, if one of them is a number."""
        return math.exp(self.log_probability)


@dataclass(frozen=True, eq=False, repr=False)
class NearestFindings(PrintedTable, Sequence[Release]):
    """The smallest sets of findings to release, the one that leaves the most probable findings first.

    Empty if the findings can occur together (``possible``). ``is_complete`` says whether these are all sets
    of the least size.

    >>> import bayou
    >>> net = bayou.Network("Rain -> Wet", tables={
    ...     "Rain": {"no": 0.8, "yes": 0.2},
    ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0, "yes": 1}}})
    >>> print(net.nearest_findings({"Rain": "yes", "Wet": "no"}))
    Rain=yes, Wet=no cannot occur together
    release   P(the others)  instead
    Rain=yes  0.7200         no (1)
    Wet=no    0.2000         yes (1)
    Release Rain=yes, or correct it. Rain=no would fit the others best.
    """

    asked: str
    releases: tuple[Release, ...]
    log_probability: float
    is_complete: bool

    @property
    def possible(self) -> bool:
        """Whether the findings can occur together, so that none needs to be released."""
        return not self.releases

    @overload
    def __getitem__(self, rank: int) -> Release: ...
    @overload
    def __getitem__(self, rank: slice) -> Sequence[Release]: ...
    def __getitem__(self, rank: int | slice) -> Release | Sequence[Release]:
        return self.releases[rank]

    def __len__(self) -> int:
        return len(self.releases)

    @property
    def advice(self) -> str:
        """What to release, in a sentence."""
        if self.possible:
            chance = math.exp(self.log_probability)
            shown = f"{chance:.4g}" if chance > 0 else log_probability_text(self.log_probability)
            return f"These findings can occur together (probability {shown}): none needs to be released."
        first = self.releases[0]
        named = " and ".join(one.finding for one in first.findings)
        fitting = ", ".join(finding_text(name, state) for name, state in first.states.items())
        fits = f" {fitting} would fit the others best." if fitting else ""
        return f"Release {named}, or correct {'it' if len(first.findings) == 1 else 'them'}.{fits}"

    def to_table(self) -> TextTable:
        """One row per released finding; the sets are numbered if they have several.

        >>> import bayou
        >>> found = bayou.examples.asia().nearest_findings({"either": "no", "lung": "yes"})
        >>> print(found.to_table())
        either=no, lung=yes cannot occur together
        release    P(the others)  instead
        lung=yes   0.9352         no (1)
        either=no  0.0550         yes (1)
        """
        title = f"{self.asked} cannot occur together"
        if self.possible:
            return TextTable(["findings", "P"], [[self.asked, _cell(self.log_probability)]])
        several = len(self.releases[0].findings) > 1
        rows: list[list[Cell]] = []
        for number, one in enumerate(self.releases, start=1):
            for place, finding in enumerate(one.findings):
                chance: Cell = "" if place else _cell(one.log_probability)
                lead: list[Cell] = ["" if place else str(number)] if several else []
                rows.append([*lead, finding.finding, chance, finding.text])
        header = [*(["set"] if several else []), "release", "P(the others)", "instead"]
        return TextTable(header, rows, title=title)

    @property
    def notes(self) -> list[str]:
        """The lines below the table: the advice, and whether there may be other sets."""
        if self.is_complete:
            return [self.advice]
        return [
            self.advice,
            f"Not all sets could be tried (at most {MOST_TRIALS:,} are, and none whose tables are too large):"
            " there may be smaller ones, and others.",
        ]

    def _remarks(self) -> list[str]:
        return [*map(visible, self.notes)]

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data.

        >>> import bayou
        >>> found = bayou.examples.asia().nearest_findings({"either": "no", "lung": "yes"})
        >>> found.to_dict()["advice"]
        'Release lung=yes, or correct it. lung=no would fit the others best.'
        """
        return {
            "possible": self.possible,
            "log_probability": self.log_probability if self.possible else None,
            "is_complete": self.is_complete,
            "advice": self.advice,
            "releases": [
                {
                    "findings": [_as_data(finding) for finding in one.findings],
                    "log_probability": one.log_probability,
                    "states": [{"name": name, "state": state} for name, state in one.states.items()],
                }
                for one in self.releases
            ],
        }

    def to_frame(self) -> pandas.DataFrame:
        """One row per state that a released finding could have instead (needs pandas).

        >>> import bayou
        >>> found = bayou.examples.asia().nearest_findings({"either": "no", "lung": "yes"})
        >>> found.to_frame().columns.to_list()
        ['set', 'release', 'instead', 'probability']
        """
        rows = [
            (number, finding.finding, state, p)
            for number, one in enumerate(self.releases, start=1)
            for finding in one.findings
            for state, p in finding.instead
        ]
        names = ("set", "release", "instead", "probability")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return pandas_frame(columns, "NearestFindings.to_frame")


def nearest_from(
    network: FrozenNetwork, given: Given | None, likelihood: Given | None, do: Given | None
) -> NearestFindings:
    """The nearest possible findings to those of a user."""
    return nearest_of(network, question_from(network, (), given, likelihood, do))


def nearest_of(network: FrozenNetwork, question: Question) -> NearestFindings:
    """The nearest possible findings to those of a question."""
    if not question.has_findings:
        raise BadQuestion("There is no finding that could be released; give findings: given={…}.")
    with remedies("Give fewer findings,"):
        found = nearest_possible(network, question)
    releases = tuple(
        Release(
            tuple(_finding(network, question, freed) for freed in one.freed),
            one.log_probability,
            {name: network.schema[name].states[code] for name, code in one.states.items()},
        )
        for one in found.sets
    )
    asked = Findings.of(network, question).text
    return NearestFindings(asked, releases, found.log_probability, found.is_complete)


def _finding(network: FrozenNetwork, question: Question, freed: FreedFinding) -> ReleasedFinding:
    part, name = freed.key
    variable = network.schema[name]
    if part == "likelihood":
        said = question.shown.get(name, f"likelihood of {label(name)}")
    else:
        said = finding_text(name, Findings.of(network, question).evidence[name])
    if freed.mixture is not None:
        mean, variance = freed.mixture.mean, freed.mixture.variance
        return ReleasedFinding(name, said, (), mean, math.sqrt(variance))
    table = np.zeros(0) if freed.table is None else freed.table
    order = np.argsort(-table, kind="stable").tolist()
    instead = tuple((variable.states[code], float(table[code])) for code in order if table[code] > 0)
    return ReleasedFinding(name, said, instead)


def _as_data(finding: ReleasedFinding) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": finding.name,
        "finding": finding.finding,
        "instead": [{"state": state, "probability": p} for state, p in finding.instead],
    }
    if finding.mean is not None:
        document |= {"mean": finding.mean, "std": finding.std}
    return document


def _cell(log: float) -> Cell:
    chance = math.exp(log)
    return chance if chance > 0 else log_probability_text(log)
