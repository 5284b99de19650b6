"""The result of cross-validation: a table of classifiers with the best marked, and all scores as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.codes import PlaceArray
from bayou.decisions.calibration import count_cell
from bayou.decisions.class_scores import score_text
from bayou.errors import UnknownVariable, counted, listed
from bayou.estimators.choosing.paired_losses import PairedDifference
from bayou.estimators.evaluation.model_scores import EvaluatedRows, ModelScores
from bayou.estimators.evaluation.score_differences import (
    all_differences,
    behind_the_best,
    differences_as_data,
    differences_table,
)
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text.tables import Cell, TextTable, seconds_text
from bayou.typing import Name, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

MEASURES: dict[str, tuple[str, Callable[..., float]]] = {
    "accuracy": ("accuracy", max),
    "balanced_accuracy": ("balanced", max),
    "auc": ("AUC", max),
    "f1": ("F1", max),
    "log_loss": ("log-loss", min),
    "brier": ("Brier", min),
    "ece": ("ECE", min),
}
"""The columns of the table: their titles, and whether the largest or the smallest value is the best."""
COST: dict[str, tuple[str, Callable[..., float]]] = {"cost": ("cost", min)}
BASELINE = "(class shares)"
"""The name of the baseline, which predicts the class shares for every row."""
FEW_ROWS, SMALL_SHARE = 10, 0.05
"""A class with fewer rows than this, and with a smaller share of all rows than this, is called tiny."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of several classifiers: ``result["tan"].accuracy``, ``result.best``, ``print(result)``.

    ``baseline`` has the scores of predicting the class shares for every row, whatever its features: what is
    not better than that has learned nothing.
    """

    target: Name
    judged: EvaluatedRows
    models: tuple[ModelScores, ...]
    baseline: ModelScores
    left_out: int = 0

    def __getitem__(self, name: str) -> ModelScores:
        for model in self.models:
            if model.name == name:
                return model
        raise UnknownVariable.named(name, [model.name for model in self.models], "among the classifiers")

    @property
    def classes(self) -> tuple[State, ...]:
        """The classes, in the order of the columns of probabilities."""
        return self.judged.classes

    @property
    def fold_of_row(self) -> PlaceArray:
        """The fold of each labelled row."""
        return self.judged.fold_of_row

    @property
    def best(self) -> ModelScores:
        """The classifier with the smallest log-loss."""
        return min(self.models, key=lambda model: model.log_loss)

    @property
    def cheapest(self) -> ModelScores:
        """The classifier with the smallest mean cost; without costs the one with the smallest log-loss."""
        if self.judged.costs is None:
            return self.best
        return min(self.models, key=lambda model: model.cost or 0.0)

    def differences(self, measure: str = "log_loss") -> dict[str, PairedDifference]:
        """How much more each classifier loses than the best, with the standard error of the difference.

        ``measure`` is ``"log_loss"``, or ``"cost"`` if there are costs. The rows are compared in pairs, which
        is far more certain than two scores by themselves; the error allows for training sets that overlap.

        Raises ``BadQuestion`` for another measure, ``NotAvailable`` where predictions were not kept.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 9, "z": [0, 1, 2] * 12, "y": ["no", "no", "yes", "yes"] * 9}
        >>> found = bayou.evaluate(["nb", "tan"], rows, "y", folds=3).differences()
        >>> sorted(found), min(one.mean for one in found.values())
        (['nb', 'tan'], 0.0)
        """
        return behind_the_best(self.models, measure, self.judged)

    @property
    def tables(self) -> tuple[TextTable, ...]:
        """All that is printed: scores, differences to the best, classes, confusion, and decisions."""
        behind = all_differences(self.models, self.judged)
        differences = [differences_table(behind)] if behind else []
        decisions = self.cheapest_decisions()
        shown = (self.to_table(), *differences, self.best_by_class(), self.best_confusion())
        return shown if decisions is None else (*shown, decisions)

    def cheapest_decisions(self) -> TextTable | None:
        """With costs: how often the rows of each class got each action, by the cheapest classifier.

        >>> import bayou
        >>> rows = {"wind": ["weak", "strong"] * 20, "sail": ["no", "yes"] * 20}
        >>> costs = {"go": {"no": 9, "yes": 0}, "stay": {"no": 0, "yes": 1}}
        >>> print(bayou.evaluate("nb", rows, "sail", costs=costs).cheapest_decisions())
        Decisions of nb, of least expected cost
        true \\ decided  go  stay  mean cost
        no               0    20  0
        yes             20     0  0
        """
        decisions = self.cheapest.scores.decisions
        title = f"Decisions of {self.cheapest.name}, of least expected cost"
        return None if decisions is None else decisions.to_table(title)

    @property
    def scheme(self) -> str:
        """The scheme of cross-validation in words."""
        count, rows = int(self.fold_of_row.max()) + 1, len(self.fold_of_row)
        how = "each row left out once" if count == rows else f"{count} folds"
        weights = self.judged.weights
        weighed = "" if weights is None else f" of weight {count_cell(weights.sum())}"
        why = "a label" if weights is None else "a label or of weight 0"
        gaps = f", {self.left_out:,} without {why} left out" if self.left_out else ""
        return f"{counted(rows, 'row')}{weighed}, {how}{gaps}"

    @property
    def measures(self) -> dict[str, tuple[str, Callable[..., float]]]:
        """The measures of the table: those of every evaluation, and the cost if there are costs."""
        return MEASURES if self.judged.costs is None else {**MEASURES, **COST}

    @property
    def tiny_classes(self) -> dict[State, int]:
        """Classes with so few rows that hardly anything is known of them, with their numbers of rows."""
        counts = self.judged.class_counts.tolist()
        most = min(FEW_ROWS, SMALL_SHARE * len(self.judged.truth))
        return {name: count for name, count in zip(self.classes, counts, strict=True) if count < most}

    @property
    def note(self) -> str:
        """What makes the scores less certain than they look; empty if there is nothing to say."""
        tiny = self.tiny_classes
        if not tiny:
            return ""
        few = sum(tiny.values())
        return (
            f"Only {few} of {len(self.judged.truth):,} rows {'has' if few == 1 else 'have'} {listed(tiny)} "
            f"in {label(self.target)}: how well that can be predicted is hardly known, and differences "
            f"between classifiers may be chance. Always predicting the most frequent class has accuracy "
            f"{self.baseline.accuracy:.4f} already; see the balanced measures."
        )

    def to_table(self) -> TextTable:
        """One row per classifier and one for the baseline.

        A star marks the best classifier of a column, if it is better than the baseline and no class is tiny.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 9, "y": ["no", "no", "yes", "yes"] * 9}
        >>> found = bayou.evaluate("nb", rows, "y", folds=3)
        >>> found.to_table().header
        ['model', 'accuracy', 'balanced', 'AUC', 'F1', 'log-loss', 'Brier', 'ECE', 'fit', 'predict']
        """
        rows: list[list[Cell]] = []
        for model in self.models:
            cells: list[Cell] = [model.name]
            for measure in self.measures:
                value = getattr(model, measure)
                cells.append(f"{score_text(value)}{'*' if self._has_star(measure, value) else ''}")
            rows.append([*cells, seconds_text(model.fit_seconds), seconds_text(model.predict_seconds)])
        numbers = [score_text(getattr(self.baseline, measure)) for measure in self.measures]
        rows.append([self.baseline.name, *numbers, "", ""])
        title = f"Predicting {label(self.target)}: {self.scheme}"
        titles = [text for text, _ in self.measures.values()]
        return TextTable(["model", *titles, "fit", "predict"], rows, title)

    def _has_star(self, measure: str, value: float) -> bool:
        """Whether a value is the best of several, and says something."""
        good = self.measures[measure][1]
        known = [one for one in (getattr(model, measure) for model in self.models) if one == one]
        if len(self.models) < 2 or self.tiny_classes or not known or value != good(known):
            return False
        chance = getattr(self.baseline, measure)
        return (
            measure == "ece" or bool(np.isnan(chance)) or (value != chance and good(value, chance) == value)
        )

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.tables), *filter(None, [self.note])])

    __repr__ = __str__

    def best_by_class(self) -> TextTable:
        """Precision, recall, F1, AUC and average precision of each class, by the best classifier.

        >>> import bayou
        >>> rows = {"wind": ["weak", "strong"] * 20, "sail": ["no", "yes"] * 20}
        >>> print(bayou.evaluate("nb", rows, "sail").best_by_class())
        Classes, by nb
        class  rows  precision  recall  F1      AUC     average precision
        no       20  1.0000     1.0000  1.0000  1.0000  1.0000
        yes      20  1.0000     1.0000  1.0000  1.0000  1.0000
        """
        return self.best.scores.class_table(f"Classes, by {self.best.name}")

    def best_confusion(self) -> TextTable:
        """The confusion matrix of the best classifier.

        >>> import bayou
        >>> rows = {"wind": ["weak", "strong"] * 20, "sail": ["no", "yes"] * 20}
        >>> print(bayou.evaluate("nb", rows, "sail").best_confusion())
        Confusion of nb
        true \\ predicted  no  yes  recognised
        no                20    0  1
        yes                0   20  1
        """
        table = self.best.confusion.to_table()
        return TextTable(table.header, table.rows, f"Confusion of {self.best.name}")

    def _repr_html_(self) -> str:
        import html

        note = f"<p>{html.escape(self.note)}</p>" if self.note else ""
        return "".join(table._repr_html_() for table in self.tables) + note

    def roc_plot(self, of: State = None, ax: Axes | None = None) -> Axes:
        """Draw the ROC curve of every classifier for a class; by default the second of two.

        Raises ``BadQuestion`` for a class that is not there.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 9, "y": ["no", "no", "yes", "yes"] * 9}
        >>> found = bayou.evaluate("nb", rows, "y", folds=3)
        >>> type(found.roc_plot()).__name__
        'Axes'
        """
        from bayou.plots import roc_plot

        return roc_plot({model.name: model.roc(of) for model in self.models}, ax)

    def precision_recall_plot(self, of: State = None, ax: Axes | None = None) -> Axes:
        """Draw precision against recall of every classifier for a class; by default the second of two.

        Raises ``BadQuestion`` for a class that is not there.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 9, "y": ["no", "no", "yes", "yes"] * 9}
        >>> found = bayou.evaluate("nb", rows, "y", folds=3)
        >>> type(found.precision_recall_plot()).__name__
        'Axes'
        """
        from bayou.plots import precision_recall_plot

        return precision_recall_plot({model.name: model.precision_recall(of) for model in self.models}, ax)

    def to_dict(self) -> dict[str, Any]:
        """The scores of every classifier, over all rows and in each fold, as plain data.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 9, "y": ["no", "no", "yes", "yes"] * 9}
        >>> found = bayou.evaluate("nb", rows, "y", folds=3)
        >>> found.to_dict()["target"]
        'y'
        """
        return {
            "target": self.target,
            "classes": list(self.classes),
            "rows": len(self.fold_of_row),
            "left_out": self.left_out,
            "folds": int(self.fold_of_row.max()) + 1,
            "best": self.best.name,
            **({} if self.judged.costs is None else {"cheapest": self.cheapest.name}),
            **differences_as_data(all_differences(self.models, self.judged)),
            "note": self.note,
            "models": [model.to_dict() for model in self.models],
            "baseline": self.baseline.scores.to_dict(),
        }

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row per classifier and fold.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 9, "y": ["no", "no", "yes", "yes"] * 9}
        >>> found = bayou.evaluate("nb", rows, "y", folds=3)
        >>> found.to_frame().columns.to_list()[:3]
        ['model', 'fold', 'rows']
        """
        rows = [(model, number, fold) for model in self.models for number, fold in enumerate(model.folds)]
        columns: dict[str, Any] = {
            "model": [model.name for model, _, _ in rows],
            "fold": np.array([number for _, number, _ in rows]),
        }
        for measure in ("rows", *self.measures):
            columns[measure] = np.array([getattr(fold.scores, measure) for _, _, fold in rows])
        for seconds in ("fit_seconds", "predict_seconds"):
            columns[seconds] = np.array([getattr(fold, seconds) for _, _, fold in rows])
        return pandas_frame(columns, "Evaluation.to_frame")
