"""What calls of classifiers and of what prepares columns raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bayou
from tests.site.raising.models import DAYS, TABLE, gauss, spam, tennis, vote, walks

CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    ("BayesEnsemble.save", "BadFile"): lambda: bayou.BayesEnsemble().fit(TABLE, "b").save("model.txt"),
    ("BayesEnsemble.save", "NotFittedError"): lambda: bayou.BayesEnsemble().save("model.bayou"),
    ("BayesOptimal.from_posteriors", "BadQuestion"): lambda: bayou.BayesOptimal.from_posteriors(
        {"h1": 0.4, "h2": 0.6}, {"h1": "+"}
    ),
    ("BayesOptimal.from_posteriors", "BadTable"): lambda: bayou.BayesOptimal.from_posteriors(
        {"h1": 0.4, "h2": 0.4}, {"h1": "+", "h2": "-"}
    ),
    ("BayesOptimal.predict_log_proba", "BadData"): lambda: vote().predict_log_proba({"z": [1]}),
    ("BayesOptimal.predict_log_proba", "NotFittedError"): lambda: bayou.BayesOptimal([]).predict_log_proba(
        TABLE
    ),
    ("BayesOptimal.predict_proba", "BadData"): lambda: vote().predict_proba({"z": [1]}),
    ("BayesOptimal.predict_proba", "NotFittedError"): lambda: bayou.BayesOptimal([]).predict_proba(TABLE),
    ("BayesOptimal.predict", "BadData"): lambda: vote().predict({"z": [1]}),
    ("BayesOptimal.predict", "NotFittedError"): lambda: bayou.BayesOptimal([]).predict(TABLE),
    ("BayesOptimal.save", "BadFile"): lambda: vote().save("model.txt"),
    ("BayesOptimal.save", "NotFittedError"): lambda: bayou.BayesOptimal([]).save("model.bayou"),
    ("BayesOptimal.summary", "NotFittedError"): lambda: bayou.BayesOptimal([]).summary(),
    ("FeatureSelector.fit", "BadData"): lambda: bayou.FeatureSelector().fit(DAYS, ["Yes"]),
    ("FeatureSelector.fit", "BadQuestion"): lambda: bayou.FeatureSelector("magic").fit(DAYS, "PlayTennis"),
    ("FeatureSelector.fit", "UnknownVariable"): lambda: bayou.FeatureSelector().fit(DAYS, "Play"),
    ("FeatureSelector.transform", "NotFittedError"): lambda: bayou.FeatureSelector().transform({"a": [1]}),
    ("GaussianBayes.discriminant", "NotFittedError"): lambda: bayou.GaussianBayes().discriminant("a", "b"),
    ("GaussianBayes.discriminant", "UnknownState"): lambda: gauss().discriminant("a", "c"),
    ("GaussianBayes.plot_boundary", "BadQuestion"): lambda: (
        bayou.GaussianBayes().fit([[0], [1], [4], [5]], ["a", "a", "b", "b"]).plot_boundary()
    ),
    ("GaussianBayes.plot_boundary", "NotFittedError"): lambda: bayou.GaussianBayes().plot_boundary(),
    ("MDLDiscretizer.cuts_table", "NotFittedError"): lambda: bayou.MDLDiscretizer().cuts_table(),
    ("MDLDiscretizer.fit", "BadData"): lambda: bayou.MDLDiscretizer(missing="magic").fit(DAYS, "PlayTennis"),
    ("MDLDiscretizer.fit", "UnknownVariable"): lambda: bayou.MDLDiscretizer().fit(DAYS, "Play"),
    ("MDLDiscretizer.transform", "NotFittedError"): lambda: bayou.MDLDiscretizer().transform({"a": [1]}),
    ("NaiveBayes.estimate_class_prior", "BadData"): lambda: tennis().estimate_class_prior({"z": [1]}),
    ("NaiveBayes.estimate_class_prior", "NotFittedError"): lambda: bayou.NaiveBayes().estimate_class_prior(
        {"Wind": ["Weak"]}
    ),
    ("NaiveBayes.explain", "BadData"): lambda: tennis().explain(DAYS),
    ("NaiveBayes.explain", "BadQuestion"): lambda: tennis().explain({"Wind": "Weak"}, "Yes", "Yes"),
    ("NaiveBayes.explain", "NotFittedError"): lambda: bayou.NaiveBayes().explain({"Wind": "Weak"}),
    ("NaiveBayes.explain", "UnknownState"): lambda: tennis().explain({"Wind": "Weak"}, "Maybe"),
    ("NaiveBayes.export", "BadQuestion"): lambda: tennis().export("cobol"),
    ("NaiveBayes.export", "NotFittedError"): lambda: bayou.NaiveBayes().export(),
    ("NaiveBayes.forget", "BadData"): lambda: tennis().forget({"z": [1]}, ["Yes"]),
    ("NaiveBayes.forget", "BadQuestion"): lambda: tennis().forget(DAYS, "Play"),
    ("NaiveBayes.forget", "BadStatistics"): lambda: tennis().forget(
        {**DAYS, "Wind": ["Weak"] * 14}, "PlayTennis"
    ),
    ("NaiveBayes.forget", "NotFittedError"): lambda: bayou.NaiveBayes().forget(DAYS, "PlayTennis"),
    ("NaiveBayes.linear_weights", "BadQuestion"): lambda: (
        bayou.TAN().fit(DAYS, "PlayTennis").linear_weights("No", "Yes")
    ),
    ("NaiveBayes.linear_weights", "NotFittedError"): lambda: bayou.NaiveBayes().linear_weights(),
    ("NaiveBayes.linear_weights", "UnknownState"): lambda: tennis().linear_weights("Maybe", "Yes"),
    ("NaiveBayes.partial_fit", "BadData"): lambda: tennis().partial_fit({"z": [1]}, ["Yes"]),
    ("NaiveBayes.partial_fit", "BadQuestion"): lambda: tennis().partial_fit(DAYS, "Play"),
    ("NaiveBayes.partial_fit", "UnknownVariable"): lambda: bayou.NaiveBayes().partial_fit(DAYS, "Play"),
    ("NaiveBayes.plot_density", "NotFittedError"): lambda: bayou.NaiveBayes().plot_density("x"),
    ("NaiveBayes.plot_density", "UnknownVariable"): lambda: tennis().plot_density("Snow"),
    ("NaiveBayes.predict_frame", "BadData"): lambda: tennis().predict_frame({"z": [1]}),
    ("NaiveBayes.predict_frame", "NotFittedError"): lambda: bayou.NaiveBayes().predict_frame(
        {"Wind": ["Weak"]}
    ),
    ("NaiveBayes.predict_interval", "BadData"): lambda: tennis().predict_interval({"z": [1]}),
    ("NaiveBayes.predict_interval", "BadQuestion"): lambda: tennis().predict_interval({"Wind": ["Weak"]}, 2),
    ("NaiveBayes.predict_interval", "NotFittedError"): lambda: bayou.NaiveBayes().predict_interval(
        {"Wind": ["Weak"]}
    ),
    ("NaiveBayes.predict_joint_log_proba", "BadData"): lambda: tennis().predict_joint_log_proba({"z": [1]}),
    ("NaiveBayes.predict_joint_log_proba", "NotFittedError"): lambda: (
        bayou.NaiveBayes().predict_joint_log_proba({"Wind": ["Weak"]})
    ),
    ("NaiveBayes.predict_log_proba", "BadData"): lambda: tennis().predict_log_proba({"z": [1]}),
    ("NaiveBayes.predict_log_proba", "NotFittedError"): lambda: bayou.NaiveBayes().predict_log_proba(
        {"Wind": ["Weak"]}
    ),
    ("NaiveBayes.predict_proba", "NotFittedError"): lambda: bayou.NaiveBayes().predict_proba(
        {"Wind": ["Weak"]}
    ),
    ("NaiveBayes.predict", "BadData"): lambda: tennis().predict({"z": [1]}),
    ("NaiveBayes.predict", "NotFittedError"): lambda: bayou.NaiveBayes().predict({"Wind": ["Weak"]}),
    ("NaiveBayes.save", "BadFile"): lambda: tennis().save("model.txt"),
    ("NaiveBayes.save", "NotFittedError"): lambda: bayou.NaiveBayes().save("model.bayou"),
    ("NaiveBayes.score", "BadData"): lambda: tennis().score(DAYS, "Wind"),
    ("NaiveBayes.score", "NotFittedError"): lambda: bayou.NaiveBayes().score(DAYS, "PlayTennis"),
    ("NaiveBayes.score", "UnknownVariable"): lambda: tennis().score(DAYS, "Play"),
    ("NaiveBayes.smallest_change", "BadData"): lambda: tennis().smallest_change(DAYS),
    ("NaiveBayes.smallest_change", "NotFittedError"): lambda: bayou.NaiveBayes().smallest_change(
        {"Wind": "Weak"}
    ),
    ("NaiveBayes.smallest_change", "UnknownState"): lambda: tennis().smallest_change(
        {"Wind": "Weak"}, "Maybe"
    ),
    ("NaiveBayes.summary", "NotFittedError"): lambda: bayou.NaiveBayes().summary(),
    ("NaiveBayes.to_sql", "BadQuestion"): lambda: tennis().to_sql("days", dialect="cobol"),
    ("NaiveBayes.to_sql", "NotFittedError"): lambda: bayou.NaiveBayes().to_sql("days"),
    ("NaiveBayes.with_class_prior", "BadPrior"): lambda: tennis().with_class_prior({"Yes": 0.5, "No": 0.6}),
    ("NaiveBayes.with_class_prior", "NotFittedError"): lambda: bayou.NaiveBayes().with_class_prior("uniform"),
    ("NaiveBayes.with_class_prior", "UnknownState"): lambda: tennis().with_class_prior({"Maybe": 1}),
    ("NaiveBayes.working", "BadData"): lambda: tennis().working(DAYS),
    ("NaiveBayes.working", "NotFittedError"): lambda: bayou.NaiveBayes().working({"Wind": "Weak"}),
    ("SequenceClassifier.partial_fit", "BadData"): lambda: walks().partial_fit([[1, 2]], []),
    ("SequenceClassifier.partial_fit", "BadQuestion"): lambda: walks().partial_fit([[1, 2]], ["a"], colour=3),
    ("SequenceClassifier.predict_frame", "BadData"): lambda: walks().predict_frame(3),
    ("SequenceClassifier.predict_frame", "BadQuestion"): lambda: walks().predict_frame([[1, 2]], colour=3),
    ("SequenceClassifier.predict_frame", "NotFittedError"): lambda: bayou.SequenceClassifier().predict_frame(
        [[1, 2]]
    ),
    ("SequenceClassifier.predict_joint_log_proba", "BadData"): lambda: walks().predict_joint_log_proba(3),
    ("SequenceClassifier.predict_joint_log_proba", "BadQuestion"): lambda: walks().predict_joint_log_proba(
        [[1, 2]], colour=3
    ),
    ("SequenceClassifier.predict_joint_log_proba", "NotFittedError"): lambda: (
        bayou.SequenceClassifier().predict_joint_log_proba([[1, 2]])
    ),
    ("SequenceClassifier.predict_log_proba", "BadData"): lambda: walks().predict_log_proba(3),
    ("SequenceClassifier.predict_log_proba", "BadQuestion"): lambda: walks().predict_log_proba(
        [[1, 2]], colour=3
    ),
    ("SequenceClassifier.predict_log_proba", "NotFittedError"): lambda: (
        bayou.SequenceClassifier().predict_log_proba([[1, 2]])
    ),
    ("SequenceClassifier.predict_proba", "BadData"): lambda: walks().predict_proba(3),
    ("SequenceClassifier.predict_proba", "BadQuestion"): lambda: walks().predict_proba([[1, 2]], colour=3),
    ("SequenceClassifier.predict_proba", "NotFittedError"): lambda: bayou.SequenceClassifier().predict_proba(
        [[1, 2]]
    ),
    ("SequenceClassifier.predict", "BadData"): lambda: walks().predict(3),
    ("SequenceClassifier.predict", "BadQuestion"): lambda: walks().predict([[1, 2]], colour=3),
    ("SequenceClassifier.predict", "NotFittedError"): lambda: bayou.SequenceClassifier().predict([[1, 2]]),
    ("SequenceClassifier.score", "BadData"): lambda: walks().score([[1, 2]], []),
    ("SequenceClassifier.score", "BadQuestion"): lambda: walks().score([[1, 2]], ["a"], colour=3),
    ("SequenceClassifier.score", "NotFittedError"): lambda: bayou.SequenceClassifier().score([[1, 2]], ["a"]),
    ("TextNaiveBayes.explain", "BadData"): lambda: spam().explain(["buy", "now"]),
    ("TextNaiveBayes.explain", "BadQuestion"): lambda: spam().explain("buy", "spam", "spam"),
    ("TextNaiveBayes.explain", "NotFittedError"): lambda: bayou.TextNaiveBayes().explain("buy"),
    ("TextNaiveBayes.explain", "UnknownState"): lambda: spam().explain("buy", "eggs"),
    ("TextNaiveBayes.get_feature_names_out", "NotFittedError"): lambda: (
        bayou.TextNaiveBayes().get_feature_names_out()
    ),
    ("TextNaiveBayes.informative_words", "BadQuestion"): lambda: spam().informative_words("spam", by="magic"),
    ("TextNaiveBayes.informative_words", "NotFittedError"): lambda: bayou.TextNaiveBayes().informative_words(
        "spam"
    ),
    ("TextNaiveBayes.informative_words", "UnknownState"): lambda: spam().informative_words("eggs"),
    ("TextNaiveBayes.word_counts", "BadData"): lambda: spam().word_counts([3]),
    ("TextNaiveBayes.word_counts", "NotFittedError"): lambda: bayou.TextNaiveBayes().word_counts(["buy"]),
    ("TextNaiveBayes.working", "BadData"): lambda: spam().working(["buy", "now"]),
    ("TextNaiveBayes.working", "BadQuestion"): lambda: (
        bayou.TextNaiveBayes("bernoulli").fit(["a b", "c d"], [0, 1]).working("a b")
    ),
    ("TextNaiveBayes.working", "NotFittedError"): lambda: bayou.TextNaiveBayes().working("buy"),
}
