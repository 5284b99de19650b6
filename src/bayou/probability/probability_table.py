"""A probability table with named axes, and the rules of probability on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import real_number, whole_number
from bayou.errors import BadQuestion
from bayou.frames import pandas_frame
from bayou.probability import table_algebra as algebra
from bayou.probability.table_algebra import LabelledArray
from bayou.probability.table_independence import IndependenceTest, independence_test, mutual_information
from bayou.probability.table_layout import printed_table
from bayou.probability.table_values import (
    axis_schema,
    checked_rows,
    conditional_cells,
    read_values,
    state_tuples,
)
from bayou.schema import Variable
from bayou.schema.states import label
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    import pandas

_ROUNDING = 1e-12
"""Probabilities that differ by no more than this are equal."""


class ProbabilityTable(PrintedTable):
    """P(targets | given) over named axes with named states; with nothing given, a joint distribution.

    ``values`` are numbers in the order of the axes, or a mapping from tuples of states. The entries (of
    each row if ``given`` names axes) must sum to 1; ``normalise=True`` divides them by their sum.

    Raises ``BadTable`` for numbers below 0, or that do not sum to 1.

    >>> axes = {"weather": ["sun", "rain"], "traffic": ["light", "heavy"]}
    >>> t = ProbabilityTable(axes, [[.4, .1], [.2, .3]])
    >>> print(t.given("traffic"))
    P(weather | traffic)
    traffic  sun     rain
    light    0.6667  0.3333
    heavy    0.2500  0.7500
    >>> t.probability_of_any([{"weather": "sun"}, {"traffic": "light"}])
    0.7
    """

    __slots__ = ("_labelled",)

    def __init__(
        self,
        axes: Mapping[Any, Iterable[State]] | Iterable[Variable],
        values: Any,
        *,
        given: Name | Iterable[Name] = (),
        normalise: bool = False,
    ) -> None:
        schema = axis_schema(axes)
        conditions = tuple(LabelledArray(schema, np.empty(0)).axes(given))
        if len(conditions) == len(schema):
            raise BadQuestion("A table needs an axis that is not given: P(targets | given).")
        title = algebra.table_title(schema, conditions)
        array = checked_rows(read_values(schema, values, title), schema, conditions, title, normalise)
        self._labelled = LabelledArray(schema, array, conditions)

    @classmethod
    def distribution(
        cls, name: Name, values: Mapping[Any, float], *, normalise: bool = False
    ) -> ProbabilityTable:
        """Create P(name) from a mapping state -> probability.

        Raises ``BadTable`` for numbers that are no probabilities.

        >>> ProbabilityTable.distribution("disease", {"cancer": .008, "healthy": .992})["cancer"]
        0.008
        """
        return cls({name: list(values)}, values, normalise=normalise)

    @classmethod
    def conditional(
        cls,
        target: Name,
        rows: Mapping[Any, Mapping[Any, float]],
        *,
        given: Name | Iterable[Name],
        normalise: bool = False,
    ) -> ProbabilityTable:
        """Create P(target | given) from one row of probabilities per state (tuple of states) of ``given``.

        Raises ``BadTable`` for numbers that are no probabilities.

        >>> test = ProbabilityTable.conditional(
        ...     "test", {"cancer": {"+": .98, "-": .02}, "healthy": {"+": .03, "-": .97}}, given="disease")
        >>> prior = ProbabilityTable.distribution("disease", {"cancer": .008, "healthy": .992})
        >>> print((prior * test).condition({"test": "+"}))
        P(disease | test=+)
        disease  P
        cancer   0.2085  ██▏
        healthy  0.7915  ███████▉
        """
        axes, cells = conditional_cells(target, rows, given)
        return cls(axes, cells, given=list(axes)[:-1], normalise=normalise)

    @classmethod
    def of(cls, data: LabelledArray) -> ProbabilityTable:
        """Create a table from data known to be valid, such as results of inference; nothing is checked."""
        table = object.__new__(cls)
        table._labelled = data
        return table

    @property
    def _data(self) -> LabelledArray:
        """The numbers with their axes."""
        return self._labelled

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the axes, in order."""
        return self._data.schema.variables

    @property
    def names(self) -> tuple[Name, ...]:
        """The names of the axes, in order."""
        return self._data.schema.names

    @property
    def targets(self) -> tuple[Name, ...]:
        """The names left of the bar in P(targets | conditions)."""
        return tuple(self.names[axis] for axis in self._data.targets)

    @property
    def conditions(self) -> tuple[Name, ...]:
        """The names right of the bar; none for a joint table."""
        return tuple(self.names[axis] for axis in self._data.conditions)

    @property
    def title(self) -> str:
        """The table in the usual notation, such as ``P(a | b)``."""
        return self._data.title

    def marginal(self, names: Name | Iterable[Name]) -> ProbabilityTable:
        """Sum out all other targets; the axes have the order of ``names``.

        Raises ``UnknownVariable`` for a name that no axis has.

        >>> two = ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> two.marginal("b").to_array().round(12).tolist()
        [0.6, 0.4]
        """
        return ProbabilityTable.of(algebra.marginal(self._data, names))

    def total(self, names: Name | Iterable[Name]) -> ProbabilityTable:
        """The law of total probability, P(x) = Σ P(x | y) P(y): the same as :meth:`marginal`.

        Raises ``UnknownVariable`` for a name that no axis has.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> two.total("b").to_array().round(3).tolist()
        [0.6, 0.4]
        """
        return self.marginal(names)

    def condition(self, findings: Mapping[Any, State]) -> ProbabilityTable:
        """The distribution of the other variables given the findings (Bayes' theorem on a joint table).

        Raises ``UnknownVariable`` for a name that no axis has, ``UnknownState`` for a value that is no state,
        and ``ImpossibleEvidence`` for findings of probability 0.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> two.condition({"a": 0}).to_array().round(3).tolist()
        [0.8, 0.2]
        """
        return ProbabilityTable.of(algebra.condition(self._data, findings))

    def given(self, *names: Name) -> ProbabilityTable:
        """P(other variables | names) from a joint table, with one row per state of the names.

        Raises ``UnknownVariable`` for a name that no axis has.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> print(two.given("a"))
        P(b | a)
        a  0       1
        0  0.8000  0.2000
        1  0.4000  0.6000
        """
        return ProbabilityTable.of(algebra.given(self._data, names[0] if len(names) == 1 else names))

    def __mul__(self, other: ProbabilityTable) -> ProbabilityTable:
        """The product rule, axes matched by name: P(a) * P(b | a) is P(a, b)."""
        if not isinstance(other, ProbabilityTable):
            return NotImplemented
        return ProbabilityTable.of(algebra.product(self._data, other._data))

    def probability(self, event: Mapping[Any, Any], *, given: Mapping[Any, State] | None = None) -> float:
        """The probability of an event: all its variables have the given state (or one of a list or set).

        Raises ``UnknownVariable`` for a name that no axis has, ``UnknownState`` for a value that is no state,
        and ``ImpossibleEvidence`` for findings of probability 0.

        >>> die = ProbabilityTable({"die": [1, 2, 3, 4, 5, 6]}, [1] * 6, normalise=True)
        >>> round(die.probability({"die": [2, 4, 6]}), 12)
        0.5
        """
        return self.probability_of_any([event], given=given)

    def probability_of_any(
        self, events: Iterable[Mapping[Any, Any]], *, given: Mapping[Any, State] | None = None
    ) -> float:
        """The probability that at least one of the events holds (A or B).

        Raises ``UnknownVariable`` for a name that no axis has, and ``UnknownState`` for a value that is no
        state.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> round(two.probability_of_any([{"a": 0}, {"b": 0}]), 3)
        0.7
        """
        data = algebra.condition(self._data, given) if given else self._data
        return algebra.probability_of_any(data, events)

    def independent(
        self,
        left: Name | Iterable[Name],
        right: Name | Iterable[Name],
        given: Name | Iterable[Name] = (),
        tolerance: float = 1e-12,
    ) -> IndependenceTest:
        """Whether left and right are independent (given ``given``), with the largest difference found.

        Raises ``UnknownVariable`` for a name that no axis has, and ``BadQuestion`` for a name that is on both
        sides.

        >>> two = ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> print(two.independent("a", "b"))
        a ⟂ b does not hold: the largest gap is 0.1000, at a = 0, b = 0.
        """
        return independence_test(self._data, left, right, given, tolerance)

    def mutual_information(
        self,
        left: Name | Iterable[Name],
        right: Name | Iterable[Name],
        given: Name | Iterable[Name] = (),
        base: float = 2,
    ) -> float:
        """The mutual information of left and right (given ``given``), in bits (or another ``base``).

        Raises ``UnknownVariable`` for a name that no axis has, and ``BadQuestion`` for a base that is none.

        >>> import bayou
        >>> round(bayou.examples.asia().query(["lung", "smoke"]).mutual_information("lung", "smoke"), 4)
        0.0324
        """
        algebra.refuse_conditions(self._data, "Mutual information")
        return mutual_information(self._data, left, right, given) / _log_of(base)

    def entropy(self, base: float = 2) -> float:
        """The entropy of the joint distribution, in bits (or another ``base``).

        Raises ``BadQuestion`` for a conditional table, or a base that is none.

        >>> ProbabilityTable({"coin": ["head", "tail"]}, [.5, .5]).entropy()
        1.0
        """
        algebra.refuse_conditions(self._data, "The entropy")
        positive = self._data.array[self._data.array > 0]
        return abs(float(-(positive * np.log(positive)).sum())) / _log_of(base)

    def argmax(self) -> State:
        """The most probable state (a tuple of states if there are several axes); the first of equals.

        Raises ``BadQuestion`` for a conditional table.

        >>> import bayou
        >>> bayou.examples.asia().query("lung", given={"xray": "yes", "smoke": "yes"}).argmax()
        'yes'
        """
        algebra.refuse_conditions(self._data, "The most probable state")
        place = np.unravel_index(int(self._data.array.argmax()), self._data.array.shape)
        return self._one_or_tuple(
            tuple(v.states[int(code)] for v, code in zip(self.variables, place, strict=True))
        )

    def close_to(self, other: ProbabilityTable, tolerance: float = 1e-12) -> bool:
        """Whether both tables are equal up to ``tolerance``, in any order of axes and states.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> two.close_to(two.marginal(["b", "a"]))
        True
        """
        return algebra.same_axes(self._data, other._data) and bool(
            np.abs(self._data.array - algebra.aligned(other._data, self._data.schema)).max() <= tolerance
        )

    def to_array(self) -> FloatArray:
        """The numbers in the order of the axes, as a copy.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> two.to_array().tolist()
        [[0.4, 0.1], [0.2, 0.3]]
        """
        return self._data.array.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """What ``numpy.asarray(table)`` gives: the numbers, as :meth:`to_array` does."""
        return np.array(self._data.array, dtype=dtype)

    def to_dict(self) -> dict[Any, float]:
        """{state: probability}, or {(state, …): probability} if there are several axes.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> two.to_dict()
        {(0, 0): 0.4, (0, 1): 0.1, (1, 0): 0.2, (1, 1): 0.3}
        """
        cells = dict(self)
        if len(cells) < len(self):
            raise BadQuestion(
                f"{self.title} has states that a dict cannot tell apart (1 and True); iterate instead."
            )
        return cells

    def to_frame(self) -> pandas.DataFrame:
        """A pandas data frame with one column per axis and one for the probability.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> two.to_frame().to_dict("list")
        {'a': [0, 0, 1, 1], 'b': [0, 1, 0, 1], 'probability': [0.4, 0.1, 0.2, 0.3]}
        """
        cells = list(state_tuples(self._data.schema))
        columns: dict[Any, Any] = {
            name: [cell[axis] for cell in cells] for axis, name in enumerate(self.names)
        }
        heading = "probability"
        while heading in columns:
            heading += "_"
        return pandas_frame({**columns, heading: self._data.array.ravel()}, "ProbabilityTable.to_frame")

    def __getitem__(self, states: Any) -> float:
        """The entry at one state per axis, in the order of the axes."""
        key = states if isinstance(states, tuple) and len(self.names) > 1 else (states,)
        if len(key) != len(self.names):
            named = ", ".join(label(name) for name in self.names)
            raise BadQuestion(f"Index {self.title} by one state each of: {named}; got {states!r}.")
        return float(
            self._data.array[tuple(v.code(state) for v, state in zip(self.variables, key, strict=True))]
        )

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        for states, value in zip(state_tuples(self._data.schema), self._data.array.ravel(), strict=True):
            yield self._one_or_tuple(states), float(value)

    def __len__(self) -> int:
        return int(self._data.array.size)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same axes and, up to rounding (1e-12), the same numbers.

        One answer may be computed in two ways, whose sums are rounded in another order.
        """
        if not isinstance(other, ProbabilityTable):
            return False
        same_axes = self.variables == other.variables and self.conditions == other.conditions
        return same_axes and np.allclose(
            self._data.array, other._data.array, rtol=0.0, atol=_ROUNDING, equal_nan=True
        )

    def __hash__(self) -> int:
        return hash((self.variables, self.conditions))

    def in_fractions(self, largest_denominator: int = 100) -> ProbabilityTable:
        """The same table, printed as fractions if each entry is one with a denominator up to this.

        Raises ``BadQuestion`` for a denominator below 1.

        >>> print(ProbabilityTable.distribution("R", {4: 2 / 3, 5: 1 / 3}).in_fractions())
        P(R)
        R  P
        4  2/3  ██████▋
        5  1/3  ███▍
        """
        largest = whole_number("largest_denominator", largest_denominator, 1)
        return ProbabilityTable.of(replace(self._data, largest_denominator=largest))

    def to_table(self) -> TextTable:
        """The table for printing: conditions in rows, the last target in columns.

        >>> import bayou
        >>> two = bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[.4, .1], [.2, .3]])
        >>> print(two.to_table())
        P(a, b)
        a  b=0     b=1
        0  0.4000  0.1000
        1  0.2000  0.3000
        """
        return printed_table(self._data)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{label(v.name)}: {v.cardinality} states" for v in self.variables)
        return f"<ProbabilityTable {self.title} over {sizes}>"

    def _one_or_tuple(self, states: tuple[State, ...]) -> State:
        return states[0] if len(self.names) == 1 else states


def _log_of(base: float) -> float:
    """The logarithm of the base in which information is counted."""
    expected = "give the base of the logarithm, a number above 0 other than 1, such as 2"
    found = real_number("base", base, 0, above=True, expected=expected)
    if found == 1:
        raise BadQuestion(f"base=1: {expected}.")
    return math.log(found)
