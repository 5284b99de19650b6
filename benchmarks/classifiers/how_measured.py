"""The section of ``docs/lookup/accuracy.md`` that says how its numbers were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from classifiers.summary import real_tables

HOW = """## How it was measured

- **Tables.** The collection that comes with the project: {tables} tables of {fewest:,} to {most:,} rows,
  and three toys of lectures, which are in no mean. Ten stratified folds each (the toys: one row left out at
  a time), given with the tables; every row is predicted once, by a model that has not seen it.
- **Tables that were seen.** Defaults of bayou were chosen while looking at these very tables, those of the
  others were not: expect a little less of bayou elsewhere. `pima` and `pima_missing` have the same rows and
  `adult_10k` has rows of `adult`, so these count twice.
- **Log-loss** is the mean of −ln P(true class), P clipped at 1e-15: an answer of exactly 0 that comes true
  costs 34.5. Its geometric mean leaves out `mushroom`, whose losses near 0 would decide it; `wine` (178
  rows) weighs much, so the second column leaves it out, too. **Share of entropy**: log-loss divided by that
  of always saying the shares of the classes, averaged. **ECE**: the mean of |said − came true| in ten bins
  of the probability of the predicted class. **Brier**: the sum over classes, from 0 to 2. **Rank**: the
  mean place by log-loss among all listed.
- **The others are at their defaults**, with what their manuals ask for. States are pandas categories, read
  natively by LightGBM, XGBoost (`enable_categorical`), HistGradientBoosting (`from_dtype`) and CatBoost
  (`cat_features`; a gap is the text "(gap)"), as indicators by forest and logistic regression. Gaps of
  numbers are read natively, but logistic regression and GaussianNB get medians, the former with indicators,
  scaled numbers and up to 5,000 steps. The forest has 300 trees instead of 100, which helps it; "one
  temperature" raises its votes to the power that its out-of-bag votes like best (no vote counts as half a
  vote of one tree). CategoricalNB gets numbers cut at deciles and gaps as one more state; GaussianNB is
  measured on tables of numbers only, and in no mean. All seeds are 0.
- **bayou reads the table as it is**: the same pandas frame, texts as texts, gaps as gaps.
- **Versions.** {versions}.
"""


def how_measured(found: Mapping[str, Any]) -> str:
    """With the numbers of tables and the versions of all libraries."""
    rows = [found["tables"][table]["rows"] for table in real_tables(found)]
    versions = ", ".join(f"{name} {number}" for name, number in sorted(found["versions"].items()))
    return HOW.format(tables=len(rows), fewest=min(rows), most=max(rows), versions=versions)
