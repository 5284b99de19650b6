"""bayou check."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run, RunJson

ODD = "id,stadt,y\n" + "".join(
    f"{k},{'Rom' if k % 2 else ' rom'},{'ja' if k % 3 else 'nein'}\n" for k in range(40)
)


def test_findings_with_their_fixes_and_exit_code_0_without_errors(run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text(ODD, encoding="utf-8")
    printed = run("check", "odd.csv", "--target", "y").stdout
    assert printed.startswith("Checked 40 rows × 3 columns, target 'y': 2 warnings.")
    assert "'id' looks like an id" in printed
    assert "read it with --ignore id (of fit, evaluate and structure)" in printed


def test_a_decimal_comma_is_an_option_of_the_command(run: Run, run_json: RunJson, folder: Path) -> None:
    rows = "39,1;ja\n36,6;nein\n38,4;ja\n36,9;nein\n"
    (folder / "de.csv").write_text(f"Temperatur;Grippe\n{rows * 3}", encoding="utf-8")
    printed = run("check", "de.csv", "--target", "Grippe").stdout
    assert "decimal comma" in printed
    assert "\n    read it with --decimal , (every command" in printed
    assert (
        run_json("check", "de.csv")["findings"][0]["fix"] == "data = bayou.from_file('de.csv', decimal=',')"
    )
    assert "decimal comma" not in run("check", "de.csv", "--decimal", ",").stdout
    fitted = run("fit", "de.csv", "--target", "Grippe", "--model", "nb", "-o", "de.bayou").stderr
    assert "If they are numbers, say so: --decimal ,." in " ".join(fitted.split())
    again = run("fit", "de.csv", "--target", "Grippe", "--model", "nb", "--decimal", ",", "-o", "de.bayou")
    assert again.stderr == ""


def test_errors_give_exit_code_1(run: Run, run_json: RunJson, folder: Path) -> None:
    (folder / "one.csv").write_text("a,b\n1,\n2,\n", encoding="utf-8")
    assert "'b' has no value at all" in run("check", "one.csv", exit_code=1).stdout
    document = run_json("check", "one.csv", exit_code=1)
    assert not document["ok"]
    assert document["findings"][0]["check"] == "empty column"
    assert document["missing"] == [{"column": "b", "rows": 2}]


def test_how_many_rows_are_looked_at(run: Run, run_json: RunJson, folder: Path) -> None:
    (folder / "odd.csv").write_text(ODD, encoding="utf-8")
    assert run_json("check", "odd.csv", "--rows", "7")["more_rows"]
    assert run_json("check", "odd.csv", "--rows", "all")["rows"] == 40
    assert "neither a number" in run("check", "odd.csv", "--rows", "many", exit_code=2).stderr
    assert "at least one" in run("check", "odd.csv", "--rows", "0", exit_code=2).stderr


def test_unknown_columns_and_files_are_reported(run: Run) -> None:
    assert "Did you mean 'Rain'" in run("check", "rain.csv", "--target", "rain", exit_code=1).stderr
    assert "Did you mean 'rain.csv'" in run("check", "rein.csv", exit_code=1).stderr


def test_standard_input_and_a_second_table(run: Run, run_json: RunJson, folder: Path) -> None:
    (folder / "odd.csv").write_text(ODD, encoding="utf-8")
    piped = run("check", "-", "--target", "y", typed=ODD.encode()).stdout
    assert piped == run("check", "odd.csv", "--target", "y").stdout
    (folder / "new.csv").write_text(ODD.replace("Rom", "Paris"), encoding="utf-8")
    document = run_json("check", "odd.csv", "new.csv")
    assert document["other_rows"] == 40
    (unseen,) = [each for each in document["findings"] if each["check"] == "unseen values"]
    assert (unseen["column"], unseen["examples"]) == ("stadt", ["Paris"])
    assert "only one" in run("check", "-", "-", exit_code=2).stderr.lower()


def test_gaps_and_columns_that_are_no_data_are_options_of_the_commands(run: Run, folder: Path) -> None:
    towns = ("Ulm", "Bonn")
    rows = "".join(f"c{k:03},{'n/a' if k % 5 == 0 else towns[k % 2]},{k % 2}\n" for k in range(60))
    table = f"customer,city,left\n{rows}"
    (folder / "shop.csv").write_text(table, encoding="utf-8")
    printed = run("check", "shop.csv", "--target", "left").stdout
    assert "data.drop" not in printed
    assert "read it with --na n/a (every command that reads a table has it)" in printed
    assert "All options together: --na n/a --ignore customer" in printed
    run("fit", "shop.csv", "--target", "left", "--na", "n/a", "--ignore", "customer", "-o", "a.bayou")
    document = json.loads(run("check", "-", "--target", "left", "--json", typed=table.encode()).stdout)
    assert document["read_anew"] == "data = bayou.from_file('-', na='n/a', ignore='customer')"
