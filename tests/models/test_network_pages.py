"""The report to print, and the explorer of a network: where it runs, and that it ends with the program."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.patience import PATIENCE

import bayou
from bayou.errors import BadFile, ImpossibleEvidence
from bayou.pages.local_explorer import LocalExplorer, can_serve
from bayou.pages.notebook import ELSEWHERE, elsewhere, in_notebook

needs_server = pytest.mark.skipif(not can_serve(), reason="the extra 'explore' is not installed")
STARTED = """
import bayou, sys
from bayou.pages.local_explorer import LocalExplorer
print(LocalExplorer(bayou.examples.asia(), in_frame=True).address, flush=True)
sys.stdin.read()
"""


def test_a_report_has_findings_beliefs_and_all_tables(tmp_path: Path) -> None:
    net = bayou.examples.asia()
    known = {"smoke": "yes", "xray": bayou.Not("no"), "dysp": frozenset({"yes"})}
    text = net.report(tmp_path / "asia.html", known, do={"tub": "no"})
    assert (tmp_path / "asia.html").read_text(encoding="utf-8") == text
    assert "smoke = yes; xray is not no; dysp is one of yes; do: tub = no" in text
    assert f"{net.query('lung', known, do={'tub': 'no'})['yes']:.4f}" in text
    assert all(f"<h3>{name}</h3>" in text for name in net.names)
    assert text.count("<section>") == text.count("</section>") == len(net.names)


def test_names_in_a_report_stay_text() -> None:
    net = bayou.examples.asia()
    net.rename_node("smoke", "<script>alert(1)</script>")
    net.describe(title="</title><b>", description="<img src=x>")
    text = net.report(given={"<script>alert(1)</script>": "yes"})
    assert not [sign for sign in ("<script", "<b>", "<img") if sign in text]


def test_a_report_of_findings_that_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImpossibleEvidence):
        bayou.examples.asia().report(tmp_path / "a.html", {"lung": "yes", "either": "no"})
    with pytest.raises(BadFile, match="html"):
        bayou.examples.asia().report(tmp_path / "a.pdf")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("variable", ELSEWHERE)
def test_places_are_known_by_their_variables(variable: str) -> None:
    assert elsewhere({variable: "1", "HOME": "/"}) == ELSEWHERE[variable]
    assert elsewhere({variable: ""}) is None
    assert not in_notebook()


def page_at(address: str) -> str:
    with urllib.request.urlopen(f"{address}/", timeout=PATIENCE) as answer:
        return str(answer.read().decode())


@needs_server
def test_a_frame_needs_the_secret_path_and_nothing_else() -> None:
    server = LocalExplorer(bayou.examples.asia(), in_frame=True)
    try:
        with urllib.request.urlopen(f"{server.address}/", timeout=PATIENCE) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Frame-Options"] is None
        assert "frame-ancestors http://localhost:* http://127.0.0.1:*" in policy
        assert "default-src 'none'" in policy
        open_part, secret = server.address.rsplit("/", 1)
        assert len(secret) >= 32
        for path in ("/", "/v1/models", f"/{secret[:-1]}/", "/healthz"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(open_part + path, timeout=PATIENCE)
    finally:
        server.close()
    with pytest.raises(urllib.error.URLError):
        page_at(server.address)
    server.close()


@needs_server
def test_the_server_ends_with_the_program_that_started_it() -> None:
    """Even if that is killed and can say nothing any more."""
    program = subprocess.Popen(
        [sys.executable, "-c", STARTED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdin is not None
    address = program.stdout.readline().strip()
    assert "bayou explorer" in page_at(address)
    program.kill()
    program.wait()
    program.stdin.close()
    program.stdout.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            page_at(address)
        except (urllib.error.URLError, ConnectionError):
            return
        time.sleep(0.1)
    pytest.fail("the server still answers")
