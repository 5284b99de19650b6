"""``bayou export``: a model, or a question about a network, as code without dependencies."""

from __future__ import annotations

from typing import Any

import click

from bayou.cli.argument_parsing import known_name, known_names
from bayou.cli.terminal.paths import check_output, force_option, is_hmm, load_shown_model
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.errors import BadFile, BadQuestion

ENDINGS = {"python": (".py",), "javascript": (".js", ".mjs"), "sql": (".sql",)}
EXAMPLES = """\b
Examples:
  bayou export asia.bayou --target lung --inputs smoke,xray -o lung.py
  bayou export spam.bayou -o spam.mjs              (a classifier; the ending chooses the language)
  bayou export spam.bayou --language sql --dialect duckdb --table mails --keep id
  bayou export dice.bayou --smooth --language sql --table rolls --order throw --by game
"""


@click.command(short_help="Write a model as Python, JavaScript or SQL.", epilog=EXAMPLES)
@click.argument("model")
@click.option("--target", metavar="NAME", help="What a network is asked for.")
@click.option("--inputs", metavar="A,B,…", help="What may be known (with --target; by default all others).")
@click.option(
    "--language",
    type=click.Choice(list(ENDINGS)),
    help="The language; by default that of the ending of the file, or Python.",
)
@click.option(
    "--unknown",
    type=click.Choice(["error", "missing"]),
    help="What a value is that is no state (default: of networks error, of sequences missing).",
)
@click.option("--smooth", is_flag=True, help="Of sequences: given all rows, not only those so far.")
@click.option("--table", metavar="NAME", help="SQL: the table that is asked (default: rows).")
@click.option("--dialect", metavar="NAME", help="SQL: postgres (the default), duckdb, sqlite, …")
@click.option("--keep", multiple=True, metavar="COLUMN", help="SQL: a column to repeat. Repeatable.")
@click.option("--order", metavar="COLUMN", help="SQL, sequences: the column of the steps.")
@click.option("--by", multiple=True, metavar="COLUMN", help="SQL: tells sequences apart. Repeatable.")
@click.option("-o", "--output", metavar="FILE", help="Write the code to a file.")
@force_option
@json_option
def export(
    model: str, language: str | None, output: str | None, force: bool, as_json: bool, **how: Any
) -> None:
    """Write MODEL as code that needs nothing: P(target | any of the inputs).

    A classifier and a hidden Markov model are exported as they are; of a network one question is, --target.
    The code gives the probabilities that this library gives, also of rows with gaps. Without -o it is
    printed.
    """
    chosen = language or _language_of(output)
    if output is not None:
        endings = ENDINGS[chosen] if language else [each for own in ENDINGS.values() for each in own]
        check_output(output, endings, [model], force)
    code = _code(load_shown_model(model), model, chosen, how)
    if output is not None:
        from bayou.formats.file_content import write_bytes

        write_bytes(output, (code.rstrip("\n") + "\n").encode("utf-8"))
    if as_json:
        document = {"model": model, "language": chosen, "characters": len(code)}
        print_json({**document, "saved": output} if output else {**document, "code": code})
    elif output is None:
        click.echo(code.rstrip("\n"))
    else:
        Screen().text(f"Saved {len(code):,} characters of {_TITLES[chosen]} to {output}")


_TITLES = {"python": "Python", "javascript": "JavaScript", "sql": "SQL"}


def _language_of(output: str | None) -> str:
    name = (output or "").lower()
    return next((language for language, endings in ENDINGS.items() if name.endswith(endings)), "python")


def _code(model: Any, path: str, language: str, how: dict[str, Any]) -> str:
    """The code of a model of any kind; options that it does not take are an error."""
    from bayou.models.network import Network

    given = {name: value for name, value in how.items() if value not in (None, (), False)}
    given |= {name: list(given[name]) for name in ("keep", "by") if name in given}
    if isinstance(model, Network):
        _refuse(given, ("smooth", "order", "by"), "a network")
        if "target" not in given:
            raise BadQuestion("Name what the network is asked for: --target NAME.")
        target = known_name(model, given.pop("target"))
        inputs = known_names(model, given.pop("inputs")) if "inputs" in given else None
        text: str = model.export(target, inputs, language, **given)
        return text
    if is_hmm(model):
        _refuse(given, ("target", "inputs"), "a hidden Markov model")
    elif hasattr(model, "classes_"):
        _refuse(given, ("target", "inputs", "smooth", "order", "by", "unknown"), "a classifier")
    else:
        raise BadFile.at(path, f"holds a {type(model).__name__}, which is not exported.")
    code: str = model.export(language, **given)
    return code


def _refuse(given: dict[str, Any], options: tuple[str, ...], what: str) -> None:
    for option in options:
        if option in given:
            raise click.UsageError(f"--{option} does not apply to {what}; leave it out.")
