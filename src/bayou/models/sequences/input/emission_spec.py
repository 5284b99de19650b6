"""What the states emit, as users say it: one kind for all columns, or something else for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.distributions import TEXTS, PoissonFeature, Words
from bayou.errors import BadData, BadQuestion, UnknownVariable, listed, warn_user
from bayou.networks.declarations import states_given
from bayou.schema import Variable
from bayou.statistics import CountTable, RowSample, Source
from bayou.statistics.rows.sequence_keys import with_all_states
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.distributions import DistributionKind

KINDS = ("table", "gaussian", "poisson", "kernel", "words")
_NUMBERS = ("gaussian", "poisson", "kernel")
_SAMPLE = 8192
"""Kernels are placed by so many distinct values of a column, at most."""


@dataclass(frozen=True)
class EmissionSpec:
    """The columns that are emitted, with what was said of each; ``default`` is said of all others.

    >>> spec = EmissionSpec.read({"roll": [1, 2, 3, 4, 5, 6]})
    >>> spec.variable("roll", None), spec.kinds(["roll"])
    (Variable('roll', [1, 2, 3, 4, 5, 6]), {})
    """

    said: Mapping[Name, Any] = field(default_factory=dict)
    default: Any = None

    @classmethod
    def read(cls, given: Any) -> EmissionSpec:
        """Read ``emissions=``: None, a kind for all columns, or a mapping from columns."""
        if isinstance(given, Mapping):
            for name, said in given.items():
                _check(name, said)
            return cls(dict(given))
        if given is not None:
            _check("emissions", given)
        return cls({}, given)

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns that were named."""
        return tuple(self.said)

    def of(self, name: Name) -> Any:
        """What was said of a column."""
        return self.said.get(name, self.default)

    def columns(self, available: Sequence[Name], keys: Sequence[Name]) -> tuple[Name, ...]:
        """The emitted columns of a table: those named, else all that are neither keys nor states."""
        if not self.said:
            return tuple(name for name in available if name not in keys)
        for name in self.said:
            if name not in available:
                raise UnknownVariable.named(name, tuple(available), "in emissions")
        return self.names

    def variable(self, name: Name, source: Source | None) -> Variable:
        """The variable of a column: as said, else as the data show it."""
        said = self.of(name)
        if isinstance(said, Variable) or _is_symbols(said):
            return states_given(name, said)
        if said == "words" or getattr(said, "values_are", None) == TEXTS:
            return Variable(name, texts=True)
        if said in _NUMBERS or (said not in (None, "table") and said.form != "finite"):
            return Variable(name)
        if source is None:
            raise BadQuestion(
                f"The symbols of {name!r} are unknown: say emissions={{{name!r}: [symbols]}}, or fit first."
            )
        found = source.variable(name)
        if source.is_streamed and not found.is_continuous:
            found = with_all_states(source, name) or found
        if said is None and source.holds_floats(name):
            warn_user(
                f"Column {name!r} has floats, whole numbers with gaps, and is taken as measurements, as it "
                f'would be without the gaps. If they are symbols, say so: emissions={{{name!r}: "table"}}.'
            )
            return Variable(name)
        if said == "table" and found.is_continuous:
            found = source.collect([request := CountTable((name,))])[request].axes[0]
        if said == "table" and not all(_is_symbol(state) for state in found.states):
            raise BadQuestion(
                f'Column {name!r} has real numbers, not symbols. Use emissions={{{name!r}: "gaussian"}}, or '
                "cut it into ranges."
            )
        return found

    def kinds(self, names: Sequence[Name], source: Source | None = None) -> dict[Name, DistributionKind]:
        """The kinds that are neither plain tables nor Gaussians; kernels are placed by the data."""
        words: dict[Any, Any] = {"poisson": PoissonFeature(0.0), "words": Words}
        found: dict[Name, DistributionKind] = {}
        for name in names:
            said = self.of(name)
            if isinstance(said, str) and said == "kernel":
                found[name] = _kernels(name, source)
            elif isinstance(said, str) and said in words:
                found[name] = words[said]
            elif said is not None and not isinstance(said, str | Variable) and not _is_symbols(said):
                found[name] = said
        return found


def _kernels(name: Name, source: Source | None) -> DistributionKind:
    """Kernels for a column of numbers, placed by (a sample of) its values."""
    if source is None:
        raise BadQuestion(f"The kernels of {name!r} are placed by the data: fit the model first.")
    from bayou.distributions.kernel.bump_mixture import bumps_for

    found = source.collect([request := RowSample((name,), _SAMPLE)])[request]
    try:
        cells: list[Any] = found.values[name]
        values = np.array([math.nan if one is None else float(one) for one in cells])
    except (TypeError, ValueError):
        raise BadData(f"Column {name!r} has values that are no numbers, so it has no kernels.") from None
    seen = np.isfinite(values)
    return bumps_for(values[seen], found.weights[seen], name)


def _is_symbol(state: Any) -> bool:
    return not isinstance(state, float) or state.is_integer()


def _is_symbols(said: Any) -> bool:
    return isinstance(said, Sequence) and not isinstance(said, str)


def _check(name: Name, said: Any) -> None:
    if isinstance(said, str):
        if said not in KINDS:
            raise BadQuestion(
                f"emissions: {said!r} for {name!r} is not a kind; use one of {listed(KINDS)}, or symbols."
            )
    elif (
        said is not None
        and not isinstance(said, Variable)
        and not _is_symbols(said)
        and not hasattr(said, "needs")
    ):
        raise BadQuestion(
            f"emissions: {said!r} for {name!r}: give one of {listed(KINDS)}, a list of symbols, or a "
            "distribution."
        )
