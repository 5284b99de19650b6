"""What to do where an exact answer is too wide and the verb has no engine that estimates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bayou.errors import TooWide
from bayou.inference.exact.plan_cache import REMEDIES

LIMITS = "or raise the limits (with bayou.limits(memory=…, work=…))."
"""The end of each remedy."""
THE_POSTERIOR_ALONE = (
    'Observe more variables, estimate the posterior alone (net.query(…, engine="auto", time=10)),'
)
"""For verbs that look behind one posterior: what decides it, what would change it."""
EACH_ON_ITS_OWN = (
    "Give more findings, ask for the most probable state of each variable on its own, estimated "
    '(net.marginals(…, engine="auto", time=10)),'
)
"""For the most probable states of several variables together."""
ROW_BY_ROW = (
    "Fill more cells of the rows, estimate the answer for a single row "
    '(net.query(…, engine="auto", time=10)),'
)
"""For the answers about the rows of a table."""
ITS_PROBABILITY = (
    "Observe more variables, estimate the probability with that of a variable "
    '(net.query(…, engine="auto", time=10).log_evidence),'
)
"""For the probability of findings."""


def without(*arguments: str) -> str:
    """The remedies of a query with arguments that engines that estimate do not take."""
    left_out = " and ".join(arguments)
    return (
        f"Observe more variables, ask for fewer targets at a time, leave {left_out} out and estimate the "
        'answer (engine="auto", time=10),'
    )


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
