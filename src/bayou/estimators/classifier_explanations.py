"""The methods of a classifier that explain it and its predictions (the work: ``estimators.explain``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayou.typing import State

if TYPE_CHECKING:
    from bayou.estimators.explain.model_summary import ModelSummary
    from bayou.explain.class_working import ClassWorking
    from bayou.explain.ledger import Ledger
    from bayou.explain.linear_weights import LinearWeights
    from bayou.explain.smallest_change import SmallestChange


class ClassifierExplanations:
    """Methods that explain; all classifiers inherit them."""

    if TYPE_CHECKING:

        def _fitted_model(self) -> Any: ...

    def summary(self) -> ModelSummary:
        """Return what was learned: rows, classes, how each column is modelled and why, and calibration.

        It prints in a terminal and in a notebook.
        """
        from bayou.estimators.explain.model_summary import summarise

        self._fitted_model()
        return summarise(self)

    def explain(self, row: Any, of: State = None, against: State = None, order: str = "size") -> Ledger:
        """Split the log-odds of two classes into one term per finding; by default best against second best.

        ``row`` is a mapping, a Series, a table of one row, or values in the columns' order; ``order`` is
        'size' or 'column'. Where findings interact, a term is the change of the log-odds when its finding is
        left out.
        """
        from bayou.estimators.explain import explanations

        return explanations.explain(self, row, of, against, order)

    def working(self, row: Any) -> ClassWorking:
        """Return the step-by-step calculation of one row's posterior, as ``.text`` and ``.latex``."""
        from bayou.estimators.explain import explanations

        return explanations.working(self, row)

    def linear_weights(self, of: State = None, against: State = None) -> LinearWeights:
        """Return the log-odds of two classes as a bias and one weight per state, if the model is linear."""
        from bayou.estimators.explain.linear_form import linear_weights

        return linear_weights(self, of, against)

    def smallest_change(self, row: Any, to: State = None) -> SmallestChange | None:
        """Find the fewest changes of findings that change the predicted class (to ``to``, if given).

        The fewest where the log-odds are a sum over findings (naive Bayes); otherwise up to three changes are
        tried (``exact`` says whether no smaller set exists). A number moves to the nearest value that is
        enough. None if no such change was found.
        """
        from bayou.estimators.explain.counterfactuals import smallest_change

        self._fitted_model()
        return smallest_change(self, row, to)
