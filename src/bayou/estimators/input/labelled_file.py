"""A file as training rows, opened without loading it: for the command line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bayou.errors import UnknownVariable
from bayou.estimators.input.labelled_input import check_classes, no_features, no_target, refuse_quantity
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.table_input import open_rows
from bayou.estimators.input.unlabelled_rows import labelled_part
from bayou.sources import (
    row_tables,
)
from bayou.sources.files.file_kinds import open_file
from bayou.sources.prepared_source import PreparedSource
from bayou.sources.tables.columns import NumberColumn
from bayou.statistics import Counts, CountTable, MissingCounts, Source, ValueHistogram
from bayou.statistics.result import Key
from bayou.typing import Name


@dataclass(frozen=True)
class LabelledFile:
    """The labelled rows of a file, the number of rows per class, and the number of rows without a label."""

    rows: LabelledSource
    counts: Counts
    left_out: int


def open_labelled_file(
    path: str, target: Name | None, ignore: Collection[Name] = (), weights: Name | None = None
) -> LabelledFile:
    """Open a file as training rows without loading it; rows without a class are left out, with a warning."""
    names = open_file(path).names
    for name in ignore:
        if name not in names:
            raise UnknownVariable.named(name, names, "to ignore")
    if target is None:
        raise no_target(names)
    if target not in names:
        raise UnknownVariable.named(target, names, "in the data")
    features = [name for name in names if name not in (*ignore, target, weights)]
    if not features:
        raise no_features(target)
    counts, gaps = _counted_classes(open_rows(path, [target]), target)
    source = open_rows(path, [*features, target], weights)
    dropped: dict[Name, set[Key]] = {}
    if gaps:
        source, dropped = labelled_part(source, counts.axes[0], features, gaps)
    elif weights is not None:
        source = PreparedSource(source, only=(target, None))
    return LabelledFile(LabelledSource(source, target, features, dropped), counts, gaps)


def _counted_classes(source: Source, target: Name) -> tuple[Counts, int]:
    """Count the rows per class and the rows without a label; refuse a target that has no classes."""
    if isinstance(next(row_tables(source))[target], NumberColumn):
        values = source.collect([numbers := ValueHistogram(target)])[numbers]
        refuse_quantity(target, values.values, int(values.total))
    classes, missing = CountTable((target,)), MissingCounts((target,))
    found = source.collect([classes, missing])
    check_classes(target, found[classes].axes[0].states, int(found[classes].total))
    return found[classes], found[missing].gaps[0]
