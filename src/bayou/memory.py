"""Memory: what this process may still use, and the limits of a ``with limits(...)`` block.

Sizes are compared with both before anything large is allocated.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import ParamSpec, TypeVar

from bayou.errors import BadQuestion, TooWide

P = ParamSpec("P")
T = TypeVar("T")
_CGROUP = "/sys/fs/cgroup"
_UNLIMITED = 2**60
_M_ARENA_MAX = -8
"""The number of an option of glibc's mallopt (malloc.h)."""
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """The most bytes that the tables of a query may take, and the most table entries it may go through.

    ``reading`` is the most memory that this process may have while it reads files.
    """

    memory: float = 4 * 2**30
    work: float = 2.0**38
    reading: float = 1e9

    def hold_for(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """Call a function within these limits: for limits that are made once and needed often.

        >>> Limits(work=5.0).hold_for(lambda: current_limits().work)
        5.0
        """
        token = _limits.set(self)
        try:
            return function(*arguments, **options)
        finally:
            _limits.reset(token)


_DEFAULT_LIMITS = Limits()
_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current_limits() -> Limits:
    """Return the limits of the innermost ``with limits(...)`` block, or the defaults outside of any."""
    return _limits.get() or _DEFAULT_LIMITS


@contextmanager
def limits(memory: float | str | None = None, work: float | None = None) -> Iterator[Limits]:
    """Bound the memory and work inside the ``with`` block: queries that need more are refused.

    ``memory`` is in bytes (or text such as "8 GB"), ``work`` in table entries. A limit that is not given
    stays as it is; the defaults are 4 GiB and 2.7e11 entries (most of an hour). Files are read within
    ``memory``, too, by default within 1 GB: larger ones are read again for every pass instead of being kept.
    The limits hold for this thread (or asyncio task) only, and the earlier ones are restored at the end.

    Raises ``BadQuestion`` for a bound that is no positive number or size.

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
        most = _amount(memory, "memory")
        chosen = replace(chosen, memory=most, reading=most)
    if work is not None:
        chosen = replace(chosen, work=_amount(work, "work"))
    token = _limits.set(chosen)
    try:
        yield chosen
    finally:
        _limits.reset(token)


def reading_memory() -> float:
    """The most bytes that this process may have while it reads files, within what is left for it."""
    return min(current_limits().reading, available_memory() + resident_memory())


@cache
def share_heaps() -> None:
    """Let threads share two heaps where the address space of this process is limited (``ulimit -v``).

    Otherwise glibc reserves 64 MB of addresses for each thread, ten times what is used.
    """
    try:
        import ctypes
        import resource

        if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)
    except (ImportError, OSError, AttributeError):
        pass  # another system, or another library of C: it has no such reserve


def release_memory() -> None:
    """Give memory that was freed back to the system: glibc keeps what lies between blocks that are in use.

    Worth its milliseconds after much was freed that nothing later will need.
    """
    with suppress(ImportError, OSError, AttributeError):  # another system, or another library of C
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)


def resident_memory() -> int:
    """The bytes of memory that this process has; 0 where the system does not tell."""
    try:
        return int(_lines("/proc/self/statm")[0].split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


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


def require_memory(needed: float, what: str, remedy: str) -> None:
    """Raise TooWide if ``what`` needs more bytes than this process may still use.

    >>> require_memory(2**70, "A table of this size", "Make it smaller.")
    Traceback (most recent call last):
        ...
    bayou.errors.TooWide: A table of this size needs 1.07e+9 TiB of memory; ... Make it smaller.
    """
    free = available_memory()
    if needed > free:
        raise TooWide(
            f"{what} needs {amount_text(needed)} of memory; {amount_text(free)} are left for this process. "
            f"{remedy}"
        )


def available_memory() -> int:
    """The bytes that this process may still allocate: what is free, within the limits set for it."""
    return max(0, min((_free_memory(), *_limits_left())))


def _free_memory() -> int:
    """The memory that is free or can be freed; where the system does not tell, all memory there is."""
    try:
        for line in _lines("/proc/meminfo"):
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _UNLIMITED


def _limits_left() -> Iterator[int]:
    """What is left of the limits on this process: of its address space, and of its container."""
    try:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            pages = int(_lines("/proc/self/statm")[0].split()[0])
            yield soft - pages * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        pass
    try:
        most = _lines(f"{_CGROUP}/memory.max")[0]
        if most != "max":
            yield int(most) - int(_lines(f"{_CGROUP}/memory.current")[0]) + _reclaimable()
    except (OSError, ValueError, IndexError):
        pass


def _lines(path: str) -> list[str]:
    with open(path, encoding="ascii") as file:
        return file.read().splitlines()


def _reclaimable() -> int:
    """The bytes of files that the container keeps in memory and would give up."""
    for line in _lines(f"{_CGROUP}/memory.stat"):
        if line.startswith("inactive_file "):
            return int(line.split()[1])
    return 0


def amount_text(number: float) -> str:
    """Return a number of bytes as text with a unit.

    >>> amount_text(736), amount_text(1.5 * 2**30), amount_text(2.0**70)
    ('736 bytes', '1.5 GiB', '1.07e+9 TiB')
    """
    if number < 1024:
        return f"{number:.0f} bytes"
    if number >= 2**60:
        return f"{count_text(Decimal(number) / 2**40)} TiB"
    power = min(int(math.log2(number) / 10), 4)
    shown = f"{number / 1024**power:,.1f}".removesuffix(".0")
    return f"{shown} {'KMGT'[power - 1]}iB"


def count_text(number: float | Decimal) -> str:
    """Return a count as text, with three digits from 1e9 on; an int may be larger than any float.

    >>> count_text(16_777_216), count_text(2**40), count_text(10**400)
    ('16,777,216', '1.10e+12', '1.00e+400')
    """
    return f"{number:,.0f}" if number < 1e9 else f"{Decimal(number):.3g}"
