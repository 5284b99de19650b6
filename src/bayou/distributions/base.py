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
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.priors import Prior
from bayou.distributions.registry import DISTRIBUTIONS
from bayou.distributions.relearning import learned_without_each, start_by_chance
from bayou.errors import BadGraph, BadTable, NoConvergence, listed
from bayou.schema import Variable
from bayou.statistics import Request
from bayou.typing import ColumnArray, FloatArray

if TYPE_CHECKING:
    from bayou.distributions.finite import FiniteDistribution
    from bayou.distributions.gaussian.linear_gaussian import LinearGaussian
    from bayou.distributions.unbounded import Unbounded

Self = TypeVar("Self", bound="Distribution")
FINITE, GAUSSIAN, DENSITY = "finite", "gaussian", "density"
CODES, NUMBERS, TEXTS = "codes", "numbers", "texts"
_DRAWS = 500
"""The range of likely values is that of this many draws of each group."""


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

    @property
    def values_are(self) -> str:
        """``codes`` of states, ``numbers`` or ``texts``."""

    @property
    def smallest(self) -> float:
        """The smallest number that the child can be."""


class Distribution(ABC):
    """P(child | parents). A subclass with a ``kind`` can be learned, asked, drawn and saved."""

    kind: ClassVar[str]
    """Its name in files."""
    title: ClassVar[str] = ""
    """The word for it that users see: the kind, unless it has another."""
    form: ClassVar[str] = DENSITY
    uses_prior: ClassVar[bool] = False
    fixed_in_em: ClassVar[bool] = False
    values_are: ClassVar[str] = NUMBERS
    """What a value of the child is: a code of its states, a number or a text."""
    smallest: ClassVar[float] = -np.inf
    """The smallest number that the child can be."""
    scorer: ClassVar[str] = ""
    """The entry of ``SCORERS`` that scores columns of such distributions all at once; none: one by one."""

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
        """Where EM begins: what complete rows say, or groups that each saw a handful of random values."""
        return start_by_chance(cls, known)

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

    # Without a row that it was learned from

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: Any, family: Family, prior: Prior
    ) -> FloatArray:
        """log P(child | parents) of each row as if the row, with its weight, had not been learned from.

        ``answer`` is the statistic that this was learned from. Here the row is taken off it and the rest
        estimated anew, once for each different row; classes with a closed form have their own way.
        """
        return learned_without_each(self, rows, weights, answer, family, prior)

    def estimated_again(self, answer: Any, family: Family, prior: Prior) -> Distribution:
        """The same kind, with the same options, from another statistic."""
        return type(self).estimate(answer, family, prior)

    # In a file

    @classmethod
    def declaration(cls) -> dict[str, Any]:
        """How a file names it before it is learned."""
        return {"kind": cls.kind}

    @classmethod
    def declared(cls, state: Mapping[str, Any]) -> DistributionKind:
        """What :meth:`declaration` described: the class itself, unless it can be declared with options."""
        return cls

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

    def parameter_text(self, group: int) -> str:
        """The numbers of one group in words: 'mean 1.5, variance 2'."""
        columns = self.parameters_by_group.items()
        return ", ".join(f"{name} {column.ravel()[group]:.4g}" for name, column in columns)

    def notation(self, value: str, group: int) -> tuple[str, str] | None:
        """P(value | group) as it is written, in plain text and in LaTeX; None: as its number."""
        numbers = ", ".join(f"{column.ravel()[group]:.4g}" for column in self.parameters_by_group.values())
        inside = f"({value}; {numbers})" if numbers else f"({value})"
        return f"{self.title}{inside}", rf"\operatorname{{{self.title}}}{inside}"

    def counts_behind(
        self, code: int, group: int, answer: Any, family: Family, prior: Prior
    ) -> tuple[float, float, float, float] | None:
        """Where P(state | group) is a share of counts: count, total, and what the prior adds to each."""
        return None

    # Compared between groups

    def line(self, of: int, against: int) -> tuple[float, float] | None:
        """(slope, offset) of log P(x | of) − log P(x | against) where that is a straight line in x."""
        return None

    def likely_values(self, points: int) -> list[float]:
        """Numbers over the range of what is likely in some group; whole ones where it has only such."""
        groups = int(np.prod(self.group_shape, dtype=np.int64))
        rows = _DRAWS * groups
        places = np.unravel_index(np.repeat(np.arange(groups), _DRAWS), self.group_shape or (1,))
        codes = [place.astype(np.uint32) for place in places][: len(self.group_shape)]
        drawn = self.sample(FamilyRows(rows, codes, np.zeros((rows, 0))), RandomStream(0, 0))
        low, high = float(np.min(drawn)), float(np.max(drawn))
        if np.all(drawn % 1 == 0):
            return list(range(int(low), int(high) + 1))
        values: list[float] = np.linspace(low, high, points).tolist()
        return values

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


def _same(left: Any, right: Any) -> bool:
    """Whether two states hold the same values; arrays to the last bit."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return np.array_equal(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)
