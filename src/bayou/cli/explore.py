"""``bayou explore`` and ``bayou serve``: networks in the browser and behind HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bayou.cli.terminal.paths import load_network
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.errors import BadQuestion, MissingPackage

if TYPE_CHECKING:
    from bayou.server.settings import Settings

EXPLORE_EXAMPLES = """\b
Examples:
  bayou explore                 (a gallery to start from)
  bayou explore asia.bif
  bayou explore asia.bif --no-browser --port 8000
"""
SERVE_EXAMPLES = """\b
Examples:
  bayou serve asia.bif alarm.bayou
  BAYOU_TOKENS="ward=s3cret lab=0ther" bayou serve asia.bif --host 0.0.0.0 --name risk.example.org
"""
TOKENS = "BAYOU_TOKENS"


@click.command(short_help="Explore a network in the browser.", epilog=EXPLORE_EXAMPLES)
@click.argument("model", metavar="[NETWORK]", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port; by default any that is free."
)
@click.option("--browser/--no-browser", default=True, help="Open the page, or only print its address.")
@json_option
def explore(model: str | None, port: int, browser: bool, as_json: bool) -> None:
    """Open NETWORK in the browser: beliefs, findings, explanations; without it, a gallery.

    The page comes from this machine and loads nothing from elsewhere. Other users of the machine do not get
    in: the address has a secret. Ctrl-C ends it.
    """
    _require_server()
    from bayou.server.run import free_socket, new_token, open_page, run
    from bayou.server.service import Service
    from bayou.server.settings import Settings

    token = new_token()
    service = Service(Settings(tokens={"explorer": token}))
    if model is not None:
        service.publish(Path(model).name, load_network(model))
    listening = free_socket("127.0.0.1", port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    if as_json:
        print_json({"address": address, "token": token})
    else:
        click.echo(f"The explorer: {address}/?token={token}\nCtrl-C ends it.", err=True)
    folder = open_page(address, token) if browser else None
    try:
        run(service, listening, with_page=True)
    finally:
        if folder is not None:
            folder.cleanup()


@click.command(short_help="Answer questions about networks over HTTP.", epilog=SERVE_EXAMPLES)
@click.argument("models", metavar="NETWORK...", nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port.")
@click.option("--name", "names", multiple=True, help="A name that clients call this server by. Repeatable.")
@click.option("--tokens", "tokens_file", type=click.Path(), help="A file of lines CLIENT=TOKEN.")
@click.option("--prefix", default="", help="The path below which a proxy serves this, such as /models.")
@json_option
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    names: tuple[str, ...],
    tokens_file: str | None,
    prefix: str,
    as_json: bool,
) -> None:
    """Serve NETWORKs under the names of their files: POST /v1/models/asia/query and others.

    GET /openapi.json describes all. Tokens come from a file or from the variable BAYOU_TOKENS
    ("CLIENT=TOKEN ..."); without any, only this machine is served.
    """
    _require_server()
    from bayou.server.run import free_socket, is_loopback, run
    from bayou.server.service import Service

    settings = _settings(host, names, tokens_file, prefix)
    if not settings.tokens and not is_loopback(host):
        raise BadQuestion(
            f"--host {host} can be reached from other machines: give tokens (--tokens FILE, or the variable "
            f"{TOKENS}), or leave --host out."
        )
    service = Service(settings)
    for model in models:
        name = served_name(model)
        if name in service.named:
            raise BadQuestion(f"Two files would be served as {name!r}: rename one of them.")
        service.publish(name, load_network(model))
    listening = free_socket(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}{prefix}"
    if as_json:
        print_json({"address": address, "models": list(service.named)})
    else:
        click.echo(f"Serving {', '.join(service.named)} at {address}", err=True)
    run(service, listening, with_page=False)


def _settings(host: str, names: tuple[str, ...], tokens_file: str | None, prefix: str) -> Settings:
    from bayou.server.settings import LOOPBACK, Settings

    if prefix and (not prefix.startswith("/") or prefix.endswith("/")):
        raise BadQuestion("--prefix begins with a slash and does not end with one, such as /models.")
    text = Path(tokens_file).read_text(encoding="utf-8") if tokens_file else os.environ.get(TOKENS, "")
    own = {host.lower(), f"[{host.lower()}]", *(name.lower() for name in names)}
    return Settings(tokens=tokens_from(text), hosts=LOOPBACK | own, prefix=prefix)


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

    if not all(find_spec(package) for package in ("msgspec", "starlette", "uvicorn")):
        raise MissingPackage.needed("bayou[explore]", "The explorer")
