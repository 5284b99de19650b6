"""The labelled rows of cross-validation that are too many for memory: learned from and predicted by parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.codes import PlaceArray
from bayou.errors import BadData, TooWide, UnknownVariable
from bayou.estimators.evaluation.foreign_rows import foreign_rows, is_own
from bayou.estimators.input.containers import is_column_name
from bayou.estimators.input.labelled_input import class_codes
from bayou.estimators.input.target import label_array
from bayou.memory import amount_text, reading_memory
from bayou.sources import FileSource, read_columns
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.file_options import DescribedFile
from bayou.sources.files.file_part import RowChoice
from bayou.sources.files.file_source import weights_of_column
from bayou.sources.stored_rows import LargeRows
from bayou.typing import BoolArray, FloatArray, Name, State

_COPIES = 3.0
"""How often rows are in memory while an estimator of another package learns: as read, a frame, its own."""


@dataclass(frozen=True, eq=False)
class LabelledFolds:
    """Rows with a class and a weight above 0 in ``rows``, which are too many for memory.

    ``used`` says which of all rows these are, ``truth`` is the place of their class among ``classes``.
    """

    rows: LargeRows
    target: Name
    features: tuple[Name, ...]
    classes: tuple[State, ...]
    truth: PlaceArray
    used: BoolArray
    weights: FloatArray | None

    @classmethod
    def of(cls, rows: LargeRows, target: Any) -> LabelledFolds:
        """Read the classes and the weights of the rows, nothing else."""
        if not is_column_name(target):
            raise BadData(
                "The rows are too many for memory, so the target must be one of their columns: name it, or "
                "raise the limit (with bayou.limits(memory=…))."
            )
        names = open_file(rows.file).names
        for name in (target, rows.weights):
            if name is not None and name not in names:
                raise UnknownVariable.named(name, names, "in the data")
        classes, places = class_codes(FileSource(rows.file, [target], largest_whole=0), target)
        used, weights = places >= 0, None
        if rows.weights is not None:
            weights = _weights(rows)
            used &= weights > 0
            if not used.any():
                raise BadData("All weights are 0: there is nothing to learn from.")
        features = tuple(name for name in names if name not in (target, rows.weights))
        if not used.all():
            places, weights = places[used], None if weights is None else weights[used]
        return cls(rows, target, features, classes, places, used, weights)

    def require_learnable(self, model: Any) -> None:
        """Raise if an estimator of another package would need more memory than the limit allows."""
        if is_own(model):
            return
        needed = _COPIES * len(self.truth) * open_file(self.rows.file).bytes_per_row(self.features)
        if needed > reading_memory():
            raise TooWide(
                f"{type(model).__name__} learns from all rows at once, as estimators of other packages do: "
                f"{len(self.truth):,} rows need about {amount_text(needed)} of memory, and the limit is "
                f"{amount_text(reading_memory())}. Raise it (with bayou.limits(memory=…)), evaluate on some "
                "of the rows, or take a classifier of bayou, which learns from counts."
            )

    def learned(self, of_row: PlaceArray, fold: int, model: Any) -> Any:
        """Return the model after it has learned from all folds but one."""
        part = self._part(of_row, fold, inside=False)
        if is_own(model):
            if self.rows.weights is None:
                return model.fit(part, self.target)
            names = [*self.features, self.target]
            return model.fit(FileSource(part, names, weights=self.rows.weights), self.target)
        others = of_row != fold
        labels = label_array(self.classes)[self.truth[others]]
        given = {} if self.weights is None else {"sample_weight": self.weights[others].astype(np.float64)}
        return model.fit(foreign_rows(model, read_columns(part, names=self.features)), labels, **given)

    def answers(
        self, of_row: PlaceArray, fold: int, ask: Callable[[Any, Any], Iterable[FloatArray]], model: Any
    ) -> Iterator[FloatArray]:
        """What a model answers about the rows of a fold in their order, some rows at a time.

        ``ask(model, rows)`` gives the answers about a file, or about a table, in blocks.
        """
        part = self._part(of_row, fold, inside=True)
        if is_own(model):
            yield from ask(model, part)
            return
        for table in FileSource(part, self.features).tables():
            if table.columns.rows:
                yield from ask(model, foreign_rows(model, table.columns))

    def _part(self, of_row: PlaceArray, fold: int, inside: bool) -> DescribedFile:
        every = of_row
        if len(of_row) < len(self.used):
            every = np.full(len(self.used), -1, dtype=of_row.dtype)
            every[self.used] = of_row
        return replace(self.rows.file, chosen=RowChoice(every, fold, inside))


def _weights(rows: LargeRows) -> FloatArray:
    """The weight of every row; whole numbers take few bytes."""
    assert rows.weights is not None
    parts = []
    for table in FileSource(rows.file, [rows.weights], largest_whole=0).tables():
        own = weights_of_column(table.columns, rows.weights)
        narrow = np.min_scalar_type(int(own.max(initial=0))) if own.dtype.kind == "i" else own.dtype
        parts.append(own.astype(narrow))
    return np.concatenate(parts)
