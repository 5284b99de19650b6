"""Priors for tables: small frozen objects that turn a variable and its parents into pseudocounts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from bayou.errors import BadPrior, listed
from bayou.registry import Registry
from bayou.schema import Variable, labelled
from bayou.schema.json_values import decode_value, encode_value
from bayou.schema.states import state_key
from bayou.typing import FloatArray, State

Self = TypeVar("Self", bound="Prior")
PRIORS: Registry[type[Prior]] = Registry(
    "prior", {"virtual-rows": "bayou.distributions.gaussian.virtual_rows:VirtualRows"}
)
"""Kind → class. A class that inherits from :class:`Prior` and sets ``kind`` registers itself."""
LARGEST_AMOUNT = 1e300
"""The sums of larger numbers could leave the range of floating-point numbers."""


class Prior(ABC):
    """A prior for tables: pseudocounts, the number of virtual records in each cell before any data.

    Any object with a method ``pseudocounts`` can be used as a prior; to be saved it must inherit from this.
    """

    kind: ClassVar[str]
    """Its name in files."""
    for_gaussians: ClassVar[bool] = False
    """Whether it has rows for a Gaussian, not pseudocounts for a table."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kind" in vars(cls):
            PRIORS.add(cls.kind, cls)

    @abstractmethod
    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """An array that broadcasts to (parents' cardinalities …, child's cardinality)."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Its ``kind`` and its parameters as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls: type[Self], state: Mapping[str, Any]) -> Self:
        """Read :meth:`state`."""


def prior_from_state(state: Mapping[str, Any]) -> Prior:
    """Return the prior, of any kind, that a file holds."""
    return PRIORS.find(state["kind"]).from_state(state)


def prior_state(prior: Prior) -> dict[str, Any]:
    """Return the state of a prior; raise BadPrior for an object that does not inherit from Prior."""
    given: object = prior
    if not isinstance(given, Prior):
        raise BadPrior(f"The prior {given!r} cannot be saved: let its class inherit from bayou's Prior.")
    return given.state()


@lru_cache(maxsize=256)
def _same_for_all(states: int, amount: float) -> FloatArray:
    """Equal pseudocounts; cached because a network of hundreds of variables needs few different arrays."""
    result = np.full(states, amount)
    result.setflags(write=False)
    return result


@dataclass(frozen=True)
class Laplace(Prior):
    """Add ``strength`` to every count: 1 is Laplace's rule, 0 is maximum likelihood (raw fractions).

    Raises ``BadPrior`` if the number is negative.

    >>> Laplace(1).pseudocounts(Variable("R", [1, 2, 3]), []).tolist()
    [1.0, 1.0, 1.0]
    """

    kind: ClassVar[str] = "laplace"
    strength: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", _amount("Laplace", "strength", self.strength))

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """``strength`` for every cell."""
        return _same_for_all(child.cardinality, float(self.strength))

    def state(self) -> dict[str, Any]:
        """The strength."""
        return {"kind": self.kind, "strength": self.strength}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Laplace:
        """The prior that :meth:`state` described."""
        return cls(state["strength"])


def virtual_records(prior: Prior) -> float:
    """Return the number that a prior adds to the counts of things without a list of states, such as words.

    It is the strength of a Laplace prior, and 1 with other priors.

    >>> virtual_records(Laplace(0.5)), virtual_records(BDeu(10))
    (0.5, 1.0)
    """
    return float(prior.strength) if isinstance(prior, Laplace) else 1.0


@dataclass(frozen=True)
class MEstimate(Prior):
    """The m-estimate (n_c + m·p)/(n + m): ``m`` virtual records spread over the states by ``p``.

    ``p`` maps each state to its prior probability; without it every state gets the same.

    Raises ``BadPrior`` if the number is negative.

    >>> MEstimate(4, {"yes": 0.25, "no": 0.75}).pseudocounts(Variable("rain", ["no", "yes"]), []).tolist()
    [3.0, 1.0]
    """

    kind: ClassVar[str] = "m-estimate"
    m: float
    p: Mapping[State, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", _amount("MEstimate", "m", self.m))
        if self.p is not None and not isinstance(self.p, Mapping):
            raise BadPrior(
                f"MEstimate: p must be a mapping of states to their prior probabilities, not {self.p!r}."
            )

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """m·p for each state, whatever the parents' states."""
        if self.p is None:
            return np.full(child.cardinality, self.m / child.cardinality)
        share = _by_state("MEstimate", self.p, child)
        if abs(share.sum() - 1) > 1e-9:
            raise BadPrior(f"MEstimate for {child.name!r}: p sums to {share.sum():g}, it must sum to 1.")
        return self.m * share

    def state(self) -> dict[str, Any]:
        """The number of virtual records, and the prior probabilities (None: uniform)."""
        return {"kind": self.kind, "m": self.m, "p": None if self.p is None else _pairs(self.p)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> MEstimate:
        """The prior that :meth:`state` described."""
        return cls(state["m"], None if state["p"] is None else _mapping(state["p"]))


@dataclass(frozen=True, eq=False)
class Dirichlet(Prior):
    """A full Dirichlet prior: pseudocounts by state (a mapping), or as a number or array.

    An array has the shape (states) or (parents …, states).

    ``alpha`` are the pseudocounts. Raises ``BadPrior`` if one is negative.

    >>> Dirichlet({"no": 2, "yes": 1}).pseudocounts(Variable("rain", ["no", "yes"]), []).tolist()
    [2.0, 1.0]
    """

    kind: ClassVar[str] = "dirichlet"
    alpha: float | Mapping[State, float] | npt.ArrayLike

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", labelled(self.alpha))
        if not isinstance(self.alpha, Mapping):
            object.__setattr__(self, "alpha", _pseudocount_array(self.alpha))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dirichlet):
            return False
        if isinstance(self.alpha, Mapping) or isinstance(other.alpha, Mapping):
            return self.alpha is other.alpha or self._items() == other._items()
        return np.array_equal(np.asarray(self.alpha), np.asarray(other.alpha))

    def __hash__(self) -> int:
        return hash((Dirichlet, self._items()))

    def _items(self) -> object:
        """The pseudocounts in a form that can be compared and hashed; True and 1 are different states."""
        if isinstance(self.alpha, Mapping):
            return frozenset((state_key(state), value) for state, value in self.alpha.items())
        array = np.asarray(self.alpha)
        return (array.shape, array.tobytes())

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """The pseudocounts given by the user, checked against the table's shape."""
        if isinstance(self.alpha, Mapping):
            return _by_state("Dirichlet", self.alpha, child)
        alpha = np.asarray(self.alpha)
        shape = (*(parent.cardinality for parent in parents), child.cardinality)
        if alpha.shape not in ((), (child.cardinality,), shape):
            raise BadPrior(
                f"Dirichlet for {child.name!r}: pseudocounts have shape {alpha.shape}, expected "
                f"{(child.cardinality,)} or {shape} (parents, then states)."
            )
        return np.broadcast_to(alpha, shape if alpha.ndim == len(shape) else (child.cardinality,))

    def state(self) -> dict[str, Any]:
        """The pseudocounts, by state or as an array."""
        if isinstance(self.alpha, Mapping):
            return {"kind": self.kind, "by_state": _pairs(self.alpha), "alpha": None}
        return {"kind": self.kind, "by_state": None, "alpha": np.asarray(self.alpha, dtype=np.float64)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Dirichlet:
        """The prior that :meth:`state` described."""
        return cls(_mapping(state["by_state"]) if state["by_state"] is not None else state["alpha"])


@dataclass(frozen=True)
class BDeu(Prior):
    """Bayesian Dirichlet equivalent uniform: ``equivalent_sample_size`` records spread evenly over the table.

    Raises ``BadPrior`` if the number is negative.

    >>> BDeu(8).pseudocounts(Variable("b", [0, 1]), [Variable("a", ["x", "y"])]).tolist()
    [2.0, 2.0]
    """

    kind: ClassVar[str] = "bdeu"
    equivalent_sample_size: float = 10.0

    def __post_init__(self) -> None:
        size = _amount("BDeu", "equivalent_sample_size", self.equivalent_sample_size)
        object.__setattr__(self, "equivalent_sample_size", size)

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """The sample size divided by the number of cells."""
        cells = float(np.prod([float(parent.cardinality) for parent in parents])) * child.cardinality
        return np.full(child.cardinality, self.equivalent_sample_size / cells)

    def state(self) -> dict[str, Any]:
        """The sample size."""
        return {"kind": self.kind, "equivalent_sample_size": self.equivalent_sample_size}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> BDeu:
        """The prior that :meth:`state` described."""
        return cls(state["equivalent_sample_size"])


def prior_from(given: object) -> Prior:
    """Return the prior for what a user gave: a prior, a number (add-λ), a word, or None (the default).

    >>> prior_from(0.5), prior_from("ml"), prior_from("bdeu")
    (Laplace(strength=0.5), Laplace(strength=0.0), BDeu(equivalent_sample_size=10.0))
    """
    if given is None:
        return DEFAULT_PRIOR
    if isinstance(given, Prior):
        return given
    if isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool):
        return Laplace(_amount("prior", "the number added to every count", given))
    words: dict[str, Prior] = {"laplace": Laplace(1.0), "ml": Laplace(0.0), "bdeu": BDeu(10.0)}
    if isinstance(given, str) and given.lower() in words:
        return words[given.lower()]
    if hasattr(given, "pseudocounts") and not isinstance(given, type):
        return cast(Prior, given)
    raise BadPrior(
        f"{given!r} is not a prior. Use Laplace(1), MEstimate(m, p), Dirichlet(pseudocounts), BDeu(10), "
        f"a number to add to every count, or one of {listed(words)}."
    )


def _pairs(by_state: Mapping[State, float]) -> list[list[Any]]:
    return [[encode_value(state), float(value)] for state, value in by_state.items()]


def _mapping(pairs: Sequence[Sequence[Any]]) -> dict[State, float]:
    return {decode_value(state): value for state, value in pairs}


def _pseudocount_array(given: object) -> FloatArray | float:
    """Pseudocounts as a plain number or a read-only array."""
    if isinstance(given, np.ndarray) and (single := _without_repeats(given)).shape != given.shape:
        return np.broadcast_to(_pseudocount_array(single), given.shape)  # a large table of a few numbers
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadPrior(
            f"Dirichlet: pseudocounts must be a number, an array of numbers (all rows of equal length), "
            f"or a mapping of states to numbers, not {given!r}."
        ) from None
    if not np.all(np.isfinite(array)) or np.any(array < 0):
        raise BadPrior("Dirichlet: pseudocounts must be finite and not negative.")
    array.setflags(write=False)
    return array if array.ndim else float(array)


def _without_repeats(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array with one of what ``np.broadcast_to`` repeats along its axes."""
    return array[tuple(slice(0, 1 if step == 0 else None) for step in array.strides)]


def _amount(kind: str, what: str, value: object) -> float:
    """A number of records as a plain float: finite and not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise BadPrior(f"{kind}: {what} must be a number, not {value!r}.")
    try:
        amount = float(value)
    except OverflowError:
        amount = float("inf")
    if not np.isfinite(amount) or amount < 0:
        raise BadPrior(f"{kind}: {what} must be finite and not negative, not {value!r}.")
    if amount > LARGEST_AMOUNT:
        raise BadPrior(
            f"{kind}: {what} must be at most {LARGEST_AMOUNT:g}, so that sums of such numbers stay finite, "
            f"not {value!r}."
        )
    return amount


def checked_records(given: object) -> float:
    """Check a number of virtual records, which smooth distributions that are not tables.

    >>> checked_records(2)
    2.0
    """
    return _amount("virtual_records", "the number of virtual records", given)


def _by_state(kind: str, given: Mapping[State, float], child: Variable) -> FloatArray:
    """The numbers of a mapping in the order of the child's states; each state must occur exactly once."""
    result = np.zeros(child.cardinality)
    seen = set()
    for state, value in given.items():
        code = child.code(state)
        if code in seen:
            raise BadPrior(f"{kind} for {child.name!r} has two entries for {child.states[code]!r}.")
        result[code] = _amount(kind, f"the entry of {state!r}", value)
        seen.add(code)
    if len(seen) < child.cardinality:
        left_out = [state for code, state in enumerate(child.states) if code not in seen]
        raise BadPrior(f"{kind} for {child.name!r} has no entry for {listed(left_out)}; add these states.")
    return result


DEFAULT_SMOOTHING = 1.0
"""What is added to every count unless the user says otherwise."""
VIRTUAL_RECORDS = 1.0
"""How many virtual records smooth a kernel density or a Poisson rate, unless its declaration differs."""
DEFAULT_PRIOR = Laplace(DEFAULT_SMOOTHING)
"""The prior used for tables if none is given: one more record in every cell."""
