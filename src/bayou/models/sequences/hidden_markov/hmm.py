"""Hidden Markov models: learned from sequences, with or without known states, and asked about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.distributions import Distribution
from bayou.errors import BadFile, BadQuestion, BadVariable
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import FittedChain
from bayou.formats.file_content import FilePath
from bayou.models.sequences.hidden_markov.hmm_learning import HMMLearning
from bayou.models.sequences.input.emission_spec import EmissionSpec
from bayou.networks import FrozenNetwork, same_parameters
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.temporal.chain_structure import COVARIANCES, FULL, ChainStructure
from bayou.temporal.state_stays import stays_from_state, stays_state
from bayou.typing import Name


class HMM(HMMLearning):
    """A hidden Markov model: a state that changes from step to step, and columns that each state emits.

    ``states`` is their number, or their names; None takes the names from labelled data. ``emissions`` says
    what the columns are: ``"table"`` (symbols), ``"gaussian"``, ``"poisson"``, ``"kernel"`` (any density),
    ``"words"``, a list of symbols, or any distribution; for all columns, or as a mapping. Without it whole
    numbers and texts are symbols and real numbers Gaussian. ``covariance`` of Gaussian columns is ``"full"``,
    ``"diagonal"`` or ``"spherical"`` for each state, or ``"shared"`` or ``"shared diagonal"`` for all;
    ``components`` makes them mixtures. With ``ends=True`` the probability that a sequence ends is learned,
    too. ``tie`` has groups of states that emit alike. ``duration`` says how long a stay in a state lasts, for
    all states or as a mapping: at least 3 steps (``3``), 2 to 5 steps (``(2, 5)``, with any shares, which are
    learned), or the shares of the lengths 1, 2, … to start from; no state then follows itself. ``name`` is
    the name of the hidden state, and of a column of labels in the data.

    Raises ``BadQuestion`` for a number of states below 1.

    >>> import bayou
    >>> casino = bayou.HMM(["fair", "loaded"], {"roll": [1, 2, 3, 4, 5, 6]})
    >>> casino = casino.set_start([0.5, 0.5]).set_transition([[0.95, 0.05], [0.1, 0.9]])
    >>> casino = casino.set_emission("roll", [[1 / 6] * 6, [0.1] * 5 + [0.5]])
    >>> print(casino.decode([1, 2, 6, 6, 6, 6, 6, 6, 3, 1, 2, 4]))
    loaded × 8 → fair × 4  (log probability -19.8182)
    """

    def __init__(
        self,
        states: int | Iterable[Any] | Variable | None = None,
        emissions: Any = None,
        *,
        covariance: str = FULL,
        components: int = 1,
        ends: bool = False,
        tie: Iterable[Iterable[Any]] = (),
        duration: Any = None,
        name: Name = "state",
    ) -> None:
        self._name = name
        self._state = _state_variable(name, states)
        self._spec = EmissionSpec.read(emissions)
        if covariance not in COVARIANCES:
            raise BadQuestion.choice("covariance", covariance, COVARIANCES)
        self._form = {
            "covariance": covariance,
            "components": whole_number("components", components, 1),
            "ends": ends,
        }
        self._tie = [list(group) if not isinstance(group, str) else group for group in tie]
        self._duration = duration
        self._chain: ChainStructure | None = None
        self._blocks: dict[Name, Distribution] = {}
        self._learned: FittedChain | None = None
        self._trace: LearningTrace | None = None
        if self._state is not None and self._spec.said:
            self._declare(None)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that make the same model, before it has learned.

        >>> HMM(2, "gaussian", ends=True).arguments["emissions"]
        'gaussian'
        """
        return {
            "states": self._state,
            "emissions": dict(self._spec.said) or self._spec.default,
            **self._form,
            "tie": self._tie,
            "duration": self._duration,
            "name": self._name,
        }

    # Files and printing

    @classmethod
    def from_hmmlearn(cls, model: Any, *, states: Any = None, columns: Sequence[Name] | None = None) -> HMM:
        """A fitted model of hmmlearn: CategoricalHMM, GaussianHMM, GMMHMM or PoissonHMM.

        ``states`` and ``columns`` name what hmmlearn numbers; a column of symbols has 0, 1, 2, …, as there.
        Covariances that are ``"tied"`` by the components of each state (GMMHMM) become full ones: the same
        probabilities, but further learning may make them different.

        ``model`` is the model of hmmlearn.

        Raises ``NotFitted`` for a model that is not fitted.

        >>> from types import SimpleNamespace
        >>> theirs = SimpleNamespace(
        ...     startprob_=[0.5, 0.5],
        ...     transmat_=[[0.9, 0.1], [0.2, 0.8]],
        ...     emissionprob_=[[0.7, 0.3], [0.1, 0.9]],
        ... )
        >>> print(HMM.from_hmmlearn(theirs, states=["calm", "storm"]).decode([0, 0, 1, 1, 1]))
        calm × 2 → storm × 3  (log probability -4.57681)
        """
        from bayou.models.sequences.hidden_markov.hmmlearn_models import from_hmmlearn

        return from_hmmlearn(model, states, columns)

    def to_hmmlearn(self) -> Any:
        """The same model as one of hmmlearn, which must be installed; symbols become 0, 1, 2, … in order.

        hmmlearn has models of one column of symbols, of Gaussian columns (with components) and of Poisson
        columns, without end probabilities; others are refused.

        Raises ``NotFitted`` without parameters, and ``BadQuestion`` for a model that hmmlearn does not have.

        >>> import bayou
        >>> model = bayou.examples.casino().to_hmmlearn()  # doctest: +SKIP
        >>> model.startprob_.tolist()  # doctest: +SKIP
        [0.5, 0.5]
        """
        from bayou.models.sequences.hidden_markov.hmmlearn_models import to_hmmlearn

        if self.chain.stays is not None:
            raise BadQuestion("hmmlearn has no durations: a model with duration= cannot be written for it.")
        return to_hmmlearn(self)

    def save(self, path: FilePath) -> None:
        """Write the model to a ``.bayou`` file; :func:`bayou.load` reads it.

        Raises ``BadFile`` for an ending that names no format or a folder that is not there, and ``NotFitted``
        without parameters.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import bayou
        >>> with TemporaryDirectory() as folder:
        ...     bayou.examples.casino().save(Path(folder) / "casino.bayou")
        ...     print(bayou.load(Path(folder) / "casino.bayou"))
        HMM with 2 states, emitting roll (table)
        state   start   → fair  → loaded  mean stay
        fair    0.5000  0.9500  0.0500    20
        loaded  0.5000  0.1000  0.9000    10
        <BLANKLINE>
        state   roll=1  roll=2  roll=3  roll=4  roll=5  roll=6
        fair    0.1667  0.1667  0.1667  0.1667  0.1667  0.1667
        loaded  0.1000  0.1000  0.1000  0.1000  0.1000  0.5000
        """
        from bayou.models.sequences.hidden_markov.hmm_file import write_hmm

        write_hmm(path, self)

    def state(self) -> dict[str, Any]:
        """The content of a ``.bayou`` file, as plain values and arrays."""
        return self._state_of(self._learned)

    def _state_of(self, learned: FittedChain | None) -> dict[str, Any]:
        """The content of a file with learned parameters; None: with the present ones."""
        from bayou.models.sequences.hidden_markov.hmm_file import learned_state

        network = self.model.network if learned is None else learned.model.network
        stays = self.chain.stays
        duration = {} if stays is None else {"duration": stays_state(stays)}
        return {
            **duration,
            "name": encode_value(self._name),
            "columns": [encode_value(name) for name in self.chain.columns],
            "form": {**self._form, "tie": [[encode_value(one) for one in group] for group in self._tie]},
            "network": network.state(),
            "learned": learned_state(learned),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> HMM:
        """Create the model from the result of :meth:`state`."""
        from bayou.models.sequences.hidden_markov.hmm_file import learned_from_state

        network = FrozenNetwork.from_state(state["network"])
        form, name = state["form"], decode_value(state["name"])
        stays = stays_from_state(state["duration"], name) if "duration" in state else None
        hidden = network.schema[name] if stays is None else stays.states
        columns = [network.schema[decode_value(column)] for column in state["columns"]]
        components = int(form["components"])
        mixed = [variable.cardinality for variable in network.schema if variable.name == "component"]
        if components > 1 and mixed != [components]:
            raise BadFile("the components are not those of the tables.")
        said = {column.name: network.kinds.get(column.name, column) for column in columns}
        hmm = cls(
            hidden,
            None,
            covariance=str(form["covariance"]),
            components=components,
            ends=bool(form["ends"]),
            tie=[[decode_value(one) for one in group] for group in form.get("tie", [])],
            name=name,
        )
        hmm._spec = EmissionSpec(said)
        kinds = {
            column.name: network.kinds[column.name] for column in columns if column.name in network.kinds
        }
        hmm._duration = stays
        hmm._chain = hmm._structure(hidden, columns, kinds)
        if hmm._chain.state.states != network.schema[name].states:
            raise BadFile("the sub-states are not those that the durations have.")
        hmm._blocks = dict(replace(hmm._chain.structure.frozen(), blocks=network.blocks).blocks)
        for block, node in hmm._blocks.items():
            if node.form != network.kind(block).form:
                raise BadFile(f"the parameters of {block!r} are not of the kind that the model has.")
        hmm._learned = learned_from_state(hmm.model, state["learned"])
        return hmm

    def same_as(self, other: HMM) -> bool:
        """Whether both have the same states, columns and exactly the same parameters.

        Raises ``NotFitted`` without parameters.

        >>> import bayou
        >>> casino = bayou.examples.casino()
        >>> casino.same_as(casino.copy()), casino.same_as(casino.copy().set_start([0.9, 0.1]))
        (True, False)
        """
        return same_parameters(self.model.network, other.model.network)

    def __repr__(self) -> str:
        from bayou.models.sequences.hidden_markov.hmm_printing import described

        return described(self)


def _state_variable(name: Name, states: Any) -> Variable | None:
    if states is None:
        return None
    if isinstance(states, Variable):
        return states
    if isinstance(states, int | np.integer) and not isinstance(states, bool):
        return Variable(name, list(range(whole_number("states", states, 1))))
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise BadVariable(f"states={states!r}: give their number, or a list of names.")
    return Variable(name, list(states))
