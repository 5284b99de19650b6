"""Files of the versions that kept a table for each pair: they load, predict and learn on as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.estimators.networks.aode import AODE
from bayou.estimators.networks.tree_classifiers import TAN, ChowLiuClassifier, KDependence
from bayou.statistics import PairCounts

GOLDEN = Path(__file__).parent / "golden"
ROWS: dict[Any, list[Any]] = {
    "a b": [0, 0, 1, 1, 2, None] * 6,
    "größe": ["s", "l", "l", "s", "s", "s"] * 6,
    3: [1, 1, 0, 0, 1, 0] * 6,
}
CLASSES = ["no", "yes", "yes", "no", "no", "yes"] * 6
MORE: dict[Any, list[Any]] = {"a b": [2, 5, 0], "größe": ["m", "s", None], 3: [0, 1, 1]}
MORE_CLASSES = ["no", "maybe", "yes"]
# These files have no sample of rows, so that no exponent can be learned from them.
MODELS = [
    TAN(evidence_weight=1),
    ChowLiuClassifier(evidence_weight=1),
    KDependence(2, evidence_weight=1),
    AODE(evidence_weight=1),
]


@pytest.mark.parametrize("fresh", MODELS, ids=lambda model: type(model).__name__)
def test_classifiers_of_earlier_files_predict_and_learn_on(fresh: Any, tmp_path: Path) -> None:
    old = bayou.load(str(GOLDEN / f"{type(fresh).__name__.lower()}-v1.bayou"))
    new = fresh.fit(ROWS, CLASSES)
    np.testing.assert_allclose(old.predict_proba(ROWS), new.predict_proba(ROWS), rtol=1e-12)
    assert not any(isinstance(request, PairCounts) for request in old.statistics_)
    old.partial_fit(MORE, MORE_CLASSES)
    new.partial_fit(MORE, MORE_CLASSES)
    np.testing.assert_allclose(old.predict_proba(MORE), new.predict_proba(MORE), rtol=1e-12)
    for model in (old, new):
        model.save(tmp_path / "again.bayou")
        again = bayou.load(str(tmp_path / "again.bayou"))
        np.testing.assert_array_equal(again.predict_proba(MORE), model.predict_proba(MORE))


def test_ensembles_that_kept_their_rows_only(tmp_path: Path) -> None:
    old = bayou.load(str(GOLDEN / "bayesensemble-v1.bayou"))
    rows = {name: column * 2 for name, column in ROWS.items()}
    new = bayou.BayesEnsemble("small").fit(rows, CLASSES * 2)
    np.testing.assert_array_equal(old.predict_proba(ROWS), new.predict_proba(ROWS))
    for model in (old, new):
        model.partial_fit(MORE, MORE_CLASSES)
    np.testing.assert_array_equal(old.predict_proba(MORE), new.predict_proba(MORE))


def test_pairs_are_kept_in_one_table_now(tmp_path: Path) -> None:
    model = TAN().fit(ROWS, CLASSES)
    request = PairCounts(tuple(ROWS), ("class",))
    model.save(tmp_path / "tan.bayou")
    assert bayou.load(str(tmp_path / "tan.bayou")).statistics_[request] == model.statistics_[request]


MATRIX = np.array(
    [[0.5, 1, 2], [1.5, 0, 1], [2.5, 1, 0], [0, 0, 1], [1, 2, 2.5], [2, 2, 1], [3, 1, 1], [0.25, 2, 0.5]]
)
ANSWERS = ["no", "yes", "yes", "no", "yes", "no", "yes", "no"]
TEXTS = ["buy now", "see you now", "buy buy ü", "see you", "now"]
SENDERS = ["spam", "ham", "spam", "ham", "ham"]


@pytest.mark.parametrize(
    ("name", "fresh", "rows", "classes"),
    [
        ("gaussianbayes", bayou.GaussianBayes("full"), MATRIX, ANSWERS),
        ("gaussianbayes-auto", bayou.GaussianBayes(), MATRIX, ANSWERS),
        ("textnaivebayes", bayou.TextNaiveBayes(), TEXTS, SENDERS),
        ("textnaivebayes-given", bayou.TextNaiveBayes(vocabulary=["buy", "see", "now"]), TEXTS, SENDERS),
        (
            "words",
            bayou.NaiveBayes({"t": "words"}),
            {"t": TEXTS, "x": [1.0, 2.0, 1.5, 3.0, 2.5]},
            SENDERS,
        ),
    ],
)
def test_statistics_that_were_kept_field_by_field(
    name: str, fresh: Any, rows: Any, classes: Any, tmp_path: Path
) -> None:
    old, new = bayou.load(str(GOLDEN / f"{name}-v1.bayou")), fresh.fit(rows, classes)
    np.testing.assert_array_equal(old.predict_proba(rows), new.predict_proba(rows))
    for model in (old, new):
        model.partial_fit(rows, classes)
        model.save(tmp_path / "again.bayou")
        again = bayou.load(str(tmp_path / "again.bayou"))
        np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    np.testing.assert_array_equal(old.predict_proba(rows), new.predict_proba(rows))
