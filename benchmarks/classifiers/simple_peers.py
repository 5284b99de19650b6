"""Preparations of tables that scikit-learn's simple classifiers need."""

from __future__ import annotations

from typing import Any

import numpy as np


def columns_by_kind(numbers: Any) -> Any:
    """Numbers through the given step; states as indicators, a gap is one more state."""
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.preprocessing import OneHotEncoder

    states = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include="number")),
            ("states", states, make_column_selector(dtype_include="category")),
        ]
    )


class CodesForCounting:
    """CategoricalNB of codes: numbers cut at the deciles of the training rows, a gap is one more state."""

    def fit(self, features: Any, target: np.ndarray) -> CodesForCounting:
        from sklearn.naive_bayes import CategoricalNB

        self.edges = {}
        for name in features:
            if features[name].dtype != "category":
                known = features[name].dropna().to_numpy()
                self.edges[name] = np.unique(np.quantile(known, np.arange(1, 10) / 10))
        codes, sizes = self._codes(features)
        self.inner = CategoricalNB(min_categories=sizes).fit(codes, target)
        self.classes_ = self.inner.classes_
        return self

    def predict_proba(self, features: Any) -> np.ndarray:
        return np.asarray(self.inner.predict_proba(self._codes(features)[0]))

    def _codes(self, features: Any) -> tuple[np.ndarray, list[int]]:
        codes, sizes = [], []
        for name in features:
            column = features[name]
            if name in self.edges:
                found = np.searchsorted(self.edges[name], column.to_numpy(dtype=float), side="right")
                states = len(self.edges[name]) + 1
            else:
                found, states = column.cat.codes.to_numpy(dtype=int), len(column.cat.categories)
            codes.append(np.where(column.isna(), states, found))
            sizes.append(states + 1)
        return np.column_stack(codes), sizes
