"""Errors for edits that a distribution cannot follow: each says what to do first."""

from __future__ import annotations

from math import prod

from bayou.distributions import Distribution, FiniteDistribution, check_table_size
from bayou.errors import BadTable, BayouError, TooWide
from bayou.memory import amount_text, current_limits
from bayou.models.editing.network_content import NetworkContent
from bayou.schema import Variable
from bayou.typing import Name

_CELL = 8
"""The bytes of a probability."""


def cannot_follow(content: NetworkContent, name: Name, what: str) -> BayouError:
    """Return the error for a node whose kind of distribution has no form after an edit.

    ``what`` is the edit with its reason. A finite node can be made a table first; the parameters of any
    other can be dropped and learned again.
    """
    distribution = content.distribution(name)
    title = node_title(content, name, distribution)
    if isinstance(distribution, FiniteDistribution):
        remedy = f"Make it a table first: net.set_cpt({name!r}, net.cpt({name!r}))."
    else:
        remedy = (
            f"Drop its parameters first, and set or learn them again afterwards: net.clear_table({name!r})."
        )
    return BadTable(f"{name!r} has a {title} distribution: {what}. {remedy}")


def node_title(content: NetworkContent, name: Name, distribution: Distribution | None) -> str:
    """Return the name of a node's kind of distribution in messages."""
    if name in content.kinds:
        return content.kinds[name].title
    logic = {"or": "NoisyOr", "and": "NoisyAnd", "max": "NoisyMax"}.get(getattr(distribution, "logic", ""))
    return logic or (distribution.title if distribution is not None else "table")


def require_size(child: Variable, parents: list[Variable], copies: int = 1) -> None:
    """Raise TooWide, with the size, for a table that is larger than the limits allow.

    ``copies`` is the number of arrays of this size that the edit needs at the same time.
    """
    check_table_size(child, parents)
    cells = prod(variable.cardinality for variable in (*parents, child))
    needed, most = cells * _CELL * copies, current_limits().memory
    if needed > most:
        raise TooWide(
            f"The table of {child.name!r} given its {len(parents)} parents would have {cells:,} cells, and "
            f"the edit needs {amount_text(needed)} (limit: {amount_text(most)}). Remove parents or merge "
            "states first, or raise the limit (with bayou.limits(memory=…))."
        )
