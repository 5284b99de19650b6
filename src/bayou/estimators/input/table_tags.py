"""scikit-learn's tags of estimators that take any table."""

from __future__ import annotations

from typing import Any


class AnyTableTags:
    """The tags of an estimator that takes missing cells, sparse matrices, categories and text.

    A mixin: it stands before scikit-learn's own base classes.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # scikit-learn's base class has it
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
