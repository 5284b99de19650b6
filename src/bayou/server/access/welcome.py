"""What a browser sees at the door: the step into a session, or that the session it asks for has ended."""

from __future__ import annotations

from starlette.responses import HTMLResponse, Response

from bayou.server.problems import Problem

_ICON = '<link rel="icon" href="data:,">'
"""Without it a browser asks for ``/favicon.ico``, outside of the session: it would note that as an error."""
_ENDED = (
    "This page belonged to a server that has ended.",
    "Open the address that `bayou explore` printed when it was started again; if it does not run, run it.",
    "Edits that were not saved are kept by this browser and offered again there.",
)


def welcome(path: str) -> Response:
    """The answer to a secret in the address: a page that leads to the session at this path.

    The step is then made by a page of this server, so that the cookie, which no other site may send
    (SameSite=Strict), is sent with it.
    """
    head = f"<!doctype html><title>bayou</title>{_ICON}"
    step = f'{head}<meta http-equiv="refresh" content="0; url=.{path}/">'
    return Response(step, media_type="text/html")


def ended_page() -> Response:
    """The answer to a browser whose tab was opened by a server before this one; it lets nobody in.

    A path of a session is worth nothing alone, so that this tells nobody what he could not know.
    """
    told = "".join(f"<p>{sentence}</p>" for sentence in _ENDED).replace("`", "")
    head = '<!doctype html><html lang="en"><meta charset="utf-8">'
    head += f"{_ICON}<title>bayou: open the new address</title>"
    return HTMLResponse(f"{head}<h1>Open the new address</h1>{told}</html>", 401)


def ended_problem() -> Problem:
    """The same for a page that is still open, and shows what problems say."""
    detail = " ".join(_ENDED)
    return Problem(401, "session-ended", detail, headers={"WWW-Authenticate": "Bearer"})
