"""Answers about whole tables: the accuracy by the target's name, and predictions as a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bayou.arguments import weights_named
from bayou.codes import PlaceArray, place_type, places_of_codes, row_blocks
from bayou.errors import BadData, UnknownVariable, listed, warn_of_unlabelled
from bayou.estimators.input.containers import collected, has_columns, is_column_name, is_streamable
from bayou.estimators.spark_predictions import PREDICTED, PROBABILITIES, in_spark
from bayou.frames import pandas_frame, polars_frame
from bayou.schema import Variable, label, plain, state_key
from bayou.sources import CodedColumn, Columns, open_source, read_columns
from bayou.sources.column_codes import column_codes
from bayou.sources.tables.read_frames import is_from, is_spark
from bayou.typing import FloatArray, Name


class TablePredictions:
    """A mixin of classifiers: it stands before scikit-learn's own base classes."""

    classes_: npt.NDArray[Any]

    def predict_frame(self, X: Any) -> Any:
        """Return the predicted class and the probability of each class, one row per row of X.

        The columns are ``predicted_<target>`` and ``P(<target>=<class>)``. A polars or Arrow table gives a
        table of the same library, a Spark DataFrame itself with these columns added; everything else gives
        a pandas frame, with the index of X if it has one.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou, pandas
        >>> days = {"wind": ["weak", "strong"], "play": ["yes", "no"]}
        >>> table = pandas.DataFrame(days, index=["Mon", "Tue"])
        >>> print(bayou.NaiveBayes().fit(table, "play").predict_frame(table).round(2))
            predicted_play  P(play=no)  P(play=yes)
        Mon            yes        0.33         0.67
        Tue             no        0.67         0.33
        """
        model: Any = self
        if is_spark(X):
            return in_spark(self, X, PREDICTED, PROBABILITIES)
        X = collected(X)
        probabilities = model.predict_proba(X)
        target = label(getattr(model, "target_", "class"))
        columns: dict[Any, Any] = {f"predicted_{target}": self.classes_[probabilities.argmax(axis=1)]}
        for k, state in enumerate(self.classes_.tolist()):
            columns[f"P({target}={label(state)})"] = probabilities[:, k]
        if is_from(X, "polars", "DataFrame") or is_from(X, "polars", "Series"):
            return polars_frame(columns, "predict_frame")
        if is_from(X, "pyarrow", "Table") or is_from(X, "pyarrow", "RecordBatch"):
            return type(X).from_pydict({name: values.tolist() for name, values in columns.items()})
        has_index = is_from(X, "pandas", "DataFrame") or is_from(X, "pandas", "Series")
        return pandas_frame(columns, "predict_frame", X.index if has_index else None)

    @weights_named("sample_weight")
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the share of rows whose most probable class is the true one.

        ``y`` is the true classes or the name of the column of X that holds them; rows without a class
        are left out then, with a warning.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``UnknownVariable`` for a column that
        is not there, and ``BadData`` for a column without a class of this model or weights that are no
        numbers.

        >>> import bayou
        >>> days = {"wind": ["weak", "weak", "strong", "strong"], "play": ["yes", "yes", "no", "yes"]}
        >>> bayou.NaiveBayes().fit(days, "play").score(days, "play")
        0.75
        """
        model: Any = self
        check_is_fitted(model, "classes_")
        X = collected(X)
        if isinstance(sample_weight, str):
            raise BadData(
                f"sample_weight={sample_weight!r}: weights are one number per row; pass the column itself, "
                f"X[{sample_weight!r}]."
            )
        if not is_column_name(y, X) or not has_columns(X):
            accuracy: float = super().score(X, y, sample_weight)  # type: ignore[misc]  # scikit-learn's own
            return accuracy
        texts = [y] if all(isinstance(state, str) for state in self.classes_.tolist()) else []
        if is_streamable(X):
            truth, rows = column_codes(open_source(X, names=[y], as_text=texts), y), X
        else:
            truth, rows = _split(model, X, y)
        from bayou.decisions.beliefs import weights_of_rows

        hits = self._places(truth, y) == self._predicted_places(rows)
        weights = weights_of_rows(sample_weight, len(hits))
        if not truth.gaps:
            return float(np.average(hits, weights=weights))
        missing = truth.codes == truth.missing_code
        warn_of_unlabelled(y, truth.gaps, int(missing.argmax()))
        return float(np.average(hits[~missing], weights=None if weights is None else weights[~missing]))

    def _probability_blocks(self, X: Any) -> Iterator[FloatArray]:
        """P(class | row), some rows at a time where they come so."""
        model: Any = self
        yield model.predict_proba(X)

    def _log_probability_blocks(self, X: Any) -> Iterator[FloatArray]:
        """log P(class | row), some rows at a time where they come so."""
        model: Any = self
        yield model.predict_log_proba(X)

    def _places(self, truth: CodedColumn, name: Name) -> PlaceArray:
        """The position of each row's true class; -1 if the model does not know it, or there is none."""
        classes = Variable(name, [plain(state) for state in self.classes_.tolist()])
        found = [classes.find(state) for state in truth.labels]
        if all(place is None for place in found):
            raise BadData(
                f"None of the values in the column {name!r} is a class of this model; its classes are "
                f"{listed(classes.states)}. Name the column that holds the true classes."
            )
        return places_of_codes(truth.codes, [-1 if place is None else place for place in found])

    def _predicted_places(self, rows: Any) -> PlaceArray:
        """The position of each row's most probable class."""
        model: Any = self
        predicted = model.predict(rows)
        known = {state_key(plain(state)): k for k, state in enumerate(self.classes_.tolist())}
        places = np.empty(len(predicted), dtype=place_type(len(known)))
        for some in row_blocks(len(predicted)):
            places[some] = [known[state_key(plain(state))] for state in predicted[some].tolist()]
        return places


def _split(model: Any, X: Any, target: Name) -> tuple[CodedColumn, Any]:
    """The true classes of a table in memory, and the rows without them."""
    from bayou.estimators.input.row_input import rows_for

    table = read_columns(X)
    if target not in table:
        raise UnknownVariable.named(target, table.names, "in the data")
    names = [name for name in table.names if name != target]
    features = Columns(names, [table[name] for name in names], table.rows)
    return table.coded(target), rows_for(model, features)
