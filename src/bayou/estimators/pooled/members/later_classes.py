"""Classes that came after a member was learned: they get their share, the others what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.saved_arrays import reals, wholes
from bayou.special_functions import log_sum_exp
from bayou.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LaterClasses:
    """P(class | row) of a member that knows only some classes: a later class has its share in every row.

    If all rows of the known classes were forgotten, each class has its share.

    >>> later = LaterClasses(np.array([0, 2]), np.log([0.4, 0.2, 0.4]))
    >>> np.exp(later.log_proba(np.log([[0.5, 0.5]]))).round(9).tolist()
    [[0.4, 0.2, 0.4]]
    """

    places: IntArray
    """Where the classes that the member knows stand among all; −1: all of its rows were forgotten."""
    log_class_shares: FloatArray
    """The log shares of all classes, of which those of the later ones are used."""

    def log_proba(self, logs: FloatArray) -> FloatArray:
        """log P(class | row) of all classes from that of the known ones, [row, class]."""
        found, stay = np.tile(self.log_class_shares, (len(logs), 1)), self.places >= 0
        if not stay.any():
            return found
        known = logs[:, stay]
        found[:, self.places[stay]] = known - log_sum_exp(known) + np.log(self._left)
        return found

    @property
    def _left(self) -> float:
        """What the later classes leave to the known ones."""
        shares = np.exp(self.log_class_shares)
        return float(shares[self.places[self.places >= 0]].sum() / shares.sum())

    def shares(
        self, base: FloatArray, columns: FloatArray, logs: FloatArray, of: int, against: int
    ) -> AddedShares:
        """The log-odds of one row, given what each column adds to the scores of the known classes.

        Beside a later class, the columns' parts are those that make the other class more or less likely than
        without columns: its score less the mean score of the known classes.
        """
        known = {place: number for number, place in enumerate(self.places.tolist())}
        everything = self.log_proba(logs[None])[0]
        total = float(everything[of] - everything[against])
        parts = np.zeros(columns.shape[0])
        for place, sign in ((of, 1.0), (against, -1.0)):
            if place in known:
                own = columns[:, known[place]]
                both = of in known and against in known
                parts += sign * (own if both else own - columns.mean(axis=1))
        return AddedShares(total - float(parts.sum()), parts)

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {"places": self.places, "log_shares": self.log_class_shares}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: int) -> LaterClasses:
        """Read :meth:`state`: ascending places among the classes."""
        places = wholes(state, "places", (None,), -1, classes - 1)
        stay = places[places >= 0]
        if np.any(stay[1:] <= stay[:-1]):
            raise BadFile("the classes that boosted trees know are not ascending.")
        return cls(places, reals(state, "log_shares", (classes,)))
