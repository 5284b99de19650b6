"""Rows whose structure is known, with and without gaps."""

from __future__ import annotations

import numpy as np

from bayou.models.network import Network


def rows_of(n: int = 1500, seed: int = 1) -> dict[object, list[object]]:
    random = np.random.default_rng(seed)
    jahr = random.integers(0, 3, n)
    size = np.where(random.random(n) < 0.85, jahr > 0, random.random(n) < 0.5)
    ill = random.random(n) < 0.4
    seven = np.where(random.random(n) < 0.9, size ^ ill, random.random(n) < 0.5)
    last = np.where(random.random(n) < 0.8, ill, random.random(n) < 0.3)
    return {
        "Jahr": jahr.tolist(),
        "größe in cm": np.where(size, "groß", "klein").tolist(),
        7: seven.tolist(),
        "Krank": np.where(ill, "ja", "nein").tolist(),
        "z": last.tolist(),
    }


ROWS = rows_of()


EDGES = {
    frozenset({"Jahr", "größe in cm"}),
    frozenset({"größe in cm", 7}),
    frozenset({7, "Krank"}),
    frozenset({"Krank", "z"}),
}


def edges(net: Network) -> set[frozenset[object]]:
    return {frozenset(arc) for arc in net.arcs}


def with_gaps(share: float, seed: int = 3) -> dict[object, list[object]]:
    random = np.random.default_rng(seed)
    return {
        name: [
            None if gone else value for value, gone in zip(column, random.random(1500) < share, strict=True)
        ]
        for name, column in ROWS.items()
    }
