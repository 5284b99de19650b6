"""Probabilities as answers, and answers beside the truth, a stretch of rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.schema import label, state_key

if TYPE_CHECKING:
    from bayou.decisions.scores import Scores
    from bayou.sources import CodedColumn
    from bayou.typing import FloatArray, IntArray, State


def lost_rows(said: FloatArray) -> int:
    """How many rows have no probabilities, because their findings are impossible."""
    return int(np.isnan(said).any(axis=1).sum())


def winners(said: FloatArray, classes: tuple[State, ...]) -> list[State]:
    """The most probable class of each row, None where the findings are impossible.

    >>> winners(np.array([[0.2, 0.8], [np.nan, np.nan]]), ("no", "yes"))
    ['yes', None]
    """
    states = (*classes, None)
    lost = np.isnan(said).any(axis=1)
    places = np.where(lost, len(classes), np.nan_to_num(said).argmax(axis=1))
    return [states[place] for place in places.tolist()]


def answer_columns(said: FloatArray, classes: tuple[State, ...], kind: str, proba: bool) -> list[Any]:
    """The winners as a column of this SQL type and, if wanted, a column of probabilities for each class."""
    best = winners(said, classes)
    chosen = np.empty(len(best), dtype=object)
    chosen[:] = best if kind != "VARCHAR" else [None if state is None else label(state) for state in best]
    return [chosen, *(np.ascontiguousarray(column) for column in said.T)] if proba else [chosen]


class ScoreTally:
    """The true classes and the probabilities so far; classes that the model does not know have none."""

    def __init__(self, classes: tuple[State, ...]) -> None:
        self.classes = list(classes)
        self._places = {state_key(state): place for place, state in enumerate(classes)}
        self._known = len(classes)
        self._truth: list[IntArray] = []
        self._said: list[FloatArray] = []
        self.unlabelled = 0

    def add(self, truth: CodedColumn, said: FloatArray) -> None:
        """Some more rows; those without a label or without an answer are not judged."""
        for state in truth.labels:
            if state_key(state) not in self._places:
                self._places[state_key(state)] = len(self.classes)
                self.classes.append(state)
        places = np.array([*(self._places[state_key(state)] for state in truth.labels), -1])
        codes = places[np.minimum(truth.codes, len(truth.labels)).astype(np.intp)]
        self.unlabelled += int((codes < 0).sum())
        judged = (codes >= 0) & ~np.isnan(said).any(axis=1)
        self._truth.append(codes[judged])
        self._said.append(said[judged])

    def scores(self) -> Scores | None:
        """What the predictions are worth; None where no row could be judged."""
        from bayou.decisions.scores import scores_of

        truth, said = np.concatenate(self._truth), np.concatenate(self._said)
        if not len(truth):
            return None
        whole = np.zeros((len(truth), len(self.classes)))
        whole[:, : self._known] = said
        return scores_of(truth, whole, tuple(self.classes))

    def lines(self) -> list[str]:
        """The scores in words."""
        scores = self.scores()
        if scores is None:
            return ["No row has a label to score by."]
        lines = [
            f"Of {scores.rows:,} labelled rows: accuracy {scores.accuracy:.4f}, "
            f"log-loss {scores.log_loss:.4f}, Brier {scores.brier:.4f}, ECE {scores.ece:.4f}."
        ]
        if self.unlabelled:
            lines.append(f"{self.unlabelled:,} rows without a label were not scored.")
        strange = self.classes[self._known :]
        if strange:
            lines.append(f"Classes that the model does not know: {', '.join(map(repr, strange))}.")
        return lines
