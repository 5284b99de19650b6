"""The page in one file computes what the library computes: its JavaScript is run by node."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadFile, BadQuestion, ImpossibleEvidence, TooWide
from bayou.pages.clique_arrays import MOST_ENTRIES
from tests.patience import PATIENCE
from tests.shared_data import SHARED, needs_shared_data, shared_files

NODE = shutil.which("node") or shutil.which("nodejs")
SCRIPT = Path(__file__).parent / "offline_answers.mjs"
TABLES = [name for name in bayou.examples.names() if name.endswith("_network")]
CLASSICS = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "alarm", "storm"]
SMALL = ["cold_and_allergies", "rain_and_wet_grass", "thunder_and_rain", "two_dice"]
TOO_LARGE = {"barley", "diabetes", "link", "munin1", "water"}
Findings = list[dict[str, Any]]
pytestmark = pytest.mark.skipif(NODE is None, reason="the page's JavaScript is run by node")


def content_of(page: str) -> Any:
    """The network in a page, as the page reads it."""
    found = re.search(r'<script type="application/json" id="network">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


def answers(net: bayou.Network, questions: list[Findings], folder: Path) -> list[Any]:
    """What the page answers."""
    file = folder / "questions.json"
    file.write_text(json.dumps({"content": content_of(net.to_html()), "questions": questions}))
    run = subprocess.run(
        [str(NODE), str(SCRIPT), str(file)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert run.returncode == 0, run.stderr
    found: list[Any] = json.loads(run.stdout)
    return found


def stated(findings: Findings) -> dict[str, Any]:
    """Findings of the page as arguments of the library."""
    given: dict[Any, Any] = {}
    weights, do = {}, {}
    for one in findings:
        if "weights" in one:
            weights[one["variable"]] = one["weights"]
        elif "do" in one:
            do[one["variable"]] = one["do"]
        elif "not" in one:
            given[one["variable"]] = bayou.Not(*one["not"])
        elif "value" in one:
            given[one["variable"]] = one["value"]
        else:
            given[one["variable"]] = one["state"] if "state" in one else frozenset(one["in"])
    return {"given": given, "likelihood": weights, "do": do}


def some_findings(net: bayou.Network, seed: int, most: int = 12) -> Findings:
    """Findings of all kinds that agree with a row drawn from the network, but for what do() changes."""
    chance = random.Random(seed)
    drawn = net.sample(1, seed=seed)
    names = chance.sample(list(net.names), min(len(net.names), chance.randint(1, most)))
    findings: Findings = []
    for name in names:
        true = drawn[name][0]
        if net.variables[name].is_continuous:
            findings.append({"variable": name, "value": float(true)})
            continue
        states = list(net.states(name))
        true = states[states.index(true)]
        other = chance.choice([state for state in states if state != true] or states)
        kind = chance.choice(["state", "state", "state", "in", "not", "weights", "do"])
        if kind == "in":
            findings.append({"variable": name, "in": [true, other] if other != true else [true]})
        elif kind == "not" and len(states) > 1:
            findings.append({"variable": name, "not": [other]})
        elif kind == "weights":
            findings.append({"variable": name, "weights": [chance.uniform(0.01, 3) for _ in states]})
        else:
            findings.append({"variable": name, "do" if kind == "do" else "state": true})
    return findings


def compare(net: bayou.Network, findings: Findings, answer: Any) -> None:
    """All beliefs to 1e-12, log P(findings), the probability of the best explanation, impossible findings."""
    known = stated(findings)
    try:
        found = net.marginals(**known)
    except ImpossibleEvidence:
        assert answer["problem"] == "impossible-findings"
        nearest = net.nearest_findings(**known)
        assert {len(each) for each in answer["release"]} == {len(each.names) for each in nearest}
        return
    assert answer["log_probability"] == pytest.approx(found.log_evidence, abs=1e-9)
    tables = found.to_arrays()
    for belief in answer["beliefs"]:
        name = belief["variable"]
        if net.variables[name].is_continuous:
            compare_number(net, name, known, belief)
            continue
        expected = tables.get(name)
        if expected is None:
            state = known["do"].get(name, known["given"].get(name))
            expected = np.array([float(one == state) for one in net.states(name)])
        assert np.abs(np.array(belief["probabilities"]) - expected).max() < 1e-12, name
    if not answer["explanation"]["states"]:
        assert answer["explanation"]["probability"] == pytest.approx(1)
        return
    best = net.most_probable(**known)[0]
    assert answer["explanation"]["probability"] == pytest.approx(best.probability, rel=1e-9)
    assert {one["variable"] for one in answer["explanation"]["states"]} == set(best.states)


def compare_number(net: bayou.Network, name: Any, known: dict[str, Any], belief: Any) -> None:
    """Mean, deviation and density of a number that is not observed."""
    if name in known["given"]:
        assert (belief["mean"], belief["deviation"]) == (known["given"][name], 0)
        return
    expected = net.query(name, **known)
    assert belief["mean"] == pytest.approx(expected.mean, rel=1e-12)
    assert belief["deviation"] == pytest.approx(expected.std, rel=1e-12)
    points = np.array(belief["density"])
    assert points[:, 1] == pytest.approx(expected.density(points[:, 0]), rel=1e-9, abs=1e-300)


def check(net: bayou.Network, folder: Path, cases: int = 12) -> list[float]:
    questions = [[], *(some_findings(net, seed) for seed in range(cases))]
    found = answers(net, questions, folder)
    for findings, answer in zip(questions, found, strict=True):
        compare(net, findings, answer)
    return [answer["milliseconds"] for answer in found if "milliseconds" in answer]


@pytest.mark.parametrize("name", [*CLASSICS, *SMALL, *TABLES])
def test_the_examples(name: str, tmp_path: Path) -> None:
    check(getattr(bayou.examples, name)(), tmp_path)


@pytest.mark.parametrize("name", ["hidden_markov", "movie_review"])
def test_the_examples_of_any_length(name: str, tmp_path: Path) -> None:
    check(getattr(bayou.examples, name)(8), tmp_path)


@needs_shared_data
@pytest.mark.parametrize("file", shared_files("networks/*.bif.gz"), ids=lambda file: file.name[:-7])
def test_the_shared_networks(file: Path, tmp_path: Path) -> None:
    net = bayou.load(file)
    assert SHARED.is_dir()
    if file.name[:-7] in TOO_LARGE:
        with pytest.raises(TooWide, match=rf"at most {MOST_ENTRIES:,} entries.*this network needs [\d,]+\."):
            net.to_html()
        return
    check(net, tmp_path, cases=4)


def test_alarm_is_fast_and_small(tmp_path: Path) -> None:
    net = bayou.examples.alarm()
    times = check(net, tmp_path, cases=30)
    assert sorted(times)[len(times) // 2] < 50
    assert len(net.to_html().encode()) < 500_000


def test_a_number_far_from_everything(tmp_path: Path) -> None:
    net = bayou.examples.heights_network()
    [name] = [variable.name for variable in net.variables if variable.is_continuous]
    questions: list[Findings] = [[{"variable": name, "value": value}] for value in (-3000.0, 71.5, 4000.0)]
    for findings, answer in zip(questions, answers(net, questions, tmp_path), strict=True):
        compare(net, findings, answer)


def test_numbers_in_the_tail_of_the_only_state_that_is_left(tmp_path: Path) -> None:
    """The density of G=20 given hot is e^-2000 times that given cold, which the other finding rules out."""
    degrees = [20 + k % 5 * 0.25 if k % 2 == 0 else 60 + k % 5 * 0.25 for k in range(100)]
    table = {"state": ["cold", "hot"] * 50, "G": degrees, "alarm": ["no", "yes"] * 50}
    net = bayou.Network("state -> G; state -> alarm", continuous=["G"]).fit(table)
    far: Findings = [{"variable": "G", "value": 20.0}]
    questions = [
        [*far, {"variable": "state", "state": "hot"}],
        [*far, {"variable": "state", "not": ["cold"]}],
        [*far, {"variable": "state", "weights": [0.0, 1.0]}],
        [*far, {"variable": "state", "weights": [1e-300, 1.0]}, {"variable": "alarm", "state": "yes"}],
    ]
    for findings, answer in zip(questions, answers(net, questions, tmp_path), strict=True):
        assert "problem" not in answer
        compare(net, findings, answer)


def test_numbers_that_the_page_does_not_know_are_refused() -> None:
    net = bayou.Network("height -> weight", continuous=["height", "weight"])
    net.fit({"height": [1.6, 1.7, 1.8, 1.9], "weight": [60.0, 71.0, 75.0, 88.0]})
    with pytest.raises(BadQuestion, match=r"'weight' would be something else.*net\.explore\(\)"):
        net.to_html()


def test_noisy_nodes(tmp_path: Path) -> None:
    causes = [f"cause{number}" for number in range(6)]
    noisy = bayou.NoisyOr(dict.fromkeys(causes, 0.7), leak=0.01)
    states = {name: ["no", "yes"] for name in ("alarm", *causes)}
    net = bayou.Network({"alarm": causes}, states=states)
    for number, cause in enumerate(causes):
        net.set_cpt(cause, [0.9 - 0.1 * number, 0.1 + 0.1 * number])
    net.set_cpt("alarm", noisy)
    check(net, tmp_path)


def test_a_thousand_findings_whose_product_is_no_number_any_more(tmp_path: Path) -> None:
    tables: dict[str, Any] = {"class": {"a": 0.5, "b": 0.5}}
    for number in range(1000):
        tables[f"x{number}"] = {"a": {"no": 0.4, "yes": 0.6}, "b": {"no": 0.401, "yes": 0.599}}
    net = bayou.Network({name: ["class"] for name in tables if name != "class"}, tables=tables)
    questions = [[{"variable": f"x{k}", "state": "no" if k % 5 < 2 else "yes"} for k in range(1000)]]
    [answer] = answers(net, questions, tmp_path)
    compare(net, questions[0], answer)
    assert answer["log_probability"] < -600


def test_weights_of_any_size(tmp_path: Path) -> None:
    """Products far below the smallest number: the ratio of what is left decides."""
    net = bayou.examples.asia()
    questions: list[Findings] = [
        [
            {"variable": "xray", "weights": [1e-300, 1e-306]},
            {"variable": "dysp", "weights": [1e-300, 1e-290]},
        ],
        [{"variable": "lung", "weights": [1.0, 1e-250]}, {"variable": "either", "weights": [1e-250, 1.0]}],
    ]
    for findings, answer in zip(questions, answers(net, questions, tmp_path), strict=True):
        compare(net, findings, answer)


def test_findings_that_cannot_be(tmp_path: Path) -> None:
    net = bayou.examples.asia()
    questions: list[Findings] = [
        [{"variable": "lung", "state": "yes"}, {"variable": "either", "state": "no"}],
        [
            {"variable": "smoke", "state": "yes"},
            {"variable": "tub", "state": "yes"},
            {"variable": "either", "not": ["yes"]},
        ],
    ]
    found = answers(net, questions, tmp_path)
    for findings, answer in zip(questions, found, strict=True):
        nearest = net.nearest_findings(**stated(findings))
        assert [[one["variable"] for one in each] for each in answer["release"]] == [
            list(each.names) for each in nearest
        ]


def test_names_stay_data(tmp_path: Path) -> None:
    """Names that look like the end of a script, comments and lines: the page reads them as they are."""
    net = bayou.examples.asia()
    for sign in ("</script><script>alert(1)</script>", "<!--", "\u2028'\"", "\\u003c&amp;", "\ud800"):
        net.rename_node(net.names[0], f"{sign}{net.names[0]}")
        net.rename_state(net.names[0], net.states(net.names[0])[0], sign)
    page = net.to_html()
    assert len(re.findall("<script", page)) == len(re.findall("</script", page)) == 2
    assert "<!--" not in page
    assert [one["name"] for one in content_of(page)["model"]["variables"]] == list(net.names)
    check(net, tmp_path, cases=3)


def test_the_numbers_do_not_depend_on_what_was_asked_before(tmp_path: Path) -> None:
    net = bayou.examples.child()
    one, other = some_findings(net, 1), some_findings(net, 2)
    first, _, again = answers(net, [one, other, one], tmp_path)
    assert first["beliefs"] == again["beliefs"]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"ends in \.html"):
        bayou.examples.asia().to_html(tmp_path / "asia.svg")
