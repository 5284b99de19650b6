"""Questions about one plain sequence go a short way, whose answers are those of the long way, bit by bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, ImpossibleEvidence, NotFitted, UnknownVariable
from bayou.models.sequences.one_sequence.sequence_reader import OneSequenceReader

chance = np.random.default_rng(5)
STEPS = 60


def made(states: int, emissions: dict[str, Any], **options: Any) -> bayou.HMM:
    model = bayou.HMM(states, emissions, **options)
    model.set_start(chance.dirichlet(np.ones(states)))
    return model.set_transition(chance.dirichlet(np.ones(states), states))


def symbols(states: list[Any]) -> bayou.HMM:
    model = made(3, {"x": states})
    return model.set_emission("x", chance.dirichlet(np.ones(len(states)), 3))


def numbers(columns: int, **options: Any) -> bayou.HMM:
    model = made(2, {f"x{k}": "gaussian" for k in range(columns)}, **options)
    return model.set_gaussian(chance.normal(size=(2, columns)), np.ones((2, columns)))


def mixed() -> bayou.HMM:
    model = made(2, {"a": [0, 1, 2], "x": "gaussian"})
    return model.set_emission("a", chance.dirichlet([1, 1, 1], 2)).set_gaussian([[0.0], [2.0]], [1.0, 0.5])


def drawn(states: list[Any]) -> list[Any]:
    return [states[k] for k in chance.integers(0, len(states), STEPS)]


WORDS, FACES, MANY = ["rain", "sun", "snow"], [1, 2, 3, 4, 5, 6], list(range(-3, 400))
PLAIN: dict[str, tuple[bayou.HMM, Any]] = {
    "list of whole numbers": (symbols(FACES), drawn(FACES)),
    "array of whole numbers": (symbols(FACES), np.array(drawn(FACES))),
    "array of small whole numbers": (symbols(FACES), np.array(drawn(FACES), np.int8)),
    "array with one column": (symbols(FACES), np.array(drawn(FACES))[:, None]),
    "many symbols": (symbols(MANY), np.array(drawn(MANY))),
    "list of many symbols": (symbols(MANY), drawn(MANY)),
    "whole numbers in another order": (symbols([5, 2, 9]), drawn([5, 2, 9])),
    "list of words": (symbols(WORDS), drawn(WORDS)),
    "array of words": (symbols(WORDS), np.array(drawn(WORDS))),
    "truth values": (symbols([True, False]), drawn([True, False])),
    "list of numbers": (numbers(1), chance.normal(size=STEPS).tolist()),
    "whole numbers as numbers": (numbers(1), drawn([0, 1, 2.5])),
    "array of numbers": (numbers(1), chance.normal(size=STEPS)),
    "short numbers": (numbers(1), chance.normal(size=STEPS).astype(np.float32)),
    "four columns": (numbers(4), chance.normal(size=(STEPS, 4))),
    "columns by column": (numbers(4), np.asfortranarray(chance.normal(size=(STEPS, 4)))),
    "independent columns": (numbers(2, covariance="diagonal"), chance.normal(size=(STEPS, 2))),
    "durations": (
        bayou.HMM(2, {"x": FACES}, duration=3)
        .set_start([0.5, 0.5])
        .set_transition([[0.0, 1.0], [1.0, 0.0]])
        .set_emission("x", chance.dirichlet(np.ones(6), 2)),
        drawn(FACES),
    ),
}


def same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))


def assert_same_answers(model: bayou.HMM, data: Any, **how: Any) -> None:
    """All answers are those about a list of sequences, of which this is the only one."""
    how = {"lengths": [len(data)], **how}
    (filtered,), (smoothed,) = model.filter(data, **how), model.smooth(data, **how)
    assert same(model.filter(data).probabilities, filtered.probabilities)
    assert same(model.filter(data).steps, filtered.steps)
    assert model.filter(data).log_likelihood == filtered.log_likelihood
    assert model.filter(data).title == filtered.title
    assert same(model.smooth(data).probabilities, smoothed.probabilities)
    assert model.smooth(data).log_likelihood == smoothed.log_likelihood
    assert model.smooth(data).title == smoothed.title
    for method in ("viterbi", "posterior"):
        (path,) = model.decode(data, method=method, **how)
        assert list(model.decode(data, method=method)) == list(path)
        assert model.decode(data, method=method).log_probability == path.log_probability
        assert model.decode(data, method=method).codes.dtype == path.codes.dtype
    assert model.score(data) == model.score(data, **how)
    assert same(model.log_likelihoods(data), model.log_likelihoods(data, **how))
    assert same(model.score_steps(data), model.score_steps(data, **how)[0])
    (ahead,) = model.forecast(data, 3, **how)
    assert model.forecast(data, 3).to_columns() == ahead.to_columns()
    assert same(model.forecast(data, 3).states, ahead.states)


@pytest.mark.parametrize("kind", PLAIN)
def test_answers_of_the_short_way_are_those_of_the_long_way(kind: str) -> None:
    model, data = PLAIN[kind]
    assert model._short_way(data, {}) is not None
    assert_same_answers(model, data)


def test_columns_of_symbols_and_numbers_in_one_array_are_read_as_a_table() -> None:
    model, data = mixed(), np.column_stack([chance.integers(0, 3, STEPS), chance.normal(size=STEPS)])
    assert model._short_way(data, {}) is None, "0.0 stands for 0, which tables know"
    assert_same_answers(model, data)


def test_other_emissions_are_read_the_short_way_only() -> None:
    counts = made(2, {"x": "poisson"}).set_emission("x", {"rate": [1.0, 4.0]})
    data = chance.poisson(2, STEPS).tolist()
    assert counts._short_way(data, {}) is None
    assert counts._plain_sequence(data) is not None
    assert_same_answers(counts, data)
    mixture = made(2, {"x": "gaussian", "y": "gaussian"}, components=2)
    mixture.set_gaussian(chance.normal(size=(4, 2)), np.ones((4, 2))).set_components([[0.5, 0.5], [0.3, 0.7]])
    assert mixture._short_way(np.zeros((2, 2)), {}) is None
    assert_same_answers(mixture, chance.normal(size=(STEPS, 2)))


NOT_PLAIN: dict[str, tuple[bayou.HMM, Any]] = {
    "gaps": (symbols(FACES), [1, None, 6]),
    "numbers for whole numbers": (symbols(FACES), [1.0, 6.0]),
    "words for numbers": (symbols(FACES), ["1", "6"]),
    "truth for numbers": (symbols([0, 1]), [True, False]),
    "numbers for truth": (symbols([False, True]), [0, 1]),
    "an array of objects": (symbols(WORDS), np.array(["sun", None, "rain"], object)),
    "a tuple": (symbols(WORDS), ("sun", "rain")),
    "words that are numbers": (symbols(["1", "2"]), ["1", "2"]),
    "words for amounts": (symbols(["$1", "$2"]), ["$1", "$2"]),
    "words for gaps": (symbols(["NA", "sun"]), ["NA", "sun"]),
    "words for days": (symbols(["2024-01-01", "2024-01-02"]), ["2024-01-01", "2024-01-02"]),
    "words for truth": (symbols(["true", "false"]), ["true", "false"]),
    "states of two types": (symbols([1, "1"]), [1, "1"]),
    "gaps in numbers": (numbers(2), np.array([[0.0, np.nan], [1.0, 2.0]])),
    "gaps in a list of numbers": (numbers(1), [0.5, None, float("nan")]),
    "whole numbers in an array": (numbers(1), np.array([1, 2, 3])),
}


@pytest.mark.parametrize("kind", NOT_PLAIN)
def test_what_is_not_plain_goes_the_long_way(kind: str) -> None:
    model, data = NOT_PLAIN[kind]
    assert model._short_way(data, {}) is None
    assert_same_answers(model, data)


@pytest.mark.parametrize(
    "data", [[1, 9, 6], np.array([1, 9, 6]), np.array([1, -9, 6]), np.array([1, 255], np.uint8)]
)
def test_values_never_seen_are_missing_with_a_warning(data: Any) -> None:
    model = symbols(FACES)
    gap = [value if value in FACES else None for value in list(data)]
    with pytest.warns(UserWarning, match="never seen"):
        assert model.score(data) == pytest.approx(model.score(gap), abs=1e-12)


def test_errors_are_those_of_the_long_way() -> None:
    with pytest.raises(BadData, match="infinite in row 1"):
        numbers(1).score([0.0, float("inf")])
    with pytest.raises(BadData, match="no sequence"):
        symbols(FACES).score([])
    with pytest.raises(BadData, match="0 dimensions"):
        symbols(FACES).score(np.array(3))
    with pytest.raises(UnknownVariable, match="1 column,"):
        numbers(2).score(np.zeros(3))
    with pytest.raises(UnknownVariable, match="3 columns"):
        numbers(2).score(np.zeros((3, 3)))
    with pytest.raises(BadQuestion, match="no such argument"):
        symbols(FACES).score([1, 2], length=[2])
    with pytest.raises(NotFitted, match="no parameters for"):
        bayou.HMM(2, {"x": FACES}).score([1, 2])
    with pytest.raises(NotFitted, match="not known yet"):
        bayou.HMM(2).score([1, 2])


def test_small_whole_numbers_hold_the_difference_to_the_first_state() -> None:
    below = symbols([-1, 0, 1])
    assert below.score(np.array([0, 1, 1], np.uint8)) == below.score([0, 1, 1])
    reader = OneSequenceReader(symbols(list(range(-128, 128))).chain)
    found = reader.columns(np.array([-128, 0, 127], np.int8))
    assert found is not None
    assert found[0][0].tolist() == [0, 128, 255]


def test_an_impossible_sequence_is_refused_as_ever() -> None:
    model = made(2, {"x": [0, 1, 2]}).set_emission("x", [[0.5, 0.5, 0], [1, 0, 0]])
    assert model.score([0, 2, 1]) == -np.inf
    assert model.score_steps([0, 2, 1])[1] == -np.inf
    for ask in (model.filter, model.smooth, model.decode, model.forecast):
        with pytest.raises(ImpossibleEvidence, match=r"at its step 1 .* emits 2 in column 'x'"):
            ask([0, 2, 1])


@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_new_parameters_and_new_columns_count_at_once() -> None:
    model, data = symbols(FACES), drawn(FACES)
    before = model.score(data)
    table = chance.dirichlet(np.ones(6), 3)
    model.set_emission("x", table)
    assert model.score(data) != before
    assert model.score(data) == pytest.approx(sum(model.score_steps(data)), rel=1e-12)
    assert_same_answers(model, data)
    model.fit(drawn(FACES), max_iterations=2, restarts=1)
    assert_same_answers(model, data)
    open_model = bayou.HMM(2)
    open_model.fit(drawn(WORDS), max_iterations=2, restarts=1)
    assert_same_answers(open_model, drawn(WORDS))


def test_a_copy_answers_the_same() -> None:
    model, data = symbols(FACES), drawn(FACES)
    model.score(data)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.score(data) == model.score(data)
    ahead = model.forecast(data, 2)
    assert pickle.loads(pickle.dumps(ahead)).to_columns() == ahead.to_columns()


def test_parts_of_a_forecast_are_made_when_they_are_looked_at() -> None:
    ahead = numbers(2).forecast(chance.normal(size=(STEPS, 2)))
    assert list(ahead.means) == ["x0", "x1"]
    assert ahead.means["x0"] is ahead.means["x0"]
    assert ahead.symbols.get("x0") is None
    with pytest.raises(KeyError):
        ahead.means["y"]


def test_all_rows_are_read() -> None:
    """The reader itself, against codes that are counted by hand."""
    reader = OneSequenceReader(symbols([3, 4, 5]).chain)
    for data in ([5, 3, 4], np.array([5, 3, 4]), np.array([[5], [3], [4]], np.uint16)):
        rows = reader.rows(data)
        assert rows is not None
        assert rows.batch.codes["x"].tolist() == [2, 0, 1]
        assert rows.starts.tolist() == [0, 3]
    for data in (
        [5, 2],
        [5, 6],
        np.array([5, 2]),
        np.array([5, 6]),
        np.array([5, -(2**63)]),
        [],
        "345",
        None,
    ):
        assert reader.rows(data) is None


@pytest.mark.filterwarnings("ignore:Learning stopped")
@pytest.mark.parametrize("shape", [(0, 1), (STEPS, 1), (STEPS,)])
def test_the_estimator_answers_the_same_with_and_without_lengths(shape: tuple[int, ...]) -> None:
    model = bayou.HiddenMarkov(2, max_iter=3).fit(chance.normal(size=(STEPS, 1)))
    rows = chance.normal(size=shape)
    one, several = model.decode(rows), model.decode(rows, [len(rows)])
    assert one[0] == several[0]
    assert one[1].tolist() == several[1].tolist()
    assert same(model.predict_proba(rows), model.predict_proba(rows, [len(rows)]))
    assert model.score(rows) == model.score(rows, [len(rows)])
