"""Classification of whole sequences: one hidden Markov model for each class, and Bayes' rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayou.distributions import DEFAULT_SMOOTHING
from bayou.estimators.networks.generative import GenerativeClassifier
from bayou.models.sequences.hmm import HMM

if TYPE_CHECKING:
    from bayou.estimators.input.labelled_source import LabelledSource
    from bayou.schema import Variable
    from bayou.typing import Name


class SequenceClassifier(GenerativeClassifier):
    """P(class | sequence) ∝ P(class) · P(sequence | class), with a hidden Markov model for each class.

    ``states`` and ``emissions`` are those of :class:`bayou.HMM`; or give ``models``: a model, or one for each
    class.

    >>> rising = [[0, 1, 2, 3], [0, 1, 1, 3], [1, 2, 3, 3]]
    >>> falling = [[3, 2, 1, 0], [3, 2, 2, 0], [3, 1, 1, 0]]
    >>> model = SequenceClassifier(2, {"x": [0, 1, 2, 3]})
    >>> model = model.fit(rising + falling, ["up"] * 3 + ["down"] * 3)
    >>> model.predict([[0, 1, 3, 3], [3, 2, 1, 1]]).tolist()
    ['up', 'down']
    """

    def __init__(
        self,
        states: Any = 2,
        emissions: Any = None,
        *,
        models: Any = None,
        class_prior: Any = None,
        prior: Any = DEFAULT_SMOOTHING,
        covariance: str = "full",
        seed: int = 0,
    ) -> None:
        self.states = states
        self.emissions = emissions
        self.covariance = covariance
        self.seed = seed
        super().__init__(models, tabular=False, class_prior=class_prior, prior=prior)

    def _declared(self, rows: LabelledSource) -> dict[Name, Variable]:
        """Nothing: ``states`` are those of the hidden Markov models, not of columns or classes."""
        return {}

    def _template(self, state: Any) -> Any:
        if self.models is not None:
            return super()._template(state)
        return _FittingHMM(self.states, self.emissions, self.covariance, self.prior, self.seed)


class _FittingHMM:
    """A hidden Markov model whose ``fit`` has its options already."""

    def __init__(self, states: Any, emissions: Any, covariance: str, prior: Any, seed: int) -> None:
        self.hmm = HMM(states, emissions, covariance=covariance)
        self.prior, self.seed = prior, seed

    def fit(self, sequences: Any, sample_weight: Any = None) -> _FittingHMM:
        self.hmm.fit(list(sequences), weights=sample_weight, prior=self.prior, seed=self.seed)
        return self

    def log_probability(self, sequences: Any) -> Any:
        return self.hmm.log_likelihoods(list(sequences))
