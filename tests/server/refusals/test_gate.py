"""Who gets in, what is refused, and that nothing secret is told."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from tests.patience import PATIENCE
from tests.server.raw_requests import ask as ask_raw
from tests.server.running_server import Running, running

BELIEFS = "/v1/models/asia/beliefs"


@pytest.fixture(scope="module")
def guarded(models: list[str]) -> Iterator[Running]:
    """A server with two clients."""
    with running("serve", *models, "--port", "0", BAYOU_TOKENS="ward=s3cret lab=0ther") as found:
        yield found


@pytest.fixture(scope="module")
def explorer(models: list[str]) -> Iterator[Running]:
    with running("explore", models[0], "--no-browser") as found:
        yield found


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "", "localhost.:9"])
def test_foreign_names_are_refused(client: httpx.Client, host: str) -> None:
    answer = client.get("/v1/models", headers={"Host": host})
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:80", "LocalHost"])
def test_own_names_are_not(client: httpx.Client, host: str) -> None:
    assert client.get("/v1/models", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}],
)
def test_pages_of_other_sites_may_not_ask(client: httpx.Client, headers: dict[str, str]) -> None:
    assert client.post(BELIEFS, json={}, headers=headers).status_code == 403


def test_pages_of_other_sites_may_not_make_it_work_by_links(client: httpx.Client) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert client.get("/v1/models/asia/file?format=bif", headers=headers).status_code == 403
    assert client.post(BELIEFS, json={}, headers={"Origin": "http://[::1"}).status_code == 403


def test_the_own_page_may(client: httpx.Client, server: Running) -> None:
    headers = {"Origin": server.address, "Sec-Fetch-Site": "same-origin"}
    assert client.post(BELIEFS, json={}, headers=headers).status_code == 200


def test_forms_cannot_be_sent(client: httpx.Client) -> None:
    """A form of another page can send these three types without asking the browser's permission."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert client.post(BELIEFS, content="{}", headers={"Content-Type": kind}).status_code == 415


def test_tokens(guarded: Running) -> None:
    with guarded.client() as client:
        assert client.post(BELIEFS, json={}).status_code == 401
        for secret, status in (("s3cret", 200), ("0ther", 200), ("s3cre", 401), ("x", 401)):
            headers = {"Authorization": f"Bearer {secret}"}
            assert client.post(BELIEFS, json={}, headers=headers).status_code == status
        raw = httpx.Headers([(b"Authorization", b"Bearer \xe9\xff")])
        assert client.post(BELIEFS, json={}, headers=raw).status_code == 401
        assert client.get("/healthz").status_code == 200
        assert client.get("/metrics").status_code == 401


def test_the_link_of_the_explorer_becomes_a_cookie(explorer: Running) -> None:
    with explorer.client() as client:
        assert client.get("/v1/models").status_code == 401
        assert client.get("/?token=guess").status_code == 401
        first = client.get(f"/?token={explorer.token}")
        assert first.status_code == 200
        inside = path_of_session(first)
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert f"Path={inside}/" in cookie
        assert explorer.token not in cookie
        assert explorer.token not in inside
        assert client.get(f"{inside}/v1/models").status_code == 200
        page = client.get(f"{inside}/")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert page.headers["referrer-policy"] == "no-referrer"


def test_no_page_at_the_door_makes_a_browser_ask_for_an_icon(explorer: Running) -> None:
    """It would ask for /favicon.ico, which is outside of every session, and note the refusal as an error."""
    with explorer.client() as client:
        for page in (f"/?token={explorer.token}", "/s-ended/"):
            answer = client.get(page)
            assert answer.headers["content-type"].startswith("text/html")
            assert '<link rel="icon" href="data:,">' in answer.text
            assert "img-src 'self' data:" in answer.headers["content-security-policy"]


def path_of_session(welcome: httpx.Response) -> str:
    found = re.search(r'url=\.(/s-[\w-]+)/"', welcome.text)
    assert found is not None
    return found[1]


def test_a_path_or_a_cookie_alone_opens_nothing(explorer: Running) -> None:
    with explorer.client() as client:
        inside = path_of_session(client.get(f"/?token={explorer.token}"))
        value = client.cookies["bayou-session"]
    with explorer.client() as other:
        assert other.get(f"{inside}/v1/models").status_code == 401
        assert other.get(f"{inside}/").status_code == 401
        for path in ("/v1/models", "/", "/s-guess/v1/models", f"{inside}x/v1/models", inside):
            assert other.get(path, headers={"Cookie": f"bayou-session={value}"}).status_code == 401
        for cookies in ("bayou-session=x", f"x={value}", "bayou-session", "=;;=", "\xe9=\xff"):
            raw = httpx.Headers([(b"Cookie", cookies.encode("latin-1"))])
            assert other.get(f"{inside}/v1/models", headers=raw).status_code == 401
        several = f"bayou-session=set by others; bayou-session={value}"
        assert other.get(f"{inside}/v1/models", headers={"Cookie": several}).status_code == 200


def test_beyond_this_machine_a_token_is_needed(models: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from click.testing import CliRunner

    from bayou.cli.main import cli

    answer = CliRunner().invoke(cli, ["serve", models[0], "--host", "0.0.0.0"])
    assert answer.exit_code == 1
    assert "can be reached from other machines: give tokens" in answer.output


def test_a_page_of_another_site_can_lead_to_the_explorer(explorer: Running, tmp_path: Path) -> None:
    """As `bayou explore` does: a file leads there, and the cookie that only own pages send is sent.

    A reload and a second tab work, and other ports of this machine are never sent the cookie.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("this test needs chromium")
    file = tmp_path / "open.html"
    target = f"{explorer.address}/?token={explorer.token}"
    file.write_text(f'<meta http-equiv="refresh" content="0; url={target}">')
    with cookie_thief() as (thief, stolen), playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context()
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.goto(file.as_uri())
        page.get_by_role("tablist").wait_for()
        assert explorer.token not in page.url
        page.reload()
        page.get_by_role("tablist").wait_for()
        link = page.url
        second = page.context.new_page()
        second.goto(link)
        second.get_by_role("tablist").wait_for()
        for path in ("/", "/v1/models", "/s-guess/"):
            second.goto(thief + path)
        assert len(stolen) >= 3
        assert not any(stolen)
        browser.close()


@contextmanager
def cookie_thief() -> Iterator[tuple[str, list[str]]]:
    """A server of somebody else at another port of this machine; it keeps the cookies that it is sent."""
    stolen: list[str] = []

    class Thief(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stolen.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"nothing")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Thief) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", stolen
        server.shutdown()


def test_bodies_are_bounded(client: httpx.Client, server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(
            f"POST {BELIEFS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n".encode()
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 413 ")
    headers = {"Content-Type": "application/json"}
    answer = client.post(BELIEFS, content=(b" " * 2**20 for _ in range(40)), headers=headers)
    assert answer.status_code == 413


def test_a_head_that_comes_drop_by_drop_is_cut_off(server: Running) -> None:
    """But not before it had its time."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        assert slow.recv(100) == b""
    assert time.monotonic() - begun > 5


def test_problems_name_no_files(client: httpx.Client) -> None:
    for path in (
        "/v1/models/../../etc/passwd",
        "/v1/models/%2e%2e%2fetc%2fpasswd",
        "/page/../x",
        "/v1/models/~",
    ):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "passwd" not in answer.text


HOSTILE: dict[str, bytes] = {
    "no JSON": b"{",
    "deep": b"[" * 100_000,
    "deep value": b'{"findings": [{"variable": {"type": "tuple", "value": '
    + b"[" * 5000
    + b"]" * 5000
    + b"}}]}",
    "bad unicode": b'{"findings": [{"variable": "\xff\xfe", "state": "yes"}]}',
    "half a pair": b'{"findings": [{"variable": "\\ud800", "state": "yes"}]}',
    "NaN": b'{"findings": [{"variable": "dysp", "weights": [NaN, 1]}]}',
    "large number": b'{"findings": [{"variable": "dysp", "weights": [1e999, 1]}]}',
    "unknown member": b'{"finding": []}',
    "two forms": b'{"findings": [{"variable": "dysp", "state": "yes", "do": "no"}]}',
    "no form": b'{"findings": [{"variable": "dysp"}]}',
    "twice": b'{"findings": [{"variable": "dysp", "state": "yes"}, {"variable": "dysp", "state": "no"}]}',
    "a path": b'{"findings": [{"variable": "/etc/passwd", "state": "http://example.org/x.csv"}]}',
    "SQL": b'{"findings": [{"variable": "x; DROP TABLE y", "state": "*"}]}',
    "a list": b"[]",
    "bad tag": b'{"findings": [{"variable": {"type": "pickle", "value": "gASV"}, "state": "yes"}]}',
    "bad date": b'{"findings": [{"variable": {"type": "date", "value": "never"}, "state": "yes"}]}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bodies_get_a_problem(client: httpx.Client, name: str) -> None:
    answer = client.post(BELIEFS, content=HOSTILE[name], headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == answer.status_code
    assert document["detail"].endswith((".", "'"))
    assert client.post(BELIEFS, json={}).status_code == 200


def test_impossible_findings(client: httpx.Client) -> None:
    sent = [{"variable": "either", "state": "no"}, {"variable": "lung", "state": "yes"}]
    answer = client.post(BELIEFS, json={"findings": sent})
    assert answer.status_code == 422
    assert answer.json()["type"] == "impossible-findings"
    assert "either=no" in answer.json()["detail"]


def test_metrics_have_no_findings(client: httpx.Client) -> None:
    client.post(BELIEFS, json={"findings": [{"variable": "tub", "state": "yes"}]})
    text = client.get("/metrics").text
    assert 'bayou_requests_total{route="POST /v1/models/{model}/beliefs",status="200"}' in text
    assert "tub" not in text
    assert "yes" not in text


def test_metrics_count_what_does_not_get_in(models: list[str]) -> None:
    """Also addresses that are none, and bytes that are no HTTP; never the paths or names that were tried."""
    tokens = {"BAYOU_TOKENS": "ward=s3cret"}
    with running("serve", *models, "--port", "0", **tokens) as server, server.client() as client:
        token = {"Authorization": "Bearer s3cret"}
        for _ in range(2):
            client.get("/v1/models")
        client.get("/v1/models", headers={**token, "Host": "evil.example"})
        client.get("/v1/models", headers={**token, "Origin": "https://evil.example"})
        for address in ("/v1/secret", "/secret", "/secret/"):
            client.get(address, headers=token)
        client.patch("/v1/models", headers=token)
        ask_raw(server.port, b"secret\r\n\r\n")
        text = client.get("/metrics", headers=token).text
    refusals = dict(re.findall(r'bayou_refusals_total{status="(\d+)"} (\d+)\n', text))
    assert refusals == {"400": "1", "401": "2", "403": "1", "404": "3", "405": "1", "421": "1"}
    assert "secret" not in text
    assert "evil" not in text


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_metrics_have_the_memory_of_the_process(server: Running, client: httpx.Client) -> None:
    found = re.search(r"^process_resident_memory_bytes (\d+)$", client.get("/metrics").text, re.MULTILINE)
    assert found is not None
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    assert int(found[1]) == pytest.approx(pages * os.sysconf("SC_PAGE_SIZE"), rel=0.5)


def test_only_addresses_of_this_machine_are_loopback() -> None:
    from bayou.server.run import is_loopback

    assert all(map(is_loopback, ("127.0.0.1", "127.8.0.1", "localhost", "::1", "[::1]")))
    others = ("127.0.0.1.example.org", "127.example.org", "127.", "0.0.0.0", "::", "10.0.0.1", "")
    assert not any(map(is_loopback, others))


def test_a_program_that_starts_a_server_gets_its_address(models: list[str]) -> None:
    command = [sys.executable, "-m", "bayou", "serve", models[0], "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = ""
        while not told.rstrip().endswith("}"):
            told += process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) in (0, 130)  # 130: before it had begun to serve
    assert json.loads(told)["models"] == ["asia"]
