"""What the library remarks while it answers, kept for the answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bayou.errors import BayouWarning
from bayou.server.problems import without_python


@contextmanager
def told_notes() -> Iterator[list[str]]:
    """Collect the library's warnings of the ``with`` block in a list, each once, as they come.

    >>> from bayou.errors import warn_user
    >>> with told_notes() as notes:
    ...     warn_user("There is no column for 'smoke'.")
    >>> notes
    ["There is no column for 'smoke'."]
    """
    notes: list[str] = []

    def keep(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = without_python(str(message), "")
        if issubclass(category, BayouWarning) and text not in notes:
            notes.append(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", BayouWarning)
        warnings.showwarning = keep
        yield notes
