"""SMS spam and 20 newsgroups: accuracies and probabilities as in the reference, which is scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from tests.shared_data import SHARED, needs_shared_data, shared_json

from bayou import TextNaiveBayes

VARIANTS = ["multinomial", "bernoulli", "complement"]


def reference(corpus: str) -> Any:
    return shared_json("reference/classifiers.json")["results"][f"text:{corpus}"]


def sms() -> pd.DataFrame:
    return pd.read_csv(SHARED / "text" / "sms_spam.csv.gz", keep_default_na=False)


@needs_shared_data
@pytest.mark.parametrize("variant", VARIANTS)
def test_sms_spam_by_ten_folds(variant: str) -> None:
    data, folds = sms(), np.array(shared_json("reference/folds.json.gz")["text:sms_spam"])
    expected = reference("sms_spam")["methods"][f"{variant}_nb"]["fold_accuracy"]
    for fold, accuracy in enumerate(expected):
        held_out = folds == fold
        model = TextNaiveBayes(variant, min_length=2).fit(data.text[~held_out], data.label[~held_out])
        found = model.score(data.text[held_out], data.label[held_out])
        assert found == pytest.approx(accuracy, abs=1e-9)


@needs_shared_data
def test_sms_spam_word_by_word() -> None:
    data, expected = sms(), reference("sms_spam")["methods"]["fit_on_all_rows"]
    model = TextNaiveBayes(min_length=2, evidence_weight=1).fit(data.text, data.label)
    assert len(model.vocabulary_) == expected["vocabulary_size"]
    assert model.feature_count_.sum() == expected["total_tokens"]
    for word, logs in expected["log_p_word"].items():
        assert model.feature_log_prob_[:, model.vocabulary_[word]] == pytest.approx(logs, rel=1e-9)
    logs = model.predict_log_proba(data.text[:5])
    np.testing.assert_allclose(logs, expected["log_proba_rows_0_to_4"], rtol=1e-6, atol=1e-12)


@needs_shared_data
@pytest.mark.parametrize("variant", ["multinomial", "complement"])
def test_20_newsgroups_by_date(variant: str) -> None:
    news = pd.read_parquet(SHARED / "text" / "20newsgroups_bydate.parquet")
    train, test = news[news.split == "train"], news[news.split == "test"]
    model = TextNaiveBayes(variant, min_length=2).fit(train.text, train.group)
    expected = reference("20newsgroups_bydate")["methods"]
    assert len(model.vocabulary_) == expected["vocabulary_size"]
    accuracy = model.score(test.text, test.group)
    assert accuracy == pytest.approx(expected[f"{variant}_nb"]["accuracy"], abs=1e-9)
    plain = TextNaiveBayes(variant, min_length=2, evidence_weight=1).fit(train.text, train.group)
    losses = [log_loss(test.group, each.predict_proba(test.text)) for each in (model, plain)]
    assert losses[0] < (0.3 if variant == "multinomial" else 0.9) * losses[1]


@needs_shared_data
def test_the_learning_curve_of_20_newsgroups_with_one_third_withheld() -> None:
    news = pd.read_parquet(SHARED / "text" / "20newsgroups_bydate.parquet")
    order = np.random.default_rng(3).permutation(len(news))
    withheld, train = news.iloc[order[: len(news) // 3]], news.iloc[order[len(news) // 3 :]]
    model, learned = TextNaiveBayes(min_length=2), 0
    for size, accuracy in reference("20newsgroups_bydate")["learning_curve"]["train_size_accuracy"]:
        part = train.iloc[learned:size]
        learned = size
        model.partial_fit(part.text, part.group)
        assert model.score(withheld.text, withheld.group) == pytest.approx(accuracy, abs=1e-9)
