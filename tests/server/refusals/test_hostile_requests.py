"""Requests that mean harm: each is refused in words or cut off, and the server goes on answering.

``docs/understand/what-the-server-withstands.md`` lists what is tried here. All is tried on both readers of
HTTP: Python's, and that of the extra ``serve`` where it is installed.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from tests.patience import PATIENCE
from tests.server.raw_requests import BELIEFS, RawAnswer, answers_of, ask, connected, head
from tests.server.running_server import Running, running

CLOSE = {"Connection": "close"}
MB = 2**20


@pytest.fixture(scope="module", params=["plain", "fast"])
def target(models: list[str], request: pytest.FixtureRequest) -> Iterator[Running]:
    if request.param == "fast" and find_spec("httptools") is None:
        pytest.skip("this reader needs httptools (the extra 'serve')")
    with running("serve", *models, "--port", "0", plain=request.param == "plain") as server:
        yield server
    assert "Traceback" not in "".join(server.log)


@pytest.fixture(autouse=True)
def still_answers(target: Running) -> Iterator[None]:
    """After everything that is tried, an honest question gets its answer."""
    yield
    answer = httpx.post(target.address + BELIEFS, json={}, timeout=PATIENCE, verify=False)
    assert answer.status_code == 200


def is_problem(answer: RawAnswer, status: int) -> bool:
    document = json.loads(answer.body)
    return answer.status == document["status"] == status and "application/problem+json" in answer.head


def resident(process: int) -> int:
    """The bytes of memory that a process has."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096


def test_a_declared_body_of_a_gigabyte(target: Running) -> None:
    """It is refused before any of it is read."""
    with connected(target.port) as raw:
        raw.sendall(head(Content_Length=str(10**9)))
        assert raw.recv(100).startswith(b"HTTP/1.1 413 ")


def test_lengths_that_are_none(target: Running) -> None:
    for length in ("-1", "1e3", "0x10", "9" * 400, "10, 20", "\xb2"):
        answer = ask(target.port, head(Content_Length=length, **CLOSE), b"{}")
        assert answer.status in (0, 400, 413), length


@pytest.mark.parametrize("declared", [True, False])
def test_a_gigabyte_that_comes_all_the_same(target: Running, declared: bool) -> None:
    """The memory of the server does not grow with it, and the connection ends long before it has come."""
    before, sent = resident(target.process.pid), 0
    length = {"Content_Length": str(2**30)} if declared else {"Transfer_Encoding": "chunked"}
    with connected(target.port) as raw:
        raw.sendall(head(**length))
        part = b" " * MB if declared else b"%x\r\n%b\r\n" % (MB, b" " * MB)
        try:
            for _ in range(1024):
                raw.sendall(part)
                sent += MB
        except OSError:
            pass
    assert sent < 300 * MB
    assert resident(target.process.pid) - before < 150 * MB


def test_a_chunked_body_that_is_too_large_is_told(target: Running) -> None:
    with target.client() as client:
        headers = {"Content-Type": "application/json"}
        answer = client.post(BELIEFS, content=(b" " * MB for _ in range(40)), headers=headers)
    assert answer.status_code == 413


def test_both_lengths(target: Running) -> None:
    """A length and chunks at once are how requests are smuggled past proxies."""
    both = head(Content_Length="4", Transfer_Encoding="chunked", **CLOSE)
    smuggled = b"0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(target.port) as raw:
        raw.sendall(both + smuggled)
        assert len(answers_of(raw)) <= 1


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"findings":' * 50_000, b"[" * 5000 + b"]" * 5000])
def test_deep_json(target: Running, deep: bytes) -> None:
    answer = ask(target.port, head(Content_Length=str(len(deep)), **CLOSE), deep)
    assert is_problem(answer, 400) or is_problem(answer, 422)


def test_slow_heads_and_bodies(target: Running) -> None:
    """Four drips at once: a head that never ends, one that grows, a body that never comes, one that drips."""
    drips = [
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b""),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"X-More: 1\r\n"),
        (head(Content_Length="100"), b""),
        (head(Content_Length="100"), b" "),
    ]
    sockets = [socket.create_connection(("127.0.0.1", target.port), timeout=PATIENCE) for _ in drips]
    for raw, (first, _) in zip(sockets, drips, strict=True):
        raw.sendall(first)
        raw.setblocking(False)
    ended: dict[int, bytes] = {}
    begun = time.monotonic()
    while len(ended) < len(drips) and time.monotonic() - begun < PATIENCE:
        time.sleep(0.5)
        for place, (raw, (_, drip)) in enumerate(zip(sockets, drips, strict=True)):
            if place not in ended:
                _drip(raw, drip, place, ended)
    for raw in sockets:
        raw.close()
    assert len(ended) == len(drips)
    for place in (2, 3):
        assert ended[place].startswith(b"HTTP/1.1 408 ")


def _drip(raw: socket.socket, drip: bytes, place: int, ended: dict[int, bytes]) -> None:
    try:
        if drip:
            raw.send(drip)
        ended[place] = raw.recv(100)
    except BlockingIOError:
        pass
    except OSError:
        ended[place] = b""


def test_a_head_without_end(target: Running) -> None:
    with connected(target.port) as raw:
        raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        sent = 0
        try:
            for place in range(100_000):
                raw.sendall(b"X-%d: %b\r\n" % (place, b"a" * 1000))
                sent += 1000
            raise AssertionError("it was taken")
        except OSError:
            pass
    assert sent < 50 * MB


def test_many_headers_and_long_ones(target: Running) -> None:
    few = {f"X_{place}": "1" for place in range(500)}
    assert ask(target.port, head("/healthz", "GET", **few, **CLOSE)).status == 200
    long = head("/healthz", "GET", X_Long="a" * 200_000, **CLOSE)
    assert ask(target.port, long).status in (0, 400, 431)
    path = head("/v1/models/" + "a" * 100_000, "GET", **CLOSE)
    assert ask(target.port, path).status in (0, 400, 404, 414)


TRAVERSALS = (
    "/v1/models/..%2f..%2fetc%2fpasswd/file?format=bif",
    "/v1/models/..%2f..%2fetc%2fpasswd",
    "/v1/models/..%252f..%252fetc%252fpasswd/beliefs",
    "/v1/models/../../../etc/passwd",
    "/v1/models/%2e%2e/%2e%2e/etc/passwd/file?format=bif",
    "/docs/../../../../etc/passwd",
    "/docs/..%2f..%2fgate.py",
    "/page/..\\..\\etc\\passwd",
    "//etc/passwd",
    "/v1/models/asia%00.bif",
    "/v1/models/\xe9\xff",
    "http://evil.example/v1/models",
    "*",
)


@pytest.mark.parametrize("path", TRAVERSALS)
def test_traversal(target: Running, path: str) -> None:
    answer = ask(target.port, head(path, "GET", **CLOSE))
    assert answer.status in (200, 400, 404, 405)
    assert answer.status != 200 or path.startswith("http://")
    assert b"root:" not in answer.body


def test_an_address_as_proxies_send_it_is_one_of_this_server(target: Running) -> None:
    """The host of the address is not used: what counts is the Host header."""
    foreign = head("http://localhost/healthz", "GET", Host="evil.example", **CLOSE)
    assert is_problem(ask(target.port, foreign), 421)


BODIES: dict[str, bytes] = {
    "bad unicode": b'{"findings": [{"variable": "\xff\xfe", "state": "yes"}]}',
    "a lone surrogate": b'{"findings": [{"variable": "\\ud800", "state": "yes"}]}',
    "a surrogate in UTF-8": b'{"findings": [{"variable": "\xed\xa0\x80", "state": "yes"}]}',
    "UTF-16": '{"findings": []}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"findings": []}',
    "NaN": b'{"findings": [{"variable": "dysp", "weights": [NaN, 1]}]}',
    "Infinity": b'{"findings": [{"variable": "dysp", "weights": [Infinity, 1]}]}',
    "1e999": b'{"findings": [{"variable": "dysp", "weights": [1e999, 1]}]}',
    "-1": b'{"findings": [{"variable": "dysp", "weights": [-1, 1]}]}',
    "zeros": b'{"findings": [{"variable": "dysp", "weights": [0, 0]}]}',
    "a whole number of 5,000 digits": b'{"findings": [{"variable": %b, "state": "yes"}]}' % (b"9" * 5000),
    "a fraction of 1e9 digits": b'{"findings": [{"variable": {"type": "fraction", "value": "1e1000000000"}, '
    b'"state": "yes"}]}',
    "a decimal of 1e9 digits": b'{"findings": [{"variable": {"type": "decimal", "value": "1e1000000000"}, '
    b'"state": "yes"}]}',
    "a tuple in a tuple in …": b'{"findings": [{"variable": '
    + b'{"type": "tuple", "value": [' * 400
    + b"]}" * 400
    + b', "state": "yes"}]}',
    "a variable twice": b'{"findings": [{"variable": "asia", "state": "yes"}, '
    b'{"variable": "asia", "state": "yes"}]}',
    "a pickle": b'{"findings": [{"variable": {"type": "pickle", "value": "gASV"}, "state": "yes"}]}',
    "__proto__": b'{"__proto__": {"findings": []}}',
    "nothing but spaces": b"   ",
    "a text": b'"findings"',
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(target: Running, name: str) -> None:
    answer = ask(target.port, head(Content_Length=str(len(BODIES[name])), **CLOSE), BODIES[name])
    assert is_problem(answer, 400) or is_problem(answer, 422)
    assert b"NaN" not in answer.body.replace(b"'NaN'", b"")


TWICE: dict[str, bytes] = {
    "targets": b'{"targets": ["lung"], "targets": ["bronc"]}',
    "findings": b'{"findings": [{"variable": "asia", "state": "yes"}], "findings": [], "targets": ["lung"]}',
    "of a finding": b'{"targets": ["lung"],"findings": [{"variable": "asia", "state": "no", "state": "no"}]}',
    "escaped": b'{"targets": ["lung"], "target\\u0073": ["bronc"]}',
    "the same": b'{"targets": ["lung"], "targets": ["lung"]}',
}


@pytest.mark.parametrize("name", TWICE)
def test_members_twice(target: Running, name: str) -> None:
    """Each body would be a question that has an answer, if one of the two members counted."""
    path = "/v1/models/asia/query"
    answer = ask(target.port, head(path, Content_Length=str(len(TWICE[name])), **CLOSE), TWICE[name])
    assert is_problem(answer, 422)
    assert b"stands twice" in answer.body
    once = b'{"targets": ["lung"], "findings": [{"variable": "asia", "state": "yes"}]}'
    assert ask(target.port, head(path, Content_Length=str(len(once)), **CLOSE), once).status == 200


def test_a_query_without_a_target_says_so(target: Running) -> None:
    body = b'{"targets": []}'
    for path in ("/v1/models/asia/query", "/v1/models/asia/working"):
        answer = ask(target.port, head(path, Content_Length=str(len(body)), **CLOSE), body)
        assert is_problem(answer, 422)
        assert b"needs at least one target: name a variable" in answer.body
        assert b"fewer" not in answer.body


def test_many_findings_are_one_question(target: Running) -> None:
    many = b'{"findings": [%b]}' % b",".join([b'{"variable": "asia", "state": "yes"}'] * 200_000)
    answer = ask(target.port, head(Content_Length=str(len(many)), **CLOSE), many)
    assert is_problem(answer, 422)


def test_pipelining(target: Running) -> None:
    """Requests that do not wait for answers get them in order."""
    body = b'{"findings": [{"variable": "smoke", "state": "yes"}]}'
    asked = head(Content_Length=str(len(body))) + body
    alive = head("/healthz", "GET")
    last = head("/nothing", "GET", **CLOSE)
    with connected(target.port) as raw:
        raw.sendall((asked + alive) * 20 + last)
        found = answers_of(raw)
    assert [answer.status for answer in found] == [200, 200] * 20 + [404]
    assert [answer.body for answer in found[1::2]][:20] == [b"ok\n"] * 20


def test_old_and_strange_versions_of_http(target: Running) -> None:
    old = ask(target.port, b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert (old.status, old.body) == (200, b"ok\n")
    assert is_problem(ask(target.port, b"GET /healthz HTTP/1.0\r\n\r\n"), 421)
    for strange in (
        b"GET /healthz\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\0" * 100 + b"\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX y: 1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    ):
        with connected(target.port) as raw:
            raw.sendall(strange)
            raw.shutdown(socket.SHUT_WR)
            assert all(answer.status in (400, 421) for answer in answers_of(raw)), strange


NO_HTTP: dict[str, bytes] = {
    "noise": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a method that is none": b"B@D /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a length that is none": head(Content_Length="-1", **CLOSE),
    "two lengths": head(Content_Length="2", **CLOSE)[:-2] + b"Content-Length: 3\r\n\r\n",
    "a name of a header with a space": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX y: 1\r\n\r\n",
    "a chunk without a size": head(Transfer_Encoding="chunked") + b"many\r\n",
}


@pytest.mark.parametrize("name", NO_HTTP)
def test_what_is_no_http_is_told_like_all_else(target: Running, name: str) -> None:
    answer = ask(target.port, NO_HTTP[name])
    assert is_problem(answer, 400)
    for header in ("content-security-policy: default-src 'none'", "nosniff", "connection: close", "no-store"):
        assert header in answer.head


def test_noise_behind_a_request_takes_nothing_from_its_answer(target: Running) -> None:
    with connected(target.port) as raw:
        raw.sendall(head("/healthz", "GET") + b"B@D\r\n\r\n")
        found = answers_of(raw)
    assert (found[0].status, found[0].body) == (200, b"ok\n")
    assert [answer.status for answer in found[1:]] in ([], [400])


def test_websockets_are_not_spoken(target: Running) -> None:
    more = {"Upgrade": "websocket", "Sec_WebSocket_Key": "eA==", "Sec_WebSocket_Version": "13"}
    answer = ask(target.port, head("/v1/models", "GET", Connection="Upgrade", **more) + b"\r\n" * 4)
    assert answer.status != 101


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1@evil.example",
        "127.0.0.1:80@evil.example",
        "127.0.0.1:80x",
        "localhost:x:y",
        "[::1]evil.example",
        "[::1]:80@evil.example",
        "",
        "2130706433",
    ],
)
def test_foreign_names(target: Running, host: str) -> None:
    """A page of evil.example whose name leads to 127.0.0.1 (DNS rebinding) gets nothing."""
    assert is_problem(ask(target.port, head("/v1/models", "GET", Host=host, **CLOSE)), 421)


def test_two_hosts(target: Running) -> None:
    two = b"GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert ask(target.port, two).status in (400, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://localhost.evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=str,
)
def test_foreign_pages(target: Running, headers: dict[str, str]) -> None:
    """No page of another origin makes the server work, by scripts, forms or links."""
    for path, method in (
        (BELIEFS, "POST"),
        ("/v1/models", "POST"),
        ("/v1/models/asia/file?format=bif", "GET"),
    ):
        answer = ask(target.port, head(path, method, Content_Length="2", **headers, **CLOSE), b"{}")
        assert is_problem(answer, 403)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        form = head(Content_Length="2", Content_Type=kind, **CLOSE)
        assert is_problem(ask(target.port, form, b"{}"), 415)


def test_many_silent_connections_keep_nobody_out(target: Running) -> None:
    silent = [socket.create_connection(("127.0.0.1", target.port)) for _ in range(300)]
    assert httpx.get(target.address + "/healthz", timeout=PATIENCE, verify=False).status_code == 200
    for raw in silent:
        raw.close()


def test_clients_that_go_in_the_middle(target: Running) -> None:
    for part in (b"", b"POST ", head(Content_Length="10"), head(Content_Length="10") + b"{}"):
        with connected(target.port) as raw:
            raw.sendall(part)
