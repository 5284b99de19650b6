"""Answers of models of sequences as columns, one line for each row: for the command line and servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork
    from bayou.models.sequences.decoded_rows import DecodedRows
    from bayou.models.sequences.kalman.kalman_model import KalmanModel


def state_columns(model: KalmanModel, table: Any, keys: Mapping[str, Any], method: str) -> dict[str, Any]:
    """Mean and deviation of each state for each row of a table, in the order of its rows."""
    import numpy as np

    from bayou.models.sequences.decoded_rows import key_cells

    ask = model.filter if method == "filter" else model.smooth
    found = ask(table, **keys)
    parts = found if isinstance(found, list) else [found]
    back = np.argsort(model.read_rows(table, **keys).batch.standing, kind="stable")
    nothing = np.zeros((0, len(model.states)))
    means = np.concatenate([nothing, *(one.means for one in parts)])[back]
    spread = np.concatenate([nothing, *(one.deviations for one in parts)])[back]
    names = [name for name in keys.values() if name is not None]
    columns: dict[str, Any] = {str(name): cells for name, cells in key_cells(table, names).items()}
    columns = columns or {"row": list(range(len(means)))}
    for k, state in enumerate(model.states):
        columns[f"mean({state})"] = means[:, k].tolist()
        columns[f"deviation({state})"] = spread[:, k].tolist()
    return columns


def slice_columns(
    net: DynamicNetwork, table: Any, sequence: str | None, time: str | None, method: str, proba: bool
) -> dict[str, Any]:
    """The states of a dynamic network, and their probabilities given all rows."""
    from bayou.models.dynamic.row_answers import likeliest_states, row_answers

    keys: dict[str, Any] = {"sequence": sequence, "time": time}
    shares = row_answers(net, table, "smooth", **keys) if proba or method == "posterior" else {}
    if method == "posterior":
        states = likeliest_states(net, shares)
    else:
        states = row_answers(net, table, "decode", **keys)
    return {**states, **(shares if proba else {})}


def decoded_columns(found: DecodedRows, proba: bool) -> dict[str, Any]:
    """The keys (or the number of each row), the state and its probability."""
    columns: dict[str, Any] = {str(name): cells for name, cells in found.keys.items()}
    columns = columns or {"row": list(range(len(found)))}
    state = str(found.variable.name)
    columns[state] = found.states
    columns["probability"] = found.probability.tolist()
    if proba:
        for code, one in enumerate(found.variable.states):
            columns[f"P({state}={one})"] = found.probabilities[:, code].tolist()
    return columns


def forecast_columns(
    names: Sequence[Any], forecasts: Sequence[Any], sequence: str | None
) -> dict[str, list[Any]]:
    """The forecasts below each other."""
    parts = [ahead.to_columns() for ahead in forecasts]
    # The times of some sequences may not go on evenly: they have none.
    heads: dict[str, list[Any]] = max(parts, key=len, default={})
    joined: dict[str, list[Any]] = {} if sequence is None else {sequence: []}
    for name, columns in zip(names, parts, strict=True):
        steps = len(columns["step"])
        if sequence is not None:
            joined[sequence] += [name] * steps
        for header in heads:
            joined.setdefault(header, []).extend(columns.get(header, [None] * steps))
    return joined
