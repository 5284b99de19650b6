"""Columns whose states a classifier declares: values are read as these states, not as what they spell."""

from __future__ import annotations

from typing import Any

from bayou.schema import Variable, text_names
from bayou.typing import Name


def declared_states(estimator: Any) -> list[Variable]:
    """Return the columns whose states ``states=`` lists (those that it cuts into ranges stay numbers).

    >>> import bayou
    >>> declared_states(bayou.TAN(states={"day": ["2024-02-29"], "age": bayou.Cuts([30])}))
    [Variable('day', ['2024-02-29'])]
    """
    given = getattr(estimator, "states", None)
    if not given:
        return []
    from bayou.networks.declarations import mapping_given, states_given

    declared = mapping_given("states", given, "{'smoke': ['no', 'yes']}")
    found = [states_given(name, states) for name, states in declared.items()]
    return [variable for variable in found if variable.cuts is None]


def declared_texts(estimator: Any) -> list[Name]:
    """Return those whose states are all texts."""
    return text_names(declared_states(estimator))
