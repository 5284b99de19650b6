"""What estimates say: of answers that need no draws, of too few draws, and of names that do not exist."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bayou
from bayou.documents.model_documents import posterior_document
from bayou.errors import BadQuestion, BayouWarning, NoEstimate


@pytest.fixture
def copies() -> bayou.Network:
    """Three copies of a coin."""
    copy = [[1.0, 0.0], [0.0, 1.0]]
    states = ["no", "yes"]
    return bayou.Network(
        "A -> B -> C",
        tables={"A": [0.7, 0.3], "B": copy, "C": copy},
        states={"A": states, "B": states, "C": states},
    )


@pytest.mark.parametrize("engine", ["weighting", "gibbs", "rejection"])
def test_an_answer_that_is_certain_has_no_error_and_can_be_printed(
    copies: bayou.Network, engine: str
) -> None:
    found = copies.query("A", {"C": "yes"}, engine=engine, samples=500, seed=1)
    assert found.to_array().tolist() == [0.0, 1.0]
    assert found.lower.tolist() == found.upper.tolist() == [0.0, 1.0]
    text = str(found)
    assert "inf" not in text
    if engine != "rejection":  # which draws whatever the findings
        assert "nothing was drawn" in text
        assert found._repr_html_()
        every = copies.marginals({"C": "yes"}, engine=engine, samples=500, seed=1)
        assert "nothing was drawn" in str(every)
        document = posterior_document(found)
        json.dumps(document, allow_nan=False)
        assert document["estimate"]["effective_size"] is None


def test_a_target_that_is_certain_beside_others_that_are_not() -> None:
    net = bayou.examples.asia()
    for engine in ("weighting", "gibbs", "rejection"):
        found = net.query("either", {"tub": "yes"}, engine=engine, samples=5000, seed=1)
        assert found.estimate is not None
        assert np.array_equal(found.estimate.margin, [0.0, 0.0])


def test_one_draw_is_worth_one_independent_one() -> None:
    with pytest.warns(BayouWarning, match="only 1 row was drawn: give it more time or more samples"):
        found = bayou.examples.asia().query("lung", engine="weighting", samples=1, seed=1)
    assert "1 draw, worth 1 independent one;" in str(found)
    assert not found.trusted


@pytest.mark.parametrize("engine", ["weighting", "rejection"])
def test_independent_draws_are_trusted_where_there_are_thirty_within_a_tenth(engine: str) -> None:
    coin = bayou.Network("A", tables={"A": {"heads": 0.5, "tails": 0.5}})
    with pytest.warns(BayouWarning, match="only 29 "):
        few = coin.query("A", engine=engine, samples=29, seed=1)
    assert not few.trusted
    with pytest.warns(BayouWarning, match=r"the widest 99 % interval is ± 0\.12: give it more time"):
        wide = coin.query("A", engine=engine, samples=128, seed=1)
    assert not wide.trusted
    assert coin.query("A", engine=engine, samples=200, seed=1).trusted
    assert coin.query("A", engine=engine, samples=128, accuracy=0.2, seed=1).trusted  # all that was asked for
    rare = bayou.Network("A", tables={"A": {"heads": 0.999, "tails": 0.001}})
    assert rare.query("A", engine=engine, samples=100, seed=1).trusted


@pytest.mark.parametrize("engine", ["compiled", "elimination", "bounds", "weighting", "gibbs", "rejection"])
def test_answers_that_are_exact_bounded_or_have_an_error_are_trusted(engine: str) -> None:
    storm = bayou.examples.storm()
    more = {"seed": 1, "samples": 20_000} if engine in ("weighting", "gibbs", "rejection") else {}
    found = storm.query("Storm | ForestFire=yes", engine=engine, **more)
    every = storm.marginals({"ForestFire": "yes"}, engine=engine, **more)
    assert found.trusted is every.trusted is every["Storm"].trusted is True
    assert found.reasons == every.reasons == ()


def test_an_engine_without_error_bars_is_trusted_only_where_it_is_exact() -> None:
    storm = bayou.examples.storm()
    found = storm.query("Storm | ForestFire=yes", engine="loopy")
    every = storm.marginals({"ForestFire": "yes"}, engine="loopy")
    for answer in (found, every, every["Storm"]):
        assert answer.converged
        assert answer.trusted is False
        (reason,) = answer.reasons
        assert "no error bars" in reason
        assert f"Not to be trusted: {reason}." in str(answer)
    document = json.loads(json.dumps(posterior_document(found)))["loopy"]
    assert document["trusted"] is False
    assert document["reasons"] == list(found.reasons)
    exact = storm.query("Storm | Lightning=yes, Campfire=no", engine="loopy")
    assert exact.trusted is True
    assert exact.reasons == ()
    assert "trusted" not in str(exact)


def test_remedies_hold_for_samples_and_time_and_name_other_engines() -> None:
    net = bayou.examples.asia()
    with pytest.warns(BayouWarning, match=r"R-hat .*: give it more time or more samples\."):
        few = net.query("lung", {"dysp": "yes"}, engine="gibbs", samples=10, seed=1)
    assert "time=" not in str(few)
    rare = {"asia": "yes", "tub": "yes", "lung": "yes"}
    expected = r'for engine="rejection"\. Give it more time or more samples, try engine="weighting" or engine'
    with pytest.raises(NoEstimate, match=expected):
        net.query("xray", rare, engine="rejection", samples=3, seed=1)
    assert 'Try engine="weighting" or engine="bounds"' in str(NoEstimate.no_sample(5, "gibbs"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("Gibbs", "Did you mean 'gibbs'"),
        ("weigting", "Did you mean 'weighting'"),
        ("likelihood weighting", "here it is 'weighting'"),
        ("Likelihood_Weighting", "here it is 'weighting'"),
        ("MCMC", "here it is 'gibbs'"),
        ("forward", "here it is 'rejection'"),
        ("exact", "here it is 'compiled'"),
        (None, "The choices are: 'compiled'"),
        (["gibbs"], "The choices are: 'compiled'"),
    ],
)
def test_an_engine_of_another_name_is_found(given: str, words: str) -> None:
    with pytest.raises(BadQuestion, match=words):
        bayou.examples.asia().query("lung", engine=given)


def test_limits_that_are_no_limits_are_refused_with_the_range() -> None:
    net = bayou.examples.asia()
    with pytest.raises(BadQuestion, match=r"accuracy=2: .* above 0 and at most 1"):
        net.query("lung", engine="gibbs", accuracy=2)
    with pytest.raises(BadQuestion, match=r"time=inf: .* a finite number above 0"):
        net.query("lung", engine="gibbs", time=float("inf"))


def test_answers_become_arrays_and_frames_with_their_errors() -> None:
    net = bayou.examples.asia()
    exact = net.query(["lung", "bronc"], {"dysp": "yes"})
    assert np.array_equal(np.asarray(exact), exact.to_array())
    assert np.asarray(exact, dtype=np.float32).dtype == np.float32
    assert list(exact.to_frame().columns) == ["lung", "bronc", "probability"]
    found = net.query(["lung", "bronc"], {"dysp": "yes"}, engine="weighting", samples=500, seed=1)
    frame = found.to_frame()
    assert list(frame.columns) == ["lung", "bronc", "probability", "standard_error", "lower", "upper"]
    assert np.array_equal(frame["upper"], found.upper.ravel())
    assert frame["probability"].between(frame["lower"], frame["upper"]).all()


def test_all_engines_leave_numbers_out_of_the_marginals() -> None:
    states = {"Kind": ["a", "b"], "Sort": ["c", "d"]}
    net = bayou.Network("Kind -> x; Kind -> Sort", states=states, continuous=["x"])
    net.set_cpt("Kind", [0.3, 0.7]).set_cpt("Sort", [[0.9, 0.1], [0.2, 0.8]])
    net.set_gaussian("x", {"a": (-1, 1), "b": (1, 4)})
    exact = net.query("Kind", {"Sort": "c"}).to_array()
    for engine in ("weighting", "gibbs", "rejection", "bounds", "loopy"):
        options = {} if engine == "loopy" else {"samples": 5000, "seed": 1}
        found = net.marginals({"Sort": "c"}, engine=engine, **options)
        assert list(found) == ["Kind"]
        assert found["Kind"].to_array() == pytest.approx(exact, abs=0.03)


def test_several_states_of_one_finding_are_a_set_for_every_engine() -> None:
    net = bayou.examples.asia()
    expected = net.query("lung", {"dysp": "yes"}).to_array()
    assert net.query("lung", {"dysp": ["yes"]}).to_array() == pytest.approx(expected)
    estimated = net.query("lung", {"dysp": ["yes"]}, engine="weighting", seed=1, samples=20_000)
    assert estimated.to_array() == pytest.approx(expected, abs=0.02)
    with pytest.raises(bayou.errors.UnknownState, match="Ask once for each state"):
        net.sample(3, do={"dysp": {"yes", "no"}})
    with pytest.raises(BadQuestion, match="marginal= needs an exact answer, which engine='auto'"):
        net.query("lung", marginal={"dysp": {"yes": 0.5, "no": 0.5}}, engine="auto")
