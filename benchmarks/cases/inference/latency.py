"""Single questions and single rows, as a service asks them: what one call takes from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work
from cases.inference.marginals import exact_pyagrum
from data import bif_file

CALLS = 200
QUERIES = {"asia": ("lung", ("smoke", "dysp")), "alarm": ("HISTORY", ("HRBP", "CO", "BP"))}


def _findings(name: str) -> list[dict[str, str]]:
    import bayou

    rows = bayou.load(bif_file(name)).sample(CALLS, seed=3).to_dicts()
    return [{variable: row[variable] for variable in QUERIES[name][1]} for row in rows]


def _query(name: str, cold: bool) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import bayou

        network, target, sets = bayou.load(bif_file(name)), QUERIES[name][0], _findings(name)
        network.query(target, given=sets[0])

        def run() -> list[Any]:
            answers = []
            for found in sets:
                if cold:
                    network.drop_plans()
                answers.append(network.query(target, given=found))
            return answers

        return Work(run, lambda answers: sum(float(np.square(a.to_array()).sum()) for a in answers))

    return prepare


def _pyagrum_query(name: str) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import pyagrum

        network, target, sets = exact_pyagrum(name), QUERIES[name][0], _findings(name)
        inference = pyagrum.ShaferShenoyInference(network)
        inference.addTarget(target)

        def run() -> list[Any]:
            answers = []
            for found in sets:
                inference.setEvidence(found)
                inference.makeInference()
                answers.append(inference.posterior(target))
            return answers

        return Work(run, lambda answers: sum(float(np.square(a.toarray()).sum()) for a in answers))

    return prepare


def _query_case(name: str) -> Case:
    return Case(
        f"query-{name}",
        f"one target given {len(QUERIES[name][1])} findings, {name}: {CALLS} queries, one after the other",
        {
            "bayou": _query(name, False),
            "bayou, cold plans": _query(name, True),
            "pyAgrum": _pyagrum_query(name),
        },
        targets={"pyAgrum": 7},
        other_targets={("bayou, cold plans", "pyAgrum"): 3},
    )


def _categories() -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(8)
    X = chance.integers(0, 5, (5000, 20))
    return X, (X[:, 0] + X[:, 1] > 4).astype(int)


def _one_by_one(model: Any, rows: list[Any]) -> Work:
    model.predict_proba(rows[0])
    return Work(
        lambda: [model.predict_proba(row) for row in rows],
        lambda answers: float(sum(np.square(answer).sum() for answer in answers)),
    )


def bayou_array_row(scale: float) -> Work:
    """A row of a numpy array."""
    import bayou

    X, y = _categories()
    model = bayou.NaiveBayes("table", class_prior=np.bincount(y) / len(y)).fit(X, y)
    return _one_by_one(model, [X[k : k + 1] for k in range(CALLS)])


def sklearn_array_row(scale: float) -> Work:
    """The same, scikit-learn's CategoricalNB."""
    from sklearn.naive_bayes import CategoricalNB

    X, y = _categories()
    return _one_by_one(CategoricalNB().fit(X, y), [X[k : k + 1] for k in range(CALLS)])


def tan_array_row(scale: float) -> Work:
    """The same, a tree-augmented naive Bayes (its answers differ)."""
    import bayou

    X, y = _categories()
    return _one_by_one(bayou.TAN().fit(X, y), [X[k : k + 1] for k in range(CALLS)])


def _mixed() -> tuple[Any, np.ndarray]:
    import pandas

    chance = np.random.default_rng(9)
    table = pandas.DataFrame(
        {
            "colour": chance.choice(["red", "green", "blue"], 5000),
            "length": chance.normal(size=5000),
            "count": chance.integers(0, 4, 5000),
            "width": chance.normal(size=5000) * 2,
            "kind": chance.choice(["u", "v"], 5000),
        }
    )
    return table, np.where((table["length"] > 0) ^ (table["colour"] == "red"), "p", "q")


def _mixed_row(maker: str, as_dict: bool) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import bayou

        table, y = _mixed()
        model = getattr(bayou, maker)().fit(table, y)
        rows: list[Any] = [table.iloc[k : k + 1] for k in range(CALLS)]
        if as_dict:
            rows = [row.to_dict("list") for row in rows]
        return _one_by_one(model, rows)

    return prepare


def sklearn_frame_row(scale: float) -> Work:
    """scikit-learn on a frame: one-hot columns and naive Bayes in a pipeline."""
    from sklearn.compose import make_column_transformer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table, y = _mixed()
    coded = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour", "kind"]), remainder="passthrough"
    )
    model = make_pipeline(coded, GaussianNB()).fit(table, y)
    return _one_by_one(model, [table.iloc[k : k + 1] for k in range(CALLS)])


LATENCY = (
    *(_query_case(name) for name in QUERIES),
    Case(
        "row-array",
        f"predict_proba of one row of an array, 20 whole numbers, {CALLS} rows, one after the other",
        {"bayou": bayou_array_row, "bayou, TAN": tan_array_row, "scikit-learn": sklearn_array_row},
        targets={"scikit-learn": 3},
        tolerance=None,
    ),
    Case(
        "row-frame",
        f"predict_proba of a frame of one row, text and numbers, {CALLS} rows, one after the other",
        {
            "bayou": _mixed_row("NaiveBayes", False),
            "bayou, TAN": _mixed_row("TAN", False),
            "bayou, dict": _mixed_row("NaiveBayes", True),
            "bayou, TAN, dict": _mixed_row("TAN", True),
            "scikit-learn": sklearn_frame_row,
        },
        targets={"scikit-learn": 9},
        tolerance=None,
    ),
)
