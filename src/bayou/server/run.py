"""Starting and ending a server: the socket, the processes, and the link that opens the page."""

from __future__ import annotations

import getpass
import hashlib
import secrets
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from html import escape
from ipaddress import ip_address
from pathlib import Path
from types import FrameType

import uvicorn

from bayou.errors import BadQuestion
from bayou.server.access.connection_limits import bounded_protocol
from bayou.server.app import make_app
from bayou.server.faults import log_places_only
from bayou.server.service import Service
from bayou.server.settings import LOOPBACK

STOP_SECONDS = 5
_FIRST_PORT, _PORTS = 21_000, 10_000
"""Where servers of users are: below the ports that systems give to other programs."""


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
    listening.listen()  # a browser that is early waits
    return listening


class StoppingServer(uvicorn.Server):
    """A server that tells its service of the end, and goes on answering for ``drain_seconds`` before it.

    A load balancer that asks /readyz has so long to send requests elsewhere. A second signal ends it at once.
    """

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service
        service.end = self._end

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop on a signal."""
        seconds = self._service.settings.drain_seconds
        if self._service.state == "stopping" or not seconds:
            self._service.stop_soon()
            super().handle_exit(sig, frame)
            return
        self._service.stop_soon()
        self._captured_signals.append(sig)
        timer = threading.Timer(seconds, self._end)
        timer.daemon = True
        timer.start()

    def _end(self) -> None:
        self.should_exit = True


def own_socket() -> socket.socket:
    """A socket at a port of this user, the same at every start if it is free; else at any that is.

    A browser keeps unsaved edits by address: at the same one they are found again after the server has ended.
    """
    user = getpass.getuser().encode("utf-8", "surrogateescape")
    number = int.from_bytes(hashlib.sha256(b"bayou explore " + user).digest()[:4], "big")
    try:
        return free_socket("127.0.0.1", _FIRST_PORT + number % _PORTS)
    except BadQuestion:
        return free_socket("127.0.0.1", 0)


def run(service: Service, listening: socket.socket, with_page: bool) -> None:
    """Serve until Ctrl-C or SIGTERM; questions that are being answered are finished first."""
    log_places_only()
    config = uvicorn.Config(
        make_app(service, with_page),
        http=bounded_protocol(),
        ws="none",
        proxy_headers=False,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = StoppingServer(config, service)
    server.run(sockets=[listening])
    if service.files is not None and service.files.error is not None:
        raise service.files.error


def end_with_input() -> None:
    """End this process, as Ctrl-C would, when its standard input ends: when the one that started it ends."""

    def watch() -> None:
        sys.stdin.buffer.read()
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=watch, daemon=True).start()


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
    """Whether a server at this address can be reached from this machine only.

    >>> is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("127.0.0.1.example.org")
    (True, True, False)
    """
    if host in LOOPBACK:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, which may lead anywhere
        return False
