"""An oracle: all numbers of all slices as one Gaussian, conditioned on what is known, in plain numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

import bayou
from bayou.temporal.templates.template import Node
from bayou.typing import FloatArray


class JointGaussian:
    """The Gaussian of a template unrolled to some slices; ``set_to`` has values set by interventions."""

    def __init__(self, net: Any, length: int, set_to: dict[Node, float], codes: dict[Node, int]) -> None:
        template = net.template
        self.nodes = [n for step in range(length) for n in template.nodes(step, last=step == length - 1)]
        self.nodes = [n for n in self.nodes if n not in codes]
        self.place = {node: k for k, node in enumerate(self.nodes)}
        size = len(self.nodes)
        slopes, constant, noise = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        for node, k in self.place.items():
            if node in set_to:
                constant[k] = set_to[node]
                continue
            line = net.gaussian(template.block(node)).distribution
            group = tuple(codes[one] for one in template.parents(node) if one in codes)
            constant[k], noise[k] = line.intercept[group], line.variance[group]
            numbers = [one for one in template.parents(node) if one not in codes]
            for parent, slope in zip(numbers, line.coefficients[group], strict=True):
                slopes[k, self.place[parent]] = slope
        turned = np.linalg.inv(np.eye(size) - slopes)
        self.mean: FloatArray = turned @ constant
        self.covariance: FloatArray = (turned * noise) @ turned.T

    def given(self, known: dict[Node, float]) -> tuple[float, FloatArray, FloatArray]:
        """(log density of the known values, mean and covariance of all nodes given them)."""
        seen = [self.place[node] for node in known]
        apart = np.array(list(known.values())) - self.mean[seen]
        if not seen:
            return 0.0, self.mean, self.covariance
        inside = self.covariance[np.ix_(seen, seen)]
        gain = np.linalg.solve(inside, self.covariance[seen]).T
        log = -0.5 * (apart @ np.linalg.solve(inside, apart) + np.linalg.slogdet(2 * np.pi * inside)[1])
        return float(log), self.mean + gain @ apart, self.covariance - gain @ self.covariance[seen]


def random_numbers(
    random: np.random.Generator, *, lags: int = 1, states: bool = False
) -> bayou.DynamicNetwork:
    """A random template of numbers (and some variables with states, which switch them) with its lines."""
    letters = list("abcd"[: random.integers(1, 5)])
    arcs = []
    for k, child in enumerate(letters):
        for lag in range(lags + 1):
            for parent in letters[:k] if lag == 0 else letters:
                if random.random() < 0.4:
                    arcs.append((parent, child + "'" * lag))
    if len(letters) > 1 and random.random() < 0.5:
        arcs.append(("K", random.choice(letters)))
    if random.random() < 0.4:
        arcs.append(("F", random.choice(letters) + "'" * int(random.integers(0, 2))))
    if random.random() < 0.4:
        arcs.append((letters[-1], "L"))
    declared = {}
    if states:
        declared = {"S": ["x", "y"], "T": [0, 1, 2]}
        arcs += [("S", "S'"), ("S", letters[0]), ("T", letters[-1] + "'"), ("S", "T")]
    names = {end.rstrip("'") for arc in arcs for end in arc} or set(letters)
    outside = {
        word: [n for n in names if n == letter]
        for word, letter in (("constant", "K"), ("first", "F"), ("last", "L"))
    }
    structure: Any = arcs or {letter: [] for letter in letters}
    net = bayou.DynamicNetwork(
        structure, continuous=[n for n in names if n not in declared], states=declared, **outside
    )
    for table in net.tables:
        net.set_cpt(table, _random_table(net, table, random))
    return net


def _random_table(net: Any, table: Any, random: np.random.Generator) -> Any:
    variable = net.variables[net.template.behind[table].name]
    parents = [(p, net.variables[net.template.behind[p].name]) for p in net.parents(table)]
    shape = tuple(v.cardinality for _, v in parents if not v.is_continuous)
    if not variable.is_continuous:
        shares = random.random((*shape, variable.cardinality)) + 0.05
        return shares / shares.sum(axis=-1, keepdims=True)
    numbers = [p for p, v in parents if v.is_continuous]

    def line() -> dict[str, Any]:
        slopes = {p: float(random.normal() * 0.6) for p in numbers}
        return {
            "mean": float(random.normal()),
            "variance": float(random.uniform(0.1, 2)),
            "coefficients": slopes,
        }

    if not shape:
        return line()
    stated = [v.states for _, v in parents if not v.is_continuous]
    keys = [tuple(s[i] for s, i in zip(stated, place, strict=True)) for place in np.ndindex(shape)]
    return {key if len(key) > 1 else key[0]: line() for key in keys}
