"""The Gaussian of a continuous variable: its view for users, and how it is read from user input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.distributions import Family, LinearGaussian
from bayou.errors import BadTable, listed
from bayou.models.nodes.table_spec import all_rows, row_description
from bayou.schema import Variable, label
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import Name, State


@dataclass(frozen=True)
class GaussianNode(PrintedTable):
    """Normal(intercept + coefficients · continuous parents, variance), one per discrete parents' states."""

    family: Family
    distribution: LinearGaussian

    @property
    def name(self) -> Name:
        """The variable's name."""
        return self.family.child.name

    def mean(self, given: Mapping[Any, State] | None = None) -> float:
        """The intercept for these states of the discrete parents (the mean if no parent is continuous)."""
        return float(self.distribution.intercept[self._index(given or {})])

    def variance(self, given: Mapping[Any, State] | None = None) -> float:
        """The variance for these states of the discrete parents."""
        return float(self.distribution.variance[self._index(given or {})])

    def coefficients(self, given: Mapping[Any, State] | None = None) -> dict[Name, float]:
        """The slope of each continuous parent for these states of the discrete parents."""
        slopes = self.distribution.coefficients[self._index(given or {})]
        return {
            parent.name: float(slope) for parent, slope in zip(self.family.continuous, slopes, strict=True)
        }

    def _index(self, given: Mapping[Any, State]) -> tuple[int, ...]:
        """Return the codes of the discrete parents' states, or raise if one is missing or too many."""
        names = [parent.name for parent in self.family.discrete]
        if set(given) != set(names):
            raise BadTable(f"Give a state for each discrete parent of {self.name!r}: {listed(names)}.")
        return tuple(parent.code(given[parent.name]) for parent in self.family.discrete)

    def to_table(self) -> TextTable:
        """One row per combination of the discrete parents' states."""
        header = [
            *(label(parent.name) for parent in self.family.discrete),
            "intercept" if self.family.continuous else "mean",
            *(f"× {label(parent.name)}" for parent in self.family.continuous),
            "variance",
        ]
        rows = []
        for index, states in all_rows(self.family.discrete):
            numbers = [
                self.distribution.intercept[index],
                *self.distribution.coefficients[index],
                self.distribution.variance[index],
            ]
            rows.append([*(label(state) for state in states), *(f"{number:.6g}" for number in numbers)])
        given = (
            f" | {', '.join(label(parent.name) for parent in self.family.parents)}"
            if self.family.parents
            else ""
        )
        return TextTable(header, rows, title=f"Normal({label(self.name)}{given})")


def gaussian_from(
    child: Variable, parents: Sequence[Variable], given: Any, *, functions: bool = False
) -> LinearGaussian:
    """Read the parameters of a Gaussian from user input.

    ``{"mean": 178, "variance": 49}`` (or ``(178, 49)``), with ``"coefficients": {parent: slope}`` for
    continuous parents. With discrete parents: a mapping of their states (a tuple if there are several
    parents) to such parameters. ``functions``: a variance of 0 is allowed.

    >>> sex, height = Variable("sex", ["f", "m"]), Variable("height")
    >>> gaussian_from(height, [sex], {"f": (165, 36), "m": {"mean": 178, "variance": 49}}).intercept.tolist()
    [165.0, 178.0]
    """
    if not child.is_continuous:
        raise BadTable(f"{child.name!r} is discrete: give it a table (set_cpt), not a Gaussian.")
    discrete = [parent for parent in parents if not parent.is_continuous]
    continuous = [parent for parent in parents if parent.is_continuous]
    shape = tuple(parent.cardinality for parent in discrete)
    intercept, variance = np.full(shape, np.nan), np.full(shape, np.nan)
    coefficients = np.zeros((*shape, len(continuous)))
    entries = _entries(child, discrete, given)
    for index, states in all_rows(discrete):
        where = row_description(child, discrete)(index)
        if index not in entries:
            key = states if len(states) > 1 else states[0]
            raise BadTable(f"{where} is missing; add an entry for {key!r}.")
        mean, spread, slopes = _parameters(where, continuous, entries[index], functions)
        intercept[index], variance[index], coefficients[index] = mean, spread, slopes
    return LinearGaussian(intercept, coefficients, variance)


def _entries(child: Variable, discrete: Sequence[Variable], given: Any) -> dict[tuple[int, ...], Any]:
    """Return the entry of each combination of the discrete parents' states, by their codes."""
    if not discrete:
        return {(): given}
    names = listed(parent.name for parent in discrete)
    if not isinstance(given, Mapping):
        raise BadTable(f"The Gaussian of {child.name!r}: expected a mapping of the states of {names}.")
    entries: dict[tuple[int, ...], Any] = {}
    for key, entry in given.items():
        states = key if len(discrete) > 1 and isinstance(key, tuple) else (key,)
        if len(states) != len(discrete):
            raise BadTable(f"The Gaussian of {child.name!r}: {key!r} is not one state each of {names}.")
        # Compared by code, because 1 == True in a mapping although they are different states.
        place = tuple(parent.code(s) for parent, s in zip(discrete, states, strict=True))
        if place in entries:
            raise BadTable(f"The Gaussian of {child.name!r} has two entries for the interval of {key!r}.")
        entries[place] = entry
    return entries


def _parameters(
    where: str, continuous: Sequence[Variable], entry: Any, functions: bool
) -> tuple[float, float, list[float]]:
    """Read mean, variance and slopes (in the order of the continuous parents) from one entry."""
    slopes: Mapping[Any, float] = {}
    try:
        if isinstance(entry, Mapping):
            mean, variance = float(entry["mean"]), float(entry["variance"])
            slopes = entry.get("coefficients", {})
        else:
            mean, variance = (float(number) for number in entry)
        ordered = [float(slopes[parent.name]) for parent in continuous]
    except (KeyError, TypeError, ValueError):
        names = listed(parent.name for parent in continuous)
        needs = f"a mean, a variance and coefficients for {names}" if continuous else "a mean and a variance"
        slope = {parent.name: 0.5 for parent in continuous}
        form = {"mean": 170, "variance": 49, "coefficients": slope} if continuous else (170, 49)
        raise BadTable(f"{where} needs {needs}, such as {form}; got {entry!r}.") from None
    too_small = variance < 0 if functions else variance <= 0
    if not all(np.isfinite([mean, variance, *ordered])) or too_small:
        raise BadTable(f"{where}: the mean must be finite and the variance positive; got {entry!r}.")
    return mean, variance, ordered
