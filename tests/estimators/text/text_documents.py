"""Random labelled documents for the tests of text classifiers."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = ["Buy", "buy", "now", "été", "straße", "ΣΑΣ", "a", "I", "x1", "日本", "lunch", "don't"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)

Labelled = tuple[list[str], list[str]]


@st.composite
def labelled(draw: st.DrawFn, least: int = 4) -> Labelled:
    """Documents of at least two classes with at least one word."""
    texts = draw(st.lists(TEXTS, min_size=least, max_size=20))
    classes = draw(st.lists(st.sampled_from(["ham", "späm", "z"]), min_size=len(texts), max_size=len(texts)))
    return ["buy now", "lunch", *texts], ["späm", "ham", *classes]
