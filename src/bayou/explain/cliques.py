"""The junction tree of a question: its cliques, the separators between them, and their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from bayou.errors import counted
from bayou.explain.question_title import question_title
from bayou.inference import Question, relevant
from bayou.inference.exact.compiled_query import signature_of
from bayou.inference.exact.plan_cache import plans_of
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import Name


@dataclass(frozen=True)
class Clique:
    """Variables with a common table; ``parent`` is the number of the clique to which it sends first."""

    number: int
    variables: tuple[Name, ...]
    entries: int
    parent: int | None
    separator: tuple[Name, ...]
    separator_entries: int


@dataclass(frozen=True, repr=False)
class JunctionTree(PrintedTable):
    """The cliques in the order in which they send their messages; print it, or read ``cliques``.

    Observed variables are in no clique: their states are looked up in the tables.
    """

    title: str
    cliques: tuple[Clique, ...]
    order: tuple[Name, ...]

    @property
    def width(self) -> int:
        """The number of variables in the largest clique minus one (the tree width of this tree)."""
        return max((len(clique.variables) for clique in self.cliques), default=1) - 1

    @property
    def entries(self) -> int:
        """The total number of entries of all cliques."""
        return sum(clique.entries for clique in self.cliques)

    @property
    def separators(self) -> dict[tuple[int, int], tuple[Name, ...]]:
        """The variables shared by each pair of neighbouring cliques (by number)."""
        return {(c.number, c.parent): c.separator for c in self.cliques if c.parent is not None}

    def to_table(self) -> TextTable:
        """A table with one row per clique."""
        header = ["clique", "variables", "entries", "sends to", "separator", "entries"]
        title = (
            f"Junction tree, {self.title}: {counted(len(self.cliques), 'clique')}, width {self.width}, "
            f"{self.entries:,} {'entry' if self.entries == 1 else 'entries'}"
        )
        return TextTable(header, [_row(clique) for clique in self.cliques], title=title, most_rows=1000)


def _row(clique: Clique) -> list[Cell]:
    receiver = "(the last)" if clique.parent is None else str(clique.parent)
    shared = [_listed(clique.separator), f"{clique.separator_entries:,}"] if clique.separator else ["", ""]
    return [str(clique.number), _listed(clique.variables), f"{clique.entries:,}", receiver, *shared]


def _listed(names: Sequence[Name]) -> str:
    return ", ".join(label(name) for name in names)


def junction_tree(network: FrozenNetwork, question: Question) -> JunctionTree:
    """Return the tree on which all marginals given these findings are computed, however wide it is."""
    names = relevant(network, question)
    network.require(names)
    signature, _ = signature_of(network, names, question)
    plans = plans_of(network)
    plan = plans.compiled(signature)
    labels, cards = plans.named, plans.cards
    cliques: list[Clique] = []
    scopes, parents, rank = plan.cliques, plan.parents, plan.rank
    for number, (scope, parent) in enumerate(zip(scopes, parents, strict=True)):
        shared = [member for member in scope if parent >= 0 and member in scopes[parent]]
        cliques.append(
            Clique(
                number + 1,
                tuple(labels[member] for member in scope),
                prod(cards[member] for member in scope),
                parent + 1 if parent >= 0 else None,
                tuple(labels[member] for member in shared),
                prod(cards[member] for member in shared),
            )
        )
    order = sorted({member for scope in scopes for member in scope}, key=lambda member: rank[member])
    return JunctionTree(
        question_title(network, replace(question, targets=())),
        tuple(cliques),
        tuple(labels[member] for member in order),
    )
