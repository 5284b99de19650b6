"""Counting rows for a model without estimating it: for sites that share statistics, and for parts of data."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from sklearn.base import clone

from bayou.arguments import weights_named
from bayou.counting.interrupted_count import InterruptedCount
from bayou.counting.model_statistics import ClassifierStatistics, ModelStatistics, NetworkStatistics
from bayou.counting.remaining_tables import remaining_tables
from bayou.errors import BadQuestion, UnknownVariable, warn_user
from bayou.estimators.batchwise import count_in_batches, decide_on_all_rows
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.classifier_state import classifier_state
from bayou.formats.file_content import FilePath
from bayou.learning import collect
from bayou.models.network import Network
from bayou.networks import Structure
from bayou.progress import tracked
from bayou.schema import Variable, text_names
from bayou.sources import Columns, FileSource, TableSource, open_source
from bayou.sources.files.file_source import as_path
from bayou.sources.row_tables import source_tables
from bayou.sources.streams.batch_source import from_batches
from bayou.statistics import Batch, Request, Source, Statistics
from bayou.typing import Name


@weights_named("weights")
def count(
    data: Any,
    model: Any,
    *,
    target: Name | None = None,
    weights: Any = None,
    columns: Sequence[Name] | None = None,
    ignore: Collection[Name] = (),
    checkpoint: FilePath | None = None,
) -> ModelStatistics:
    """Count the statistics that a model learns from, of some rows: they add, are saved, become the model.

    ``model`` is a network (its arcs are used) or a classifier with the name of the ``target`` column; a
    fitted classifier lends its cuts. ``data`` is any table, or a list of files, counted one after the other.
    With gaps, each table of a network is counted from the rows in which the variable and its parents are
    observed, as ``method="count"`` does. ``ignore`` are columns that are no features. ``checkpoint`` names a
    file that keeps the statistics so far if counting is interrupted (Ctrl-C, a malformed row, a lost
    connection); the same call goes on where it stopped, and deletes the file at the end.

    Raises ``BadQuestion`` for what does not learn by counting.

    >>> import bayou
    >>> north = bayou.count({"smoke": ["yes", "no"], "ill": ["yes", "no"]}, bayou.Network("smoke -> ill"))
    >>> south = bayou.count({"smoke": ["no", "no"], "ill": ["no", "yes"]}, bayou.Network("smoke -> ill"))
    >>> north + south
    Statistics of 4 rows for <Network of 2 variables and 1 arc, not fitted>
    >>> (north + south).model(prior=0).cpt("ill")["no", "yes"]
    0.3333333333333333
    """
    files = (str, os.PathLike, FileSource)
    many = isinstance(data, list | tuple) and bool(data) and all(isinstance(part, files) for part in data)
    parts = [as_path(part) for part in (data if many else [data])]
    if isinstance(model, BayesClassifier):
        if target is None:
            raise BadQuestion("Name the column to predict: count(data, model, target='ill').")
        counter: _NetworkCounter | _ClassifierCounter = _ClassifierCounter(model, target, weights, ignore)
    elif isinstance(model, Network):
        if target is not None or ignore:
            raise BadQuestion("target= and ignore= are for classifiers; a network counts its own variables.")
        counter = _NetworkCounter(model.structure, weights, columns)
    else:
        raise BadQuestion(
            f"A {type(model).__name__} is not a network or a classifier that learns by counting."
        )
    if checkpoint is not None and weights is not None and not isinstance(weights, str | int):
        raise BadQuestion("With checkpoint= the weights must be a column of the data: weights='name'.")
    known = InterruptedCount(checkpoint, parts, counter.settings())
    return _counted(counter, parts, known, streamed=checkpoint is not None)


def _counted(
    counter: _NetworkCounter | _ClassifierCounter,
    parts: Sequence[Any],
    known: InterruptedCount,
    streamed: bool,
) -> ModelStatistics:
    if known.resumed is not None:
        counter.resume(known.resumed)
    elif len(parts) > 1:
        counter.decide(parts)
    try:
        for place in range(known.part, len(parts)):
            known.begin(place)
            counter.add(parts[place], known, streamed)
        result = counter.result()
    except BaseException:
        known.keep()
        raise
    known.finish()
    return result


class _NetworkCounter:
    """The statistics of a network, part after part of the data."""

    def __init__(self, structure: Structure, weights: Any, columns: Sequence[Name] | None) -> None:
        self._structure, self._weights, self._columns = structure, weights, columns
        self._total: Statistics | None = None
        self._kinds: dict[Name, Variable] = {}

    def settings(self) -> dict[str, Any]:
        """What must be the same when an interrupted count goes on."""
        weights = self._weights if isinstance(self._weights, str | int) else None
        return {"network": json.dumps(_plain(self._structure.state())), "weights": weights}

    def decide(self, parts: Sequence[Any]) -> None:
        """A network was decided on by the user."""

    def resume(self, before: ModelStatistics) -> None:
        """Go on from these statistics."""
        assert isinstance(before, NetworkStatistics)
        self._total = before.statistics

    def add(self, part: Any, known: InterruptedCount, streamed: bool) -> None:
        """Count one part of the data."""
        declared = self._structure.declared
        opening = {
            "names": self._structure.dag.nodes,
            "columns": self._columns,
            "as_text": text_names(declared.values()),
            "weights": self._weights,
            "declared": declared,
            "variables": declared.values(),
        }
        source = _opened(part, opening, streamed)
        earlier, goes_on = self._total, known.before.tables > 0

        def so_far(total: Statistics) -> Callable[[], ModelStatistics]:
            whole = total if earlier is None or goes_on else earlier + total
            return lambda: NetworkStatistics(self._structure, whole)

        tables = _CountedTables(source, known, earlier if goes_on else None, so_far)
        for name in self._structure.undeclared:
            self._kinds.setdefault(name, source.variable(name))
        fresh = collect(self._structure, tables, self._kinds)
        self._total = fresh if earlier is None or goes_on else earlier + fresh

    def result(self) -> NetworkStatistics:
        """The statistics of all parts."""
        assert self._total is not None
        totals = [result.total for result in self._total.values()]
        if any(abs(total - self._total.rows) > 1e-9 * abs(self._total.rows) for total in totals):
            warn_user(
                "Some rows have gaps: each table is counted from the rows in which the variable and its "
                "parents are observed (method: count). EM, which uses all cells, needs the rows."
            )
        return NetworkStatistics(self._structure, self._total)


class _CountedTables(Source):
    """A source counted table by table; what was counted is remembered after each one."""

    def __init__(
        self,
        source: Source,
        known: InterruptedCount,
        start: Statistics | None,
        so_far: Callable[[Statistics], Callable[[], ModelStatistics]],
    ) -> None:
        self._source, self._known, self._start, self._so_far = source, known, start, so_far

    @property
    def names(self) -> tuple[Name, ...]:
        return self._source.names

    def variable(self, name: Name) -> Variable:
        return self._source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        return self._source.batches(variables)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        total = self._start
        for table in tracked(remaining_tables(self._source, self._known), "Counting"):
            total = table.collect_after(total, requests)
            self._known.counted(table, self._so_far(total))
        assert total is not None  # an empty source still has one table
        return total


class _ClassifierCounter:
    """The statistics of a classifier, part after part of the data."""

    def __init__(self, model: BayesClassifier, target: Name, weights: Any, ignore: Collection[Name]) -> None:
        self._model = uncounted(model)
        self._target, self._weights, self._ignore = target, weights, ignore

    def settings(self) -> dict[str, Any]:
        """What must be the same when an interrupted count goes on."""
        weights = self._weights if isinstance(self._weights, str | int) else None
        what = {
            "target": str(self._target),
            "weights": weights,
            "ignored column": sorted(map(str, self._ignore)),
        }
        return {"classifier": repr(self._model), **what}

    def decide(self, parts: Sequence[Any]) -> None:
        """Learn cuts and arcs from all parts, if the classifier must know them before it counts."""

        def tables() -> Iterator[Columns]:
            for part in parts:
                for table in source_tables(open_source(part)):
                    yield table.columns

        whole = open_source(from_batches(tables), weights=self._weights)
        features = self._features(whole)
        decide_on_all_rows(self._model, whole, self._target, features)

    def resume(self, before: ModelStatistics) -> None:
        """Go on from these statistics."""
        assert isinstance(before, ClassifierStatistics)
        self._model = before.classifier

    def add(self, part: Any, known: InterruptedCount, streamed: bool) -> None:
        """Count one part of the data."""
        source = _opened(part, {"weights": self._weights}, streamed)
        features = self._features(source)

        def counted(table: TableSource) -> None:
            if hasattr(self._model, "statistics_"):
                now = copy.copy(self._model)
                known.counted(table, lambda: ClassifierStatistics(now))

        tables = remaining_tables(source, known)
        count_in_batches(self._model, source, self._target, counted=counted, features=features, tables=tables)

    def _features(self, source: Source) -> list[Name]:
        """The columns to learn from."""
        for name in (self._target, *self._ignore):
            if name not in source.names:
                where = "in the data" if name == self._target else "to ignore"
                raise UnknownVariable.named(name, source.names, where)
        weights = [self._weights] if isinstance(self._weights, str | int) else []
        left_out = {*self._ignore, self._target, *weights}
        return [name for name in source.names if name not in left_out]

    def result(self) -> ClassifierStatistics:
        """The statistics of all parts."""
        classifier_state(self._model)  # refuses a classifier that no file can hold
        return ClassifierStatistics(self._model)


def uncounted(model: BayesClassifier) -> BayesClassifier:
    """Return a classifier without statistics that keeps what was decided before counting, such as cuts."""
    if not hasattr(model, "statistics_"):
        fresh: BayesClassifier = clone(model)
        return fresh
    twin = copy.copy(model)
    for name in ("statistics_", "_model", "_learned_model", "_class_variable", "classes_"):
        twin.__dict__.pop(name, None)
    return twin


def _opened(part: Any, how: dict[str, Any], streamed: bool) -> Source:
    """The part as a source; files come in batches where each step is to be kept."""
    if streamed and isinstance(part, str | os.PathLike):
        return FileSource(part, **how, largest_whole=0)
    return open_source(part, **how)


def _plain(state: Any) -> Any:
    """A state without arrays, for comparison as text."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return [_plain(value) for value in state]
    return state.tolist() if hasattr(state, "tolist") else state
