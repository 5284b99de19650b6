"""``bayou explore`` and ``bayou serve``: networks in the browser, models behind HTTP."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bayou.cli.terminal.paths import load_network_or_sequences, load_shown_model, require_table
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.errors import BadQuestion, MissingPackage

if TYPE_CHECKING:
    from bayou.server.jobs.forms import Way
    from bayou.server.jobs.ways import LearnedModel
    from bayou.server.settings import Settings

EXPLORE_EXAMPLES = """\b
Examples:
  bayou explore                 (a gallery to start from)
  bayou explore asia.bif
  bayou explore casino.bayou     (a hidden Markov model: a strip over time)
  bayou explore asia.bif --no-browser --port 8000
  bayou explore patients.csv                    (the structure is learned first)
  bayou explore patients.csv --target ill
"""
SERVE_EXAMPLES = """\b
Examples:
  bayou serve asia.bif alarm.bayou spam.bayou weather.bayou
  BAYOU_TOKENS="ward=s3cret lab=0ther" bayou serve asia.bif --host 0.0.0.0 --name risk.example.org
"""
TOKENS = "BAYOU_TOKENS"
FEW_ROWS = 200
"""Fewer rows than this do not tell which columns depend on each other: naive Bayes is learned."""


@click.command(short_help="Explore a network in the browser.", epilog=EXPLORE_EXAMPLES)
@click.argument("model", metavar="[NETWORK|TABLE]", required=False)
@click.option("--target", metavar="COLUMN", help="With a TABLE: learn a network that predicts this column.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port; by default one of your own if it is free. 0: any.",
)
@click.option("--browser/--no-browser", default=True, help="Open the page, or only print its address.")
@click.option("--read-only", is_flag=True, help="Never write NETWORK back; changes can be downloaded.")
@click.option("--attached", is_flag=True, hidden=True, help="End when the standard input ends.")
@click.option("--framed", is_flag=True, hidden=True, help="Serve a frame of a notebook of this machine.")
@json_option
def explore(
    model: str | None,
    target: str | None,
    port: int | None,
    browser: bool,
    read_only: bool,
    attached: bool,
    framed: bool,
    as_json: bool,
) -> None:
    """Open NETWORK in the browser: beliefs, findings, explanations; without it, a gallery.

    A .bayou file of a model of sequences (a hidden Markov model, a dynamic network, a linear Gaussian series)
    is shown as a strip over time.

    From a TABLE (.csv, .tsv, .jsonl, .parquet, …) a network is learned first: its structure, or with --target
    a tree-augmented naive Bayes (naive Bayes if there are few rows), and what was learned is told. It is in
    no file until it is downloaded on the page.

    Ctrl+S on the page writes NETWORK back, and only it; a file that somebody else has changed is not
    overwritten unasked. The page comes from this machine and loads nothing from elsewhere. Other users of
    the machine do not get in: the address has a secret. Ctrl-C ends it.
    """
    _require_server()
    from bayou.server.files.saving import SavedFile
    from bayou.server.models.kinds import NETWORK
    from bayou.server.run import end_with_input, free_socket, new_token, open_page, own_socket, run
    from bayou.server.service import Service
    from bayou.server.settings import NOTEBOOKS, Settings

    token = new_token()
    # A frame gets no cookie of another site, so that the path has the secret there.
    prefix = f"/{token}" if framed else ""
    access = Settings(prefix=prefix, frames=NOTEBOOKS) if framed else Settings(tokens={"explorer": token})
    service = Service(replace(access, editing=True, tables=True, learning=True))
    learned = None if model is None else learned_from_table(model, target)
    if learned is not None and model is not None:
        service.publish(served_name(model), learned.model, tuple(learned.sentences))
    elif model is not None:
        file = SavedFile(model)
        revision = service.publish(file.name, load_network_or_sequences(model))
        can_be_saved = file.can_be_written and revision.kind == NETWORK and not read_only
        service.file = file if can_be_saved else None
    alone = port is None and not framed
    listening = own_socket() if alone else free_socket("127.0.0.1", port or 0)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}{prefix}"
    if as_json:
        told = {} if learned is None else {"learned": [*learned.sentences, *learned.details]}
        print_json({"address": address, **({} if framed else {"token": token}), **told})
    else:
        for sentence in () if learned is None else (*learned.sentences, *learned.details):
            click.echo(sentence, err=True)
        click.echo(f"The explorer: {address}/?token={token}\nCtrl-C ends it.", err=True)
    folder = open_page(address, token) if browser and not framed else None
    if attached:
        end_with_input()
    try:
        run(service, listening, with_page=True)
    finally:
        if folder is not None:
            folder.cleanup()


@click.command(short_help="Answer questions about models over HTTP.", epilog=SERVE_EXAMPLES)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port.")
@click.option("--name", "names", multiple=True, help="A name that clients call this server by. Repeatable.")
@click.option("--tokens", "tokens_file", type=click.Path(), help="A file of lines CLIENT=TOKEN.")
@click.option(
    "--allow",
    type=click.Choice(["edits", "tables", "learn"]),
    multiple=True,
    help="What clients may do besides asking: make revisions of models, upload tables, learn. Repeatable.",
)
@click.option(
    "--drain",
    type=click.FloatRange(0, 3600),
    default=0,
    metavar="SECONDS",
    help="How long to go on answering after the signal to stop, while /readyz says no.",
)
@click.option("--prefix", default="", help="The path below which a proxy serves this, such as /models.")
@json_option
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    names: tuple[str, ...],
    tokens_file: str | None,
    allow: tuple[str, ...],
    drain: float,
    prefix: str,
    as_json: bool,
) -> None:
    """Serve MODELs under the names of their files: POST /v1/models/asia/query and others.

    A MODEL is a network of any format, or a .bayou file of a classifier, a hidden Markov model, a dynamic
    network or a linear Gaussian model of series; each kind has its questions.
    GET /openapi.json describes all. Tokens come from a file or from the variable BAYOU_TOKENS
    ("CLIENT=TOKEN ..."); without any, only this machine is served. SIGHUP reads the files again: models are
    replaced between two questions.
    """
    _require_server()
    from bayou.server.files.served_files import ServedFiles
    from bayou.server.run import free_socket, is_loopback, run
    from bayou.server.service import Service

    settings = replace(
        _settings(host, names, tokens_file, prefix),
        editing="edits" in allow,
        tables="tables" in allow or "learn" in allow,
        learning="learn" in allow,
        drain_seconds=drain,
    )
    if not settings.tokens and not is_loopback(host):
        raise BadQuestion(
            f"--host {host} can be reached from other machines: give tokens (--tokens FILE, or the variable "
            f"{TOKENS}), or leave --host out."
        )
    files = files_by_name(models)
    listening = free_socket(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}{prefix}"

    def tell() -> None:
        if as_json:
            print_json({"address": address, "models": list(files)})
        else:
            click.echo(f"Serving {', '.join(files)} at {address}", err=True)

    service = Service(settings)
    service.files = ServedFiles(files, load_shown_model, tell)
    run(service, listening, with_page=False)


def learned_from_table(path: str, target: str | None) -> LearnedModel | None:
    """The network that is learned from a table; None if the file is no table."""
    from bayou.sources.files.file_kinds import is_data_file

    if not is_data_file(path):
        if target is not None:
            raise click.UsageError(f"--target goes with a table, such as patients.csv; {path} is none.")
        return None
    require_table(path)
    from bayou.server.jobs.forms import JobRequest
    from bayou.server.jobs.ways import learned_model
    from bayou.server.tables.table_file import TableFile

    table = TableFile(path)
    with progress(f"Learning from {path}"):
        few = target is not None and table.columns.rows < FEW_ROWS
        way: Way = "structure" if target is None else "naive-bayes" if few else "tan"
        return learned_model(table, JobRequest(path, way, target), None)


def _settings(host: str, names: tuple[str, ...], tokens_file: str | None, prefix: str) -> Settings:
    from bayou.server.settings import LOOPBACK, Settings

    if prefix and (not prefix.startswith("/") or prefix.endswith("/")):
        raise BadQuestion("--prefix begins with a slash and does not end with one, such as /models.")
    text = Path(tokens_file).read_text(encoding="utf-8") if tokens_file else os.environ.get(TOKENS, "")
    own = {host.lower(), f"[{host.lower()}]", *(name.lower() for name in names)}
    return Settings(tokens=tokens_from(text), hosts=LOOPBACK | own, prefix=prefix)


def files_by_name(paths: tuple[str, ...]) -> dict[str, str]:
    """The files by the names that they are served under; each name once.

    >>> files_by_name(("models/asia.bif", "alarm.bayou"))
    {'asia': 'models/asia.bif', 'alarm': 'alarm.bayou'}
    """
    files: dict[str, str] = {}
    for path in paths:
        name = served_name(path)
        if name in files:
            raise BadQuestion(f"Two files would be served as {name!r}: rename one of them.")
        files[name] = path
    return files


def served_name(path: str) -> str:
    """The name of a file without its folder and the endings of its format.

    >>> served_name("models/asia.2025.bif.gz")
    'asia.2025'
    """
    name = Path(path).name.removesuffix(".gz")
    stem, dot, _ = name.rpartition(".")
    return stem if dot else name


def tokens_from(text: str) -> dict[str, str]:
    """The tokens of clients in a text of words CLIENT=TOKEN.

    >>> tokens_from("ward=s3cret lab=0ther")
    {'ward': 's3cret', 'lab': '0ther'}
    """
    tokens: dict[str, str] = {}
    for word in text.split():
        client, equals, token = word.partition("=")
        if not (client and equals and token) or client in tokens:
            raise BadQuestion("Tokens are words CLIENT=TOKEN, each client once.")
        tokens[client] = token
    return tokens


def _require_server() -> None:
    from importlib.util import find_spec

    for package in ("msgspec", "starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingPackage.needed(package, "The explorer")
