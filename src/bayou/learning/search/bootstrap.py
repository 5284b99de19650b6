"""How sure arcs are: the same search on many resampled tables, and how often it joins each pair.

Directions are taken from the equivalence class of what a search found: an edge that data can not direct
counts half for each way (Friedman, Goldszmidt and Wyner 1999; as ``boot.strength`` of bnlearn does).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadData, BadQuestion
from bayou.graphs import PartlyDirected
from bayou.graphs.meek import Marks, positions
from bayou.progress import tracked
from bayou.typing import FloatArray, IntArray, Name

Learn = Callable[[IntArray], PartlyDirected | None]
"""From the numbers of the rows that were drawn to the class that a search finds in them; None: stop."""

Admits = Callable[[IntArray], bool]
"""Whether something can be learned from the rows of these numbers at all."""


@dataclass(frozen=True, eq=False)
class ArcTally:
    """How often each pair was joined, how often each way (i -> j at [i, j]), and in how many samples."""

    nodes: tuple[Name, ...]
    joined: FloatArray
    along: FloatArray
    samples: int
    finished: bool = True


_MOST_DRAWS = 1000
"""So often the rows of a sample are drawn again where they do not do."""


def drawn_rows(rows: int, seed: int, sample: int, admits: Admits | None = None) -> IntArray:
    """The rows of one sample, as many as there are, with replacement; it depends on nothing but the numbers.

    Rows that ``admits`` does not take are drawn again.

    >>> drawn_rows(5, seed=0, sample=3).tolist() == drawn_rows(5, seed=0, sample=3).tolist()
    True
    """
    for again in range(_MOST_DRAWS):
        drawn = np.random.default_rng([seed, sample, again][: 3 if again else 2]).integers(0, rows, rows)
        if admits is None or admits(drawn):
            break
    return drawn


def tally_arcs(
    learn: Learn, nodes: Sequence[Name], rows: int, samples: int, seed: int, admits: Admits | None = None
) -> ArcTally:
    """Search in every sample and count; an interrupt keeps the samples that are done."""
    check_samples(samples, rows)
    size = len(nodes)
    joined, along = np.zeros((size, size)), np.zeros((size, size))
    done = 0
    try:
        for sample in tracked(range(samples), "Samples"):
            found = learn(drawn_rows(rows, seed, sample, admits))
            if found is None:
                break
            seen = _ways(found.marks)
            along += seen
            joined += seen + seen.T
            done += 1
    except KeyboardInterrupt:
        if not done:
            raise
    if not done:
        raise BadQuestion("The time was up before the first sample was searched: allow more (time=…).")
    return ArcTally(tuple(nodes), joined, along, done, done == samples)


def check_samples(samples: Any, rows: int) -> None:
    """Refuse numbers that make no sense."""
    whole_number("samples", samples, 1, expected="the number of samples is a whole number, 1 or more")
    if rows < 1:
        raise BadData("There is no row to learn from: the table is empty.")


def _ways(marks: Marks) -> FloatArray:
    """1 at [i, j] for an arc i -> j, a half both ways for an edge."""
    seen = np.zeros((len(marks.parents), len(marks.parents)))
    for child, (parents, near) in enumerate(zip(marks.parents, marks.edges, strict=True)):
        seen[list(positions(parents)), child] = 1.0
        seen[list(positions(near)), child] = 0.5
    return seen


def significance_threshold(strengths: FloatArray) -> float:
    """Where strengths of chance end and those of real arcs begin (Scutari and Nagarajan 2013).

    Were the samples to tell all, strengths would be 0 or 1. The distribution of that kind nearest (L1) to
    the one seen has the share t of zeros that is the median over 0 … 1 of the empirical distribution
    function; strengths above its quantile t are significant.

    >>> significance_threshold(np.array([0.0, 0.02, 0.1, 0.97, 1.0]))
    0.1
    """
    if not len(strengths):
        return 0.0
    # The function is flat from each value to the next and only rises: its median lies where the
    # lengths of the flat parts add up to half.
    values = np.unique(strengths)
    lengths = np.diff(np.concatenate([[0.0], values, [1.0]]))
    middle = int(np.searchsorted(np.cumsum(lengths), 0.5 * lengths.sum()))
    return 0.0 if middle == 0 else float(values[middle - 1])


def averaged_arcs(tally: ArcTally, threshold: float) -> list[tuple[int, int]]:
    """The arcs above the threshold, strongest first, each the way that was seen more often.

    One that would close a circle is turned, or left out where the other way was never seen.
    """
    size = len(tally.nodes)
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    strong = [(i, j) for i, j in pairs if tally.joined[i, j] / tally.samples > threshold]
    strong.sort(key=lambda pair: (-tally.joined[pair], -max(tally.along[pair], tally.along[pair[::-1]])))
    below = [1 << node for node in range(size)]  # whom each node reaches, itself too
    arcs = []
    for i, j in strong:
        first = (i, j) if tally.along[i, j] >= tally.along[j, i] else (j, i)
        for start, end in (first, first[::-1]):
            if tally.along[start, end] > 0 and not below[end] >> start & 1:
                arcs.append((start, end))
                below = [reach | below[end] if reach >> start & 1 else reach for reach in below]
                break
    return arcs
