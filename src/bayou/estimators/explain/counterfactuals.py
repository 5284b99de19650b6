"""Counterfactuals: the smallest change of a row that changes the predicted class."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from bayou.errors import BayouWarning
from bayou.estimators.explain.alternatives import Alternatives, alternatives, as_number, as_the_model
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.one_row import OneRow, read_row
from bayou.estimators.input.row_input import reads_documents
from bayou.estimators.input.time_columns import parts_of_day, time_like
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.explain.smallest_change import Change, SmallestChange
from bayou.sources import read_columns
from bayou.typing import FloatArray, IntArray, Name, State

_POINTS, _FEW_POINTS = 241, 25
_MOST_ROWS = 6000
_MOST_CHANGES = 3
_ZOOMS = 4
_CHUNK = 32
_SHARES = (0.0, 1e-12, 1e-9, *(10.0**-k for k in range(8, 0, -1)), 1.0)
_BEYOND = 1e-8
"""The log-odds must exceed 0 by this much, which is more than the error of kernel densities."""

Changed = Mapping[Name, State]


def smallest_change(estimator: Any, given: Any, to: State = None) -> SmallestChange | None:
    """Find the fewest findings to change so that another class (or the class ``to``) is predicted.

    None if no change was found, or if ``to`` is predicted already.
    """
    row = given if isinstance(given, OneRow) else read_row(estimator, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        search = _CounterfactualSearch(
            estimator, row, None if to is None else estimator._class_variable.code(to)
        )
        if search.goal == search.before or len(estimator.classes_) < 2:
            return None
        found = search.alone()
        changed, exact = (found[0], True) if found else (None, True)
        if changed is None:
            both = search.goal is None or len(estimator.classes_) == 2
            changed, exact = _greedy(search) if search.adds and both else _tried(search)
            changed = None if changed is None else search.moved_back(changed)
        return None if changed is None else search.flip(changed, found, exact)


@dataclass(frozen=True)
class _CounterfactualSearch:
    """A row, its predicted class (``before``), and the other values of its findings.

    ``given`` is the row as it was given, ``goal`` the class to reach (None: any other than ``before``).
    """

    estimator: Any
    given: OneRow
    goal: int | None

    @cached_property
    def model(self) -> Any:
        return self.estimator._fitted_model()

    @cached_property
    def row(self) -> OneRow:
        """The row with numbers for dates and for texts that spell numbers, where the model has numbers."""
        if reads_documents(self.estimator):
            return self.given
        values = self.given.values
        known = {name: as_the_model(self.model, name, value) for name, value in values.items()}
        return OneRow(known, self.given.declared)

    @property
    def adds(self) -> bool:
        """Whether the log-odds are a sum of one term per finding."""
        return isinstance(self.model, NaiveModel)

    @cached_property
    def before(self) -> int:
        return int(self.joint([{}])[0].argmax())

    @cached_property
    def choices(self) -> list[Alternatives]:
        points = _POINTS if self.adds else _FEW_POINTS
        found = (
            alternatives(
                self.estimator, self.model, name, self.row.values[name], points, self._parts_of_day(name)
            )
            for name in self.row.findings
        )
        return [choice for choice in found if choice.values]

    def _parts_of_day(self, name: Name) -> int:
        """Into how many parts the given value of a finding divides the day; 0 if it is no date or time."""
        given = self.given.values[name]
        return 0 if self.row.values[name] == given else parts_of_day(given)

    def joint(self, changes: Sequence[Changed]) -> FloatArray:
        """log P(class, row) of each changed row, [row, class]."""
        result: FloatArray = self.model.joint_log(self.row.varied(changes))
        return result

    @cached_property
    def parts(self) -> dict[Name, FloatArray]:
        """The term of each finding with its present value, one number per class; only if findings add up."""
        table = self.row.table()
        weighed = zip(self.model.densities, self.model.weights.tolist(), strict=True)
        return {density.variable.name: weight * density.log_density(table)[0] for density, weight in weighed}

    def parts_of(self, name: Name, values: Sequence[State]) -> FloatArray:
        """The terms of other values of a finding, [value, class]."""
        weighed = zip(self.model.densities, self.model.weights.tolist(), strict=True)
        density, weight = next(pair for pair in weighed if pair[0].variable.name == name)
        table = FeatureTable(read_columns({name: list(values)}))
        result: FloatArray = weight * density.log_density(table)
        return result

    def singles(self, name: Name, values: Sequence[State]) -> FloatArray:
        """log P(class, row) with one finding changed to each of these values."""
        if not self.adds:
            return self.joint([{name: value} for value in values])
        others = [part for other, part in self.parts.items() if other != name]
        rest = self.model.log_prior + np.sum(others, axis=0) if others else self.model.log_prior
        result: FloatArray = rest + self.parts_of(name, values)
        return result

    def margins(self, joint: FloatArray) -> FloatArray:
        """The log-odds in favour of the change of prediction, for each row; positive if it has changed."""
        rivals = np.delete(joint, self.before if self.goal is None else self.goal, axis=1).max(axis=1)
        with np.errstate(invalid="ignore"):
            result = rivals - joint[:, self.before] if self.goal is None else joint[:, self.goal] - rivals
        return np.where(np.isnan(result), -np.inf, result)

    def turned(self, joint: FloatArray) -> IntArray:
        """The numbers of the rows whose predicted class has changed (to the goal, if there is one)."""
        best = joint.argmax(axis=1)
        right = best != self.before if self.goal is None else best == self.goal
        return np.flatnonzero(right & ~np.isneginf(joint.max(axis=1)))

    def alone(self) -> list[Changed]:
        """Single changes that change the prediction; of numbers the nearest one.

        Those come first whose finding can raise the odds of the other class the most.
        """
        found: list[tuple[float, Changed]] = []
        for choice in self.choices:
            joint = self.singles(choice.name, choice.values)
            margins, turned = self.margins(joint), self.turned(joint)
            if not len(turned):
                continue
            best = turned[int(margins[turned].argmax())]
            nearest = int(turned[0]) if choice.ordered else best
            change = (
                self._nearest(choice, nearest, {})
                if choice.is_range
                else {choice.name: choice.values[nearest]}
            )
            found.append((float(margins[best]), change))
        return [change for _, change in sorted(found, key=lambda pair: -pair[0])]

    def moved_back(self, changed: Changed) -> Changed:
        """Move each number back to the nearest one with which the prediction is still changed.

        The findings that matter least are moved first; the others keep their new values meanwhile.
        """
        by_name = {choice.name: choice for choice in self.choices if choice.ordered}
        for choice in [by_name[name] for name in reversed(list(changed)) if name in by_name]:
            others = {name: value for name, value in changed.items() if name != choice.name}
            turned = self.turned(self._with(others, choice.name, choice.values))
            if not len(turned):
                continue
            first = int(turned[0])
            nearer = (
                self._nearest(choice, first, others)
                if choice.is_range
                else {choice.name: choice.values[first]}
            )
            changed = {**changed, **nearer}
        return changed

    def _with(self, others: Changed, name: Name, values: Sequence[State]) -> FloatArray:
        """log P(class, row) with one finding changed to each of these values, and ``others`` changed too."""
        if not others:
            return self.singles(name, values)
        return self.joint([{**others, name: value} for value in values])

    def _nearest(self, choice: Alternatives, first: int, others: Changed) -> Changed:
        """Refine the nearest number that changes the prediction: ``values[first]`` or one before it."""
        start, end = as_number(choice.current), as_number(choice.values[first])
        side = [v for v in map(as_number, choice.values[:first]) if (v > start) == (end > start)]
        near, far = (side[-1] if side else start), end
        for _ in range(_ZOOMS):
            points = np.linspace(near, far, 1001).tolist()
            turned = self.turned(self._with(others, choice.name, points))
            if not len(turned):
                break
            far, near = points[int(turned[0])], points[max(int(turned[0]) - 1, 0)]
        # The result is checked with the model itself: it rounds its sums in another order, and kernel
        # densities depend (within their error) on the rows that are scored together.
        steps = [choice.beyond(far + (end - far) * share) for share in _SHARES]
        joint = self.joint([{**others, choice.name: step} for step in steps])
        turned = np.flatnonzero(self.margins(joint) > _BEYOND)
        return {choice.name: steps[int(turned[0])] if len(turned) else end}

    def flip(self, changed: Changed, alone: Sequence[Changed], exact: bool) -> SmallestChange:
        joint = self.joint([changed])[0]
        after, states = int(joint.argmax()), self.estimator._class_variable.states
        return SmallestChange(
            states[self.before],
            states[after],
            self._as_changes(changed),
            float(joint[after] - joint[self.before]),
            tuple(change for single in alone for change in self._as_changes(single)),
            exact,
        )

    def _as_changes(self, changed: Changed) -> tuple[Change, ...]:
        given = self.given.values
        return tuple(Change(name, given[name], self._written(name, value)) for name, value in changed.items())

    def _written(self, name: Name, value: State) -> State:
        """A new value in the form of the given one: a date for a date."""
        given = self.given.values[name]
        return time_like(as_number(value), given) if self._parts_of_day(name) else value


def _greedy(search: _CounterfactualSearch) -> tuple[Changed | None, bool]:
    """The smallest set of changes if the log-odds are a sum over findings, and whether it is known to be.

    It is not where the best value of a finding is only known on a grid (``complete``).

    The log-odds of a rival b against the present class a are prior + Σ_j part_j(value_j). A set S of changed
    findings can raise them by at most Σ_{j ∈ S} gain_j with gain_j = max_v part_j(v) − part_j(now), reached
    by setting each to its own best value, whatever the others are. Of all sets of k findings the k largest
    gains have the largest sum, so b can overtake a after k changes if and only if it does after those: the
    first such k is the smallest. A finding that rules b out (part −∞) is in every set that helps: those come
    first. The decision changes as soon as any rival overtakes a, so the best over all b is the answer. With a
    complete list of values max_v is exact; points of a grid may miss a higher value between them.
    """
    a = search.before
    parts = {choice.name: search.parts_of(choice.name, choice.values) for choice in search.choices}
    best: tuple[int, float, Changed] | None = None
    for b in range(len(search.model.log_prior)):
        if b == a or search.goal not in (None, b):
            continue
        ranked = _ranked(search.choices, search.parts, parts, a, b)
        most = len(ranked) if best is None else min(best[0], len(ranked))
        prefixes = [dict(ranked[:k]) for k in range(1, most + 1)]
        for start in range(0, most, _CHUNK):
            joint = search.joint(prefixes[start : start + _CHUNK])
            turned = search.turned(joint)
            if len(turned):
                k, margin = start + int(turned[0]), float(search.margins(joint)[turned[0]])
                if best is None or (k + 1, -margin) < (best[0], -best[1]):
                    best = (k + 1, margin, prefixes[k])
                break
    return None if best is None else best[2], all(choice.complete for choice in search.choices)


def _ranked(
    choices: Sequence[Alternatives],
    now: Mapping[Name, FloatArray],
    parts: Mapping[Name, FloatArray],
    a: int,
    b: int,
) -> list[tuple[Name, State]]:
    """Findings with their best value for b against a, by falling gain; only those with a gain above 0."""
    found: list[tuple[bool, float, Name, State]] = []
    for choice in choices:
        logs = parts[choice.name]
        with np.errstate(invalid="ignore"):
            odds = logs[:, b] - logs[:, a]
            odds = np.where(np.isnan(odds), -np.inf, odds)
            place = int(odds.argmax())
            gain = float(odds[place] - (now[choice.name][b] - now[choice.name][a]))
        if gain > 0:
            ruled_out = bool(np.isneginf(now[choice.name][b]))
            found.append((ruled_out, gain, choice.name, choice.values[place]))
    found.sort(key=lambda one: (not one[0], -one[1]))
    return [(name, value) for _, _, name, value in found]


def _tried(search: _CounterfactualSearch) -> tuple[Changed | None, bool]:
    """Try two, then three changes at once: all combinations if they are few, else the most promising ones.

    Return the changes (None: none found) and whether they are known to be the fewest, because all smaller
    sets were tried.
    """
    complete = not any(choice.is_range for choice in search.choices)
    for size in range(2, _MOST_CHANGES + 1):
        pool, whole = _pool(search, size)
        tries = [
            dict(values)
            for names in combinations(range(len(pool)), size)
            for values in product(*(pool[k] for k in names))
        ]
        if not tries:
            return None, complete
        joint = search.joint(tries)
        turned = search.turned(joint)
        if len(turned):
            return tries[int(turned[int(search.margins(joint)[turned].argmax())])], complete
        complete = complete and whole
    return None, False


def _pool(search: _CounterfactualSearch, size: int) -> tuple[list[list[tuple[Name, State]]], bool]:
    """The values to combine, and whether they are all; else the most promising ones, to limit the number."""
    ranked: list[list[tuple[float, Name, State]]] = []
    for choice in search.choices:
        margins = search.margins(search.singles(choice.name, choice.values))
        values = sorted(zip(margins.tolist(), choice.values, strict=True), key=lambda pair: -pair[0])
        ranked.append([(margin, choice.name, value) for margin, value in values])
    ranked.sort(key=lambda values: -values[0][0])
    whole = True
    while ranked and _combinations([len(values) for values in ranked], size) > _MOST_ROWS:
        whole = False
        longest = max(len(values) for values in ranked)
        shorter = [values[: longest - max(1, longest // _FEW_POINTS)] for values in ranked]
        ranked = shorter if longest > 2 else ranked[:-1]
    return [[(name, value) for _, name, value in values] for values in ranked], whole


def _combinations(sizes: Sequence[int], size: int) -> int:
    """The number of ways to change ``size`` findings: an elementary symmetric sum of numbers of values."""
    sums = [1] + [0] * size
    for count in sizes:
        for k in range(size, 0, -1):
            sums[k] += sums[k - 1] * count
    return sums[size]
