"""Everything that a model file is made of: ``state()`` and ``from_state()`` undo each other, a file included.

A new kind of statistic or prior is saved and loaded by writing its class, as classes at the end do here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou import distributions, statistics
from bayou.distributions import (
    BDeu,
    Dirichlet,
    FunctionOfParents,
    KernelDensity,
    Laplace,
    LinearGaussian,
    MaxOfCauses,
    MEstimate,
    NodeKind,
    Poisson,
    Table,
    Words,
)
from bayou.distributions.gaussian.virtual_rows import VirtualRows
from bayou.distributions.kernel.bump_mixture import BumpMixture
from bayou.errors import BayouError
from bayou.estimators.pooled import bayes_ensemble
from bayou.estimators.pooled.frozen.member_tables import MemberTables
from bayou.estimators.pooled.frozen.node_counts import NodeCounts
from bayou.estimators.pooled.frozen.structure_counts import CountedStructure
from bayou.formats.bundle import read_bundle, write_bundle
from bayou.formats.model_registry import CLASSIFIERS
from bayou.formats.model_registry import MODELS as KINDS
from bayou.graphs import Dag
from bayou.networks import Structure
from bayou.schema import Cuts, Variable
from bayou.statistics import (
    Counts,
    CountTable,
    GapCounts,
    GroupMoments,
    Moments,
    PairTables,
    Proposals,
    RowCounts,
    SampledRows,
    Statistics,
    ValueCounts,
    WeightSums,
    WholeNumbers,
    count_tokens,
)
from bayou.statistics.bump_counts import BumpCounts
from bayou.statistics.matrix.class_moments import ClassMoments, FourthMoments
from bayou.statistics.matrix.matrix_sample import MatrixSample

SIZE = Variable("Größe 1", ["s", 1, "1", True])
YES = Variable("yes", ["no", "yes"], ordered=True)


def ensemble_of_many_rows() -> bayou.BayesEnsemble:
    """An ensemble whose cuts and trees stay, because it keeps very few rows."""
    columns = {name: column * 5 for name, column in ROWS.items()}
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(bayes_ensemble, "MOST_ROWS", 64)
        return bayou.BayesEnsemble("small").fit({**columns, "z": list(range(120))}, LABELS * 5)


def class_moments(form: Any) -> ClassMoments:
    squares = {"columns": np.ones((2, 2)), "matrices": np.ones((2, 2, 2)), "pooled": np.eye(2)}[form]
    cube = np.ones((2, 2, 2))
    sample = MatrixSample.of(
        np.array([[1.0, 2.0], [3.0, 4.0]]), ["no", "yes"], np.array([0, 1]), np.array([1.0, 2.5])
    )
    parts = np.array([2.0, 1.0]), np.ones((2, 2)), np.full((2, 2), 0.1), squares
    spread = FourthMoments(cube, cube * 3) if form == "matrices" else None
    return ClassMoments((7, "x"), YES, form, *parts, spread, sample)


RESULTS: dict[str, Callable[[], Any]] = {
    "counts": lambda: Counts((YES, SIZE), np.arange(8).reshape(2, 4)),
    "counts with weights": lambda: Counts((YES,), np.array([0.5, 2.25])),
    "counts without axes": lambda: Counts((), np.array(3)),
    "pairs": lambda: PairTables((YES, SIZE), (YES,), np.arange(16).reshape(2, 8)),
    "moments": lambda: GroupMoments(("x",), (YES,), np.ones(2), np.ones((2, 1)), np.ones((2, 1, 1))),
    "moments without groups": lambda: GroupMoments(
        ("x", 2), (), np.array(3.0), np.array([1.0, 0.5]), np.array([[2.0, 1.0], [1.0, 4.0]])
    ),
    "proposals": lambda: Proposals((np.eye(2), np.ones((3, 2))), np.array([1.0, 2.0])),
    "rows": lambda: RowCounts((YES, SIZE), np.array([[0, 1], [1, 3]]), np.array([2, 1])),
    "sample": lambda: SampledRows.from_values(
        {"a": ["x", 1, None, True], ("b", 1): [1.5, None, 2.5, -0.0]}, np.array([1.0, 2.0, 1.0, 0.5]), 10
    ),
    "values": lambda: ValueCounts.of("x", (YES,), np.array([2.0, 1.0, 2.0]), np.array([0, 1, 1])),
    "gaps": lambda: GapCounts(("x", 2), 10, (3, 0)),
    "weights": lambda: WeightSums("x", 4.0, 10.0),
    "bump counts": lambda: BumpCounts("x", ("state", "component"), np.arange(12.0).reshape(2, 2, 3)),
    "whole numbers": lambda: WholeNumbers("x", {1: 2, -3: 1}, 3, 1),
    "other numbers": lambda: WholeNumbers(("x", 1), None, 3, 1),
    "words": lambda: count_tokens(["buy now", "now ü"], ["spam", "ham"]),
    "words of a vocabulary": lambda: count_tokens(
        ["buy now", "now"], ["spam", "ham"], vocabulary=bayou._native.Vocabulary(["now", "you"])
    ),
    "counts of an ensemble": lambda: CountedStructure(
        "key",
        YES,
        ("a", 1),
        None,
        MemberTables(
            np.array([3.0, 1.0]),
            (np.array([[1.0, 0.0], [2.0, 1.0]]), np.array([[3.0, 0.5]])),
            NodeCounts(3, 2, np.array([0, 5]), np.array([3.0, 1.0])),
        ),
    ),
    "class moments": lambda: class_moments("columns"),
    "class moments with matrices": lambda: class_moments("matrices"),
    "class moments with one matrix": lambda: class_moments("pooled"),
}
PRIORS = {
    "laplace": Laplace(0.25),
    "bdeu": BDeu(4),
    "m-estimate": MEstimate(2),
    "m-estimate by state": MEstimate(2, {1: 0.5, "1": 0.25, False: 0.25}),
    "dirichlet": Dirichlet(np.array([[1.0, 2.0], [0.5, 0.0]])),
    "dirichlet with one number": Dirichlet(0.5),
    "dirichlet by state": Dirichlet({"no": 1, "yes": 0.5}),
    "virtual rows": VirtualRows(
        statistics.GroupMoments(
            ("x",),
            (Variable("a", ["no", "yes"]),),
            np.array([2.5, 0.5]),
            np.array([[1.0], [2.0]]),
            np.array([[[4.0]], [[0.25]]]),
        )
    ),
}
DISTRIBUTIONS = {
    "table": Table(np.array([[0.25, 0.75], [1.0, 0.0]])),
    "gaussian": LinearGaussian(np.array([1.0, 2.0]), np.ones((2, 1)), np.array([0.5, 1.0])),
    "causes": MaxOfCauses((np.array([[1.0, 0.0], [0.2, 0.8]]),), np.array([0.9, 0.1]), (0, 1), (0,), "or"),
    "function": FunctionOfParents(np.array([[0, 1], [1, -1]]), 2),
    "poisson": Poisson(np.array([0.5, 4.0])),
    "bumps": BumpMixture(np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([0.0, 2.0]), np.array([1.0, 0.5])),
    "kernel": KernelDensity(
        (np.array([0.0, 1.5]),), (np.array([1.0, 2.0]),), np.array(0.5), 1e-9, 1.0, 0.5, 3.0
    ),
    "words": Words(("kauf", "ü"), np.log([[0.25, 0.5], [0.75, 0.5]])),
}
DECLARATIONS = {
    "variable": SIZE,
    "variable with an order": YES,
    "continuous variable": Variable(("x", 1)),
    "variable of cuts": Variable("age", cuts=Cuts(30, 50, low=0)),
    "kind of node": NodeKind("or", {"Größe 1": True, 3: "yes"}),
    "kind of node everywhere": NodeKind("max", {}, ("no",)),
    "structure": Structure(
        Dag.from_text("a -> b; a -> c; b, c -> d"),
        {"a": Variable("a", [0, 1]), "b": Variable("b", [0, 1])},
        {"p": ("b", "c")},
        {"d": NodeKind("or")},
    ),
}
ROWS = {"a": [0, 0, 1, 1] * 6, "b": ["u", "v", "v"] * 8, "x": [0.5 * k for k in range(24)]}
LABELS = ["ja", "nein", "nein"] * 8
NUMBERS = {"x": ROWS["x"], "z": [k % 5 for k in range(24)]}
TEXTS = ["buy now", "see you", "now ü"] * 8
DISCRETE = {"a": ROWS["a"], "b": ROWS["b"]}
MODELS: dict[str, tuple[Callable[[], Any], Any]] = {
    "network": (
        lambda: bayou.Network("a -> b; a -> x", continuous=["x"]).fit(ROWS, prior={"b": MEstimate(2)}),
        None,
    ),
    "statistics": (lambda: bayou.count(ROWS, bayou.Network("a -> b; a -> x", continuous=["x"])), None),
    "statistics of a classifier": (
        lambda: bayou.count({**DISCRETE, "y": LABELS}, bayou.TAN(), target="y"),
        None,
    ),
    "stated network": (lambda: bayou.Network("a", tables={"a": {0: 0.5, 1: 0.5}}), None),
    "NaiveBayes": (lambda: bayou.NaiveBayes().fit(ROWS, LABELS), ROWS),
    "SequenceClassifier": (
        lambda: bayou.SequenceClassifier(1, {"x": [0, 1]}).fit([[0, 1], [1, 1, 0], [0]], ["p", "q", "p"]),
        [[0, 1, 1], [1]],
    ),
    "TAN": (lambda: bayou.TAN().fit(DISCRETE, LABELS), DISCRETE),
    "ChowLiuClassifier": (lambda: bayou.ChowLiuClassifier().fit(DISCRETE, LABELS), DISCRETE),
    "KDependence": (lambda: bayou.KDependence(1).fit(DISCRETE, LABELS), DISCRETE),
    "AODE": (lambda: bayou.AODE().fit(DISCRETE, LABELS), DISCRETE),
    "BayesEnsemble": (
        lambda: bayou.BayesEnsemble("small").fit(
            {**{name: column * 5 for name, column in ROWS.items()}, "z": list(range(120))}, LABELS * 5
        ),
        {**ROWS, "z": list(range(24))},
    ),
    "BayesEnsemble of many rows": (ensemble_of_many_rows, {**ROWS, "z": list(range(24))}),
    "GaussianBayes": (lambda: bayou.GaussianBayes().fit(NUMBERS, LABELS), NUMBERS),
    "GenerativeClassifier": (lambda: bayou.GenerativeClassifier().fit(ROWS, LABELS), ROWS),
    "NetworkClassifier": (
        lambda: bayou.NetworkClassifier("class -> a, b; a -> x").fit(ROWS, LABELS),
        ROWS,
    ),
    "TextNaiveBayes": (lambda: bayou.TextNaiveBayes().fit(TEXTS, LABELS), TEXTS),
    "words in a column": (
        lambda: bayou.NaiveBayes({"t": "words"}).fit({"t": TEXTS, "x": ROWS["x"]}, LABELS),
        {"t": TEXTS, "x": ROWS["x"]},
    ),
    "dynamic network": (
        lambda: bayou.DynamicNetwork(
            "Age -> Rain; Rain -> Rain'; Rain -> Rain''; Rain -> Wet; Wet -> End",
            constant=["Age"],
            last=["End"],
        ).fit(
            [
                {"Rain": [0, 1, 1, 0], "Wet": ["a", "b", "b", "a"], "Age": [1, 1, 1, 1], "End": [0, 0, 0, 0]},
                {"Rain": [1, 1, 0], "Wet": ["b", "b", "a"], "Age": [2, 2, 2], "End": [1, 1, 1]},
            ],
            prior={"Rain": 2},
        ),
        None,
    ),
    "dynamic network with numbers": (
        lambda: bayou.DynamicNetwork(
            "Mode -> Mode'; Mode, Speed -> Speed'; Speed -> Place'; Place -> Place'; Size -> Speed",
            constant=["Size"],
        ).fit(
            [
                {
                    "Mode": ["go", "go", "turn", "turn", "go", "go"] * 2,
                    "Speed": [start, 1.25, 0.5, 0.25, 0.75, 1.5, 1.25, 1.0, 0.0, 0.5, 1.0, 1.75],
                    "Place": [2 * start, 1.5, 2.0, 3.5, 3.0, 4.5, 5.0, 6.75, 7.0, 7.5, 8.0, 9.5],
                    "Size": [size] * 12,
                }
                for size, start in ((1.5, 0.0), (2.5, 1.25), (3.25, 0.5), (4.5, 1.5))
            ]
        ),
        None,
    ),
    "hmm": (
        lambda: bayou.HMM(
            ["calm", "wild"], {"x": "gaussian", "y": ["a", "b"], "n": "poisson"}, ends=True
        ).fit(
            [{"x": [0.1, 0.4, 3.0, 3.5], "y": ["a", "b", "b", "a"], "n": [0, 1, 5, 4]}],
            states=[["calm", "calm", "wild", "wild"]],
        ),
        None,
    ),
    "kalman": (
        lambda: bayou.KalmanModel(
            [[0.9, 0.1], [0.0, 1.0]],
            [[1.0, 0.0]],
            transition_noise=[[1.0, 0.3], [0.3, 0.5]],
            control=[0.0, 1.0],
            states=["Größe", ("x", 1)],
            columns=["Wert"],
            fixed={"transition": [[False, True], [True, True]], "observation_noise": True},
            shapes={"transition_noise": "scaled"},
        ),
        None,
    ),
    "hmm with kernels and durations": (
        lambda: bayou.HMM(["calm", 2], {"x": "kernel"}, duration={2: (1, 3), "calm": 2}).fit(
            [0.1, 0.4, 3.0, 3.5, 0.2, 0.3, 0.5, 2.9]
        ),
        None,
    ),
    "hypotheses": (
        lambda: bayou.BayesOptimal({"naiv": bayou.NaiveBayes(), "Baum": bayou.TAN()}).fit(ROWS, LABELS),
        ROWS,
    ),
}


def in_a_file(state: Any, folder: Path) -> Any:
    """The state as it comes back from a file."""
    write_bundle(folder / "state.bayou", "thing", {"state": state}, "test")
    return read_bundle(folder / "state.bayou")[1]["state"]


def assert_same(left: Any, right: Any) -> None:
    """Two states with the same values, types and arrays; lists and tuples are one in a file."""
    if isinstance(left, np.ndarray):
        assert isinstance(right, np.ndarray)
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    elif isinstance(left, Mapping):
        assert list(left) == list(right)
        for key, value in left.items():
            assert_same(value, right[key])
    elif isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    else:
        assert (type(left), left) == (type(right), right)


def assert_comes_back(thing: Any, folder: Path) -> Any:
    """Both ways: the state itself, and what a file makes of it."""
    for state in (thing.state(), in_a_file(thing.state(), folder)):
        again = type(thing).from_state(state)
        assert type(again) is type(thing)
        assert_same(thing.state(), again.state())
    return again


@pytest.mark.parametrize("kind", RESULTS)
def test_every_result_comes_back(kind: str, tmp_path: Path) -> None:
    result = RESULTS[kind]()
    again = assert_comes_back(result, tmp_path)
    assert_same((result + result).state(), (again + again).state())


def test_every_kind_of_result_has_an_example() -> None:
    assert {make().kind for make in RESULTS.values()} >= {
        kind for kind in statistics.RESULTS if not kind.startswith("test ")
    }


@pytest.mark.parametrize("kind", RESULTS)
def test_arrays_of_another_shape_are_refused(kind: str) -> None:
    result = RESULTS[kind]()
    state = result.state()
    arrays = [key for key, value in state.items() if isinstance(value, np.ndarray)]
    for key in arrays:
        with pytest.raises((BayouError, ValueError, LookupError, TypeError)):
            type(result).from_state({**state, key: np.full((3, 1, 2, 1), 7.0)})
        if key != "hashes":  # files of earlier versions have none
            with pytest.raises((BayouError, ValueError, LookupError, TypeError)):
                type(result).from_state({each: value for each, value in state.items() if each != key})
    assert arrays or kind in ("sample", "gaps", "weights", "whole numbers", "other numbers")


def test_statistics_come_back_with_their_requests(tmp_path: Path) -> None:
    tables = [
        RESULTS[kind]() for kind in RESULTS if not kind.startswith(("class moments", "words", "proposals"))
    ]
    known = Statistics({table.request: table for table in tables}, rows=12.5)
    again = assert_comes_back(known, tmp_path)
    assert list(again) == list(known)
    assert again.rows == 12.5


@pytest.mark.parametrize("kind", PRIORS)
def test_every_prior_comes_back(kind: str, tmp_path: Path) -> None:
    assert assert_comes_back(PRIORS[kind], tmp_path) == PRIORS[kind]


def test_every_kind_of_prior_has_an_example() -> None:
    known = {kind for kind in distributions.PRIORS if not kind.startswith("test ")}
    assert known == {prior.kind for prior in PRIORS.values()}


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
def test_every_distribution_comes_back(kind: str, tmp_path: Path) -> None:
    assert_comes_back(DISTRIBUTIONS[kind], tmp_path)


def test_every_kind_of_distribution_has_an_example() -> None:
    known = {kind for kind in distributions.DISTRIBUTIONS if not kind.startswith("test ")}
    assert known <= {distribution.kind for distribution in DISTRIBUTIONS.values()}


@pytest.mark.parametrize("kind", DECLARATIONS)
def test_every_declaration_comes_back(kind: str, tmp_path: Path) -> None:
    again = assert_comes_back(DECLARATIONS[kind], tmp_path)
    assert again == DECLARATIONS[kind] or kind == "structure"


def assert_same_model(model: Any, again: Any, rows: Any) -> None:
    assert type(again) is type(model)
    if rows is None:
        assert again.same_as(model)
    else:
        np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


@pytest.mark.parametrize("kind", MODELS)
def test_every_model_comes_back_from_its_file(kind: str, tmp_path: Path) -> None:
    make, rows = MODELS[kind]
    model = make()
    model.save(tmp_path / "modell.bayou")
    assert_same_model(model, bayou.load(tmp_path / "modell.bayou"), rows)


@pytest.mark.parametrize("kind", MODELS)
def test_every_model_comes_back_from_its_state(kind: str, tmp_path: Path) -> None:
    make, rows = MODELS[kind]
    model = make()
    assert_same_model(model, assert_comes_back(model, tmp_path), rows)


def test_every_kind_of_model_has_an_example() -> None:
    assert {*KINDS, *CLASSIFIERS} - {"classifier", "Plain"} <= set(MODELS)


# A new statistic: one class for the question, one for the answer.


@dataclass(frozen=True)
class Extremes:
    """What are the smallest and the largest value of a column?"""

    variable: Any


def range_of_values() -> Any:
    """The answer's class; made when a test runs."""

    class Range(statistics.Result):
        """The smallest and the largest value."""

        kind = "test range"

        def __init__(self, variable: Any, low: float, high: float) -> None:
            self.variable, self.low, self.high = variable, low, high

        @property
        def request(self) -> Any:
            return Extremes(self.variable)

        @property
        def total(self) -> float:
            return 2.0

        def __add__(self, other: Any) -> Any:
            return Range(self.variable, min(self.low, other.low), max(self.high, other.high))

        def state(self) -> dict[str, Any]:
            return {
                "kind": self.kind,
                "variable": self.variable,
                "low": self.low,
                "high": self.high,
            }

        @classmethod
        def from_state(cls, state: Any) -> Any:
            return cls(state["variable"], state["low"], state["high"])

    return Range


def test_a_new_statistic_adds_and_is_saved_by_writing_it(tmp_path: Path) -> None:
    kind = range_of_values()
    counts = RESULTS["counts"]()
    one = Statistics({Extremes("x"): kind("x", 1.0, 2.0), counts.request: counts}, rows=3)
    two = Statistics({Extremes("x"): kind("x", 0.5, 1.5), counts.request: counts}, rows=3)
    both = Statistics.from_state(in_a_file((one + two).state(), tmp_path))
    assert (both[Extremes("x")].low, both[Extremes("x")].high) == (0.5, 2.0)
    assert both[counts.request] == counts + counts
    with pytest.raises(BayouError, match="cannot be removed from"):
        one - two


def half_everywhere() -> Any:
    """A new prior; made when a test runs."""

    @dataclass(frozen=True)
    class Jeffreys(distributions.Prior):
        """Half a record for every state."""

        kind = "test jeffreys"
        amount: float = 0.5

        def pseudocounts(self, child: Variable, parents: Any) -> Any:
            return np.full(child.cardinality, self.amount)

        def state(self) -> dict[str, Any]:
            return {"kind": self.kind, "amount": self.amount}

        @classmethod
        def from_state(cls, state: Any) -> Any:
            return cls(state["amount"])

    return Jeffreys


def test_a_new_prior_is_saved_by_writing_it(tmp_path: Path) -> None:
    prior = half_everywhere()(0.75)
    net = bayou.Network("a -> b").fit(DISCRETE, prior=prior)
    net.save(tmp_path / "net.bayou")
    again = bayou.load(tmp_path / "net.bayou")
    assert again.partial_fit(DISCRETE).same_as(net.partial_fit(DISCRETE))
    model = bayou.NaiveBayes(prior=prior).fit(DISCRETE, LABELS)
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    assert again.prior == prior
    np.testing.assert_array_equal(again.predict_proba(DISCRETE), model.predict_proba(DISCRETE))


def test_a_new_classifier_is_saved_by_asking_for_it(tmp_path: Path) -> None:
    class Plain(bayou.NaiveBayes, saved=True):
        """Naive Bayes without weighed evidence."""

        def __init__(self, *, prior: Any = 1.0) -> None:
            super().__init__(prior=prior, evidence_weight=1.0)

    class Quiet(bayou.NaiveBayes):
        """A class that files do not know."""

    model = Plain(prior=0.5).fit(DISCRETE, LABELS)
    model.save(tmp_path / "plain.bayou")
    assert_same_model(model, bayou.load(tmp_path / "plain.bayou"), DISCRETE)
    with pytest.raises(BayouError, match="saved=True"):
        Quiet().fit(DISCRETE, LABELS).save(tmp_path / "quiet.bayou")
    with pytest.raises(BayouError, match="it holds a Plain, not a TAN"):
        bayou.TAN.from_state(model.state())


def test_requests_of_the_examples_are_those_that_networks_ask() -> None:
    net = MODELS["network"][0]()
    assert set(net.statistics) == {CountTable(("a",)), CountTable(("a", "b")), Moments(("x",), ("a",))}
