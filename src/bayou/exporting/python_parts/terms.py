"""What features add to the scores of classes (or of the states of a chain)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bayou.exporting.python_parts.cells import log_sum


def component_scores(component: Mapping[str, Any], cells: list[Any]) -> list[float]:
    """The sum of the terms of each class."""
    parts = [[log] for log in component["start"]]
    for term in component["terms"]:
        for own, log in zip(parts, TERMS[term["kind"]](term, cells)):
            own.append(log)
    return [math.fsum(own) for own in parts]


def weighed(logs: list[float], model: Mapping[str, Any]) -> list[float]:
    """log P(class) + w · log P(row | class)."""
    weight = model["weight"]
    if weight == 1.0:
        return logs
    prior = [max(log, -1e300) for log in model["log_prior"]]
    return [own + weight * (log - own) for log, own in zip(logs, prior)]


def possible(logs: list[float], log_prior: list[float]) -> list[float]:
    """The logarithms; those of P(class) for a row that is impossible in every class."""
    return logs if max(logs) > -1e300 else log_prior


def squared(x: float) -> float:
    """x², infinite where it is too large (``x ** 2`` would raise an error)."""
    return x * x


def table_term(term: Mapping[str, Any], cells: list[Any]) -> list[float]:
    """Numbers that are looked up by codes; a gap adds nothing."""
    place = 0
    for column, card in zip(term["columns"], term["cards"]):
        if cells[column] is None:
            return []
        place = place * card + cells[column]
    found: list[float] = term["logs"][place]
    return found


def normal_term(term: Mapping[str, Any], cells: list[Any]) -> list[float]:
    """Logs of normal densities of one number."""
    x = cells[term["column"]]
    if x is None:
        return []
    pairs = zip(term["means"], term["variances"])
    return [-0.5 * term["weight"] * (math.log(2 * math.pi * v) + squared(x - m) / v) for m, v in pairs]


def poisson_term(term: Mapping[str, Any], cells: list[Any]) -> list[float]:
    """Logs of Poisson probabilities, but for log x!, which all classes share."""
    x = cells[term["column"]]
    if x is None:
        return []
    if x < 0:
        return [-math.inf for _ in term["rates"]]
    return [term["weight"] * (x * math.log(rate) - rate) for rate in term["rates"]]


def bumps_term(term: Mapping[str, Any], cells: list[Any]) -> list[float]:
    """Logs of sums of normal densities of one number; each bump is (log share, mean, deviation)."""
    x = cells[term["column"]]
    if x is None:
        return []
    level = 0.5 * math.log(2 * math.pi)
    return [
        term["weight"] * log_sum([w - math.log(s) - level - 0.5 * squared((x - m) / s) for w, m, s in bumps])
        for bumps in term["bumps"]
    ]


def matrix_term(term: dict[str, Any], cells: list[Any]) -> list[float]:
    """Logs of normal densities of several numbers; gaps are integrated out."""
    seen = [k for k, column in enumerate(term["columns"]) if cells[column] is not None]
    x = [cells[term["columns"][k]] for k in seen]
    roots = roots_of(term, tuple(seen))
    if "centre" in term:
        return linear_scores(term, roots[0], seen, x)
    found = []
    for place, mean in enumerate(term["means"]):
        root = roots[place if len(roots) > 1 else 0]
        white = white_of(root, x, [mean[k] for k in seen])
        levels = [2 * math.log(own[i]) for i, own in enumerate(root)]
        found.append(-0.5 * term["weight"] * math.fsum([*levels, *[z * z for z in white]]))
    return found


def linear_scores(
    term: Mapping[str, Any], root: list[list[float]], seen: list[int], x: list[float]
) -> list[float]:
    """Logs of densities of one covariance but for what all classes share: large squares do not cancel."""
    centre = [term["centre"][k] for k in seen]
    row, found = white_of(root, x, centre), []
    for mean in term["means"]:
        own = white_of(root, [mean[k] for k in seen], centre)
        found.append(term["weight"] * math.fsum([u * (z - 0.5 * u) for u, z in zip(own, row)]))
    return found


def white_of(root: list[list[float]], x: list[float], mean: list[float]) -> list[float]:
    """L⁻¹ (x − mean)."""
    white: list[float] = []
    for i, own in enumerate(root):
        rest = math.fsum([x[i], -mean[i], *[-own[k] * white[k] for k in range(i)]])
        white.append(rest / own[i])
    return white


def roots_of(term: dict[str, Any], seen: tuple[int, ...]) -> list[list[list[float]]]:
    """The roots of the covariances of some columns; those of the last set of columns are kept."""
    if term.get("seen") != seen:
        term["seen"], term["roots"] = seen, [root_of(covariance, seen) for covariance in term["covariances"]]
    roots: list[list[list[float]]] = term["roots"]
    return roots


def root_of(covariance: list[list[float]], seen: tuple[int, ...]) -> list[list[float]]:
    """The lower triangle L with L Lᵀ = the covariance of some columns (Cholesky)."""
    root: list[list[float]] = []
    for i, a in enumerate(seen):
        own: list[float] = []
        for j, b in enumerate(seen[: i + 1]):
            other = own if i == j else root[j]
            rest = math.fsum([covariance[a][b], *[-own[k] * other[k] for k in range(j)]])
            own.append(math.sqrt(rest) if i == j else rest / root[j][j])
        root.append(own)
    return root


TERMS: dict[str, Callable[[dict[str, Any], list[Any]], list[float]]] = {
    "table": table_term,
    "normal": normal_term,
    "poisson": poisson_term,
    "bumps": bumps_term,
    "matrix": matrix_term,
}
