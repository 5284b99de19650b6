"""A hidden Markov model as a Bayesian network of two slices.

    P(h, e) = p_start(h₁) · Π p_trans(hₜ | hₜ₋₁) · Π p_emit(eₜ | hₜ)

The network has the state of a step (its table is p_start), the state of the next step (p_trans) and the
columns that a step emits (p_emit). These tables are shared by all steps, so a sequence is learned like rows
of this network: the statistics of all its steps are added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bayou.distributions import GAUSSIAN, default_kind
from bayou.errors import BadQuestion, BadVariable, listed
from bayou.graphs import Dag
from bayou.networks import Structure
from bayou.schema import Variable
from bayou.temporal.state_stays import Stays
from bayou.typing import FloatArray, IntArray, Name

if TYPE_CHECKING:
    from bayou.distributions import DistributionKind

FULL, DIAGONAL, SPHERICAL, SHARED, SHARED_DIAGONAL = (
    "full",
    "diagonal",
    "spherical",
    "shared",
    "shared diagonal",
)
COVARIANCES = (FULL, DIAGONAL, SPHERICAL, SHARED, SHARED_DIAGONAL)
"""The covariance of Gaussian columns: of each state, or shared by all states; full, or columns independent
given the state (with one variance for all columns: spherical).
"""


@dataclass(frozen=True)
class ChainStructure:
    """The two-slice network, and the roles of its variables.

    ``component`` is the hidden component of a mixture, ``mixed`` the columns that depend on it, ``gaussians``
    the columns with Gaussian densities, in the order of their regressions on each other, ``covariance``
    the form of the Gaussians' covariance. ``ends`` tells whether the end of a sequence is modelled.
    ``tied`` has the group of each state, if states of a group emit alike; else it is empty. With ``stays``
    the states are sub-states that count the steps of a stay.
    """

    structure: Structure
    state: Variable
    covariance: str = FULL
    component: Variable | None = None
    mixed: tuple[Name, ...] = ()
    gaussians: tuple[Name, ...] = ()
    ends: bool = False
    tied: tuple[int, ...] = ()
    stays: Stays | None = None

    @property
    def user_state(self) -> Variable:
        """The state that users see: without the sub-states that count the steps of a stay."""
        return self.state if self.stays is None else self.stays.states

    @property
    def members(self) -> FloatArray:
        """1 where a state of the chain belongs to a state that users see, [user's state, state]."""
        return np.eye(self.states) if self.stays is None else self.stays.members

    @property
    def leaders(self) -> IntArray:
        """A state of the chain for each that users see; those of one emit alike."""
        return np.arange(self.states) if self.stays is None else self.stays.first

    @property
    def is_tied(self) -> bool:
        """Whether states that users see emit alike (tie=)."""
        return len(set(self.tied)) < self.user_state.cardinality if self.tied else False

    def led(self, rows: FloatArray) -> FloatArray:
        """The rows of the states that users see (or of their components)."""
        split = rows.reshape(self.states, -1, *rows.shape[1:])
        return np.array(split[self.leaders].reshape(-1, *rows.shape[1:]))

    def folded(self, shares: FloatArray) -> FloatArray:
        """Probabilities of the states, on the last axis, added up for those that users see."""
        return shares if self.stays is None else np.asarray(shares @ self.stays.members.T)

    def seen_codes(self, codes: IntArray) -> IntArray:
        """Codes of states as codes of those that users see."""
        return codes if self.stays is None else self.stays.owner[codes.astype(np.int64)]

    @property
    def next_state(self) -> Name:
        """The variable of the next step's state."""
        return f"{self.state.name}'"

    @property
    def end(self) -> Name:
        """The variable that says whether the sequence ends at a step."""
        return f"{self.state.name} ends"

    @cached_property
    def columns(self) -> tuple[Name, ...]:
        """The observed columns."""
        own = {self.state.name, self.next_state, self.end}
        own |= {self.component.name} if self.component else set()
        return tuple(name for name in self.structure.dag.nodes if name not in own)

    @property
    def states(self) -> int:
        """The number of states."""
        return self.state.cardinality


def chain_structure(
    state: Variable,
    columns: Sequence[Variable],
    kinds: Mapping[Name, DistributionKind] | None = None,
    *,
    covariance: str = FULL,
    components: int = 1,
    ends: bool = False,
    tied: tuple[int, ...] = (),
    stays: Stays | None = None,
) -> ChainStructure:
    """The structure of a hidden Markov model whose states emit these columns.

    >>> from bayou.schema import Variable
    >>> made = chain_structure(Variable("state", [0, 1]), [Variable("x"), Variable("y")])
    >>> [(str(name), made.structure.dag.parents(name)) for name in made.structure.dag.nodes]
    [('state', ()), ("state'", ('state',)), ('x', ('state',)), ('y', ('state', 'x'))]
    """
    if covariance not in COVARIANCES:
        raise BadQuestion.choice("covariance", covariance, COVARIANCES)
    chosen = dict(kinds or {})
    forms = {v.name: (chosen.get(v.name) or default_kind(v)).form for v in columns}
    gaussians = tuple(v.name for v in columns if forms[v.name] == GAUSSIAN)
    component = Variable("component", list(range(components))) if components > 1 else None
    mixed = tuple(v.name for v in columns if v.is_continuous and not v.is_text) if component else ()
    _check_names(state, columns, component)
    if component and not mixed:
        raise BadQuestion(
            "components= is for columns of numbers: a table of states needs no mixture. Leave it out."
        )
    parents: dict[Name, list[Name]] = {state.name: [], f"{state.name}'": [state.name]}
    declared = {
        state.name: state,
        f"{state.name}'": Variable(f"{state.name}'", state.states, ordered=state.ordered),
    }
    if ends:
        parents[f"{state.name} ends"] = [state.name]
        declared[f"{state.name} ends"] = Variable(f"{state.name} ends", [False, True])
    if component:
        parents[component.name] = [state.name]
        declared[component.name] = component
    for variable in columns:
        own = [state.name, *([component.name] if component and variable.name in mixed else [])]
        if variable.name in gaussians and covariance in (FULL, SHARED):
            own += gaussians[: gaussians.index(variable.name)]
        parents[variable.name] = own
        declared[variable.name] = variable
    structure = Structure(Dag(list(parents), parents), declared, {}, chosen)
    return ChainStructure(structure, state, covariance, component, mixed, gaussians, ends, tied, stays)


def _check_names(state: Variable, columns: Sequence[Variable], component: Variable | None) -> None:
    if not columns:
        raise BadVariable("A hidden Markov model needs at least one observed column.")
    reserved = [state.name, f"{state.name}'", f"{state.name} ends", *([component.name] if component else [])]
    taken = [v.name for v in columns if v.name in reserved]
    if taken:
        raise BadVariable(
            f"The column {taken[0]!r} has the name of a part of the model ({listed(reserved)}). Rename the "
            "column, or the hidden state: name=."
        )
