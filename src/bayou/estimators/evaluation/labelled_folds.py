"""The labelled rows of cross-validation that are too many for memory: learned from and predicted by parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

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
from bayou.typing import FloatArray, IntArray, Name, State

_COPIES = 3.0
"""How often rows are in memory while an estimator of another package learns: as read, a frame, its own."""


@dataclass(frozen=True, eq=False)
class LabelledFolds:
    """Rows with a class and a weight above 0 in ``rows``; ``every`` is the number of all rows.

    ``kept`` has the numbers of those with a class, ``truth`` the place of their class among ``classes``.
    """

    rows: LargeRows
    target: Name
    features: tuple[Name, ...]
    classes: tuple[State, ...]
    truth: IntArray
    kept: IntArray
    weights: FloatArray | None
    every: int

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
        classes, places = class_codes(target, read_columns(rows.file, names=[target])[target])
        used, weights = places >= 0, None
        if rows.weights is not None:
            weights = weights_of_column(read_columns(rows.file, names=[rows.weights]), rows.weights)
            used &= weights > 0
            if not used.any():
                raise BadData("All weights are 0: there is nothing to learn from.")
        kept = np.flatnonzero(used)
        features = tuple(name for name in names if name not in (target, rows.weights))
        of_kept = None if weights is None else weights[kept].astype(np.float64)
        return cls(rows, target, features, classes, places[kept], kept, of_kept, len(places))

    def require_learnable(self, model: Any) -> None:
        """Raise if an estimator of another package would need more memory than the limit allows."""
        if is_own(model):
            return
        needed = _COPIES * len(self.kept) * open_file(self.rows.file).bytes_per_row(self.features)
        if needed > reading_memory():
            raise TooWide(
                f"{type(model).__name__} learns from all rows at once, as estimators of other packages do: "
                f"{len(self.kept):,} rows need about {amount_text(needed)} of memory, and the limit is "
                f"{amount_text(reading_memory())}. Raise it (with bayou.limits(memory=…)), evaluate on some "
                "of the rows, or take a classifier of bayou, which learns from counts."
            )

    def learned(self, of_row: IntArray, fold: int, model: Any) -> Any:
        """Return the model after it has learned from all folds but one."""
        part = self._part(of_row, fold, inside=False)
        if is_own(model):
            if self.rows.weights is None:
                return model.fit(part, self.target)
            names = [*self.features, self.target]
            return model.fit(FileSource(part, names, weights=self.rows.weights), self.target)
        others = of_row != fold
        labels = label_array(self.classes)[self.truth[others]]
        given = {} if self.weights is None else {"sample_weight": self.weights[others]}
        return model.fit(foreign_rows(model, read_columns(part, names=self.features)), labels, **given)

    def answers(
        self, of_row: IntArray, fold: int, ask: Callable[[Any, Any], FloatArray], model: Any
    ) -> FloatArray:
        """What a model answers about the rows of a fold, some rows at a time: ``ask(model, rows)``."""
        part = self._part(of_row, fold, inside=True)
        if is_own(model):
            return ask(model, part)
        tables = FileSource(part, self.features).tables()
        return np.concatenate([ask(model, foreign_rows(model, t.columns)) for t in tables if t.columns.rows])

    def _part(self, of_row: IntArray, fold: int, inside: bool) -> DescribedFile:
        every = np.full(self.every, -1, dtype=np.int32)
        every[self.kept] = of_row
        return replace(self.rows.file, chosen=RowChoice(every, fold, inside))
