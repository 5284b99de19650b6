"""P(target | row) by sums over a tree of cliques, in logarithms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from bayou.exporting.python_parts.cells import cells_of, log_sum, shares_of
from bayou.exporting.python_parts.terms import possible, table_term, weighed


def probabilities(model: Mapping[str, Any], row: Mapping[Any, Any]) -> list[float]:
    """P(target | row) of each state."""
    cells = cells_of(model, row)
    logs = target_logs(model, cells)
    if "log_prior" not in model:
        if max(logs) == -math.inf:
            raise ValueError("These values cannot occur together: their probability is 0.")
        return shares_of(logs)
    if max(logs) > -math.inf:
        added = [table_term(term, cells) for term in model["terms"]]
        logs = [
            math.fsum(all_logs) for all_logs in zip(weighed(logs, model), *[logs for logs in added if logs])
        ]
    return shares_of(possible(logs, model["log_prior"]))


def target_logs(model: Mapping[str, Any], cells: list[Any]) -> list[float]:
    """log P(target, row), but for what all states share: each clique sends a message to the next."""
    states = [range(card) for card in model["cards"]]
    for variable, code in zip(model["numbers"], cells):
        if code is not None:
            states[variable] = range(code, code + 1)
    received: list[list[Any]] = [[] for _ in model["cliques"]]
    logs = [0.0] * model["cards"][model["aim"]]
    for clique, own in zip(model["cliques"], received):
        message = message_of(clique, own, model["factors"], states)
        if clique["parent"] >= 0:
            received[clique["parent"]].append((clique["kept"], message))
        elif clique["kept"]:
            logs = [log + message[state,] for state, log in enumerate(logs)]
        else:
            logs = [log + message[()] for log in logs]
    return logs


def message_of(
    clique: Mapping[str, Any], received: list[Any], factors: list[Any], states: list[range]
) -> dict[tuple[int, ...], float]:
    """For all states of the variables that a clique keeps: the log of the sum over all others."""
    members = clique["variables"]
    place = {variable: k for k, variable in enumerate(members)}
    tables = [([place[v] for v in factors[t]["scope"]], factors[t]["logs"]) for t in clique["tables"]]
    messages = [([place[v] for v in scope], logs) for scope, logs in received]
    kept = [place[variable] for variable in clique["kept"]]
    parts: dict[tuple[int, ...], list[float]] = {}
    for at in product(*[states[variable] for variable in members]):
        logs = [table[tuple([at[k] for k in scope])] for scope, table in messages]
        for scope, table in tables:
            for k in scope:
                table = table[at[k]]
            logs.append(table)
        parts.setdefault(tuple([at[k] for k in kept]), []).append(math.fsum(logs))
    sums = {key: log_sum(logs) for key, logs in parts.items()}
    top = max(sums.values())
    return {key: log - top for key, log in sums.items()} if top > -math.inf else sums
