"""The base class of all local distributions P(child | parents): a new kind is one class that inherits it.

A distribution *class* names the statistic that it needs of the data and estimates itself from that; an
*instance* has parameters and gives densities, draws and its state for a file. There are three forms, and the
rooms above ask for nothing but the form:

- ``finite``: the child has states, so there is a table, perhaps stored as a product of small factors;
- ``gaussian``: a normal child whose mean is linear in continuous parents;
- ``density``: anything else. Such a variable is a leaf with discrete parents. If it is observed, it is a
  likelihood of its parents; if not, it integrates to 1 and is left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from bayou.distributions.distribution_kind import DistributionKind, StartingData
from bayou.distributions.distribution_registry import DISTRIBUTIONS
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.priors import Prior
from bayou.distributions.relearning import learned_without_each, start_by_chance
from bayou.errors import BadGraph, BadTable, NoConvergence, listed
from bayou.typing import ColumnArray, FloatArray, Units

if TYPE_CHECKING:
    from bayou.distributions.finite import FiniteDistribution
    from bayou.distributions.gaussian.linear_gaussian import LinearGaussian
    from bayou.distributions.unbounded import Unbounded
    from bayou.statistics import Request

Self = TypeVar("Self", bound="Distribution")
FINITE, GAUSSIAN, DENSITY = "finite", "gaussian", "density"
CODES, NUMBERS, TEXTS = "codes", "numbers", "texts"
_DRAWS = 500
"""The number of draws per group from which the range of likely values is found."""


class Distribution(ABC):
    """P(child | parents). A subclass that sets ``kind`` can be learned, queried, sampled and saved."""

    kind: ClassVar[str]
    """Its name in files."""
    title: ClassVar[str] = ""
    """Its name in messages and printed tables; the kind, unless a class sets another."""
    form: ClassVar[str] = DENSITY
    uses_prior: ClassVar[bool] = False
    fixed_in_em: ClassVar[bool] = False
    values_are: ClassVar[str] = NUMBERS
    """What a value of the child is: a code of its states, a number or a text."""
    smallest: ClassVar[float] = -np.inf
    """The smallest possible value of the child."""
    has_dirichlet_posterior: ClassVar[bool] = False
    """Whether counts and pseudocounts are the parameters of a Dirichlet distribution over its rows."""
    scorer: ClassVar[str] = ""
    """The entry of ``SCORERS`` that scores many columns of this class at once; empty: one by one."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kind" in vars(cls):
            DISTRIBUTIONS.add(cls.kind, cls)
            cls.title = vars(cls).get("title", cls.kind)

    # Before it is learned

    @classmethod
    def check_family(cls, family: Family) -> None:
        """Raise an error for a family it cannot have; here: a continuous child with discrete parents only."""
        if not family.child.is_continuous:
            raise BadTable(
                f"{family.child.name!r} is discrete: a {cls.title} distribution needs numbers. Declare it "
                f"continuous=[{family.child.name!r}]."
            )
        if family.continuous:
            names = [parent.name for parent in family.continuous]
            raise BadGraph(
                f"{family.child.name!r} has a {cls.title} distribution and the continuous parents "
                f"{listed(names)}: its parents must be discrete. Drop these arcs, or cut the parents into "
                "ranges."
            )

    @classmethod
    @abstractmethod
    def needs(cls, family: Family) -> Request:
        """The statistic that it is estimated from."""

    @classmethod
    def expects(cls, family: Family) -> Any:
        """The statistic that the E-step of EM computes for it; by default the one that it needs."""
        return cls.needs(family)

    @classmethod
    def meaning(cls, family: Family) -> Hashable:
        """None: no states are marked."""
        return None

    @classmethod
    def pinned(cls, family: Family) -> DistributionKind:
        """The class itself: no states are marked."""
        return cls

    @classmethod
    @abstractmethod
    def estimate(cls: type[Self], answer: Any, family: Family, prior: Prior) -> Self:
        """Estimate the distribution from the statistic and the prior."""

    @classmethod
    @abstractmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """The number of parameters it will have, and how many of them are free."""

    @classmethod
    def start(cls, known: StartingData) -> Distribution:
        """The start of EM: estimated from complete rows, or from a few random values per group."""
        return start_by_chance(cls, known)

    @classmethod
    def warn_about(cls, answer: Any, family: Family, prior: Prior) -> None:
        """Warn as an estimate from the expected statistic does."""
        cls.estimate(answer, family, prior)

    # With parameters

    @property
    @abstractmethod
    def free_parameters(self) -> int:
        """The number of free parameters."""

    @property
    def parameters(self) -> int:
        """The number of all parameters, including those implied by others."""
        return self.free_parameters

    @abstractmethod
    def check_shape(self, family: Family) -> None:
        """Raise BadTable if the shapes of the parameters do not fit the family."""

    @abstractmethod
    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """log P(value | group) for every value and every group, of shape (rows, groups).

        A group is a combination of the discrete parents' states. A missing value has 0. ``inputs`` has one
        column per continuous parent.
        """

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """log P(child | parents) of each row, given the row's own parents."""
        logs = self.log_density_by_group(rows.observed, rows.inputs)
        groups = self._groups(rows)
        return logs[:, 0] if groups is None else logs[np.arange(rows.rows), groups.astype(np.intp)]

    def _groups(self, rows: FamilyRows) -> ColumnArray | None:
        return rows.groups(self.group_shape)

    @property
    @abstractmethod
    def group_shape(self) -> tuple[int, ...]:
        """The number of states of each discrete parent."""

    @abstractmethod
    def sample(self, rows: FamilyRows, stream: RandomStream) -> ColumnArray:
        """Draw a value of the child for each row, given the row's own parents."""

    @property
    def finite(self) -> FiniteDistribution | None:
        """The distribution itself if it is finite, else None."""
        return None

    @property
    def gaussian(self) -> LinearGaussian | None:
        """The distribution itself if it is a linear Gaussian, else None."""
        return None

    # Without a row that it was learned from

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: Any, family: Family, prior: Prior
    ) -> FloatArray:
        """log P(child | parents) of each row under the distribution learned without this row.

        ``answer`` is the statistic that this was learned from, ``weights`` are the rows' weights in it. By
        default the row is subtracted and the rest estimated again, once per distinct row; classes with a
        closed form override this.
        """
        return learned_without_each(self, rows, weights, answer, family, prior)

    def estimated_again(self, answer: Any, family: Family, prior: Prior) -> Distribution:
        """Estimate a distribution of the same kind and options from another statistic."""
        return type(self).estimate(answer, family, prior)

    # In a file

    @classmethod
    def declaration(cls) -> dict[str, Any]:
        """The kind (and options) as plain data for a file, before it is learned."""
        return {"kind": cls.kind}

    @classmethod
    def declared(cls, state: Mapping[str, Any]) -> DistributionKind:
        """Read :meth:`declaration`: the class itself, unless it can be declared with options."""
        return cls

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Its ``kind``, and its parameters as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls: type[Self], state: Mapping[str, Any]) -> Self:
        """Read :meth:`state`; raise BadFile if it is damaged."""

    def same_as(self, other: Distribution) -> bool:
        """Whether the other is of the same class and has exactly the same parameters."""
        return type(self) is type(other) and _same(self.state(), other.state())

    # In print

    @property
    def printed_cells(self) -> int:
        """The number of cells in its printed form; networks print small distributions in full."""
        return self.parameters

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        """The printed parameters by name, one number per group."""
        return {}

    def parameter_text(self, group: int) -> str:
        """The parameters of one group as text: 'mean 1.5, variance 2'."""
        columns = self.parameters_by_group.items()
        return ", ".join(f"{name} {column.ravel()[group]:.4g}" for name, column in columns)

    def notation(self, value: str, group: int) -> tuple[str, str] | None:
        """P(value | group) as a formula, in plain text and in LaTeX; None: only its number is shown."""
        numbers = ", ".join(f"{column.ravel()[group]:.4g}" for column in self.parameters_by_group.values())
        inside = f"({value}; {numbers})" if numbers else f"({value})"
        return f"{self.title}{inside}", rf"\operatorname{{{self.title}}}{inside}"

    def counts_behind(
        self, code: int, group: int, answer: Any, family: Family, prior: Prior
    ) -> tuple[float, float, float, float] | None:
        """(count, total, pseudocount, their total) behind P(state | group); None if it is not from counts."""
        return None

    # Compared between groups

    def line(self, of: int, against: int) -> tuple[float, float] | None:
        """(slope, offset) of log P(x | of) − log P(x | against) if that is linear in x, else None."""
        return None

    def likely_values(self, points: int) -> list[float]:
        """Numbers over the range of likely values of all groups; whole numbers if all values are whole."""
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
        """The M-step of EM: the best distribution for the expected statistic; ``self`` is the current one."""
        return type(self).estimate(answer, family, prior)

    def continued(self, known: StartingData) -> Distribution:
        """The distribution from which EM continues, as this one is the present one."""
        return self

    def prior_records(self, family: Family, prior: Prior, before: Any) -> Any:
        """Pseudocounts plus the statistic of earlier records: the part of the objective not from the rows."""
        return before

    def log_prior(self, records: Any) -> float:
        """The contribution of :meth:`prior_records` to EM's objective, such as Σ pseudocount · log θ."""
        return 0.0

    def rounding(self, answer: Any) -> float:
        """An estimate of the rounding error in the log-likelihood of these records."""
        return 0.0

    def distance(self, other: Distribution, family: Family, units: Units) -> float:
        """The largest difference of a parameter from that of another distribution of the same kind.

        Probabilities differ as they are, other numbers by their share of the larger one or of 1. ``units``
        has a mean and a deviation of each continuous variable.
        """
        ours, theirs = (
            np.concatenate([np.zeros(1), *(a.ravel() for a in _arrays(one.state()))]) for one in (self, other)
        )
        size = np.maximum(np.maximum(np.abs(ours), np.abs(theirs)), 1.0)
        # Logarithms of 0 are equal to each other, and far from all others.
        finite = np.isfinite(ours) & np.isfinite(theirs)
        away = np.where(finite, ours, 0.0) - np.where(finite, theirs, 0.0)
        shares = np.where(finite, np.abs(away) / np.where(finite, size, 1.0), ours != theirs)
        return float(np.max(shares))

    def agrees_with(self, answer: Any) -> bool:
        """Whether all these complete records are possible under this distribution."""
        return True

    def unbounded(self, answer: Any, records: Any, family: Family) -> Unbounded | None:
        """The parameters as unbounded numbers with a gradient, for gradient ascent; None: nothing to learn.

        ``answer`` is the expected statistic at the start, ``records`` the result of :meth:`prior_records`.
        """
        raise NoConvergence(
            f"{family.child.name!r} has a {self.title} distribution, for which gradient ascent is not "
            'implemented. Learn by EM: method="em".'
        )


def _arrays(state: Any) -> list[FloatArray]:
    """All arrays of real numbers in a state (nested plain data)."""
    if isinstance(state, np.ndarray):
        return [state] if state.dtype.kind == "f" else []
    inside = (
        state.values() if isinstance(state, Mapping) else state if isinstance(state, list | tuple) else ()
    )
    return [array for one in inside for array in _arrays(one)]


def _same(left: Any, right: Any) -> bool:
    """Whether two states (nested plain data and arrays) are equal; arrays exactly."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return np.array_equal(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)
