"""A bounded run of schemathesis over the real server: requests that it makes up from the description.

A thorough run by hand: the same command with more examples, ``-n 100``; ``--phases coverage,fuzzing``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bayou
from tests.patience import PATIENCE
from tests.server.running_server import running

STORED = json.loads(Path(__file__).with_name("openapi-v1.json").read_text(encoding="utf-8"))
WORDS = ["asia", "lung", "dysp", "sex", "height_in", "yes", "no", "male", 1, True, 2.5]
MODELS = ["asia", "heights", "odd", "bayes", "casino", "nothing"]
TABLE = b"smoke,lung\nyes,yes\nno,no\nyes,no\nno,no\n"
PROGRAM = shutil.which("schemathesis", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def with_words(schema: Any, table: str) -> Any:
    """The description in which values are often words that the models have: others lead to refusals only."""
    if isinstance(schema, list):
        return [with_words(each, table) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: with_words(each, table) for name, each in schema.items()}
    if any(str(each.get("$ref", "")).endswith("TypedValue") for each in found.get("anyOf", [])):
        found["anyOf"] = [{"enum": WORDS[:6]}, {"enum": WORDS}, *found["anyOf"]]
    if (found.get("name"), found.get("in")) == ("model", "path"):
        found["schema"] = {"enum": MODELS}
    if (found.get("name"), found.get("in")) == ("table", "path"):
        found["schema"] = {"enum": [table, "nothing"]}
    if "table" in found.get("properties", {}) and "learn" in found["properties"]:
        found["properties"]["table"] = {"enum": [table, table, "nothing"]}
    return found


@pytest.mark.skipif(PROGRAM is None, reason="this test needs schemathesis (the group 'contract')")
def test_schemathesis_finds_nothing(models: list[str], tmp_path: Path) -> None:
    rows = {"smoke": ["yes", "no", "yes", "no"], "lung": ["yes", "no", "no", "no"]}
    bayou.NaiveBayes().fit(rows, "lung").save(tmp_path / "bayes.bayou")
    bayou.examples.casino().save(tmp_path / "casino.bayou")
    served = [*models, *(str(tmp_path / f"{name}.bayou") for name in ("bayes", "casino"))]
    allowed = ("--allow", "edits", "--allow", "learn")
    assert PROGRAM is not None
    with running("serve", *served, "--port", "0", *allowed, BAYOU_TOKENS="st=s3cret") as server:
        headers = {"Authorization": "Bearer s3cret", "Content-Type": "text/csv"}
        with server.client(headers=headers) as client:
            table = client.post("/v1/tables", content=TABLE).json()["table"]
        described = {**with_words(STORED, table), "info": {**STORED["info"], "version": "1"}}
        (tmp_path / "openapi.json").write_text(json.dumps(described))
        command = [PROGRAM, "run", "openapi.json", "--url", server.address, "--no-color", "-n", "5"]
        # A request may have the right form and still name what no model has: 422 is right then.
        command += ["-H", "Authorization: Bearer s3cret", "--exclude-checks", "positive_data_acceptance"]
        command += ["--phases", "fuzzing", "--seed", "1", "--continue-on-failure"]
        command += ["--request-timeout", str(PATIENCE)]
        run = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
        )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    assert "passed" in run.stdout
    assert "Traceback" not in "".join(server.log)
