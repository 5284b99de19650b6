"""Linear Gaussian series over time: the states behind the columns, and the columns themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.errors import BadQuestion, listed
from bayou.schema import Variable
from bayou.server.models.over_time.findings_at_steps import known_cells
from bayou.server.models.over_time.forms import OverTimeAnswer, OverTimeRequest, Track
from bayou.server.models.over_time.tracks import numbers_track


def series_beliefs(model: Any, request: OverTimeRequest) -> OverTimeAnswer:
    """Mean and deviation of all states and columns at all steps."""
    if model.inputs:
        raise BadQuestion(
            f"This model has inputs ({listed(model.inputs)}), which a strip over time has not: ask it for "
            "smooth and forecast, which take them."
        )
    known = known_cells(request, {name: Variable(name) for name in model.columns})
    found = (model.smooth if request.what == "smooth" else model.filter)(known.values)
    ahead = model.forecast(known.values, request.forecast) if request.forecast else None
    spread, tracks = found.deviations, []
    for k, name in enumerate(model.states):
        more = None
        if ahead is not None:
            more = (ahead.state_means[:, k], np.sqrt(np.maximum(ahead.state_covariances[:, k, k], 0.0)))
        tracks.append(numbers_track(name, found.means[:, k], spread[:, k], more))
    tracks += _columns(model, found, ahead, known.values)
    return OverTimeAnswer(model.log_likelihood(known.values), tracks, None, False, [])


def _columns(model: Any, found: Any, ahead: Any, values: dict[Any, list[Any]]) -> list[Track]:
    """The columns: known values, elsewhere what the states behind them say."""
    means = found.means @ model.observation.T
    noise = model.observation @ found.covariances @ model.observation.T + model.observation_noise
    deviations = np.sqrt(np.maximum(np.einsum("rii->ri", noise), 0.0))
    tracks = []
    for k, name in enumerate(model.columns):
        linked = [other for j, other in enumerate(model.columns) if j != k and model.observation_noise[k, j]]
        unclear = [step for step in range(len(means)) if any(values[o][step] is not None for o in linked)]
        own, spread = means[:, k].copy(), deviations[:, k].copy()
        # Noise that columns share: the others tell more of this one than the states do.
        own[unclear] = spread[unclear] = np.nan
        more = None if ahead is None else (ahead.means[:, k], ahead.deviations[:, k])
        tracks.append(numbers_track(name, own, spread, more, values[name]))
    return tracks
