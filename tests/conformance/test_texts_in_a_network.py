"""Texts as a leaf of a network: observed, they are a likelihood of their class; unobserved, nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.strangers.list_source import ListSource

import bayou
from bayou.distributions import Words
from bayou.errors import BadData, BadQuestion, BadTable, BadVariable, BayouError

WORDS = ("buy", "cheap", "hello", "meeting", "now", "see", "you")
CLASSES = ("spam", "work", "friend")


def table(rows: int = 300, seed: int = 0) -> dict[str, list[Any]]:
    """Messages of three classes, one message missing, and a colour that depends on the class."""
    random = np.random.default_rng(seed)
    chances = np.random.default_rng(7).dirichlet(np.full(len(WORDS), 0.5), size=3)
    groups = random.integers(3, size=rows)
    messages: list[Any] = [" ".join(random.choice(WORDS, size=6, p=chances[k])) for k in groups]
    messages[3] = None
    colours = [("red", "blue")[int(random.random() < 0.3 + 0.2 * k)] for k in groups]
    return {"who": [CLASSES[k] for k in groups], "message": messages, "colour": colours}


def network(**options: Any) -> Any:
    return bayou.Network(
        "who -> message; who -> colour", nodes={"message": Words}, states={"who": CLASSES}, **options
    )


def by_hand(net: Any, text: str) -> Any:
    """P(who | text): the prior times the product of P(word | who) over the words, normalised."""
    words = net.frozen.distribution("message")
    joint = np.array(net.frozen.table("who"))
    for word in text.split():
        if word in words.words:
            joint = joint * np.exp(words.logs[words.words.index(word)])
    return joint / joint.sum()


def test_a_text_is_a_likelihood_of_its_class() -> None:
    net = network().fit(table())
    for text in ("buy now", "meeting you", "zebra", ""):
        expected = by_hand(net, text)
        found = net.query("who", given={"message": text})
        np.testing.assert_allclose([found[state] for state in CLASSES], expected, rtol=1e-12)
        colours = net.query("colour", given={"message": text})
        red = net.frozen.table("colour")[:, net.frozen.schema["colour"].code("red")]
        assert colours["red"] == pytest.approx(float(expected @ red), rel=1e-12)
        every = net.marginals({"message": text})["who"]
        np.testing.assert_allclose([every[state] for state in CLASSES], expected, rtol=1e-12)
    asked = net.query("who | message='buy now', colour=red")
    assert "message=buy now" in str(asked)


def test_the_probabilities_are_those_of_naive_bayes() -> None:
    rows = table()
    net = network().fit(rows)
    model = bayou.NaiveBayes({"message": "words", "colour": "table"})
    model.fit({name: rows[name] for name in ("message", "colour")}, rows["who"])
    order = [list(model.classes_).index(name) for name in CLASSES]
    new = table(40, seed=5)
    found = net.posterior({name: new[name] for name in ("message", "colour")}, "who")["who"]
    expected = model.predict_proba({name: new[name] for name in ("message", "colour")})[:, order]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_an_unobserved_text_plays_no_part() -> None:
    rows = table()
    plain = bayou.Network("who -> colour", states={"who": CLASSES}).fit(
        {name: rows[name] for name in ("who", "colour")}
    )
    net = network().fit(rows)
    assert net.query("who", given={"colour": "red"})["spam"] == pytest.approx(
        plain.query("who", given={"colour": "red"})["spam"], rel=1e-12
    )
    gap = {"who": ["spam"], "message": [None], "colour": ["red"]}
    assert net.log_probability(gap)[0] == pytest.approx(plain.log_probability(gap)[0], rel=1e-12)
    filled = net.impute({"who": [None], "message": ["buy cheap"], "colour": [None]})
    assert filled["message"] == ["buy cheap"]
    assert net.impute({"who": ["spam"], "message": [None], "colour": ["red"]})["message"] == [None]


def test_each_row_has_its_log_probability() -> None:
    rows = table(50, seed=2)
    net = network().fit(table())
    words, schema = net.frozen.distribution("message"), net.frozen.schema
    for row, log in enumerate(net.log_probability(rows).tolist()):
        who = schema["who"].code(rows["who"][row])
        colour = schema["colour"].code(rows["colour"][row])
        expected = np.log(net.frozen.table("who")[who] * net.frozen.table("colour")[who, colour])
        for word in (rows["message"][row] or "").split():
            expected += words.logs[words.words.index(word), who]
        assert log == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("prior", [1.0, 0.5])
def test_em_learns_the_classes_of_texts(prior: float) -> None:
    rows = table()
    hidden = {**rows, "who": [who if k < 30 else None for k, who in enumerate(rows["who"])]}
    hidden["message"][200] = "unheard words, only here"
    start = network().fit({name: column[:30] for name, column in rows.items()}, prior=prior)
    net = network().fit(hidden, prior=prior)
    right = np.mean(net.predict({"message": rows["message"]}, "who") == np.array(rows["who"]))
    assert right > 0.85
    known = set(start.frozen.distribution("message").words)
    assert known < set(net.frozen.distribution("message").words)


def test_em_without_any_label_finds_groups() -> None:
    rows = table(400)
    unlabelled = {"message": rows["message"], "colour": rows["colour"]}
    first, again = (network().fit(unlabelled, seed=3, restarts=3) for _ in range(2))
    assert first.same_as(again)
    groups = first.predict(unlabelled, "who")
    pure = sum(
        max(
            sum(1 for g, w in zip(groups, rows["who"], strict=True) if g == group and w == who)
            for who in CLASSES
        )
        for group in CLASSES
    )
    assert pure / 400 > 0.8


def test_rows_with_gaps_are_added_later() -> None:
    rows = table()
    net = network().fit(rows)
    later = {"who": [None, "spam"], "message": ["brandnew buy", "buy"], "colour": ["red", "blue"]}
    net.partial_fit(later)
    assert "brandnew" in net.frozen.distribution("message").words


def test_batches_files_and_sources_make_the_same_network(tmp_path: Path) -> None:
    rows = table()
    whole, parts = network().fit(rows), network()
    for k in range(3):
        parts.partial_fit({name: column[k::3] for name, column in rows.items()})
    path = tmp_path / "messages.csv"
    lines = ["who,message,colour"]
    lines += [",".join(cell or "" for cell in cells) for cells in zip(*rows.values(), strict=True)]
    path.write_text("\n".join(lines))
    for other in (parts, network().fit(path), network().fit(ListSource(rows))):
        for text in ("buy now", "meeting"):
            found = other.query("who", given={"message": text})
            np.testing.assert_allclose([found[who] for who in CLASSES], by_hand(whole, text), rtol=1e-9)
    gaps = {**rows, "who": [who if k % 3 else None for k, who in enumerate(rows["who"])]}
    from_table, from_source = network().fit(gaps), network().fit(ListSource(gaps))
    for text in ("buy now", "meeting"):
        np.testing.assert_allclose(by_hand(from_source, text), by_hand(from_table, text), rtol=1e-6)
    np.testing.assert_allclose(
        whole.posterior(ListSource(rows), "who")["who"], whole.posterior(rows, "who")["who"], rtol=1e-12
    )


def test_it_prints_and_is_saved(tmp_path: Path) -> None:
    net = network().fit(table())
    assert "(texts)" in str(net)
    assert "words(message | who)" in str(net.node("message"))
    net.save(tmp_path / "messages.bayou")
    again = bayou.load(tmp_path / "messages.bayou")
    assert again.same_as(net)
    assert again.variables["message"].is_text
    assert repr(again.variables["message"]) == "Variable('message', texts=True)"
    fresh = table(20, seed=8)
    assert again.partial_fit(fresh).same_as(net.partial_fit(fresh))


def test_two_classes_share_the_words() -> None:
    rows = table()
    net = bayou.Network(
        "a -> first; b -> second",
        nodes={"first": Words, "second": Words},
        share={"words": ["first", "second"], "class": ["a", "b"]},
    ).fit({"a": rows["who"], "b": rows["who"], "first": rows["message"], "second": rows["message"]})
    assert net.query("a", given={"first": "buy"})["spam"] == net.query("b", given={"second": "buy"})["spam"]


def test_what_cannot_be_done_with_texts_is_refused(tmp_path: Path) -> None:
    rows = table()
    net = network().fit(rows)
    with pytest.raises(BadQuestion, match=r"'message' holds texts: give a text in quotes, not 3"):
        net.query("who", given={"message": 3})
    with pytest.raises(BadQuestion, match=r"'message' has a words distribution"):
        net.query("message", given={"who": "spam"})
    with pytest.raises(BadQuestion, match="Texts cannot be sampled"):
        net.sample(3)
    with pytest.raises(BadData, match=r"'message' must hold texts.* has the value 3"):
        network().fit({**rows, "message": [3] * 300})
    with pytest.raises(BadData, match=r"'message' must hold texts.* has the value 3"):
        net.posterior({"message": [3]}, "who")
    with pytest.raises(BayouError, match="'message'"):
        bayou.Network("message -> who", nodes={"message": Words}).fit(rows)
    with pytest.raises(BadVariable, match="must depend on a single discrete variable"):
        bayou.Network("who -> message; colour -> message", nodes={"message": Words}).fit(rows)
    with pytest.raises(BadVariable, match=r"leave it out of states= and continuous="):
        network(continuous=["message"])
    with pytest.raises(BadTable, match=r"'message' holds texts.*learn them"):
        net.set_cpt("message", [1, 2])
    with pytest.raises(BadVariable, match=r"'message' holds texts, which BIF cannot represent"):
        net.save(tmp_path / "mail.bif")
