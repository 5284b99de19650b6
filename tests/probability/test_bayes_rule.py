from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou.errors import BadQuestion, BadTable, ImpossibleEvidence, UnknownState
from bayou.probability.bayes_rule import bayes_rule
from bayou.probability.probability_table import ProbabilityTable

PRIOR = {"cancer": 0.008, "healthy": 0.992}
ROWS = {"cancer": {"+": 0.98, "-": 0.02}, "healthy": {"+": 0.03, "-": 0.97}}
REFERENCE = (
    Path(__file__).resolve().parents[2].parent / "shared" / "data" / "reference" / "seed_examples.json"
)


def test_the_cancer_test_of_the_lecture() -> None:
    result = bayes_rule(PRIOR, {"cancer": 0.98, "healthy": 0.03})
    assert result.posterior["cancer"] == pytest.approx(49 / 235, abs=1e-15)
    assert result.joint == pytest.approx({"cancer": 0.00784, "healthy": 0.02976}, abs=1e-15)
    assert result.evidence == pytest.approx(0.0376, abs=1e-15)
    assert (result.map, result.ml) == ("healthy", "cancer")
    assert round(bayes_rule({"cancer": 0.5, "healthy": 0.5}, ROWS, "+")["cancer"], 4) == 0.9703


@pytest.mark.shared_data
@pytest.mark.skipif(not REFERENCE.exists(), reason="the shared data folder is not here")
def test_the_reference_numbers_of_the_cancer_test() -> None:
    known = json.loads(REFERENCE.read_text(encoding="utf-8"))["cancer_test"]
    positive, negative = bayes_rule(PRIOR, ROWS, "+"), bayes_rule(PRIOR, ROWS, "-")
    equal = bayes_rule({"cancer": 0.5, "healthy": 0.5}, ROWS, "+")
    assert positive["cancer"] == pytest.approx(known["posterior_cancer_given_pos"]["value"], abs=1e-14)
    assert positive.evidence == pytest.approx(known["p_positive"]["value"], abs=1e-14)
    assert negative["cancer"] == pytest.approx(known["posterior_cancer_given_neg"]["value"], abs=1e-14)
    assert equal["cancer"] == pytest.approx(
        known["posterior_cancer_given_pos_equal_priors"]["value"], abs=1e-14
    )
    assert positive.map == known["map_decision"]


def test_the_working_is_written_line_by_line() -> None:
    assert str(bayes_rule(PRIOR, ROWS, observed="+")).splitlines() == [
        "P(cancer | +) = 0.98 × 0.008 / (0.98 × 0.008 + 0.03 × 0.992) = 0.00784 / 0.0376 = 0.2085",
        "P(healthy | +) = 0.03 × 0.992 / (0.98 × 0.008 + 0.03 × 0.992) = 0.02976 / 0.0376 = 0.7915",
        "MAP hypothesis: healthy. Maximum likelihood hypothesis: cancer.",
    ]


def test_latex_escapes_names_and_writes_powers_of_ten() -> None:
    latex = bayes_rule({"50%_a": 1e-7, "b": 1 - 1e-7}, {"50%_a": 0.5, "b": 0.5}).to_latex()
    assert latex.startswith(
        "\\begin{align*}\nP(\\text{50\\%\\_a} \\mid \\text{finding}) &= \\frac{0.5 \\times "
    )
    assert "1 \\cdot 10^{-7}" in latex
    assert latex.count("{") == latex.count("}")


def test_tables_serve_as_prior_and_likelihood_whatever_the_order_of_their_states() -> None:
    prior = ProbabilityTable.distribution("disease", PRIOR)
    backwards = ProbabilityTable.conditional("test", dict(reversed(ROWS.items())), given="disease")
    assert bayes_rule(prior, backwards, "+").posterior == bayes_rule(PRIOR, ROWS, "+").posterior
    other = ProbabilityTable.conditional("test", ROWS, given="illness")
    with pytest.raises(BadTable, match=r"must be given disease; it is P\(test \| illness\)"):
        bayes_rule(prior, other, "+")


@given(st.lists(st.sampled_from("+-"), min_size=1, max_size=30))
def test_independent_findings_multiply_exactly(findings: list[str]) -> None:
    joint = {
        name: Fraction(PRIOR[name]) * math.prod(Fraction(ROWS[name][finding]) for finding in findings)
        for name in PRIOR
    }
    result = bayes_rule(PRIOR, ROWS, observed=findings)
    for name in PRIOR:
        assert result[name] == pytest.approx(float(joint[name] / sum(joint.values())), rel=1e-12)
    assert result.log_evidence == pytest.approx(math.log(sum(joint.values())), rel=1e-12)


def test_ten_thousand_findings_do_not_underflow() -> None:
    result = bayes_rule(
        {"fair": 0.5, "bent": 0.5}, {"fair": {0: 0.5, 1: 0.5}, "bent": {0: 0.51, 1: 0.49}}, [0, 1] * 5000
    )
    odds = 10_000 * math.log(0.5) - 5000 * (math.log(0.51) + math.log(0.49))
    assert result["fair"] == pytest.approx(1 / (1 + math.exp(-odds)), rel=1e-9)
    assert result.evidence == 0.0
    assert result.log_evidence < -6000
    assert result.ml == "fair"
    assert str(result).splitlines()[0] == f"P(fair | 0, 1, 0, 1, 9996 more) = {result['fair']:.4f}"


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (({"a": 0.5, "b": 0.6}, {"a": 1, "b": 1}), BadTable, "P(hypothesis): the entries sum to 1.1, not 1"),
        (({"a": 0.5, "b": 0.5}, {"a": 1}), BadTable, "no likelihood for the hypothesis 'b'"),
        (({"a": 0.5, "b": 0.5}, {"a": 1, "B": 1}), UnknownState, "Did you mean 'b'?"),
        (({"a": 0.5, "b": 0.5}, {"a": -1, "b": 1}), BadTable, "The likelihood of 'a' is -1"),
        (({"a": 0.5, "b": 0.5}, {"a": "x", "b": 1}), BadTable, "'x', which is not a number"),
        (({"a": 0.5, "b": 0.5}, {"a": math.nan, "b": 1}), BadTable, "is nan"),
        (({"a": 1.0, "b": 0.0}, {"a": 0, "b": 1}), ImpossibleEvidence, "allows the finding"),
        ((PRIOR, ROWS), BadQuestion, "Pass observed=…, one of '+', '-'"),
        ((PRIOR, ROWS, "++"), UnknownState, "'++' is not a state of 'finding'. Did you mean '+'?"),
        ((PRIOR, {"cancer": 0.9, "healthy": 0.1}, ["+", "+"]), BadQuestion, "Several findings need a row"),
        (
            (PRIOR, {"cancer": {"+": 0.9}, "healthy": {"+": 0.9}}, "+"),
            BadTable,
            "hypothesis = 'cancer' sums to 0.9",
        ),
        ((PRIOR, {"cancer": {"+": 1.0}, "healthy": 0.3}, "+"), BadTable, "the row 'healthy' must map"),
        ((7, ROWS, "+"), BadTable, "got 7"),
        ((PRIOR, 7), BadTable, "got 7"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_by_name(
    arguments: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        bayes_rule(*arguments)
    assert message in str(caught.value)
