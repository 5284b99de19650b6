"""Columns of answers: printed as they are or as a document, or saved, which is told."""

from __future__ import annotations

from typing import Any

import click

from bayou.cli.terminal.csv_output import write_columns
from bayou.cli.terminal.reporting import print_json


def report_columns(
    columns: dict[str, Any], output: str | None, as_json: bool, told: str, facts: dict[str, Any]
) -> None:
    """Write columns, or print them as a document; ``told`` says what was saved, ``facts`` open documents."""
    if as_json and output is None:
        rows = list(zip(*columns.values(), strict=True))
        print_json({**facts, "columns": list(columns), "rows": rows})
        return
    write_columns(columns, output)
    if as_json:
        count = len(next(iter(columns.values())))
        print_json({**facts, "saved": output, "rows": count, "columns": list(columns)})
    elif output is not None:
        click.echo(told)
