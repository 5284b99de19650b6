"""Comparison of two networks: which arcs differ, their distances, and a picture."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bayou.errors import BadQuestion, TooWide
from bayou.formats.file_content import FilePath
from bayou.graphs import (
    Dag,
    SkeletonScores,
    equivalent,
    skeleton_scores,
    structural_hamming_distance,
)
from bayou.inference.divergence import kl_divergence
from bayou.models.verbs.drawing import save_picture
from bayou.networks import FrozenNetwork
from bayou.plots.network_picture import Picture, network_picture
from bayou.plots.palette import EXTRA, MISSING, PLAIN, TURNED
from bayou.plots.svg_pieces import Line
from bayou.text.tables import Cell, TextTable
from bayou.typing import Name

Arcs = tuple[tuple[Name, Name], ...]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A network compared with a true one: arcs in ``common``, ``extra``, ``missing`` and ``turned``.

    ``distance`` compares the equivalence classes, ``arc_distance`` the arcs themselves. ``turned`` arcs have
    the direction that they have in the compared network, not in the true one.

    >>> import bayou
    >>> print(bayou.Network("A -> B -> C; D").compare("A -> B <- C; C -> D"))
    compared with the true network
    arcs in common                  1
    extra arcs                      0
    missing arcs                    1
    turned arcs                     1
    structural Hamming distance     3
    distance arc by arc             2
    skeleton precision              1.0000
    skeleton recall                 0.6667
    skeleton F1                     0.8000
    same equivalence class          no
    missing: C -> D
    turned: B -> C
    """

    found: Dag
    true: Dag
    common: Arcs
    extra: Arcs
    missing: Arcs
    turned: Arcs
    networks: tuple[FrozenNetwork, FrozenNetwork] | None = field(default=None, repr=False)

    @cached_property
    def kl(self) -> float | None:
        """KL(true ‖ this) in nats; None if a network has no parameters or they cannot be compared.

        ``true.kl_divergence(net)`` raises an error with the reason.
        """
        if self.networks is None or not all(map(_has_parameters, self.networks)):
            return None
        found, true = self.networks
        try:
            return kl_divergence(true, found)
        except (BadQuestion, TooWide):
            return None

    @property
    def distance(self) -> int:
        """The structural Hamming distance of the equivalence classes; 0 for equivalent networks."""
        return structural_hamming_distance(self.found, self.true)

    @property
    def arc_distance(self) -> int:
        """The number of extra, missing and turned arcs."""
        return len(self.extra) + len(self.missing) + len(self.turned)

    @property
    def skeleton(self) -> SkeletonScores:
        """Precision, recall and F1 of the pairs of variables joined by an arc."""
        return skeleton_scores(self.found, self.true)

    @property
    def equivalent(self) -> bool:
        """Whether both graphs imply the same independences."""
        return equivalent(self.found, self.true)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data.

        >>> import bayou
        >>> found = bayou.Network("A -> B -> C").compare("A -> B; A -> C")
        >>> found.to_dict()["missing"]
        [('A', 'C')]
        """
        return {
            "common": list(self.common),
            "extra": list(self.extra),
            "missing": list(self.missing),
            "turned": list(self.turned),
            "distance": self.distance,
            "arc_distance": self.arc_distance,
            **{f"skeleton_{name}": value for name, value in self.skeleton._asdict().items()},
            "equivalent": self.equivalent,
            "kl": self.kl,
        }

    def to_table(self) -> TextTable:
        """One row per measure.

        >>> import bayou
        >>> found = bayou.Network("A -> B -> C").compare("A -> B; A -> C")
        >>> print(found.to_table())
        compared with the true network
        arcs in common                  1
        extra arcs                      1
        missing arcs                    1
        turned arcs                     0
        structural Hamming distance     2
        distance arc by arc             2
        skeleton precision              0.5000
        skeleton recall                 0.5000
        skeleton F1                     0.5000
        same equivalence class          no
        """
        scores = self.skeleton
        rows: list[list[Cell]] = [
            ["arcs in common", str(len(self.common))],
            ["extra arcs", str(len(self.extra))],
            ["missing arcs", str(len(self.missing))],
            ["turned arcs", str(len(self.turned))],
            ["structural Hamming distance", str(self.distance)],
            ["distance arc by arc", str(self.arc_distance)],
            ["skeleton precision", f"{scores.precision:.4f}"],
            ["skeleton recall", f"{scores.recall:.4f}"],
            ["skeleton F1", f"{scores.f1:.4f}"],
            ["same equivalence class", "yes" if self.equivalent else "no"],
        ]
        if self.kl is not None:
            rows.append(["KL(true ‖ this), nats", f"{self.kl:.6g}"])
        return TextTable(["compared with the true network", ""], rows)

    def __str__(self) -> str:
        lists = {"extra": self.extra, "missing": self.missing, "turned": self.turned}
        lines = [f"{what}: {_written(arcs)}" for what, arcs in lists.items() if arcs]
        return "\n".join([str(self.to_table()), *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_() + self.plot().svg

    def plot(self) -> Picture:
        """Draw both graphs in one picture: the differences in colour, and in words or dashes.

        >>> import bayou
        >>> bayou.Network("A -> B").compare("A <- B").plot()
        <Picture of 2 nodes and 1 arc>
        """
        kinds = {
            "in both": (self.common, Line("", "", colour=PLAIN)),
            "missing": (self.missing, Line("", "", colour=MISSING, dashed=True)),
            "extra": (self.extra, Line("", "", colour=EXTRA, width=2.2)),
            "turned": (self.turned, Line("", "", colour=TURNED, width=2.2)),
        }
        lines = [
            replace(look, start=arc[0], end=arc[1], label=what if what in ("extra", "turned") else "")
            for what, (arcs, look) in kinds.items()
            for arc in arcs
        ]
        legend = {f"{what} ({len(arcs)})": look for what, (arcs, look) in kinds.items() if arcs}
        return network_picture(self.true.nodes, lines, legend=legend)

    def to_svg(self, path: FilePath | None = None) -> str:
        """Return the picture as SVG text, and write it to a file if a path is given.

        Raises ``BadFile`` for a path that does not end in ``.svg`` or cannot be written to.

        >>> import bayou
        >>> found = bayou.Network("A -> B -> C").compare("A -> B; A -> C")
        >>> found.to_svg().startswith("<svg")
        True
        """
        return save_picture(self.plot(), path)


def comparison_of(
    found: Dag, ours: FrozenNetwork | None, true: Dag, theirs: FrozenNetwork | None
) -> Comparison:
    """Compare two graphs, and the networks they belong to if both are given."""
    structural_hamming_distance(found, true)  # raises if the graphs have different nodes
    here, there = set(found.arcs), set(true.arcs)
    return Comparison(
        found,
        true,
        common=tuple(arc for arc in true.arcs if arc in here),
        extra=tuple(arc for arc in found.arcs if arc not in there and arc[::-1] not in there),
        missing=tuple(arc for arc in true.arcs if arc not in here and arc[::-1] not in here),
        turned=tuple(arc for arc in found.arcs if arc[::-1] in there),
        networks=(ours, theirs) if ours is not None and theirs is not None else None,
    )


def _has_parameters(network: FrozenNetwork) -> bool:
    return all(slot in network.blocks for slot in network.slots.values())


def _written(arcs: Arcs) -> str:
    return "; ".join(f"{start} -> {end}" for start, end in arcs)
