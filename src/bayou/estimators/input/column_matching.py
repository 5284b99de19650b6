"""One rule for the columns of new rows, whatever container they are in: they are found by name.

The target may be among them, their order is free, columns that were not in training are not used, and a
column that is absent is missing in every row; the user is told of both. Names that look misspelt, and quite
another table, are errors.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownVariable, listed, warn_user
from bayou.schema import state_key
from bayou.sources import CodedColumn, Columns
from bayou.typing import Name

_MOST_NAMED = 6
"""At most this many columns that are not used are named in a note."""
_LEAST_SHARE = 3
"""With less than one in so many features, and columns that are features, it is another table."""
_ALIKE = 0.8
"""Names of at least this similarity (difflib's ratio) may be one name, misspelt."""
_MOST_COMPARED = 40_000
"""More pairs of names than this are compared only up to case, blanks and punctuation."""


@dataclass(frozen=True)
class ColumnDifference:
    """The features without a column, and the columns that are no features."""

    absent: tuple[Name, ...]
    extra: tuple[Name, ...]

    @property
    def notes(self) -> list[str]:
        """What the user should know, in sentences."""
        told = []
        if self.absent:
            told.append(f"There is no column for {listed(self.absent)}: missing in every row.")
        if self.extra:
            told.append(self.extra_note)
        return told

    @property
    def extra_note(self) -> str:
        """The sentence about columns that are not used."""
        return f"Not used by the model: {listed(self.extra, _MOST_NAMED)}."


def compared_columns(
    features: Sequence[Name], columns: Sequence[Name], others: Collection[Name] = (), unknown: str = ""
) -> ColumnDifference:
    """Compare the columns of new rows with the features of a model.

    ``others`` are columns that may be there besides the features, such as the target. With
    ``unknown="error"`` an absent column is an error.

    >>> compared_columns(["wind", "sky"], ["sky", "play", "id"], others=["play"]).notes
    ["There is no column for 'wind': missing in every row.", "Not used by the model: 'id'."]
    >>> compared_columns(["wind", "sky"], ["sky", "Wind"])
    Traceback (most recent call last):
    ...
    bayou.errors.UnknownVariable: There is no feature 'Wind'. Did you mean 'wind'? Rename the column, or \
leave it out of the data.
    """
    present = {state_key(name) for name in columns}
    let_through = {state_key(name) for name in (*features, *others)}
    absent = tuple(name for name in features if state_key(name) not in present)
    extra = tuple(name for name in columns if state_key(name) not in let_through)
    _refuse_misspelt(extra, absent)
    if len(absent) == len(features):
        raise BadData.lacks(features, columns)
    _refuse_another_table(features, absent, extra)
    if absent and unknown == "error":
        raise BadData(
            f"There is no column for {listed(absent)}. Add it, or fit with unknown='missing': then it is "
            "missing in every row."
        )
    return ColumnDifference(absent, extra)


def tell_of_columns(estimator: Any, columns: Sequence[Name]) -> None:
    """Check the columns of new rows by the rule above; one warning names those absent and those not used."""
    others = [estimator.target_] if hasattr(estimator, "target_") else []
    unknown = getattr(estimator, "unknown", "")
    notes = compared_columns(learned_names(estimator), columns, others, unknown).notes
    if notes:
        warn_user(" ".join(notes))


def learned_names(estimator: Any) -> list[Name]:
    """Return the names of the training columns; an error if they had no names."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is None:
        raise BadData(
            f"This {type(estimator).__name__} was fitted on an array without column names; pass an array "
            f"with {estimator.n_features_in_} columns."
        )
    return list(known)


def with_gaps(table: Columns, names: Sequence[Name]) -> Columns:
    """Return a table with all these columns, in this order; the absent ones are missing in every row.

    >>> from bayou.sources import read_columns
    >>> with_gaps(read_columns({"a": [1, 2]}), ["b", "a"])["b"].values()
    [None, None]
    """
    if len(table.names) == len(names):
        return table
    gap = CodedColumn(np.full(table.rows, 0xFF, dtype=np.uint8), ())
    present = [name in table for name in names]
    columns = [table[name] if here else gap for name, here in zip(names, present, strict=True)]
    return Columns(names, columns, table.rows)


def _refuse_misspelt(extra: Sequence[Name], absent: Sequence[Name]) -> None:
    """Refuse a column that looks like an absent feature: its values would be dropped without a word."""
    if not extra or not absent:
        return
    import difflib

    folded = {_folded(name): name for name in absent}
    fuzzy = len(extra) * len(absent) <= _MOST_COMPARED
    for name in extra:
        text = _folded(name)
        meant = folded.get(text)
        if meant is None and fuzzy:
            candidates = [each for each in folded if _digits(each) == _digits(text)]
            near = difflib.get_close_matches(text, candidates, n=1, cutoff=_ALIKE)
            meant = folded[near[0]] if near else None
        if meant is not None:
            raise UnknownVariable.misspelt(name, meant)


def _folded(name: Name) -> str:
    """A name without case, blanks and punctuation."""
    text = str(name).casefold()
    return "".join(character for character in text if character.isalnum()) or text


def _digits(text: str) -> str:
    """The digits of a name: x1 and x2 are two names, none of them misspelt."""
    return "".join(character for character in text if character.isdigit())


def _refuse_another_table(features: Sequence[Name], absent: Collection[Name], extra: Sequence[Name]) -> None:
    """Refuse a table of which few columns are features, and that has few of the features."""
    shared = len(features) - len(absent)
    if _LEAST_SHARE * shared >= min(len(features), shared + len(extra)):
        return
    found = [name for name in features if name not in absent]
    raise BadData(
        f"This is another table: of the {len(features)} features it has only {listed(found)}, and "
        f"{len(extra)} of its columns are not features ({listed(extra, _MOST_NAMED)}). The absent features "
        f"are {listed(absent)}. If it is the right one, leave the other columns out."
    )
