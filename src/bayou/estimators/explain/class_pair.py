"""The two classes that a row is weighed between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.errors import BadQuestion
from bayou.schema import Variable
from bayou.typing import FloatArray, State


@dataclass(frozen=True)
class Pair:
    """The two classes that are weighed against each other, by code."""

    of: int
    against: int

    def gap(self, logs: FloatArray) -> float:
        """log of the one minus log of the other; nothing where both are impossible alike."""
        if logs[self.of] == logs[self.against]:
            return 0.0
        return float(logs[self.of] - logs[self.against])


def chosen_pair(classes: Variable, joint: FloatArray, of: State, against: State) -> Pair:
    """Two classes by name; what is not named is the most probable class, or the next."""
    if classes.cardinality < 2:
        raise BadQuestion("There is one class only: it has no odds against another.")
    ranked = np.argsort(-joint, kind="stable").tolist()
    second = None if against is None else classes.code(against)
    first = classes.code(of) if of is not None else next(code for code in ranked if code != second)
    second = next(code for code in ranked if code != first) if second is None else second
    if first == second:
        raise BadQuestion(f"{classes.states[first]!r} has no odds against itself: name two classes.")
    if np.isneginf(joint[first]) and np.isneginf(joint[second]):
        raise BadQuestion(
            f"Both {classes.states[first]!r} and {classes.states[second]!r} have probability 0 for this row: "
            "there are no odds between them. Name a class that is possible."
        )
    return Pair(first, second)
