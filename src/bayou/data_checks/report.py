"""The result of a check: findings with their fixes, in a report that can be printed and converted."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from bayou.errors import counted
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text.tables import clipped, visible
from bayou.typing import Name

if TYPE_CHECKING:
    import pandas

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_COLOURS = {"error": "#b0303f", "warning": "#b8791a", "note": "#4a7fb5"}
_SHOWN_GAPS = 6
_LONGEST = 60  # characters of an example that are shown


@dataclass(frozen=True)
class Finding:
    """One problem: its severity, the check that found it, where it is, and a line of code that fixes it.

    ``column`` is None for what concerns the whole table; ``rows`` are numbers of rows, counting from 0.
    """

    severity: Severity
    check: str
    column: Name | None
    what: str
    examples: tuple[Any, ...] = ()
    rows: tuple[int, ...] = ()
    fix: str = ""

    def __str__(self) -> str:
        place = "" if self.column is None else f"{label(self.column)!r} "
        return visible(f"{place}{self.what}{self._instances()}")

    def _instances(self) -> str:
        shown = []
        if self.examples:
            shown.append(
                "such as " + ", ".join(clipped(repr(example), _LONGEST) for example in self.examples)
            )
        if self.rows:
            numbers = ", ".join(str(row) for row in self.rows)
            shown.append(f"row{'s' * (len(self.rows) > 1)} {numbers}, counting from 0")
        return f" ({'; '.join(shown)})" if shown else ""

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {
            "severity": self.severity,
            "check": self.check,
            "column": self.column,
            "what": self.what,
            "examples": list(self.examples),
            "rows": list(self.rows),
            "fix": self.fix,
        }


def is_reading(fix: str) -> bool:
    """Whether a fix reads the files anew, with another option.

    >>> is_reading("data = bayou.from_file('a.csv', na='n/a')"), is_reading("data = data.drop_duplicates()")
    (True, False)
    """
    return fix.startswith("data = bayou.from_file(")


@dataclass(frozen=True)
class Report:
    """All findings about a table, the most severe first; ``ok`` if none of them is an error.

    ``rows`` is how many rows were looked at, ``more`` whether there are others; ``missing`` has the number
    of gaps of each column that has any.
    """

    findings: tuple[Finding, ...]
    rows: int
    columns: int
    more: bool = False
    target: Name | None = None
    missing: Mapping[Any, int] = field(default_factory=dict)
    dialect: str = "pandas"
    other_rows: int | None = None
    """How many rows of a second table were compared; None without a second table."""
    read_anew: str = ""
    """For files: the line that reads them with all fixes that are options of ``from_file``."""

    @property
    def ok(self) -> bool:
        """Whether there is no error (there may be warnings and notes)."""
        return not self.errors

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that prevent learning, or make the model wrong."""
        return self._of("error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that should probably be fixed before learning."""
        return self._of("warning")

    @property
    def notes(self) -> tuple[Finding, ...]:
        """The findings that are only suspicions, or good to know."""
        return self._of("note")

    def _of(self, severity: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        # A report without findings is true too, although its length is 0.
        return True

    @property
    def heading(self) -> str:
        """The size of the table and the number of findings of each severity."""
        size = f"{'the first ' * self.more}{counted(self.rows, 'row')} × {counted(self.columns, 'column')}"
        aim = "" if self.target is None else f", target {label(self.target)!r}"
        if self.other_rows is not None:
            aim += f", compared with {self.other_rows:,} rows of a second table"
        counts = ", ".join(
            f"{count} {severity}{'s' * (count != 1)}"
            for severity in SEVERITIES
            if (count := len(self._of(severity)))
        )
        return visible(f"Checked {size}{aim}: {counts or 'nothing to complain of'}.")

    @property
    def gaps(self) -> str:
        """The columns with missing values, in one line; empty if there are none."""
        if not self.missing or not self.rows:
            return ""
        ranked = sorted(self.missing.items(), key=lambda entry: -entry[1])
        shown = ", ".join(
            f"{label(name)} {100 * count / self.rows:.3g} %" for name, count in ranked[:_SHOWN_GAPS]
        )
        rest = f" and {len(ranked) - _SHOWN_GAPS} more" if len(ranked) > _SHOWN_GAPS else ""
        return visible(f"Gaps in {len(ranked)} of {self.columns} columns: {shown}{rest}.")

    def __str__(self) -> str:
        lines = [self.heading, *filter(None, [self.gaps])]
        for finding in self.findings:
            lines.append(f"{finding.severity:8} {finding}")
            if finding.fix:
                lines.append(f"         fix: {visible(finding.fix)}")
        lines += [visible(line) for line in self._about_fixes()]
        return "\n".join(lines)

    def _about_fixes(self) -> Iterator[str]:
        fixes = [finding.fix for finding in self.findings if finding.fix]
        reading = [fix for fix in fixes if self.read_anew and is_reading(fix)]
        if len({*reading}) > 1:
            yield f"All that concerns reading, in one line: {self.read_anew}"
        if reading and ", na=" in self.read_anew:
            yield "(A word for a gap, na=, is one in every column.)"
        if len(reading) < len(fixes):
            other, table = ("Other fixes", "the table, read by it,") if reading else ("Fixes", "the table")
            yield f"({other} are written for {self.dialect}, {table} being called data.)"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="color:{_COLOURS[f.severity]}">{f.severity}</td>'
            f'<td style="text-align:left">{html.escape(str(f))}</td>'
            f'<td style="text-align:left"><code>{html.escape(visible(f.fix))}</code></td></tr>'
            for f in self.findings
        )
        head = f"<p>{html.escape(self.heading)} {html.escape(self.gaps)}</p>"
        table = "<thead><tr><th></th><th>finding</th><th>fix</th></tr></thead>"
        return f"{head}<table>{table}<tbody>{rows}</tbody></table>" if rows else head

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "ok": self.ok,
            "rows": self.rows,
            "more_rows": self.more,
            "columns": self.columns,
            "target": self.target,
            **({} if self.other_rows is None else {"other_rows": self.other_rows}),
            **({"read_anew": self.read_anew} if self.read_anew else {}),
            "missing": [{"column": name, "rows": count} for name, count in self.missing.items()],
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_frame(self) -> pandas.DataFrame:
        """A row for each finding (needs pandas)."""
        keys = ("severity", "check", "column", "what", "examples", "rows", "fix")
        entries = [finding.to_dict() for finding in self.findings]
        return pandas_frame({key: [entry[key] for entry in entries] for key in keys}, "Report.to_frame")
