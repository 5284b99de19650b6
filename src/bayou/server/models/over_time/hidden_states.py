"""Hidden Markov models over time: the hidden state, and what each column shows or will show."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.models.sequences.forecast import forecast
from bayou.schema import Variable
from bayou.server.messages import encoded
from bayou.server.models.over_time.findings_at_steps import KnownCells, known_cells
from bayou.server.models.over_time.forms import BestTrack, OverTimeAnswer, OverTimeRequest, Track
from bayou.server.models.over_time.tracks import numbers_track, shares_track
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.weighted_chain import WeightedChain
from bayou.typing import FloatArray, Name


def hidden_state_beliefs(hmm: Any, request: OverTimeRequest) -> OverTimeAnswer:
    """The beliefs of the state and of all columns at all steps."""
    chain = hmm.chain
    hidden = chain.user_state
    columns = {name: chain.structure.declared[name] for name in chain.columns}
    known = known_cells(request, {hidden.name: hidden, **columns})
    rows = hmm.rows_asked({name: known.values[name] for name in columns})
    weighted = _weighted(hmm.model, known)
    logs, _, states = weighted.filtered(rows)
    weighted.refuse_impossible(rows, logs)
    last = states[-1]
    if request.what == "smooth":
        _, states = weighted.smoothed(rows)
    ahead = forecast(hmm.model, last, request.forecast) if request.forecast else None
    tracks = [shares_track(hidden, chain.folded(states), None if ahead is None else ahead.states)]
    tracks += [_column_track(hmm.model, variable, states, known, ahead) for variable in columns.values()]
    path = None
    if request.path:
        codes, _ = weighted.decoded(rows)
        path = [BestTrack(encoded(hidden.name), states=chain.seen_codes(codes).tolist())]
    return OverTimeAnswer(float(logs[0]), tracks, path, False, [])


def _weighted(model: ChainModel, known: KnownCells) -> ChainModel:
    """The model with what is known of the state itself, and with weights of symbols; itself without any."""
    hidden = model.chain.user_state
    steps = len(known.values[hidden.name])
    told = {
        step: np.eye(hidden.cardinality)[hidden.code(state)]
        for step, state in enumerate(known.values[hidden.name])
        if state is not None
    }
    for step, one in known.weights.get(hidden.name, {}).items():
        told[step] = told.get(step, np.ones(hidden.cardinality)) * one
    total = np.ones((steps, model.chain.states))
    for step, one in told.items():
        total[step] *= one @ model.chain.members
    for name, own in known.weights.items():
        for step, one in own.items() if name != hidden.name else ():
            total[step] *= model.network.table(name) @ one
    if not told and not known.weights:
        return model
    with np.errstate(divide="ignore"):
        return WeightedChain(model.chain, model.network, np.log(total))


def _column_track(
    model: ChainModel, variable: Variable, states: FloatArray, known: KnownCells, ahead: Any
) -> Track:
    """A column: its value where that is known, elsewhere what the states emit."""
    name, values = variable.name, known.values[variable.name]
    unclear = _unclear_steps(model, name, known)
    if not variable.is_continuous:
        table = model.network.table(name)
        shares = states @ table
        for step, one in known.weights.get(name, {}).items():
            joint = table * one
            shares[step] = states[step] @ (joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300))
        for step, value in enumerate(values):
            if value is not None:
                shares[step] = np.eye(variable.cardinality)[variable.code(value)]
        return shares_track(variable, shares, None if ahead is None else ahead.symbols[name])
    moments = model.emissions.moments(name)
    if moments is None:
        nothing = np.full(len(values), np.nan)
        return numbers_track(variable.name, nothing, nothing, None if ahead is None else len(ahead), values)
    means = states @ moments[0]
    spread = (states * (moments[1] + (moments[0] - means[:, None]) ** 2)).sum(axis=1) ** 0.5
    means[unclear] = spread[unclear] = np.nan
    more = None if ahead is None else (ahead.means[name], ahead.deviations[name])
    return numbers_track(variable.name, means, spread, more, values)


def _unclear_steps(model: ChainModel, name: Name, known: KnownCells) -> list[int]:
    """The steps at which other known columns tell more of this one than the state does: densities that depend
    on each other, given the state.
    """
    chain = model.chain
    groups = [set(chain.gaussians) if len(chain.gaussians) > 1 else set(), set(chain.mixed)]
    linked = {other for group in groups if name in group for other in group} - {name}
    told = [known.values[other] for other in linked]
    return [step for step in range(len(known.values[name])) if any(own[step] is not None for own in told)]
