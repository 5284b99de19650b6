"""Chow–Liu trees and TAN from many rows of small variables, from the data in memory to the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work

STATES = 4


def _codes(rows: int, variables: int) -> np.ndarray:
    """A chain with some noise, so that there is a tree to be found; a line a variable."""
    chance = np.random.default_rng(5)
    codes = np.empty((variables, rows), dtype=np.uint8)
    codes[0] = chance.integers(0, STATES, rows)
    for k in range(1, variables):
        kept = chance.random(rows) < 0.3 + 0.4 * chance.random()
        codes[k] = np.where(kept, codes[chance.integers(0, k)], chance.integers(0, STATES, rows))
    return codes


def _names(variables: int) -> list[str]:
    return [f"x{k}" for k in range(variables)]


def _frame(codes: np.ndarray, kind: Callable[[np.ndarray], Any]) -> Any:
    import pandas as pd

    return pd.DataFrame({name: kind(line) for name, line in zip(_names(len(codes)), codes, strict=True)})


def _categories(line: np.ndarray) -> Any:
    import pandas as pd

    return pd.Categorical.from_codes(line, list(range(STATES)))


class Information:
    """Mutual information of pairs (given a variable), worked out anew by numpy: the weight of a tree."""

    def __init__(self, codes: np.ndarray, given: int | None = None) -> None:
        self.codes, self.given = codes, given

    def of(self, arcs: list[tuple[int, int]]) -> float:
        """The sum over the arcs."""
        return sum(self._pair(a, b) for a, b in arcs)

    def _pair(self, a: int, b: int) -> float:
        group = self.codes[self.given].astype(np.int64) if self.given is not None else 0
        index = (group * STATES + self.codes[a]) * STATES + self.codes[b]
        groups = STATES if self.given is not None else 1
        table = np.bincount(index, minlength=groups * STATES**2).reshape(groups, STATES, STATES).astype(float)
        rows, columns, total = table.sum(2, keepdims=True), table.sum(1, keepdims=True), table.sum((1, 2))
        ratio = np.where(table > 0, table * total[:, None, None] / (rows * columns), 1.0)
        return float((table * np.log(ratio)).sum() / table.sum())


def _bayou(rows: int, variables: int, target: int | None = None) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import bayou

        codes = _codes(int(rows * scale), variables)
        frame = _frame(codes, _categories)
        place = {name: k for k, name in enumerate(frame.columns)}
        options = {"method": "chow-liu"} if target is None else {"method": "tan", "target": f"x{target}"}

        def check(network: Any) -> float:
            arcs = [(place[a], place[b]) for a, b in network.arcs if place[a] != target]
            return Information(codes, target).of(arcs)

        return Work(lambda: bayou.learn_structure(frame, **options), check, codes.nbytes)

    return prepare


def _bayou_tree(rows: int, variables: int) -> Callable[[float], Work]:
    """The same work as by hand: from columns that are read to the arcs of the tree."""

    def prepare(scale: float) -> Work:
        from bayou.learning.search.trees import chow_liu_tree
        from bayou.sources import open_source

        codes = _codes(int(rows * scale), variables)
        source = open_source(_frame(codes, _categories))
        place = {name: k for k, name in enumerate(_names(variables))}

        def check(tree: Any) -> float:
            return Information(codes).of([(place[a], place[b]) for a, b in tree.arcs])

        return Work(lambda: chow_liu_tree(source, _names(variables)), check, codes.nbytes)

    return prepare


def _pomegranate(rows: int, variables: int) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import torch
        from pomegranate.bayesian_network import _learn_structure

        codes = _codes(int(rows * scale), variables)
        tensor = torch.tensor(codes.T.astype(np.int64))

        def check(parents: Any) -> float:
            return Information(codes).of([(p, child) for child, ps in enumerate(parents) for p in ps])

        return Work(lambda: _learn_structure(tensor, algorithm="chow-liu"), check, codes.nbytes)

    return prepare


def _pyagrum(rows: int, variables: int, target: int | None = None) -> Callable[[float], Work]:
    """Its classifier's own functions, the data loaded beforehand; Chow–Liu's class is the first variable."""

    def prepare(scale: float) -> Work:
        import pyagrum
        from pyagrum.skbn import _learningMethods as methods

        codes = _codes(int(rows * scale), variables)
        frame = _frame(codes, lambda line: line.astype(str))
        label = f"x{target or 0}"
        features = [name for name in frame.columns if name != label]
        learner = pyagrum.BNLearner(frame)
        learner.useNoPrior()
        arrays = frame[features].to_numpy(), frame[label].to_numpy()
        method = methods._fitChowLiu if target is None else methods._fitTAN
        place = {name: k for k, name in enumerate(frame.columns)}

        def run() -> Any:
            network = pyagrum.BayesNet()
            for name in frame.columns:
                network.add(pyagrum.LabelizedVariable(name, name, [str(s) for s in range(STATES)]))
            method(*arrays, network, learner, features, label)
            return network

        def check(network: Any) -> float:
            named = [(network.variable(a).name(), network.variable(b).name()) for a, b in network.arcs()]
            arcs = [(place[a], place[b]) for a, b in named if target is None or a != label]
            return Information(codes, target).of(arcs)

        return Work(run, check, codes.nbytes)

    return prepare


def _by_hand(rows: int, variables: int) -> Callable[[float], Work]:
    """One-hot XᵀX by BLAS, mutual information by numpy, scipy's spanning tree."""

    def prepare(scale: float) -> Work:
        from scipy.sparse.csgraph import minimum_spanning_tree

        codes = _codes(int(rows * scale), variables)

        def run() -> list[tuple[int, int]]:
            hot = np.zeros((variables * STATES, codes.shape[1]), dtype=np.float32)
            for state in range(STATES):
                hot[state::STATES] = codes == state
            joint = (hot @ hot.T).astype(np.float64) / codes.shape[1]
            margin = np.diag(joint)
            ratio = np.where(joint > 0, joint / np.outer(margin, margin), 1.0)
            cells = (joint * np.log(ratio)).reshape(variables, STATES, variables, STATES)
            information = cells.sum(axis=(1, 3))
            np.fill_diagonal(information, 0.0)
            tree = minimum_spanning_tree(-information).tocoo()
            return list(zip(tree.row.tolist(), tree.col.tolist(), strict=True))

        return Work(run, lambda arcs: Information(codes).of(arcs), codes.nbytes)

    return prepare


def _chow_liu(name: str, rows: int, variables: int, faster: float) -> Case:
    shape = (rows, variables)
    systems = {
        "bayou": _bayou(*shape),
        "bayou, inside: data loaded": _bayou_tree(*shape),
        "numpy one-hot by hand": _by_hand(*shape),
        "pomegranate": _pomegranate(*shape),
        "pyAgrum": _pyagrum(*shape),
    }
    targets = {"pomegranate": faster, "pyAgrum": faster}
    loaded = {("bayou, inside: data loaded", "numpy one-hot by hand"): 10.0}
    title = f"Chow–Liu tree, {rows:,} × {variables} of {STATES} states"
    return Case(name, title, systems, targets, loaded, tolerance=1e-9, note=NOTE)


NOTE = (
    "The check is the sum of the arcs' (conditional) mutual information, worked out by numpy. ‘bayou’ is "
    "given a pandas frame of categories and returns a network with its tables; the others return the tree "
    "only, their data loaded beforehand, and so does ‘bayou, inside: data loaded’."
)
CASES = [
    _chow_liu("chow-liu-wide", 100_000, 200, 400.0),
    _chow_liu("chow-liu-long", 1_000_000, 50, 200.0),
    Case(
        "tan-long",
        f"TAN, 1,000,000 × 50 of {STATES} states",
        {"bayou": _bayou(1_000_000, 50, 0), "pyAgrum": _pyagrum(1_000_000, 50, 0)},
        {"pyAgrum": 200.0},
        tolerance=None,
        note=NOTE + " pyAgrum leaves out edges below a threshold of its own, so that its trees weigh less.",
    ),
]
