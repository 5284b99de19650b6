"""The "there" columns of the pages "Move from …" run, in order, in the library that they are about."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.site.moving_pages import column

pytestmark = [pytest.mark.filterwarnings("ignore")]

PREPARATION = {
    "scikit-learn": """
import joblib
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder
X, y = load_iris(return_X_y=True)
days, play = [["sunny", "hot"], ["rain", "mild"]], ["no", "yes"]
texts, topics = ["a slow ball", "two cups"], ["game", "food"]
proba = GaussianNB().fit(X, y).predict_proba(X)
p = proba[:, 2]
path = folder / "iris.joblib"
""",
    "hmmlearn": """
from hmmlearn.hmm import CategoricalHMM, GaussianHMM, GMMHMM, PoissonHMM
chance = np.random.default_rng(1)
X, lengths = np.repeat([0.0, 3.0, 0.0, 3.0], 40)[:, None] + chance.normal(size=(160, 1)), [80, 80]
codes, counts = chance.integers(0, 4, (160, 1)), chance.poisson(2, (160, 1))
""",
    "pgmpy": """
from pgmpy.causal_discovery import GES, PC, ExpertKnowledge, HillClimbSearch
from pgmpy.estimators import TreeSearch
from pgmpy.factors.discrete import TabularCPD
from pgmpy.inference import CausalInference, VariableElimination
from pgmpy.models import DiscreteBayesianNetwork
from pgmpy.parameter_estimator import DiscreteBayesianEstimator
path = str(folder / "rain.bif")
""",
    "pyagrum": """
import pyagrum as gum
csv, path = folder / "rain.csv", folder / "rain.bif"
""",
}
"""What must be there before the lines: imports and data."""

BEFORE = {
    "model.startprob_ = [0.5, 0.5]": 'model = GaussianHMM(2, covariance_type="full", init_params="")',
    "model.startprob_, model.transmat_, model.means_": "model.fit(X, lengths)",
    "engine.evidenceProbability()": "engine.makeInference()",
    "engine.mpe()": "engine = gum.LazyPropagation(bn)",
}
"""What must be done right before a line."""

NEEDED = {"scikit-learn": "sklearn"}


@pytest.mark.parametrize("page", [name for name in PREPARATION if find_spec(NEEDED.get(name, name))])
def test_the_lines_of_the_other_library_run(page: str, tmp_path: Path) -> None:
    known: dict[str, Any] = {"np": np, "folder": tmp_path}
    exec(PREPARATION[page], known)
    lines = column(page, 1)
    assert len(lines) >= 15
    for line in lines:
        if line.isidentifier():
            continue  # an argument or a name in a sentence
        exec(BEFORE.get(line, ""), known)
        exec(line, known)
