"""Columns of money and percentages: exported code reads the texts as the library does, SQL refuses them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadQuestion
from bayou.exporting.python_parts.amounts import amount_of
from bayou.schema.spelled_values import number_spelled
from tests.exporting.running import NODE, in_node, in_python, needs_node, plain_rows

PRICES = ["$1.00", "$2.00", "$1,009.00", "$1.1k"] * 20
ROWS = {"fare": PRICES, "tip": ["5 %", "6 %", "20 %", "21.5 %"] * 20, "y": ["a", "a", "b", "b"] * 20}
NEW: dict[str, list[Any]] = {
    "fare": ["$1.50", "$2,000", " 3 ", "NA", "", "$1k", None, "-$4"],
    "tip": ["5%", "10 %", "NA", "0.2", "19 %", None, "1 %", "-3 %"],
}
MODELS = [bayou.TAN(), bayou.NaiveBayes("gaussian"), bayou.GaussianBayes("full"), bayou.AODE()]
TEXTS = ["$7,211.66", "-12k", "10.00 €", "12 %", "1,234", "1e3", "--5", "2K", "$ 5", "-$5", "$-5", "-$-5"]
TEXTS += [
    "12k €",
    "12k%",
    "$5 %",
    "USD 7",
    "7 USD",
    "$5 USD",
    "1,23",
    "01",
    ".5",
    "5.",
    "+3M",
    "007",
    "%",
    "",
]
TEXTS += ["inf", "-Infinity", "nan", "1_000", "\t8\n", "9" * 400, "1e999", "5\u00a0€", "٣", "1 k"]
PIECES = st.sampled_from([*"0123456789.,+-kKM%$€ eE", "USD", "EUR", ",000", "inf", "\u202f", "x"])
pytestmark = pytest.mark.filterwarnings("ignore::bayou.BayouWarning")


@needs_node
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_code_reads_the_texts_as_the_library_does(model: Any, tmp_path: Path) -> None:
    model.copy().fit(ROWS, "y").save(tmp_path / "model.bayou")
    model = bayou.load(tmp_path / "model.bayou")
    expected, rows = model.predict_proba(NEW), plain_rows(NEW)
    assert np.ptp(expected[:, 0]) > 0.8
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=1e-12)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_sql_refuses_by_the_name_of_the_column(model: Any, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("fare,y\n" + "".join(f'"{p}",{y}\n' for p, y in zip(PRICES, ROWS["y"], strict=True)))
    for fitted in (model.copy().fit(ROWS, "y"), model.copy().fit(str(table), "y")):
        fitted.save(tmp_path / "model.bayou")
        for each in (fitted, bayou.load(tmp_path / "model.bayou")):
            with pytest.raises(BadQuestion, match=r"'fare' was learned from texts such as '\$1\.00'"):
                each.to_sql("rows")
            with pytest.raises(BadQuestion, match="or export to Python or JavaScript"):
                each.export("sql")


def test_numbers_are_written_in_sql() -> None:
    numbers = {"fare": [1.0, 2.0, 9.0, 10.0] * 20, "y": ROWS["y"]}
    assert "fare" in bayou.TAN().fit(ROWS, "y").fit(numbers, "y").to_sql("rows")


@given(st.lists(PIECES, max_size=8).map("".join))
@example("$7,211.66")
def test_texts_spell_the_same_numbers_in_python(text: str) -> None:
    assert amount_of(text) == number_spelled(text)


def test_odd_texts_spell_the_same_numbers_in_python() -> None:
    assert [amount_of(text) for text in TEXTS] == [number_spelled(text) for text in TEXTS]


@needs_node
def test_odd_texts_spell_the_same_numbers_in_javascript(tmp_path: Path) -> None:
    part = tmp_path / "amounts.mjs"
    part.write_bytes((Path(bayou.__file__).parent / "exporting/javascript_parts/amounts.js").read_bytes())
    script = (
        f"import({json.dumps(part.as_uri())}).then(({{ amountOf }}) => console.log(JSON.stringify("
        f"{json.dumps(TEXTS)}.map(amountOf).map((n) => (n === null ? null : String(n))))));"
    )
    run = subprocess.run([str(NODE), "-e", script], capture_output=True, text=True, check=True, timeout=60)
    found = [None if one is None else float(one.replace("Infinity", "inf")) for one in json.loads(run.stdout)]
    assert found == [number_spelled(text) for text in TEXTS]
