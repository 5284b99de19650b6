"""What every local distribution can do, P(child | parents): one class to write, and the rest follows.

A distribution *class* says what it needs to know of the data and estimates itself from that; an *instance*
has parameters and gives densities, draws, and what it looks like in a file. There are three forms, which is
all that the rooms above ever ask:

- ``finite``: the child has states, so there is a table, perhaps kept as a product of small factors;
- ``gaussian``: a normal child whose mean is linear in continuous parents;
- ``density``: anything else. Such a variable is a leaf with discrete parents. Observed, it is a likelihood of
  its parents; unobserved, it sums to 1 and plays no part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.priors import Prior
from bayou.distributions.registry import DISTRIBUTIONS
from bayou.errors import BadGraph, BadTable, NoConvergence, listed
from bayou.schema import Variable
from bayou.statistics import Batch, Counts, Request
from bayou.typing import ColumnArray, FloatArray

if TYPE_CHECKING:
    from bayou.distributions.linear_gaussian import LinearGaussian
    from bayou.distributions.unbounded import Unbounded

Self = TypeVar("Self", bound="Distribution")
FINITE, GAUSSIAN, DENSITY = "finite", "gaussian", "density"
_HANDFUL = 24
"""Random starts of a density learn each group from this many values."""


@dataclass(frozen=True)
class Beginning:
    """What is known of a family before EM begins: complete rows, each variable alone, and chance.

    ``complete`` is the statistic of the rows whose family is complete (None: there is none), ``before`` that
    of earlier records, ``alone`` the statistic of one variable over all rows that have it. ``wild`` asks for
    a start away from what complete rows say.
    """

    family: Family
    prior: Prior
    complete: Any
    before: Any
    alone: Callable[[Variable], Any]
    chance: np.random.Generator
    wild: bool


class DistributionKind(Protocol):
    """A distribution before it is learned: a class, or a declaration with options such as a noisy-OR."""

    @property
    def title(self) -> str:
        """The word for it that users see."""

    @property
    def form(self) -> str:
        """``finite``, ``gaussian`` or ``density``."""

    @property
    def uses_prior(self) -> bool:
        """Whether pseudocounts change what is estimated."""

    @property
    def fixed_in_em(self) -> bool:
        """Whether it is settled before EM begins, from complete rows or as stated."""

    def check_family(self, family: Family) -> None:
        """Refuse a child or parents that it can not have."""

    def needs(self, family: Family) -> Request:
        """The statistic that it is estimated from."""

    def expects(self, family: Family) -> Any:
        """The statistic that the E-step of EM gives for it."""

    def meaning(self, family: Family) -> Hashable:
        """What its numbers stand for where states are marked; users of shared parameters must agree."""

    def pinned(self, family: Family) -> DistributionKind:
        """The same with marked states named, so that states added behind them change nothing."""

    def estimate(self, answer: Any, family: Family, prior: Prior) -> Distribution:
        """The distribution that the statistic and the prior give."""

    def start(self, known: Beginning) -> Distribution:
        """Where EM begins."""

    def count_parameters(self, family: Family) -> tuple[int, int]:
        """How many numbers it will have, and how many of them are free."""

    def warn_about(self, answer: Any, family: Family, prior: Prior) -> None:
        """Warn of what the expected statistic leaves open."""

    def declaration(self) -> dict[str, Any]:
        """How a file names it."""


class Distribution(ABC):
    """P(child | parents). A subclass with a ``kind`` can be learned, asked, drawn and saved."""

    kind: ClassVar[str]
    """Its name in files."""
    title: ClassVar[str] = ""
    """The word for it that users see: the kind, unless it has another."""
    form: ClassVar[str] = DENSITY
    uses_prior: ClassVar[bool] = False
    fixed_in_em: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kind" in vars(cls):
            DISTRIBUTIONS.add(cls.kind, cls)
            cls.title = vars(cls).get("title", cls.kind)

    # Before it is learned

    @classmethod
    def check_family(cls, family: Family) -> None:
        """Refuse a child or parents that it can not have: a density is a leaf with discrete parents."""
        if not family.child.is_continuous:
            raise BadTable(
                f"{family.child.name!r} has states: a {cls.kind} distribution needs numbers. Declare it "
                f"continuous=[{family.child.name!r}]."
            )
        if family.continuous:
            names = [parent.name for parent in family.continuous]
            raise BadGraph(
                f"{family.child.name!r} has a {cls.kind} distribution and the continuous parents "
                f"{listed(names)}: its parents must be discrete. Drop these arcs, or cut the parents into "
                "ranges."
            )

    @classmethod
    @abstractmethod
    def needs(cls, family: Family) -> Request:
        """The statistic that it is estimated from."""

    @classmethod
    def expects(cls, family: Family) -> Any:
        """The statistic that the E-step of EM gives for it: the same, unless it has hidden parts."""
        return cls.needs(family)

    @classmethod
    def meaning(cls, family: Family) -> Hashable:
        """Nothing is marked: the numbers belong to states by their order."""
        return None

    @classmethod
    def pinned(cls, family: Family) -> DistributionKind:
        """Itself: nothing is marked."""
        return cls

    @classmethod
    @abstractmethod
    def estimate(cls: type[Self], answer: Any, family: Family, prior: Prior) -> Self:
        """The distribution that the statistic and the prior give."""

    @classmethod
    @abstractmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """How many numbers it will have, and how many of them are free."""

    @classmethod
    def start(cls, known: Beginning) -> Distribution:
        """Where EM begins: what complete rows say, or groups that each saw a handful of random values.

        The handfuls are drawn from the distribution of the child alone, so the groups differ by chance.
        """
        family = known.family
        if known.complete is not None and not known.wild:
            return cls.estimate(known.complete, family, known.prior)
        alone = known.alone(family.child)
        single = Family(family.child)
        overall = cls.estimate(alone if alone is not None else known.complete, single, known.prior)
        rows = _HANDFUL * family.groups
        stream = RandomStream(int(known.chance.integers(2**63)), 0)
        values = overall.sample(FamilyRows(rows, (), np.zeros((rows, 0))), stream)
        places = np.unravel_index(np.repeat(np.arange(family.groups), _HANDFUL), family.shape or (1,))
        codes = {
            parent.name: place.astype(np.uint32)
            for parent, place in zip(family.discrete, places, strict=False)
        }
        batch = Batch(rows, codes, {family.child.name: np.asarray(values, dtype=np.float64)})
        request: Any = cls.needs(family)
        answer = request.answer(batch, {variable.name: variable for variable in family.variables})
        return cls.estimate(answer, family, known.prior)

    @classmethod
    def warn_about(cls, answer: Any, family: Family, prior: Prior) -> None:
        """Warn of what the expected statistic leaves open, as an estimate does."""
        cls.estimate(answer, family, prior)

    # With parameters

    @property
    @abstractmethod
    def free_parameters(self) -> int:
        """The numbers that can be chosen freely."""

    @property
    def parameters(self) -> int:
        """All numbers, as the lectures count them."""
        return self.free_parameters

    @abstractmethod
    def check_shape(self, family: Family) -> None:
        """Refuse parameters that do not fit the states of the family."""

    @abstractmethod
    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """log P(value | group) for every value and every combination of the discrete parents' states.

        An array (rows, groups); 0 where a value is missing. ``inputs`` has a column for each continuous
        parent.
        """

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """log P(child | parents) of each row, given its own parents."""
        logs = self.log_density_by_group(rows.observed, rows.inputs)
        groups = self._groups(rows)
        return logs[:, 0] if groups is None else logs[np.arange(rows.rows), groups.astype(np.intp)]

    def _groups(self, rows: FamilyRows) -> ColumnArray | None:
        return rows.groups(self.group_shape)

    @property
    @abstractmethod
    def group_shape(self) -> tuple[int, ...]:
        """How many states each discrete parent has."""

    @abstractmethod
    def sample(self, rows: FamilyRows, stream: RandomStream) -> ColumnArray:
        """A value of the child for each row, given its own parents."""

    @property
    def finite(self) -> FiniteDistribution | None:
        """Itself, if the child has states."""
        return None

    @property
    def gaussian(self) -> LinearGaussian | None:
        """Itself, if it is a linear Gaussian."""
        return None

    # In a file

    @classmethod
    def declaration(cls) -> dict[str, Any]:
        """How a file names it before it is learned."""
        return {"kind": cls.kind}

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Its ``kind``, and its parameters as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls: type[Self], state: Mapping[str, Any]) -> Self:
        """The distribution that :meth:`state` described; damage is an error (BadFile)."""

    def same_as(self, other: Distribution) -> bool:
        """Whether the other is of the same kind and has, to the last bit, the same parameters."""
        return type(self) is type(other) and _same(self.state(), other.state())

    # In print

    @property
    def printed_cells(self) -> int:
        """How many numbers its printed form has: networks print small ones whole."""
        return self.parameters

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        """What is printed of it: by name, a number for each combination of the discrete parents' states."""
        return {}

    # Learned with gaps

    def maximised(self, answer: Any, family: Family, prior: Prior) -> Distribution:
        """The M-step: the best distribution for the expected statistic; this one is the present."""
        return type(self).estimate(answer, family, prior)

    def continued(self, family: Family, prior: Prior, before: Any) -> Distribution:
        """Where EM goes on from this distribution, beside earlier records."""
        return self

    def prior_records(self, family: Family, prior: Prior, before: Any) -> Any:
        """What is known beside the rows, made once: pseudocounts, and the statistic of earlier records."""
        return before

    def log_prior(self, records: Any) -> float:
        """What :meth:`prior_records` add to the log-likelihood of the rows, such as Σ pseudocount · log θ."""
        return 0.0

    def rounding(self, answer: Any) -> float:
        """How far off the log-likelihood of these records may be, in units of the machine's rounding."""
        return 0.0

    def agrees_with(self, answer: Any) -> bool:
        """Whether complete records can all have come from this distribution."""
        return True

    def unbounded(self, answer: Any, records: Any, family: Family) -> Unbounded | None:
        """Its parameters as unbounded numbers with a gradient, for gradient ascent; None: nothing to learn.

        ``answer`` is the expected statistic at the start, ``records`` are those of :meth:`prior_records`.
        """
        raise NoConvergence(
            f"{family.child.name!r} has a {self.kind} distribution, which has no gradient here. Learn by EM: "
            'method="em".'
        )


class FiniteDistribution(Distribution):
    """P(child | parents) of a child with states: there is a full table, whether it is written out or not."""

    form: ClassVar[str] = FINITE
    is_tabled: ClassVar[bool] = True
    """Whether the full table is all there is: rows are looked up in it, and it is the only factor."""

    @classmethod
    def check_family(cls, family: Family) -> None:
        """Refuse numbers."""
        if family.child.is_continuous:
            raise BadTable(f"{family.child.name!r} is continuous: a {cls.kind} needs states (states=…).")
        refuse_continuous_parents(family)

    @property
    def finite(self) -> FiniteDistribution:
        """Itself."""
        return self

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of the full table: the parents' cardinalities, then the child's."""

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The parents' cardinalities."""
        return self.shape[:-1]

    @property
    @abstractmethod
    def table(self) -> FloatArray:
        """The full table, axes (parents …, child); refused (TooWide) where it would be too large."""

    def check_shape(self, family: Family) -> None:
        """The table must have an axis for each parent and the child."""
        wanted = tuple(axis.cardinality for axis in family.axes)
        if self.shape != wanted or family.child.is_continuous:
            raise BadTable(
                f"The parameters of {family.child.name!r} have shape {self.shape}, expected {wanted}."
            )

    @property
    def is_factored(self) -> bool:
        """Whether :meth:`factors` gives several small factors in place of one table."""
        return False

    def factors(self, order: Sequence[int]) -> list[tuple[list[int], FloatArray]]:
        """Small tables whose product, summed over auxiliary variables, is the full table.

        Each comes with its axes: 0 … n−1 are the parents, n is the child, n+1 … are auxiliary variables; the
        last axis is what the table is a distribution of. ``order`` is the order in which parents are taken.
        """
        return [(list(range(len(self.shape))), self.table)]

    @property
    def auxiliary_sizes(self) -> list[int]:
        """The number of states of each auxiliary variable of :meth:`factors`."""
        return []

    def distribute_counts(self, counts: Sequence[FloatArray], order: Sequence[int], family: Family) -> Any:
        """The answer to :meth:`expects`, from expected counts of the factors of ``factors(order)``."""
        return self.distribute_table(counts[0].reshape(self.shape), family)

    def distribute_table(self, counts: FloatArray, family: Family) -> Any:
        """The same from expected counts of the whole table, axes (parents …, child)."""
        return Counts(family.variables, counts)

    def split_finding(self, code: int) -> tuple[list[FloatArray], float] | None:
        """A finding that speaks of each parent on its own: a factor for each, and a constant; None if not."""
        return None

    def probability(self, rows: FamilyRows) -> FloatArray:
        """P(child | parents) of each row."""
        picked: FloatArray = self.table[(*_indices(rows.codes), _index(rows.observed))]
        return picked

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """log P(child | parents) of each row."""
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.probability(rows))
        return logs

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """log P(code | group); 0 for the codes beyond the child's states, which stand for missing values."""
        states = self.shape[-1]
        with np.errstate(divide="ignore"):
            logs = np.log(self.table.reshape(-1, states).T)
        logs = np.vstack([logs, np.zeros((1, logs.shape[1]))])
        found: FloatArray = logs[np.minimum(_index(values), states)]
        return found


def refuse_continuous_parents(family: Family) -> None:
    """A child with states can not have a real-valued parent."""
    for parent in family.continuous:
        raise BadGraph(
            f"{family.child.name!r} is discrete and has the continuous parent {parent.name!r}: such a "
            f"network has no exact answers. Turn the arc round, or make {parent.name!r} discrete (cut it "
            "into ranges)."
        )


def _indices(codes: Sequence[Any]) -> list[Any]:
    return [_index(column) for column in codes]


def _index(codes: Any) -> Any:
    return np.asarray(codes, dtype=np.int64)


def _same(left: Any, right: Any) -> bool:
    """Whether two states hold the same values; arrays to the last bit."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return np.array_equal(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)
