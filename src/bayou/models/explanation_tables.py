"""What explains a query: the most probable states, the strength of findings, the sensitivity to a table."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, overload

import numpy as np

from bayou.arguments import real_number, whole_number
from bayou.errors import BadQuestion
from bayou.explain import (
    CredibleInterval,
    Strengths,
    TableDerivatives,
    credible_interval,
    strengths,
    table_derivatives,
)
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.inference import Question, ask, best
from bayou.models.evidence import question_from
from bayou.models.posterior import findings_of, findings_text
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.text_table import Cell, TextTable, probability_text
from bayou.typing import FloatArray, Name, State

Given = Mapping[Any, Any]


class _PrintedTable(ABC):
    """Prints as its table, in a terminal and in a notebook."""

    @abstractmethod
    def to_table(self) -> TextTable:
        """The table that is printed."""

    def __str__(self) -> str:
        return str(self.to_table())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()


@dataclass(frozen=True)
class Explanation:
    """Joint states of the targets, and the log of their probability given the findings."""

    states: dict[Name, State]
    log_probability: float

    @property
    def probability(self) -> float:
        """P(states | findings)."""
        return math.exp(self.log_probability)


class MostProbable(_PrintedTable, Sequence[Explanation]):
    """The most probable explanations, best first; ``states`` and the rest are those of the best.

    >>> from bayou.models.network import Network
    >>> rain = Network("Rain -> Wet", tables={
    ...     "Rain": {"no": 0.8, "yes": 0.2},
    ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}},
    ... })
    >>> print(rain.most_probable(given={"Wet": "yes"}))
    The most probable states given Wet=yes: P = 0.6667
    variable  state
    Rain      yes
    >>> print(rain.most_probable(k=3))
    The 3 most probable explanations
    variable  1       2       3
    P         0.7200  0.1600  0.0800
    Rain      no      yes     no
    Wet       no      yes     yes
    """

    def __init__(self, ranked: Sequence[Explanation], found: str) -> None:
        self._ranked = tuple(ranked)
        self._found = found

    @property
    def states(self) -> dict[Name, State]:
        """The states of the most probable explanation."""
        return dict(self._ranked[0].states)

    @property
    def log_probability(self) -> float:
        """log P(states | findings), the rest summed out."""
        return self._ranked[0].log_probability

    @property
    def probability(self) -> float:
        """P(states | findings), the rest summed out."""
        return self._ranked[0].probability

    @overload
    def __getitem__(self, rank: int) -> Explanation: ...
    @overload
    def __getitem__(self, rank: slice) -> Sequence[Explanation]: ...
    def __getitem__(self, rank: int | slice) -> Explanation | Sequence[Explanation]:
        return self._ranked[rank]

    def __len__(self) -> int:
        return len(self._ranked)

    def to_table(self) -> TextTable:
        """A line for each variable, a column for each explanation."""
        given = f" given {self._found}" if self._found else ""
        shown = [probability_text(one.probability) for one in self]
        rows: list[list[Cell]] = [
            [label(name), *(label(one.states[name]) for one in self)] for name in self.states
        ]
        if len(self) == 1:
            title = f"The most probable states{given}: P = {shown[0]}"
            return TextTable(["variable", "state"], rows, title=title)
        ranks = [str(rank) for rank in range(1, len(self) + 1)]
        title = f"The {len(self)} most probable explanations{given}"
        return TextTable(["variable", *ranks], [["P", *shown], *rows], title=title)


def most_probable_from(
    network: FrozenNetwork,
    given: Given | None,
    targets: Name | Iterable[Name] | None,
    k: Any,
    likelihood: Given | None,
    do: Given | None,
) -> MostProbable:
    """The ``k`` most probable joint states of the targets (of all that is open, unless named)."""
    k = whole_number("k", k, 1, expected="ask for a whole number of explanations, 1 or more")
    question = question_from(network, () if targets is None else targets, given, likelihood, do)
    if targets is not None and not question.targets:
        raise BadQuestion("targets= names no variable; leave it out to ask for all that is open.")
    if targets is None:
        fixed = {*question.evidence, *question.do}
        open_ones = [v.name for v in network.schema if v.name not in fixed and not v.is_continuous]
        question = replace(question, targets=tuple(open_ones))
    schema = network.schema
    ranked = [
        Explanation(
            {name: schema[name].states[c] for name, c in zip(question.targets, one.codes, strict=True)},
            one.log_probability,
        )
        for one in best(network, question, k)
    ]
    return MostProbable(ranked, findings_text(findings_of(network, question)))


class Strength(_PrintedTable):
    """How much every finding weighs for one state of the target; the weightiest first.

    A weight is a log likelihood ratio: what the finding adds to the log odds of the state. ``weight_alone``
    is that of the finding by itself, ``weight`` that of the finding on top of all the others.
    """

    def __init__(self, title: str, told: Mapping[Name, str], strengths: Strengths) -> None:
        self._title, self._told = title, dict(told)
        self.before, self.after, self.findings = strengths.before, strengths.after, strengths.findings

    def to_table(self) -> TextTable:
        """A line for each finding."""
        header = ["finding", "P alone", "weight alone", "P without", "weight"]
        rows: list[list[Cell]] = [
            [self._told[one.name], one.alone, _signed(one.weight_alone), one.without, _signed(one.weight)]
            for one in self.findings
        ]
        moved = f"{probability_text(self.before)} before, {probability_text(self.after)} after"
        return TextTable(header, rows, title=f"{self._title}: {moved}")


def strength_from(
    network: FrozenNetwork,
    target: Name,
    given: Given | None,
    state: State | None,
    likelihood: Given | None,
    do: Given | None,
) -> Strength:
    """The strength of each finding for a state (unless named: the one whose probability rose most)."""
    question = question_from(network, network.dag.only(target), given, likelihood, do)
    variable = network.schema[question.targets[0]]
    code = _most_raised(network, question) if state is None else variable.code(state)
    told = {name: f"likelihood of {label(name)}" for name in question.likelihood}
    for name, value in findings_of(network, replace(question, likelihood={}, do={})):
        told[name] = f"{label(name)}={label(value)}" + (" and its likelihood" if name in told else "")
    asked = f"P({label(variable.name)}={label(variable.states[code] if variable.states else state)})"
    return Strength(f"Strength of the findings, {asked}", told, strengths(network, question, code))


def _most_raised(network: FrozenNetwork, question: Question) -> int:
    before = ask(network, replace(question, evidence={}, likelihood={})).table
    after = ask(network, question).table
    # A continuous target has neither table; it is refused where strengths are measured.
    return int(np.argmax(after - before)) if before is not None and after is not None else 0


class Sensitivity(_PrintedTable):
    """dP(target=state | findings)/dθ for every entry θ of one table, the largest printed first.

    ``derivatives`` has the shape of the table (parents …, variable); index the object by states in that
    order. The rest of the entry's row makes room in proportion.
    """

    def __init__(self, title: str, axes: Sequence[Variable], found: TableDerivatives) -> None:
        self._title, self._axes = title, tuple(axes)
        self.probability = found.probability
        self.entries: FloatArray = found.entries
        self.derivatives: FloatArray = found.derivatives

    def __getitem__(self, states: Any) -> float:
        key = states if isinstance(states, tuple) and len(self._axes) > 1 else (states,)
        if len(key) != len(self._axes):
            named = ", ".join(label(axis.name) for axis in self._axes)
            raise BadQuestion(f"The table is asked with one state each of: {named}; got {states!r}.")
        place = tuple(axis.code(state) for axis, state in zip(self._axes, key, strict=True))
        return float(self.derivatives[place])

    def __iter__(self) -> Iterator[tuple[tuple[State, ...], float]]:
        cells = product(*(axis.states for axis in self._axes))
        return zip(cells, map(float, self.derivatives.ravel()), strict=True)

    def to_table(self, most: int = 10) -> TextTable:
        """The entries, those with the largest derivatives first; ``most`` of them are printed."""
        entries, derivatives = self.entries.ravel(), self.derivatives.ravel()
        cells = list(product(*(axis.states for axis in self._axes)))
        sizes = np.abs(derivatives) / max(float(np.abs(derivatives).max(initial=0.0)), 1e-300)
        # Rounded, so that pairs which differ in sign only stay in the order of the table.
        order = np.argsort(-sizes.round(9), kind="stable")
        rows: list[list[Cell]] = [
            [self._entry(cells[k]), float(entries[k]), _signed(float(derivatives[k]))] for k in order
        ]
        return TextTable(["entry", "θ", "dP/dθ"], rows, title=self._title, most_rows=most)

    def _entry(self, states: tuple[State, ...]) -> str:
        *parents, own = (f"{label(a.name)}={label(s)}" for a, s in zip(self._axes, states, strict=True))
        return f"{own} | {', '.join(parents)}" if parents else own


def sensitivity_from(
    network: FrozenNetwork,
    target: Name,
    state: State,
    given: Given | None,
    table: Name,
    likelihood: Given | None,
    do: Given | None,
) -> Sensitivity:
    """The derivatives of P(target=state | findings) by the entries of the table of one variable."""
    question = question_from(network, network.dag.only(target), given, likelihood, do)
    variable, owner = network.schema[question.targets[0]], network.dag.only(table)
    code = 0 if variable.is_continuous else variable.code(state)
    found = table_derivatives(network, question, code, owner)
    right = findings_text(findings_of(network, question))
    asked = f"P({label(variable.name)}={label(state)}{' | ' + right if right else ''})"
    title = f"{asked} = {probability_text(found.probability)}, and the table of {label(owner)}"
    return Sensitivity(title, (*network.parents(owner), network.schema[owner]), found)


def interval_from(
    learned_by: Callable[[], FittedParameters],
    question: Question,
    stated: Mapping[Name, FloatArray],
    mass: Any,
) -> CredibleInterval | None:
    """The interval of every entry of a posterior, from the counts and the prior behind the tables."""
    if mass is None:
        return None
    if stated:
        raise BadQuestion("interval= goes with findings and likelihoods, not with marginal=; ask for one.")
    mass = real_number("interval", mass, expected="give the probability that it holds, such as 0.95")
    learned = learned_by()
    found = credible_interval(learned.network, question, learned.statistics, learned.priors, mass)
    return replace(found, expected=learned.expected)


def _signed(value: float) -> str:
    if math.isnan(value):
        return "–"
    # What is 0 but for rounding is printed as 0.
    return f"{value:+.4g}".replace("inf", "∞").replace("-", "−") if abs(value) > 1e-15 else "0"
