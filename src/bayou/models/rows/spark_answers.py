"""Answers for the rows of a Spark DataFrame: computed on the workers, as more columns of the DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadQuestion
from bayou.models.rows.row_answers import IntervalMaker, posteriors, predictions
from bayou.models.rows.row_coding import check_policy
from bayou.models.rows.row_posteriors import interleaved, posterior_columns
from bayou.networks import FrozenNetwork
from bayou.schema import label, text_names
from bayou.sources import Columns
from bayou.sources.spark.frame_answers import as_cells, type_of_states, with_answers
from bayou.typing import Name


def posteriors_in_spark(
    network: FrozenNetwork,
    frame: Any,
    targets: Sequence[Name],
    unknown: str,
    intervals_of: IntervalMaker | None,
) -> Any:
    """The DataFrame with a column for each target and state, and the ends of its interval if asked for."""
    check_policy(unknown)
    added = dict.fromkeys(posterior_columns(network.schema, targets, intervals_of is not None), "double")
    answers = PosteriorAnswers(network, tuple(targets), unknown, intervals_of)
    return with_answers(frame, network.schema.names, added, answers, text_names(network.schema))


@dataclass(frozen=True)
class PosteriorAnswers:
    """Computes the posteriors of some rows, on a worker."""

    network: FrozenNetwork
    targets: tuple[Name, ...]
    unknown: str
    intervals_of: IntervalMaker | None

    def __call__(self, table: Columns) -> list[npt.NDArray[Any]]:
        found = posteriors(self.network, table, self.targets, self.unknown, None, self.intervals_of)
        columns = interleaved({name: found[name] for name in self.targets}, found.interval)
        return [np.ascontiguousarray(column) for column in columns]


def predictions_in_spark(network: FrozenNetwork, frame: Any, target: Name, unknown: str) -> Any:
    """The DataFrame with the most probable state (or the mean) of the target."""
    check_policy(unknown)
    added = {f"predicted_{label(target)}": type_of_states(network.schema[target].states)}
    answers = PredictionAnswers(network, target, unknown)
    return with_answers(frame, network.schema.names, added, answers, text_names(network.schema))


@dataclass(frozen=True)
class PredictionAnswers:
    """Predicts the target of some rows, on a worker."""

    network: FrozenNetwork
    target: Name
    unknown: str

    def __call__(self, table: Columns) -> list[npt.NDArray[Any]]:
        found = predictions(self.network, table, self.target, self.unknown, None)
        return [as_cells(found, self.network.schema[self.target].states)]


def refuse_out(out: Any) -> None:
    """Refuse out= for a Spark DataFrame, whose answers Spark itself can write."""
    if out is not None:
        raise BadQuestion(
            "out= is for files: a Spark DataFrame gives a DataFrame, which Spark itself can write."
        )
