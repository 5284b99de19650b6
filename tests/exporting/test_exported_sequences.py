"""Hidden Markov models as code answer what filter() and smooth() answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.errors import BadQuestion
from tests.exporting.running import DATABASES, in_node, in_python, in_sql, needs_node, plain_rows

EXACT = 1e-12
EMISSIONS = {'"; DROP': "table", "x'": "gaussian", "__proto__": "gaussian", "n": "poisson"}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "ends": {"ends": True},
    "stays": {"duration": 2},
    "diagonal": {"covariance": "diagonal"},
}
pytestmark = pytest.mark.filterwarnings("ignore::bayou.BayouWarning")


def sequences(number: int, length: int, seed: int, known: bool = False) -> pd.DataFrame:
    """Sequences of a hidden switch with gaps, and with the column ``state`` if it is to be known."""
    chance = np.random.default_rng(seed)
    rows = []
    for key in range(number):
        state = 0
        for step in range(length):
            state = 1 - state if chance.random() < 0.2 else state
            symbol = chance.choice(["u", "it's", "\\"], p=[[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]][state])
            numbers = chance.normal(size=2) * (1 + state) + state
            count = int(chance.poisson(1 + 2 * state))
            rows.append([f"s{state}", key, step, str(symbol), *numbers.tolist(), count])
    table = pd.DataFrame(rows, columns=["state", "key", "step", *EMISSIONS])
    for name in EMISSIONS:
        table[name] = table[name].astype(object).where(chance.random(len(table)) > 0.1, None)
    return table if known else table.drop(columns="state")


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    rows = sequences(12, 40, 1, known=True)
    models = {
        name: bayou.HMM(["s0", "s1"], EMISSIONS, **kind).fit(rows, sequence="key", time="step")
        for name, kind in KINDS.items()
        if name != "stays"
    }
    hidden, quick = sequences(6, 15, 1), {"restarts": 1, "max_iterations": 3, "seed": 1}
    stays = bayou.HMM(["s0", "s1"], EMISSIONS, **KINDS["stays"])
    return {**models, "stays": stays.fit(hidden, sequence="key", time="step", **quick)}


def truth(hmm: Any, rows: pd.DataFrame, smooth: bool) -> list[Any]:
    ask = hmm.smooth if smooth else hmm.filter
    return [each.probabilities for each in ask(rows, sequence="key", time="step")]


def by_sequence(rows: pd.DataFrame) -> list[list[dict[Any, Any]]]:
    return [plain_rows(part.to_dict("list")) for _, part in rows.groupby("key")]


@needs_node
@pytest.mark.parametrize("smooth", [False, True], ids=["filter", "smooth"])
@pytest.mark.parametrize("kind", KINDS)
def test_python_and_javascript(fitted: dict[str, Any], kind: str, smooth: bool, tmp_path: Path) -> None:
    hmm, rows = fitted[kind], sequences(3, 200, 2)
    for part, answer in zip(by_sequence(rows), truth(hmm, rows, smooth), strict=True):
        found = in_python(hmm.export(smooth=smooth), part, tmp_path, how="all")
        assert np.allclose(found, answer, rtol=0, atol=EXACT)
        found = in_node(hmm.export("javascript", smooth=smooth), part, tmp_path, how="all")
        assert np.allclose(found, answer, rtol=0, atol=EXACT)


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("smooth", [False, True], ids=["filter", "smooth"])
@pytest.mark.parametrize("kind", KINDS)
def test_databases(fitted: dict[str, Any], kind: str, smooth: bool, dialect: str) -> None:
    hmm, rows = fitted[kind], sequences(4, 30, 3)
    text = hmm.export("sql", smooth=smooth, dialect=dialect, order="step", by="key", keep="id")
    shuffled = rows.sample(frac=1, random_state=1)
    found = in_sql(_keyed(text, hmm), plain_rows(shuffled.to_dict("list")), dialect)
    assert np.allclose(found, np.concatenate(truth(hmm, rows, smooth)), rtol=0, atol=EXACT)


def _keyed(text: str, hmm: Any) -> str:
    """The answers with one number for sequence and step, by which they are sorted."""
    shares = ", ".join(f'"probability_{state}"' for state in hmm.states)
    return f'SELECT "key" * 1000 + "step", "id", {shares} FROM (\n{text}\n) AS t'


LONG = {"left to right": [[0.9, 0.1, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]], "any": [[0.9, 0.05, 0.05]] * 3}


def far_apart(start: list[float], moves: list[list[float]]) -> Any:
    """Three states whose numbers are 40 standard deviations apart."""
    hmm = bayou.HMM(["a", "b", "c"], {"x": "gaussian"})
    return hmm.set_start(start).set_transition(moves).set_gaussian([[0], [40], [80]], [[1]] * 3)


@needs_node
@pytest.mark.parametrize("smooth", [False, True], ids=["filter", "smooth"])
@pytest.mark.parametrize(
    ("start", "moves"),
    [
        ([0.5, 0.5, 0.0], LONG["any"]),  # the nearest state is out of reach at first
        ([0.5, 0.5, 0.0], [[0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.0, 0.0, 1.0]]),  # and for ever
        ([1.0, 0.0, 0.0], LONG["left to right"]),
        ([0.5, 0.5, 0.0], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    ],
)
def test_states_out_of_reach_and_outliers(
    start: list[float], moves: list[list[float]], smooth: bool, tmp_path: Path
) -> None:
    hmm = far_apart(start, moves)
    numbers = {
        0: [80, 80, None, 0.5, 44, 80],
        1: [0, 80, 80, 100, -60, 41, 0],
        2: [0, 1, 60.01, 20.01, 39, 80],
    }
    rows = pd.DataFrame([(k, n, x) for k, own in numbers.items() for n, x in enumerate(own)])
    rows.columns = pd.Index(["key", "step", "x"])
    expected = truth(hmm, rows, smooth)
    assert expected[0][0].round(6).tolist() in ([0, 1, 0], [1, 0, 0])
    for part, answer in zip(by_sequence(rows), expected, strict=True):
        for found in (
            in_python(hmm.export(smooth=smooth), part, tmp_path, how="all"),
            in_node(hmm.export("javascript", smooth=smooth), part, tmp_path, how="all"),
        ):
            assert np.allclose(found, answer, rtol=0, atol=EXACT)
    for dialect in DATABASES:
        text = hmm.export("sql", smooth=smooth, dialect=dialect, order="step", by="key", keep="id")
        found = in_sql(_keyed(text, hmm), plain_rows(rows.to_dict("list")), dialect)
        assert np.allclose(found, np.concatenate(expected), rtol=0, atol=EXACT), dialect


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("smooth", [False, True], ids=["filter", "smooth"])
def test_impossible_rows_have_no_answer_in_databases(smooth: bool, dialect: str) -> None:
    hmm = bayou.HMM(["a", "b"], {"x": ["u", "v"]}).set_start([1, 0]).set_transition([[1, 0], [0, 1]])
    hmm = hmm.set_emission("x", [[1, 0], [0, 1]])
    text = hmm.export("sql", smooth=smooth, dialect=dialect, order="step", by="key", keep="id")
    cells = [(0, 0, "u"), (0, 1, "v"), (0, 2, "u"), (1, 0, "u"), (1, 1, None)]
    rows = [{"key": key, "step": step, "x": x} for key, step, x in cells]
    found = in_sql(_keyed(text, hmm), rows, dialect)
    assert found[1:] == [[None, None], [None, None], [1.0, 0.0], [1.0, 0.0]]
    assert found[0] == ([None, None] if smooth else [1.0, 0.0])


@needs_node
@pytest.mark.parametrize("smooth", [False, True], ids=["filter", "smooth"])
def test_kernel_columns(smooth: bool, tmp_path: Path) -> None:
    learned = sequences(12, 40, 1, known=True)[["state", "key", "step", "x'", "__proto__"]]
    kinds = {"x'": "kernel", "__proto__": "gaussian"}
    hmm = bayou.HMM(["s0", "s1"], kinds).fit(learned, sequence="key", time="step")
    rows = sequences(3, 40, 2)[["key", "step", *kinds]]
    rows.loc[5, "x'"], rows.loc[50, "x'"] = 90.0, -1000.0
    expected = truth(hmm, rows, smooth)
    for part, answer in zip(by_sequence(rows), expected, strict=True):
        found = in_python(hmm.export(smooth=smooth), part, tmp_path, how="all")
        assert np.allclose(found, answer, rtol=0, atol=EXACT)
        found = in_node(hmm.export("javascript", smooth=smooth), part, tmp_path, how="all")
        assert np.allclose(found, answer, rtol=0, atol=EXACT)
    for dialect in DATABASES:
        text = hmm.export("sql", smooth=smooth, dialect=dialect, order="step", by="key", keep="id")
        found = in_sql(_keyed(text, hmm), plain_rows(rows.to_dict("list")), dialect)
        assert np.allclose(found, np.concatenate(expected), rtol=0, atol=EXACT), dialect


@needs_node
def test_values_never_seen_are_gaps_as_in_the_library(fitted: dict[str, Any], tmp_path: Path) -> None:
    hmm, rows = fitted["plain"], sequences(1, 30, 5)
    rows.loc[3, '"; DROP'] = "never"
    with pytest.warns(bayou.BayouWarning, match="never seen count as missing"):
        (expected,) = truth(hmm, rows, smooth=False)
    (part,) = by_sequence(rows)
    part[6]["x'"] = "no number"
    assert part[3]['"; DROP'] == "never"
    gap = rows.copy()
    gap.loc[6, "x'"] = None
    (expected,) = truth(hmm, gap, smooth=False)
    assert np.allclose(in_python(hmm.export(), part, tmp_path, how="all"), expected, rtol=0, atol=EXACT)
    found = in_node(hmm.export("javascript"), part, tmp_path, how="all")
    assert np.allclose(found, expected, rtol=0, atol=EXACT)


def test_a_known_model_by_hand() -> None:
    hmm = bayou.HMM(["fair", "loaded"], {"roll": [1, 2, 3, 4, 5, 6]})
    hmm = hmm.set_start([0.5, 0.5]).set_transition([[0.95, 0.05], [0.1, 0.9]])
    hmm = hmm.set_emission("roll", [[1 / 6] * 6, [0.1] * 5 + [0.5]])
    names: dict[str, Any] = {}
    exec(hmm.export(unknown="error"), names)
    first, second = names["predict_proba"]([{"roll": 6}, {"roll": None}])
    assert first == pytest.approx([0.25, 0.75])
    assert second == pytest.approx([0.25 * 0.95 + 0.75 * 0.1, 0.25 * 0.05 + 0.75 * 0.9])
    assert names["predict_proba"]([]) == []
    with pytest.raises(ValueError, match="7 is no value of 'roll'"):
        names["predict_proba"]([{"roll": 7}])


def test_a_step_that_cannot_follow_is_named() -> None:
    hmm = bayou.HMM(["a", "b"], {"x": ["u", "v"]}).set_start([1, 0]).set_transition([[1, 0], [0, 1]])
    names: dict[str, Any] = {}
    exec(hmm.set_emission("x", [[1, 0], [0, 1]]).export(), names)
    with pytest.raises(ValueError, match=r"Row 1 \(counting from 0\) cannot follow"):
        names["predict_proba"]([{"x": "u"}, {"x": "v"}])


def test_refusals(fitted: dict[str, Any]) -> None:
    with pytest.raises(BadQuestion, match=r"name the column of the steps, order='time'"):
        fitted["plain"].export("sql")
    mixed = bayou.HMM(2, "gaussian", components=2).fit(np.random.default_rng(1).normal(size=200), seed=1)
    with pytest.raises(BadQuestion, match="components="):
        mixed.export()
