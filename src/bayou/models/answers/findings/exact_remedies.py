"""What to do where an exact answer is too wide and the verb has no engine that estimates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bayou.errors import TooWide
from bayou.inference.exact.plan_cache import REMEDIES

LIMITS = "or raise the limits (with bayou.limits(memory=…, work=…))."
"""The end of each remedy."""


@contextmanager
def remedies(text: str) -> Iterator[None]:
    """Replace the remedies of a query that is too wide, which name engines, by these and the limits.

    >>> with remedies("Observe more variables,"):
    ...     raise TooWide(f"This query is too wide. {REMEDIES}")
    Traceback (most recent call last):
    ...
    bayou.errors.TooWide: This query is too wide. Observe more variables, or raise the limits (with \
bayou.limits(memory=…, work=…)).
    """
    try:
        yield
    except TooWide as error:
        raise TooWide(str(error).replace(REMEDIES, f"{text} {LIMITS}")) from None
