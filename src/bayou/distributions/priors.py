"""Priors for tables: small frozen objects that turn a variable and its parents into pseudocounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bayou.errors import BadPrior, listed
from bayou.schema import Variable
from bayou.typing import FloatArray, State


class Prior(Protocol):
    """Whatever can say how many records it is worth to have seen each state before any data."""

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """An array that broadcasts to (parents' cardinalities …, child's cardinality)."""


@dataclass(frozen=True)
class Laplace:
    """Add ``strength`` to every count: 1 is Laplace's rule, 0 is maximum likelihood (raw fractions).

    >>> Laplace(1).pseudocounts(Variable("R", [1, 2, 3]), []).tolist()
    [1.0, 1.0, 1.0]
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        _require_amount("Laplace", "strength", self.strength)

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """The same for every cell."""
        return np.full(child.cardinality, float(self.strength))


@dataclass(frozen=True)
class MEstimate:
    """The m-estimate (n_c + m·p)/(n + m): ``m`` virtual records spread over the states by ``p``.

    ``p`` maps each state to its prior probability; without it every state gets the same.

    >>> MEstimate(4, {"yes": 0.25, "no": 0.75}).pseudocounts(Variable("rain", ["no", "yes"]), []).tolist()
    [3.0, 1.0]
    """

    m: float
    p: Mapping[State, float] | None = None

    def __post_init__(self) -> None:
        _require_amount("MEstimate", "m", self.m)

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """m·p for each state, whatever the parents."""
        if self.p is None:
            return np.full(child.cardinality, self.m / child.cardinality)
        share = _by_state("MEstimate", self.p, child)
        if abs(share.sum() - 1) > 1e-9:
            raise BadPrior(f"MEstimate for {child.name!r}: p sums to {share.sum():g}, it must sum to 1.")
        return self.m * share


@dataclass(frozen=True)
class Dirichlet:
    """A full Dirichlet prior: pseudocounts by state (a mapping), or an array down to (parents …, states).

    >>> Dirichlet({"no": 2, "yes": 1}).pseudocounts(Variable("rain", ["no", "yes"]), []).tolist()
    [2.0, 1.0]
    """

    alpha: float | Mapping[State, float] | npt.ArrayLike

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """The stated pseudocounts, checked against the table they are for."""
        if isinstance(self.alpha, Mapping):
            return _by_state("Dirichlet", self.alpha, child)
        alpha = np.asarray(self.alpha, dtype=np.float64)
        shape = (*(parent.cardinality for parent in parents), child.cardinality)
        if not np.all(np.isfinite(alpha)) or np.any(alpha < 0):
            raise BadPrior(f"Dirichlet for {child.name!r}: pseudocounts must be finite and not negative.")
        if alpha.shape not in ((), (child.cardinality,), shape):
            raise BadPrior(
                f"Dirichlet for {child.name!r}: pseudocounts have shape {alpha.shape}, expected "
                f"{(child.cardinality,)} or {shape} (parents, then states)."
            )
        return np.broadcast_to(alpha, shape if alpha.ndim == len(shape) else (child.cardinality,))


@dataclass(frozen=True)
class BDeu:
    """Bayesian Dirichlet equivalent uniform: ``equivalent_sample_size`` records spread evenly over the table.

    >>> BDeu(8).pseudocounts(Variable("b", [0, 1]), [Variable("a", ["x", "y"])]).tolist()
    [2.0, 2.0]
    """

    equivalent_sample_size: float = 10.0

    def __post_init__(self) -> None:
        _require_amount("BDeu", "equivalent_sample_size", self.equivalent_sample_size)

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """The sample size divided by the number of cells."""
        cells = float(np.prod([float(parent.cardinality) for parent in parents])) * child.cardinality
        return np.full(child.cardinality, self.equivalent_sample_size / cells)


def prior_from(given: object) -> Prior:
    """Turn what users type at the edge into a prior: an object, a number (add-λ), or a word.

    >>> prior_from(0.5), prior_from("ml"), prior_from("bdeu")
    (Laplace(strength=0.5), Laplace(strength=0.0), BDeu(equivalent_sample_size=10.0))
    """
    if given is None:
        return Laplace(1.0)
    if isinstance(given, Laplace | MEstimate | Dirichlet | BDeu):
        return given
    if isinstance(given, int | float) and not isinstance(given, bool):
        return Laplace(float(given))
    words: dict[str, Prior] = {"laplace": Laplace(1.0), "ml": Laplace(0.0), "bdeu": BDeu(10.0)}
    if isinstance(given, str) and given.lower() in words:
        return words[given.lower()]
    if hasattr(given, "pseudocounts"):
        prior: Prior = given
        return prior
    raise BadPrior(
        f"{given!r} is no prior. Use Laplace(1), MEstimate(m, p), Dirichlet(pseudocounts), BDeu(10), "
        f"a number to add to every count, or one of {listed(words)}."
    )


def _require_amount(kind: str, what: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise BadPrior(f"{kind}: {what} must be a number, not {value!r}.")
    if not np.isfinite(value) or value < 0:
        raise BadPrior(f"{kind}: {what} must be finite and not negative, not {value!r}.")


def _by_state(kind: str, given: Mapping[State, float], child: Variable) -> FloatArray:
    result = np.zeros(child.cardinality)
    seen = set()
    for state, value in given.items():
        _require_amount(kind, f"the entry of {state!r}", value)
        code = child.code(state)
        result[code] = value
        seen.add(code)
    if len(seen) < child.cardinality:
        left_out = [state for code, state in enumerate(child.states) if code not in seen]
        raise BadPrior(f"{kind} for {child.name!r} says nothing about {listed(left_out)}; state them too.")
    return result
