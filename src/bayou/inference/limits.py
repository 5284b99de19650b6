"""Limits on the memory and work of a query, which can be set for a ``with`` block."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from bayou.errors import BadQuestion
from bayou.memory import amount_text as amount_text
from bayou.memory import count_text as count_text

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """The most bytes that the tables of a query may take, and the most table entries it may go through."""

    memory: float = 4 * 2**30
    work: float = 2.0**38


_DEFAULT_LIMITS = Limits()
_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current_limits() -> Limits:
    """Return the limits of the innermost ``with limits(...)`` block, or the defaults outside of any."""
    return _limits.get() or _DEFAULT_LIMITS


@contextmanager
def limits(memory: float | str | None = None, work: float | None = None) -> Iterator[Limits]:
    """Refuse queries inside the ``with`` block that need more than this memory or work.

    ``memory`` is in bytes (or text such as "8 GB"), ``work`` in table entries. A limit that is not given
    stays as it is; the defaults are 4 GiB and 2.7e11 entries (most of an hour). The limits hold for this
    thread (or asyncio task) only, and the earlier ones are restored at the end of the block.

    >>> import bayou
    >>> net = bayou.Network("Rain -> Wet", tables={"Rain": [.8, .2], "Wet": [[.9, .1], [.2, .8]]},
    ...                     states={"Rain": ["no", "yes"], "Wet": ["no", "yes"]})
    >>> with bayou.limits(memory="10 B"):
    ...     net.query("Rain", {"Wet": "yes"})
    Traceback (most recent call last):
        ...
    bayou.errors.TooWide: This query needs ...
    """
    chosen = current_limits()
    if memory is not None:
        chosen = replace(chosen, memory=_amount(memory, "memory"))
    if work is not None:
        chosen = replace(chosen, work=_amount(work, "work"))
    token = _limits.set(chosen)
    try:
        yield chosen
    finally:
        _limits.reset(token)


def _amount(given: float | str, what: str) -> float:
    """A limit as a number above 0, from a number or text such as "8 GB"; ``what`` names it in an error."""
    found = _AMOUNT.fullmatch(given) if isinstance(given, str) else None
    try:
        number = float(found[1]) * _UNITS[found[2].upper()] if found else float(given)
    except (TypeError, ValueError):
        number = math.nan
    if not number > 0:
        raise BadQuestion(f'limits({what}={given!r}): give a number above 0, or text such as "8 GB".')
    return number
