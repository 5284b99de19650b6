"""The page 'what runs where', from what the conformance suite found.

``python -m tests.conformance.what_runs_where FOLDER`` writes it, after the suite has left its words in that
folder (``BAYOU_WORDS=FOLDER``), that of ``tests/spark`` too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.conformance.jobs import JOBS
from tests.conformance.kinds_of_data import KINDS, SPARK

PAGE = Path(__file__).resolve().parents[2] / "docs" / "what-runs-where.md"
UNTESTED = ("object stores (s3://, https://)", "MySQL", "Snowflake", "BigQuery")
"""Kinds of data that cannot be run on the machines that test bayou."""
_HEAD = """# What runs where

The same calls take every kind of data. This table is made from the results of the tests: *tested* means that
the job gives the same result as on a table in memory, *refused* that it ends in an error that says what to do
instead (or in a warning that a simpler model was learned), *untested* that nobody has run it there.

*Spark* is a classic session: all of its column is run with every change. Over Spark Connect some of these
jobs are run then, one for each way in which results travel; `make spark` runs all of them there, too.

"""


def table(words: dict[tuple[str, str], str]) -> str:
    """The table in Markdown; ``words`` has a word for each job and kind of data."""
    kinds = [*dict.fromkeys([*KINDS, SPARK]), *UNTESTED]
    lines = ["| job | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for job in JOBS:
        found = [words.get((job, kind), "untested") for kind in kinds]
        lines.append(f"| {job} | " + " | ".join(found) + " |")
    return "\n".join(lines) + "\n"


def words_of_page() -> dict[tuple[str, str], str]:
    """The words that the page has now, by job and kind of data."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    kinds = rows[0][1:]
    return {(row[0], kind): word for row in rows[1:] for kind, word in zip(kinds, row[1:], strict=True)}


def main() -> None:
    """Write the page."""
    words: dict[tuple[str, str], str] = {}
    for file in Path(sys.argv[1]).glob("*.json"):
        job, kind, word = json.loads(file.read_text(encoding="utf-8"))
        words[job, kind] = word
    PAGE.write_text(_HEAD + table(words), encoding="utf-8")


if __name__ == "__main__":
    main()
