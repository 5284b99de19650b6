"""TAN, AODE, KDB, Chow–Liu and networks with a target: against sums by hand, in any split, with weights."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou import AODE, TAN, BackOff, ChowLiuClassifier, KDependence, NetworkClassifier
from bayou.distributions import Laplace
from bayou.errors import BadData, BadQuestion, BayouWarning, TooWide
from bayou.estimators.networks.family_scores import FamilyRecords, FamilyScores, class_last
from bayou.schema import Variable
from bayou.sources import open_source

RECIPES = [TAN, AODE, KDependence, ChowLiuClassifier]


def rows(gaps: bool, count: int = 240) -> tuple[dict[str, list[Any]], np.ndarray]:
    random = np.random.default_rng(3)
    a, c = random.integers(0, 3, count), random.integers(0, 2, count)
    b = (a + random.integers(0, 2, count)) % 3
    y = np.where(random.random(count) < 0.8, (a + c) % 3, random.integers(0, 3, count))

    def column(codes: np.ndarray) -> list[Any]:
        return [None if gaps and random.random() < 0.15 else f"größe {code}" for code in codes]

    return {"erste": column(a), "die zweite": column(b), "3": column(c)}, np.array([f"k{k}" for k in y])


def part(X: dict[str, list[Any]], some: Any) -> dict[str, list[Any]]:
    return {name: [column[k] for k in some] for name, column in X.items()}


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("recipe", RECIPES)
def test_batches_with_classes_that_come_later_end_where_fit_does(recipe: Any, gaps: bool) -> None:
    X, y = rows(gaps)
    model = recipe()
    for some in np.array_split(np.argsort(y, kind="stable"), 4):
        model.partial_fit(part(X, some), y[some])
    expected = recipe().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("recipe", RECIPES)
def test_weights_are_repeated_rows(recipe: Any) -> None:
    X, y = rows(gaps=True)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    weighed = recipe().fit(X, y, sample_weight=weights)
    again = recipe().fit(part(X, repeated), y[repeated])
    np.testing.assert_allclose(weighed.predict_proba(X), again.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("weighting", ["uniform", "information"])
def test_aode_is_the_average_of_one_dependence_classifiers_summed_by_hand(weighting: str) -> None:
    X, y = rows(gaps=True)
    names, classes = list(X), sorted(set(y))
    table = {name: np.array(X[name], dtype=object) for name in names}
    states = {name: sorted({v for v in X[name] if v is not None}) for name in names}
    model = AODE(weighting=weighting, prior=0.5, least_count=1, evidence_weight=1).fit(X, y)

    def joint(row: dict[str, Any], label: str) -> float:
        total, members = 0.0, 0.0
        for parent in names:
            value = row[parent]
            if value is None:
                continue
            known = np.array([v is not None for v in table[parent]])
            own = known & (table[parent] == value) & (y == label)
            product = (own.sum() + 0.5) / (known.sum() + 0.5 * len(classes) * len(states[parent]))
            for child in names:
                if child == parent or row[child] is None:
                    continue
                seen = own & np.array([v is not None for v in table[child]])
                share = (seen & (table[child] == row[child])).sum() + 0.5
                product *= share / (seen.sum() + 0.5 * len(states[child]))
            worth = 1.0 if weighting == "uniform" else information(table[parent], y)
            total, members = total + worth * product, members + worth
        return total / members

    tried = [
        {"erste": "größe 1", "die zweite": "größe 2", "3": None},
        {name: states[name][0] for name in names},
    ]
    for row in tried:
        by_hand = np.array([joint(row, label) for label in classes])
        np.testing.assert_allclose(model.predict_joint_log_proba([row])[0], np.log(by_hand), rtol=1e-10)


def information(values: np.ndarray, y: np.ndarray) -> float:
    known = np.array([v is not None for v in values])
    total = 0.0
    for value in {v for v in values if v is not None}:
        for label in set(y):
            both = float((known & (values == value) & (y == label)).sum()) / known.sum()
            apart = float((values == value).sum()) / known.sum() * float((y[known] == label).mean())
            total += both * np.log(both / apart) if both else 0.0
    return total


def test_back_off_starts_each_table_from_that_of_the_class_alone() -> None:
    X, y = rows(gaps=False)
    model = TAN(prior=BackOff(4.0, 0.5), evidence_weight=1).fit(X, y)
    step = model.steps_[0]
    child, parent = (np.array(X[name]) for name in (step.child, step.parent))
    for label in sorted(set(y)):
        for value in sorted(set(parent)):
            for state in sorted(set(child)):
                alone = ((y == label) & (child == state)).sum() + 0.5
                alone /= (y == label).sum() + 0.5 * len(set(child))
                inside = (y == label) & (parent == value)
                by_hand = ((inside & (child == state)).sum() + 4 * alone) / (inside.sum() + 4)
                given = {"class": label, step.parent: value}
                asked = model.network_.query(step.child, given=given)[state]
                assert asked == pytest.approx(by_hand, rel=1e-10)


def test_a_graph_may_back_off_too_whatever_the_order_of_the_parents() -> None:
    X, y = rows(gaps=False)
    tree = TAN(prior=BackOff(2.0), evidence_weight=1).fit(X, y)
    arcs: list[tuple[str, str]] = [("class", name) for name in X]
    arcs = [*((step.parent, step.child) for step in tree.steps_), *arcs]  # the class comes last
    graph = NetworkClassifier(arcs, target="class", prior=BackOff(2.0)).fit(X, y)
    np.testing.assert_allclose(graph.predict_proba(X), tree.predict_proba(X), rtol=1e-10)
    other = NetworkClassifier("erste, 3 -> class", target="class", prior="back-off")
    expected = NetworkClassifier("erste, 3 -> class", target="class", prior=1.0)
    np.testing.assert_allclose(other.fit(X, y).predict_proba(X), expected.fit(X, y).predict_proba(X))


def test_a_class_without_rows_backs_off_to_uniform_tables() -> None:
    X, y = rows(gaps=False)
    with pytest.warns(bayou.BayouWarning, match="never occur"):
        model = TAN(prior=BackOff(1.0, Laplace(0))).partial_fit(X, y, classes=["k0", "k1", "k2", "zu früh"])
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(("recipe", "policy"), [(AODE, "smooth"), (TAN, "drop"), (NetworkClassifier, "no")])
def test_a_policy_that_is_not_kept_is_refused(recipe: Any, policy: str) -> None:
    with pytest.raises(BadQuestion, match=f"unknown='{policy}'"):
        recipe(unknown=policy).fit(*rows(gaps=False))


@pytest.mark.parametrize("weight", [0, -1.0, float("nan"), None, True, "much"])
def test_a_weight_of_the_evidence_that_is_none_is_refused(weight: Any) -> None:
    with pytest.raises(BadQuestion, match="evidence_weight="):
        bayou.NaiveBayes(evidence_weight=weight).fit(*rows(gaps=False))


@pytest.mark.parametrize("recipe", RECIPES)
def test_rows_that_can_not_be_learned_change_nothing(recipe: Any) -> None:
    random = np.random.default_rng(0)
    y = np.repeat(["ja", "nein"], 40)
    X = {"größe": (random.normal(size=80) + 3 * (y == "ja")).tolist(), "art": ["süß", "sauer"] * 40}
    model = recipe().fit(X, y)
    before, steps = model.predict_proba(X), getattr(model, "steps_", None)
    with pytest.raises(BadData, match="'größe' must hold numbers"):
        model.partial_fit({"größe": ["groß"] * 3, "art": ["süß"] * 3}, ["ja"] * 3)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert getattr(model, "steps_", None) is steps
    model.partial_fit({"größe": [None, None], "art": ["süß", None]}, ["ja", "nein"])


@pytest.mark.parametrize("prior", [0.5, 0.0])
def test_the_tables_of_aode_are_those_of_each_pair_by_hand(prior: float) -> None:
    X, y = rows(gaps=True, count=60)
    X["leer"] = [None] * 60
    model = AODE(prior=prior).fit(X, y)
    own: Any = model._model
    starts = np.cumsum([0, *(variable.cardinality for variable in own.variables)])
    for i, j in ((0, 1), (1, 0), (0, 2), (2, 1)):
        parent, child = own.variables[i], own.variables[j]
        for a, given in enumerate(parent.states):
            for c, label in enumerate(own.classes.states):
                hits = [
                    x
                    for x, g, k in zip(X[child.name], X[parent.name], y, strict=True)
                    if g == given and k == label and x is not None
                ]
                counts = np.array([hits.count(state) for state in child.states]) + prior
                shares = counts / counts.sum() if counts.sum() else np.full(len(counts), 1 / len(counts))
                found = np.exp(own.given[starts[i] + a, starts[j] : starts[j + 1], c])
                np.testing.assert_allclose(found, shares, rtol=1e-12)


def test_aode_with_a_prior_that_the_kernel_does_not_know_is_the_same_model() -> None:
    class Same(Laplace):
        """Not Laplace itself, so that every pair is smoothed on its own."""

    X, y = rows(gaps=True)
    alone, together = AODE(prior=Same(0.5)).fit(X, y), AODE(prior=0.5).fit(X, y)
    np.testing.assert_allclose(
        alone.predict_joint_log_proba(X), together.predict_joint_log_proba(X), rtol=1e-12
    )


@pytest.mark.parametrize("kind", RECIPES)
def test_columns_that_identify_rows_are_left_out_by_name(kind: Any) -> None:
    random = np.random.default_rng(0)
    y = random.choice(["p", "q"], 3000)
    useful = {
        "c": np.where(y == "p", "x", random.choice(["x", "z"], 3000)),
        "d": random.choice(["u", "v"], 3000),
    }
    ids = {"id": [f"u{k}" for k in range(3000)], "key": [f"v{k}" for k in range(3000)]}
    with pytest.warns(BayouWarning, match=r"different value of 'id', 'key'.*left out"):
        model = kind().fit(pandas.DataFrame({**ids, **useful}), y)
    plain = kind().fit(pandas.DataFrame(useful), y)
    new = pandas.DataFrame({**ids, **useful}).head(20)
    np.testing.assert_array_equal(model.predict_proba(new), plain.predict_proba(new[list(useful)]))


@pytest.mark.filterwarnings("ignore")  # some tell of ids
@pytest.mark.parametrize("kind", [TAN, AODE, bayou.NaiveBayes])
@pytest.mark.parametrize("unit", [1, 1.0])
def test_whole_weights_are_repeated_rows_where_values_are_nearly_an_id(kind: Any, unit: Any) -> None:
    random = np.random.default_rng(0)
    texts = np.array([f"id{k}" for k in random.integers(0, 1000, 300)])
    weights, y = random.integers(0, 4, 300), random.choice(["a", "b"], 300)
    often = np.repeat(np.arange(300), weights)
    weighted = kind().fit({"v": texts}, y, sample_weight=weights * unit)
    repeated = kind().fit({"v": texts[often]}, y[often])
    used = weights > 0
    source = open_source({"v": texts[used], "y": y[used]}, weights=weights[used])
    streamed = kind().fit(source, "y")
    found = weighted.predict_proba({"v": texts})
    assert found.std(axis=0).max() > 0.01
    np.testing.assert_allclose(repeated.predict_proba({"v": texts}), found, rtol=1e-12)
    np.testing.assert_allclose(streamed.predict_proba({"v": texts}), found, rtol=1e-12)


def test_more_columns_than_pairs_can_be_counted_of_are_refused_at_once() -> None:
    with pytest.raises(TooWide, match="every pair of 100,000 columns"):
        bayou.TAN().fit(np.zeros((4, 100_000), dtype=np.int8), [0, 1, 0, 1])


@pytest.mark.parametrize("prior", ["back-off", 1, BackOff(3.0, Laplace(0.5))])
@pytest.mark.parametrize("recipe", [TAN, KDependence, ChowLiuClassifier, NetworkClassifier])
def test_unseen_values_are_smoothed_like_states_without_a_row(recipe: Any, prior: Any) -> None:
    """The same answer as a query of the network learned with one more, declared state."""
    X, y = rows(gaps=False)
    plain = {} if recipe is NetworkClassifier else {"evidence_weight": 1}
    model = recipe(prior=prior, unknown="smooth", **plain).fit(X, y)
    asked = part(X, range(3))
    asked["erste"][1] = "nie gesehen"
    found = model.predict_proba(asked)
    np.testing.assert_allclose(found[[0, 2]], model.predict_proba(part(X, [0, 2])), rtol=1e-12)
    states = [*model.network_.variables["erste"].states, "nie gesehen"]
    tables = model._model.tables
    declared = {**tables.declared, "erste": bayou.Variable("erste", states)}
    wider = replace(tables, declared=declared).learned().network
    net = bayou.Network.from_parts(wider, None, {variable.name: variable for variable in wider.schema})
    answer = net.query(model.target_, given={name: column[1] for name, column in asked.items()})
    np.testing.assert_allclose(found[1], [answer[label] for label in model.classes_], rtol=1e-9)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(asked) == found).all()
    assert (model.predict_proba(part(asked, [1])) == found[1]).all()


def test_unseen_values_of_a_naive_network_are_those_of_naive_bayes() -> None:
    X, y = rows(gaps=True)
    asked = part(X, range(4))
    asked["erste"][1], asked["3"][1], asked["3"][2] = "nie", "auch nie", "nie"
    ours = NetworkClassifier(unknown="smooth").fit(X, y).predict_proba(asked)
    naive = bayou.NaiveBayes("table", unknown="smooth", evidence_weight=1).fit(X, y).predict_proba(asked)
    np.testing.assert_allclose(ours, naive, rtol=1e-9)


def test_large_tables_are_looked_up_without_the_logarithms_of_all_cells() -> None:
    random = np.random.default_rng(4)
    table = np.asfortranarray(random.dirichlet(np.ones(6), size=(3, 5)))  # [class, parent, x]
    variables = Variable("parent", range(5)), Variable("x", range(6))
    few = FamilyScores("x", variables, class_last(table, ["y", "parent", "x"], "y", 3), has_class=True)
    cells = np.array([0, 29, 7])
    expected = np.log(table.transpose(1, 2, 0).reshape(30, 3))
    np.testing.assert_array_equal(few.logs_of(cells), expected[cells])
    assert "logs" not in few.__dict__
    np.testing.assert_array_equal(few.logs_of(np.arange(30)), expected)
    np.testing.assert_array_equal(few.logs, expected)


def test_a_row_is_left_out_of_few_and_of_many_parents_alike() -> None:
    random = np.random.default_rng(5)
    records = random.integers(1, 9, (7, 4, 3)) + 0.5
    variables = Variable("parent", range(7)), Variable("x", range(4))
    family = FamilyRecords(FamilyScores("x", variables, records, has_class=True), records)
    cells, own = random.integers(0, 28, 5), random.integers(0, 3, 5)
    few = family.left_out(cells, np.ones(5, dtype=bool), own, np.ones(5))
    twice = family.left_out(*(np.tile(each, 2) for each in (cells, np.ones(5, dtype=bool), own, np.ones(5))))
    np.testing.assert_array_equal(np.tile(few, 2), twice)
    parent, state = cells // 4, cells % 4
    share = (records[parent, state, own] - 1) / (records[parent, :, own].sum(axis=1) - 1)
    np.testing.assert_allclose(few, np.log(share), rtol=1e-14)
