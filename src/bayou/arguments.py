"""Checks of what users pass: what counts as a whole or a real number, and how weights are named."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from math import inf, isnan
from numbers import Integral, Real
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

from bayou.errors import BadQuestion, BayouError

P = ParamSpec("P")
R = TypeVar("R")


def is_whole(value: object) -> bool:
    """Whether a value is of an integer type; True and False do not count.

    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """Whether a value is a number that can be compared with others; NaN, True and False do not count.

    >>> is_real(3), is_real(0.5), is_real("0.5"), is_real(float("nan"))
    (True, True, False, False)
    """
    number: Any = value
    return isinstance(number, Real) and not isinstance(value, bool) and not isnan(number)


def whole_number(
    name: str, value: Any, least: int = 0, *, expected: str = "", error: type[BayouError] = BadQuestion
) -> int:
    """Return the argument ``name`` as an int; raise ``error`` unless it is a whole number ≥ ``least``.

    ``expected`` replaces the end of the message, for arguments that need a better description.

    >>> whole_number("seed", 7)
    7
    >>> whole_number("folds", 1, 2)
    Traceback (most recent call last):
    ...
    bayou.errors.BadQuestion: folds=1: give a whole number, 2 or more.
    """
    if not is_whole(value) or value < least:
        raise error(f"{name}={value!r}: {expected or f'give a whole number, {least} or more'}.")
    return int(value)


def interval_mass(name: str, value: Any) -> float:
    """Return the probability inside a credible interval; raise BadQuestion unless it is between 0 and 1.

    >>> interval_mass("interval", 0.95)
    0.95
    >>> interval_mass("interval", 95)
    Traceback (most recent call last):
    ...
    bayou.errors.BadQuestion: interval=95: give its probability, a number between 0 and 1 such as 0.95.
    """
    if not is_real(value) or not 0 < value < 1:
        raise BadQuestion(f"{name}={value!r}: give its probability, a number between 0 and 1 such as 0.95.")
    return float(value)


def seed_number(value: Any) -> int:
    """Return a seed; raise BadQuestion unless it is a whole number that fits into 64 bits.

    >>> seed_number(2**64 - 1) == 2**64 - 1
    True
    >>> seed_number(2**64)
    Traceback (most recent call last):
    ...
    bayou.errors.BadQuestion: seed=18446744073709551616: give a whole number from 0 to 2**64 - 1.
    """
    expected = "give a whole number from 0 to 2**64 - 1"
    seed = whole_number("seed", value, expected=expected)
    if seed >= 2**64:
        raise BadQuestion(f"seed={seed if seed < 10**40 else '…'}: {expected}.")
    return seed


def seed_or_random(value: Any) -> int:
    """Return a seed as :func:`seed_number` does; None gives a random one.

    >>> seed_or_random(7), seed_or_random(None) < 2**32
    (7, True)
    """
    if value is not None:
        return seed_number(value)
    import secrets

    return secrets.randbits(32)


def real_number(
    name: str,
    value: Any,
    least: float = -inf,
    most: float = inf,
    *,
    above: bool = False,
    below: bool = False,
    expected: str,
) -> float:
    """A finite number from ``least`` to ``most``.

    With ``above`` it must be larger than ``least``, with ``below`` smaller than ``most``.

    >>> real_number("level", 0.05, 0, 1, expected="give a share from 0 to 1")
    0.05
    >>> real_number("time", 0, 0, above=True, expected="give the seconds that it may take, above 0")
    Traceback (most recent call last):
    ...
    bayou.errors.BadQuestion: time=0: give the seconds that it may take, above 0.
    """
    fits = is_real(value) and least <= value <= most and abs(value) < inf
    if not fits or (above and value <= least) or (below and value >= most):
        raise BadQuestion(f"{name}={value!r}: {expected}.")
    return float(value)


def weights_named(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function refuse the other usual name of the rows' weights, with an error that tells its own.

    Networks and functions of bayou take ``weights``, the methods of estimators scikit-learn's
    ``sample_weight``. While the function runs, a source that it is given shows one state of its data
    (``Source.one_state``), however often it is read.

    >>> @weights_named("weights")
    ... def total(data, weights=None):
    ...     return len(data)
    >>> total([1, 2], sample_weight=[3, 4])
    Traceback (most recent call last):
    ...
    TypeError: total() takes the weights of rows as weights=…, not as sample_weight=….
    """
    other = {"weights": "sample_weight", "sample_weight": "weights"}[name]
    with_states = _call_with_states

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        def checked(*args: Any, **named: Any) -> Any:
            if other in named:
                raise TypeError(
                    f"{function.__name__}() takes the weights of rows as {name}=…, not as {other}=…."
                )
            for given in args[:2]:
                if hasattr(type(given), "one_state"):  # of the class: some frames have any attribute
                    return with_states(given, function, args, named)
            return function(*args, **named)

        # With the globals of the function, so that doctest takes it for one of the function's own module.
        made = FunctionType(checked.__code__, function.__globals__, closure=checked.__closure__)
        return cast("Callable[P, R]", update_wrapper(made, function))

    return decorated


def _call_with_states(source: Any, function: Callable[..., Any], args: Any, named: Any) -> Any:
    """Call a function while a source shows one state of its data."""
    with source.one_state():
        return function(*args, **named)


def names_given(argument: str, names: Any) -> tuple[Any, ...]:
    """Return a list of names as a tuple; a single text stands for itself.

    >>> names_given("ignore", ["id", "name"]), names_given("ignore", "id")
    (('id', 'name'), ('id',))
    """
    if isinstance(names, str):
        return (names,)
    try:
        return tuple(names)
    except TypeError:
        raise BadQuestion(f"{argument}={names!r}: give a list of names.") from None
