"""Calibration of predicted probabilities: reliability diagrams, calibration errors, proper scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import weights_named, whole_number
from bayou.decisions.beliefs import LabelledBeliefs, one_class, scored_from, weights_of_rows
from bayou.errors import BadQuestion
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.special_functions import weighted_sum
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import CountArray, FloatArray, IntArray, State

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(PrintedTable):
    """Rows in bins of their predicted probability: the mean prediction and the observed frequency of each.

    ``edges`` has one number more than there are bins; an empty bin has NaN for both means. ``counts`` are
    numbers of rows, or their weights. ``about`` is the text that names the judged probability, such as
    ``P(yes)``.
    """

    edges: FloatArray
    counts: CountArray
    mean_probability: FloatArray
    frequency: FloatArray
    about: str

    @property
    def gaps(self) -> FloatArray:
        """Observed frequency minus mean predicted probability, for each bin."""
        return self.frequency - self.mean_probability

    @property
    def ece(self) -> float:
        """The expected calibration error: the mean absolute gap, each bin weighted by its number of rows."""
        filled = self.counts > 0
        return float((self.counts[filled] * np.abs(self.gaps[filled])).sum() / self.counts.sum())

    @property
    def mce(self) -> float:
        """The maximum calibration error: the largest absolute gap of any bin."""
        return float(np.abs(self.gaps[self.counts > 0]).max())

    def to_table(self) -> TextTable:
        """One row per bin that is not empty.

        >>> from bayou.decisions import reliability
        >>> print(reliability([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9], bins=2).to_table())
        Reliability of P(1)
        bin      rows  said    came true
        0 … 0.5     2  0.2500  0
        0.5 … 1     2  0.7500  1
        """
        rows: list[list[Cell]] = [
            [
                f"{self.edges[k]:.4g} … {self.edges[k + 1]:.4g}",
                count_cell(self.counts[k]),
                float(self.mean_probability[k]),
                float(self.frequency[k]),
            ]
            for k in np.flatnonzero(self.counts)
        ]
        return TextTable(["bin", "rows", "said", "came true"], rows, title=f"Reliability of {self.about}")

    def _remarks(self) -> list[str]:
        return [f"Expected calibration error {self.ece:.4g}, largest gap {self.mce:.4g}"]

    def to_frame(self) -> pandas.DataFrame:
        """One row per bin (needs pandas).

        >>> from bayou.decisions import reliability
        >>> reliability([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9], bins=2).to_frame()["rows"].to_list()
        [2, 2]
        """
        return pandas_frame(
            {
                "low": self.edges[:-1],
                "high": self.edges[1:],
                "rows": self.counts,
                "said": self.mean_probability,
                "came_true": self.frequency,
            },
            "Reliability.to_frame",
        )


@weights_named("weights")
def reliability(
    labels: Any,
    proba: Any,
    *,
    bins: int = 10,
    by: str = "width",
    of: Any = None,
    classes: Iterable[State] | None = None,
    weights: Any = None,
    positive: Any = None,
) -> Reliability:
    """Return the data of a reliability diagram.

    ``proba`` is one number per row (the probability of the second of two classes, or of the class
    ``positive=``), or a matrix with one row per case and one column per class. Of a matrix the probability
    of the predicted class is judged, or that of the class ``of=``. ``by="width"`` makes bins of equal width,
    ``"mass"`` bins of about equally many rows. ``weights`` are weights of the rows.

    Raises ``BadData`` if there are not as many rows as labels.

    ``bins`` is their number.

    >>> print(reliability([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], bins=2))
    Reliability of P(1)
    bin      rows  said    came true
    0 … 0.5     2  0.1500  0
    0.5 … 1     2  0.8000  1
    Expected calibration error 0.175, largest gap 0.2
    """
    scored = scored_from(labels, proba, classes, positive)
    predicted, true, about = _judged(scored, of)
    edges = _edges(predicted, bins, by)
    place, bins = _places(predicted, edges), len(edges) - 1
    given = weights_of_rows(weights, len(place))
    share = np.ones(len(place)) if given is None else given
    counts: CountArray = np.bincount(place, given, bins)
    with np.errstate(invalid="ignore"):
        mean_probability = np.bincount(place, share * predicted, bins) / counts
        frequency = np.bincount(place, share * true, bins) / counts
    return Reliability(edges, counts, mean_probability, frequency, about)


def expected_calibration_error(labels: Any, proba: Any, **settings: Any) -> float:
    """Return the expected calibration error: the mean gap between predicted probability and frequency.

    It takes the same arguments as :func:`reliability`.

    Raises ``BadData`` if there are not as many rows as labels.

    ``settings`` are those of :func:`reliability`.

    >>> expected_calibration_error([0, 1], [0.25, 0.75])
    0.25
    """
    return reliability(labels, proba, **settings).ece


@dataclass(frozen=True)
class Brier:
    """The Brier score and its parts: ``value`` = reliability - resolution + uncertainty + within_bins.

    ``reliability`` is the cost of miscalibration, ``resolution`` the gain from separating cases,
    ``uncertainty`` the variance of the outcome, p(1 - p) for the class share p (Murphy 1973).
    ``within_bins`` is the remainder due to different probabilities in one bin (0 when each bin
    holds one probability; Stephenson, Coelho and Jolliffe 2008).
    """

    value: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float


@weights_named("weights")
def brier(
    labels: Any,
    proba: Any,
    *,
    bins: int | None = None,
    classes: Iterable[State] | None = None,
    weights: Any = None,
    positive: Any = None,
) -> Brier:
    """Return the Brier score (mean squared error of probabilities) and its decomposition.

    One number per row gives the two-class score (p - y)²; a matrix gives the sum over its columns, so with
    two classes it is twice as large. Rows are grouped by equal probabilities, or with ``bins=`` into bins of
    equal width. ``weights`` are weights of the rows, ``positive`` the class whose probability the one number
    is, if it is not the second.

    Raises ``BadData`` if there are not as many rows as labels.

    >>> score = brier([0, 1, 1, 1], [0.2, 0.2, 0.8, 0.8])
    >>> round(score.value, 4), round(score.reliability - score.resolution + score.uncertainty, 4)
    (0.19, 0.19)
    """
    scored = scored_from(labels, proba, classes, positive)
    columns = [1] if scored.binary else range(len(scored.classes))
    parts = np.zeros(5)
    given = weights_of_rows(weights, len(scored.truth))
    for column in columns:
        parts += _brier_parts(scored.proba[:, column], scored.outcomes[:, column], bins, given)
    return Brier(*parts.tolist())


def _brier_parts(
    predicted: FloatArray, true: FloatArray, bins: int | None, weights: FloatArray | None
) -> FloatArray:
    """The five numbers of :class:`Brier` for one column of probabilities."""
    place = np.unique(predicted, return_inverse=True)[1].ravel()
    if bins is not None:
        place = _places(predicted, _edges(predicted, bins, "width"))
    share = np.full(len(place), 1 / len(place)) if weights is None else weights / weights.sum()
    counts = np.bincount(place, share)
    counts = np.where(counts > 0, counts, 1.0)
    means, shares = np.bincount(place, share * predicted) / counts, np.bincount(place, share * true) / counts
    base = weighted_sum(share, true)
    off, surprise = predicted - means[place], true - shares[place]
    parts: FloatArray = np.array(
        [
            weighted_sum(share, (predicted - true) ** 2),
            weighted_sum(share, (means - shares)[place] ** 2),
            weighted_sum(share, (shares - base)[place] ** 2),
            base * (1 - base),
            weighted_sum(share, off**2 - 2 * off * surprise),
        ]
    )
    return parts


@weights_named("weights")
def log_loss(
    labels: Any,
    proba: Any,
    *,
    classes: Iterable[State] | None = None,
    weights: Any = None,
    positive: Any = None,
) -> float:
    """Return the mean of -log P(true class); infinite if some true class was given probability 0.

    ``positive`` names the class whose probability the one number of a row is (default: the second of two).

    Raises ``BadData`` if there are not as many rows as labels.

    >>> round(log_loss(["a", "b"], [[0.5, 0.5], [0.25, 0.75]]), 4)
    0.4904
    """
    scored = scored_from(labels, proba, classes, positive)
    given = weights_of_rows(weights, len(scored.truth))
    kept = slice(None) if given is None else given > 0  # an impossible row of weight 0 does not count
    with np.errstate(divide="ignore"):
        losses = -np.log(scored.proba[np.arange(len(scored.truth)), scored.truth][kept])
    return float(np.average(losses, weights=None if given is None else given[kept]) + 0.0)


def _judged(scored: LabelledBeliefs, of: Any) -> tuple[FloatArray, FloatArray, str]:
    """Return the judged probabilities, whether each came true (1.0 or 0.0), and the text that names them."""
    if of is None and not scored.binary:
        predicted = scored.proba.argmax(axis=1)
        return scored.proba.max(axis=1), (predicted == scored.truth) * 1.0, "the predicted class"
    column = one_class(scored, of)
    true = (scored.truth == column) * 1.0
    return scored.proba[:, column], true, f"P({label(scored.classes[column])})"


def count_cell(count: Any) -> int | str:
    """A number of rows, or a weight that need not be whole, for a printed table."""
    return int(count) if float(count).is_integer() else f"{count:.6g}"


def _edges(predicted: FloatArray, bins: int, by: str) -> FloatArray:
    """The edges of the bins, one more than there are bins."""
    bins = whole_number("bins", bins, 1)
    if by == "width":
        return np.linspace(0, 1, bins + 1)
    if by != "mass":
        raise BadQuestion(f"by={by!r}: bins have equal 'width' or equal 'mass'; give one of these two.")
    ranked = np.sort(predicted)
    starts = ranked[np.linspace(0, len(ranked), bins + 1)[1:-1].astype(np.int64)]
    # Equal probabilities go into one bin, so there may be fewer bins, of unequal mass.
    inner = np.unique(starts)
    edges: FloatArray = np.unique(np.concatenate([[ranked[0]], inner, [ranked[-1]]]))
    return edges if len(edges) > 1 else np.array([edges[0], edges[0]])


def _places(predicted: FloatArray, edges: FloatArray) -> IntArray:
    """The bin of each probability: it includes its lower edge and not its upper; the last includes both."""
    places: IntArray = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, len(edges) - 2)
    return places
