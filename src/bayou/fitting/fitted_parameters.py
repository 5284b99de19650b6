"""The result of fitting a network, and functions that estimate it and forget rows. All data are frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayou.distributions import prior_from_state, prior_state
from bayou.errors import BadData, BadQuestion, BadStatistics, counted, number_text
from bayou.learning import PriorChoice, collect, estimate
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import text_names
from bayou.schema.json_values import decode_value, encode_value
from bayou.sources import open_source
from bayou.statistics import Statistics
from bayou.typing import Name


@dataclass(frozen=True)
class FittedParameters:
    """The result of a fit: the network, the statistics it was estimated from, and the priors."""

    network: FrozenNetwork
    statistics: Statistics
    priors: PriorChoice
    expected: bool = False
    """Whether some statistics are expected ones, of rows with missing values, instead of counts."""

    def state(self) -> dict[str, Any]:
        """Statistics and priors as plain values, stored in a file beside the network."""
        chosen = self.priors.by_name or {}
        return {
            **self.statistics.state(),
            "expected": self.expected,
            "prior": prior_state(self.priors.default),
            "priors": [{"name": encode_value(name), **prior_state(prior)} for name, prior in chosen.items()],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], network: FrozenNetwork) -> FittedParameters:
        """The fitted parameters of this network that :meth:`state` described."""
        chosen = {decode_value(entry["name"]): prior_from_state(entry) for entry in state["priors"]}
        priors = PriorChoice(prior_from_state(state["prior"]), chosen or None)
        # Files written before EM existed have counts only.
        return cls(network, Statistics.from_state(state), priors, bool(state.get("expected", False)))


def statistics_of(
    structure: Structure,
    data: Any,
    weights: Any,
    columns: Sequence[Name] | None,
    known: FrozenNetwork | None,
) -> Statistics:
    """Collect the statistics that this structure's parameters are estimated from.

    ``known`` is a network whose variables and states are used; None takes the declared ones.
    """
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


def learned_from_both(
    structure: Structure, one: FittedParameters, other: FittedParameters
) -> FittedParameters:
    """Add the statistics of two fits of one structure; the prior, which must be the same, counts once.

    Expected counts are those under the tables of their own fit, so that a sum would be the counts of no model
    (and hidden states may be numbered in two ways): they are refused.
    """
    if one.expected or other.expected:
        raise BadStatistics(
            "These networks cannot be added: one has learned from rows with gaps (or hidden variables) by "
            "EM, so its counts are expected ones, under its own tables. Fit one network on the rows of both, "
            "learn on from the other rows with partial_fit, or fit both with method='count', whose counts "
            "add exactly."
        )
    if one.priors != other.priors:
        raise BadQuestion(
            "The two networks were learned with different priors, and their sum can have only one: fit both "
            "with the same prior=."
        )
    return learned_from(structure, one.statistics + other.statistics, one.priors)


def learned_from_the_rest(
    structure: Structure, whole: FittedParameters, part: FittedParameters
) -> FittedParameters:
    """Subtract the statistics of one fit from those of another of the same structure and prior."""
    require_counted(part)
    if whole.priors != part.priors:
        raise BadQuestion(
            "The two networks were learned with different priors: subtract a network that was fitted with "
            "the same prior=."
        )
    return without(structure, whole, part.statistics)


def require_counted(before: FittedParameters) -> None:
    """Refuse to forget rows of a network whose statistics are expected ones."""
    if before.expected:
        raise BadStatistics(
            "Cannot forget rows: the network has learned from rows with gaps (or hidden variables) by EM, "
            "and the share of a single row in its expected counts is not known. Fit it on the rows that "
            'stay, or learn with method="count", which can forget.'
        )


def without(structure: Structure, before: FittedParameters, forgotten: Statistics) -> FittedParameters:
    """Forget rows: subtract their statistics and estimate again."""
    require_counted(before)
    if forgotten.rows == before.statistics.rows:
        return _without_any(structure, before, forgotten)
    if forgotten.rows > before.statistics.rows:
        raise BadStatistics(
            f"Cannot forget {counted(forgotten.rows, 'row')}: the network has learned from "
            f"{number_text(before.statistics.rows)}."
        )
    return learned_from(structure, before.statistics - forgotten, before.priors)


def _without_any(structure: Structure, before: FittedParameters, forgotten: Statistics) -> FittedParameters:
    """What is left without any row: the stated knowledge that the rows were added to, or an error."""
    from bayou.fitting.stated_knowledge import after_the_last_row

    _ = before.statistics - forgotten  # raises unless these are the rows that were learned
    left = after_the_last_row(structure, before)
    if left is None:
        raise BadStatistics(
            "Cannot forget every row: nothing would be left to estimate the tables from. (Knowledge that was "
            "stated, fit(data, weight=10), would be left; fit(None, prior=…) gives the tables of a "
            "prior alone.)"
        )
    return left
