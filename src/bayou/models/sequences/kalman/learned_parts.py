"""Which parts and entries of a linear Gaussian model are learned, and in which shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.temporal.kalman.linear_system import COVARIANCES, MATRICES, PARTS, LinearSystem
from bayou.temporal.kalman.system_problem import FIXED, FULL, SHAPES
from bayou.typing import BoolArray


def fixed_entries(system: LinearSystem, given: Any, argument: str = "fixed") -> dict[str, BoolArray]:
    """The entries that are not learned: ``given`` has names of parts, or maps them to True or an array.

    ``argument`` is what messages call it.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    said = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, True)
    found = {}
    for part, entries in said.items():
        if part not in PARTS:
            raise BadQuestion.choice(argument, part, PARTS)
        shape = getattr(system, part).shape
        array = np.asarray(entries, dtype=bool)
        if array.ndim and (part in COVARIANCES or array.shape != shape):
            size = " × ".join(map(str, shape))
            raise BadQuestion(
                f"{argument}: {part!r} is fixed as a whole: give True."
                if part in COVARIANCES
                else f"{argument}: {part!r} needs True, or an array of {size} truth values."
            )
        found[part] = np.broadcast_to(array, shape).copy()
    return found


def shapes_given(given: Mapping[str, str] | None) -> dict[str, str]:
    """The shape of each covariance: full, diagonal, or a multiple of the present one."""
    for part, shape in (given or {}).items():
        if part not in COVARIANCES:
            raise BadQuestion.choice("shapes", part, COVARIANCES)
        if shape not in SHAPES:
            raise BadQuestion.choice(f"shapes of {part!r}", shape, SHAPES)
    return {part: (given or {}).get(part, FULL) for part in COVARIANCES}


def learned_parts(
    system: LinearSystem, fixed: Mapping[str, BoolArray], shapes: Mapping[str, str], several: bool
) -> tuple[dict[str, BoolArray], dict[str, str]]:
    """(the entries of each matrix that are learned, the shape of each covariance).

    One sequence has one start, which says nothing about how starts vary: with one, that is not learned.
    """
    free = {part: ~fixed.get(part, np.zeros(getattr(system, part).shape, bool)) for part in MATRICES}
    learned = {part: FIXED if part in fixed and fixed[part].all() else shapes[part] for part in COVARIANCES}
    if not several:
        learned["start_covariance"] = FIXED
    return free, learned
