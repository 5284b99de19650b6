"""Floor 1: directed acyclic graphs over names: arrow text, separation, elimination orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.graphs.arrows import parse_arrows as parse_arrows
    from bayou.graphs.dag import Dag as Dag
    from bayou.graphs.dag import dag_from as dag_from
    from bayou.graphs.equivalence import SkeletonScores as SkeletonScores
    from bayou.graphs.equivalence import cpdag as cpdag
    from bayou.graphs.equivalence import equivalent as equivalent
    from bayou.graphs.equivalence import extension as extension
    from bayou.graphs.equivalence import meek_closure as meek_closure
    from bayou.graphs.equivalence import skeleton as skeleton
    from bayou.graphs.equivalence import skeleton_scores as skeleton_scores
    from bayou.graphs.equivalence import structural_hamming_distance as structural_hamming_distance
    from bayou.graphs.equivalence import v_structures as v_structures
    from bayou.graphs.independence import Independence as Independence
    from bayou.graphs.ordering import elimination_cost as elimination_cost
    from bayou.graphs.ordering import elimination_order as elimination_order
    from bayou.graphs.partly_directed import PartlyDirected as PartlyDirected
    from bayou.graphs.separation import Separation as Separation
    from bayou.graphs.separation import separated as separated

_WHERE = {
    "Dag": "bayou.graphs.dag",
    "Independence": "bayou.graphs.independence",
    "PartlyDirected": "bayou.graphs.partly_directed",
    "Separation": "bayou.graphs.separation",
    "SkeletonScores": "bayou.graphs.equivalence",
    "cpdag": "bayou.graphs.equivalence",
    "dag_from": "bayou.graphs.dag",
    "elimination_cost": "bayou.graphs.ordering",
    "elimination_order": "bayou.graphs.ordering",
    "equivalent": "bayou.graphs.equivalence",
    "extension": "bayou.graphs.equivalence",
    "meek_closure": "bayou.graphs.equivalence",
    "parse_arrows": "bayou.graphs.arrows",
    "separated": "bayou.graphs.separation",
    "skeleton": "bayou.graphs.equivalence",
    "skeleton_scores": "bayou.graphs.equivalence",
    "structural_hamming_distance": "bayou.graphs.equivalence",
    "v_structures": "bayou.graphs.equivalence",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
