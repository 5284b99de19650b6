"""The other libraries' classifiers at their defaults, each with the preparation that its manual asks for.

Categories are given natively where a library takes them (LightGBM, XGBoost, CatBoost, scikit-learn's
boosting), else as indicators; gaps natively where possible, else as the median and an indicator. All get the
same frame.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from classifiers.forest import TemperedForest
from classifiers.simple_peers import CodesForCounting, columns_by_kind

THREADS = 2
SEED = 0


def logistic() -> Any:
    """Logistic regression: numbers scaled, gaps as medians with indicators, states as indicators."""
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    # The default of 100 steps ends before it converges.
    return make_pipeline(columns_by_kind(numbers), LogisticRegression(max_iter=5000))


def forest() -> Any:
    """Random forest: states as indicators, gaps of numbers as they are."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    trees = RandomForestClassifier(n_estimators=300, random_state=SEED, n_jobs=THREADS)
    return make_pipeline(columns_by_kind("passthrough"), trees)


def tempered_forest() -> Any:
    """The same forest, its votes raised to one power that its out-of-bag votes like best."""
    return TemperedForest(forest())


def histogram_boosting() -> Any:
    """scikit-learn's boosted trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=SEED)


def lightgbm() -> Any:
    """LightGBM, which takes pandas categories by itself."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=SEED, n_jobs=THREADS, verbose=-1)


def xgboost() -> Any:
    """XGBoost with its own treatment of categories."""
    from xgboost import XGBClassifier

    return NumberedClasses(XGBClassifier(enable_categorical=True, random_state=SEED, n_jobs=THREADS))


def catboost() -> Any:
    """CatBoost, told which columns are categories."""
    return NamedCategories()


def categorical_naive_bayes() -> Any:
    """scikit-learn's naive Bayes of states: numbers cut at deciles, a gap is one more state."""
    return CodesForCounting()


def gaussian_naive_bayes() -> Any:
    """scikit-learn's Gaussian naive Bayes: medians for gaps, numbers only."""
    from sklearn.impute import SimpleImputer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline

    return make_pipeline(SimpleImputer(strategy="median"), GaussianNB())


class NumberedClasses:
    """A classifier that wants classes as numbers from 0."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, features: Any, target: np.ndarray) -> NumberedClasses:
        self.classes_, codes = np.unique(target, return_inverse=True)
        self.inner.fit(features, codes)
        return self

    def predict_proba(self, features: Any) -> np.ndarray:
        return np.asarray(self.inner.predict_proba(features))


class NamedCategories:
    """CatBoost: it takes no gaps among categories, so they are a text of their own."""

    def fit(self, features: Any, target: np.ndarray) -> NamedCategories:
        from catboost import CatBoostClassifier

        names = [name for name in features if features[name].dtype == "category"]
        self.inner = CatBoostClassifier(
            cat_features=names,
            random_seed=SEED,
            thread_count=THREADS,
            verbose=0,
            allow_writing_files=False,
        )
        self.inner.fit(self._filled(features), target)
        self.classes_ = np.asarray(self.inner.classes_)
        return self

    def predict_proba(self, features: Any) -> np.ndarray:
        return np.asarray(self.inner.predict_proba(self._filled(features)))

    @staticmethod
    def _filled(features: Any) -> Any:
        filled = features.copy()
        for name in features:
            if features[name].dtype == "category":
                texts = features[name].astype(object)
                filled[name] = texts.where(texts.notna(), "(gap)")
        return filled


MAKERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "logistic": ("scikit-learn", logistic),
    "categorical-nb": ("scikit-learn", categorical_naive_bayes),
    "gaussian-nb": ("scikit-learn", gaussian_naive_bayes),
    "forest": ("scikit-learn", forest),
    "tempered-forest": ("scikit-learn", tempered_forest),
    "hist-boosting": ("scikit-learn", histogram_boosting),
    "lightgbm": ("lightgbm", lightgbm),
    "xgboost": ("xgboost", xgboost),
    "catboost": ("catboost", catboost),
}
"""Name → package and maker. A package that is not installed has no row."""


def installed() -> dict[str, str]:
    """The versions of the packages that are here."""
    found = {}
    for package, _ in MAKERS.values():
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
