"""What was observed, as series that a plot can draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadData, BadQuestion
from bayou.schema import label
from bayou.sources import read_columns
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.sequences.input.hmm_input import HMMInput
    from bayou.statistics.rows.sequence_batch import SequenceBatch

Series = list[tuple[str, FloatArray]]


def series_given(values: Any, steps: int) -> tuple[Series, list[str] | None]:
    """Series of numbers that a user gives: None, one, or a mapping from names; texts become symbols.

    >>> series_given([2, 4], 2)
    ([('value', array([2., 4.]))], None)
    >>> series_given(["b", "a"], 2)
    ([('value', array([1., 0.]))], ['a', 'b'])
    """
    if values is None:
        return [], None
    named = values if isinstance(values, Mapping) else {"value": values}
    found: Series = []
    for name, one in named.items():
        column = read_columns({name: one})
        if column.rows != steps:
            raise BadData(
                f"The path has {steps} steps, but {name!r} has {column.rows} values: give one for each."
            )
        if any(isinstance(cell, str) for cell in one):
            if len(named) > 1:
                raise BadQuestion(f"{name!r} has texts: draw it by itself.")
            coded = column.coded(name)
            words = sorted(map(label, coded.labels))
            places = [np.nan if cell is None else float(words.index(label(cell))) for cell in coded.values()]
            return [(label(name), np.array(places))], words
        found.append((label(name), np.asarray(column.numbers(name), dtype=np.float64)))
    return found, None


def series_observed(
    hmm: HMMInput, rows: SequenceBatch, columns: Name | Sequence[Name] | None
) -> tuple[Series, list[str] | None]:
    """The columns of a sequence as series: all columns of numbers, or one column of symbols."""
    declared, batch = hmm.chain.structure.declared, rows.batch
    drawable = [name for name in hmm.chain.columns if not declared[name].is_text]
    if columns is None:
        numbers = [name for name in drawable if declared[name].is_continuous]
        chosen = numbers or drawable[:1]
    else:
        chosen = [columns] if not isinstance(columns, list | tuple) else list(columns)
    for name in chosen:
        if name not in drawable:
            raise BadQuestion.choice("show", name, drawable)
    symbols = [name for name in chosen if not declared[name].is_continuous]
    if not symbols:
        return [(label(name), np.asarray(batch.numbers[name], dtype=np.float64)) for name in chosen], None
    if len(chosen) > 1:
        raise BadQuestion(f"{symbols[0]!r} has symbols: draw it by itself, with show={symbols[0]!r}.")
    variable = declared[symbols[0]]
    codes = batch.codes[variable.name].astype(np.float64)
    codes[codes >= variable.cardinality] = np.nan
    return [(label(variable.name), codes)], [label(state) for state in variable.states]


def cells_observed(hmm: HMMInput, rows: SequenceBatch) -> list[str]:
    """The observation of each step, in words; · where it is missing."""
    found: list[list[str]] = []
    for name in hmm.chain.columns:
        variable = hmm.chain.structure.declared[name]
        if variable.is_continuous:
            cells = rows.batch.numbers[name].tolist()
            found.append(["·" if cell is None or cell != cell else _short(cell) for cell in cells])
        else:
            words = [*(label(state) for state in variable.states)]
            codes = rows.batch.codes[name].tolist()
            found.append([words[code] if code < len(words) else "·" for code in codes])
    return ["\n".join(parts) for parts in zip(*found, strict=True)]


def _short(cell: Any) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)
