"""A source whose batches have weights: sums use them or refuse them, answers per row need none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.conformance.strangers.list_source import ListSource

import bayou
from bayou.errors import BadData
from bayou.schema import Variable
from bayou.sources import read_columns, read_source, row_tables
from bayou.statistics import Batch

ROWS = 40
TABLE = {
    "A": ["y", "n", "n", "y", None] * 8,
    "x": [0.5, 1.5, 2.5, 3.0] * 10,
    "B": ["y", "y", "n", "y", "n", "n", "n", "y"] * 5,
}
TIMES = [row % 4 for row in range(ROWS)]
REPEATED = {
    name: [column[row] for row in range(ROWS) for _ in range(TIMES[row])] for name, column in TABLE.items()
}


class WeightedSource(ListSource):
    """Rows with weights in every batch, or only in the batches from ``weighted_from`` on."""

    def __init__(self, columns: Any, weights: Any, batch_rows: int = 15, weighted_from: int = 0) -> None:
        super().__init__(columns, batch_rows)
        self.row_weights, self.weighted_from = np.asarray(weights), weighted_from

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        for batch in super().batches(variables):
            weights = self.row_weights[batch.first : batch.first + batch.rows]
            yield batch if batch.first < self.weighted_from else replace(batch, weights=weights)


def source(weights: Any = TIMES, **options: Any) -> WeightedSource:
    return WeightedSource(TABLE, weights, **options)


def network() -> bayou.Network:
    return bayou.Network("A -> B; x").fit(TABLE)


def test_the_log_likelihood_counts_rows_by_their_weights() -> None:
    net = network()
    expected = net.log_likelihood(TABLE, weights=TIMES)
    assert net.log_likelihood(source()) == expected
    assert net.log_likelihood(source()) == pytest.approx(net.log_likelihood(REPEATED), rel=1e-12)
    assert net.log_likelihood(source(np.array(TIMES) / 2)) == pytest.approx(expected / 2, rel=1e-12)


def test_each_log_likelihood_is_weighted_as_with_weights() -> None:
    net = network()
    found, expected = (
        net.log_likelihood(source(), per_row=True),
        net.log_likelihood(TABLE, TIMES, per_row=True),
    )
    assert found.tolist() == np.asarray(expected).tolist()


def test_weights_of_stretches_smaller_than_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    net = network()
    expected = net.log_likelihood(TABLE, TIMES)
    monkeypatch.setattr("bayou.models.rows.row_chunks.ROWS_AT_A_TIME", 7)
    assert net.log_likelihood(source()) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weights", [TIMES, "x"])
def test_two_kinds_of_weights_are_refused(weights: Any) -> None:
    with pytest.raises(BadData, match=r"WeightedSource have weights of their own: leave out weights="):
        network().log_likelihood(source(), weights=weights)
    assert network().log_likelihood(ListSource(TABLE), weights) == network().log_likelihood(TABLE, weights)


def test_answers_for_rows_need_no_weights() -> None:
    net = network()
    assert [table.rows for table in row_tables(source())] == [15, 15, 10]
    assert read_columns(source()).rows == ROWS
    assert net.predict(source(), "A").tolist() == net.predict(TABLE, "A").tolist()
    assert net.posterior(source(), "A")["A"].tolist() == net.posterior(TABLE, "A")["A"].tolist()
    assert net.impute(source())["A"].tolist() == net.impute(TABLE)["A"]


def test_batches_without_weights_count_once() -> None:
    expected = [1] * 15 + TIMES[15:]
    table, weights = read_source(source(weighted_from=15))
    assert table.rows == ROWS
    assert weights is not None
    assert weights.tolist() == expected
    assert network().log_likelihood(source(weighted_from=15)) == network().log_likelihood(TABLE, expected)
    batches = list(source(weighted_from=15).batches([]))
    assert Batch.joined(batches).weights.tolist() == expected


@pytest.mark.parametrize(
    "verb",
    [
        lambda data: bayou.BayesOptimal([bayou.NaiveBayes()]).fit(data, "B"),
    ],
    ids=["BayesOptimal"],
)
def test_what_counts_every_row_once_refuses_weights(verb: Any) -> None:
    with pytest.raises(
        BadData, match=r"counts every row once, but the rows of this WeightedSource have weights"
    ):
        verb(source())
    verb(source(np.ones(ROWS)))


@pytest.mark.parametrize("classifier", [bayou.NaiveBayes, bayou.FeatureSelector, bayou.MDLDiscretizer])
def test_rows_read_into_memory_keep_their_weights(classifier: Any) -> None:
    numbers = {name: TABLE[name] for name in (("x", "B") if classifier is bayou.MDLDiscretizer else TABLE)}
    labels = np.array(TABLE["B"])
    features = {name: column for name, column in numbers.items() if name != "B"}
    expected = classifier().fit(features, labels, sample_weight=TIMES)
    found = classifier().fit(WeightedSource(features, TIMES), labels)
    assert _learned(found) == _learned(expected)
    with pytest.raises(BadData, match="leave out sample_weight"):
        classifier().fit(WeightedSource(features, TIMES), labels, sample_weight=TIMES)


def _learned(model: Any) -> Any:
    if isinstance(model, bayou.NaiveBayes):
        return model.predict_proba({"A": ["y", "n"], "x": [0.5, 2.0]}).tolist()
    if isinstance(model, bayou.FeatureSelector):
        return model.scores_.tolist()
    return {name: cuts.tolist() for name, cuts in model.cuts_.items()}


class Recorder:
    """A density that only notes the weights of the rows that it is given."""

    seen: ClassVar[list[float]] = []

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Recorder:
        self.seen.extend(np.asarray(sample_weight).tolist())
        return self

    def score_samples(self, X: Any) -> Any:
        return np.zeros(len(X))


def test_models_that_learn_from_rows_get_the_weights() -> None:
    Recorder.seen.clear()
    rows = WeightedSource({"x": TABLE["x"], "B": TABLE["B"]}, TIMES)
    bayou.GenerativeClassifier(Recorder()).fit(rows, "B")
    assert sorted(Recorder.seen) == sorted(time for time in TIMES if time)
