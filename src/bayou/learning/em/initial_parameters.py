"""The starting parameters of iterative learners: from complete families, or random where there are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.distributions import DENSITY, FINITE, Distribution, DistributionKind, Family, StartingData
from bayou.errors import BadData
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.parameters import estimate_block, requests_for
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.statistics import CountTable, Moments, Request, Statistics
from bayou.typing import Name


def available_requests(
    structure: Structure, variables: Mapping[Name, Variable], absent: set[Name]
) -> list[Request]:
    """The requests for starting parameters: families without an absent variable, and each variable alone."""
    asked: dict[Request, None] = {}
    for request in requests_for(structure, variables).values():
        members = (*request.variables, *getattr(request, "given", ()))
        if not absent.intersection(members):
            asked[request] = None
        for name in members:
            if name not in absent:
                asked[presence_request(structure, variables[name])] = None
                asked[_alone_request(structure, variables[name])] = None
    return list(asked)


def presence_request(structure: Structure, variable: Variable) -> Request:
    """A statistic of one variable whose total shows whether any row has a value for it."""
    if variable.is_text:
        return structure.kinds[variable.name].needs(Family(variable))
    return Moments((variable.name,)) if variable.is_continuous else CountTable((variable.name,))


def _alone_request(structure: Structure, variable: Variable) -> Request:
    """The statistic of one variable without its parents, as its own kind of distribution needs it."""
    kind = structure.kinds.get(variable.name)
    if kind is None or kind.form != DENSITY:
        return presence_request(structure, variable)
    return kind.needs(Family(variable))


def starts(
    problem: LearningProblem, available: Statistics, seed: int, present: FrozenNetwork | None = None
) -> Callable[[int], FrozenNetwork]:
    """The starting networks by number; the same seed gives the same ones.

    Start 0 is estimated from complete families (or has the ``present`` parameters), with random parameters
    for families that are never complete. The parameters of further starts are randomised. Deterministic nodes
    keep the functions of the problem.
    """

    def start(number: int) -> FrozenNetwork:
        chance = np.random.default_rng([seed, number])
        maker = _Start(problem, available, chance, wild=number > 0)
        stated = {} if present is None or number > 0 else present.blocks
        blocks = {
            block: maker.continued_from(block, stated[block]) if block in stated else maker.block(block)
            for block in problem.users
        }
        return replace(problem.empty, blocks=blocks)

    return start


def learned_functions(
    problem: LearningProblem, available: Statistics, present: FrozenNetwork | None
) -> LearningProblem:
    """The problem with its deterministic nodes fixed: from complete families, or as the network has them.

    A function given by the user is kept unless a complete row contradicts it.
    """
    fixed: dict[Name, Distribution] = {}
    for block, users in problem.users.items():
        if not problem.empty.kind(users[0]).fixed_in_em:
            continue
        stated = None if present is None else _stated(problem, present, users[0])
        if stated is not None and _agrees(problem, available, block, stated):
            fixed[block] = stated
        elif all(problem.requests[name] in available for name in users) and _seen(problem, available, block):
            prior = problem.prior(block)
            fixed[block] = estimate_block(problem.empty, available, problem.requests, users, prior)
        else:
            raise _nothing_to_settle(users[0], problem.empty.kind(users[0]))
    return replace(problem, fixed=fixed)


def _nothing_to_settle(name: Name, kind: DistributionKind) -> BadData:
    if kind.form != FINITE:
        return BadData(
            f"{name!r} has a {kind.title} distribution, which is learned from rows that have a value for it "
            "and all its parents, but there is none. Declare another kind, such as Poisson or Gaussian."
        )
    return BadData(
        f"{name!r} is a function of its parents, but no row has a value for it and all of them, so the "
        "function cannot be learned. Give it for the states that the data have: "
        f"net.set_cpt({name!r}, bayou.Deterministic(…))."
    )


def _stated(problem: LearningProblem, present: FrozenNetwork, name: Name) -> Distribution | None:
    """The function that the network has for a variable, if its states are those of the problem; else None."""
    schema, function = problem.empty.schema, present.blocks.get(present.slots[name])
    family = (*problem.structure.dag.parents(name), name)
    same = all(present.schema[member].states == schema[member].states for member in family)
    return function if same and function is not None and function.fixed_in_em else None


def _agrees(problem: LearningProblem, available: Statistics, block: Name, stated: Distribution) -> bool:
    """Whether no complete row of any user contradicts the function."""
    complete = problem.answer(block, available)
    return complete is None or stated.agrees_with(complete)


def _seen(problem: LearningProblem, available: Statistics, block: Name) -> bool:
    """Whether any row is complete in the family of a user of this block."""
    asked = [problem.requests[name] for name in problem.users[block]]
    found: list[Any] = [available[request] for request in asked if request in available]
    return any(answer.total > 0 for answer in found)


class _Start:
    """One start: a distribution for each block."""

    def __init__(
        self, problem: LearningProblem, available: Statistics, chance: np.random.Generator, *, wild: bool
    ) -> None:
        self._problem, self._available, self._chance, self._wild = problem, available, chance, wild

    def block(self, block: Name) -> Distribution:
        """The distribution that the kind of the block starts from."""
        problem = self._problem
        fixed = (problem.fixed or {}).get(block)
        if fixed is not None:
            return fixed
        return problem.empty.kind(problem.users[block][0]).start(self._known(block))

    def continued_from(self, block: Name, present: Distribution) -> Distribution:
        """The present distribution, or the function that was learned in its place."""
        fixed = (self._problem.fixed or {}).get(block)
        if fixed is not None:
            return fixed
        return present.continued(self._known(block))

    def _known(self, block: Name) -> StartingData:
        """The information about the family of a block."""
        problem = self._problem
        return StartingData(
            problem.family(block),
            problem.prior(block),
            problem.answer(block, self._available) if _seen(problem, self._available, block) else None,
            problem.before_answer(block),
            self._alone,
            self._chance,
            self._wild,
        )

    def _alone(self, variable: Variable) -> Any:
        """The statistic of one variable over all rows where it is observed; None if it was not requested."""
        single = _alone_request(self._problem.structure, variable)
        if single not in self._available:
            return None
        return self._available[single]
