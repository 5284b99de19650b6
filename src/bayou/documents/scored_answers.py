"""Predicted classes from probabilities, and their scores against the true classes, some rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import counted
from bayou.schema import label, state_key

if TYPE_CHECKING:
    from bayou.decisions.scoring_rules import Scores
    from bayou.sources import CodedColumn
    from bayou.typing import FloatArray, IntArray, State


def impossible_rows(probabilities: FloatArray) -> int:
    """Return the number of rows without probabilities (NaN), because their findings are impossible."""
    return int(np.isnan(probabilities).any(axis=1).sum())


def most_probable_classes(probabilities: FloatArray, classes: tuple[State, ...]) -> list[State]:
    """The most probable class of each row; None if the findings are impossible.

    >>> most_probable_classes(np.array([[0.2, 0.8], [np.nan, np.nan]]), ("no", "yes"))
    ['yes', None]
    """
    states = (*classes, None)
    impossible = np.isnan(probabilities).any(axis=1)
    places = np.where(impossible, len(classes), np.nan_to_num(probabilities).argmax(axis=1))
    return [states[place] for place in places.tolist()]


def answer_columns(
    probabilities: FloatArray, classes: tuple[State, ...], kind: str, proba: bool
) -> list[Any]:
    """Return the predicted classes as a column of SQL type ``kind``.

    With ``proba`` one column of probabilities per class follows.
    """
    best = most_probable_classes(probabilities, classes)
    chosen = np.empty(len(best), dtype=object)
    chosen[:] = best if kind != "VARCHAR" else [None if state is None else label(state) for state in best]
    return [chosen, *(np.ascontiguousarray(column) for column in probabilities.T)] if proba else [chosen]


class ScoreTally:
    """Collects true classes and predicted probabilities; classes unknown to the model have probability 0."""

    def __init__(self, classes: tuple[State, ...]) -> None:
        self.classes = list(classes)
        self._places = {state_key(state): place for place, state in enumerate(classes)}
        self._known = len(classes)
        self._truth: list[IntArray] = []
        self._probabilities: list[FloatArray] = []
        self.unlabelled = 0

    def add(self, truth: CodedColumn, probabilities: FloatArray) -> None:
        """Add rows; those without a true class or without probabilities are not scored."""
        for state in truth.labels:
            if state_key(state) not in self._places:
                self._places[state_key(state)] = len(self.classes)
                self.classes.append(state)
        # The missing code is larger than every label's, and is clipped to the last entry, -1.
        places = np.array([*(self._places[state_key(state)] for state in truth.labels), -1])
        codes = places[np.minimum(truth.codes, len(truth.labels)).astype(np.intp)]
        self.unlabelled += int((codes < 0).sum())
        scored = (codes >= 0) & ~np.isnan(probabilities).any(axis=1)
        self._truth.append(codes[scored])
        self._probabilities.append(probabilities[scored])

    def scores(self) -> Scores | None:
        """Return the scores of all rows added; None if no row could be scored."""
        from bayou.decisions.scoring_rules import scores_of

        truth, probabilities = np.concatenate(self._truth), np.concatenate(self._probabilities)
        if not len(truth):
            return None
        whole = np.zeros((len(truth), len(self.classes)))
        whole[:, : self._known] = probabilities
        return scores_of(truth, whole, tuple(self.classes))

    def lines(self) -> list[str]:
        """Return the scores as lines of text."""
        scores = self.scores()
        if scores is None:
            return ["No row has a label to score by."]
        lines = [
            f"Of {counted(scores.rows, 'labelled row')}: accuracy {scores.accuracy:.4f} "
            f"(balanced {scores.balanced_accuracy:.4f}), "
            f"log-loss {scores.log_loss:.4f}, Brier {scores.brier:.4f}, ECE {scores.ece:.4f}."
        ]
        if self.unlabelled:
            lines.append(f"Not scored: {counted(self.unlabelled, 'row')} without a label.")
        unknown = self.classes[self._known :]
        if unknown:
            lines.append(f"Classes that the model does not know: {', '.join(map(repr, unknown))}.")
        return lines
