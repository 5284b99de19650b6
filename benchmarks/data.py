"""The data of the benchmarks: drawn by bayou from known networks, kept in ``benchmarks/cache``.

The networks are those of ``../shared/data/networks`` beside the repository; where that folder is
absent, random networks of the same shape stand in for them.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
CACHE = HERE / "cache"
SHARED = HERE.parent.parent / "shared" / "data" / "networks"

# variables, most parents of one, most states of one
SHAPES = {
    "alarm": (37, 4, 4),
    "andes": (223, 6, 2),
    "asia": (8, 2, 2),
    "diabetes": (413, 2, 21),
    "hailfinder": (56, 4, 11),
    "link": (724, 3, 4),
}


@dataclass(frozen=True)
class Sample:
    """Rows drawn from a network: a matrix of codes, one line a variable, and the variables' states."""

    bif: Path
    names: list[str]
    states: dict[str, list[str]]
    parents: dict[str, list[str]]
    codes: np.ndarray

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """Every (parent, child)."""
        return [(parent, child) for child in self.names for parent in self.parents[child]]

    def frame(self, kind: str = "str") -> Any:
        """A pandas frame of strings: ``str`` is pandas' own text type (Arrow), ``object`` Python strings."""
        import pandas as pd

        texts = {name: np.array(self.states[name], dtype=object) for name in self.names}
        columns = {name: texts[name][line] for name, line in zip(self.names, self.codes, strict=True)}
        return pd.DataFrame({name: pd.Series(column, dtype=kind) for name, column in columns.items()})

    def csv(self) -> Path:
        """The rows as a CSV file."""
        path = CACHE / f"{self.bif.stem}-{self.codes.shape[1]}.csv"
        if not path.exists():
            part = path.with_suffix(".part")
            self.frame().to_csv(part, index=False)
            part.rename(path)
        return path


def bif_file(name: str) -> Path:
    """The network as an uncompressed BIF file."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"{name}.bif"
    if not path.exists():
        packed = SHARED / f"{name}.bif.gz"
        if packed.exists():
            path.write_bytes(gzip.decompress(packed.read_bytes()))
        else:
            random_network(name).save(path)
    return path


def sample(name: str, rows: int) -> Sample:
    """Rows drawn from a network, the same on every machine."""
    import bayou

    bif = bif_file(name)
    network = bayou.load(bif)
    path = CACHE / f"{name}-{rows}.npy"
    if not path.exists():
        drawn = network.sample(rows, seed=1)
        codes = np.stack([_codes(drawn[each], network.states(each)) for each in network.names])
        np.save(path, codes)
    return Sample(
        bif,
        list(network.names),
        {each: list(network.states(each)) for each in network.names},
        {each: list(network.parents(each)) for each in network.names},
        np.load(path),
    )


def drawn_with_gaps(network: Any, rows: int, missing: float, seeds: tuple[int, int]) -> dict[str, np.ndarray]:
    """Rows drawn from a network as columns of states, with ``None`` where a cell is missing."""
    seed_of_rows, seed_of_gaps = seeds
    drawn = network.sample(rows, seed=seed_of_rows)
    chance = np.random.default_rng(seed_of_gaps)
    return {
        name: np.where(chance.random(rows) < missing, None, np.asarray(drawn[name], dtype=object))
        for name in network.names
    }


def _codes(values: np.ndarray, states: tuple[str, ...]) -> np.ndarray:
    codes = np.zeros(len(values), dtype=np.uint8)
    for code, state in enumerate(states):
        codes[values == state] = code
    return codes


def random_network(name: str) -> Any:
    """A network of the same shape: each variable has some of the ten before it as parents."""
    import bayou

    variables, most_parents, most_states = SHAPES[name]
    chance = np.random.default_rng(len(name) + variables)
    names = [f"{name}_{k}" for k in range(variables)]
    states = {each: [f"s{s}" for s in range(chance.integers(2, most_states + 1))] for each in names}
    parents: dict[str, list[str]] = {}
    tables: dict[str, np.ndarray] = {}
    for k, each in enumerate(names):
        near = names[max(0, k - 10) : k]
        count = min(len(near), int(chance.integers(0, most_parents + 1)))
        parents[each] = [str(parent) for parent in chance.choice(near, count, replace=False)] if count else []
        shape = [len(states[parent]) for parent in parents[each]]
        tables[each] = chance.dirichlet(np.ones(len(states[each])), size=shape)
    return bayou.Network(parents, states=states, tables=tables)
