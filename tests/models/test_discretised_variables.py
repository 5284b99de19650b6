"""Networks with variables that hold real numbers and are modelled by intervals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow
import pyarrow.parquet
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadData, BadPrior, BadQuestion, BadTable, BayouWarning, UnknownState
from bayou.schema import Variable
from bayou.sources.files import file_source as file_source

CUTS = bayou.Cuts(30, 50)
AGE = [29.5, 30.0, 31.25, None, 50.0, 51.0, 77.0, 12.0]
ILL = ["no", "no", "yes", "yes", None, "yes", "no", "no"]
NAMED = [None if age is None else str(next(i for i in CUTS if age in i)) for age in AGE]
NUMBERS = [np.nan if age is None else age for age in AGE]


def stated(**options: Any) -> bayou.Network:
    return bayou.Network(
        "age -> ill",
        states={"age": CUTS, "ill": ["no", "yes"], **options},
        tables={"age": {20: 0.2, 40: 0.5, 60: 0.3}, "ill": {20: [0.9, 0.1], 40: [0.6, 0.4], 60: [0.3, 0.7]}},
    )


def from_csv(folder: Path) -> Path:
    rows = [f"{'' if a is None else a},{'' if i is None else i}" for a, i in zip(AGE, ILL, strict=True)]
    (folder / "ages.csv").write_text("\n".join(["age,ill", *rows, ""]), encoding="utf-8")
    return folder / "ages.csv"


def from_parquet(folder: Path) -> Path:
    pyarrow.parquet.write_table(pyarrow.table({"age": AGE, "ill": ILL}), folder / "ages.parquet")
    return folder / "ages.parquet"


def packed_records(_: Path) -> Any:
    records = np.zeros(len(AGE), dtype=[("ill", "U3"), ("flag", "i1"), ("age", "<f8")])
    records["age"], records["ill"] = NUMBERS, [ill or "" for ill in ILL]
    return {"age": records["age"], "ill": ILL}


SOURCES: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: {"age": AGE, "ill": ILL},
    "rows": lambda _: [{"age": a, "ill": i} for a, i in zip(AGE, ILL, strict=True)],
    "pandas": lambda _: pd.DataFrame({"age": NUMBERS, "ill": ILL}),
    "pandas Float64": lambda _: pd.DataFrame({"age": pd.array(AGE, dtype="Float64"), "ill": ILL}),
    "pandas float32": lambda _: pd.DataFrame({"age": np.array(NUMBERS, np.float32), "ill": ILL}),
    "pandas.cut": lambda _: pd.DataFrame(
        {"age": pd.cut(pd.Series(NUMBERS), [-np.inf, 30, 50, np.inf]), "ill": ILL}
    ),
    "polars": lambda _: polars.DataFrame({"age": AGE, "ill": ILL}),
    "arrow": lambda _: pyarrow.table({"age": AGE, "ill": ILL}),
    "objects": lambda _: pd.DataFrame({"age": pd.Series(AGE, dtype=object), "ill": ILL}),
    "texts": lambda _: {"age": NAMED, "ill": ILL},
    "numbers as text": lambda _: {"age": [None if a is None else str(a) for a in AGE], "ill": ILL},
    "packed records": packed_records,
    "csv": from_csv,
    "parquet": from_parquet,
}


@pytest.mark.parametrize("source", SOURCES)
def test_numbers_from_every_source_are_counted_as_if_cut_before(source: str, tmp_path: Path) -> None:
    declared = {"age": CUTS, "ill": ["no", "yes"]}
    net = bayou.Network("age -> ill", states=declared).fit(SOURCES[source](tmp_path))
    names = [str(interval) for interval in CUTS]
    before = bayou.Network("age -> ill", states={**declared, "age": names}).fit({"age": NAMED, "ill": ILL})
    assert net.states("age") == tuple(CUTS)
    np.testing.assert_array_equal(net.frozen.table("age"), before.frozen.table("age"))
    np.testing.assert_array_equal(net.frozen.table("ill"), before.frozen.table("ill"))
    again = net.posterior(SOURCES[source](tmp_path), "ill")
    np.testing.assert_array_equal(again["ill"], before.posterior({"age": NAMED, "ill": ILL}, "ill")["ill"])
    np.testing.assert_array_equal(again.log_evidence, before.posterior({"age": NAMED}, "ill").log_evidence)


def test_whole_numbers_arrays_and_sparse_matrices_are_cut_too() -> None:
    matrix = np.array([[10, 0], [40, 1], [60, 1], [0, 0]])
    wanted = [2, 1, 1]
    for data in (
        matrix,
        matrix.astype(np.float32),
        np.asfortranarray(matrix),
        scipy.sparse.csr_matrix(matrix),
    ):
        net = bayou.Network("age -> ill", states={"age": CUTS, "ill": [0, 1]})
        net.fit(data, columns=["age", "ill"], prior=0)
        np.testing.assert_array_equal(net.frozen.table("age"), np.array(wanted) / 4)


def test_a_streamed_file_gives_the_same_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bayou.Network("age -> ill", states={"age": CUTS}).fit(from_csv(tmp_path))
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", 0)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 3)
    assert bayou.Network("age -> ill", states={"age": CUTS}).fit(from_csv(tmp_path)).same_as(whole)


@given(
    st.lists(st.floats(allow_nan=True) | st.sampled_from([30.0, 50.0]), min_size=2, max_size=30), st.data()
)
def test_learning_in_parts_is_learning_at_once_and_forgetting_undoes_it(ages: list[float], data: Any) -> None:
    split = data.draw(st.integers(1, len(ages) - 1))
    declared = {"age": CUTS}
    net = bayou.Network("age", states=declared).fit({"age": ages[:split]}).partial_fit({"age": ages[split:]})
    assert net.same_as(bayou.Network("age", states=declared).fit({"age": ages}))
    assert net.forget({"age": ages[split:]}).same_as(
        bayou.Network("age", states=declared).fit({"age": ages[:split]})
    )


def test_findings_are_numbers_intervals_or_texts() -> None:
    net = stated()
    wanted = net.query("ill", given={"age": CUTS[1]})
    for value in (30.5, 50, np.float32(42), "30 to 50", "42"):
        assert net.query("ill", given={"age": value}) == wanted
        assert net.query(f"ill | age={value}") == wanted
        assert net.query("ill", do={"age": value}).to_dict() == wanted.to_dict()
    assert wanted["yes"] == 0.4
    assert net.query("ill", given={"age": float("nan")}).to_dict() == pytest.approx(
        net.query("ill").to_dict()
    )
    assert str(wanted).startswith("P(ill | age=30 to 50)")
    assert net.log_evidence({"age": 61}) == pytest.approx(np.log(0.3))
    weights = {20: 1.0, 40: 0.0, "over 50": 0.0}
    assert net.query("ill", likelihood={"age": weights})["yes"] == pytest.approx(0.1)
    assert net.query("ill", marginal={"age": weights})["yes"] == pytest.approx(0.1)
    assert net.query("age")[35] == 0.5
    assert net.cpt("ill")[60, "yes"] == 0.7
    assert net.most_probable(given={"ill": "yes"})[0].states["age"] == CUTS[2]


def test_two_numbers_of_one_interval_are_not_two_states() -> None:
    with pytest.raises(BadTable, match=r"twice|two entries"):
        bayou.Network("age", states={"age": CUTS}, tables={"age": {20: 0.2, 25: 0.2, 40: 0.3, 60: 0.3}})
    with pytest.raises(BadTable, match=r"twice|two entries"):
        stated().set_cpt("ill", {20: [0.5, 0.5], 25: [0.5, 0.5], 40: [0.5, 0.5], 60: [0.5, 0.5]})
    for node in (
        bayou.NoisyOr({"age": {20: 0.1, 25: 0.2}}),
        bayou.NoisyMax({"age": {20: [0.5, 0.5], 25: [0.5, 0.5]}}),
        bayou.Deterministic({20: "no", 25: "yes", 40: "no", 60: "no"}),
    ):
        with pytest.raises(BadTable, match=r"twice|two entries"):
            stated().set_cpt("ill", node)
    net = bayou.Network("age -> height", states={"age": CUTS}, continuous=["height"])
    with pytest.raises(BadTable, match=r"twice|two entries"):
        net.set_cpt("height", {20: (1, 1), 25: (1, 1), 40: (1, 1), 60: (1, 1)})
    with pytest.raises(BadPrior, match="two entries"):
        bayou.Network("age", states={"age": CUTS}).fit(
            {"age": [1.5]}, prior=bayou.Dirichlet({20: 1, 25: 1, 40: 1, 60: 1})
        )
    with pytest.raises(BadQuestion, match=r"two weights for Interval\(-inf, 30\)"):
        stated().query("ill", likelihood={"age": {20: 1.0, 25: 1.0, 60: 0.0}})


def test_unknown_values_are_named() -> None:
    with pytest.raises(UnknownState, match=r"'over 60' is not a state of 'age'\. Did you mean 'over 50'\?"):
        stated().query("ill", given={"age": "over 60"})
    with pytest.raises(BadData, match=r"Column 'age' has the value 'old' in row 1 "):
        bayou.Network("age", states={"age": CUTS}).fit({"age": ["31", "old"]})
    bounded = {"age": bayou.Cuts(30, 50, low=0, high=120)}
    with pytest.raises(
        BadData,
        match=r"the value 130\.0 in row 2 \(counting from 0\), which is in none of its intervals: Cuts",
    ):
        bayou.Network("age", states=bounded).fit({"age": [0.0, 120.0, 130.0]})
    net = bayou.Network("age -> ill", states=bounded).fit({"age": [0.0, 120.0], "ill": ["no", "yes"]})
    with pytest.warns(BayouWarning, match="2 in 'age'"):
        rows = net.posterior({"age": [1.0, -1.0, 130.0]}, "ill")
    np.testing.assert_array_equal(rows["ill"][1], net.posterior({"age": [None]}, "ill")["ill"][0])
    with pytest.raises(UnknownState, match=r"-1 in row 1"):
        net.posterior({"age": [1.0, -1.0]}, "ill", unknown="error")


def test_log_probabilities_of_rows_by_every_policy() -> None:
    bounded = {"age": bayou.Cuts(30, low=0, high=120)}
    net = bayou.Network("age -> ill", states=bounded).fit({"age": [1, 50, 60.5], "ill": ["a", "b", "a"]})
    assert net.log_probability({"age": 10, "ill": "a"}) == pytest.approx(np.log(2 / 5 * 2 / 3))
    smooth = net.log_probability({"age": [10, 130.0], "ill": ["a", "a"]}, unknown="smooth")
    assert smooth[1] == pytest.approx(np.log(1 / 6 * 1 / 2))
    assert net.predict({"ill": ["b"]}, "age").tolist() == [bounded["age"][1]]


def test_a_discretised_parent_and_child_of_other_kinds_of_nodes() -> None:
    random = np.random.default_rng(1)
    age = random.uniform(0, 100, 500)
    height = np.where(age > 50, 170.0, 160.0) + random.normal(0, 1, 500)
    net = bayou.Network("age -> height", states={"age": CUTS}, continuous=["height"])
    net.fit({"age": age, "height": height})
    assert net.query("height", given={"age": 70}).mean == pytest.approx(height[age > 50].mean())
    assert net.query("age", given={"height": 170.5})[99] > 0.99
    total = bayou.Network(
        "a, b -> sum",
        states={"sum": bayou.Cuts(1)},
        tables={"a": {0: 0.5, 1: 0.5}, "b": {0: 0.5, 1: 0.5}, "sum": bayou.Deterministic(lambda a, b: a + b)},
    )
    assert total.query("sum")["over 1"] == 0.25


def test_the_mean_takes_every_interval_at_its_middle_or_says_why_not() -> None:
    bounded = stated(age=bayou.Cuts(30, 50, low=0, high=100)).query("age")
    assert bounded.mean == pytest.approx(0.2 * 15 + 0.5 * 40 + 0.3 * 75)
    assert str(bounded).endswith("mean 45.5, each interval at its middle")
    assert "<p>mean 45.5" in bounded._repr_html_()
    open_ended = stated().query("age")
    assert "no mean: unbounded are up to 30, over 50" in str(open_ended)
    with pytest.raises(BadQuestion, match=r"the interval 'up to 30' is unbounded.*Cuts\(…, low=…, high=…\)"):
        _ = open_ended.mean
    with pytest.raises(BadQuestion, match="its state 'no' is not a number"):
        _ = stated().query("ill").mean
    with pytest.raises(BadQuestion, match="several targets"):
        _ = stated().query(["age", "ill"]).mean
    assert "mean" not in str(stated().query(["age", "ill"]))


def test_drawn_rows_hold_intervals_and_can_be_learned_from_in_every_form() -> None:
    net = stated()
    rows = net.sample(2000, seed=3)
    assert set(rows["age"].tolist()) == set(CUTS)
    learned = bayou.Network("age -> ill", states={"age": CUTS}).fit(rows)
    assert learned.query("age")[40] == pytest.approx(0.5, abs=0.05)
    for form in (rows.to_pandas(), rows.to_polars(), rows.to_dicts()):
        assert bayou.Network("age -> ill", states={"age": CUTS}).fit(form).same_as(learned)
    undeclared = bayou.Network("age -> ill").fit(rows)
    assert undeclared.variables["age"] == Variable("age", cuts=[30, 50])
    assert undeclared.partial_fit({"age": [41.5], "ill": ["no"]}).statistics.rows == 2001


FILES = ["bayou", "bif", "bif.gz", "bifxml", "net", "xdsl", "dsl", "uai"]


@pytest.mark.parametrize("ending", FILES)
@pytest.mark.parametrize("cuts", [CUTS, bayou.Cuts(0.1, 1e300, low=-1 / 3, high=1.7e308), bayou.Cuts()])
def test_every_format_keeps_the_cuts(ending: str, cuts: bayou.Cuts, tmp_path: Path) -> None:
    name = 'größe "in" cm, 1'
    net = bayou.Network({name: [], "ill": [name]}, states={name: cuts, "ill": ["no", "yes"]})
    net.fit({name: [0.1, 0.05, None], "ill": ["no", "yes", "yes"]})
    net.save(tmp_path / f"ages.{ending}")
    back = bayou.load(tmp_path / f"ages.{ending}")
    assert back.variables[name] == Variable(name, cuts)
    assert back.same_as(net)
    assert back.query("ill", given={name: 0.1}).to_dict() == net.query("ill", given={name: 0.1}).to_dict()


def test_a_saved_network_learns_on_from_numbers(tmp_path: Path) -> None:
    net = bayou.Network("age -> ill", states={"age": CUTS}).fit({"age": [1.5, 40], "ill": ["a", "b"]})
    net.save(tmp_path / "ages.bayou")
    more = {"age": [40.5, 60], "ill": ["b", "a"]}
    assert bayou.load(tmp_path / "ages.bayou").partial_fit(more).same_as(net.partial_fit(more))


def test_hugin_finds_the_ends_of_the_intervals_where_it_looks_for_them(tmp_path: Path) -> None:
    stated().save(tmp_path / "ages.net")
    text = (tmp_path / "ages.net").read_text(encoding="utf-8")
    assert "subtype = interval;\n    state_values = (-infinity 30.0 50.0 infinity);" in text
    assert 'states = ("up to 30" "30 to 50" "over 50")' in text
