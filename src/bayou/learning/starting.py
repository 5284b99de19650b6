"""Where iterative learners start: the rows whose families are complete, and chance where there are none."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayou.distributions import FunctionOfParents, LinearGaussian, LocalDistribution, MaxOfCauses, Table
from bayou.distributions.linear_gaussian import has_own_line
from bayou.errors import BadData, BayouWarning
from bayou.learning.maximising import Problem
from bayou.learning.parameters import estimate_block
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable, GroupMoments, Moments, Request, RowCounts, Statistics
from bayou.typing import FloatArray, Name

SHAPE = 2.0
"""Tables are stirred by gamma variates of this shape: smaller is wilder."""
_SLOPE = 0.5
"""How steep random slopes are, in standard deviations of the child per one of the parent."""


def available_requests(
    requests: dict[Name, Request], absent: set[Name], continuous: set[Name]
) -> list[Request]:
    """What to ask of complete families, and of each variable alone where a family has a hidden one."""
    asked: dict[Request, None] = {}
    for request in requests.values():
        members = (*request.variables, *(request.given if isinstance(request, Moments) else ()))
        if not absent.intersection(members):
            asked[request] = None
        for name in members:
            if name not in absent:
                asked[Moments((name,), ()) if name in continuous else CountTable((name,))] = None
    return list(asked)


def starts(
    problem: Problem, available: Statistics, seed: int, present: FrozenNetwork | None = None
) -> Callable[[int], FrozenNetwork]:
    """The starting networks by number; the same seed gives the same ones.

    Number 0 is what complete families say (or the ``present`` tables), with random tables for families
    that are never complete; all tables of further ones are stirred. Functions are those of the problem.
    """

    def start(number: int) -> FrozenNetwork:
        chance = np.random.default_rng([seed, number])
        maker = _Start(problem, available, chance, wild=number > 0)
        stated = {} if present is None or number > 0 else present.blocks
        blocks = {
            block: maker.gone_on(block, stated[block]) if block in stated else maker.block(block)
            for block in problem.users
        }
        return replace(problem.empty, blocks=blocks)

    return start


def learned_functions(problem: Problem, available: Statistics, present: FrozenNetwork | None) -> Problem:
    """The problem with its deterministic nodes settled: from complete families, or as they are stated.

    A stated function is kept where no complete row says anything else; the rows can tell it nothing new.
    """
    fixed: dict[Name, LocalDistribution] = {}
    for block, users in problem.users.items():
        kind = problem.structure.kinds.get(users[0])
        if kind is None or kind.logic != "function":
            continue
        stated = None if present is None else _stated(problem, present, users[0])
        if stated is not None and _agrees(problem, available, block, stated):
            fixed[block] = stated
        elif all(problem.requests[name] in available for name in users) and _seen(problem, available, block):
            prior = problem.prior(block)
            fixed[block] = estimate_block(problem.empty, available, problem.requests, users, prior)
        else:
            raise BadData(
                f"{users[0]!r} is a function of its parents, but no row has a value for it and all of them, "
                "so the function can not be learned. State it for the states that the data have: "
                f"net.set_cpt({users[0]!r}, bayou.Deterministic(…))."
            )
    return replace(problem, fixed=fixed)


def _stated(problem: Problem, present: FrozenNetwork, name: Name) -> FunctionOfParents | None:
    """The function that the network has, if it is one of the states that the problem has."""
    schema, function = problem.empty.schema, present.blocks.get(present.slots[name])
    family = (*problem.structure.dag.parents(name), name)
    same = all(present.schema[member].states == schema[member].states for member in family)
    return function if same and isinstance(function, FunctionOfParents) else None


def _agrees(problem: Problem, available: Statistics, block: Name, stated: FunctionOfParents) -> bool:
    """Whether the complete rows of all users are as the function says."""
    asked = [problem.requests[name] for name in problem.users[block]]
    for request in (request for request in asked if request in available):
        found = available[request]
        if isinstance(found, RowCounts):
            rows = found.aligned([problem.empty.schema[member] for member in request.variables]).codes
            if np.any(stated.codes[tuple(rows[:, :-1].T)] != rows[:, -1]):
                return False
    return True


def _seen(problem: Problem, available: Statistics, block: Name) -> bool:
    """Whether any row is complete in the family of a user of this block."""
    asked = [problem.requests[name] for name in problem.users[block]]
    return any(request in available and _total(available, request) > 0 for request in asked)


def _total(available: Statistics, request: Request) -> float:
    result = available[request]
    return result.total if isinstance(result, Counts | GroupMoments | RowCounts) else 0.0


class _Start:
    """One start: a distribution for each block."""

    def __init__(
        self, problem: Problem, available: Statistics, chance: np.random.Generator, *, wild: bool
    ) -> None:
        self._problem, self._available, self._chance, self._wild = problem, available, chance, wild

    def block(self, block: Name) -> LocalDistribution:
        fixed = (self._problem.fixed or {}).get(block)
        if fixed is not None:
            return fixed
        users = self._problem.users[block]
        if users[0] in self._problem.structure.kinds:
            return self._causes(users[0])
        if self._problem.empty.schema[users[0]].is_continuous:
            return self._gaussian(block)
        return self._table(block)

    def gone_on(self, block: Name, present: LocalDistribution) -> LocalDistribution:
        """The present distribution, unless the rows have told another function of its parents.

        Beside earlier records a chance of 0 only says that nothing was seen yet: the next rows may be it.
        """
        fixed = (self._problem.fixed or {}).get(block)
        if fixed is not None:
            return fixed
        if self._problem.before is None or not isinstance(present, Table) or np.all(present.values > 0):
            return present
        weights = self._problem.extra[block] + 1.0
        return Table(weights / weights.sum(axis=-1, keepdims=True))

    def _known(self, block: Name) -> Statistics | None:
        """The statistics of a block whose users are complete in some rows."""
        return self._available if _seen(self._problem, self._available, block) else None

    def _stirred(self, shape: tuple[int, ...]) -> FloatArray:
        return self._chance.gamma(SHAPE, size=shape)

    def _table(self, block: Name) -> Table:
        axes = self._problem.axes(block)
        shape = tuple(axis.cardinality for axis in axes)
        known = self._known(block)
        # One more record in each cell: a chance of 0 would stay 0 whatever the rows say.
        if known is not None:
            weights = self._problem.counts(block, known) + self._problem.extra[block] + 1.0
            weights = weights / weights.sum(axis=-1, keepdims=True)
        else:
            weights = np.broadcast_to(self._marginal(axes[-1].name, shape[-1]), shape)
        if known is None or self._wild:
            weights = weights * self._stirred(shape)
        return Table(weights / weights.sum(axis=-1, keepdims=True))

    def _marginal(self, name: Name, size: int) -> FloatArray:
        request = CountTable((name,))
        if request not in self._available:
            return np.full(size, 1 / size)
        counted = self._available[request].aligned([self._problem.empty.schema[name]]).values + 1.0
        share: FloatArray = counted / counted.sum()
        return share

    def _causes(self, name: Name) -> MaxOfCauses:
        network, kind = self._problem.empty, self._problem.structure.kinds[name]
        child, parents = network.schema[name], network.parents(name)
        size = child.cardinality
        links = [self._stirred((parent.cardinality, size)) for parent in parents]
        prior = self._problem.priors.default
        return MaxOfCauses.from_expected(links, self._stirred((size,)), child, parents, prior, kind)

    def _gaussian(self, block: Name) -> LinearGaussian:
        known = self._known(block)
        users = self._problem.users[block]
        if known is None:
            return self._scattered(users[0])
        child, moments = self._problem.empty.schema[users[0]], self._problem.moments(block, known)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            found = _with_spread(moments, child) or LinearGaussian.estimate(self._widened(moments), child)
        if not self._wild:
            return found
        shift = self._chance.normal(size=found.intercept.shape) * np.sqrt(found.variance)
        return LinearGaussian(found.intercept + shift, found.coefficients, found.variance)

    def _widened(self, moments: GroupMoments) -> GroupMoments:
        """One more record in each group that has any, as far off as values of each variable are anywhere."""
        wide = np.diag([self._spread(name)[1] ** 2 for name in moments.variables])
        more = (moments.n > 0).astype(np.float64)
        scatter = moments.scatter + more[..., None, None] * wide
        return GroupMoments(moments.variables, moments.groups, moments.n + more, moments.mean, scatter)

    def _scattered(self, name: Name) -> LinearGaussian:
        """Lines thrown at random over the range of the child."""
        groups = tuple(parent.cardinality for parent in self._problem.empty.discrete_parents(name))
        inputs = self._problem.empty.continuous_parents(name)
        mean, deviation = self._spread(name)
        slopes = np.zeros((*groups, len(inputs)))
        centre = np.zeros(groups)
        for place, parent in enumerate(inputs):
            at, wide = self._spread(parent.name)
            slopes[..., place] = _SLOPE * self._chance.normal(size=groups) * deviation / wide
            centre = centre + slopes[..., place] * at
        # A number that is never seen has any scale; its groups lie apart, and a single one is where it is.
        alone = not groups and self._is_hidden(name)
        thrown = mean + (0.0 if alone else deviation * self._chance.normal(size=groups))
        return LinearGaussian(thrown - centre, slopes, np.full(groups, deviation**2))

    def _is_hidden(self, name: Name) -> bool:
        request = Moments((name,), ())
        return request not in self._available or not self._available[request].total > 0

    def _spread(self, name: Name) -> tuple[float, float]:
        """Mean and standard deviation of a continuous variable over all rows that have it (none: 0 and 1)."""
        if self._is_hidden(name):
            return 0.0, 1.0
        moments = self._available[Moments((name,), ())]
        variance = float(moments.scatter.item() / moments.n.item()) if moments.n.item() > 0 else 0.0
        if not variance > 0:
            raise BadData(
                f"{name!r} does not vary (variance 0), so it has no density to learn. Declare it discrete "
                "(states=…), or leave it out."
            )
        return float(moments.mean.item()), variance**0.5


def _with_spread(moments: GroupMoments, child: Variable) -> LinearGaussian | None:
    """What complete rows say, unless they are so few, or so much alike, that a line explains them all.

    The other rows tell how far off the line values are; without any spread at the start they could not.
    """
    too_large = not np.all(np.isfinite(moments.scatter))
    if not too_large and not has_own_line(moments.marginal([])):
        return None
    try:
        return LinearGaussian.estimate(moments, child)
    except BadData:
        if too_large:
            raise
        return None
