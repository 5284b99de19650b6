"""Smoothing with unknown states: paths of states are drawn given the whole sequence, and given each path the
numbers are smoothed exactly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.switching_particles import (
    SwitchingEstimates,
    SwitchingSettings,
    drawn_paths,
)
from bayou.typing import FloatArray

_CELLS = 2**22
"""About so many numbers of paths are smoothed at once."""


def smoothed_by_paths(
    model: MixedModel, evidence: MixedEvidence, sequence: int, settings: SwitchingSettings
) -> SwitchingEstimates:
    """The answer about one sequence: the mean over paths. Errors are those of drawing so many paths."""
    one = evidence.of(sequence)
    drawn = drawn_paths(model, evidence, sequence, settings)
    count = len(drawn.states)
    means, spreads = _smoothed_numbers(model, one, drawn.states)
    centre = means.mean(axis=0)
    apart = means - centre
    shares, errors = {}, {}
    for k, name in enumerate(model.layout.states):
        states = np.eye(model.variables[name].cardinality)[drawn.states[:, :, k]]
        shares[name] = states.mean(axis=0)
        drawn_error = np.hypot(states.std(axis=0) / np.sqrt(count), 1 / count)
        errors[name] = np.where(one.known(name)[:, None], 0.0, drawn_error)
    return SwitchingEstimates(
        drawn.log_likelihood,
        None,
        drawn.effective_sizes,
        shares,
        errors,
        centre,
        (spreads + apart**2).mean(axis=0),
        means.std(axis=0) / np.sqrt(count),
    )


def _smoothed_numbers(
    model: MixedModel, one: MixedEvidence, states: npt.NDArray[np.uint32]
) -> tuple[FloatArray, FloatArray]:
    """(means, variances) [path, row, number] of the numbers given each path."""
    count, rows = len(states), one.rows
    width = len(model.layout.numbers)
    together = max(1, _CELLS // max(1, rows * width * width))
    found = []
    for first in range(0, count, together):
        part = states[first : first + together]
        _, means, covariances = model.smoothed(one.along(part))
        spreads = np.einsum("rii->ri", covariances)
        shape = (len(part), rows, width)
        found.append((means.reshape(shape), spreads.reshape(shape)))
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])
