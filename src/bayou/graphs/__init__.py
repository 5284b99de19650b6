"""Floor 1: directed acyclic graphs over names: arrow text, separation, elimination orders."""

from __future__ import annotations

from bayou.graphs.arrows import parse_arrows
from bayou.graphs.dag import Dag, dag_from
from bayou.graphs.equivalence import (
    SkeletonScores,
    cpdag,
    equivalent,
    extension,
    meek_closure,
    skeleton,
    skeleton_scores,
    structural_hamming_distance,
    v_structures,
)
from bayou.graphs.independence import Independence
from bayou.graphs.ordering import elimination_cost, elimination_order
from bayou.graphs.partly_directed import PartlyDirected
from bayou.graphs.separation import Separation, separated

__all__ = [
    "Dag",
    "Independence",
    "PartlyDirected",
    "Separation",
    "SkeletonScores",
    "cpdag",
    "dag_from",
    "elimination_cost",
    "elimination_order",
    "equivalent",
    "extension",
    "meek_closure",
    "parse_arrows",
    "separated",
    "skeleton",
    "skeleton_scores",
    "structural_hamming_distance",
    "v_structures",
]
