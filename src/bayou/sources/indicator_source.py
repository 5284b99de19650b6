"""A source with indicators in place of columns of states: numbers that are 1 where the column has a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bayou.schema import Variable, label
from bayou.statistics import Batch, Source
from bayou.typing import CodeArray, FloatArray, Name, State

Levels = Mapping[Name, tuple[State, ...]]
"""The states of each column; all but the first get an indicator (the only one, if there is one)."""


def indicator_names(names: Sequence[Name], levels: Levels) -> tuple[Name, ...]:
    """Return the columns with those of states replaced by their indicators.

    >>> indicator_names(["size", "colour"], {"colour": ("blue", "green", "red")})
    ('size', 'colour=green', 'colour=red')
    """
    found: list[Name] = []
    for name in names:
        found += [of_state for of_state, _ in indicators(name, levels[name])] if name in levels else [name]
    return tuple(found)


def indicators(name: Name, states: Sequence[State]) -> list[tuple[Name, int]]:
    """Return the name of each indicator of a column, and the place of its state.

    Texts have quotes where another state is written like one of them.

    >>> indicators("code", (0, 1, "1"))
    [('code=1', 1), ("code='1'", 2)]
    """
    shown = range(1, len(states)) if len(states) > 1 else range(len(states))
    texts = [label(states[place]) for place in shown]
    if len(set(texts)) < len(texts):
        own = [states[place] for place in shown]
        texts = [repr(s) if isinstance(s, str) else text for s, text in zip(own, texts, strict=True)]
    return [(f"{label(name)}={text}", place) for text, place in zip(texts, shown, strict=True)]


def indicator_values(codes: CodeArray, states: int, place: int) -> FloatArray:
    """Return 1 where a code is this place, 0 where it is another state, NaN where it is none.

    >>> indicator_values(np.array([0, 1, 255], dtype=np.uint8), states=2, place=1).tolist()
    [0.0, 1.0, nan]
    """
    meanings = np.append(np.arange(states) == place, np.nan).astype(np.float64)
    result: FloatArray = meanings[np.minimum(codes, states).astype(np.intp)]
    return result


class IndicatorSource(Source):
    """The rows of another source, with indicators in place of columns of states; others stay.

    A state that is not among the levels is missing.

    >>> from bayou.sources import open_source
    >>> days = open_source({"sky": ["blue", "grey", None]})
    >>> (batch,) = IndicatorSource(days, {"sky": ("blue", "grey")}).batches([Variable("sky=grey")])
    >>> batch.numbers["sky=grey"].tolist()
    [0.0, 1.0, nan]
    """

    def __init__(self, source: Source, levels: Levels) -> None:
        self.source, self._levels = source, levels
        self.is_streamed, self.gives_rows = source.is_streamed, source.gives_rows
        self._of = {new: (name, k) for name, s in levels.items() for new, k in indicators(name, s)}

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns, with indicators in place of columns of states."""
        return indicator_names(self.source.names, self._levels)

    def variable(self, name: Name) -> Variable:
        """A continuous variable for an indicator; else as in the source."""
        return Variable(name) if name in self._of else self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows, in row order."""
        wanted = [variable.name for variable in variables if variable.name in self._of]
        columns = dict.fromkeys(self._of[name][0] for name in wanted)
        read = [variable for variable in variables if variable.name not in self._of]
        read += [Variable(name, self._levels[name]) for name in columns]
        for batch in self.source.batches(read):
            numbers = {name: self._values(batch, name) for name in wanted}
            yield replace(batch, numbers={**batch.numbers, **numbers})

    def _values(self, batch: Batch, name: Name) -> FloatArray:
        column, place = self._of[name]
        return indicator_values(batch.codes[column], len(self._levels[column]), place)
