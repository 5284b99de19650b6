"""Which local distributions can affect P(target | findings) at all.

The distribution of X matters if an additional parent of X (the numbers of its table) would not be d-separated
from the target given the findings. One walk of the Bayes ball from the target finds all of them: Shachter
(1998), Bayes-ball: the rational pastime, Uncertainty in Artificial Intelligence 14 (requisite probabilities).
"""

from __future__ import annotations

from collections.abc import Iterable

from bayou.graphs.dag import Dag
from bayou.typing import Name


def tables_that_matter(
    dag: Dag, target: Name, observed: Iterable[Name], weighed: Iterable[Name] = ()
) -> set[Name]:
    """Return the variables whose distributions P(target | findings) can depend on.

    ``observed`` variables have a known state; ``weighed`` ones have an uncertain finding, which is like an
    observed child of theirs.

    >>> dag = Dag.from_text("Storm -> Lightning -> Thunder; Storm -> Campfire <- Bus")
    >>> sorted(tables_that_matter(dag, "Thunder", ["Lightning", "Campfire"]))
    ['Thunder']
    >>> sorted(tables_that_matter(dag, "Bus", [], ["Campfire"]))
    ['Bus', 'Campfire', 'Storm']
    """
    known = set(observed)
    openers = known.union(weighed)
    openers |= dag.ancestors(tuple(openers))
    found: set[Name] = set()
    seen = {(target, False)}
    waiting = list(seen)
    while waiting:
        name, from_parent = waiting.pop()
        steps = [] if name in known else [(child, True) for child in dag.children(name)]
        if name in openers if from_parent else name not in known:
            # The ball goes up to the parents, and so to the numbers of the table.
            found.add(name)
            steps += [(parent, False) for parent in dag.parents(name)]
        waiting += [step for step in steps if step not in seen]
        seen.update(steps)
    return found
