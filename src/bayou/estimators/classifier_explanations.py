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

        Raises scikit-learn's ``NotFittedError`` before the first fit.

        >>> import bayou
        >>> summary = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"]).summary()
        >>> summary.rows, dict(summary.classes)
        (2, {'no': 1, 'yes': 1})
        """
        from bayou.estimators.explain.summaries import summarise

        self._fitted_model()
        return summarise(self)

    def explain(self, row: Any, of: State = None, against: State = None, order: str = "size") -> Ledger:
        """Split the log-odds of two classes into one term per finding; by default best against second best.

        ``row`` is a mapping, a Series, a table of one row, or values in the columns' order; ``order`` is
        'size' or 'column'. Where findings interact, a term is the change of the log-odds when its finding is
        left out.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``UnknownState`` for a class that is
        not there, ``BadQuestion`` for the same class twice, or another ``order``, and ``BadData`` for more
        than one row, or a row that cannot be read.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit(bayou.examples.play_tennis(), "PlayTennis")
        >>> print(model.explain({"Outlook": "Sunny", "Wind": "Strong"}))
        log-odds of PlayTennis=No against PlayTennis=Yes
        finding                          log-odds                   No      Yes
        prior                             -0.5108  ███████▍    5 of 14  9 of 14
        Outlook=Sunny                     +0.6931  ██████████   3 of 5   2 of 9
        Wind=Strong                       +0.4520  ██████▌      3 of 5   3 of 9
        Temperature (missing: left out)
        Humidity (missing: left out)
        sum                               +0.6343  █████████▏
        posterior                                               0.6535   0.3465
        """
        from bayou.estimators.explain import explanations

        return explanations.explain(self, row, of, against, order)

    def working(self, row: Any) -> ClassWorking:
        """Return the step-by-step calculation of one row's posterior, as ``.text`` and ``.latex``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for more than one row,
        or a row that cannot be read.

        >>> import bayou
        >>> model = bayou.NaiveBayes(prior=0).fit(bayou.examples.play_tennis(), "PlayTennis")
        >>> print(model.working({"Outlook": "Sunny", "Wind": "Strong"}))
        P(No) · P(Outlook=Sunny | No) · P(Wind=Strong | No)
          = (5/14)·(3/5)·(3/5) = 0.1286
        P(Yes) · P(Outlook=Sunny | Yes) · P(Wind=Strong | Yes)
          = (9/14)·(2/9)·(3/9) = 0.0476
        Left out: Temperature (missing), Humidity (missing)
        P(No | row) = 0.1286 / (0.1286 + 0.0476) = 0.7297
        P(Yes | row) = 0.0476 / (0.1286 + 0.0476) = 0.2703
        """
        from bayou.estimators.explain import explanations

        return explanations.working(self, row)

    def linear_weights(self, of: State = None, against: State = None) -> LinearWeights:
        """Return the log-odds of two classes as a bias and one weight per state, if the model is linear.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``UnknownState`` for a class that is
        not there, and ``BadQuestion`` for a model whose log-odds are no sum over findings.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong", "weak"]}, ["yes", "no", "yes"])
        >>> print(model.linear_weights("yes", "no"))
        yes against no: weights of the log-odds
        feature  state   weight
        bias             +0.4055
        wind     strong  -0.9808
        wind     weak    +0.8109
        """
        from bayou.estimators.explain.linear_form import linear_weights

        return linear_weights(self, of, against)

    def smallest_change(self, row: Any, to: State = None) -> SmallestChange | None:
        """Find the fewest changes of findings that change the predicted class (to ``to``, if given).

        The fewest where the log-odds are a sum over findings (naive Bayes); otherwise up to three changes are
        tried (``exact`` says whether no smaller set exists). A number moves to the nearest value that is
        enough. None if no such change was found.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``UnknownState`` for a class that is
        not there, and ``BadData`` for more than one row, or a row that cannot be read.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit(bayou.examples.play_tennis(), "PlayTennis")
        >>> print(model.smallest_change({"Outlook": "Sunny", "Humidity": "High", "Wind": "Strong"}))
        No becomes Yes with 1 change (log-odds +0.5877)
          Outlook: Sunny → Overcast
        Or one of these alone:
          Humidity: High → Normal
        """
        from bayou.estimators.explain.counterfactuals import smallest_change

        self._fitted_model()
        return smallest_change(self, row, to)
