"""A hidden Markov model as a scikit-learn estimator, called as hmmlearn's models are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayou.errors import BadData
from bayou.models.sequences.hidden_markov.hmm import HMM
from bayou.models.sequences.hidden_markov.hmm_learning import DEFAULT_ITERATIONS, DEFAULT_TOLERANCE
from bayou.typing import FloatArray, IntArray


class HiddenMarkov(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A hidden Markov model of the rows of X, which are steps of sequences of the given ``lengths``.

    ``n_components`` is the number of states. ``emissions``, ``covariance`` and ``mixtures`` are those of
    :class:`bayou.HMM`, which is in ``hmm_`` after fitting; states are numbered from 0, by the mean of what
    they emit.

    ``max_iter`` and ``tol`` end the steps of learning, as in hmmlearn.

    >>> X = np.array([[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]])
    >>> model = HiddenMarkov(2, random_state=0).fit(X, lengths=[4, 2])
    >>> model.predict(X, lengths=[4, 2]).tolist()
    [0, 0, 1, 1, 0, 1]
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        emissions: Any = None,
        covariance: str = "full",
        mixtures: int = 1,
        prior: Any = None,
        method: str | None = None,
        restarts: int = 1,
        tol: float = DEFAULT_TOLERANCE,
        max_iter: int = DEFAULT_ITERATIONS,
        random_state: int | None = 0,
    ) -> None:
        self.n_components = n_components
        self.emissions = emissions
        self.covariance = covariance
        self.mixtures = mixtures
        self.prior = prior
        self.method = method
        self.restarts = restarts
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, lengths: Any = None) -> HiddenMarkov:
        """Learn from the rows of X, cut into sequences of these lengths (None: one sequence).

        Raises ``BadData`` for rows of different lengths or lengths that do not add up to the rows, and
        ``BadQuestion`` for settings that do not fit.

        >>> import bayou
        >>> X = [[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]]
        >>> bayou.HiddenMarkov(2).fit(X).means_.round(1).tolist()
        [[0.1], [5.0]]
        """
        rows = self._rows(X)
        seed = 0 if self.random_state is None else int(self.random_state)
        hmm = HMM(self.n_components, self.emissions, covariance=self.covariance, components=self.mixtures)
        self.hmm_ = hmm.fit(
            rows,
            lengths=_lengths(rows, lengths),
            prior=self.prior,
            method=self.method,
            restarts=self.restarts,
            seed=seed,
            tolerance=self.tol,
            max_iterations=self.max_iter,
        )
        self.n_features_in_ = rows.shape[1] if rows.ndim == 2 else 1
        return self

    @staticmethod
    def _rows(X: Any) -> Any:
        try:
            rows = X if hasattr(X, "columns") else np.asarray(X)
        except ValueError:
            raise BadData(
                "X needs one row of equal length for each step: put all sequences below each other, and say "
                "how long each is with lengths=[…] (bayou.HMM takes lists of sequences)."
            ) from None
        if not hasattr(rows, "columns") and rows.ndim not in (1, 2):
            raise BadData(f"X needs one row for each step, not {rows.ndim} dimensions.")
        return rows

    def _asked(self, X: Any, lengths: Any) -> tuple[HMM, Any, dict[str, Any]]:
        """The model, the rows and how they are sequences; an array that is one sequence needs no words."""
        check_is_fitted(self)
        rows = self._rows(X)
        if lengths is None and isinstance(rows, np.ndarray) and rows.dtype != object:
            return self.hmm_, rows, {}
        return self.hmm_, rows, {"lengths": _lengths(rows, lengths)}

    def predict(self, X: Any, lengths: Any = None) -> IntArray:
        """The most probable path of states (Viterbi), one state for each row.

        Raises scikit-learn's ``NotFittedError`` before the first fit.

        >>> import bayou
        >>> X = [[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]]
        >>> bayou.HiddenMarkov(2).fit(X).predict([[0.0], [0.1], [5.0]]).tolist()
        [0, 0, 1]
        """
        return self.decode(X, lengths)[1]

    def decode(self, X: Any, lengths: Any = None) -> tuple[float, IntArray]:
        """(log probability of the best paths, their states).

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for rows of different
        lengths or lengths that do not add up to the rows.

        >>> import bayou
        >>> X = [[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]]
        >>> log_probability, states = bayou.HiddenMarkov(2).fit(X).decode(X)
        >>> states.tolist()
        [0, 0, 1, 1, 0, 1]
        """
        hmm, rows, how = self._asked(X, lengths)
        paths = hmm.decode(rows, **how) if how else [hmm.decode(rows)]
        states = [path.codes for path in paths]
        return float(sum(path.log_probability for path in paths)), np.concatenate(states).astype(np.int64)

    def predict_proba(self, X: Any, lengths: Any = None) -> FloatArray:
        """P(state | all rows of the sequence), [row, state].

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for rows of different
        lengths or lengths that do not add up to the rows.

        >>> import bayou
        >>> X = [[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]]
        >>> bayou.HiddenMarkov(2).fit(X).predict_proba(X)[:3].round(2).tolist()
        [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
        """
        return self.score_samples(X, lengths)[1]

    def score_samples(self, X: Any, lengths: Any = None) -> tuple[float, FloatArray]:
        """(log-likelihood of all sequences, P(state | all rows of the sequence)).

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for rows of different
        lengths or lengths that do not add up to the rows.

        >>> X = np.array([[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]])
        >>> loglik, states = HiddenMarkov(2, random_state=0).fit(X).score_samples(X)
        >>> states.shape
        (6, 2)
        """
        hmm, rows, how = self._asked(X, lengths)
        beliefs = hmm.smooth(rows, **how) if how else [hmm.smooth(rows)]
        total = float(sum(one.log_likelihood for one in beliefs))
        return total, np.concatenate([one.probabilities for one in beliefs])

    def score(self, X: Any, lengths: Any = None) -> float:
        """The log-likelihood of all sequences.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for rows of different
        lengths or lengths that do not add up to the rows.

        >>> import bayou
        >>> model = bayou.HiddenMarkov(2).fit([[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]])
        >>> model.score([[0.1], [5.0]]) > model.score([[2.0], [3.0]])
        True
        """
        hmm, rows, how = self._asked(X, lengths)
        return hmm.log_likelihood(rows, **how)

    def sample(self, n_samples: int = 1, random_state: int = 0) -> tuple[Any, IntArray]:
        """(a drawn sequence [step, column], its states).

        ``n_samples`` is the number of steps.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadQuestion`` for a number of
        steps below 1.

        >>> import bayou
        >>> model = bayou.HiddenMarkov(2).fit([[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]])
        >>> rows, states = model.sample(3)
        >>> rows.shape, states.shape
        ((3, 1), (3,))
        """
        check_is_fitted(self)
        drawn = self.hmm_.sample(n_samples, seed=random_state)
        names = self.hmm_.chain.columns
        states = np.array([self.hmm_.states.index(state) for state in drawn[self.hmm_.chain.state.name]])
        return np.column_stack([np.asarray(drawn[name]) for name in names]), states

    @property
    def startprob_(self) -> FloatArray:
        """P(first state)."""
        return self.hmm_.start

    @property
    def transmat_(self) -> FloatArray:
        """P(next state | state)."""
        return self.hmm_.transition

    @property
    def means_(self) -> FloatArray:
        """The means of Gaussian columns, a row for each state."""
        return self.hmm_.means

    @property
    def covars_(self) -> FloatArray:
        """The covariance matrices of Gaussian columns, one for each state."""
        return self.hmm_.covariances


def _lengths(rows: Any, lengths: Any) -> Any:
    return [len(rows)] if lengths is None else lengths
