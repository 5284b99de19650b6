"""Dynamic networks over time: every variable of every slice."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.schema import Variable
from bayou.server.messages import encoded
from bayou.server.models.over_time.findings_at_steps import known_cells
from bayou.server.models.over_time.forms import BestTrack, OverTimeAnswer, OverTimeRequest, Track
from bayou.server.models.over_time.tracks import numbers_track, shares_track
from bayou.server.models.told_notes import told_notes
from bayou.typing import Name


def slice_beliefs(net: Any, request: OverTimeRequest) -> OverTimeAnswer:
    """The beliefs of all variables at all steps."""
    variables = dict(net.variables)
    known = known_cells(request, variables)
    how = {"likelihood": known.likelihood()}
    with told_notes() as notes:
        ask = net.smooth if request.what == "smooth" else net.filter
        found = ask(known.values, net.names, **how)
        ahead = net.forecast(known.values, request.forecast, **how) if request.forecast else {}
        best = net.most_probable(known.values, **how) if request.path else None
    tracks = [_track(variables[name], found[name], ahead, request.forecast) for name in net.names]
    path = None if best is None else [_best(name, own) for name, own in best.items()]
    return OverTimeAnswer(found.log_likelihood, tracks, path, bool(found.approximate), notes)


def _track(variable: Variable, own: Any, ahead: Any, more: int) -> Track:
    name = variable.name
    further = ahead.get(name)
    if variable.is_continuous:
        known = more if further is None else (further.means, further.deviations)
        return numbers_track(name, own.means, own.deviations, known)
    gone = np.full((more, variable.cardinality), np.nan)
    return shares_track(variable, own.probabilities, gone if further is None else further.probabilities)


def _best(name: Name, own: Any) -> BestTrack:
    if hasattr(own, "codes"):
        return BestTrack(encoded(name), states=own.codes.tolist())
    return BestTrack(encoded(name), values=[float(value) for value in own])
