"""Options of the commands that learn or count for a model: its features, and what is declared of columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def feature_options(command: Command) -> Command:
    """Give a command the options of classifiers ``--features`` and ``--ignore``."""
    for option in (
        click.option(
            "--ignore",
            multiple=True,
            metavar="COLUMN",
            help="A column that is not a feature (with --target).",
        ),
        click.option(
            "--features",
            multiple=True,
            metavar="COLUMN=KIND",
            help="How naive Bayes models a column: table, gaussian, poisson, … Repeatable.",
        ),
    ):
        command = option(command)
    return command


def column_options(command: Command) -> Command:
    """Give a command the options ``--cuts``, ``--continuous``, ``--share`` and ``--weights``."""
    for option in (
        click.option("--weights", metavar="COLUMN", help="A column with the weight of each row."),
        click.option(
            "--share", multiple=True, metavar="BLOCK=A,B", help="Let variables share one table. Repeatable."
        ),
        click.option(
            "--continuous",
            multiple=True,
            metavar="NAME",
            help="Learn a Gaussian for this variable. Repeatable.",
        ),
        click.option(
            "--cuts",
            multiple=True,
            metavar="NAME=1,2",
            help="Cut a column of numbers at these points. Repeatable.",
        ),
    ):
        command = option(command)
    return command
