"""Classifiers in the own file: the same to the last bit, never pickle, damage told by name."""

from __future__ import annotations

import copy
import datetime
import io
import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import bayou
from bayou.distributions import BDeu, Dirichlet, KernelFeature, Laplace, MEstimate
from bayou.distributions.kernel.bandwidth_rules import Fixed
from bayou.errors import BadFile, BadQuestion
from bayou.estimators.gaussian.gaussian_bayes import GaussianBayes
from bayou.estimators.naive_bayes.feature_kinds import GaussianFeature, TableFeature
from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes
from bayou.estimators.networks.aode import AODE
from bayou.estimators.networks.backoff_prior import BackOff
from bayou.estimators.networks.network_classifier import NetworkClassifier
from bayou.estimators.networks.tree_classifiers import TAN, ChowLiuClassifier, KDependence
from bayou.estimators.state_codec import restored, stored
from bayou.examples import play_tennis
from bayou.graphs import Dag

GOLDEN = Path(__file__).parent / "golden" / "naive-v1.bayou"
LONG = "a column whose name is long, with spaces and ümlauts"


def table(rows: int = 60, seed: int = 4) -> tuple[dict[Any, Any], Any]:
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, rows)
    columns: dict[Any, Any] = {
        LONG: [["ü", "b", None][k] for k in (classes + rng.integers(0, 2, rows)) % 3],
        7: (classes + rng.integers(0, 3, rows)).tolist(),
        "height": (classes + rng.normal(size=rows)).tolist(),
        "events": rng.poisson(1 + classes).tolist(),
        "open": (classes + rng.integers(0, 2, rows) > 1).tolist(),
    }
    return columns, np.array([["no", "ä ö", "2"][k] for k in classes], dtype=object)


MODELS: dict[str, Callable[[], Any]] = {
    "default": lambda: NaiveBayes(),
    "many rows, evidence weighed": lambda: NaiveBayes(prior=0.1),
    "by name and by type": lambda: NaiveBayes(
        {"events": "poisson", "int": TableFeature(), "float": "gaussian"}
    ),
    "objects": lambda: NaiveBayes(
        {"height": GaussianFeature(ddof=1)}, prior={LONG: MEstimate(2, {"b": 0.5, "ü": 0.5})}
    ),
    "bdeu": lambda: NaiveBayes(prior=BDeu(5)),
    "pseudocounts": lambda: NaiveBayes(prior={LONG: Dirichlet({"b": 2.0, "ü": 1.0}), 7: Laplace(0.25)}),
    "class prior by name": lambda: NaiveBayes(class_prior={"no": 0.5, "ä ö": 0.25, "2": 0.25}),
    "class prior as an array": lambda: NaiveBayes(class_prior=np.array([0.5, 0.25, 0.25]), unknown="smooth"),
    "numbers of numpy": lambda: NaiveBayes(prior=np.float64(0.5), var_smoothing=np.float32(0.5)),
    "exponent": lambda: NaiveBayes(evidence_weight=0.5),
    "tan": lambda: TAN(),
    "tan with a prior": lambda: TAN(prior=BackOff(3.0, MEstimate(2.0)), unknown="missing"),
    "chow-liu": lambda: ChowLiuClassifier(prior=0.5),
    "k-dependence": lambda: KDependence(2),
    "aode": lambda: AODE(least_count=2),
    "network": lambda: NetworkClassifier({"class": [7], LONG: ["class"], "height": ["class", 7]}),
    "network of arrows": lambda: NetworkClassifier("class -> height, events; open -> class"),
    "network of a network": lambda: NetworkClassifier(bayou.Network("class -> height, events")),
    "network of a graph": lambda: NetworkClassifier(Dag.from_text("class -> height, events")),
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_loaded_classifier_predicts_the_same_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    X, y = table(300 if "many" in kind else 60)
    model = MODELS[kind]().fit(X, y)
    path = tmp_path / "model.bayou"
    model.save(path)
    twin = bayou.load(path)
    assert type(twin) is type(model)
    assert (twin.predict_joint_log_proba(X) == model.predict_joint_log_proba(X)).all()
    assert twin.classes_.tolist() == model.classes_.tolist()
    assert twin.classes_.dtype == model.classes_.dtype
    assert repr(twin) == repr(model)
    assert vars(twin).keys() == vars(model).keys()
    assert str(twin.explain({LONG: "b", 7: 2})) == str(model.explain({LONG: "b", 7: 2}))


def test_learning_goes_on_where_it_stopped(tmp_path: Path) -> None:
    X, y = table(240)
    half = {name: column[:120] for name, column in X.items()}
    rest = {name: column[120:] for name, column in X.items()}
    model = NaiveBayes().fit(half, y[:120])
    model.save(tmp_path / "half.bayou")
    twin = bayou.load(tmp_path / "half.bayou").partial_fit(rest, y[120:])
    assert (twin.predict_proba(X) == model.partial_fit(rest, y[120:]).predict_proba(X)).all()


@pytest.mark.parametrize(
    "X",
    [
        np.array([[0.5, 1], [1.5, 0], [2.5, 1], [0, 0]]),
        np.array([["a", "x"], ["b", "x"], ["b", "y"], ["a", "y"]]),
        pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01", "2021-05-05"] * 2), "n": [1, 2, 3, 4]}),
        {
            "when": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 2,
            ("pair", 1): [(1, "a"), (2, "b")] * 2,
        },
    ],
)
def test_tables_of_every_shape_come_back(X: Any, tmp_path: Path) -> None:
    model = NaiveBayes().fit(X, [0, 1, 1, 0])
    model.save(tmp_path / "m.bayou")
    twin = bayou.load(tmp_path / "m.bayou")
    assert (twin.predict_proba(X) == model.predict_proba(X)).all()
    assert hasattr(twin, "feature_names_in_") == hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    ("kind", "shrinkage"),
    [("shared", 0.1), ("shared", "oas"), ("full", "ledoit-wolf"), ("spherical", None), ("diagonal", None)],
)
def test_gaussian_classifiers_come_back(kind: str, shrinkage: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    model = GaussianBayes(kind, shrinkage=shrinkage).fit(X + y[:, None], y)
    model.save(tmp_path / "m.bayou")
    twin = bayou.load(tmp_path / "m.bayou")
    assert (twin.predict_proba(X) == model.predict_proba(X)).all()
    assert (twin.partial_fit(X, y).predict_proba(X) == model.partial_fit(X, y).predict_proba(X)).all()


@pytest.mark.parametrize(
    "kind", ["kernel", "discretised", "bernoulli", KernelFeature("held-out"), KernelFeature(Fixed(0.5))]
)
def test_every_kind_of_number_comes_back(kind: Any, tmp_path: Path) -> None:
    X, y = table()
    numbers = {name: X[name] for name in (7, "height", "events")}
    model = NaiveBayes(kind).fit(numbers, y)
    model.save(tmp_path / "m.bayou")
    twin = bayou.load(tmp_path / "m.bayou")
    assert (twin.predict_proba(numbers) == model.predict_proba(numbers)).all()
    assert twin.feature_kinds_ == model.feature_kinds_
    row = {name: column[3] for name, column in numbers.items()}
    assert twin.working(row).text == model.working(row).text
    assert twin.smallest_change(row) == model.smallest_change(row)


@pytest.mark.parametrize("kind", ["bdeu", "tan", "aode", "network of a graph"])
def test_pickle_copies_and_clones_keep_working(kind: str, tmp_path: Path) -> None:
    X, y = table()
    model = MODELS[kind]().fit(X, y)
    model.save(tmp_path / "m.bayou")
    for one in (model, bayou.load(tmp_path / "m.bayou")):
        for twin in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), one.copy(), clone(one).fit(X, y)):
            assert (twin.predict_proba(X) == model.predict_proba(X)).all()


def test_what_a_file_can_not_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "m.bayou"
    model = NaiveBayes().fit(play_tennis(), "PlayTennis")
    model.set_params(class_prior=len)
    with pytest.raises(BadQuestion, match=r"class_prior=.* is a function"):
        model.save(path)
    model.set_params(class_prior={"No": object()})
    with pytest.raises(BadQuestion, match=r"class_prior\['No'\]=.* is a object"):
        model.save(path)

    class Own(NaiveBayes):
        pass

    with pytest.raises(BadQuestion, match="Own cannot be saved"):
        Own().fit(play_tennis(), "PlayTennis").save(path)
    with pytest.raises(NotFittedError):
        NaiveBayes().save(path)
    with pytest.raises(BadFile, match=r"must end in \.bayou"):
        model.save(tmp_path / "m.pkl")
    assert not list(tmp_path.iterdir())


def test_the_golden_file_of_the_first_version_loads_for_ever() -> None:
    model = bayou.load(GOLDEN)
    day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong", "hours": 3.5}
    proba = model.predict_proba([day])[0]
    np.testing.assert_allclose(proba, [0.7057732845985303, 0.29422671540146966], rtol=1e-12)
    assert model.prior == MEstimate(2)
    assert model.features == {"hours": GaussianFeature(ddof=1)}
    assert model.classes_.tolist() == ["No", "Yes"]


def test_the_networks_own_loader_says_what_the_file_is() -> None:
    with pytest.raises(BadFile, match="holds a classifier, not a network"):
        bayou.loading.load_network(GOLDEN)


def test_loading_a_network_does_not_import_scikit_learn(tmp_path: Path) -> None:
    bayou.Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}}).save(tmp_path / "rain.bayou")
    code = (
        "import sys, bayou; net = bayou.load(sys.argv[1]);"
        "print(type(net).__name__, 'sklearn' in sys.modules);"
        "model = bayou.load(sys.argv[2]); print(type(model).__name__)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "rain.bayou"), str(GOLDEN)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.split() == ["Network", "False", "NaiveBayes"]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cut_and_flipped_bytes_are_named_as_damage(data: st.DataObject, tmp_path: Path) -> None:
    whole = GOLDEN.read_bytes()
    if data.draw(st.booleans()):
        broken = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        place, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
        broken = whole[:place] + bytes([whole[place] ^ (1 << bit)]) + whole[place + 1 :]
    path = tmp_path / "broken.bayou"
    path.write_bytes(broken)
    _loads_or_is_named(path)


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_state_that_lies_is_named_as_damage(data: st.DataObject, tmp_path: Path) -> None:
    with zipfile.ZipFile(GOLDEN) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    _bent(document["state"], data)
    members["model.json"] = json.dumps(document).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    path = tmp_path / "lies.bayou"
    path.write_bytes(packed.getvalue())
    _loads_or_is_named(path)


def _bent(part: Any, data: st.DataObject) -> None:
    """Walk down to some place and drop it or put something else there."""
    keys = list(part) if isinstance(part, dict) else list(range(len(part)))
    key = data.draw(st.sampled_from(keys))
    if isinstance(part[key], dict | list) and part[key] and data.draw(st.integers(0, 4)):
        return _bent(part[key], data)
    if data.draw(st.booleans()):
        del part[key]
    else:
        part[key] = data.draw(
            st.sampled_from([None, 0, -1, "x", [], {}, [1], {"$": "list"}, 1e300, {"$array": 0}])
        )
    return None


def _loads_or_is_named(path: Path) -> None:
    try:
        model: Any = bayou.load(path)
    except BadFile as error:
        named = str(path) in str(error)
    else:
        named = hasattr(model, "classes_")
    assert named


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.dates(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_values_come_back_with_their_types(value: Any) -> None:
    again = restored(json.loads(json.dumps(stored(value, "value"))))
    assert again == value
    assert repr(again) == repr(value)


@pytest.mark.parametrize(
    "model",
    [
        bayou.NaiveBayes(),
        bayou.TAN(),
        bayou.AODE(),
        bayou.GenerativeClassifier(),
        bayou.GenerativeClassifier(bayou.Network("a -> b")),
    ],
    ids=lambda model: str(model)[:40],
)
def test_the_trial_row_of_a_file_has_values_of_the_training_rows(model: Any) -> None:
    from bayou.estimators.trial_row import _row_for

    rows = {"a": ["x", "y", "x", "z"] * 5, "b": ["u", "v", "v", "u"] * 5}
    tried = _row_for(model.fit(rows, ["no", "yes", "yes", "no"] * 5))
    assert all(tried[name][0] in rows[name] for name in rows)
