"""Reading X and y: training rows for classifiers, and labelled rows for evaluation."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import PlaceArray, counted_places, is_missing_code, places_of_codes
from bayou.errors import BadData, UnknownVariable
from bayou.estimators.input.column_matching import learned_names, tell_of_columns
from bayou.estimators.input.containers import (
    collected,
    column_names,
    has_columns,
    is_column_name,
    is_streamable,
)
from bayou.estimators.input.declared_texts import declared_states, declared_texts
from bayou.estimators.input.feature_table import FeatureTable, taken_column
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.estimators.input.sample_weights import checked_weights
from bayou.estimators.input.table_input import name_array, open_rows, read_features
from bayou.estimators.input.target import NamedLabels, label_array, read_labels
from bayou.estimators.input.time_columns import with_times_measured
from bayou.estimators.input.unlabelled_rows import labelled_only
from bayou.schema import is_missing, natural_order, plain, state_key
from bayou.sources import (
    Columns,
    FileSource,
    IfPresent,
    read_columns,
    read_source,
    read_unweighted,
)
from bayou.sources.column_codes import column_codes
from bayou.sources.files.file_part import RowChoice
from bayou.sources.row_tables import first_table
from bayou.sources.stored_rows import rows_to_read_again
from bayou.sources.tables.columns import CodedColumn, Column, NumberColumn
from bayou.statistics import Source
from bayou.typing import FloatArray, IntArray, Name, State

_MANY_CLASSES = 50
_ROWS_A_CLASS = 5


def read_training(estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> LabelledSource:
    """Check and read X, y and weights; rows of weight 0 are left out.

    A file or another source with a target column is not loaded: statistics will be requested from it.
    """
    if is_column_name(y) and is_streamable(X) and sample_weight is not None:
        X, sample_weight = _with_weights(X, sample_weight)
    streams = is_column_name(y) and is_streamable(X) and sample_weight is None
    if streams and (reset or not _absent(estimator, X)):
        return _labelled_source(estimator, X, y, reset)
    return read_table(estimator, X, y, sample_weight, reset=reset)


def _with_weights(X: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Rows with the weights that are given beside them, from a temporary file if the rows are many."""
    if isinstance(sample_weight, str):
        return X, sample_weight  # refused later, with the remedy
    rows, weights, large = rows_to_read_again(X, sample_weight)
    if large is None:
        return rows, weights
    fold = np.where(np.asarray(sample_weight) > 0, 0, -1)
    if (fold < 0).all():
        raise BadData("All sample weights are 0: there is nothing to learn from.")
    chosen = replace(large.file, chosen=RowChoice(fold, 0, inside=True))
    return FileSource(chosen, weights=large.weights), None


def _absent(estimator: Any, X: Any) -> set[Name]:
    """The features that a file or another source has no column for: as gaps they are filled in in memory."""
    return set(learned_names(estimator)) - set(column_names(X))


def read_table(estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> LabelledTable:
    """Check and read X, y and weights as rows in memory; ``y`` is labels, or the name of a column of X."""
    target: Name = "class"
    X = collected(X)
    by_name = is_column_name(y, X)
    if by_name and not has_columns(X):
        raise BadData(
            f"y={y!r} would be the name of a column, but the columns of X have no names: pass the label of "
            "each row, such as y=table[:, 0], or a table with names."
        )
    if reset and not isinstance(X, FeatureTable):
        estimator.by_name_ = by_name
    if isinstance(X, Source):
        X, sample_weight = _read_weighted(X, sample_weight)
    if by_name:
        target = plain(y)
        if reset:
            estimator.target_ = target
        X, y = _split(X, target, declared_texts(estimator))
        X, y, sample_weight = labelled_only(X, y, target, sample_weight)
    elif isinstance(y, NamedLabels) or isinstance(getattr(y, "name", None), str):
        target = y.name
    features = read_features(estimator, X, reset=reset)
    labels = read_labels(y, features.rows, type(estimator).__name__)
    while target in features.names:
        target = f"{target}'"
    if sample_weight is None:
        return LabelledTable(features, labels, target)
    weights = checked_weights(sample_weight, features.rows)
    return LabelledTable(features, labels, target, weights).with_positive_weight()


def _read_weighted(source: Source, sample_weight: Any) -> tuple[Columns, Any]:
    """Read a source into memory; its rows' own weights are the sample weights, unless they are all 1."""
    table, weights = read_source(source)
    if weights is None or (weights == 1).all():
        return table, sample_weight
    if sample_weight is not None:
        raise BadData(
            f"The rows of this {type(source).__name__} have weights of their own: leave out sample_weight, "
            "or give a source without weights."
        )
    return table, weights


def _labelled_source(estimator: Any, X: Any, target: Name, reset: bool) -> LabelledSource:
    """A source with a target column, without loading its rows."""
    known = None if reset else IfPresent([*learned_names(estimator), target])
    if not reset:
        tell_of_columns(estimator, [name for name in column_names(X) if name != target])
    source = open_rows(X, known, declared=declared_states(estimator))
    if target not in source.names:
        raise UnknownVariable.named(target, source.names, "in the data")
    features = [name for name in source.names if name != target and (known is None or name in known)]
    if not features:
        raise no_features(target)
    if reset:
        estimator.feature_names_in_ = name_array(features)
        estimator.n_features_in_ = len(features)
        estimator.by_name_, estimator.target_ = True, target
    return LabelledSource(with_times_measured(estimator, source, features, target), target, features)


def _split(X: Any, target: Name, as_text: Sequence[Name]) -> tuple[Columns, CodedColumn]:
    """Split a table into its features and its target column."""
    table = read_columns(X, as_text=as_text)
    if target not in table:
        raise UnknownVariable.named(target, table.names, "in the data")
    names = [name for name in table.names if name != target]
    if not names:
        raise no_features(target)
    return Columns(names, [table[name] for name in names], table.rows), table.coded(target)


def no_features(target: Name) -> BadData:
    """The error of a table that has nothing but a target."""
    return BadData(f"The table has no column besides the target {target!r}: there is nothing to learn from.")


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Features and the class of each row; ``left_out`` is the number of rows without a label.

    ``kept`` holds the row numbers of these rows in the data.
    """

    features: Columns
    labels: tuple[State, ...]
    target: Name
    kept: IntArray
    left_out: int = 0

    @property
    def rows(self) -> int:
        """The number of labelled rows."""
        return len(self.labels)

    @property
    def classes(self) -> tuple[State, ...]:
        """The classes, sorted."""
        return natural_order({state_key(label): label for label in self.labels}.values())

    @property
    def label_array(self) -> npt.NDArray[Any]:
        """The labels as a numpy array of the type that scikit-learn expects."""
        return label_array(self.labels)

    def taken(self, rows: npt.NDArray[np.intp]) -> LabelledRows:
        """Return some of the rows; states that none of them has are dropped."""
        labels = tuple(self.labels[row] for row in rows.tolist())
        return LabelledRows(rows_with_their_states(self.features, rows), labels, self.target, self.kept[rows])


def rows_with_their_states(columns: Columns, rows: npt.NDArray[np.intp]) -> Columns:
    """Return some rows of a table; states that none of them has are dropped."""
    return Columns(columns.names, [taken_column(columns[name], rows) for name in columns.names], len(rows))


def read_labelled(data: Any, target: Any, ignore: Collection[Name] = ()) -> LabelledRows:
    """Read a table whose column ``target`` holds the classes (or ``target`` is a sequence of labels).

    >>> rows = read_labelled({"wind": ["weak", "strong", "weak"], "play": ["yes", "no", None]}, "play")
    >>> rows.rows, rows.left_out, rows.classes
    (2, 1, ('no', 'yes'))
    """
    table = _table(data)
    for name in ignore:
        if name not in table:
            raise UnknownVariable.named(name, table.names, "to ignore")
    name, values = _target_values(table, target, is_column_name(target, data))
    features = [
        n for n in table.names if n not in ignore and not (n == name and is_column_name(target, data))
    ]
    if not features:
        raise no_features(name)
    kept: IntArray = np.flatnonzero([not is_missing(value) for value in values])
    columns = Columns(features, [table[n] for n in features], table.rows)
    left_out = table.rows - len(kept)
    labels = tuple(values[row] for row in kept.tolist())
    chosen = columns if not left_out else rows_with_their_states(columns, kept)
    labelled = LabelledRows(chosen, labels, name, kept, left_out)
    check_classes(labelled.target, labelled.classes, labelled.rows)
    return labelled


def class_codes(source: Source, name: Name) -> tuple[tuple[State, ...], PlaceArray]:
    """Return the classes in a target column, sorted, and the place of each row's class (-1: it has none).

    >>> from bayou.sources import open_source
    >>> classes, places = class_codes(open_source({"play": ["yes", None, "no"]}), "play")
    >>> classes, places.tolist()
    (('no', 'yes'), [1, -1, 0])
    """
    if isinstance(first := first_table(source, [name])[name], NumberColumn) and not first.integral:
        _refuse_quantities(name, first)  # not after all of them were read
    coded = column_codes(source, name)
    if isinstance(first, NumberColumn):
        rows = int((~is_missing_code(coded.codes)).sum())
        refuse_quantity(name, np.array(coded.labels, dtype=np.float64), rows)
    by_code = places_of_codes(coded.codes, range(len(coded.labels)))
    counts = counted_places(by_code, len(coded.labels))
    classes = natural_order([label for label, count in zip(coded.labels, counts, strict=True) if count])
    check_classes(name, classes, int(counts.sum()))
    places = {state_key(state): place for place, state in enumerate(classes)}
    return classes, places_of_codes(coded.codes, [places.get(state_key(label), -1) for label in coded.labels])


def _table(data: Any) -> Columns:
    """Read any table; columns of a matrix are named x0, x1, …."""
    if isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.names is None:
        return read_columns(data, columns=[f"x{place}" for place in range(data.shape[1])])
    return read_unweighted(data, "evaluate")


def _target_values(table: Columns, target: Any, is_name: bool) -> tuple[Name, Sequence[State]]:
    """The name of the target and its labels, one per row."""
    if target is None:
        raise no_target(table.names)
    if is_name:
        if target not in table:
            raise UnknownVariable.named(target, table.names, "in the data")
        column = table[target]
        _refuse_quantities(target, column)
        return target, table.coded(target).values()
    values = [plain(value) for value in np.asarray(target).tolist()]
    if len(values) != table.rows:
        raise BadData(f"The table has {table.rows} rows, but the target has {len(values)} labels.")
    name = getattr(target, "name", None)
    name = name if isinstance(name, str) else "class"
    while name in table:
        name = f"{name}'"
    _refuse_quantities(name, read_columns({name: values})[name])
    return name, values


def no_target(names: Sequence[Name]) -> BadData:
    """The error of a target that was not named."""
    listing = ", ".join(repr(name) for name in names[:12])
    return BadData(f"Name the column that holds the class with target=…; the columns are {listing}.")


def _refuse_quantities(name: Name, column: Column) -> None:
    if isinstance(column, NumberColumn):
        seen = column.values[~np.isnan(column.values)]
        refuse_quantity(name, seen, len(seen))


def refuse_quantity(name: Name, values: FloatArray, rows: int) -> None:
    """Refuse a target of measured numbers, which would need regression."""
    distinct, integral = len(np.unique(values)), bool(np.all(values == np.round(values)))
    if integral and (distinct <= _MANY_CLASSES or rows >= _ROWS_A_CLASS * distinct):
        return
    what = "whole numbers" if integral else "numbers, some with fractions"
    raise BadData(
        f"The target {name!r} holds {distinct:,} different {what}: a quantity, not classes. A classifier "
        f"predicts classes: cut the column into ranges first ('low', 'high'), or learn a network in which "
        f"{name!r} is continuous and query its mean."
    )


def check_classes(name: Name, classes: Sequence[State], rows: int) -> None:
    """Refuse a target without classes, or with only one."""
    if not rows:
        raise BadData.without_classes(name)
    if len(classes) == 1:
        raise BadData(
            f"The target {name!r} has only one class, {classes[0]!r}, in all {rows:,} rows with a label: a "
            "classifier needs at least two."
        )
