"""The references of the kernels for tables P(column | up to two parents, class)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.uint32]
Parents = npt.NDArray[np.int32]


def count_dependences(
    codes: Codes,
    cards: Numbers,
    parents: Parents,
    own: Numbers,
    classes: int,
    weights: Floats | None = None,
    threads: int = 0,
) -> Floats:
    """Counts of (second parent, first parent, column, class) of all columns, flat; no parent is -1."""
    tables = []
    for column, shape in enumerate(_shapes(cards, parents, classes)):
        table = np.zeros(shape)
        places = [codes[p] for p in (*parents[column][::-1], column) if p >= 0]
        np.add.at(table, (*places, own), 1.0 if weights is None else weights)
        tables.append(table.ravel())
    return np.concatenate([np.zeros(0), *tables])


def backoff_strengths(
    counts: Floats, cards: Numbers, parents: Parents, classes: int, grid: Sequence[float], threads: int = 0
) -> Floats:
    """For each column and number of parents the strength with the best left-out likelihood."""
    strengths = np.full((len(cards), 3), grid[0])
    for own, levels in zip(strengths, _all_levels(counts, cards, parents, classes), strict=True):
        for level, table in enumerate(levels):
            likelihoods = []
            for strength in grid:
                own[level] = strength
                sum_of_logs = 0.0
                for place in zip(*np.nonzero(table), strict=True):
                    off = min(table[place], 1.0)
                    chance = _backed_off(levels[: level + 1], own, place[:-1], off, int(place[-1]))
                    sum_of_logs += table[place] * np.log(chance[place[-1]])
                likelihoods.append(sum_of_logs)
            own[level] = grid[int(np.argmax(likelihoods))]
    return strengths


def backoff_logs(
    counts: Floats, cards: Numbers, parents: Parents, classes: int, strengths: Floats, threads: int = 0
) -> Floats:
    """log P(column | 0, 1 and 2 parents, class) of all columns, flat."""
    logs = [np.zeros(0)]
    for own, levels in zip(strengths, _all_levels(counts, cards, parents, classes), strict=True):
        for level, table in enumerate(levels):
            for place in np.ndindex(*table.shape[:-1]):
                logs.append(np.log(_backed_off(levels[: level + 1], own, place, 0.0, -1)))
    return np.concatenate(logs)


def left_out_dependences(
    counts: Floats,
    cards: Numbers,
    parents: Parents,
    classes: int,
    strengths: Floats,
    codes: Codes,
    own: Numbers,
    part: Floats,
    threads: int = 0,
) -> Floats:
    """log P(column | parents, class) [row, class, column], each row without ``part`` of its own weight."""
    terms = np.zeros((codes.shape[1], classes, len(cards)))
    for column, levels in enumerate(_all_levels(counts, cards, parents, classes)):
        axes = [p for p in (*parents[column][::-1], column) if p >= 0]
        for row in range(codes.shape[1]):
            place = tuple(int(codes[p, row]) for p in axes)
            chance = _backed_off(levels, strengths[column], place, part[row], int(own[row]))
            terms[row, :, column] = np.log(chance)
    return terms


def dependence_terms(
    logs: Floats, cards: Numbers, parents: Parents, classes: int, codes: Codes, threads: int = 0
) -> Floats:
    """log P(column | parents, class) [row, class, column]; 0 where the column's code is no state."""
    terms = np.zeros((codes.shape[1], classes, len(cards)))
    start = 0
    for column, shape in enumerate(_shapes(cards, parents, classes)):
        levels = []
        for level in range(len(shape) - 1):
            size = int(np.prod(shape[len(shape) - 2 - level :]))
            levels.append(logs[start : start + size].reshape(shape[len(shape) - 2 - level :]))
            start += size
        for row in range(codes.shape[1]):
            if codes[column, row] >= cards[column]:
                continue
            place: list[int] = [int(codes[column, row])]
            for parent in parents[column]:
                if parent < 0 or codes[parent, row] >= cards[parent]:
                    break
                place.insert(0, int(codes[parent, row]))
            terms[row, :, column] = levels[len(place) - 1][tuple(place)]
    return terms


def dependence_scores(
    logs: Floats,
    cards: Numbers,
    parents: Parents,
    classes: int,
    codes: Codes,
    weights: Floats,
    threads: int = 0,
) -> Floats:
    """The weighted sums over the columns of log P(column | parents, class), [row, class]."""
    scores: Floats = dependence_terms(logs, cards, parents, classes, codes) @ weights
    return scores


def class_informations(
    codes: Codes,
    cards: Numbers,
    own: Numbers,
    classes: int,
    weights: Floats | None = None,
    threads: int = 0,
) -> Floats:
    """I(column; column | class) less its chance level; on the diagonal I(column; class)."""
    used = np.ones(codes.shape[1]) if weights is None else weights
    information = np.zeros((len(cards), len(cards)))
    for one in range(len(cards)):
        for two in range(one + 1):
            table = np.zeros((classes, cards[one], cards[two]))
            np.add.at(table, (own, codes[one], codes[two]), used)
            parts = [table.sum(axis=2)] if one == two else list(table)
            sums = np.array([_information(part) for part in parts]).sum(axis=0)
            information[one, two] = information[two, one] = (sums[0] - sums[1] / 2) / used.sum()
    return information


def _information(table: Floats) -> tuple[float, float]:
    """n I(A; B) of a table, and the degrees of freedom among the states that occur."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if not table.sum():
        return 0.0, 0.0
    expected = np.outer(rows, columns) / table.sum()
    seen = table > 0
    freedom = ((rows > 0).sum() - 1) * ((columns > 0).sum() - 1)
    return float((table[seen] * np.log(table[seen] / expected[seen])).sum()), float(freedom)


def _shapes(cards: Numbers, parents: Parents, classes: int) -> list[tuple[int, ...]]:
    """The axes (second parent, first parent, column, class) of each column's table."""
    return [
        (*(int(cards[p]) for p in own[::-1] if p >= 0), int(cards[column]), classes)
        for column, own in enumerate(parents.tolist())
    ]


def _all_levels(counts: Floats, cards: Numbers, parents: Parents, classes: int) -> Iterator[list[Floats]]:
    """For each column its tables of counts with no, one and two parents."""
    start = 0
    for shape in _shapes(cards, parents, classes):
        size = int(np.prod(shape))
        levels = [counts[start : start + size].reshape(shape)]
        while levels[0].ndim > 2:
            levels.insert(0, levels[0].sum(axis=0))
        start += size
        yield levels


def _backed_off(
    levels: Sequence[Floats], strengths: Floats, place: Sequence[int], off: float, own: int
) -> Floats:
    """P(state | parents, class) in every class; ``off`` of the row is taken from its ``own`` class."""
    states = levels[0].sum(axis=1)
    chance = np.full(
        levels[0].shape[1],
        (max(states[place[-1]] - off, 0.0) + 1) / (max(states.sum() - off, 0.0) + len(states)),
    )
    taken = np.where(np.arange(len(chance)) == own, off, 0.0)
    for level, table in enumerate(levels):
        of_parents = table[tuple(place[len(place) - 1 - level : len(place) - 1])]
        cell = np.maximum(of_parents[place[-1]] - taken, 0.0)
        total = np.maximum(of_parents.sum(axis=0) - taken, 0.0)
        chance = (cell + strengths[level] * chance) / (total + strengths[level])
    return chance
