"""bayou demo, and the page that is written by the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from bayou.cli.about.command_reference import reference_page
from bayou.cli.main import cli
from tests.cli.conftest import Run, RunJson

PAGE = Path(__file__).resolve().parents[2] / "docs/lookup/command-line.md"


def test_the_demo_learns_asks_and_explains(run: Run) -> None:
    printed = run("demo").stdout
    for part in (
        "P(Campfire | Storm, BusTourGroup)",
        "Divide by their sum",
        "Storm and BusTourGroup are d-separated.",
        "Open trail: Storm -> Campfire <- BusTourGroup",
        "12 numbers, not 22",
        "exactly as if they had never been seen",
    ):
        assert part in printed
    assert max(len(line) for line in printed.splitlines()) <= 100
    assert "\x1b" not in printed


def test_the_demo_as_json(run_json: RunJson) -> None:
    document = run_json("demo")
    assert document["rows"] == 400
    assert [query["targets"] for query in document["queries"]] == [
        ["Storm"],
        ["BusTourGroup"],
        ["BusTourGroup"],
    ]
    assert [verdict["separated"] for verdict in document["separations"]] == [True, False]
    assert document["forgets_exactly"] is True


def test_the_demo_saves_its_network_to_ask_it_more(run: Run, run_json: RunJson) -> None:
    asked = run_json("demo", "-o", "storm.bayou")["queries"][0]
    (answer,) = run_json("query", "storm.bayou", asked["question"])["posteriors"]
    assert answer["probabilities"] == asked["probabilities"]
    assert "use one of .bayou" in run("demo", "-o", "storm.csv", exit_code=1).stderr


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page(), (
        "python -m bayou.cli.about.command_reference > docs/lookup/command-line.md"
    )


@pytest.mark.parametrize("name", list(cli.commands))
def test_every_command_has_help_with_examples_and_json(run: Run, name: str) -> None:
    printed = run(name, "--help").stdout
    assert "Examples:" in printed
    assert f"bayou {name}" in printed
    assert "--json" in printed


def test_the_version(run: Run) -> None:
    from bayou import __version__

    assert run("--version").stdout == f"bayou {__version__}\n"
