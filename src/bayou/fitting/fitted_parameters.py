"""The learning side of a network: fit, add, forget, widen. Functions of frozen things, no state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayou.distributions import prior_from_state, prior_state
from bayou.errors import BadData, BadStatistics
from bayou.learning import PriorChoice, collect, estimate
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import text_names
from bayou.schema.values import decode_value, encode_value
from bayou.sources import open_source
from bayou.statistics import Statistics
from bayou.typing import Name


@dataclass(frozen=True)
class FittedParameters:
    """What a fit leaves: the network, the statistics behind it, and the prior that smoothed them."""

    network: FrozenNetwork
    statistics: Statistics
    priors: PriorChoice
    expected: bool = False
    """Whether the statistics are (in part) expected ones: of rows with gaps, not counted."""

    def state(self) -> dict[str, Any]:
        """Statistics and priors, as a file holds them beside the network."""
        chosen = self.priors.by_name or {}
        return {
            **self.statistics.state(),
            "expected": self.expected,
            "prior": prior_state(self.priors.default),
            "priors": [{"name": encode_value(name), **prior_state(prior)} for name, prior in chosen.items()],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], network: FrozenNetwork) -> FittedParameters:
        """What :meth:`state` described, of this network."""
        chosen = {decode_value(entry["name"]): prior_from_state(entry) for entry in state["priors"]}
        priors = PriorChoice(prior_from_state(state["prior"]), chosen or None)
        # Files from before there was EM hold counts.
        return cls(network, Statistics.from_state(state), priors, bool(state.get("expected", False)))


def statistics_of(
    structure: Structure,
    data: Any,
    weights: Any,
    columns: Sequence[Name] | None,
    known: FrozenNetwork | None,
) -> Statistics:
    """What this structure needs to know of the data."""
    nodes = structure.dag.nodes
    variables = {v.name: v for v in known.schema} if known is not None else dict(structure.declared)
    as_text = text_names(variables.values())
    source = open_source(
        data,
        names=nodes,
        columns=columns,
        as_text=as_text,
        weights=weights,
        declared=structure.declared,
        variables=variables.values(),
    )
    return collect(structure, source, variables)


def learned_from(structure: Structure, statistics: Statistics, priors: PriorChoice) -> FittedParameters:
    """Estimate all parameters from the statistics."""
    if statistics.rows <= 0:
        raise BadData("There is no row to learn from: the table is empty (or all weights are 0).")
    return FittedParameters(estimate(structure, statistics, priors), statistics, priors)


def require_counted(before: FittedParameters) -> None:
    """Refuse to forget what was not counted."""
    if before.expected:
        raise BadStatistics(
            "Can not forget rows: the network has learned from rows with gaps (or hidden variables) by EM, "
            "and what single rows gave to its expected counts is not known. Fit it on the rows that stay, or "
            'learn with method="count", which can forget.'
        )


def without(structure: Structure, before: FittedParameters, gone: Statistics) -> FittedParameters:
    """Forget records: their counts are taken off again."""
    require_counted(before)
    if gone.rows == before.statistics.rows:
        raise BadStatistics("Can not forget every row: nothing would be left to estimate the tables from.")
    if gone.rows > before.statistics.rows:
        raise BadStatistics(
            f"Can not forget {gone.rows:g} rows: the network has learned from {before.statistics.rows:g}."
        )
    return learned_from(structure, before.statistics - gone, before.priors)
