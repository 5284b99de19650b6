"""Centred moments by group: number, mean and scatter, which add and subtract without loss of digits.

For two sets of rows with numbers n₁, n₂, means m₁, m₂ and scatter matrices S₁, S₂,

    n = n₁ + n₂,    m = m₁ + (n₂/n)(m₂ − m₁),    S = S₁ + S₂ + (n₁ n₂/n)(m₂ − m₁)(m₂ − m₁)ᵀ.

Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance, The American Statistician 37.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayou._native import group_moments
from bayou.errors import BadFile, BadStatistics, listed
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.answer_vectors import AnswerVectors
from bayou.statistics.batch import Batch
from bayou.statistics.counts import Counts, cells_present
from bayou.statistics.labels import union
from bayou.statistics.request import RequestFor, group_codes
from bayou.statistics.result import Result
from bayou.typing import BoolArray, FloatArray, Name, Units

_EPSILON = float(np.finfo(np.float64).eps)
_LOST = 1000 * _EPSILON
"""A scatter smaller than this share of the one it was subtracted from has fewer than three correct digits."""


@dataclass(frozen=True, eq=False)
class GroupMoments(Result):
    """For each combination of the groups' states: n, the means and Σ w (x−mean)(x−mean)ᵀ.

    >>> import numpy as np
    >>> a = GroupMoments(("x",), (), np.array(2.0), np.array([1.0]), np.array([[2.0]]))   # 0 and 2
    >>> b = GroupMoments(("x",), (), np.array(1.0), np.array([4.0]), np.array([[0.0]]))   # 4
    >>> both = a + b
    >>> both.n.item(), both.mean.item(), both.scatter.item()
    (3.0, 2.0, 8.0)
    >>> (both - b).scatter.item()
    2.0
    """

    kind: ClassVar[str] = "moments"
    variables: tuple[Name, ...]
    groups: tuple[Variable, ...]
    n: FloatArray
    mean: FloatArray
    scatter: FloatArray
    doubt: FloatArray | None = None
    """Bounds of the rounding errors that subtractions have left in the mean [..., 0, :] and in the diagonal
    of the scatter [..., 1, :]; None if nothing was subtracted."""

    def __post_init__(self) -> None:
        # Arithmetic turns arrays without axes into scalars, which files and sums would treat differently.
        for part in ("n", "mean", "scatter"):
            object.__setattr__(self, part, np.asarray(getattr(self, part), dtype=np.float64))

    @property
    def request(self) -> Moments:
        """The request that these moments answer."""
        return Moments(self.variables, tuple(axis.name for axis in self.groups))

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The axes of the groups."""
        return self.groups

    def present(self, dimension: int) -> BoolArray:
        """A mask of the states of a group axis that have rows."""
        return cells_present(self.n, dimension)

    @property
    def total(self) -> float:
        """The number (or weight) of all rows in all groups."""
        return float(self.n.sum())

    def renamed(self, names: Mapping[Name, Name]) -> GroupMoments:
        """The same moments under other variable names (used to pool shared parameters)."""
        groups = tuple(
            Variable(names.get(axis.name, axis.name), axis.states, ordered=axis.ordered)
            for axis in self.groups
        )
        variables = tuple(names.get(name, name) for name in self.variables)
        return GroupMoments(variables, groups, self.n, self.mean, self.scatter, self.doubt)

    def aligned(self, groups: Sequence[Variable]) -> GroupMoments:
        """The same moments on these group axes: axes matched by name, cells by state."""
        if tuple(groups) == self.groups:
            return self
        # The position of each cell with rows, counting from 1; 0 after alignment means a new state.
        places = np.arange(1, self.n.size + 1).reshape(self.n.shape)
        moved = Counts(self.groups, np.where(self.n != 0, places, 0)).aligned(groups).values
        k = len(self.variables)
        n = np.concatenate([[0.0], self.n.reshape(-1)])
        mean = np.concatenate([np.zeros((1, k)), self.mean.reshape(-1, k)])
        scatter = np.concatenate([np.zeros((1, k, k)), self.scatter.reshape(-1, k, k)])
        doubt = None
        if self.doubt is not None:
            doubt = np.concatenate([np.zeros((1, 2, k)), self.doubt.reshape(-1, 2, k)])[moved]
        return GroupMoments(self.variables, tuple(groups), n[moved], mean[moved], scatter[moved], doubt)

    @cached_property
    def whole(self) -> GroupMoments:
        """All groups merged."""
        return self.marginal([])

    def marginal(self, names: Sequence[Name]) -> GroupMoments:
        """Merge the groups over all group variables that are not in ``names``."""
        position = [axis.name for axis in self.groups]
        kept = [position.index(name) for name in names]
        summed = [k for k in range(len(position)) if k not in kept]
        order = [*kept, *summed]
        k = len(self.variables)
        shape = tuple(self.groups[i].cardinality for i in kept)
        n = np.transpose(self.n, order).reshape(*shape, -1)
        mean = np.transpose(self.mean, [*order, len(order)]).reshape(*shape, -1, k)
        scatter = np.transpose(self.scatter, [*order, len(order), len(order) + 1]).reshape(*shape, -1, k, k)
        total = n.sum(axis=-1)
        centre = (n[..., None] * mean).sum(axis=-2) / np.where(total > 0, total, 1)[..., None]
        gap = mean - centre[..., None, :]
        spread = scatter.sum(axis=-3) + np.einsum("...g,...gi,...gj->...ij", n, gap, gap)
        return GroupMoments(self.variables, tuple(self.groups[i] for i in kept), total, centre, spread)

    def __add__(self, other: GroupMoments) -> GroupMoments:
        left, right = _alike(self, other)
        n = left.n + right.n
        share = right.n / np.where(n > 0, n, 1)
        gap = right.mean - left.mean
        mean = np.where((left.n > 0)[..., None], left.mean + share[..., None] * gap, right.mean)
        between = (left.n * share)[..., None, None] * gap[..., :, None] * gap[..., None, :]
        scatter = left.scatter + right.scatter + between
        doubt = None
        if left.doubt is not None or right.doubt is not None:
            both = left._doubts + right._doubts
            carried = 2 * (left.n * share)[..., None] * np.abs(gap) * both[..., 0, :]
            doubt = np.stack([both[..., 0, :], both[..., 1, :] + carried], axis=-2)
        return GroupMoments(left.variables, left.groups, n, mean, scatter, doubt)

    @property
    def _doubts(self) -> FloatArray:
        return np.zeros((*self.n.shape, 2, len(self.variables))) if self.doubt is None else self.doubt

    def __sub__(self, other: GroupMoments) -> GroupMoments:
        """Remove rows that were added before.

        The rounding error of the result is that of the whole's scatter (about 16 digits). Where fewer than
        three correct digits remain (the removed rows lie millions of times further apart than those that
        stay), or a scatter would be negative, BadStatistics is raised.
        """
        whole, part = _alike(self, other)
        n = whole.n - part.n
        n = np.where(np.abs(n) <= 1e-9 * np.maximum(whole.n, part.n), 0.0, n)
        if n.size and n.min() < 0:
            raise BadStatistics(
                f"Cannot subtract more rows of {listed(whole.variables)} than were added "
                f"(one group would have {n.min():g}). Only records that were added before can be forgotten."
            )
        rest = np.where(n > 0, n, 1)
        mean = whole.mean + (part.n / rest)[..., None] * (whole.mean - part.mean)
        gap = part.mean - mean
        between = (n * part.n / np.where(whole.n > 0, whole.n, 1))[..., None, None]
        # The large terms first: they cancel, and their difference is nearly exact.
        scatter = (whole.scatter - between * gap[..., :, None] * gap[..., None, :]) - part.scatter
        doubt = _doubt_after(whole, part, n, gap)
        scatter = _checked_scatter(whole, n, part.n, scatter, doubt[..., 1, :])
        empty = n == 0
        return GroupMoments(
            whole.variables,
            whole.groups,
            n,
            np.where(empty[..., None], 0.0, mean),
            np.where(empty[..., None, None], 0.0, scatter),
            np.where(empty[..., None, None], 0.0, doubt),
        )

    def __mul__(self, weight: float) -> GroupMoments:
        doubt = None if self.doubt is None else self.doubt * np.array([[1.0], [abs(weight)]])
        n, scatter = self.n * weight, self.scatter * weight
        return GroupMoments(self.variables, self.groups, n, self.mean, scatter, doubt)

    def answer_vectors(self, units: Units) -> AnswerVectors:
        """For each group n, Σ y and Σ y yᵀ of the standardised variables y = (x − mean) / deviation."""
        k, shape = len(self.variables), self.n.shape
        means, spreads = np.array([units.get(name, (0.0, 1.0)) for name in self.variables]).reshape(k, 2).T
        squares = np.outer(spreads, spreads)

        def vector(answer: GroupMoments) -> FloatArray:
            y = (answer.mean - means) / spreads
            n = answer.n[..., None]
            second = answer.scatter / squares + n[..., None] * y[..., :, None] * y[..., None, :]
            return np.concatenate([answer.n.ravel(), (n * y).ravel(), second.ravel()])

        def made(numbers: FloatArray) -> GroupMoments:
            n, first, second = np.split(numbers, [self.n.size, self.n.size * (1 + k)])
            n, first, second = n.reshape(shape), first.reshape(*shape, k), second.reshape(*shape, k, k)
            y = first / np.where(n > 0, n, 1)[..., None]
            scatter = second - n[..., None, None] * y[..., :, None] * y[..., None, :]
            own, size = np.einsum("...ii->...i", scatter), np.einsum("...ii->...i", second)
            if np.any(own < -_LOST * size):
                raise BadStatistics(f"No rows have these moments of {listed(self.variables)}.")
            scatter[..., np.arange(k), np.arange(k)] = np.maximum(own, 0.0)
            return GroupMoments(self.variables, self.groups, n, means + spreads * y, scatter * squares)

        def deviation(numbers: FloatArray) -> FloatArray:
            roots = np.sqrt(numbers[: self.n.size] + 1.0)
            return np.concatenate([roots, np.repeat(roots, k), np.repeat(roots, k * k)])

        counts = np.arange(self.n.size * (1 + k + k * k)) < self.n.size
        return AnswerVectors(vector, made, counts, deviation)

    def state(self) -> dict[str, Any]:
        """The variables, the groups with their states, and the three arrays."""
        return {
            "kind": self.kind,
            "variables": [encode_value(name) for name in self.variables],
            "groups": [axis.state() for axis in self.groups],
            "n": self.n,
            "mean": self.mean,
            "scatter": self.scatter,
            **({} if self.doubt is None else {"doubt": self.doubt}),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> GroupMoments:
        """Read :meth:`state`; raise BadFile unless shapes fit, numbers are finite, weights not negative."""
        variables = tuple(map(decode_value, state["variables"]))
        groups = tuple(map(Variable.from_state, state["groups"]))
        # Files of early versions, and moments of rows that were only added, have no doubt.
        moments = cls(variables, groups, state["n"], state["mean"], state["scatter"], state.get("doubt"))
        shape, k = tuple(axis.cardinality for axis in groups), len(variables)
        parts = (moments.n, moments.mean, moments.scatter)
        if tuple(part.shape for part in parts) != (shape, (*shape, k), (*shape, k, k)):
            raise BadFile(f"the moments of {variables!r} do not have the shape of their axes.")
        if moments.doubt is not None and moments.doubt.shape != (*shape, 2, k):
            raise BadFile(f"the moments of {variables!r} do not have the shape of their axes.")
        if not all(np.all(np.isfinite(part)) for part in (*parts, moments._doubts)):
            raise BadFile(f"the moments of {variables!r} are not finite.")
        if np.any(moments.n < 0) or np.any(np.einsum("...ii->...i", moments.scatter) < 0):
            raise BadFile(f"the moments of {variables!r} have negative weights or variances.")
        return moments


@dataclass(frozen=True)
class Moments(RequestFor[GroupMoments]):
    """Request: number, means and centred scatter of continuous variables, by the states of ``given``.

    >>> Moments(("height",), given=("sex",))
    Moments(variables=('height',), given=('sex',))
    """

    variables: tuple[Name, ...]
    given: tuple[Name, ...] = ()

    @property
    def states(self) -> tuple[Name, ...]:
        """The variables in ``given``."""
        return self.given

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The continuous variables."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> GroupMoments:
        """The moments of some rows; raises BadData for infinite numbers."""
        given = tuple(variables[name] for name in self.given)
        cards = [axis.cardinality for axis in given]
        groups = group_codes(batch, given)
        values = [np.ascontiguousarray(batch.finite_numbers(name)) for name in self.variables]
        weights = None if batch.weights is None else batch.weights.astype(np.float64)
        n, mean, scatter = group_moments(values, groups, int(np.prod(cards, dtype=np.int64)), weights)
        k = len(values)
        return GroupMoments(
            self.variables, given, n.reshape(cards), mean.reshape(*cards, k), scatter.reshape(*cards, k, k)
        )


def _doubt_after(whole: GroupMoments, part: GroupMoments, n: FloatArray, gap: FloatArray) -> FloatArray:
    """Bounds of the rounding errors of the mean and of the scatter's diagonal after a subtraction.

    An error of the mean grows by the number of rows before, divided by that after; ``gap`` is the distance of
    the removed rows' mean from that of the rest.
    """
    rest = np.where(n > 0, n, 1)
    growth = (whole.n / rest)[..., None]
    sizes = np.abs(whole.mean) + np.abs(part.mean)
    means = (whole._doubts[..., 0, :] + part._doubts[..., 0, :] + 4 * _EPSILON * sizes) * growth
    before = np.einsum("...ii->...i", whole.scatter)
    share = (n * part.n / np.where(whole.n > 0, whole.n, 1))[..., None]
    scatter = whole._doubts[..., 1, :] + part._doubts[..., 1, :] + 8 * _EPSILON * before
    scatter = scatter + share * means * (2 * np.abs(gap) + means)
    touched = (part.n > 0)[..., None, None]
    return np.where(touched, np.stack([means, scatter], axis=-2), whole._doubts)


def _checked_scatter(
    whole: GroupMoments, n: FloatArray, removed: FloatArray, left: FloatArray, doubt: FloatArray
) -> FloatArray:
    """The scatter after a subtraction, set to 0 where one row is left or the variable never varied.

    ``n`` and ``removed`` are the numbers of remaining and removed rows, ``left`` the computed difference, and
    ``doubt`` bounds the errors that earlier subtractions have left in its diagonal.
    """
    before = np.einsum("...ii->...i", whole.scatter)
    after = np.einsum("...ii->...i", left)
    blur = np.sqrt(whole.n)[..., None] * (8 * _EPSILON * np.abs(whole.mean))
    # Means are rounded; the fewer rows are left, the more that changes the result.
    shift = blur * (whole.n / np.where(n > 0, n, 1))[..., None]
    rounding = _LOST * before + 2 * np.sqrt(before) * shift
    still = (before <= blur**2) | ((n <= 1)[..., None] & (np.abs(after) <= rounding + doubt))
    touched = (n > 0)[..., None] & (removed > 0)[..., None] & ~still
    if np.any(touched & (after < -rounding - doubt)):
        raise BadStatistics(
            f"Cannot subtract rows of {listed(whole.variables)} that were never added: their scatter is "
            "larger than that of all rows. Only records that were added before can be forgotten."
        )
    if np.any(touched & (after <= rounding)):
        raise BadStatistics(
            f"The remaining rows of {listed(whole.variables)} lie so close together, compared with the "
            "removed ones, that their variance is lost in rounding. Fit again on the rows that stay."
        )
    varies = ~still
    result: FloatArray = np.where(varies[..., :, None] & varies[..., None, :], left, 0.0)
    return np.where((removed > 0)[..., None, None], result, whole.scatter)


def _alike(left: GroupMoments, right: GroupMoments) -> tuple[GroupMoments, GroupMoments]:
    """Both on the same group axes."""
    right_axes = {axis.name: axis for axis in right.groups}
    if left.variables != right.variables or {axis.name for axis in left.groups} != set(right_axes):
        raise BadStatistics(
            f"Moments of {listed(left.variables)} and of {listed(right.variables)} cannot be combined: they "
            "must have the same variables and groups."
        )
    groups = [union(axis, right_axes[axis.name]) for axis in left.groups]
    return left.aligned(groups), right.aligned(groups)
