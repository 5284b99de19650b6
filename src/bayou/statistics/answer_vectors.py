"""The numbers that an answer consists of, in a form in which answers add: a vector for each answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bayou.typing import BoolArray, FloatArray


@dataclass(frozen=True)
class AnswerVectors:
    """Vectors for the answers to one request, whose sums belong to the sums of the answers.

    ``vector`` gives that of an answer, ``made`` the answer that belongs to a vector. ``counts`` marks the
    numbers that are never negative, and ``deviation`` is about how much each number of this answer would
    vary in other data: its unit, where numbers of different kinds are compared.
    """

    vector: Callable[[Any], FloatArray]
    made: Callable[[FloatArray], Any]
    counts: BoolArray
    deviation: Callable[[FloatArray], FloatArray]
