"""What a fitted classifier has learned: rows, classes, how each column is modelled and why, calibration."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bayou.decisions.calibration import Reliability, count_cell
from bayou.decisions.scoring_rules import Scores
from bayou.errors import counted, number_text
from bayou.schema import label
from bayou.text.tables import Bar, Cell, TextTable
from bayou.typing import Name, State

MOST_WEIGHTS = 12
"""So many weights of columns are listed, the largest."""
MOST_FEATURES = 500
"""With more features than this only the number of each kind is listed."""


@dataclass(frozen=True)
class FeatureNote:
    """How one feature is modelled, why, and in how many training rows it is missing (None: not known)."""

    name: Name
    modelled: str
    why: str = ""
    missing: float | None = None


@dataclass(frozen=True, eq=False)
class ModelSummary:
    """What a fitted classifier has learned; printing it shows all.

    ``classes`` has the number (or weight) of rows of each class (None: not known), ``features`` how each is
    modelled, ``notes`` what else was chosen. ``held_out`` has scores of a sample of the training rows by
    leave-one-out, if the statistics have such rows: then ``calibration`` is their reliability. Each row is
    left out alone: of P(class), and of P(feature | class) of its own class. Rows like it stay, as they would
    if the model were fitted again without it, and are counted and scored, too; kinds of columns and the
    evidence weight stay as chosen from all rows.

    >>> import bayou
    >>> rows = {"wind": ["weak", "strong"] * 20, "sail": ["no", "yes"] * 20}
    >>> learned = bayou.NaiveBayes().fit(rows, "sail").summary()
    >>> learned.kind, learned.classes
    ('NaiveBayes', {'no': 20, 'yes': 20})
    """

    kind: str
    target: Name
    rows: float | None
    classes: Mapping[State, float | None]
    features: tuple[FeatureNote, ...]
    notes: tuple[str, ...] = ()
    held_out: Scores | None = None

    @property
    def calibration(self) -> Reliability | None:
        """Said and true frequencies of the predicted class on held-out rows; None without such rows."""
        return None if self.held_out is None else self.held_out.reliability

    def tables(self) -> Iterator[TextTable]:
        """The tables that are printed: classes, features, calibration.

        >>> import bayou
        >>> summary = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"]).summary()
        >>> [table.header for table in summary.tables()][:2]
        [['class', 'rows', 'share', ''], ['feature', 'modelled', 'why']]
        """
        shares = self.rows or 0
        yield TextTable(
            [label(self.target), "rows", "share", ""],
            [
                [label(name), "–", "", ""]
                if count is None
                else [label(name), count_cell(count), count / shares, Bar(count / shares)]
                for name, count in self.classes.items()
            ],
        )
        if self.features:
            has_gaps = any(one.missing for one in self.features)
            has_why = any(one.why for one in self.features)
            rows: list[list[Cell]] = [
                [
                    label(one.name),
                    one.modelled,
                    *([_gap_text(one.missing)] if has_gaps else []),
                    *([one.why] if has_why else []),
                ]
                for one in self.features
            ]
            heads = ["missing"] * has_gaps + ["why"] * has_why
            yield TextTable(["feature", "modelled", *heads], rows)
        if self.calibration is not None:
            table = self.calibration.to_table()
            yield TextTable(table.header, table.rows, "Calibration of the predicted class on held-out rows")

    @property
    def heading(self) -> str:
        """What it is, in one line."""
        rows = "" if self.rows is None else f", learned from {counted(self.rows, 'row')}"
        return f"{self.kind} that predicts {label(self.target)}{rows}"

    def lines(self) -> list[str]:
        """What was chosen for the model as a whole, and how it does on held-out rows.

        >>> import bayou
        >>> rows = {"wind": ["weak", "strong"] * 20, "sail": ["no", "yes"] * 20}
        >>> bayou.NaiveBayes().fit(rows, "sail").summary().lines()[1]
        'Prior of the tables: 1.0.'
        """
        return [*self.notes, self._held_out_text()]

    def _held_out_text(self) -> str:
        scored = self.held_out
        if scored is None:
            return "Calibration: not known, as no rows were held out; bayou.evaluate measures it."
        rows = scored.confusion.counts.sum()
        return (
            f"On {number_text(rows)} sampled rows, each left out of the model that predicts it: accuracy "
            f"{scored.accuracy:.4f}, log-loss {scored.log_loss:.4f}, calibration error {scored.ece:.4f}."
        )

    def __str__(self) -> str:
        classes, *others = self.tables()
        return "\n\n".join(
            [self.heading, str(classes), *map(str, others[:1]), "\n".join(self.lines())]
            + [str(table) for table in others[1:]]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = [table._repr_html_() for table in self.tables()]
        lines = "<br>".join(html.escape(line) for line in self.lines())
        return f"<p><b>{html.escape(self.heading)}</b></p>{''.join(tables)}<p>{lines}</p>"

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data.

        >>> import bayou
        >>> summary = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"]).summary()
        >>> summary.to_dict()["rows"]
        2
        """
        return {
            "kind": self.kind,
            "target": self.target,
            "rows": self.rows,
            "classes": [{"class": name, "rows": count} for name, count in self.classes.items()],
            "features": [asdict(one) for one in self.features],
            "notes": list(self.notes),
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
        }


def _gap_text(missing: float | None) -> str:
    return "" if missing is None else number_text(missing)
