"""The page on sequences: its shell commands, and the right column of its table for users of hmmlearn."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import bayou
from tests.cli.conftest import Run

PAGE = Path(__file__).parents[3] / "docs/do/sequences/sequences.md"
TEXT = PAGE.read_text(encoding="utf-8")
LINE = re.compile(r"^\|[^|]*\| `((?:HiddenMarkov|HMM|\[one|model\.)[^`]*)`", flags=re.MULTILINE)
FROM_HMMLEARN, FROM_POMEGRANATE = (
    LINE.findall(TEXT.split(f"## From {library}")[1].split("\n## ")[0])
    for library in ("hmmlearn", "pomegranate")
)


def test_the_commands_of_the_page_run(run: Run, folder: Path) -> None:
    (block,) = re.findall(r"```console\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = ["city,day,sky,state", "Rome,2,rain,wet", "Oslo,1,rain,wet", "Rome,1,sun,dry"]
    lines += ["Oslo,3,sun,dry", "Rome,3,rain,wet", "Oslo,2,rain,"]
    (folder / "days.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    printed = [run(*shlex.split(line)[2:]).stdout for line in block.splitlines() if line.startswith("$ ")]
    assert len(printed) == 6
    first = [line.rstrip("…") for line in block.splitlines() if line.startswith(("city,", "Rome,"))]
    for line in first:
        assert line in printed[1]
    assert (folder / "drawn.csv").read_text(encoding="utf-8").count("\n") == 501


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.usefixtures("few_starts")
def test_every_line_for_users_of_hmmlearn_runs() -> None:
    chance = np.random.default_rng(0)
    X, lengths = np.r_[chance.normal(0, 1, (40, 2)), chance.normal(4, 2, (40, 2))], [30, 50]
    model = bayou.HiddenMarkov(2, covariance="diagonal").fit(X, lengths)
    names = {"HiddenMarkov": bayou.HiddenMarkov, "model": model, "X": X, "lengths": lengths}
    assert len(FROM_HMMLEARN) == 20
    for line in FROM_HMMLEARN:
        made = eval(line, names)
        if isinstance(made, bayou.HiddenMarkov) and not hasattr(made, "hmm_"):
            rows = X if made.emissions is None else np.abs(X).astype(int)
            assert np.isfinite(made.fit(rows, lengths).score(rows, lengths)), line


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.usefixtures("few_starts")
def test_every_line_for_users_of_pomegranate_runs(folder: Path) -> None:
    chance = np.random.default_rng(0)
    X = np.concatenate([chance.normal(0, 1, (4, 30, 2)), chance.normal(4, 2, (4, 30, 2))], axis=1)
    S = (X[:, :, 0] > 2).astype(int).tolist()
    names = {
        "HMM": bayou.HMM,
        "X": X,
        "S": S,
        "T": {"x": X[0, :, 0], "n": np.abs(X[0, :, 1]).astype(int)},
        "L": [["a"] * 30 + ["b"] * 30] * 4,
        "A": [[0.9, 0.1], [0.2, 0.8]],
        "B": [[0.9, 0.1], [0.2, 0.8]],
        "s": [0.5, 0.5],
        "w": [1, 2, 1, 1],
        "model": bayou.HMM(2).fit(S),
    }
    assert len(FROM_POMEGRANATE) == 21
    for line in FROM_POMEGRANATE:
        made = eval(line, names)
        assert made is not None or line.startswith("model.save")
        if line.startswith("HMM") and ".fit(" in line:
            data = names["T"] if "fit(T" in line else names["S"] if "fit(S" in line else X
            assert np.isfinite(made.log_likelihood(data)), line
    assert bayou.load("model.bayou").same_as(names["model"])
