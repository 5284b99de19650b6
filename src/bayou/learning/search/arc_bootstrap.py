"""The confidence in arcs: the same search on many bootstrap samples, and how often it joins each pair.

Directions are taken from the equivalence class of the network found: an undirected edge counts one half for
each direction (Friedman, Goldszmidt & Wyner 1999; like ``boot.strength`` of bnlearn).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadData, BadQuestion
from bayou.graphs import PartlyDirected
from bayou.graphs.meek import EdgeBits, set_bits
from bayou.progress import tracked
from bayou.typing import FloatArray, IntArray, Name

Learn = Callable[[IntArray], PartlyDirected | None]
"""Takes the numbers of the rows drawn, returns the class that a search finds in them; None means stop."""

Admits = Callable[[IntArray], bool]
"""Whether a structure can be learned from the rows with these numbers."""


@dataclass(frozen=True, eq=False)
class ArcTally:
    """In how many of the ``samples`` each pair was joined, and how often as i -> j (``along[i, j]``)."""

    nodes: tuple[Name, ...]
    joined: FloatArray
    along: FloatArray
    samples: int
    finished: bool = True


_MOST_DRAWS = 1000
"""The most times that the rows of one sample are drawn."""


def drawn_rows(rows: int, seed: int, sample: int, admits: Admits | None = None) -> IntArray:
    """The row numbers of one bootstrap sample: ``rows`` of them, drawn with replacement.

    They depend only on the arguments. If ``admits`` refuses them they are drawn again.

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
    """Search in every sample and count the arcs; an interrupt keeps the samples that are done."""
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
    """Check the number of samples, and that there is a row to draw."""
    whole_number("samples", samples, 1, expected="the number of samples is a whole number, 1 or more")
    if rows < 1:
        raise BadData("There is no row to learn from: the table is empty.")


def _ways(marks: EdgeBits) -> FloatArray:
    """A matrix with 1 at [i, j] for an arc i -> j, and ½ at [i, j] and [j, i] for an undirected edge."""
    seen = np.zeros((len(marks.parents), len(marks.parents)))
    for child, (parents, near) in enumerate(zip(marks.parents, marks.edges, strict=True)):
        seen[list(set_bits(parents)), child] = 1.0
        seen[list(set_bits(near)), child] = 0.5
    return seen


def significance_threshold(strengths: FloatArray) -> float:
    """The strength above which an arc counts as real rather than chance (Scutari & Nagarajan 2013).

    Ideally all strengths would be 0 or 1, with a share t of zeros. The t for which that distribution function
    is nearest (in L1) to the empirical one F is the median of F over [0, 1]; the threshold is the t-quantile
    of F.

    >>> significance_threshold(np.array([0.0, 0.02, 0.1, 0.97, 1.0]))
    0.1
    """
    if not len(strengths):
        return 0.0
    # F is a step function that only rises, so its median over [0, 1] is its value where the lengths of the
    # steps add up to one half.
    values = np.unique(strengths)
    lengths = np.diff(np.concatenate([[0.0], values, [1.0]]))
    middle = int(np.searchsorted(np.cumsum(lengths), 0.5 * lengths.sum()))
    return 0.0 if middle == 0 else float(values[middle - 1])


def averaged_arcs(tally: ArcTally, threshold: float) -> list[tuple[int, int]]:
    """The arcs above the threshold, the strongest first, each in the direction that was found more often.

    An arc that would close a cycle is turned, or left out if the other direction was never found.
    """
    size = len(tally.nodes)
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    strong = [(i, j) for i, j in pairs if tally.joined[i, j] / tally.samples > threshold]
    strong.sort(key=lambda pair: (-tally.joined[pair], -max(tally.along[pair], tally.along[pair[::-1]])))
    below = [1 << node for node in range(size)]  # the nodes that each node reaches, itself included
    arcs = []
    for i, j in strong:
        first = (i, j) if tally.along[i, j] >= tally.along[j, i] else (j, i)
        for start, end in (first, first[::-1]):
            if tally.along[start, end] > 0 and not below[end] >> start & 1:
                arcs.append((start, end))
                below = [reach | below[end] if reach >> start & 1 else reach for reach in below]
                break
    return arcs
