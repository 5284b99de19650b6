"""Questions about models on the shortest way: from the gate to the model, past all other addresses.

Most requests are small questions, and their number per second is what this file decides.
"""

from __future__ import annotations

from time import perf_counter
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from bayou.server.faults import tell_fault
from bayou.server.metrics import Metrics
from bayou.server.operations.registry import by_address, operation_for
from bayou.server.problems import MEDIA_TYPE, Problem, problem_of
from bayou.server.service import Service, unless_gone

JSON = b"application/json"
_PROBLEM = MEDIA_TYPE.encode()
_PATH = "/v1/models/"
_ADDRESSES = frozenset(by_address())
_ROUTES = {name: f"POST /v1/models/{{model}}/{name}" for name in _ADDRESSES}
_TRIED = "bayou.tried"
"""The member of a scope whose question was found not to be small."""


class Questions:
    """An application that answers ``POST /v1/models/{model}/{operation}`` and leaves the rest to another."""

    def __init__(self, service: Service, metrics: Metrics, others: ASGIApp) -> None:
        self._service, self._metrics, self._others = service, metrics, others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the question, or let others answer the request."""
        path: str = scope.get("path", "")
        if scope["type"] == "http" and scope["method"] == "POST" and path.startswith(_PATH):
            model, _, name = path[len(_PATH) :].partition("/")
            if name in _ADDRESSES and model:
                await self._answer(name, model, scope, receive, send)
                return
        await self._others(scope, receive, send)

    def answer_now(self, scope: Scope, path: str, body: bytes) -> bytes | None:
        """The answer to a small question; None for every other request, which is then to be let in.

        Raises what is wrong with the question, too: the usual way finds it again, and tells it.
        """
        model, _, name = path[len(_PATH) :].partition("/")
        if not path.startswith(_PATH) or name not in _ADDRESSES or not model:
            return None
        begun = perf_counter()
        _require_json(scope)
        _refuse_parameters(scope, name)
        revision = self._service.find(model)
        answer = self._service.quick_answer(operation_for(name, revision.kind), revision, body)
        if answer is None:
            scope[_TRIED] = True
        else:
            self._metrics.answered(_ROUTES[name], 200, perf_counter() - begun)
        return answer

    async def _answer(self, name: str, model: str, scope: Scope, receive: Receive, send: Send) -> None:
        begun = perf_counter()
        try:
            _require_json(scope)
            _refuse_parameters(scope, name)
            revision = self._service.find(model)
            operation = operation_for(name, revision.kind)
            body = await whole_body(receive)
            quick = None if _TRIED in scope else self._service.quick_answer(operation, revision, body)
            if quick is None:
                status, answer = await unless_gone(
                    self._service.long_answer(operation, revision, body), receive
                )
            else:
                status, answer = 200, quick
            headers = [(b"content-type", JSON if status < 400 else _PROBLEM)]
        except Exception as error:
            problem = problem_of(error)
            if problem is not error and problem.status >= 500:
                tell_fault(name, error)
            status, answer, headers = problem.status, problem.body(), problem.raw_headers()
        self._metrics.answered(_ROUTES[name], status, perf_counter() - begun)
        headers.append((b"content-length", b"%d" % len(answer)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


async def whole_body(receive: Receive) -> bytes:
    """The body of a request, in one piece mostly."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(499, "gone", "The client has closed the connection.")
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _refuse_parameters(scope: Scope, name: str) -> None:
    """Raise for parameters of the address: questions are asked in the body, and these would do nothing."""
    asked = scope.get("query_string", b"")
    if asked:
        given = parse_qs(asked.decode("latin-1"), keep_blank_values=True)
        said = next(iter(given), "?")
        raise Problem(
            422,
            "bad-request",
            f"{name!r} reads nothing from its address, and `{said}=` stands there: ask in the body."
            + (" Values never seen are refused by 'rows' of a network only." if said == "unknown" else ""),
        )


def _require_json(scope: Scope) -> None:
    kind = b""
    for name, value in scope["headers"]:
        if name == b"content-type":
            kind = value
    if kind != JSON and kind.partition(b";")[0].strip().lower() != JSON:
        raise Problem(415, "wrong-type", "Send Content-Type: application/json.")
