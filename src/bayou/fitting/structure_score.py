"""The score of a given graph: how well it explains a table, and at what number of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayou.errors import BadQuestion, UnknownVariable, listed
from bayou.fitting.search_task import SearchTask
from bayou.fitting.structure_data import open_structure_data
from bayou.learning.scores.native_scores import local_scores
from bayou.learning.scores.scores import score_from
from bayou.learning.search.constraints import constraints_from
from bayou.learning.sharing.unit_scores import UnitScores
from bayou.learning.time_budget import TimeBudget
from bayou.networks import Structure
from bayou.sources import open_source
from bayou.typing import Name


def structure_score(
    structure: Structure, data: Any, score: Any, weights: Any, columns: Sequence[Name] | None
) -> float:
    """Return the sum of the scores of all families; with gaps that of the observed cells (by EM)."""
    _refuse_unscored(structure)
    chosen, names = score_from(score), structure.dag.nodes
    source = open_source(data, columns=columns, weights=weights)
    known = {v.name: v for v in structure.declared.values()}
    opened = open_structure_data(
        data,
        states={name: list(v.states) for name, v in known.items() if not v.is_continuous},
        continuous=[name for name, v in known.items() if v.is_continuous],
        weights=weights,
        columns=columns,
        ignore=[name for name in source.names if name not in names and not _is_name(weights, name)],
        share={block: list(users) for block, users in structure.sharing.items()},
    )
    place = {name: position for position, name in enumerate(opened.names)}
    for name in names:
        if name not in place:
            raise UnknownVariable.named(name, opened.names, "in the data")
    parents = tuple(
        tuple(sorted(place[parent] for parent in structure.dag.parents(name))) for name in opened.names
    )
    if opened.gappy:
        from bayou.fitting.structural_em_search import score_with_gaps

        return score_with_gaps(
            SearchTask(opened, chosen, constraints_from(opened.variables), TimeBudget()), parents
        )
    scores = local_scores(opened.source, opened.variables, chosen)
    if opened.sharing:
        pooled = UnitScores(scores, [opened.source], opened.units)
        return float(pooled.families(list(enumerate(opened.units.gathered(parents)))).sum())
    return float(scores.families(list(enumerate(parents))).sum())


def _is_name(weights: Any, name: Name) -> bool:
    """Whether the weights are the column of this name (not an array)."""
    return isinstance(weights, str | int) and weights == name


def _refuse_unscored(structure: Structure) -> None:
    """Raise if the network has special nodes, or a shared table whose users have different parents."""
    unlike = [
        block
        for block, users in structure.sharing.items()
        if len({structure.dag.parents(user) for user in users}) > 1
    ]
    if unlike or structure.kinds:
        raise BadQuestion(
            "A score adds up tables and Gaussians that are learned one by one: it has no value for shared "
            "tables whose users have different parents, nor for special nodes "
            f"({listed([*unlike, *structure.kinds])}). Compare such networks by net.log_likelihood on other "
            "rows."
        )
