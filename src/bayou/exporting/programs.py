"""What is exported: a question about a model, compiled to columns, tables and one kind of arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from bayou.errors import BadQuestion
from bayou.schema import Variable
from bayou.sources.databases.predictions.cells_in_sql import Mark
from bayou.sources.databases.predictions.score_terms import (
    BumpTable,
    Component,
    NormalMatrix,
    NormalTable,
    PoissonTable,
    ScoreTable,
    Term,
)
from bayou.typing import FloatArray, IntArray, Name

MISSING, ERROR, SMOOTH = "missing", "error", "smooth"
"""What a value counts as that is not among the states of its column."""


@dataclass(frozen=True)
class Input:
    """A column of new rows: its states, or a number if it has none."""

    variable: Variable
    unknown: str = MISSING
    days: str = ""
    """The kind of dates or times of which the model knows the days; empty: none."""
    marked: Mark | None = None
    """The number is no column of its own: it is 1 where a column has a state, and 0 for its other states."""
    amount: str = ""
    """A text of the column that spelled a number when the model was learned, such as "$5"; empty: none."""

    @property
    def name(self) -> Name:
        """The name of the column (of an indicator: its own)."""
        return self.variable.name


@dataclass(frozen=True)
class Program:
    """P(target | any of the inputs)."""

    target: Variable
    inputs: tuple[Input, ...]

    @property
    def operations(self) -> int:
        """The number of additions and multiplications of one row."""
        raise NotImplementedError

    @property
    def smaller(self) -> str:
        """What makes the program smaller, in words."""
        return "fit with fewer columns"

    def place(self, name: Name) -> int:
        """The position of an input."""
        return self._places[name]

    @cached_property
    def _places(self) -> dict[Name, int]:
        return {each.name: place for place, each in enumerate(self.inputs)}


@dataclass(frozen=True)
class ScoreProgram(Program):
    """Softmax of sums: log P(class, row) is the log of the sum of the components' scores.

    ``weight`` is the power of P(row | class); a row that is impossible in every class gets P(class).
    """

    log_prior: FloatArray
    components: Sequence[Component]
    weight: float = 1.0

    @property
    def operations(self) -> int:
        """One for each number that is added or looked up, and what densities of several numbers need."""
        terms = [term for component in self.components for term in component.terms]
        return self.target.cardinality * sum(1 + term_operations(term) for term in terms)


@dataclass(frozen=True)
class Clique:
    """A clique of a tree: variables by number, the tables that belong to it, and where its message goes.

    ``kept`` are the variables of the message: those shared with the clique ``parent`` (-1: a root, which
    keeps the target if it has it).
    """

    variables: tuple[int, ...]
    tables: tuple[int, ...]
    parent: int
    kept: tuple[int, ...]


@dataclass(frozen=True)
class TreeProgram(Program):
    """Sums over a clique tree whose root has the target: cliques stand before their parents.

    Variables have numbers, and ``names`` for readers; ``cards`` are their numbers of states, ``numbers``
    those of the inputs, ``aim`` that of the target. ``scopes`` are the axes of the ``tables`` (one for each
    variable). With ``log_prior`` (of a classifier) impossible rows get it, P(row | class) has the power
    ``weight``, and ``terms`` are added where all their features are known.
    """

    names: tuple[str, ...]
    cards: tuple[int, ...]
    aim: int
    numbers: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[FloatArray, ...]
    cliques: tuple[Clique, ...]
    homes: tuple[int, ...]
    log_prior: FloatArray | None = None
    weight: float = 1.0
    terms: Sequence[ScoreTable] = ()

    @property
    def smaller(self) -> str:
        """A question about a network has inputs; a classifier has columns."""
        return "name fewer inputs (inputs=[…])" if self.log_prior is None else super().smaller

    @property
    def operations(self) -> int:
        """One for each entry of a clique and each factor of it, with nothing known."""
        children = [0] * len(self.cliques)
        for clique in self.cliques:
            if clique.parent >= 0:
                children[clique.parent] += 1
        return sum(
            prod(self.cards[member] for member in clique.variables) * (1 + len(clique.tables) + below)
            for clique, below in zip(self.cliques, children, strict=True)
        )


@dataclass(frozen=True)
class ChainProgram(Program):
    """A hidden Markov model: P(state of each step | rows of a sequence so far, or all of them if ``smooth``).

    ``owners`` has the state that users see for each state of the chain. ``end`` is P(the sequence ends |
    state), if that is modelled.
    """

    start: FloatArray
    transition: FloatArray
    terms: Sequence[Term]
    owners: IntArray
    smooth: bool = False
    end: FloatArray | None = None

    @property
    def smaller(self) -> str:
        """Steps have states and columns."""
        return "fit with fewer states or columns"

    @property
    def operations(self) -> int:
        """Each pair of states, and the terms of each state."""
        states = len(self.start)
        return (1 + self.smooth) * states**2 + states * sum(1 + term_operations(term) for term in self.terms)


@dataclass(frozen=True)
class Limit:
    """The most operations for a row (or step) of a language, and what to do about more, after "or"."""

    operations: int
    remedy: str = field(default="")

    def check(self, program: Program) -> None:
        """Raise an error that counts what is too much."""
        if program.operations > self.operations:
            smaller = program.smaller[0].upper() + program.smaller[1:]
            raise BadQuestion(
                f"This export would need {program.operations:,} operations for a row; at most "
                f"{self.operations:,} are written. {smaller}, or {self.remedy}"
            )


def term_operations(term: Term) -> int:
    """How many numbers a term has for one class, or operations that it needs if those are more."""
    if isinstance(term, BumpTable):
        return max(len(bumps) for bumps in term.bumps)
    if isinstance(term, NormalMatrix):
        return len(term.numbers) ** 3 // 3 + len(term.numbers) ** 2
    if isinstance(term, ScoreTable):
        return max(1, term.logs.size // max(1, len(term.logs)))
    assert isinstance(term, NormalTable | PoissonTable)
    return 3


def log_of(table: FloatArray) -> FloatArray:
    """The logarithms of probabilities; −inf of 0."""
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(table)
    return logs
