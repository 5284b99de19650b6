"""bayou export writes code, bayou info says what is installed, bayou completion helps a shell."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bayou
from tests.cli.conftest import Run, RunJson


def loaded(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(code, names)
    return names


def test_a_question_about_a_network(run: Run, folder: Path) -> None:
    net = bayou.examples.asia()
    net.save(folder / "asia.bayou")
    printed = run("export", "asia.bayou", "--target", "lung", "--inputs", "smoke, xray").stdout
    row = {"smoke": "yes", "xray": "yes"}
    assert loaded(printed)["predict_proba"](row) == pytest.approx(net.query("lung", row).to_array().tolist())
    said = run("export", "asia.bayou", "--target", "lung", "-o", "lung.mjs").stdout
    assert "of JavaScript to lung.mjs" in said
    assert "export const predictProba" in (folder / "lung.mjs").read_text(encoding="utf-8")
    assert "SELECT" in run("export", "asia.bayou", "--target", "lung", "--language", "sql").stdout


def test_classifiers_and_sequences(run: Run, run_json: RunJson, folder: Path) -> None:
    bayou.NaiveBayes().fit({"x": ["a", "b"]}, ["u", "v"]).save(folder / "bayes.bayou")
    found = run_json("export", "bayes.bayou")
    assert found["language"] == "python"
    assert loaded(found["code"])["predict"]({"x": "b"}) == "v"
    query = run("export", "bayes.bayou", "--language", "sql", "--table", "shop.rows", "--keep", "id").stdout
    assert '"shop"."rows"' in query
    bayou.examples.casino().save(folder / "casino.bayou")
    steps = run("export", "casino.bayou", "--smooth", "-o", "casino.py")
    assert "of Python to casino.py" in steps.stdout
    rows = [{"roll": 6}] * 3
    smoothed = bayou.examples.casino().smooth([6, 6, 6]).probabilities
    code = (folder / "casino.py").read_text(encoding="utf-8")
    assert loaded(code)["predict_proba"](rows) == pytest.approx(smoothed)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rain.bayou"], 1, "--target NAME"),
        (["rain.bayou", "--target", "Rian"], 1, "Did you mean"),
        (["rain.bayou", "--target", "Rain", "--smooth"], 2, "--smooth does not apply to a network"),
        (["rain.bayou", "--target", "Rain", "-o", "rain.txt"], 1, "use one of .py"),
        (["rain.bayou", "--target", "Rain", "--language", "sql", "-o", "rain.py"], 1, "use one of .sql"),
        (["rain.bayou", "--target", "Rain", "--table", "t"], 1, "--table is for --language sql"),
        (["bayes.bayou", "--target", "x"], 2, "--target does not apply to a classifier"),
        (["kalman.bayou"], 1, "which is not exported"),
    ],
)
def test_refusals(run: Run, folder: Path, arguments: list[str], code: int, message: str) -> None:
    bayou.NaiveBayes().fit({"x": ["a", "b"]}, ["u", "v"]).save(folder / "bayes.bayou")
    bayou.KalmanModel.local_level().save(folder / "kalman.bayou")
    assert message in " ".join(run("export", *arguments, exit_code=code).stderr.split())


def test_info_says_what_is_there(run: Run, run_json: RunJson) -> None:
    import numpy as np

    found = run_json("info")
    assert found["bayou"] == bayou.__version__
    assert found["packages"]["numpy"] == np.__version__
    assert found["core"]["file"].startswith("_core")
    assert found["threads"] == bayou.threads.count()
    assert {"auto", "loopy", "messages"} <= set(found["engines"])
    printed = run("info").stdout
    for part in (
        f"bayou {bayou.__version__} on Python",
        f"numpy {np.__version__}",
        "Engines: auto",
        "Limits",
    ):
        assert part in printed


def test_info_names_the_extra_of_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from bayou.cli.about import info

    version = info._version
    monkeypatch.setattr(info, "_version", lambda name: None if name == "pyspark" else version(name))
    assert "pyspark not installed (pip install 'bayou[spark]')" in run("info").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_reads(
    run: Run, run_json: RunJson, shell: str, tmp_path: Path
) -> None:
    script = run("completion", shell).stdout
    assert "_BAYOU_COMPLETE" in script
    assert run_json("completion", shell) == {"shell": shell, "script": script.removesuffix("\n")}
    if shutil.which(shell):
        file = tmp_path / "script"
        file.write_text(script, encoding="utf-8")
        subprocess.run([shell, "-n", str(file)], check=True, timeout=60)


def completed(words: str, place: int) -> list[str]:
    """What bash would offer."""
    ask = {"_BAYOU_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    done = subprocess.run(
        [sys.executable, "-m", "bayou"],
        env={**os.environ, **ask},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_commands_options_choices_and_files_are_completed() -> None:
    assert sorted(completed("bayou exp", 1)) == ["plain,explain", "plain,explore", "plain,export"]
    assert completed("bayou export m.bayou --lang", 3) == ["plain,--language"]
    assert completed("bayou export m.bayou --language s", 4) == ["plain,sql"]
    assert completed("bayou export m", 2) == ["file,m"]
    assert completed("bayou export m.bayou -o x", 4) == ["file,x"]


def test_json_is_one_document(run: Run) -> None:
    assert (
        json.loads(run("export", "rain.bayou", "--target", "Rain", "--json").stdout)["language"] == "python"
    )
