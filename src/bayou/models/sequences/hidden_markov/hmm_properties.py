"""What a hidden Markov model is like in the long run: shares of states, stays, its size, as a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import whole_number
from bayou.models.sequences.one_sequence.short_answers import ShortAnswers
from bayou.networks import FrozenNetwork
from bayou.temporal.chain_structure import SHARED, ChainStructure
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.models.sequences.online import OnlineFilter


class HMMProperties(ShortAnswers):
    """A model that tells what follows from its parameters alone."""

    @property
    def stationary(self) -> FloatArray:
        """The shares of the states in the long run: the distribution that a step does not change.

        With ``ends=True`` they are those of a sequence that never ends.
        """
        table = np.asarray(self.model.network.table(self.chain.next_state))
        system = np.vstack([table.T - np.eye(len(table)), np.ones(len(table))])
        found: FloatArray = np.linalg.lstsq(system, np.append(np.zeros(len(table)), 1.0), rcond=None)[0]
        positive: FloatArray = np.maximum(found, 0.0)
        shares: FloatArray = positive / positive.sum()
        return self.chain.folded(shares)

    @property
    def expected_stay(self) -> FloatArray:
        """The mean number of steps in each state before it changes or (with ``ends=True``) the sequence ends:
        1 / (1 − P(go on) P(stay)), without duration=.
        """
        if self.chain.stays is not None:
            table = np.asarray(self.model.network.table(self.chain.next_state))
            return self.chain.stays.expected(table, self.model.end)
        with np.errstate(divide="ignore"):
            stays: FloatArray = 1 / (1 - np.diagonal(self.model.transition))
        return stays

    def stay_lengths(self, state: Any, longest: int = 20) -> FloatArray:
        """P(a stay in this state has 1, 2, …, ``longest`` steps), if no end of the sequence cuts it off.

        Raises ``NotFitted`` without parameters, ``UnknownState`` for a state that is not there, and
        ``BadQuestion`` for a ``longest`` below 1.

        >>> import bayou
        >>> bayou.examples.casino().stay_lengths("loaded", 3).round(3).tolist()
        [0.1, 0.09, 0.081]
        """
        whole_number("longest", longest, 1)
        chain, code = self.chain, self.chain.user_state.code(state)
        if chain.stays is not None:
            table = np.asarray(self.model.network.table(chain.next_state))
            return chain.stays.length_shares(table, code, longest)
        stay = self.transition[code, code]
        geometric: FloatArray = (1 - stay) * stay ** np.arange(longest)
        return geometric

    @property
    def free_parameters(self) -> int:
        """The number of free parameters, as AIC and BIC count them."""
        chain, network = self.chain, self.model.network
        count = sum(block.free_parameters for block in network.blocks.values())
        if chain.stays is not None:
            own = (chain.state.name, chain.next_state)
            count += chain.stays.free_parameters - sum(network.blocks[b].free_parameters for b in own)
            count -= chain.states - len(chain.stays.lengths) if chain.ends else 0
        if chain.tied:
            alike = [
                network.blocks[name].free_parameters
                for name in network.blocks
                if name not in (chain.state.name, chain.next_state, chain.end)
            ]
            count -= sum(alike) // chain.states * (chain.states - len(set(chain.tied)))
        if chain.gaussians and chain.covariance in ("spherical", SHARED, "shared diagonal"):
            count -= _shared_parameters(chain, network)
        return count

    def network(self, length: int) -> Network:
        """The Bayesian network of a sequence of this length, with tables shared by all steps.

        With ``duration=`` each step has a variable more, ``state_stay0``, …: the state with the age of its
        stay, of which ``state0``, … is a function. With ``ends=True`` it is the network of a sequence known
        to end with its last step, so that it says what :meth:`smooth` says; each step then has its own table
        of moves, and P(observations) is that given the length.

        Raises ``NotFitted`` without parameters, and ``BadQuestion`` for a length below 1.

        >>> import bayou
        >>> net = bayou.examples.casino().network(2)
        >>> round(net.query("state1", given={"roll0": 6, "roll1": 6})["loaded"], 3)
        0.868
        """
        from bayou.models.sequences.unrolled import unrolled

        return unrolled(self.model, whole_number("length", length, 1))

    def online(self, lag: int = 0) -> OnlineFilter:
        """A filter for observations that arrive one by one; ``lagged()`` smooths the state ``lag`` steps ago.

        Its memory does not grow.

        Raises ``NotFitted`` without parameters, and ``BadQuestion`` for a ``lag`` below 0.

        >>> import bayou
        >>> online = bayou.examples.casino().online()
        >>> for roll in [6, 6, 1]:
        ...     beliefs = online.observe(roll)
        >>> print(online)
        OnlineFilter after 3 steps: fair: 0.3094, loaded: 0.6906
        """
        from bayou.models.sequences.online import OnlineFilter

        return OnlineFilter(self.model, whole_number("lag", lag))


def _shared_parameters(chain: ChainStructure, network: FrozenNetwork) -> int:
    """The parameters that shared or spherical covariances count more than once."""
    nodes = [network.gaussian(name) for name in chain.gaussians]
    groups = nodes[0].variance.size // chain.states * len(set(chain.tied or range(chain.states)))
    if chain.covariance == "spherical":
        return groups * (len(nodes) - 1)
    return sum((groups - 1) * (1 + node.coefficients.shape[-1]) for node in nodes)
