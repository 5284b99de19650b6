"""The log-loss of a network on rows that it was not learned from, by cross-validation."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.arguments import seed_or_random, weights_named, whole_number
from bayou.codes import PlaceArray, counted_places, place_type
from bayou.errors import BadData, BadQuestion, UnknownVariable, warn_user, without_warnings
from bayou.models.network import Network
from bayou.models.structures.classifier_validation import (
    RowsWithClass,
    class_losses,
    is_classifier,
    labelled_file,
    labelled_table,
)
from bayou.models.structures.fold_rows import FileRows, FoldRows, TableRows
from bayou.models.structures.infinite_losses import impossible_row, infinite_note
from bayou.progress import tracked
from bayou.schema import Variable, text_names
from bayou.sources import (
    Columns,
    IfPresent,
    TableSource,
    discretised,
    open_source,
    read_columns,
    read_source,
)
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.file_options import DescribedFile
from bayou.sources.prepared_source import counted_states
from bayou.sources.stored_rows import LargeRows, rows_to_read_again
from bayou.sources.tables.row_selection import with_states
from bayou.sources.weights import Weights, weights_from, whole_weights
from bayou.statistics import Source
from bayou.text.tables import Cell, TextTable
from bayou.typing import FloatArray, IntArray, Name

_USUAL_FOLDS = 10


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """The mean of −log P(row) in nats, each row under a network learned without it; smaller is better.

    ``loss`` is the mean over all rows, ``fold_losses`` the mean of each fold, ``row_losses`` the loss of each
    row, and ``standard_error`` the standard error of ``loss``, estimated from the folds. Means are weighted
    by ``weights``, if rows have weights. ``note`` explains infinite losses.
    """

    row_losses: FloatArray
    fold_of_row: PlaceArray
    weights: FloatArray | None = None
    note: str = ""

    @property
    def loss(self) -> float:
        """The mean over all rows."""
        return float(np.average(self._counted_losses, weights=self.weights))

    @property
    def fold_losses(self) -> FloatArray:
        """The mean over the rows of each fold."""
        folds = int(self.fold_of_row.max()) + 1
        losses = self._counted_losses if self.weights is None else self.weights * self._counted_losses
        sums = counted_places(self.fold_of_row, folds, losses)
        with np.errstate(invalid="ignore"):  # a fold without weight has no mean
            means: FloatArray = sums / counted_places(self.fold_of_row, folds, self.weights)
        return means

    @property
    def _counted_losses(self) -> FloatArray:
        """The losses; an impossible row of weight 0 has no loss."""
        return self.row_losses if self.weights is None else np.where(self.weights > 0, self.row_losses, 0.0)

    @property
    def standard_error(self) -> float:
        """The standard deviation of the fold losses, divided by the square root of the number of folds."""
        losses = self.fold_losses
        if not np.all(np.isfinite(losses)):
            return math.inf
        return float(losses.std(ddof=1) / math.sqrt(len(losses)))

    def to_table(self) -> TextTable:
        """One row per fold, and one for all rows.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> found = bayou.cross_validate(bayou.Network("rain -> wet"), rows, folds=3)
        >>> found.to_table().header
        ['fold', 'rows', 'log-loss']
        """
        rows: list[list[Cell]] = [
            [str(fold + 1), int(count), f"{loss:.4f}"]
            for fold, (count, loss) in enumerate(
                zip(counted_places(self.fold_of_row, len(self.fold_losses)), self.fold_losses, strict=True)
            )
        ]
        rows.append(["all", len(self.row_losses), f"{self.loss:.4f} ± {self.standard_error:.4f}"])
        return TextTable(["fold", "rows", "log-loss"], rows, most_rows=len(rows))

    def __str__(self) -> str:
        return f"{self.to_table()}\n\n{self.note}" if self.note else str(self.to_table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        note = f"<p>{html.escape(self.note)}</p>" if self.note else ""
        return self.to_table()._repr_html_() + note

    def to_dict(self) -> dict[str, Any]:
        """The losses as plain data.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> found = bayou.cross_validate(bayou.Network("rain -> wet"), rows, folds=3)
        >>> list(found.to_dict())
        ['loss', 'standard_error', 'folds']
        """
        folds = self.fold_losses.tolist()
        losses = {"loss": self.loss, "standard_error": self.standard_error, "folds": folds}
        return {**losses, "note": self.note} if self.note else losses


@weights_named("weights")
def cross_validate(
    model: Any,
    data: Any,
    target: Name | None = None,
    *,
    folds: int | None = None,
    seed: int | None = 0,
    prior: Any = None,
    columns: Sequence[Name] | None = None,
    weights: Any = None,
) -> CrossValidation:
    """The log-loss of a network on rows that it was not learned from.

    ``model`` is a network, whose structure is fitted (with ``prior``) to the other folds, or a function from
    a table to a fitted network: ``lambda table: Network("A -> B").fit(table)``. States are those of all the
    data; missing cells of a test row are summed out. There are ten folds unless ``folds`` is given;
    with fewer than ten rows each is its own fold. The same seed gives the same folds. ``weights`` is an
    array or the name of a column, for learning and for the mean loss; a function then gets a table with
    weights (a source), which ``fit`` and ``learn_structure`` take like any other. Of a classifier the
    loss is −log P(class | row); ``target`` names the column of the classes, and rows without a class are left
    out. A row that is impossible without itself makes the loss infinite: a warning and ``note`` say why.

    Raises ``BadData`` if the table lacks all columns of the model, ``BadQuestion`` for fewer than 2 folds.

    >>> data = {"Rain": ["no", "yes"] * 30, "Wet": ["no", "yes"] * 30}
    >>> with_arc, without = (cross_validate(Network(arcs), data) for arcs in ("Rain -> Wet", "Rain; Wet"))
    >>> round(with_arc.loss, 3), round(without.loss, 3)
    (0.749, 1.427)
    """
    large = None
    if columns is None:
        data, weights, large = rows_to_read_again(data, weights)
    if is_classifier(model):
        labelled = (
            labelled_table(model, *_read(data, None, columns, (), weights), target)
            if large is None
            else labelled_file(model, large, target)
        )
        return _of_classifier(model, labelled, folds, seed_or_random(seed))
    rows, learner = _prepared(model, data, large, prior, columns, weights)
    of_row = _folds(rows.rows, folds, seed_or_random(seed))
    losses = np.empty(rows.rows)
    reasons: dict[int, str] = {}
    for fold in tracked(range(int(of_row.max()) + 1), "Folds"):
        held_out = np.flatnonzero(of_row == fold)
        fitted = learner(rows.others(of_row, fold))
        if not isinstance(fitted, Network):
            raise BadQuestion(f"The function must return a network, not {type(fitted).__name__}.")
        with without_warnings():
            losses[held_out] = -np.asarray(fitted.log_probability(rows.held_out(of_row, fold)))
        for row in held_out[np.isposinf(losses[held_out])][:1].tolist():
            reasons[row] = impossible_row(fitted, rows.one(row))
    return _told(losses, of_row, rows.weights, reasons)


def _of_classifier(model: Any, labelled: RowsWithClass, folds: Any, seed: int) -> CrossValidation:
    of_row = _folds(labelled.rows.rows, folds, seed)
    losses, reasons = class_losses(model, labelled, of_row)
    return _told(losses, of_row, labelled.rows.weights, reasons, labelled.numbers)


def _told(
    losses: FloatArray,
    of_row: PlaceArray,
    of_weight: Weights | None,
    reasons: Mapping[int, str],
    numbers: IntArray | None = None,
) -> CrossValidation:
    """The result; a warning tells of infinite losses."""
    weights = None if of_weight is None else of_weight.astype(np.float64)
    note = infinite_note(losses, weights, reasons, numbers)
    if note:
        warn_user(note)
    return CrossValidation(losses, of_row, weights, note)


def _prepared(
    model: Any,
    data: Any,
    large: LargeRows | None,
    prior: Any,
    columns: Sequence[Name] | None,
    weights: Any,
) -> tuple[FoldRows, Callable[[Any], Any]]:
    """The rows with all states declared, and a function that learns from rows."""
    if isinstance(model, Network):
        structure = model.structure
        declared = structure.declared
        rows: FoldRows
        if large is not None:
            rows, variables = (
                FileRows.counted(large),
                _variables_of(large.file, structure.dag.nodes, declared),
            )
        else:
            texts = text_names(declared.values())
            read, of_weight = _read(data, structure.dag.nodes, columns, texts, weights)
            table, variables = _with_variables(discretised(read, declared.values(), strict=True), declared)
            rows = TableRows(table, of_weight)
        if not variables:
            raise BadData("The data have no column for any variable of the network.")
        full = replace(structure, declared={**declared, **{v.name: v for v in variables}})
        return rows, lambda train: Network.from_structure(full).fit(train, prior=prior)
    if not callable(model):
        raise BadQuestion(f"Cross-validation needs a network or a function, not {type(model).__name__}.")
    if prior is not None:
        raise BadQuestion("prior= needs a network as model; a function sets its own prior.")
    if large is not None:
        return FileRows.counted(large), model
    read, of_weight = _read(data, None, columns, (), weights)
    return TableRows(_with_variables(read, {})[0], of_weight), model


def _variables_of(
    file: DescribedFile, names: Sequence[Name], declared: Mapping[Name, Variable]
) -> list[Variable]:
    """The variables of a file's columns among these names, with all states that occur in it."""
    open_names = [name for name in names if name not in declared]
    source = open_source(file, names=IfPresent(open_names))
    found = counted_states(source, [name for name in open_names if name in source.names])
    inferred = [found.get(name, Variable(name)) for name in source.names if name in open_names]
    known = open_file(file).names
    return [*inferred, *(declared[name] for name in names if name in declared and name in known)]


def _read(
    data: Any,
    names: Sequence[Name] | None,
    columns: Sequence[Name] | None,
    as_text: Collection[Name],
    weights: Any,
) -> tuple[Columns, Weights | None]:
    """Read the columns of these names (None: all) that the data have, and the weights of the rows."""
    if isinstance(data, Source):
        if weights is not None:
            raise BadData("A source has weights of its own, or none: give weights= with a table.")
        return read_source(open_source(data, columns=columns), None if names is None else IfPresent(names))
    if not isinstance(weights, str):
        present = None if names is None else IfPresent(names)
        table = read_columns(data, names=present, columns=columns, as_text=as_text)
        return table, None if weights is None else whole_weights(weights_from(weights, table.rows))
    present = None if names is None else IfPresent([*names, weights])
    table = read_columns(data, names=present, columns=columns, as_text=as_text)
    if weights not in table:
        raise UnknownVariable.named(weights, table.names, "in the data")
    kept = [name for name in table.names if name != weights]
    own = whole_weights(weights_from(table.numbers(weights), table.rows))
    return Columns(kept, [table[name] for name in kept], table.rows), own


def _with_variables(columns: Columns, declared: Mapping[Name, Variable]) -> tuple[Columns, list[Variable]]:
    """Return the table with declared states, and its variables (inferred if they are not declared)."""
    source = TableSource(columns)
    variables = [declared[name] if name in declared else source.variable(name) for name in columns.names]
    return with_states(columns, variables), variables


def _folds(rows: int, folds: Any, seed: int) -> PlaceArray:
    """Assign each row to a fold at random, in few bytes a row; the folds have nearly equal sizes."""
    if rows < 2:
        raise BadData("Cross-validation needs at least two rows: one to learn from and one to test.")
    folds = min(rows, _USUAL_FOLDS) if folds is None else whole_number("folds", folds, 2)
    if folds > rows:
        raise BadQuestion(
            f"folds={folds}, but there are {rows} rows: use at most {rows} folds, which leave each row out "
            "once."
        )
    dealt = np.resize(np.arange(folds, dtype=place_type(folds)), rows)
    return np.random.default_rng(seed).permutation(dealt)
