"""How many threads the compiled kernels use."""

from __future__ import annotations

from types import TracebackType

from bayou._native._core import default_threads, set_default_threads
from bayou.arguments import whole_number


class threads:  # lower case because users call it like a function: bayou.threads(2)
    """Use this many threads from now on, in the whole process; None means every core again.

    In a ``with`` statement the number before it comes back at the end. The results never depend on it. The
    matrix products of numpy have threads of their own, which this does not change.

    ``count`` is how many. Raises ``BadQuestion`` if it is not a whole number of 1 or more.

    >>> with threads(1):
    ...     threads.count()
    1
    """

    def __init__(self, count: int | None = None) -> None:
        number = 0 if count is None else whole_number("threads", count, 1)
        self._before = default_threads()
        set_default_threads(number)

    @staticmethod
    def count() -> int:
        """The number of threads that are used.

        >>> import bayou
        >>> with bayou.threads(1):
        ...     print(bayou.threads.count())
        1
        """
        return default_threads()

    def __enter__(self) -> threads:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_default_threads(self._before)

    def __repr__(self) -> str:
        return f"<{default_threads()} threads>"
