"""Engines that estimate: against exact answers, with every kind of finding; what they say if they fail."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, BayouWarning, ImpossibleEvidence, NoEstimate, TooWide
from bayou.inference.sampling import look_ahead
from bayou.inference.sampling.estimate import binomial_interval
from bayou.memory import limits

ENGINES = ["weighting", "gibbs", "rejection"]


@pytest.fixture(params=[None, 8], ids=["exact look-ahead", "narrow look-ahead"])
def narrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of at most 8 cells make the look-ahead approximate, as it is in networks that are too wide."""
    if request.param is not None:
        monkeypatch.setattr(look_ahead, "MOST_CELLS", request.param)
        monkeypatch.setattr(look_ahead, "cells_allowed", lambda *_: request.param)


def assert_inside(estimated: Any, exact: Any, slack: float = 1e-3) -> None:
    """Every exact probability lies in its 99 % interval, or misses it by little (some of hundreds do)."""
    truth = exact.to_array()
    assert (estimated.estimate.lower - slack <= truth).all()
    assert (truth <= estimated.estimate.upper + slack).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.usefixtures("narrow")
def test_estimates_agree_with_exact_answers_for_every_kind_of_finding(engine: str) -> None:
    for seed in range(4):
        net = bayou.random_network(8, states=(2, 3), arcs=12, seed=seed)
        a, b, c, d = net.names[0], net.names[3], net.names[5], net.names[7]
        question: dict[str, Any] = {
            "given": {d: net.states(d)[1]},
            "likelihood": {c: [0.2, 0.9, 0.4][: len(net.states(c))]},
            "do": {b: net.states(b)[0]},
        }
        for targets in (a, [a, net.names[1]]):
            exact = net.query(targets, **question)
            found = net.query(targets, **question, engine=engine, seed=seed, samples=60_000)
            assert found.trusted
            assert_inside(found, exact)
            assert found.log_evidence == pytest.approx(exact.log_evidence, abs=0.1)
        every, exact_ones = (
            net.marginals(**question, engine=engine, seed=seed, samples=60_000),
            net.marginals(**question),
        )
        for name, exact in exact_ones.items():
            assert_inside(every[name], exact)


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_among_the_findings_are_weighed(engine: str) -> None:
    net = bayou.Network("Kind -> x; Kind -> y -> z", states={"Kind": ["a", "b"]}, continuous=["x", "y", "z"])
    net.set_cpt("Kind", [0.3, 0.7]).set_gaussian("x", {"a": (-1, 1), "b": (1, 4)})
    net.set_gaussian("y", {"a": (0, 1), "b": (2, 1)})
    net.set_gaussian("z", {"mean": 0, "variance": 1, "coefficients": {"y": 1}})
    exact = net.query("Kind", {"x": 0.3, "z": 1.5})
    found = net.query("Kind", {"x": 0.3, "z": 1.5}, engine=engine, seed=2, samples=50_000)
    assert_inside(found, exact)
    assert found.log_evidence == pytest.approx(exact.log_evidence, abs=0.1)
    with pytest.raises(BadQuestion, match=r"'y' is continuous.*net\.sample"):
        net.query("y", {"x": 0.3}, engine=engine)
    assert list(net.marginals({"x": 0.3}, engine=engine, samples=1000, seed=1)) == ["Kind"]


@pytest.mark.parametrize("engine", ENGINES)
def test_noisy_nodes_are_drawn_too(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from bayou.inference.sampling import factor_graph

    states = {name: ["no", "yes"] for name in ("A", "B", "C", "D", "F")}
    net = bayou.Network("A -> F; B -> F; C -> F; D -> F", states=states)
    for name in "ABCD":
        net.set_cpt(name, [0.7, 0.3])
    net.set_cpt("F", bayou.NoisyOr({"A": 0.9, "B": 0.5, "C": 0.7, "D": 0.2}, leak=0.05))
    exact = net.query("A", {"F": "yes"})
    for most in (factor_graph.LARGEST_TABLE, 4):
        monkeypatch.setattr(factor_graph, "LARGEST_TABLE", most)
        assert_inside(net.query("A", {"F": "yes"}, engine=engine, seed=1, samples=50_000), exact)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads(engine: str) -> None:
    net = bayou.examples.alarm()
    given = {"HRBP": "HIGH", "BP": "LOW"}
    answers = []
    for threads in (1, 2, 3):
        with bayou.threads(threads):
            answers.append(net.marginals(given, engine=engine, seed=5, samples=20_000))
    for other in answers[1:]:
        for name, table in answers[0].to_arrays().items():
            np.testing.assert_array_equal(table, other.to_arrays()[name])
            np.testing.assert_array_equal(answers[0].estimates[name].lower, other.estimates[name].lower)


@pytest.mark.parametrize("engine", ENGINES)
def test_impossible_findings_are_refused_with_those_that_contradict(engine: str) -> None:
    asia = bayou.examples.asia()
    with pytest.raises(ImpossibleEvidence, match="lung=yes, either=no"):
        asia.query("smoke", {"lung": "yes", "either": "no", "asia": "yes"}, engine=engine, seed=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_impossible_parity_is_refused_though_no_table_alone_shows_it(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The xor of three coins is odd and each pair is equal to … : only a search over the coins proves it."""
    monkeypatch.setattr(look_ahead, "cells_allowed", lambda *_: 4)
    same = [[1.0, 0.0], [0.0, 1.0]]
    equal = np.array([[same[int(a == b)] for b in (0, 1)] for a in (0, 1)])
    net = bayou.Network(
        "A -> AB; B -> AB; B -> BC; C -> BC; A -> AC; C -> AC",
        states={n: [0, 1] for n in ("A", "B", "C", "AB", "BC", "AC")},
    )
    for name in "ABC":
        net.set_cpt(name, [0.5, 0.5])
    for name in ("AB", "BC", "AC"):
        net.set_cpt(name, equal)
    with pytest.raises(ImpossibleEvidence):
        net.query("A", {"AB": 1, "BC": 1, "AC": 0}, engine=engine, seed=1)
    assert net.query("A", {"AB": 1, "BC": 1, "AC": 1}, engine=engine, seed=1)[0] == pytest.approx(
        0.5, abs=0.05
    )


def coins(n: int) -> bayou.Network:
    """n coins and their parity, which is observed."""
    arcs = (
        "; ".join(f"C{k} -> S{k}" for k in range(n))
        + "; "
        + "; ".join(f"S{k - 1} -> S{k}" for k in range(1, n))
    )
    names = [f"C{k}" for k in range(n)] + [f"S{k}" for k in range(n)]
    net = bayou.Network(arcs, states={name: [0, 1] for name in names})
    xor = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]])
    for k in range(n):
        net.set_cpt(f"C{k}", [0.5, 0.5])
        parents = net.parents(f"S{k}")
        net.set_cpt(f"S{k}", xor if len(parents) == 2 else np.eye(2))
    return net


@pytest.mark.parametrize("engine", ["weighting", "gibbs", "rejection", "auto"])
@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize("cells", [2**16, 4])
def test_xor_of_coins_comes_out_right_or_untrusted(
    engine: str, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_ahead, "cells_allowed", lambda *_: cells)
    net = coins(12)
    found = net.query("C0", {"S11": 1, "C1": 1}, engine=engine, seed=3, samples=20_000)
    if found.trusted:
        assert found[1] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("engine", ["weighting", "gibbs", "rejection", "auto"])
@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize("cells", [2**16, 4])
@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-4])
def test_copies_of_a_coin_come_out_right_or_untrusted(
    engine: str, cells: int, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_ahead, "cells_allowed", lambda *_: cells)
    net = bayou.Network("A -> B -> C -> D; D -> E", states={name: [0, 1] for name in "ABCDE"})
    net.set_cpt("A", [0.9, 0.1])
    for name in "BCDE":
        net.set_cpt(
            name, [[1 - noise, noise], [noise, 1 - noise]] if name != "E" else [[0.3, 0.7], [0.8, 0.2]]
        )
    exact = net.query("B", {"E": 0})
    found = net.query("B", {"E": 0}, engine=engine, seed=3, samples=20_000)
    if found.trusted:
        assert found[1] == pytest.approx(exact[1], abs=0.03)


@pytest.mark.parametrize("engine", ["weighting", "gibbs", "rejection", "auto"])
@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize("cells", [2**16, 1])
def test_findings_of_probability_1e_12_come_out_right_untrusted_or_with_a_verdict(
    engine: str, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_ahead, "cells_allowed", lambda *_: cells)
    net = bayou.Network(
        "Fault -> Sign; Load -> Sign", states={n: ["no", "yes"] for n in ("Fault", "Sign", "Load")}
    )
    net.set_cpt("Fault", [1 - 1e-12, 1e-12]).set_cpt("Load", [0.5, 0.5])
    net.set_cpt("Sign", [[[1 - 1e-14, 1e-14], [1 - 1e-14, 1e-14]], [[0.5, 0.5], [0.1, 0.9]]])
    exact = net.query("Fault", {"Sign": "yes"})
    if engine == "rejection":
        with pytest.raises(NoEstimate, match="No consistent sample in 100,000 draws"):
            net.query("Fault", {"Sign": "yes"}, engine=engine, seed=3, samples=100_000)
        return
    found = net.query("Fault", {"Sign": "yes"}, engine=engine, seed=3, samples=100_000)
    if found.trusted:
        assert found["yes"] == pytest.approx(exact["yes"], abs=0.03)


@pytest.mark.parametrize("engine", ["weighting", "gibbs"])
def test_a_thousand_findings_that_contradict_each_other_do_not_underflow(engine: str) -> None:
    """Half of them are 10^-400 times less probable in one state, the others in the other state."""
    signs = [f"s{k}" for k in range(800)]
    net = bayou.Network(
        [("Class", sign) for sign in signs], states={name: [0, 1] for name in ("Class", *signs)}
    )
    net.set_cpt("Class", [0.5, 0.5])
    for k, sign in enumerate(signs):
        net.set_cpt(sign, [[0.9, 0.1], [0.1, 0.9]] if k < 400 else [[0.1, 0.9], [0.9, 0.1]])
    given = dict.fromkeys(signs, 1) | {"s0": 0}
    exact = net.query("Class", given)
    found = net.query("Class", given, engine=engine, seed=1, samples=20_000)
    assert_inside(found, exact)
    assert found.log_evidence == pytest.approx(exact.log_evidence, rel=1e-9)


def test_an_estimate_that_is_not_trusted_warns_and_says_why_in_print() -> None:
    net = bayou.Network("A -> B", states={"A": [0, 1], "B": [0, 1]})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.9999, 0.0001], [0.9998, 0.0002]])
    with pytest.warns(BayouWarning, match="not to be trusted: only .* of 20,000 rows agree"):
        found = net.query("A", {"B": 1}, engine="rejection", seed=1, samples=20_000)
    assert not found.trusted
    assert "Not to be trusted: only" in str(found)
    assert found.estimate is not None
    assert found.estimate.reasons


def test_the_printed_posterior_has_the_error_of_each_probability() -> None:
    storm = bayou.examples.storm()
    found = storm.query("Storm", {"Thunder": "yes"}, engine="weighting", seed=1, samples=10_000)
    text = str(found)
    assert re.search(r"Storm +P +±", text)
    assert "Estimated by weighting: 10,000 draws, worth 10,000 independent ones" in text
    assert found.effective_sample_size == 10_000
    assert found.r_hat is None
    p = found["yes"]
    assert found.standard_error[1] == pytest.approx(np.sqrt(p * (1 - p) / 10_000), rel=1e-3)
    every = storm.marginals({"Thunder": "yes"}, engine="gibbs", seed=1, samples=10_000)
    assert "±" in str(every)
    assert every.trusted
    assert every["Storm"].r_hat is not None
    assert {"standard_error", "lower", "upper"} <= set(every.to_frame().columns)
    exact = storm.query("Storm", {"Thunder": "yes"})
    assert exact.trusted
    assert exact.effective_sample_size == np.inf
    assert exact.standard_error.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("engine", ENGINES)
def test_accuracy_samples_and_time_end_the_draws(engine: str) -> None:
    net = bayou.examples.asia()
    fine = net.query("lung", {"dysp": "yes"}, engine=engine, seed=1, accuracy=0.004)
    rough = net.query("lung", {"dysp": "yes"}, engine=engine, seed=1, accuracy=0.03)
    assert fine.estimate is not None
    assert rough.estimate is not None
    assert fine.estimate.margin.max() <= 0.004
    assert rough.estimate.margin.max() <= 0.03
    assert rough.estimate.draws <= fine.estimate.draws
    few = net.query("lung", {"dysp": "yes"}, engine=engine, seed=1, samples=6400)
    assert few.estimate is not None
    assert few.estimate.draws == 6400
    timed = net.query("lung", {"dysp": "yes"}, engine=engine, seed=1, time=0.5)
    assert timed.estimate is not None
    assert timed.estimate.draws > 0


def test_arguments_that_do_not_belong_together_are_refused() -> None:
    net = bayou.examples.asia()
    with pytest.raises(BadQuestion, match="engine='compiled' makes no random draws: seed="):
        net.query("lung", seed=1)
    with pytest.raises(BadQuestion, match="verify=True needs an exact answer"):
        net.query("lung", engine="gibbs", verify=True)
    with pytest.raises(BadQuestion, match="marginal= needs an exact answer"):
        net.query("lung", engine="weighting", marginal={"smoke": [0.5, 0.5]})
    for wrong in ({"samples": 0}, {"accuracy": 0}, {"time": -1}, {"seed": "x"}):
        with pytest.raises(BadQuestion, match=next(iter(wrong))):
            net.query("lung", engine="weighting", **wrong)


def grid(n: int, seed: int) -> bayou.Network:
    """A square of n × n two-state variables, each a child of the one above and the one to the left."""
    arcs = [((i, j - 1), (i, j)) for i in range(n) for j in range(1, n)]
    arcs += [((i - 1, j), (i, j)) for i in range(1, n) for j in range(n)]
    named = [(f"x{a}_{b}", f"x{c}_{d}") for (a, b), (c, d) in arcs]
    net = bayou.Network(named, states={f"x{i}_{j}": [0, 1] for i in range(n) for j in range(n)})
    random = np.random.default_rng(seed)
    for name in net.names:
        p = random.uniform(0.1, 0.9, [2] * len(net.parents(name)))
        net.set_cpt(name, np.stack([p, 1 - p], axis=-1))
    return net


def test_a_network_too_wide_names_the_engines_and_auto_follows() -> None:
    net = grid(7, seed=1)
    given = {"x6_6": 1, "x6_0": 0}
    exact = net.query("x3_3", given)
    with limits(work=500):
        with pytest.raises(TooWide, match=r"engine=\"auto\", time=10") as refused:
            net.query("x3_3", given)
        line = re.search(r"net\.query\(.*time=10\)", str(refused.value))
        assert line is not None
        pasted = eval(line[0], {"net": net})  # the line can be pasted
        assert pasted.estimate is not None
        assert pasted.estimate.engine in ("weighting", "gibbs", "rejection")
        assert_inside(pasted, exact)
        every = net.marginals(given, engine="auto", seed=1, samples=50_000)
        assert every.trusted
    assert net.query("x3_3", given, engine="auto", time=10).estimate is None


def test_auto_gives_bounds_or_the_verdict_if_no_engine_finds_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from bayou.inference.bounds import bounds_engine
    from bayou.inference.sampling import gibbs_engine, rejection, weighting

    def too_wide(*arguments: Any) -> Any:
        raise TooWide("Too wide.")

    def none_found(*arguments: Any) -> Any:
        raise NoEstimate.no_sample(7, "weighting")

    monkeypatch.setattr(weighting.WeightingEngine, "sampled", none_found)
    monkeypatch.setattr(gibbs_engine.GibbsEngine, "sampled", none_found)
    monkeypatch.setattr(rejection.RejectionEngine, "sampled", none_found)
    with limits(work=1):
        bounded = bayou.examples.asia().query("lung", {"dysp": "yes"}, engine="auto", seed=1)
    assert bounded.estimate.engine == "bounds"
    assert bounded["yes"] == pytest.approx(bayou.examples.asia().query("lung | dysp=yes")["yes"])
    monkeypatch.setattr(bounds_engine.BoundsEngine, "answer", too_wide)
    with (
        limits(work=1),
        pytest.raises(NoEstimate, match=r"weighting: No consistent sample in 7 draws.*gibbs: "),
    ):
        bayou.examples.asia().query("lung", {"dysp": "yes"}, engine="auto", seed=1)


def test_the_interval_of_a_share_is_that_of_clopper_and_pearson() -> None:
    from scipy.stats import binomtest

    for hits, size in [(0, 50), (3, 50), (25, 50), (50, 50), (1, 100_000)]:
        wanted = binomtest(hits, size).proportion_ci(0.99, method="exact")
        low, high = binomial_interval(np.array([hits / size]), np.array([float(size)]))
        assert low[0] == pytest.approx(wanted.low, abs=1e-12)
        assert high[0] == pytest.approx(wanted.high, abs=1e-12)
