"""Results of partitions, brought to the driver: added in rounds on the workers until few remain.

Results are added in the order of the partitions, by groups of neighbours, so that retries of tasks, the speed
of workers and their number change no bit of a sum.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any
from weakref import WeakSet

from bayou.errors import BadData, BayouError
from bayou.sources.spark import worker_functions
from bayou.sources.spark.worker_functions import (
    ABSENT,
    ERROR,
    LARGE,
    PACKED,
    PIECES,
    Piece,
    assembled,
    merging_function,
    packing_function,
    partition_function,
    pieces_of,
    version_function,
)
from bayou.version import __version__

FAN_IN = 16
"""How many results are added at a time."""
DRIVER_BYTES = 1 << 28
"""The most bytes of results that travel to the driver, if they can be added before."""
TASK_BYTES = 1 << 23
"""About how many bytes of a large sum a task sends to the driver, far below spark.driver.maxResultSize."""
_NEEDED = ("bayou", "numpy", "scipy", "sklearn", "narwhals", "duckdb", "sqlglot", "click", "rich")
_OF_WORKERS = ("pyspark", "pyarrow", "pandas")
"""The modules that bayou and Spark's workers import; any others are those of the user's own code."""

_able: WeakSet[Any] = WeakSet()
"""The sessions whose workers are known to have bayou."""


class NotOnWorkers(Exception):
    """Some worker cannot run bayou; the text says why."""


class Gathering:
    """Applies tasks to the partitions of frames that have the same partitions, and adds the results.

    Small results are added in one job: by groups of ``fan_in`` on the workers, then by the driver. Large ones
    are kept for a moment and measured, and added in rounds until the driver can take them. Either way the sum
    is that of the same tree: of ``fan_in`` neighbours, then of ``fan_in`` of those sums, and so on.
    """

    def __init__(self, fan_in: int | None = None, driver_bytes: int | None = None) -> None:
        self.fan_in = FAN_IN if fan_in is None else fan_in
        self.driver_bytes = DRIVER_BYTES if driver_bytes is None else driver_bytes
        self.rounds = 1
        """How often small results are added on the workers: none if there are few partitions."""
        self.are_large = False
        """Whether results were large before: then they are not tried as small ones again."""

    def total(self, frame: Any, task: Callable[[Iterator[Any]], Any]) -> Any:
        """The sum of the task's results over all partitions; None if there is no row."""
        with python_on_workers():
            return self._total(frame, task)

    def _total(self, frame: Any, task: Callable[[Iterator[Any]], Any]) -> Any:
        function = partition_function(pickled(task), __version__)
        results = frame.mapInArrow(by_value(function), PIECES)
        if not self.are_large:
            pieces = _collected(self._added(results.where("pieces = 1"), self.rounds))
            self.are_large = any(kind == LARGE for kind, *_ in pieces)
            if not self.are_large:
                self._note_results(pieces)
                return _summed(pieces, self.fan_in)
        # Kept for a moment, so that they can be measured before they are added.
        kept = results.where(f"kind != '{LARGE}'").persist()
        try:
            rounds, size = self._rounds_of_large(kept)
            return _summed(_streamed(self._added(kept, rounds), size), self.fan_in)
        finally:
            kept.unpersist()

    def _note_results(self, pieces: Sequence[Piece]) -> None:
        """Choose the rounds of later calls by how many results came."""
        count = len(pieces)
        if self.rounds == 1 and count <= 1:
            self.rounds = 0
        elif count > self.fan_in**2:
            self.rounds += 1

    def _rounds_of_large(self, results: Any) -> tuple[int, int]:
        """How often these results are added until the driver can take them, and their size then."""
        from pyspark.sql import functions

        parts, size = functions.max("part"), functions.sum(functions.length("data"))
        last, size = results.agg(parts, size).collect()[0]
        count, size, rounds = 0 if last is None else last + 1, size or 0, 0
        while count > 1 and (count > self.fan_in or size > self.driver_bytes):
            groups = -(-count // self.fan_in)
            count, size, rounds = groups, size * groups // count, rounds + 1
        return rounds, size

    def _added(self, results: Any, rounds: int) -> Any:
        """Results, of groups of neighbouring partitions after some rounds."""
        from pyspark.sql import functions

        for _ in range(rounds):
            results = (
                results.withColumn("group", functions.floor(results["part"] / self.fan_in))
                .repartition("group")
                .sortWithinPartitions("part", "piece")
                .drop("group")
                .mapInArrow(by_value(merging_function(self.fan_in, __version__)), PIECES)
            )
        return results


def _collected(results: Any) -> list[Piece]:
    """The pieces of all results, sorted."""
    return sorted(pieces_of(results.toArrow().to_batches()), key=lambda piece: piece[1:3])


def _streamed(results: Any, size: int) -> list[Piece]:
    """The same of large results of about ``size`` bytes: they come in parts, however large the sum is."""
    spread = results.repartition(1 + size // TASK_BYTES, "part", "piece")
    return sorted(map(tuple, spread.toLocalIterator()), key=lambda piece: piece[1:3])


def _summed(pieces: list[Piece], fan_in: int) -> Any:
    """The sum of results by groups of neighbours; raises the first error among them."""
    totals: dict[int, Any] = {}
    for kind, part, result in assembled(pieces):
        if kind == ABSENT:
            raise NotOnWorkers(_other(result))
        if kind == ERROR:
            raise _placed(*result)
        if kind != LARGE:
            _add(totals, part // fan_in, result)
    while len(totals) > 1:
        groups: dict[int, Any] = {}
        for part in sorted(totals):
            _add(groups, part // fan_in, totals[part])
        totals = groups
    return next(iter(totals.values()), None)


def _add(totals: dict[int, Any], group: int, result: Any) -> None:
    totals[group] = totals[group] + result if group in totals else result


def _placed(part: int, error: BayouError) -> BayouError:
    """The error of a worker; says where rows are counted if it names one."""
    text = str(error)
    if "counting from 0" not in text:
        return error
    return type(error)(f"{text} (Rows of a Spark DataFrame are counted in their partition, here {part}.)")


@contextmanager
def python_on_workers() -> Iterator[None]:
    """Raise NotOnWorkers where the Python of the workers is another one, or lacks what bayou needs."""
    from pyspark.errors import PythonException

    try:
        yield
    except PythonException as error:
        text = str(error)
        absent = re.search(r"No module named '([\w.]+)'", text)
        if absent and absent[1].partition(".")[0] in _NEEDED + _OF_WORKERS:
            raise NotOnWorkers(f"their Python has no package {absent[1]!r}") from None
        if "PYTHON_VERSION_MISMATCH" in text:
            raise NotOnWorkers("their Python is of another version") from None
        raise


def require_on_workers(session: Any, purpose: str) -> None:
    """Raise BadData, with the remedy, where the workers of a session cannot run bayou; asked once."""
    if session in _able:
        return
    try:
        with python_on_workers():
            asked = session.range(1).mapInArrow(by_value(version_function(__version__)), "found string")
            found = asked.collect()[0][0]
        if found != "same":
            raise NotOnWorkers(_other(found))
        _able.add(session)
    except NotOnWorkers as absent:
        raise BadData(
            f"Spark's workers cannot run bayou ({absent}), and {purpose} are computed there. Let "
            "PYSPARK_PYTHON name a Python that has it before the session is made (on one machine, "
            "os.environ['PYSPARK_PYTHON'] = sys.executable), or bring the rows here: frame.toPandas()."
        ) from None


def _other(version: str) -> str:
    return f"they have bayou {version}, not {__version__}" if version else "it is absent"


def pickled(task: Any) -> bytes:
    """A task for the workers; lambdas and local classes travel, too."""
    from pyspark import cloudpickle

    data: bytes = cloudpickle.dumps(task)
    return data


def by_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, after Spark was told to send its code: the workers may not have bayou."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(worker_functions)
    return function


def packed_batches(frame: Any) -> Iterator[Any]:
    """The rows of a frame in order as Arrow batches, with few partitions in memory at a time."""
    import pyarrow

    packed = frame.mapInArrow(by_value(packing_function()), PACKED)
    with python_on_workers():
        rows = packed.toLocalIterator()
        first = list(islice(rows, 1))
    for row in chain(first, rows):
        with pyarrow.ipc.open_stream(pyarrow.py_buffer(bytes(row[0]))) as reader:
            yield from reader
