"""Classifiers that add, subtract and forget rows: the methods; how it is done is in ``classifier_sums``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bayou.arguments import weights_named

Self = TypeVar("Self", bound="ClassifierArithmetic")


class ClassifierArithmetic:
    """Sums and differences of fitted classifiers; all classifiers inherit them."""

    @weights_named("sample_weight")
    def forget(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Remove rows that were learned before: the result is that of ``fit`` on the rows that stay.

        Counts are exact. Rows that were never learned raise an error where counts would become negative. The
        automatic exponent and choices of some classifiers are made on a sample of at most 4,096 different
        rows; if there were more, the sample that is left is smaller than that of a new fit.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadStatistics`` for rows that were
        never learned, ``BadData`` for a table without any column of a feature, and ``BadQuestion`` for a
        class column of another name.

        >>> import bayou
        >>> days = {"wind": ["weak", "strong", "weak"], "play": ["yes", "no", "no"]}
        >>> model = bayou.NaiveBayes().fit(days, "play").forget({"wind": ["weak"], "play": ["no"]}, "play")
        >>> model.predict_proba({"wind": ["weak"]}).round(3).tolist()
        [[0.333, 0.667]]
        """
        from bayou.estimators.classifier_sums import without_rows

        model: Any = self
        made: Self = without_rows(model, X, y, sample_weight)
        return made

    def __radd__(self: Self, other: object) -> Self:
        """The classifier itself plus 0, with which ``sum`` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __add__(self: Self, other: Self) -> Self:
        """The classifier learned from the rows of both, without them: only statistics are added.

        Both need the same settings, columns and target. If cuts were learned they must agree: declare them.
        """
        from bayou.estimators.classifier_sums import added

        return self._combined(other, added)

    def __sub__(self: Self, other: Self) -> Self:
        """The classifier learned from the rows of this one without those of the other."""
        from bayou.estimators.classifier_sums import subtracted

        return self._combined(other, subtracted)

    def _combined(self: Self, other: object, how: Callable[[Any, Any], Any]) -> Self:
        """The classifier of the statistics that ``how`` makes of those of both."""
        if not isinstance(other, ClassifierArithmetic):
            return NotImplemented  # type: ignore[no-any-return]  # Python then tries the other operand
        from bayou.estimators.classifier_sums import estimated

        made: Self = estimated(how(self, other))
        return made
