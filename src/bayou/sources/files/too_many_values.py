"""Columns with more distinct values, or texts of more distinct words, than fit into the limit of memory."""

from __future__ import annotations

from bayou.errors import TooWide, counted
from bayou.memory import amount_text
from bayou.statistics import Statistics, TokenCounts

_VALUE_BYTES = 400
"""What a distinct value takes in counts of a stream: its label in several of them, its place, its cells."""
_SHARE = 0.3
"""Which part of the memory for reading files they may take."""

_WORD_BYTES, _CELL_BYTES = 300, 100
"""What a distinct word takes while texts are counted, by itself and for each class."""

_FEWEST = 1_000
"""So many values are never too many, however low the limit is."""


def refuse_too_many_values(statistics: Statistics, path: object, memory: float) -> None:
    """Raise if counts so far have more distinct values than fit into this memory; name the column."""
    distinct: dict[object, int] = {}
    for result in statistics.values():
        if isinstance(result, TokenCounts):
            _refuse_too_many_words(result, path, memory)
        for variable in result.labels:
            distinct[variable.name] = max(distinct.get(variable.name, 0), len(variable.states))
    most = max(_FEWEST, memory * _SHARE / _VALUE_BYTES)
    if sum(distinct.values()) <= most:
        return
    name = max(distinct, key=lambda each: distinct[each])
    raise TooWide(
        f"{path}: column {name!r} has {distinct[name]:,} distinct values so far, as identifiers or free "
        f"text have; counts of more than about {most:,.0f} do not fit into the memory for reading files "
        f"({amount_text(memory)}). Leave the column out, declare it as text or as a number if it is one, or "
        "allow more with bayou.limits(memory=…)."
    )


def _refuse_too_many_words(counts: TokenCounts, path: object, memory: float) -> None:
    """Raise if the words so far, with their counts by class, do not fit into a part of this memory."""
    word = _WORD_BYTES + _CELL_BYTES * counts.classes.cardinality
    most = max(_FEWEST, memory * _SHARE / word)
    if counts.declared or len(counts.words) <= most:
        return
    raise TooWide(
        f"{path}: the texts of column {counts.variable!r} have {len(counts.words):,} distinct words so far; "
        f"counts of more than about {most:,.0f} by {counted(counts.classes.cardinality, 'class')} "
        f"do not fit into the memory for reading files ({amount_text(memory)}). Say which words count "
        "(vocabulary=…), make fewer of them (ngrams=1, min_length=3), or allow more with "
        "bayou.limits(memory=…)."
    )
