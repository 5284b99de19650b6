"""How classifiers are called on the page."""

from __future__ import annotations

TITLES = {
    "nb": "NaiveBayes",
    "gaussian": "GaussianBayes",
    "chow-liu": "ChowLiuClassifier",
    "tan": "TAN",
    "kdb": "KDependence",
    "aode": "AODE",
    "ensemble": "BayesEnsemble",
    "fit": "bayou.fit",
    "logistic": "logistic regression",
    "categorical-nb": "CategoricalNB",
    "gaussian-nb": "GaussianNB",
    "forest": "random forest",
    "tempered-forest": "random forest, one temperature",
    "hist-boosting": "HistGradientBoosting",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
}
OURS = ("nb", "gaussian", "chow-liu", "tan", "kdb", "aode", "ensemble", "fit")
FOREST_AND_BOOSTING = ("forest", "tempered-forest", "hist-boosting")
BOOSTED = ("hist-boosting", "lightgbm", "xgboost", "catboost")


def title(name: str) -> str:
    """bayou's in bold."""
    return f"**{TITLES[name]}**" if name in OURS else TITLES[name]


def loss_text(loss: float) -> str:
    """A log-loss with as many digits as tell something."""
    return f"{loss:.3f}" if loss >= 0.0995 else f"{loss:.4f}" if loss >= 0.00005 else "<0.0001"
