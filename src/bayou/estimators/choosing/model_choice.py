"""The choice of a classifier: all that were tried, with the error of each difference to the best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

from bayou.errors import UnknownVariable, counted
from bayou.schema import label
from bayou.text.tables import Cell, PrintedTable, TextTable, seconds_text
from bayou.typing import Name

if TYPE_CHECKING:
    import pandas

SIMPLE, BEST = "simple", "best"
MOST_COST = 0.05
"""So much more log-loss than the best one, as a share of it, the simpler one may have. With few rows a
standard error is wide: alone it would choose models of twice the loss (zoo, iris)."""
BASELINE = "(class shares)"


@dataclass(frozen=True)
class TriedModel:
    """One classifier: its loss on held-out rows, and how much it is worse than the best.

    ``log_loss`` is that of probabilities mixed with the class shares, which get the weight of one row;
    ``error`` is the standard error of ``worse_by``. ``refused`` says why it was not tried; empty if it was.
    """

    name: str
    assumes: str
    log_loss: float = nan
    worse_by: float = nan
    error: float = nan
    accuracy: float = nan
    seconds: float = nan
    refused: str = ""

    @property
    def is_near_the_best(self) -> bool:
        """Whether its loss is within one standard error of the smallest, and not much larger."""
        return self.worse_by <= min(self.error, MOST_COST * (self.log_loss - self.worse_by))


@dataclass(frozen=True, eq=False, repr=False)
class ModelChoice(PrintedTable):
    """What was tried, in order of simplicity, and the ``name`` of the one that was chosen.

    ``rows`` were compared on, of ``all_rows``. ``baseline`` is the loss of predicting the class shares.

    >>> import bayou
    >>> rows = {"wind": ["weak", "strong"] * 50, "sail": ["no", "yes"] * 50}
    >>> choice = bayou.fit(rows, "sail", models=["nb", "tan"]).choice
    >>> choice.name, choice.rows
    ('nb', 100)
    """

    target: Name
    name: str
    prefer: str
    tried: tuple[TriedModel, ...]
    rows: int
    all_rows: int
    folds: int
    baseline: float

    def __getitem__(self, name: str) -> TriedModel:
        for one in self.tried:
            if one.name == name:
                return one
        raise UnknownVariable.named(name, [one.name for one in self.tried], "among the classifiers tried")

    @property
    def chosen(self) -> TriedModel:
        """The classifier that was chosen."""
        return self[self.name]

    @property
    def best(self) -> TriedModel | None:
        """The classifier with the smallest loss; None if none was tried."""
        judged = [one for one in self.tried if one.worse_by == 0.0]
        return judged[0] if judged else None

    @property
    def reason(self) -> str:
        """Why this classifier was chosen, in a sentence."""
        best = self.best
        if best is None:
            few = f"{counted(self.all_rows, 'row')} are too few to compare classifiers"
            return f"{self.name}: {few if self.folds == 0 else 'there was nothing to compare it with'}."
        if self.name == best.name:
            judged = [one.name for one in self.tried if one.log_loss == one.log_loss]
            if self.prefer == BEST:
                return f"{self.name}: it has the smallest log-loss."
            if self.name == judged[0]:
                return f"{self.name}: it has the smallest log-loss, and none is simpler."
            behind = f"more than one standard error, or {MOST_COST:.0%}, behind it"
            return f"{self.name}: all simpler ones are {behind}."
        return (
            f"{self.name}: the simplest whose log-loss is within one standard error, and {MOST_COST:.0%}, of "
            f'that of the best, {best.name}. prefer="best" takes the best.'
        )

    def to_table(self) -> TextTable:
        """One line for each classifier, simple ones first; a star marks the chosen one.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 15, "y": ["no", "no", "yes", "yes"] * 15}
        >>> choice = bayou.fit(rows, "y", models=["nb", "tan"]).choice
        >>> choice.to_table().header
        ['model', 'log-loss', 'worse by', 'accuracy', 'time', 'assumes']
        """
        rows: list[list[Cell]] = []
        for one in self.tried:
            star = f"{one.name} *" if one.name == self.name else one.name
            if one.log_loss != one.log_loss:
                if one.name == self.name:
                    rows.append([star, "", "", "", "", one.assumes])
                continue
            behind = "best" if one.worse_by == 0.0 else f"{one.worse_by:.4f} ± {one.error:.4f}"
            numbers = [f"{one.log_loss:.4f}", behind, f"{one.accuracy:.4f}", seconds_text(one.seconds)]
            rows.append([star, *numbers, one.assumes])
        if self.baseline == self.baseline:
            rows.append([BASELINE, f"{self.baseline:.4f}", "", "", "", "the same for every row"])
        header = ["model", "log-loss", "worse by", "accuracy", "time", "assumes"]
        return TextTable(header, rows, f"Predicting {label(self.target)}: {self.scheme}")

    @property
    def scheme(self) -> str:
        """What the classifiers were compared on, in words."""
        if not self.folds:
            return counted(self.all_rows, "row")
        sample = f" (a sample of {self.all_rows:,})" if self.all_rows > self.rows else ""
        return f"{counted(self.rows, 'row')}{sample}, {self.folds} folds"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why it was chosen, which were not tried, and whether all is in vain."""
        lines = [self.reason]
        told = [f"{one.name} ({one.refused})" for one in self.tried if one.refused]
        if told:
            lines.append(f"Not tried: {'; '.join(told)}.")
        if self.has_learned_nothing:
            lines.append(
                "None is better than predicting the class shares: these classifiers find nothing in the "
                f"columns that tells about {label(self.target)}."
            )
        return tuple(lines)

    def _remarks(self) -> Iterable[str]:
        return self.remarks

    @property
    def has_learned_nothing(self) -> bool:
        """Whether the best one is not better than the class shares."""
        best = self.best
        return best is not None and best.log_loss >= self.baseline

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with one row for each classifier, simple ones first.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 15, "y": ["no", "no", "yes", "yes"] * 15}
        >>> choice = bayou.fit(rows, "y", models=["nb", "tan"]).choice
        >>> choice.to_frame().columns.to_list()[:3]
        ['model', 'log_loss', 'worse_by']
        """
        from bayou.frames import pandas_frame

        names = ("log_loss", "worse_by", "error", "accuracy", "seconds", "assumes", "refused")
        columns: dict[str, Any] = {"model": [one.name for one in self.tried]}
        columns |= {name: [getattr(one, name) for one in self.tried] for name in names}
        columns["chosen"] = [one.name == self.name for one in self.tried]
        return pandas_frame(columns, "Classifiers tried")

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data; numbers that there are none of are None.

        >>> import bayou
        >>> rows = {"x": [0, 0, 1, 1] * 15, "y": ["no", "no", "yes", "yes"] * 15}
        >>> choice = bayou.fit(rows, "y", models=["nb", "tan"]).choice
        >>> choice.to_dict()["chosen"]
        'nb'
        """
        names = ("name", "log_loss", "worse_by", "error", "accuracy", "seconds", "assumes", "refused")

        def plain(value: Any) -> Any:
            return None if value != value else value

        return {
            "chosen": self.name,
            "prefer": self.prefer,
            "reason": self.reason,
            "rows": self.rows,
            "all_rows": self.all_rows,
            "folds": self.folds,
            "baseline": plain(self.baseline),
            "tried": [{name: plain(getattr(one, name)) for name in names} for one in self.tried],
        }
