"""The ledger, the blackboard and the linear form: their numbers are the model's own."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from bayou.errors import BadData, BadQuestion, ImpossibleEvidence, UnknownState, UnknownVariable
from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes
from bayou.examples import play_tennis

DAY = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
LONG = "a column whose name is long, with spaces, ümlauts and <b>tags</b> & signs"


def tennis(**options: Any) -> NaiveBayes:
    return NaiveBayes(**options).fit(play_tennis(), "PlayTennis")


def mixed(rows: int = 120, seed: int = 1, **options: Any) -> tuple[NaiveBayes, dict[Any, Any]]:
    """Three classes, features of all kinds, gaps, a hostile name and a number as a name."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, rows)
    table = {
        "height": (classes + rng.normal(size=rows)).tolist(),
        LONG: [["ü", "b", "<i>"][k] for k in (classes + rng.integers(0, 2, rows)) % 3],
        7: (classes + rng.integers(0, 3, rows)).tolist(),
        "events": rng.poisson(1 + 2 * classes).tolist(),
    }
    table["height"][0] = None
    return NaiveBayes({"events": "poisson", "int": "table", "float": "gaussian"}, **options).fit(
        table, classes
    ), table


def row_of(table: dict[Any, Any], k: int) -> dict[Any, Any]:
    return {name: column[k] for name, column in table.items()}


def test_the_lecture_s_blackboard_is_written_with_the_raw_fractions() -> None:
    text = tennis(prior=0).working(DAY).text
    assert "(5/14)·(3/5)·(1/5)·(4/5)·(3/5) = 0.0206" in text
    assert "(9/14)·(2/9)·(3/9)·(3/9)·(3/9) = 0.0053" in text
    assert "P(No | row) = 0.0206 / (0.0206 + 0.0053) = 0.7954" in text
    latex = tennis(prior=0).working(DAY).latex
    assert (
        r"\frac{9}{14} \cdot \frac{2}{9} \cdot \frac{3}{9} \cdot \frac{3}{9} \cdot \frac{3}{9} = 0.0053"
        in latex
    )
    assert latex.startswith(r"\begin{align*}")
    assert latex.endswith(r"\end{align*}")


def test_smoothed_fractions_show_what_was_added() -> None:
    text = tennis(prior=1).working(DAY).text
    assert "(5+1)/(14+2)·(3+1)/(5+3)·(1+1)/(5+3)·(4+1)/(5+2)·(3+1)/(5+2) = " in text


def test_missing_and_unseen_findings_are_left_out_of_the_product_and_named() -> None:
    work = tennis(prior=0).working({**DAY, "Wind": None, "Outlook": "Snow"})
    assert "Left out: Outlook (never seen), Wind (missing)" in work.text
    assert "(5/14)·(1/5)·(4/5) = " in work.text
    assert r"\text{Outlook (never seen)}" in work.latex


def test_a_stated_class_prior_shows_as_the_number_it_is() -> None:
    work = tennis(prior=0, class_prior="uniform").working(DAY)
    assert "(0.5000)·(3/5)" in work.text


@pytest.mark.parametrize("weight", [1.0, 0.4])
@pytest.mark.parametrize("prior", [0.5, 1, 3])
def test_the_printed_product_is_the_model_s_joint_probability(prior: float, weight: float) -> None:
    model, table = mixed(prior=prior, evidence_weight=weight)
    for k in range(0, 120, 9):
        row = row_of(table, k)
        work = model.working(row)
        joint = model.predict_joint_log_proba([row])[0]
        assert work.joint_log == tuple(joint)
        for code in range(3):
            product = work.priors[code].log + work.weight * sum(f.log for f in work.factors[code])
            assert product == pytest.approx(joint[code], abs=1e-12)
        np.testing.assert_allclose(work.posterior, model.predict_proba([row])[0], rtol=1e-12)
        assert ("]^0.4" in work.text) == (weight != 1)


def test_gaussian_and_poisson_factors_show_their_parameters_and_their_value() -> None:
    model, table = mixed()
    text = model.working({**row_of(table, 3), "height": 1.25}).text
    normal = model._model.densities[0].distribution  # type: ignore[attr-defined]
    assert f"N(1.25; {normal.intercept[0]:.4g}, {normal.variance[0]:.4g})" in text
    assert "Poisson(" in text


def test_probabilities_too_small_for_a_double_are_still_written() -> None:
    names = [f"x{k}" for k in range(600)]
    rows = [
        {**dict.fromkeys(names, value), "class": label} for value, label in ((0, "a"), (1, "b")) for _ in "12"
    ]
    model = NaiveBayes("table").fit([{n: r[n] for n in names} for r in rows], [r["class"] for r in rows])
    text = model.working(dict.fromkeys(names, 0)).text
    assert "e-" in text
    assert " / (" in text


@pytest.mark.parametrize("order", ["size", "column"])
def test_the_ledger_adds_up_to_the_model_s_log_odds(order: str) -> None:
    for weight in (1.0, 0.3):
        model, table = mixed(evidence_weight=weight)
        for k in range(0, 120, 7):
            row = row_of(table, k)
            logs = model.predict_log_proba([row])[0]
            for a, b in ((0, 1), (2, 0), (1, 2)):
                ledger = model.explain(row, a, b, order)
                assert ledger.total == pytest.approx(logs[a] - logs[b], abs=1e-10)
                assert ledger.prior + sum(e.log_odds for e in ledger.entries) == pytest.approx(ledger.total)
                assert ledger.remainder == 0.0


def test_the_best_class_and_the_next_are_the_default() -> None:
    model, table = mixed()
    row = row_of(table, 5)
    ranked = np.argsort(-model.predict_proba([row])[0])
    ledger = model.explain(row)
    assert [ledger.of, ledger.against] == ranked[:2].tolist()
    assert model.explain(row, against=int(ranked[0])).of == ranked[1]
    assert ledger.posterior[ledger.of] == pytest.approx(model.predict_proba([row])[0].max())


def test_entries_come_by_size_or_in_the_order_of_the_columns() -> None:
    model, table = mixed()
    row = {**row_of(table, 4), 7: None}
    by_size = model.explain(row)
    sizes = [abs(entry.log_odds) for entry in by_size.entries if not entry.left_out]
    assert sizes == sorted(sizes, reverse=True)
    assert by_size.entries[-1].name == 7
    assert [entry.name for entry in model.explain(row, order="column").entries] == list(table)
    with pytest.raises(BadQuestion, match="order='alphabet'"):
        model.explain(row, order="alphabet")


def test_counts_and_moments_stand_behind_the_entries() -> None:
    ledger = tennis(prior=0).explain(DAY, order="column")
    assert ledger.prior_behind == ("5 of 14", "9 of 14")
    assert ledger.entries[0].behind == ("3 of 5", "2 of 9")
    model, table = mixed()
    height = model.explain({**row_of(table, 1), "height": 0.5}, order="column").entries[0]
    assert height.behind[0].startswith("mean ")
    assert "variance" in height.behind[1]


def test_missing_and_unseen_findings_are_told_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ledger = tennis().explain({**DAY, "Wind": float("nan"), "Outlook": "Snow"}, order="column")
    assert [entry.left_out for entry in ledger.entries] == ["never seen", "", "", "missing"]
    assert "Wind (missing: left out)" in str(ledger)
    assert "Outlook=Snow (never seen: left out)" in str(ledger)
    with pytest.raises(UnknownState, match="Snow"):
        tennis(unknown="error").explain({**DAY, "Outlook": "Snow"})
    smooth = tennis(unknown="smooth").explain({**DAY, "Outlook": "Snow"}, order="column")
    assert smooth.entries[0].log_odds != 0
    assert smooth.entries[0].behind == ("0 of 5", "0 of 9")


def test_a_finding_that_rules_a_class_out_is_infinite() -> None:
    ledger = tennis(prior=0).explain({**DAY, "Outlook": "Overcast"}, order="column")
    assert ledger.of == "Yes"
    assert math.isinf(ledger.total)
    assert ledger.entries[0].log_odds == math.inf
    assert "+inf" in str(ledger)
    assert "+inf" in ledger._repr_html_()
    rows = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 1, 2, 0, 1, 2]}
    model = NaiveBayes("table", prior=0).fit(rows, ["u", "u", "v", "v", "w", "w"])
    with pytest.raises(BadQuestion, match="Both 'v' and 'w' have probability 0"):
        model.explain({"a": 0, "b": 1}, "v", "w")
    with pytest.raises(ImpossibleEvidence):
        model.explain({"a": 0, "b": 2})


def test_bad_questions_are_refused_by_name() -> None:
    model = tennis()
    with pytest.raises(BadQuestion, match="two different classes"):
        model.explain(DAY, "No", "No")
    with pytest.raises(UnknownState, match="Maybe"):
        model.explain(DAY, "Maybe")
    with pytest.raises(UnknownVariable, match="Outlok"):
        model.explain({"Outlok": "Sunny"})
    with pytest.raises(BadData, match="2 values"):
        model.explain(["Sunny", "Cool"])
    with pytest.raises(BadData, match="is not a row"):
        model.working("Sunny")
    with pytest.raises(BadData, match="One row"):
        model.explain(pandas.DataFrame([DAY, DAY]))
    with pytest.raises(NotFittedError):
        NaiveBayes().explain(DAY)
    with pytest.raises(BadQuestion, match="only one class"):
        NaiveBayes().fit({"x": [1, 2]}, ["a", "a"]).explain({"x": 1})


def test_a_row_may_come_in_every_shape() -> None:
    model = tennis()
    want = model.explain(DAY)
    shapes: list[Any] = [
        pandas.Series(DAY),
        pandas.DataFrame([DAY]),
        polars.DataFrame([DAY]),
        {**DAY, "PlayTennis": "No"},
        {name: [value] for name, value in DAY.items()},
        list(DAY.values()),
        tuple(DAY.values()),
        np.array(list(DAY.values()), dtype=object),
        [list(DAY.values())],
    ]
    for shape in shapes:
        assert model.explain(shape) == want
        assert model.working(shape).text == model.working(DAY).text


def test_a_model_of_an_array_takes_rows_of_arrays() -> None:
    X = np.array([[0.0, 1.5], [1.0, 2.5], [0.0, 3.5], [1.0, 0.5]])
    model = NaiveBayes().fit(X, [0, 1, 1, 0])
    assert model.explain(X[0]) == model.explain(X[:1]) == model.explain([0.0, 1.5])
    assert [entry.name for entry in model.explain(X[0], order="column").entries] == ["x0", "x1"]
    assert model.explain({"x0": 0.0}).to_dict()["findings"][1]["left_out"] == "missing"


def test_the_ledger_is_text_html_and_data() -> None:
    model, table = mixed()
    ledger = model.explain(row_of(table, 2), order="column")
    html = ledger._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;tags" in html
    assert "background" in html
    data = ledger.to_dict()
    assert data["total"] == ledger.total
    assert [f["name"] for f in data["findings"]] == list(table)
    frame = ledger.to_frame()
    assert frame["part"].tolist() == ["prior", *["finding"] * 4, "sum"]
    assert frame["log_odds"].iloc[:-1].sum() == pytest.approx(frame["log_odds"].iloc[-1])
    twin = pickle.loads(pickle.dumps(ledger))
    assert twin == ledger
    assert twin.flip == ledger.flip


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_linear_form_is_the_model(data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 2)), min_size=4)
    )
    table = {"letter": [r[0] for r in rows], True: [r[1] for r in rows]}
    labels = [0, 1, 2, *(r[2] for r in rows)][: len(rows)]
    model = NaiveBayes("table", prior=0.5).fit(table, labels)
    row = {
        "letter": data.draw(st.sampled_from(["a", "b", "c", "never", None])),
        True: data.draw(st.booleans()),
    }
    unit = model.linear_weights(0, 2)
    assert unit.log_odds(row) == pytest.approx(model.explain(row, 0, 2).total, abs=1e-9)


def test_binary_features_have_a_weight_vector() -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (60, 4))
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, 60)) > 1
    model = NaiveBayes("table").fit(X, y)
    unit = model.linear_weights(True, False)
    form = X @ np.array(list(unit.vector().values())) + unit.vector_bias()
    logs = model.predict_log_proba(X)
    np.testing.assert_allclose(form, logs[:, 1] - logs[:, 0], atol=1e-10)
    assert ((form > 0) == model.predict(X)).all()
    assert unit.decide(dict(zip(unit.states, X[3].tolist(), strict=True))) == model.predict(X[3:4])[0]


def test_counts_of_events_are_linear_and_unequal_gaussians_are_not() -> None:
    model, table = mixed()
    with pytest.raises(BadQuestion, match="'height' has a different variance"):
        model.linear_weights(0, 1)
    events = NaiveBayes("poisson", evidence_weight=0.5).fit({"events": table["events"]}, model.predict(table))
    row = {"events": 4}
    assert events.linear_weights(0, 1).log_odds(row) == pytest.approx(events.explain(row, 0, 1).total)
    assert "per unit" in str(events.linear_weights(0, 1))
    with pytest.raises(BadQuestion, match="3 states"):
        tennis().linear_weights("No", "Yes").vector()


def test_a_column_without_any_value_is_explained_as_nothing() -> None:
    model = NaiveBayes(evidence_weight=1).fit({"a": [None] * 4, "b": ["x", "x", "y", "y"]}, [0, 0, 1, 1])
    row = {"a": "new", "b": "x"}
    assert model.explain(row).total == pytest.approx(np.log(3))
    np.testing.assert_allclose(model.working(row).posterior, model.predict_proba([row])[0])
