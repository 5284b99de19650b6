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

PAGE = Path(__file__).resolve().parents[2] / "docs/lookup/what-runs-where.md"
UNTESTED = ("object stores (s3://, https://)", "MySQL", "Snowflake", "BigQuery")
"""Kinds of data that cannot be run on the machines that test bayou."""
GROUPS = {
    "Tables in memory": ("pandas", "polars", "Arrow", "own source"),
    "Files of text": (
        "CSV", "CSV, streamed", "CSV, gzip", "CSV, zstd", "TSV, gzip under a wrong name", "JSON lines",
    ),
    "Files of columns, and several files": (
        "Parquet", "Parquet, streamed", "Arrow file", "Arrow stream", "folder", "pattern", "list of files",
    ),
    "Databases and Spark": ("duckdb", "SQLite", "PostgreSQL", "PostgreSQL, only cells", SPARK),
}  # fmt: skip
"""One table each, so that none is wider than a page."""
_HEAD = """# What runs where

The same calls take every kind of data. These tables are made from the results of the tests:

- *tested*: the job gives the same result as on a table in memory;
- *refused*: it ends in an error that tells what to do, or in a warning that a simpler model was learned.

What that comes to:

"""
_SPARK = """*Spark* is a classic session: all of its column is run with every change. Over Spark Connect some
of these jobs are run then, one for each way in which results travel; `make spark` runs all of them there.

"""


def page(words: dict[tuple[str, str], str]) -> str:
    """The page in Markdown; ``words`` has a word for each job and kind of data."""
    if missing := {*KINDS, SPARK} - {kind for group in GROUPS.values() for kind in group}:
        raise ValueError(f"in no group of the page: {sorted(missing)}")
    parts = [_HEAD, _summary(words)]
    for title, kinds in GROUPS.items():
        about = _SPARK if SPARK in kinds else ""
        parts.append(f"\n## {title}\n\n{about}{_table(words, kinds)}")
    return "".join(parts)


def _summary(words: dict[tuple[str, str], str]) -> str:
    """In a sentence or two: where everything runs, where something does not, what nobody has run."""
    kinds = [kind for group in GROUPS.values() for kind in group]
    ended = {kind: [words.get((job, kind), "untested") for job in JOBS] for kind in kinds}
    whole = sum(set(ended[kind]) == {"tested"} for kind in kinds)
    lines = [f"- All {len(JOBS)} jobs are tested on {whole} of {len(kinds)} kinds of data."]
    for kind in kinds:
        if set(ended[kind]) != {"tested"}:
            told = ", ".join(
                f"{ended[kind].count(word)} {word}"
                for word in ("tested", "refused", "untested")
                if word in ended[kind]
            )
            lines.append(f"- {kind}: {told}.")
    lines.append(f"- Nobody has run: {', '.join(UNTESTED)}.")
    return "\n".join(lines) + "\n"


def _table(words: dict[tuple[str, str], str], kinds: tuple[str, ...]) -> str:
    lines = ["| job | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for job in JOBS:
        found = [words.get((job, kind), "untested") for kind in kinds]
        lines.append(f"| {job} | " + " | ".join(found) + " |")
    return "\n".join(lines) + "\n"


def words_of_page() -> dict[tuple[str, str], str]:
    """The words that the page has now, by job and kind of data."""
    words: dict[tuple[str, str], str] = {}
    kinds: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            first, *rest = [cell.strip() for cell in line.strip("|").split("|")]
            if first == "job":
                kinds = rest
            else:
                words |= {(first, kind): word for kind, word in zip(kinds, rest, strict=True)}
    return words


def main() -> None:
    """Write the page."""
    words: dict[tuple[str, str], str] = {}
    for file in Path(sys.argv[1]).glob("*.json"):
        job, kind, word = json.loads(file.read_text(encoding="utf-8"))
        words[job, kind] = word
    PAGE.write_text(page(words), encoding="utf-8")


if __name__ == "__main__":
    main()
