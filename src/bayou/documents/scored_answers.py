"""Predicted classes from probabilities, and their scores against the true classes, some rows at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.codes import places_of_codes
from bayou.errors import counted
from bayou.schema import label, state_key

if TYPE_CHECKING:
    from bayou.decisions.scoring_rules import Scores
    from bayou.sources import CodedColumn
    from bayou.typing import FloatArray, State


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
    """Scores predicted probabilities some rows at a time; classes unknown to the model have probability 0."""

    def __init__(self, classes: tuple[State, ...]) -> None:
        from bayou.decisions.score_sums import ScoreSums

        self.classes = list(classes)
        self._places = {state_key(state): place for place, state in enumerate(classes)}
        self._known = len(classes)
        self._sums = ScoreSums(len(classes))
        self.unlabelled = 0

    def add(self, truth: CodedColumn, probabilities: FloatArray) -> None:
        """Add rows; those without a true class or without probabilities are not scored."""
        for state in truth.labels:
            if state_key(state) not in self._places:
                self._places[state_key(state)] = len(self.classes)
                self.classes.append(state)
        places = places_of_codes(truth.codes, [self._places[state_key(state)] for state in truth.labels])
        self.unlabelled += int((places < 0).sum())
        scored = (places >= 0) & ~np.isnan(probabilities).any(axis=1)
        self._sums.widen(len(self.classes))
        every = np.zeros((int(scored.sum()), len(self.classes)))
        every[:, : self._known] = probabilities[scored]
        self._sums.add(places[scored], every, None, rank=True)

    @cached_property
    def scores(self) -> Scores | None:
        """The scores of all rows, once they were added; None if no row could be scored."""
        from bayou.decisions.scoring_rules import scores_from

        return scores_from(self._sums, tuple(self.classes)) if self._sums.rows else None

    def lines(self) -> list[str]:
        """Return the scores as lines of text."""
        scores = self.scores
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
