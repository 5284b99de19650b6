"""The explanation of an answer as data for JSON."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bayou.explain.influence.influences import Influence
from bayou.graphs import Dag
from bayou.graphs.trails import written
from bayou.models.answers.signed_numbers import finite_or_none
from bayou.schema import label
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.explain import ShapleyShares
    from bayou.models.answers.answer_explanation import AnswerExplanation


def explanation_document(found: AnswerExplanation) -> dict[str, Any]:
    """Everything that an explanation has; a number that is infinite or not defined is None."""
    return {
        "target": _plain(found.target),
        "state": _plain(found.state),
        "before": found.before,
        "after": found.after,
        "text": found.text,
        "sentences": list(found.sentences),
        "findings": [_finding(one) | _share(one.name, found.shares) for one in found.findings],
        "trails": [_trail(found.dag, name, trail) for name, trail in found.trails.items()],
        "nodes": [
            {
                "name": _plain(one.name),
                "state": _plain(one.state),
                "before": one.before,
                "after": one.after,
                "distance": one.distance,
            }
            for one in found.changes
        ],
        "explained_away": [
            {
                "finding": one.finding,
                "cause": None if one.through is None else _plain(one.through.name),
                "effect": one.effect,
                "state": _plain(one.state),
                "before": one.before,
                "after": one.after,
            }
            for one in found.explained_away
        ],
        "log_chance": found.reasons.log_chance,
        "conflict": found.reasons.conflict,
        **({} if found.shares is None else {"share_unit": found.shares.unit}),
    }


def _finding(one: Influence) -> dict[str, Any]:
    direction = "none" if not one.has_weight else "for" if one.weight > 0 else "against"
    return {
        "name": _plain(one.name),
        "text": one.text,
        "intervention": one.is_intervention,
        "alone": finite_or_none(one.alone),
        "weight_alone": finite_or_none(one.weight_alone),
        "without": finite_or_none(one.without),
        "weight": finite_or_none(one.weight),
        "direction": direction,
        "chance": one.chance,
        "separated_by": None if one.separated_by is None else [_plain(name) for name in one.separated_by],
    }


def _share(name: Name, shares: ShapleyShares | None) -> dict[str, Any]:
    """The share of a finding, with its standard error; None for an intervention, which always holds."""
    if shares is None:
        return {}
    known = name in shares.names
    return {
        "share": shares[name] if known else None,
        "share_error": shares.error(name) if known else None,
    }


def _trail(dag: Dag, finding: Name, trail: tuple[Name, ...]) -> dict[str, Any]:
    """A trail as names from the finding to the target, and its arcs, each from parent to child."""
    arcs = [pair if pair[0] in dag.parents(pair[1]) else pair[::-1] for pair in pairwise(trail)]
    return {
        "finding": _plain(finding),
        "names": [_plain(name) for name in trail],
        "arcs": [[_plain(parent), _plain(child)] for parent, child in arcs],
        "text": written(dag, trail),
    }


def _plain(value: Any) -> Any:
    """A name or state as JSON has it; what JSON does not have becomes text."""
    return value if value is None or isinstance(value, str | int | float) else label(value)
