"""The methods of a network that answer for every row of a table, in memory or in a file of any size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from bayou import inference
from bayou.arguments import interval_mass, weights_named
from bayou.errors import BadQuestion

if TYPE_CHECKING:
    from pathlib import Path

    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.models.rows.row_chunks import RowChunk
    from bayou.models.rows.row_posteriors import RowPosteriors
    from bayou.networks import FrozenNetwork, Structure
    from bayou.typing import FloatArray, Name

FilePath: TypeAlias = str | os.PathLike[str]


class TableAnswers:
    """Methods that return answers of the type of the given table; :class:`~bayou.Network` inherits them."""

    if TYPE_CHECKING:
        _structure: Structure
        _require_learned: Callable[[], FittedParameters]

        @property
        def frozen(self) -> FrozenNetwork: ...

    @overload
    def posterior(
        self,
        data: Any,
        targets: Name | Iterable[Name],
        *,
        interval: float | None = ...,
        unknown: str = ...,
        columns: Sequence[Name] | None = ...,
        out: None = ...,
    ) -> RowPosteriors: ...

    @overload
    def posterior(
        self,
        data: Any,
        targets: Name | Iterable[Name],
        *,
        interval: float | None = ...,
        unknown: str = ...,
        columns: Sequence[Name] | None = ...,
        out: FilePath,
    ) -> Path: ...

    def posterior(
        self,
        data: Any,
        targets: Name | Iterable[Name],
        *,
        interval: float | None = None,
        unknown: str = "missing",
        columns: Sequence[Name] | None = None,
        out: FilePath | None = None,
    ) -> Any:
        """P(target | the row) for every row of a table, each row with its own gaps.

        The target's own cell is not used as a finding. Equal rows are computed once. For a file,
        ``out="answers.parquet"`` (or .csv) writes the answers to that file in bounded memory.
        ``interval=0.95`` adds the credible intervals that :meth:`query` gives for each row. A Spark DataFrame
        gives the same DataFrame with a column ``target=state`` for each state.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadData`` for a table that cannot be
        read, ``UnknownState`` for a value that is no state under ``unknown="error"``, ``BadQuestion`` for
        options that do not fit, and ``NotFitted`` without tables, or for an ``interval`` where they were not
        learned.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> net.posterior({"WetGrass": ["yes", None]}, "Rain")["Rain"].round(4).tolist()
        [[0.3077, 0.6923], [0.8, 0.2]]
        >>> learned = bayou.Network("Rain").fit({"Rain": ["no", "no", "yes"]})
        >>> learned.posterior({"Rain": [None]}, "Rain", interval=0.9).interval.upper["Rain"].round(2).tolist()
        [[0.92, 0.75]]
        """
        from bayou.models.answers.exact_remedies import ROW_BY_ROW, remedies
        from bayou.models.rows.row_answers import interval_maker, posteriors, posteriors_to_file
        from bayou.sources.tables.read_frames import is_spark

        names = self.frozen.dag.select(targets)
        maker = None
        if interval is not None:
            maker = interval_maker(self._require_learned(), interval_mass("interval", interval))
        if is_spark(data):
            from bayou.models.rows.spark_answers import posteriors_in_spark, refuse_out

            refuse_out(out)
            return posteriors_in_spark(self.frozen, data, names, unknown, maker)
        with remedies(ROW_BY_ROW):
            if out is None:
                return posteriors(self.frozen, data, names, unknown, columns, maker)
            return posteriors_to_file(self.frozen, _source(data), names, unknown, columns, out, maker)

    def predict(
        self,
        data: Any,
        target: Name,
        *,
        unknown: str = "missing",
        columns: Sequence[Name] | None = None,
        out: FilePath | None = None,
    ) -> Any:
        """The most probable state of the target (a continuous one: its mean) for every row of a table.

        Returns a Series of the caller's type with its index, or a numpy array if the table is not a
        DataFrame; missing where the findings of a row are impossible. For a file, ``out=`` writes the
        answers to another file. A Spark DataFrame gives the same DataFrame with the column
        ``predicted_<target>``.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadData`` for a table that cannot be
        read, ``UnknownState`` for a value that is no state under ``unknown="error"``, ``BadQuestion`` for
        options that do not fit, and ``NotFitted`` without tables.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().predict([{"WetGrass": "yes"}, {}], "Rain").tolist()
        ['yes', 'no']
        """
        from bayou.models.answers.exact_remedies import ROW_BY_ROW, remedies
        from bayou.models.rows.row_answers import predictions, predictions_to_file
        from bayou.sources.tables.read_frames import is_spark

        name = self.frozen.schema[target].name
        if is_spark(data):
            from bayou.models.rows.spark_answers import predictions_in_spark, refuse_out

            refuse_out(out)
            return predictions_in_spark(self.frozen, data, name, unknown)
        with remedies(ROW_BY_ROW):
            if out is None:
                return predictions(self.frozen, data, name, unknown, columns)
            return predictions_to_file(self.frozen, _source(data), name, unknown, columns, out)

    def impute(
        self,
        data: Any,
        method: str = "marginal",
        *,
        seed: int | None = None,
        impossible: str = "error",
        unknown: str = "missing",
        columns: Sequence[Name] | None = None,
        out: FilePath | None = None,
    ) -> Any:
        """The caller's table with the gaps of the network's variables filled; other cells are unchanged.

        ``method`` is ``"marginal"`` (each gap gets its most probable state, or its mean), ``"joint"`` (the
        most probable completion of the row) or ``"sample"`` (one random draw, reproducible by ``seed``). A
        row whose findings are impossible raises; ``impossible="leave"`` keeps its gaps.

        ``out`` is the file to write to, for tables in files.

        Raises ``BadData`` for a table that cannot be read, ``BadQuestion`` for a method that there is not,
        ``UnknownState`` for a value that is no state under ``unknown="error"``, ``ImpossibleEvidence`` for a
        row of probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().impute({"Rain": [None, "no"], "WetGrass": ["yes", None]})
        {'Rain': ['yes', 'no'], 'WetGrass': ['yes', 'no']}
        """
        from bayou.models.answers.exact_remedies import ROW_BY_ROW, remedies
        from bayou.models.rows.row_imputation import Imputer

        imputer = Imputer(self.frozen, method, seed, impossible, unknown)
        with remedies(ROW_BY_ROW):
            if out is None:
                return imputer.table(data, columns)
            return imputer.file(_source(data), columns, out)

    @weights_named("weights")
    def log_likelihood(
        self,
        data: Any,
        weights: Any = None,
        *,
        per_row: bool = False,
        by: str | None = None,
        unknown: str = "missing",
        columns: Sequence[Name] | None = None,
    ) -> Any:
        """The sum of log P(row) over all rows, with gaps summed out exactly; ``per_row=True``: one per row.

        ``by="table"`` splits the sum into one term for each variable, log P(variable | parents), as a
        mapping by name; this needs rows without gaps.
        ``weights`` is an array or the name of a column; a source may have weights of its own. Each log
        probability is multiplied by the weight of its row, with ``per_row`` too. Impossible rows
        make the sum -inf and are named in a warning. Files of any size are read some rows at a time.

        Raises ``BadData`` for a table that cannot be read or weights that do not fit, ``UnknownState`` for a
        value that is no state under ``unknown="error"``, ``BadQuestion`` for options that do not fit, and
        ``NotFitted`` without tables.

        >>> import bayou
        >>> round(bayou.examples.rain_and_wet_grass().log_likelihood({"Rain": ["no", "no", None]}), 4)
        -0.4463
        >>> rows = {"Rain": ["no", "yes"], "WetGrass": ["no", "yes"]}
        >>> terms = bayou.examples.rain_and_wet_grass().log_likelihood(rows, by="table")
        >>> {name: round(term, 4) for name, term in terms.items()}
        {'Rain': -1.8326, 'WetGrass': -0.2107}
        """
        from bayou.models.rows import row_answers
        from bayou.models.rows.row_chunks import refuse_large_file

        if by is not None:
            if by != "table" or per_row:
                raise BadQuestion(f"by={by!r}: give by='table' (without per_row), or leave it out.")
            from bayou.models.rows.table_likelihoods import likelihood_by_table

            return likelihood_by_table(self.frozen, data, weights, unknown, columns)
        if per_row:
            refuse_large_file(data)
        parts = row_answers.log_likelihoods(
            self.frozen, data, weights, unknown, columns, lambda chunk: self._logs(chunk, unknown)
        )
        if not per_row:
            return row_answers.total_log_likelihood(parts)
        rows = [row_answers.weighted(logs, given) for _, logs, given in parts]
        return row_answers.kind_of_caller(data).series("log_likelihood", np.concatenate(rows), ())

    def _logs(self, chunk: RowChunk, unknown: str) -> FloatArray:
        from bayou.models.answers.exact_remedies import ROW_BY_ROW, remedies

        if unknown == "smooth" and chunk.never_seen:
            from bayou.models.rows.unseen_states import smoothed_log_probability

            return smoothed_log_probability(self._structure, self._require_learned(), chunk.table)
        coded = chunk.coded
        with remedies(ROW_BY_ROW):
            return inference.log_probability(self.frozen, coded.codes, coded.numbers, coded.rows)


def _source(data: Any) -> Any:
    """Return the data if they are a file or a source, or raise: only these can be answered with out=."""
    from bayou.models.rows.row_chunks import is_source

    if not is_source(data):
        raise BadQuestion(
            "out= is for files: a table in memory gives a result in memory. Omit out= and save the "
            "result like any other table."
        )
    return data
