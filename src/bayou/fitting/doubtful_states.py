"""Warnings about states that were probably not meant: many whole numbers, noisy causes without a name."""

from __future__ import annotations

from collections.abc import Sequence

from bayou.distributions import NodeKind
from bayou.errors import warn_user
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.statistics.number_summary import MANY

_ROWS_A_STATE = 50
"""With fewer rows for each state on average, a column of many whole numbers is taken for measurements."""


def warn_of_many_states(variables: Sequence[Variable], rows: float, why: str) -> None:
    """Warn of columns of whole numbers with so many states that there are few rows per state.

    ``why`` is the sentence that says what is bad about it.
    """
    many = [
        variable
        for variable in variables
        if variable.cardinality > MANY
        and rows < _ROWS_A_STATE * variable.cardinality
        and all(type(state) is int for state in variable.states)
    ]
    if many:
        listing = ", ".join(f"{variable.name!r} ({variable.cardinality:,} states)" for variable in many)
        warn_user(
            f"Each whole number is a state of its own, and there are many of them: {listing}. {why} Treat "
            f"such columns as real numbers (continuous={[many[0].name]!r}), "
            "or cut them into ranges (states={'x': bayou.Cuts([…])})."
        )


def warn_of_doubtful_states(structure: Structure, learned: FrozenNetwork, rows: float) -> None:
    """Warn after a fit of states that columns made, and of noisy nodes whose present states are unclear."""
    inferred = [variable for variable in learned.schema if variable.name not in structure.declared]
    warn_of_many_states(
        inferred, rows, "A number that is in no row has no probability, and each is learned from few rows."
    )
    for name, kind in structure.kinds.items():
        family = learned.family(name)
        if isinstance(kind, NodeKind):
            doubts = [kind.doubt(variable, family.child) for variable in family.variables]
            if any(doubts):
                warn_user(f"The {kind.title} of {name!r}: {next(filter(None, doubts))}. The last is taken.")
