"""The classifiers that ``bayou.fit`` tries, in order of simplicity: the first ones are preferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayou.errors import BadQuestion, listed
from bayou.estimators.classifier_names import classifier_class
from bayou.sources import Columns
from bayou.sources.tables.columns import NumberColumn

MOST_COLUMNS = 300
"""Models of pairs of columns are not tried on more columns than this: their cost grows with the square."""
FEWEST_WORDS = 2.5
"""A column is one of documents, rather than of names, if its texts have more words than this on average."""


@dataclass(frozen=True)
class Candidate:
    """A classifier by its word on the command line, what it assumes, and why it may not suit a table."""

    word: str
    assumes: str
    unsuited: Callable[[Columns], str] = lambda features: ""
    """Why it is not tried on a table with these features; empty if it is."""

    @property
    def maker(self) -> type[Any]:
        """The class of the classifier."""
        return classifier_class(self.word)

    def lacking(self, settings: Mapping[str, Any]) -> str:
        """Which of the settings it does not have, in words; empty if it has all."""
        known = self.maker._get_param_names()
        absent = [name for name in settings if name not in known]
        return f"it has no {absent[0]}=" if absent else ""


def _too_wide(features: Columns) -> str:
    columns = len(features.names)
    return f"more than {MOST_COLUMNS} columns" if columns > MOST_COLUMNS else ""


def _one_column(features: Columns) -> str:
    return "only one column" if len(features.names) < 2 else _too_wide(features)


def _no_numbers(features: Columns) -> str:
    numbers = [name for name in features.names if isinstance(features[name], NumberColumn)]
    return _too_wide(features) if numbers else "no column of numbers"


def _no_documents(features: Columns) -> str:
    """Text naive Bayes reads one column of documents; a column of names is better counted as it is."""
    if len(features.names) != 1:
        return "not one column of texts"
    (column,) = (features[name] for name in features.names)
    if isinstance(column, NumberColumn) or not all(isinstance(text, str) for text in column.labels):
        return "not one column of texts"
    words = sum(len(str(text).split()) for text in column.labels)
    return "" if words > FEWEST_WORDS * max(1, len(column.labels)) else "texts of a word or two"


CANDIDATES = (
    Candidate("nb", "columns are independent given the class"),
    Candidate("text", "words are independent given the class", _no_documents),
    Candidate("gaussian", "numbers are normal given the class", _no_numbers),
    Candidate("chow-liu", "columns and class form a tree", _one_column),
    Candidate("tan", "each column depends on one other", _one_column),
    Candidate("kdb", "each column depends on two others", _one_column),
    Candidate("aode", "a mean of models, one for each column", _one_column),
    Candidate("ensemble", "a pool of tables, trees and Gaussian classes"),
)
"""In order of simplicity: how many columns each column may depend on, then how many models vote."""


def candidates_named(words: Sequence[str] | None) -> tuple[Candidate, ...]:
    """Return the candidates of these words (None: all), in the order of simplicity.

    >>> [candidate.word for candidate in candidates_named(["tan", "nb"])]
    ['nb', 'tan']
    """
    known = [candidate.word for candidate in CANDIDATES]
    if words is None:
        return CANDIDATES
    if not isinstance(words, Iterable):
        raise BadQuestion(f"models={words!r}: give a list of {listed(known, limit=20)}.")
    wanted = [words] if isinstance(words, str) else list(words)
    unknown = [word for word in wanted if word not in known]
    if unknown or not wanted:
        what = f"there is no {unknown[0]!r}" if unknown else "it is empty"
        raise BadQuestion(
            f"models={words!r}: {what}. Name some of {listed(known, limit=20)}; fit any other classifier by "
            "itself, and compare with bayou.evaluate."
        )
    return tuple(candidate for candidate in CANDIDATES if candidate.word in wanted)
