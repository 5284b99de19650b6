"""A classifier that was read from a file answers one row before anybody gets it.

Every part of a file may be possible and still not fit the others: a column fewer in the statistics than in
the list of features, a word twice. Such a file is refused when it is read, not when it is first used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.errors import BadFile, BayouError, without_warnings
from bayou.estimators.input.row_input import known_states, reads_documents
from bayou.estimators.input.table_input import array_column_names
from bayou.memory import require_memory
from bayou.typing import Name, State

_MANY = 1_000_000


def require_working(model: Any) -> None:
    """Raise BadFile if a row of known values makes the classifier fail with an error that is not bayou's.

    >>> from bayou import NaiveBayes
    >>> model = NaiveBayes().fit({"a": ["x", "y"]}, ["no", "yes"])
    >>> require_working(model)
    """
    _check_features(model)
    if not getattr(model, "tabular", True):
        return  # it reads objects of any kind, of which there is no example
    try:
        with without_warnings(), np.errstate(all="ignore"):
            model.predict_proba(_row_for(model))
    except BadFile:
        raise
    except BayouError:
        return  # the row may be impossible
    except Exception as error:
        raise BadFile(f"its parts do not fit together ({error!r}).") from None


def _row_for(model: Any) -> Any:
    """A row in the form that the classifier reads, with values that occurred in training."""
    count = model.n_features_in_
    if count > _MANY:
        require_memory(count * 64, f"A row of {count:,} features", "Use fewer features.")
    if reads_documents(model):
        if model.reads_ == "counts":
            return np.ones((1, count))
        return [" ".join(model.statistics_.words[:1])]
    hypotheses = getattr(model, "hypotheses_", {"": model}).values()
    known = {name: variable for one in hypotheses for name, variable in known_states(one).items()}
    values = {name: _value(known, name) for name in array_column_names(model, count)}
    if hasattr(model, "feature_names_in_"):
        return {name: [value] for name, value in values.items()}
    cells = list(values.values())
    numeric = all(isinstance(value, int | float) for value in cells)
    return np.array([cells], dtype=np.float64 if numeric else object)


def _value(known: dict[Name, Any], name: Name) -> State:
    """The first state of a feature; 0 for one that has none, such as a column of numbers."""
    variable = known.get(name)
    if variable is None or not variable.states:
        return "" if variable is not None and variable.is_text else 0.0
    first: State = variable.states[0]
    return first


def _check_features(model: Any) -> None:
    count, names = getattr(model, "n_features_in_", None), getattr(model, "feature_names_in_", None)
    if type(count) is not int or count < 0:
        raise BadFile(f"its number of features is {count!r}.")
    if names is not None and (not isinstance(names, np.ndarray) or names.shape != (count,)):
        raise BadFile(f"it does not name its {count} features.")
