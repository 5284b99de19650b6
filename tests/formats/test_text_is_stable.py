"""A model as a text is the same text after it was loaded: a diff shows what has changed, and no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou

CLASSES = ["yes", "no", "no", "yes"] * 15
ROWS = {
    "wind": ["weak", "strong", "weak", None, "calm", "weak"] * 10,
    "heat": [20.5, 11.0, 24.5, 9.5, None, 18.25] * 10,
}
STATES = {"wind": ROWS["wind"], "sky": ["grey", "blue", "blue", "red"] * 15}
NUMBERS = {"x": np.sin(np.arange(60.0)).tolist(), "heat": np.cos(np.arange(60.0)).tolist()}
TEXTS = ["good and fine", "bad", "bad and ugly", "fine"] * 15


def shared_network() -> Any:
    net = bayou.Network("b -> c; a -> d", states={v: ["0", "1"] for v in "dcba"}, share={"p": ["a", "b"]})
    return net.set_cpt("d", [[0.1, 0.9], [0.2, 0.8]]).set_cpt("a", [0.3, 0.7])


KINDS: dict[str, Callable[[], Any]] = {
    "asia": bayou.examples.asia,
    "shared": shared_network,
    "umbrella world": bayou.examples.umbrella_world,
    "casino": bayou.examples.casino,
    "sequences": lambda: bayou.HMM(2, "gaussian").fit(np.sin(np.arange(80.0)), seed=1, max_iterations=3),
    "Kalman": bayou.KalmanModel.local_level,
    "naive Bayes": lambda: bayou.NaiveBayes().fit(ROWS, CLASSES),
    "kernels": lambda: bayou.NaiveBayes("kernel").fit(NUMBERS, CLASSES),
    "TAN": lambda: bayou.TAN().fit(STATES, CLASSES),
    "AODE": lambda: bayou.AODE().fit(STATES, CLASSES),
    "Gaussian": lambda: bayou.GaussianBayes().fit(ROWS, CLASSES),
    "words": lambda: bayou.TextNaiveBayes().fit(TEXTS, CLASSES),
    "ensemble": lambda: bayou.BayesEnsemble().fit(ROWS, CLASSES),
    "generative": lambda: bayou.GenerativeClassifier().fit(STATES, CLASSES),
    "optimal": lambda: bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(STATES, CLASSES),
}


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_the_same_text_after_loading(kind: str, tmp_path: Path) -> None:
    first, second, third = [tmp_path / f"{name}.json" for name in "abc"]
    KINDS[kind]().save(first)
    bayou.load(first).save(second)
    assert first.read_bytes() == second.read_bytes()
    packed = tmp_path / "model.bayou"
    bayou.load(second).save(packed)
    bayou.load(packed).save(third)
    assert first.read_bytes() == third.read_bytes()


def test_equal_networks_are_equal_texts(tmp_path: Path) -> None:
    one = bayou.Network("a -> b", states={"a": ["0", "1"], "b": ["0", "1"]})
    tables = {"a": [0.2, 0.8], "b": [[0.1, 0.9], [0.6, 0.4]]}
    one.set_cpt("a", tables["a"]).set_cpt("b", tables["b"]).save(tmp_path / "a.json")
    one.set_cpt("b", tables["b"]).set_cpt("a", tables["a"]).save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
