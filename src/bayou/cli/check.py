"""``bayou check``: report problems of a table and how to fix them."""

from __future__ import annotations

import ast
import contextlib
import os
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.terminal.paths import require_table
from bayou.cli.terminal.piped_tables import STANDARD_INPUT, is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.cli.terminal.table_options import table_options
from bayou.cli.terminal.wording import shell_word

if TYPE_CHECKING:
    from bayou.data_checks import Report

EXAMPLES = """\b
Examples:
  bayou check train.csv
  bayou check train.csv --target survived      (also classes, leakage, informative gaps)
  bayou check train.csv new.csv                (also drift, other types, unseen values)
  cut -d, -f1-9 train.csv | bayou check -
  bayou check train.parquet --rows all --json
"""
_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def row_limit(_ctx: click.Context, _parameter: click.Parameter, value: str) -> int | None:
    """Parse a number of rows; None means 'all'."""
    if value == "all":
        return None
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a number of rows nor 'all'.")
    if int(value) < 1:
        raise click.BadParameter(f"{value!r}: at least one row must be checked.")
    return int(value)


@click.command(short_help="Report problems of a table.", epilog=EXAMPLES)
@click.argument("table", metavar="TABLE")
@click.argument("other", metavar="[OTHER]", required=False)
@click.option("--target", metavar="NAME", help="The column to predict.")
@click.option(
    "--rows",
    callback=row_limit,
    metavar="N|all",
    default="250000",
    show_default=True,
    help="How many rows to check, from the first.",
)
@table_options
@json_option
def check(table: str, other: str | None, target: str | None, rows: int | None, as_json: bool) -> None:
    """Report problems of TABLE: a file, a folder or a pattern of files (- is standard input).

    OTHER is a second table, such as new rows to predict: what differs in it is reported, too. Each finding
    has a severity and its fix: an option of the commands that read tables, or a line of pandas code. The
    exit code is 1 if there is an error: no rows, a column without any value, infinite numbers, one value
    stored in several types (1, "1", True), or a target with only one class. With warnings and notes only it
    is 0.
    """
    given = [table] if other is None else [table, other]
    if all(each in STANDARD_INPUT for each in given) and len(given) > 1:
        raise click.UsageError("Only one of the two tables can come from standard input.")
    for each in given:
        if not is_piped(each):
            require_table(each)
    from bayou.data_checks import check as examine

    with contextlib.ExitStack() as pipes:
        files = [pipes.enter_context(table_file(each)) for each in given]
        with progress(f"Checking {table}"):
            report = examine(files[0], target, other=files[1] if len(files) > 1 else None, rows=rows)
    if as_json:
        print_json(_named(report.to_dict(), repr(os.fspath(files[0])), repr(table)))
    else:
        _show(report)
    if not report.ok:
        click.get_current_context().exit(1)


def _named(document: dict[str, Any], path: str, table: str) -> dict[str, Any]:
    """The document with the table as it was named, where it was a copy of piped data."""
    for finding in document["findings"]:
        finding["fix"] = finding["fix"].replace(path, table)
    if "read_anew" in document:
        document["read_anew"] = document["read_anew"].replace(path, table)
    return document


def _show(report: Report) -> None:
    screen = Screen()
    screen.text(report.heading, *filter(None, [report.gaps]))
    for finding in report:
        screen.wrapped(f"{finding.severity}: {finding}", style=_STYLES[finding.severity])
        if finding.fix:
            screen.text(f"    {_typed(finding.fix)}", style="green")
    if report.read_anew and len({fix for found in report if (fix := options_of(found.fix))}) > 1:
        screen.text(f"All options together: {options_of(report.read_anew)}")


def _typed(fix: str) -> str:
    """A fix as it is shown: one that reads the files anew is an option of the commands."""
    options = options_of(fix)
    if not options:
        return fix
    reads = " --ignore " not in f" {options}"
    where = "every command that reads a table has it" if reads else "of fit, evaluate and structure"
    return f"read it with {options} ({where})"


def options_of(fix: str) -> str:
    """The options of a line that reads files anew; "" for another line.

    >>> options_of("data = bayou.from_file('a.csv', na=['n/a', '-'], ignore='customer')")
    '--na n/a --na - --ignore customer'
    """
    if not fix.startswith("data = bayou.from_file("):
        return ""
    call = ast.parse(fix.partition(" = ")[2], mode="eval").body
    options = []
    for given in call.keywords if isinstance(call, ast.Call) else ():
        value = ast.literal_eval(given.value)
        for one in value if isinstance(value, list) else [value]:
            options.append(f"--{given.arg} {shell_word(str(one))}")
    return " ".join(options)
