"""Without one of the optional packages: the rest works, and what needs it says how to get it.

Each case runs in a new process in which one package cannot be imported.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bayou
from bayou.errors import EXTRAS

BLOCKED = """
import importlib.abc, sys
class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError("No module named " + name, name=name)
sys.meta_path.insert(0, Blocked())
sys.modules.setdefault({package!r}, None)
import bayou
net = bayou.Network("Rain -> Wet").fit({{"Rain": ["yes", "no", "no"], "Wet": ["yes", "no", "yes"]}})
"""
WORKS = """
answer = net.query("Rain", given={"Wet": "yes"})
print(net.marginals(), net.to_svg()[:9])
open("table.csv", "w").write("Rain,Wet\\nyes,no\\nno,yes\\n")
net.fit("table.csv").save("net.bayou")
bayou.load("net.bayou").predict({"Wet": ["yes"]}, "Rain")
model = bayou.NaiveBayes().fit({"a": ["x", "y", "x"], "b": [1.5, 2.0, 3.0]}, ["p", "q", "p"])
model.predict_proba({"a": ["x"], "b": [1.0]})
"""
ASKED = """
try:
    {code}
except bayou.BayouError as error:
    assert isinstance(error, ImportError), repr(error)
    print("TOLD", error)
"""
NEEDS = {
    "matplotlib": ("net.query('Rain').plot()", "A plot", "plot"),
    "pandas": ("net.query('Rain').to_series()", "Posterior.to_series", "frames"),
    "polars": ("net.sample(3, seed=1).to_polars()", "to_polars", "frames"),
    "pyarrow": (
        "open('table.arrow', 'wb').write(b'ARROW1\\0\\0' * 8 + b'ARROW1'); net.fit('table.arrow')",
        "Reading an Arrow file",
        "frames",
    ),
    "psycopg": (
        "bayou.from_sql('days', 'postgresql://localhost/weather')",
        "Reading from PostgreSQL",
        "postgres",
    ),
    "pyspark": ("bayou.spark.BayouClassifier", "bayou.spark", "spark"),
    "starlette": ("net.explore()", "The explorer", "explore"),
    "uvicorn": ("net.explore()", "The explorer", "explore"),
    "msgspec": ("net.explore()", "The explorer", "explore"),
}
"""A call that needs the package, what the message is about, and the extra that it names."""
GIVEN_BY_USERS = {"sqlalchemy", "ibis-framework"}
"""bayou never imports these: users bring an engine or a table made with them."""

FASTER = {"httptools", "uvloop"}
"""Servers are faster with them, and work without."""


def ran(code: str, folder: Path) -> str:
    source = str(Path(bayou.__file__).parents[1])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", NEEDS)
def test_a_missing_package_is_named_with_its_extra(package: str, tmp_path: Path) -> None:
    if package in ("starlette", "uvicorn", "msgspec"):
        others = {"starlette", "uvicorn", "msgspec"} - {package}
        if not all(importlib.util.find_spec(other) for other in others):
            pytest.skip("another package of the explorer is missing, too")
    code, purpose, extra = NEEDS[package]
    output = ran(BLOCKED.format(package=package) + ASKED.format(code=code), tmp_path)
    assert output == f"TOLD {purpose} needs the package '{package}': pip install 'bayou[{extra}]'\n"


def test_networks_files_and_classifiers_need_none_of_them(tmp_path: Path) -> None:
    everything = "".join(BLOCKED.format(package=package) for package in NEEDS)
    assert "<svg" in ran(everything + WORKS, tmp_path)


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "msgspec"])
@pytest.mark.parametrize("command", ["serve", "explore"])
def test_commands_name_the_extra(command: str, package: str, tmp_path: Path) -> None:
    code = f"""
net.save("net.bayou")
from bayou.cli.main import main
sys.argv = ["bayou", {command!r}, "net.bayou"]
sys.stderr = sys.stdout
try:
    main()
except SystemExit as stop:
    assert stop.code
"""
    output = ran(BLOCKED.format(package=package) + code, tmp_path)
    assert "pip install 'bayou[explore]'" in " ".join(output.split())


def test_parquet_without_duckdb_is_an_error_that_says_so(tmp_path: Path) -> None:
    code = "open('t.parquet', 'wb').write(b'PAR1' * 8); net.fit('t.parquet')"
    output = ran(BLOCKED.format(package="duckdb") + ASKED.format(code=code), tmp_path)
    assert output.endswith("needs the package 'duckdb': pip install duckdb\n")


def test_every_optional_package_has_a_case() -> None:
    assert {*NEEDS} | GIVEN_BY_USERS | FASTER == {*EXTRAS}


def test_a_server_answers_without_what_makes_it_faster(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    blocked = "".join(BLOCKED.format(package=package) for package in sorted(FASTER))
    code = """
net.save("net.bayou")
import json, os, subprocess, threading, urllib.request
from bayou.server.access.connection_limits import ConnectionLimits
from bayou.cli.main import main
class Lines:
    def write(self, text):
        sys.__stdout__.write(text)
        if "http://" in text:
            threading.Thread(target=ask, args=(text[text.index("http://"):].split()[0],)).start()
    def flush(self): sys.__stdout__.flush()
    def isatty(self): return False
def ask(address):
    try:
        with urllib.request.urlopen(address.rstrip("/.") + "/healthz", timeout=60) as answer:
            print("ANSWERED", answer.status, file=sys.__stdout__, flush=True)
    finally:
        os._exit(0)
sys.stdout = sys.stderr = Lines()
sys.argv = ["bayou", "serve", "net.bayou", "--port", "0"]
main()
"""
    assert "ANSWERED 200" in ran(blocked + code, tmp_path)
