"""The command line on networks whose leaves are neither tables nor Gaussians: texts and counts."""

from __future__ import annotations

from pathlib import Path

import pytest

import bayou
from tests.cli.conftest import Run, RunJson


@pytest.fixture
def model(tmp_path: Path) -> str:
    net = bayou.Network(
        "kind -> subject; kind -> links",
        continuous=["links"],
        nodes={"subject": bayou.features.WordsFeature, "links": bayou.features.PoissonFeature},
    )
    subjects = ["buy 123 now", "see you", "buy"]
    net.fit({"kind": ["spam", "mail", "spam"], "subject": subjects, "links": [7.0, 0.0, 4.0]})
    net.save(tmp_path / "mail.bayou")
    return str(tmp_path / "mail.bayou")


@pytest.mark.parametrize("text", ["buy", "123", "'buy, now'"])
def test_a_text_is_a_finding(model: str, text: str, run: Run) -> None:
    assert "a finding is a number or a text" in run("query", model, f"kind | subject={text}").output


def test_a_model_with_texts_is_shown(model: str, run: Run, run_json: RunJson) -> None:
    shown = run("show", model).output
    for part in ("(texts)", "words(subject | kind)", "Poisson(links | kind)"):
        assert part in shown
    variables = {variable["name"]: variable for variable in run_json("show", model)["variables"]}
    assert variables["subject"]["kind"] == "text"
    assert variables["subject"]["distribution"]["words"] == ["123", "buy", "now", "see", "you"]
    assert len(variables["subject"]["distribution"]["logs"][0]) == 2
    assert variables["links"]["kind"] == "continuous"
