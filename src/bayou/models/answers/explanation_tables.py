"""Results that explain a query, as tables: most probable states, strength of findings, sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadQuestion, listed
from bayou.explain import (
    TableDerivatives,
    table_derivatives,
)
from bayou.inference import best
from bayou.models.answers.signed_numbers import signed
from bayou.models.evidence import Given, question_from
from bayou.models.findings import Findings
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.text.tables import Cell, PrintedTable, TextTable, log_probability_text, probability_text
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Explanation:
    """One joint state of the targets, and the log of its probability given the findings."""

    states: dict[Name, State]
    log_probability: float

    @property
    def probability(self) -> float:
        """P(states | findings)."""
        return math.exp(self.log_probability)


class MostProbable(PrintedTable, Sequence[Explanation]):
    """The most probable joint states, best first.

    ``states``, ``probability`` and ``log_probability`` are those of the first; index it for the others.

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

    def __init__(self, ranked: Sequence[Explanation], findings: str) -> None:
        self._ranked = tuple(ranked)
        self._findings = findings

    @property
    def states(self) -> dict[Name, State]:
        """The states of the most probable explanation."""
        return dict(self._ranked[0].states)

    @property
    def log_probability(self) -> float:
        """log P(states | findings); variables that are not targets are summed out."""
        return self._ranked[0].log_probability

    @property
    def probability(self) -> float:
        """P(states | findings); variables that are not targets are summed out."""
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
        """One row per variable, one column per explanation."""
        given = f" given {self._findings}" if self._findings else ""
        shown = [log_probability_text(one.log_probability) for one in self]
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
    marginal: Given | None,
) -> MostProbable:
    """The ``k`` most probable joint states of the targets (None: every discrete variable not given)."""
    k = whole_number("k", k, 1, expected="ask for a whole number of explanations, 1 or more")
    question = question_from(network, () if targets is None else targets, given, likelihood, do, marginal)
    if targets is not None and not question.targets:
        raise BadQuestion("targets= names no variable; omit it to ask for all variables that are not given.")
    if targets is None:
        fixed = {*question.evidence, *question.do}
        unknown = [v.name for v in network.schema if v.name not in fixed and not v.is_continuous]
        real = [v.name for v in network.schema if v.name not in fixed and v.is_continuous]
        if real and not unknown:
            raise BadQuestion(
                f"Only continuous variables are not given ({listed(real)}), and these have no most probable "
                "state: ask for their mean and density with net.query or net.marginals."
            )
        question = replace(question, targets=tuple(unknown))
    schema = network.schema
    ranked = [
        Explanation(
            {name: schema[name].states[c] for name, c in zip(question.targets, one.codes, strict=True)},
            one.log_probability,
        )
        for one in best(network, question, k)
    ]
    return MostProbable(ranked, Findings.of(network, question).text)


class SensitivityTable(PrintedTable):
    """dP(target=state | findings)/dθ for every entry θ of one table; the largest are printed first.

    ``derivatives`` has the shape of the table (parents …, variable); index the object by states in that
    order. When θ changes, the other entries of its row are scaled by one factor, so that it sums to 1.
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
            raise BadQuestion(f"Index the table by one state each of: {named}; got {states!r}.")
        place = tuple(axis.code(state) for axis, state in zip(self._axes, key, strict=True))
        return float(self.derivatives[place])

    def __iter__(self) -> Iterator[tuple[tuple[State, ...], float]]:
        cells = product(*(axis.states for axis in self._axes))
        return zip(cells, map(float, self.derivatives.ravel()), strict=True)

    def to_table(self, most: int = 10) -> TextTable:
        """One row per entry, the largest derivatives first; at most ``most`` rows are printed."""
        entries, derivatives = self.entries.ravel(), self.derivatives.ravel()
        cells = list(product(*(axis.states for axis in self._axes)))
        sizes = np.abs(derivatives) / max(float(np.abs(derivatives).max(initial=0.0)), 1e-300)
        # Rounding keeps pairs that differ only in sign in the order of the table.
        order = np.argsort(-sizes.round(9), kind="stable")
        rows: list[list[Cell]] = [
            [self._entry(cells[k]), float(entries[k]), signed(float(derivatives[k]))] for k in order
        ]
        return TextTable(["entry", "θ", "dP/dθ"], rows, title=self._title, most_rows=most)

    def _entry(self, states: tuple[State, ...]) -> str:
        """Name an entry as it is printed: ``Wet=yes | Rain=no``."""
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
    marginal: Given | None,
) -> SensitivityTable:
    """The derivatives of P(target=state | findings) with respect to the entries of one variable's table."""
    question = question_from(network, network.dag.only(target), given, likelihood, do, marginal)
    variable, owner = network.schema[question.targets[0]], network.dag.only(table)
    code = 0 if variable.is_continuous else variable.code(state)
    found = table_derivatives(network, question, code, owner)
    findings = Findings.of(network, question).text
    asked = f"P({label(variable.name)}={label(state)}{' | ' + findings if findings else ''})"
    title = f"{asked} = {probability_text(found.probability)}, and the table of {label(owner)}"
    return SensitivityTable(title, (*network.parents(owner), network.schema[owner]), found)
