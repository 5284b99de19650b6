"""Networks and tables on disk for the tests of the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bayou.cli.main import cli
from bayou.models.network import Network

Run = Callable[..., Result]
RunJson = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, as the current one, with a table and a network with awkward names."""
    monkeypatch.chdir(tmp_path)
    rain().save("rain.bayou")
    rain().save("rain.bif")
    weird().save("weird.bayou")
    (tmp_path / "rain.csv").write_text("Rain,Wet,n\nyes,yes,2\nno,no,3\nno,yes,1\nyes,,1\n", encoding="utf-8")
    return tmp_path


def rain() -> Network:
    """Rain makes the grass wet."""
    return Network(
        "Rain -> Wet",
        tables={
            "Rain": {"no": 0.8, "yes": 0.2},
            "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}},
        },
    )


def weird() -> Network:
    """Names and states that are not plain words: blanks, commas, quotes, other alphabets, numbers."""
    return Network(
        {"größe, cm": [], 7: ["größe, cm"]},
        tables={
            "größe, cm": {'very "big"': 0.25, "": 0.5, "小さい, small": 0.25},
            7: {'very "big"': {1: 0.5, 2: 0.5}, "": {1: 0.25, 2: 0.75}, "小さい, small": {1: 1.0, 2: 0.0}},
        },
    )


@pytest.fixture
def run(folder: Path) -> Run:
    """Run the command in that folder."""

    def runner(*arguments: str, exit_code: int = 0, typed: bytes | None = None) -> Result:
        result = CliRunner().invoke(cli, list(arguments), prog_name="bayou", input=typed)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == exit_code, result.output
        return result

    return runner


@pytest.fixture
def run_json(run: Run) -> RunJson:
    """Run the command with --json and read all of its standard output as one document."""

    def runner(*arguments: str, exit_code: int = 0) -> Any:
        return json.loads(run(*arguments, "--json", exit_code=exit_code).stdout)

    return runner
