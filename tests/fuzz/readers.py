"""Every reader of files and texts, with valid examples: what is damaged, and how it is read and used."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from click import UsageError

import bayou
from bayou.cli import argument_parsing
from bayou.counting.model_statistics import ModelStatistics
from bayou.errors import BayouError, without_warnings
from bayou.formats import FORMATS, parse_draft
from bayou.formats.bundle import read_bundle, write_bundle
from bayou.formats.uai import parse_uai, parse_uai_evidence
from bayou.graphs.arrows import parse_arrows
from bayou.models import query_parser
from bayou.sources import read_columns
from tests.conformance.states.example_models import MODELS
from tests.formats.corpus import PIECES, SIGNS, TEXTS
from tests.fuzz.mutations import damaged_bytes, damaged_state

Damage = Callable[[Random, Path], Any]
"""Makes one damaged input; the folder is for files."""


@dataclass(frozen=True)
class Reader:
    """A reader: how many inputs it gets, what damages an example, and what reads and uses the result."""

    cases: int
    damaged: Damage
    read: Callable[[Any], None]
    refusals: tuple[type[Exception], ...] = (BayouError,)


# Models: the nested values of a file, and its bytes


KEPT: dict[str, dict[str, Any]] = {"BayesEnsemble of many rows": {"rows": True}}
"""Models whose files are damaged in the form that keeps what learning on needs."""


@cache
def saved_model(kind: str) -> tuple[str, dict[str, Any], bytes]:
    """The kind, the state and the bytes of a model's file."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.bayou")
        MODELS[kind][0]().save(path, **KEPT.get(kind, {}))
        return *read_bundle(path), path.read_bytes()


def damaged_model(kind: str) -> Damage:
    def damaged(random: Random, folder: Path) -> Path:
        name, state, data = saved_model(kind)
        path = folder / "model.bayou"
        if random.random() < 0.2:
            path.write_bytes(damaged_bytes(data, random))
        else:
            write_bundle(path, name, damaged_state(state, random), "test")
        return path

    return damaged


def damaged_text_model(kind: str) -> Damage:
    def damaged(random: Random, folder: Path) -> Path:
        name, state, _ = saved_model(kind)
        path = folder / "model.json"
        write_bundle(path, name, state if random.random() < 0.5 else damaged_state(state, random), "test")
        if random.random() < 0.8:
            known = [b'"$array"', b'"shape"', b"[]", b"{}", b'"NaN"', b"1e999", b"-0.0", b"9" * 30]
            path.write_bytes(damaged_bytes(path.read_bytes(), random, known))
        return path

    return damaged


def use_model(path: Path) -> None:
    model = bayou.load(path)
    str(model)
    if isinstance(model, bayou.Network):
        for variable in model.variables:
            if not variable.is_continuous:
                model.query(variable.name)
        model.sample(3, seed=0)
    elif isinstance(model, ModelStatistics):
        model.model()
    elif isinstance(model, bayou.HMM):
        drawn = model.sample(3, seed=0)
        model.filter({name: drawn[name] for name in model.chain.columns})
    elif isinstance(model, bayou.SequenceClassifier):
        model.predict_proba([[0, 1], [1]])
    elif isinstance(model, bayou.KalmanModel):
        model.filter(np.zeros((3, len(model.columns))), controls=np.zeros((3, 1)) if model.inputs else None)
    elif isinstance(model, bayou.DynamicNetwork):
        model.smooth(model.sample(3, seed=0))
    elif "text" not in type(model).__name__.lower():
        names = getattr(model, "feature_names_in_", None)
        count = model.n_features_in_
        rows = np.zeros((2, count)) if names is None else {name: [0, 1] for name in names.tolist()}
        model.predict_proba(rows)
        if hasattr(model, "structure_"):
            model.partial_fit(rows, model.classes_[:2])
    else:
        model.predict_proba(["buy now", ""] if model.reads_ == "documents" else np.ones((1, 3)))
    model.save(path)


# Checkpoints

GAPS = {"A": [0, 1, None, 1, 0, 1] * 3, "B": [0, 0, 1, 1, None, 1] * 3, "C": [0, 1, 1, None, 0, 1] * 3}


def resumed(path: Path) -> None:
    net = bayou.Network("A, B -> C", states={name: [0, 1] for name in GAPS}, nodes={"C": bayou.NoisyOr})
    with without_warnings():
        net.fit(GAPS, checkpoint=path, restarts=2, max_iterations=4)


def resumed_hmm(path: Path) -> None:
    rows = {"x": [0.1, 0.4, 3.0, 3.5, 0.2, 0.3, 0.5, 2.9], "y": [0, 1, 1, 1, 0, 0, None, 1]}
    hmm = bayou.HMM(2, {"x": "kernel", "y": [0, 1]}, duration=(1, 3))
    with without_warnings():
        hmm.fit(rows, checkpoint=path, restarts=2, max_iterations=4)


@cache
def saved_checkpoint(resume: Callable[[Path], None]) -> tuple[str, dict[str, Any]]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "checkpoint.bayou")
        resume(path)
        return read_bundle(path)


def damaged_checkpoint(resume: Callable[[Path], None]) -> Damage:
    def damaged(random: Random, folder: Path) -> Path:
        kind, state = saved_checkpoint(resume)
        path = folder / "checkpoint.bayou"
        write_bundle(path, kind, damaged_state(state, random), "test")
        return path

    return damaged


# Foreign formats, tables and texts: bytes


def damaged_text(text: str, pieces: list[str]) -> Damage:
    known = [piece.encode() for piece in pieces]
    return lambda random, folder: damaged_bytes(text.encode(), random, known)


def damaged_file(name: str, data: Callable[[], bytes]) -> Damage:
    def damaged(random: Random, folder: Path) -> Path:
        path = folder / name
        changed = damaged_bytes(cached(), random, [b",", b";", b"\t", b'"a""b"', b"\n\n", b"?", b"NA"])
        path.write_bytes(gzip.compress(changed) if name.endswith(".gz") else changed)
        return path

    cached = cache(data)
    return damaged


def use_table(path: Any) -> None:
    table = read_columns(path)
    bayou.check(path)
    bayou.NaiveBayes().fit(table, table.names[-1]).predict(table)


def use_cases(path: Any) -> None:
    net = bayou.examples.asia()
    for case in bayou.read_cases(path, net)[:5]:
        net.marginals(**case.findings)


CASES = (
    "// ~->[CASE-1]->~\nIDnum\tNumCases\tsmoke\tdysp\n" + "1\t2\tyes\tno\n2\t1\tno\tyes\n3\t1\t*\tyes\n" * 5
)
NAMED_CASES = 'case,weight,smoke,dysp,lung\nAnn,1,yes,"[1, 0.5]",do(yes)\nBob,2,~yes,"{yes, no}",\n'


def parquet() -> bytes:
    import pyarrow
    import pyarrow.parquet

    packed = io.BytesIO()
    rows = {"x": [1.5, None, 2.5] * 9, "n": [1, 2, 3] * 9, "y": ["a", "b", None] * 9}
    pyarrow.parquet.write_table(pyarrow.table(rows), packed)
    return packed.getvalue()


def arrow() -> bytes:
    import pyarrow

    rows = pyarrow.table({"x": [1.5, None, 2.5] * 9, "n": [1, 2, 3] * 9, "y": ["a", "b", None] * 9})
    packed = io.BytesIO()
    with pyarrow.ipc.new_file(packed, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=10)
    return packed.getvalue()


def use_described(path: Path) -> None:
    use_table(bayou.from_file(path, sep=";", encoding="cp1252", decimal=",", na=["NA", "-"]))


JSON_LINES = '{"x": 1.5, "n": 1, "na me": "a", "y": "yes"}\n{"x": null, "n": 2, "y": "no"}\n' * 9
CSV = 'x,n,"na me",y\n' + '1.5,1,"a, ""b""",yes\n,2,NA,no\n2.5,3,ü,yes\n' * 6
ARROWS = 'Storm -> Lightning, "Forest fire"; Bus -> Campfire\nLightning -> Thunder # loud\n"a b" <- c'
QUESTION = "Storm, Bus | Thunder=yes, Campfire='no'"


GENIE = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="days"><nodes>
<cpt id="Place"><state id="a" /><state id="b" /><probabilities>0.5 0.5</probabilities></cpt>
<cpt id="Mood" dynamic="anchor"><state id="a" /><state id="b" /><probabilities>0.2 0.8</probabilities></cpt>
<cpt id="Rain" dynamic="plate"><state id="yes" /><state id="no" /><parents>Place Mood</parents>
 <probabilities>0.5 0.5 0.1 0.9 0.2 0.8 0.3 0.7</probabilities></cpt>
<deterministic id="Bell" dynamic="terminal"><state id="on" /><state id="off" /><parents>Rain</parents>
 <resultingstates>on off</resultingstates></deterministic></nodes>
<dynamic numslices="5"><cpt id="Rain" order="1"><parents>Rain</parents>
 <probabilities>0.7 0.3 0.3 0.7 0.1 0.9 0.2 0.8</probabilities></cpt></dynamic></smile>
"""
GENIE_PIECES = ['order="2"', 'dynamic="plate"', "<parents>Rain</parents>", "<dynamic>", "</dynamic>", "0.5"]


def use_genie(path: Path) -> None:
    model = bayou.load(path)
    if isinstance(model, bayou.DynamicNetwork):
        model.smooth(model.sample(3, seed=0))
        model.save(path)


def damaged_genie(random: Random, folder: Path) -> Path:
    path = folder / "net.xdsl"
    path.write_bytes(damaged_bytes(GENIE.encode(), random, [piece.encode() for piece in GENIE_PIECES]))
    return path


def as_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@cache
def storm() -> bayou.Network:
    arcs = "Storm -> Lightning; Bus -> Campfire; Lightning -> Thunder"
    names = ["Storm", "Lightning", "Bus", "Campfire", "Thunder"]
    return bayou.Network(arcs, states={name: ["no", "yes"] for name in names})


def use_question(data: bytes) -> None:
    query_parser.parse_question(storm().frozen, as_text(data))
    argument_parsing.findings_from_text(storm(), [as_text(data)])


def use_options(data: bytes) -> None:
    text = as_text(data)
    argument_parsing.states_from_text([text])
    argument_parsing.cuts_from_text([text])
    argument_parsing.likelihood_from_text(storm(), [text])
    argument_parsing.prior_from_text(text)


READERS: dict[str, Reader] = {
    **{f"model: {kind}": Reader(120, damaged_model(kind), use_model) for kind in MODELS},
    **{f"text of a model: {kind}": Reader(60, damaged_text_model(kind), use_model) for kind in MODELS},
    "checkpoint": Reader(120, damaged_checkpoint(resumed), resumed),
    "checkpoint of an hmm": Reader(60, damaged_checkpoint(resumed_hmm), resumed_hmm),
    **{
        f"network: {known.name}": Reader(
            800,
            damaged_text(TEXTS[known.name], [*SIGNS, *PIECES[known.name]]),
            lambda data: bayou.Network.from_draft(parse_draft(data, "damaged")) and None,
        )
        for known in FORMATS
    },
    "dynamic network: XDSL": Reader(200, damaged_genie, use_genie),
    "evidence: UAI": Reader(
        800,
        damaged_text("2 0 1 1 0", ["-1", "3", " ", "\n", "99999999999999999999"]),
        lambda data: parse_uai_evidence(data, parse_uai(TEXTS["UAI"].encode(), "net"), "damaged") and None,
    ),
    "table: CSV": Reader(40, damaged_file("t.csv", CSV.encode), use_table),
    "table: TSV": Reader(25, damaged_file("t.tsv", CSV.replace(",", "\t").encode), use_table),
    "table: CSV in gzip": Reader(25, damaged_file("t.csv.gz", CSV.encode), use_table),
    "table: CSV with options": Reader(
        25, damaged_file("t.txt", CSV.replace(".", ",").replace(",", ";").encode), use_described
    ),
    "table: JSON lines": Reader(40, damaged_file("t.jsonl", JSON_LINES.encode), use_table),
    "table: JSON lines in gzip": Reader(25, damaged_file("t.jsonl.gz", JSON_LINES.encode), use_table),
    "table: case file": Reader(40, damaged_file("t.cas", CASES.encode), use_table),
    "cases: Netica": Reader(40, damaged_file("t.cas", CASES.encode), use_cases),
    "cases: CSV": Reader(40, damaged_file("t.csv", NAMED_CASES.encode), use_cases),
    "table: Arrow": Reader(40, damaged_file("t.arrow", arrow), use_table),
    "table: Parquet": Reader(40, damaged_file("t.parquet", parquet), use_table),
    "text: arrows": Reader(
        1500,
        damaged_text(ARROWS, ["->", "<-", ";", '"', "#", "\\"]),
        lambda data: parse_arrows(as_text(data)) and None,
    ),
    "text: question": Reader(1500, damaged_text(QUESTION, ["|", "=", ",", "'", '"']), use_question),
    "text: options": Reader(
        1500,
        damaged_text("Storm=yes:0.5,no:0.25", ["=", ":", ",", "..", "inf"]),
        use_options,
        (BayouError, UsageError),
    ),
}
