"""A call that fails leaves the classifier as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unchanged_on_error(model: object) -> Iterator[None]:
    """Put back the attributes of an object if anything fails inside, Ctrl-C included.

    >>> class Model: pass
    >>> model = Model()
    >>> with unchanged_on_error(model):
    ...     model.rows = 3
    ...     raise KeyError("y")
    Traceback (most recent call last):
    ...
    KeyError: 'y'
    >>> vars(model)
    {}
    """
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise
