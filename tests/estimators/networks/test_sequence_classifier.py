"""Classification of whole sequences, against Bayes' rule with a hidden Markov model for each class."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadQuestion, BayouError
from bayou.statistics.rows import sequence_batch, whole_sequences

SYMBOLS = {"x": [0, 1, 2, 3]}


def labelled(seed: int = 0) -> tuple[list[list[int]], list[str]]:
    chance = np.random.default_rng(seed)
    rising = [np.sort(chance.integers(0, 4, 3 + k % 4)).tolist() for k in range(12)]
    falling = [np.sort(chance.integers(0, 4, 3 + k % 3))[::-1].tolist() for k in range(6)]
    return rising + falling, ["up"] * 12 + ["down"] * 6


def by_hand(data: list[list[int]], classes: list[str], asked: list[list[int]]) -> np.ndarray:
    """log P(class) + log P(sequence | class), for the classes in order."""
    found = []
    for name in ("down", "up"):
        own = [one for one, label in zip(data, classes, strict=True) if label == name]
        found.append(bayou.HMM(2, SYMBOLS).fit(own, seed=3, prior=1).log_likelihoods(asked))
    return np.stack(found, axis=1)


def normalised(logs: np.ndarray) -> np.ndarray:
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def test_probabilities_are_bayes_rule_of_two_models() -> None:
    data, classes = labelled()
    asked = labelled(1)[0]
    model = bayou.SequenceClassifier(2, SYMBOLS, prior=1, seed=3, class_prior=[0.3, 0.7])
    found = model.fit(data, classes).predict_proba(asked)
    logs = by_hand(data, classes, asked) + np.log([0.3, 0.7])
    assert np.asarray(found) == pytest.approx(normalised(logs), abs=1e-9)
    best = np.array(["down", "up"])[logs.argmax(axis=1)].tolist()
    assert np.asarray(model.predict(asked)).tolist() == best


def test_a_weight_of_two_is_a_sequence_that_comes_twice() -> None:
    data, classes = labelled()
    weights = np.ones(len(data))
    weights[[0, 15]] = 2.0
    asked = labelled(1)[0]
    weighed = bayou.SequenceClassifier(1, SYMBOLS).fit(data, classes, sample_weight=weights)
    twice = bayou.SequenceClassifier(1, SYMBOLS).fit(
        [*data, data[0], data[15]], [*classes, classes[0], classes[15]]
    )
    assert np.asarray(weighed.predict_proba(asked)) == pytest.approx(
        np.asarray(twice.predict_proba(asked)), abs=1e-9
    )


def test_a_pickled_classifier_answers_alike() -> None:
    data, classes = labelled()
    model = bayou.SequenceClassifier(2, SYMBOLS, seed=3).fit(data, classes)
    again = pickle.loads(pickle.dumps(model))
    asked = labelled(1)[0]
    assert np.array_equal(np.asarray(again.predict_proba(asked)), np.asarray(model.predict_proba(asked)))


@pytest.mark.parametrize(
    "options",
    [
        {"states": 2, "emissions": SYMBOLS, "seed": 3, "class_prior": {"up": 0.9, "down": 0.1}},
        {"states": ["all"], "emissions": "gaussian"},
        {"models": bayou.HMM(1, {"x": "poisson"}, ends=True)},
        {"models": {"up": bayou.HMM(2, SYMBOLS, duration=2), "down": bayou.HMM(1, SYMBOLS)}},
    ],
)
@pytest.mark.usefixtures("few_starts")
def test_a_saved_classifier_answers_alike(options: dict[str, Any], tmp_path: Path) -> None:
    data, classes = (part[::3] for part in labelled())
    model = bayou.SequenceClassifier(**options).fit(data, classes)
    model.save(tmp_path / "m.bayou")
    again = bayou.load(tmp_path / "m.bayou")
    asked = labelled(1)[0]
    assert type(again) is bayou.SequenceClassifier
    assert again.target_ == model.target_
    assert again.classes_.tolist() == ["down", "up"]
    assert np.array_equal(again.predict_proba(asked), model.predict_proba(asked))
    # What was loaded learns on, and can be fitted anew: the templates are in the file, too.
    more = [part[::3] for part in labelled(2)]
    assert np.array_equal(
        again.partial_fit(*more).predict_proba(asked), model.partial_fit(*more).predict_proba(asked)
    )
    assert np.array_equal(
        again.fit(data, classes).predict_proba(asked), model.fit(data, classes).predict_proba(asked)
    )


def rows_of(data: list[list[int]], classes: list[str]) -> dict[str, list[Any]]:
    """The sequences as a table, its rows shuffled; names are in the order of the list."""
    rows = [(f"s{k:02}", t, x, classes[k]) for k, one in enumerate(data) for t, x in enumerate(one)]
    order = np.random.default_rng(5).permutation(len(rows))
    return {
        name: [rows[i][j] for i in order.tolist()] for j, name in enumerate(("id", "t", "x", "direction"))
    }


@pytest.mark.parametrize("emissions", [None, SYMBOLS])
def test_all_forms_of_sequences_give_one_classifier(emissions: Any, tmp_path: Path) -> None:
    data, classes = labelled()
    asked = labelled(1)[0]
    lengths = [len(one) for one in data]
    expected = np.asarray(
        bayou.SequenceClassifier(2, emissions, seed=3).fit(data, classes).predict_proba(asked)
    )
    table = pandas.DataFrame(rows_of(data, classes))
    table.to_csv(tmp_path / "rows.csv", index=False)
    table.to_parquet(tmp_path / "rows.parquet", index=False)
    fresh = pandas.DataFrame(rows_of(asked, classes))
    fresh.to_csv(tmp_path / "asked.csv", index=False)
    keys = {"sequence": "id", "time": "t"}

    def found(**how: Any) -> bayou.SequenceClassifier:
        return bayou.SequenceClassifier(2, emissions, seed=3).fit(**how)

    flat = np.concatenate([np.array(one) for one in data])
    by_id = {f"s{k:02}": one for k, one in enumerate(classes)}
    models = {
        "arrays with lengths": found(X=flat, y=classes, lengths=lengths),
        "a matrix with lengths": found(X=flat.reshape(-1, 1), y=classes, lengths=lengths),
        "a table": found(X=table, y="direction", **keys),
        "a table and a mapping": found(X=table[["id", "t", "x"]], y=by_id, **keys),
        "a table and a series": found(X=table[["id", "t", "x"]], y=pandas.Series(by_id), **keys),
        "csv": found(X=tmp_path / "rows.csv", y="direction", **keys),
        "parquet": found(X=tmp_path / "rows.parquet", y="direction", **keys),
    }
    for what, model in models.items():
        assert np.array_equal(model.predict_proba(asked), expected), what
    model = models["csv"]
    steps = [len(one) for one in asked]
    for answer in (
        model.predict_proba(np.concatenate([np.array(one) for one in asked]), lengths=steps),
        model.predict_proba(fresh, **keys),
        model.predict_proba(tmp_path / "asked.csv", **keys),
    ):
        assert np.array_equal(answer, expected)
    best = model.classes_[expected.argmax(axis=1)]
    frame = model.predict_frame(tmp_path / "asked.csv", **keys)
    assert frame["id"].tolist() == [f"s{k:02}" for k in range(len(asked))]
    assert frame["predicted_direction"].tolist() == best.tolist()
    accuracy = float(np.mean(best == np.array(classes)))
    assert model.score(asked, classes) == accuracy
    assert model.score(fresh, "direction", **keys) == accuracy
    assert model.score(tmp_path / "asked.csv", "direction", **keys) == accuracy
    flat_asked = np.concatenate([np.array(one) for one in asked])
    assert model.score(flat_asked, classes, lengths=steps) == accuracy


def test_a_file_that_does_not_fit_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, classes = labelled()
    data[3] = data[3] * 20  # longer than a part
    table = pandas.DataFrame(rows_of(data, classes))
    table.to_csv(tmp_path / "rows.csv", index=False)
    keys = {"sequence": "id", "time": "t"}
    monkeypatch.setattr(sequence_batch, "ROWS_OF_PART", 16)
    expected = bayou.SequenceClassifier(2, seed=3).fit(table, "direction", **keys)
    monkeypatch.setattr(whole_sequences, "_most_bytes", lambda source: 500 if source.is_streamed else 10**9)
    found = bayou.SequenceClassifier(2, seed=3).fit(tmp_path / "rows.csv", "direction", **keys)
    for name in ("up", "down"):
        assert found.models_[name].transition == pytest.approx(expected.models_[name].transition, abs=1e-9)
    assert found.predict_proba(tmp_path / "rows.csv", **keys) == pytest.approx(
        expected.predict_proba(table, **keys), abs=1e-9
    )


def test_a_class_with_one_sequence_and_symbols_of_another_class() -> None:
    model = bayou.SequenceClassifier(1, prior=1).fit(
        [["a", "a"], ["a", "b"], ["c", "c", "c"]], ["one", "one", "two"]
    )
    # Each model knows the symbols of all classes: P(c | one) = 1/7, P(c | two) = 4/6.
    odds = (3 / 5 * 1 / 7) / (2 / 5 * 4 / 6)  # the shares of classes are smoothed, too
    found = model.predict_proba([["c"]])[0]
    assert found[0] / found[1] == pytest.approx(odds)


def test_partial_fit_on_known_states_is_one_fit() -> None:
    steps = {"id": [1, 1, 2, 2, 3, 3, 4, 4], "x": [0, 1, 1, 1, 0, 0, 1, 0], "state": list("abbbaaba")}
    kinds = {1: "p", 2: "q", 3: "p", 4: "q"}

    def part(*ids: int) -> tuple[dict[str, list[Any]], dict[int, str]]:
        kept = [k for k, own in enumerate(steps["id"]) if own in ids]
        return {name: [cells[k] for k in kept] for name, cells in steps.items()}, {k: kinds[k] for k in ids}

    at_once = bayou.SequenceClassifier(["a", "b"], {"x": [0, 1]}).fit(*part(1, 2, 3, 4), sequence="id")
    model = bayou.SequenceClassifier(["a", "b"], {"x": [0, 1]}).fit(*part(1, 2), sequence="id")
    model.partial_fit(*part(3, 4), sequence="id")
    for kind in ("p", "q"):
        assert np.array_equal(model.models_[kind].transition, at_once.models_[kind].transition)
    assert np.array_equal(model.predict_proba([[0, 1, 1]]), at_once.predict_proba([[0, 1, 1]]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.fit([1, 2, 3], ["a", "b"], lengths=[1, 1]), "lengths= add up to 2 rows, but .* 3"),
        (lambda m: m.fit([1, 2, 3], ["a", "b"], lengths=[1, 2.5]), "lengths= needs a list of whole numbers"),
        (lambda m: m.fit([1, 2, 3], ["a", "b"], lengths=[-1, 4]), "lengths= needs a list of whole numbers"),
        (lambda m: m.fit([1, 2, 3], ["a"], lengths=[1, 2]), "y has the class of 1 sequence, but there are 2"),
        (lambda m: m.fit([[1], [2]], None), "fit needs y"),
        (lambda m: m.fit([[1], [2]], "kind"), "lists and arrays have no names"),
        (lambda m: m.fit([[1], [2]], ["a", "b"], length=[2]), "'length': there is no such argument"),
        (lambda m: m.fit({"id": [1, 2], "x": [0, 1]}, ["a", "b"], sequence="id"), "sorted by their names"),
        (lambda m: m.fit({"id": [1, 2], "x": [0, 1]}, {1: "a"}, sequence="id"), "no class for .*'id' = 2"),
        (
            lambda m: m.fit({"id": [1, 2], "x": [0, 1]}, "kind", sequence="id"),
            "no variable 'kind' in the data",
        ),
        (
            lambda m: m.fit({"id": [1, 1], "x": [0, 1], "y": ["a", "b"]}, "y", sequence="id"),
            "The sequence 'id' = 1 has rows of two classes in 'y', 'a' and 'b'",
        ),
    ],
)
def test_what_is_wrong_is_told(call: Any, message: str) -> None:
    with pytest.raises(BayouError, match=message):
        call(bayou.SequenceClassifier(1))


def test_sequences_without_a_class_are_left_out() -> None:
    table = {"id": [1, 1, 2, 2, 3], "x": [0, 1, 1, 1, 0], "kind": ["a", None, "b", "b", None]}
    with pytest.warns(bayou.BayouWarning, match="1 sequence without a class .* 'id' = 3"):
        model = bayou.SequenceClassifier(1, SYMBOLS).fit(table, "kind", sequence="id")
    expected = bayou.SequenceClassifier(1, SYMBOLS).fit([[0, 1], [1, 1]], ["a", "b"])
    assert np.array_equal(model.predict_proba([[0, 1, 0]]), expected.predict_proba([[0, 1, 0]]))


def test_models_with_other_symbols_are_refused() -> None:
    models = {"a": bayou.HMM(1, {"x": [0, 1]}), "b": bayou.HMM(1, {"x": [0, 1, 2]})}
    with pytest.raises(BadQuestion, match="cannot be compared"):
        bayou.SequenceClassifier(models=models).fit([[0], [1]], ["a", "b"])
