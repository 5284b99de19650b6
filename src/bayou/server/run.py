"""Starting and ending a server: the socket, the processes, and the link that opens the page."""

from __future__ import annotations

import secrets
import socket
import tempfile
import webbrowser
from html import escape
from pathlib import Path

import uvicorn

from bayou.errors import BadQuestion
from bayou.server.app import make_app
from bayou.server.connection_limits import TimedProtocol
from bayou.server.service import Service
from bayou.server.settings import LOOPBACK

STOP_SECONDS = 5
MOST_CONNECTIONS = 1000


def new_token() -> str:
    """A secret that nobody can guess."""
    return secrets.token_urlsafe(24)


def free_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at this address; port 0: any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        listening.close()
        raise BadQuestion(
            f"Port {port} of {host} cannot be used: {problem.strerror or problem}. Choose another one "
            "(port=0 takes any that is free)."
        ) from None
    return listening


def run(service: Service, listening: socket.socket, with_page: bool) -> None:
    """Serve until Ctrl-C or SIGTERM; questions that are being answered are finished first."""
    config = uvicorn.Config(
        make_app(service, with_page),
        http=TimedProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listening])


def open_page(address: str, token: str) -> tempfile.TemporaryDirectory[str]:
    """Open the page in a browser; return the folder of the file that leads there.

    The browser gets the name of a file that only this user may read: the address with the token would be
    seen by every user of the machine in the list of processes.
    """
    folder = tempfile.TemporaryDirectory(prefix="bayou-explore-")
    file = Path(folder.name, "open.html")
    target = escape(f"{address}/?token={token}", quote=True)
    file.touch(mode=0o600)
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={target}">'
        f'<title>bayou</title><p><a href="{target}">Open the explorer</a></p>\n',
        encoding="utf-8",
    )
    webbrowser.open(file.as_uri())
    return folder


def is_loopback(host: str) -> bool:
    """Whether a server at this address can be reached from this machine only."""
    return host in LOOPBACK or host.startswith("127.")
