"""Priors as plain states and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.distributions import BDeu, Dirichlet, Laplace, MEstimate, Prior
from bayou.errors import BadFile, BadPrior
from bayou.schema.values import decode_value, encode_value

State = dict[str, Any]


def prior_state(prior: Prior) -> State:
    """One of bayou's own priors, by its name and numbers."""
    if isinstance(prior, Laplace):
        return {"kind": "laplace", "strength": prior.strength}
    if isinstance(prior, BDeu):
        return {"kind": "bdeu", "equivalent_sample_size": prior.equivalent_sample_size}
    if isinstance(prior, MEstimate):
        return {"kind": "m-estimate", "m": prior.m, "p": _pairs(prior.p)}
    if isinstance(prior, Dirichlet):
        by_state = isinstance(prior.alpha, Mapping)
        return {
            "kind": "dirichlet",
            "by_state": _pairs(prior.alpha) if isinstance(prior.alpha, Mapping) else None,
            "alpha": None if by_state else np.asarray(prior.alpha, dtype=np.float64),
        }
    raise BadPrior(f"The prior {prior!r} can not be saved: only bayou's own priors can.")


def prior_from_state(state: State) -> Prior:
    """The prior that :func:`prior_state` wrote."""
    if state["kind"] == "laplace":
        return Laplace(state["strength"])
    if state["kind"] == "bdeu":
        return BDeu(state["equivalent_sample_size"])
    if state["kind"] == "m-estimate":
        return MEstimate(state["m"], None if state["p"] is None else _mapping(state["p"]))
    if state["kind"] == "dirichlet":
        return Dirichlet(_mapping(state["by_state"]) if state["by_state"] is not None else state["alpha"])
    raise BadFile(f"there is no prior of the kind {state['kind']!r}.")


def _pairs(mapping: Mapping[Any, float] | None) -> list[list[Any]] | None:
    return None if mapping is None else [[encode_value(key), float(value)] for key, value in mapping.items()]


def _mapping(pairs: list[list[Any]]) -> dict[Any, float]:
    return {decode_value(key): value for key, value in pairs}
