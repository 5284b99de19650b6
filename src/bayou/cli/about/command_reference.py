"""Generate the page ``docs/lookup/command-line.md`` from the commands themselves.

Write it again: ``python -m bayou.cli.about.command_reference > docs/lookup/command-line.md``.
A test compares.
"""

from __future__ import annotations

import contextlib
import csv
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from typing import Any

import click

from bayou.cli.main import cli

_INTRODUCTION = """# The command line

<!-- Written by `python -m bayou.cli.about.command_reference > docs/lookup/command-line.md`; do not edit. -->

`bayou` learns Bayesian networks, classifiers and hidden Markov models from tables and answers questions,
without a line of Python. Start with `bayou demo`.

- **Output** is plain text in a pipe or a file, coloured tables on a terminal. With `--json` every command
  prints one JSON document on standard output and nothing else there.
- **Exit codes**: `0` success; `1` error, with a paragraph on standard error that says why (with `--json`:
  `{"error": {"kind": …, "message": …}}` on standard output); `2` wrong usage; `130` interrupted (Ctrl-C);
  `141` the reader of a pipe closed it; `143` terminated (SIGTERM). `fit` and `structure` save the best
  model so far when they are stopped, and still end with these codes; when `--time` is up the code is `0`.
- **Files** are written whole or not at all. A command refuses to overwrite its own input without `--force`.
- **Long work** shows a progress bar on standard error after two seconds, on a terminal only.

## A walk

`storm.csv` holds the 400 rows of `bayou.examples.storm_data()`, `rolls.csv` five games of 100 rolls
drawn from `bayou.examples.casino()`.
"""

WALK = (
    "bayou check storm.csv --target ForestFire",
    'bayou fit storm.csv --network "Storm -> Lightning -> Thunder; Storm, BusTourGroup -> Campfire" '
    "-o storm.bayou",
    'bayou query storm.bayou "Storm | Thunder=yes" --working',
    "bayou query storm.bayou --all --given Campfire=yes",
    "bayou next storm.bayou Storm --given Campfire=yes",
    "bayou conflict storm.bayou --given 'Storm=no, Thunder=yes'",
    "bayou sensitivity storm.bayou Storm=yes --given Thunder=yes --most 5",
    'bayou query storm.bayou "Storm | Thunder=maybe" --json',
    'bayou show storm.bayou --dsep "Storm ; BusTourGroup | Campfire"',
    "bayou explain storm.bayou Storm --given Campfire=yes --given BusTourGroup=yes",
    "bayou sample storm.bayou -n 3 --seed 7",
    "bayou convert storm.bayou storm.bif",
    "bayou show storm.bif --blanket Lightning --json",
    'bayou query strom.bif "Storm | Thunder=yes"',
    'bayou structure storm.csv --score bdeu --forbid "Campfire -> Storm" --svg found.svg -o found.bif',
    "bayou fit storm.csv --target Campfire --model tan -o campfire.bayou",
    "bayou predict campfire.bayou storm.csv --target Campfire --proba -o answers.csv",
    "bayou explain campfire.bayou storm.csv --row 2",
    "bayou fit rolls.csv --sequence game --time throw --label die -o casino.bayou",
    "bayou decode casino.bayou rolls.csv --sequence game --time throw -o dice.csv",
    "bayou forecast casino.bayou rolls.csv --sequence game --time throw --steps 3 -o next.csv",
    "bayou sample casino.bayou --length 3 --sequences 2 --seed 7",
)


def reference_page() -> str:
    """Return the whole page: a walk with real output, then the help of every command."""
    parts = [_INTRODUCTION, *_walk(), "## Every command\n"]
    for name in ("", *cli.commands):
        line = f"bayou {name} --help".replace("  ", " ")
        parts.append(f"### bayou {name}".rstrip() + f"\n\n```text\n$ {line}\n{_output(line)}\n```\n")
    return "\n".join(parts)


def _walk() -> Iterator[str]:
    with _folder_with_data():
        for line in WALK:
            yield f"```text\n$ {line}\n{_output(line)}\n```\n"


@contextlib.contextmanager
def _folder_with_data() -> Iterator[None]:
    """Work in a temporary folder that has ``storm.csv`` and ``rolls.csv``."""
    from bayou import examples

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _write("storm.csv", examples.storm_data())
            _write("rolls.csv", _rolls())
            yield
        finally:
            os.chdir(before)


def _rolls() -> dict[str, list[Any]]:
    """Games drawn from the casino, with the die of each throw."""
    from bayou import examples

    drawn = list(enumerate(examples.casino().sample(100, sequences=5, seed=1)))
    return {
        "game": [game for game, one in drawn for _ in one["roll"]],
        "throw": [throw for _, one in drawn for throw in range(len(one["roll"]))],
        "roll": [roll for _, one in drawn for roll in one["roll"]],
        "die": [die for _, one in drawn for die in one["state"]],
    }


def _write(path: str, table: dict[str, list[Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def _output(line: str) -> str:
    """Return what a command prints on both streams, with times replaced by dots."""
    from click.testing import CliRunner

    _program, *arguments = shlex.split(line)
    done = CliRunner().invoke(cli, arguments, prog_name="bayou", terminal_width=100)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    timeless = re.sub(r"\bin [0-9.]+ (m?s)\b", r"in … \1", done.output)
    return re.sub(r"(= -?[0-9.]+), [0-9.]+ s\n", r"\1, … s\n", timeless).rstrip()


if __name__ == "__main__":
    click.echo(reference_page(), nl=False)
