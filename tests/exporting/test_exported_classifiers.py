"""Classifiers as code answer what predict_proba answers, with gaps, values never seen and odd names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion
from bayou.estimators.exported_program import program_of
from bayou.exporting.sql.sizes import statement_size
from bayou.features import KernelFeature
from tests.exporting.running import DATABASES, in_node, in_python, in_sql, needs_node, plain_rows

EXACT = 1e-12
TARGET = 'the "class" </script>'
TEXT, WORD, COUNT, REAL, WIDE = (
    '"; DROP TABLE rows; --',
    "__import__('os')",
    "select",
    "a\\b\u2028\n",
    "__proto__",
)
ODD = ["it's", '"; DROP TABLE rows; --', "</script>", "a\\b", "%s", "", "ü\u2029", "\r\n", "${x}", "None"]


def table(rows: int, seed: int) -> dict[str, list[Any]]:
    """Columns of texts, whole and real numbers that depend on a class, with gaps and odd values."""
    chance = np.random.default_rng(seed)
    kind = chance.integers(0, 3, rows)
    columns: dict[str, list[Any]] = {
        TARGET: [["yes", "no'", "`${0}`"][k] for k in kind],
        TEXT: [ODD[k] for k in (kind * 2 + chance.integers(0, 5, rows)) % 10],
        WORD: [["p", "q", "r"][k] for k in np.minimum(kind, chance.integers(0, 3, rows))],
        COUNT: [int(c) for c in chance.poisson(1 + kind)],
        REAL: [float(x) for x in chance.normal(size=rows) + kind],
        WIDE: [float(x) for x in 100 + chance.normal(size=rows) * (1 + kind)],
    }
    for name in list(columns)[1:]:
        for k in np.flatnonzero(chance.random(rows) < 0.1):
            columns[name][k] = None
    return columns


LEARNED = table(400, 1)
MIXED = {TEXT: "table", WORD: "table", COUNT: "poisson", REAL: "gaussian", WIDE: "discretised"}
NUMBERS = (TEXT, WORD, COUNT)
MODELS = {
    "naive Bayes": (bayou.NaiveBayes(MIXED), ()),
    "naive Bayes of states": (bayou.NaiveBayes("table"), (REAL, WIDE)),
    "with a weight": (bayou.NaiveBayes(MIXED, evidence_weight=0.6), ()),
    "without smoothing": (bayou.NaiveBayes(MIXED, prior=0), ()),
    "TAN": (bayou.TAN(), (REAL, WIDE)),
    "weighed TAN": (bayou.TAN(evidence_weight=0.7), (REAL, WIDE)),
    "two parents": (bayou.KDependence(k=2), (REAL, WIDE)),
    "trees": (bayou.ChowLiuClassifier(), (REAL, WIDE)),
    "AODE": (bayou.AODE(), (REAL, WIDE)),
    "AODE of rare values": (bayou.AODE(least_count=90, evidence_weight=0.8), (REAL, WIDE)),
    "Gaussian, diagonal": (bayou.GaussianBayes("diagonal"), NUMBERS),
    "Gaussian, shared": (bayou.GaussianBayes("shared"), NUMBERS),
    "Gaussian, full": (bayou.GaussianBayes("full"), NUMBERS),
    "Gaussian of states, diagonal": (bayou.GaussianBayes("diagonal"), (TEXT,)),
    "Gaussian of states, shared": (bayou.GaussianBayes("shared"), (TEXT,)),
    "Gaussian of states, full": (bayou.GaussianBayes("full"), (TEXT, WIDE)),
}
pytestmark = pytest.mark.filterwarnings("ignore::bayou.BayouWarning")


def fitted(name: str) -> Any:
    model, left_out = MODELS[name]
    known = {column: values for column, values in LEARNED.items() if column not in left_out}
    return model.copy().fit(known, TARGET)


def new_rows(name: str, rows: int) -> dict[str, list[Any]]:
    """New rows, with a value that was never seen in every table."""
    columns = {column: cells for column, cells in table(rows, 2).items() if column not in MODELS[name][1]}
    del columns[TARGET]
    for k in range(0, rows, 7):
        if WORD in columns:
            columns[WORD][k] = "never"
    return columns


@pytest.mark.parametrize("name", MODELS)
def test_python_gives_the_same_probabilities(name: str, tmp_path: Path) -> None:
    model, rows = fitted(name), new_rows(name, 10_000)
    found = in_python(model.export(), plain_rows(rows), tmp_path)
    assert np.allclose(found, model.predict_proba(rows), rtol=0, atol=EXACT)


@needs_node
@pytest.mark.parametrize("name", MODELS)
def test_javascript_gives_the_same_probabilities(name: str, tmp_path: Path) -> None:
    model, rows = fitted(name), new_rows(name, 10_000)
    found = in_node(model.export("javascript"), plain_rows(rows), tmp_path)
    assert np.allclose(found, model.predict_proba(rows), rtol=0, atol=EXACT)


@pytest.mark.parametrize("name", MODELS)
def test_duckdb_gives_the_same_probabilities(name: str) -> None:
    model, rows = fitted(name), new_rows(name, 10_000)
    query = model.export("sql", dialect="duckdb", keep="id")
    found = in_sql(query, plain_rows(rows), "duckdb")
    assert np.allclose(found, model.predict_proba(rows), rtol=0, atol=EXACT)


@pytest.mark.parametrize("dialect", DATABASES[1:])
@pytest.mark.parametrize("name", MODELS)
def test_other_databases_give_the_same_probabilities(name: str, dialect: str) -> None:
    model, rows = fitted(name), new_rows(name, 300)
    query = model.export("sql", dialect=dialect, keep="id")
    found = in_sql(query, plain_rows(rows), dialect)
    assert np.allclose(found, model.predict_proba(rows), rtol=0, atol=EXACT)


KERNEL_ERROR = 1e-9
"""How far a density of a kernel column may be from the sum of all its kernels, which exports add up."""


@needs_node
@pytest.mark.parametrize(("error", "bound"), [(0.0, EXACT), (KERNEL_ERROR, 2 * KERNEL_ERROR)])
def test_kernel_densities(error: float, bound: float, tmp_path: Path) -> None:
    kernel = KernelFeature(relative_error=error) if error == 0 else "kernel"
    model = bayou.NaiveBayes({**MIXED, REAL: kernel, WIDE: kernel}).fit(LEARNED, TARGET)
    columns = new_rows("naive Bayes", 500)
    expected, rows = model.predict_proba(columns), plain_rows(columns)
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=bound)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=bound)
    for dialect in DATABASES:
        found = in_sql(model.export("sql", dialect=dialect, keep="id"), rows, dialect)
        assert np.allclose(found, expected, rtol=0, atol=bound), dialect


def test_the_stated_error_of_kernels_is_the_default() -> None:
    assert KernelFeature().relative_error == KERNEL_ERROR


def test_the_default_naive_bayes_is_within_what_is_stated(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    kind = chance.integers(0, 3, 3000)
    rows = {"x": chance.normal(size=3000) + kind}
    model = bayou.NaiveBayes().fit(rows, kind.tolist())
    assert model.choices_["x"].kind == "kernel"
    columns: dict[str, list[Any]] = {"x": (chance.normal(size=1000) * 2).tolist()}
    found = in_python(model.export(), plain_rows(columns), tmp_path)
    assert np.allclose(found, model.predict_proba(columns), rtol=0, atol=KERNEL_ERROR)
    found = in_sql(model.export("sql", dialect="duckdb", keep="id"), plain_rows(columns), "duckdb")
    assert np.allclose(found, model.predict_proba(columns), rtol=0, atol=KERNEL_ERROR)


@needs_node
def test_smoothed_unseen_values(tmp_path: Path) -> None:
    model = bayou.NaiveBayes(MIXED, unknown="smooth").fit(LEARNED, TARGET)
    columns = new_rows("naive Bayes", 500)
    expected, rows = model.predict_proba(columns), plain_rows(columns)
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=EXACT)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=EXACT)
    with pytest.raises(BadQuestion, match="'smooth' has no form in SQL"):
        model.export("sql")


@needs_node
@pytest.mark.parametrize("kind", [bayou.NaiveBayes, bayou.TAN])
def test_weights_of_columns(kind: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    y = chance.integers(0, 2, 1000)
    told = [f"s{cell}" for cell in np.where(chance.random(1000) < 0.8, y, chance.integers(0, 2, 1000))]
    columns: dict[str, list[Any]] = {f"copy {k}": list(told) for k in range(3)}
    columns["noise"] = [f"s{cell}" for cell in chance.integers(0, 3, 1000)]
    columns["weak"] = [f"s{cell}" for cell in np.where(chance.random(1000) < 0.7, y, 1 - y)]
    model = kind().fit(columns, y.tolist())
    weights = np.linspace(0, 1.2, 5)  # learned only where they help: see the tests of these classifiers
    model._model = replace(model._model, column_weights=weights, weight=0.8)
    for name in columns:
        columns[name] = [None if chance.random() < 0.2 else cell for cell in columns[name]]
    expected, rows = model.predict_proba(columns), plain_rows(columns)
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=EXACT)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=EXACT)
    query = model.export("sql", dialect="duckdb", keep="id")
    assert np.allclose(in_sql(query, rows, "duckdb"), expected, rtol=0, atol=EXACT)


@needs_node
def test_truth_values_of_a_gaussian(tmp_path: Path) -> None:
    chance = np.random.default_rng(2)
    kind = chance.integers(0, 2, 200)
    columns: dict[str, list[Any]] = {
        "wet": [bool(w) for w in chance.random(200) < 0.3 + 0.4 * kind],
        "x": (chance.normal(size=200) + kind).tolist(),
    }
    model = bayou.GaussianBayes("full").fit(columns, kind.tolist())
    columns["wet"][::7] = [None] * len(columns["wet"][::7])
    expected, rows = model.predict_proba(columns), plain_rows(columns)
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=EXACT)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=EXACT)
    for dialect in DATABASES:
        found = in_sql(model.export("sql", dialect=dialect, keep="id"), rows, dialect)
        assert np.allclose(found, expected, rtol=0, atol=EXACT), dialect
    complete = model.to_sql("rows", dialect="duckdb", keep="id")
    known = [row for row in rows if row["wet"] is not None]
    found = in_sql(complete, known, "duckdb")
    expected = expected[[row["wet"] is not None for row in rows]]
    assert np.allclose(found, expected, rtol=0, atol=EXACT)


def test_texts_are_refused_with_advice_that_texts_can_take() -> None:
    rows = {"t": ["good and fine", "bad"] * 20, "x": [1.0, 2.0] * 20}
    model = bayou.NaiveBayes({"t": "words", "x": "gaussian"}).fit(rows, ["a", "b"] * 20)
    for language in ("python", "javascript", "sql"):
        with pytest.raises(BadQuestion, match=r"'t' is text that is cut into words.*Leave the column out"):
            model.export(language)


def numbers(columns: int, kinds: int = 2) -> tuple[dict[str, list[float]], list[int]]:
    """Rows of many numbers."""
    chance = np.random.default_rng(1)
    classes = chance.integers(0, kinds, 300)
    table = {f"x{k}": (chance.normal(size=300) + 0.1 * classes).tolist() for k in range(columns)}
    return table, classes.tolist()


@pytest.mark.parametrize(
    ("model", "columns", "kinds", "message"),
    [
        (bayou.GaussianBayes("full"), 60, 2, r"60 numbers .* 120 queries inside each other.*'diagonal'"),
        (bayou.GaussianBayes("shared"), 60, 2, r"Export to Python or JavaScript.*'diagonal'"),
        (bayou.GaussianBayes("full"), 30, 4, r"30 numbers .* at most 80 and 1,600 are written"),
        (bayou.NaiveBayes("kernel"), 80, 2, r"3\.\d million characters; at most 3 .*'x0': 'discretised'"),
    ],
)
def test_statements_that_no_database_would_read(model: Any, columns: int, kinds: int, message: str) -> None:
    fitted = model.copy().fit(*numbers(columns, kinds))
    with pytest.raises(BadQuestion, match=message):
        fitted.export("sql")
    assert "MODEL" in fitted.export("python")


def test_a_statement_of_averaged_trees_is_refused_before_it_is_written() -> None:
    columns, classes = numbers(60)
    states = {name: [f"s{int(2 * x) % 4}" for x in own] for name, own in columns.items()}
    model = bayou.AODE().fit(states, classes)
    with pytest.raises(BadQuestion, match=r"million characters.*or fit with fewer columns"):
        model.export("sql")


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (bayou.GaussianBayes("full"), 12),
        (bayou.GaussianBayes("shared"), 20),
        (bayou.GaussianBayes("diagonal"), 100),
        (bayou.NaiveBayes("kernel"), 3),
        (bayou.NaiveBayes("table"), 40),
    ],
)
def test_sizes_of_statements_are_predicted(model: Any, columns: int) -> None:
    rows, classes = numbers(columns)
    if columns == 40:
        rows = {name: [f"s{int(2 * x)}" for x in own] for name, own in rows.items()}
    fitted = model.copy().fit(rows, classes)
    text = fitted.export("sql", dialect="duckdb")
    assert 0.6 < statement_size(program_of(fitted)) / len(text) < 1.6


@needs_node
@pytest.mark.parametrize("name", ["naive Bayes", "weighed TAN", "AODE", "Gaussian, full"])
def test_other_class_probabilities(name: str, tmp_path: Path) -> None:
    model, columns = fitted(name).with_class_prior([0.7, 0.2, 0.1]), new_rows(name, 60)
    expected, rows = model.predict_proba(columns), plain_rows(columns)
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=EXACT)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=EXACT)
    query = model.export("sql", dialect="duckdb", keep="id")
    assert np.allclose(in_sql(query, rows, "duckdb"), expected, rtol=0, atol=EXACT)


def many_features(rows: int, seed: int) -> dict[str, list[Any]]:
    """500 columns that say little, so that log P(row) is about -500 and P(class) is not just 0 or 1."""
    chance = np.random.default_rng(seed)
    kind = chance.integers(0, 2, rows)
    columns: dict[str, list[Any]] = {"class": [["a", "b"][k] for k in kind]}
    for name in range(500):
        told = chance.random(rows) < 0.5 + 0.02 * (name % 2)
        cells = np.where(told, kind, 1 - kind) + 2 * chance.integers(0, 2, rows)
        columns[f"x{name}"] = [
            None if gap else f"s{c}" for c, gap in zip(cells, chance.random(rows) < 0.1, strict=True)
        ]
    return columns


@needs_node
@pytest.mark.parametrize(
    "model", [bayou.NaiveBayes(evidence_weight=1), bayou.TAN(evidence_weight=1)], ids=["naive Bayes", "TAN"]
)
def test_five_hundred_features_do_not_underflow(model: Any, tmp_path: Path) -> None:
    model = model.copy().fit(many_features(2000, 3), "class")
    rows = many_features(100, 4)
    del rows["class"]
    expected = model.predict_proba(rows)
    assert model.predict_joint_log_proba(rows).max() < -400
    assert np.sum((expected > 1e-6) & (expected < 1 - 1e-6)) > 50
    assert np.allclose(in_python(model.export(), plain_rows(rows), tmp_path), expected, rtol=0, atol=EXACT)
    found = in_node(model.export("javascript"), plain_rows(rows), tmp_path)
    assert np.allclose(found, expected, rtol=0, atol=EXACT)
    few = plain_rows(rows)[:20]
    if isinstance(model, bayou.TAN):
        with pytest.raises(BadQuestion, match=r"nested sums.*Export to Python or JavaScript"):
            model.export("sql")
        return
    found = in_sql(model.export("sql", dialect="duckdb", keep="id"), few, "duckdb")
    assert np.allclose(found, expected[:20], rtol=0, atol=EXACT)


@needs_node
def test_many_rows_of_five_hundred_features(tmp_path: Path) -> None:
    model = bayou.NaiveBayes(evidence_weight=1).fit(many_features(1000, 3), "class")
    columns = many_features(2000, 5)
    del columns["class"]
    for name in list(columns)[::50]:
        columns[name][::9] = ["never"] * len(columns[name][::9])
    expected, rows = model.predict_proba(columns), plain_rows(columns)
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=EXACT)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=EXACT)
    found = in_sql(model.export("sql", dialect="duckdb", keep="id"), rows, "duckdb")
    assert np.allclose(found, expected, rtol=0, atol=EXACT)


def test_numbers_far_out_are_answered_as_by_the_library(tmp_path: Path) -> None:
    rows = {"w": [2.0, 2.5, 1.5, 3.0] * 10 + [11.0, 10.5, 12.0, 11.5] * 10}
    model = bayou.NaiveBayes({"w": "gaussian"}).fit(rows, ["a"] * 40 + ["b"] * 40)
    far = {"w": [1e4, 3e4, 1e6, -1e9]}
    expected = model.predict_proba(far)
    assert expected.max(axis=1).tolist() == [1.0] * 4
    space: dict[str, Any] = {"__name__": "exported"}
    exec(model.export("python"), space)
    np.testing.assert_array_equal([space["predict_proba"]({"w": w}) for w in far["w"]], expected)
    assert space["predict_proba"]({"w": 1e155}) == pytest.approx([0.5, 0.5])
    with pytest.raises(ValueError, match="'w' is infinite"):
        space["predict_proba"]({"w": 10**400})
    connection = duckdb.connect()
    connection.execute("CREATE TABLE far AS SELECT UNNEST([1e4, 3e4, 1e6, -1e9]) AS w")
    found = connection.execute(model.to_sql("far", dialect="duckdb")).fetchall()
    np.testing.assert_allclose([row[-2:] for row in found], expected, atol=1e-12)
