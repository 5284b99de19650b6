"""The two classes whose odds are explained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.errors import BadQuestion
from bayou.schema import Variable
from bayou.typing import FloatArray, State


@dataclass(frozen=True)
class ClassPair:
    """The codes of the two classes whose odds are explained: ``of`` against ``against``."""

    of: int
    against: int

    def gap(self, logs: FloatArray) -> float:
        """Return the difference of the two classes' logarithms; 0 if both are equal (or both -inf)."""
        if logs[self.of] == logs[self.against]:
            return 0.0
        return float(logs[self.of] - logs[self.against])


def chosen_pair(classes: Variable, joint: FloatArray, of: State, against: State) -> ClassPair:
    """Return two classes by name; by default the most probable one against the second."""
    if classes.cardinality < 2:
        raise BadQuestion("There is only one class: odds need at least two.")
    ranked = np.argsort(-joint, kind="stable").tolist()
    second = None if against is None else classes.code(against)
    first = classes.code(of) if of is not None else next(code for code in ranked if code != second)
    second = next(code for code in ranked if code != first) if second is None else second
    if first == second:
        raise BadQuestion(f"Both classes are {classes.states[first]!r}: name two different classes.")
    if np.isneginf(joint[first]) and np.isneginf(joint[second]):
        raise BadQuestion(
            f"Both {classes.states[first]!r} and {classes.states[second]!r} have probability 0 for this row, "
            "so they have no odds. Name a class that is possible."
        )
    return ClassPair(first, second)
