"""What each way into bayou may load: a program pays for the packages and the rooms that it uses, no others.

Each case runs in a new process. Whoever lets one of them load more changes the lists below, knowingly.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import bayou

BUILD = """
net = bayou.Network("Rain -> Wet", tables={
    "Rain": {"no": 0.8, "yes": 0.2}, "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
"""
ASK = (
    BUILD
    + """
str(net.query("Rain | Wet=yes")), str(net.marginals({"Wet": "yes"})), str(net)
"""
)
LEARN = """
data = {"Rain": ["yes", "no", "no"], "Wet": ["yes", "no", "yes"], "Litres": [3.5, 0.0, 1.25]}
net = bayou.Network("Rain -> Wet; Rain -> Litres").fit(data)
net.query("Rain", given={"Litres": 2.0}), net.predict(data, "Rain"), net.sample(3, seed=1)
"""
CLASSIFY = """
import numpy
model = bayou.NaiveBayes("table").fit(numpy.array([[0, 1], [1, 0], [1, 1]]), numpy.array([0, 1, 1]))
model.predict_proba(numpy.array([[0, 1]]))
"""
COMMAND = """
import sys
from bayou.cli.main import main
sys.argv = ["bayou", *{arguments!r}]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
"""

EVERYWHERE = {"", "files", "text"}
"""The folders of floor 0, which every room may use."""
FOR_A_NETWORK = {
    "_native",
    "distributions",
    "formats",
    "formats.bif",
    "graphs",
    "inference",
    "inference.exact",
    "models",
    "models.answers",
    "models.nodes",
    "models.rows",
    "models.structures",
    "models.verbs",
    "networks",
    "probability",
    "schema",
}
"""The folders with modules that building and asking a discrete network loads."""
FOR_A_CLASSIFIER = {
    "_native",
    "_native.reference",
    "distributions",
    "distributions.gaussian",
    "distributions.kernel",
    "estimators",
    "estimators.input",
    "estimators.naive_bayes",
    "formats",
    "schema",
    "sources",
    "sources.files",
    "sources.streams",
    "sources.files.text",
    "sources.files.typed",
    "sources.tables",
    "statistics",
    "statistics.matrix",
    "statistics.rows",
    "statistics.text",
}
"""The folders with modules that making a naive Bayes classifier loads."""


@cache
def modules_after(code: str) -> frozenset[str]:
    """The names of the modules that a new process has loaded after it ran the code."""
    environment = {**os.environ, "PYTHONPATH": str(Path(bayou.__file__).parents[1])}
    environment.pop("BAYOU_REFERENCE_KERNELS", None)
    report = "import json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return frozenset(json.loads(done.stdout.splitlines()[-1]))


def packages(modules: frozenset[str]) -> set[str]:
    """The packages from outside Python's own library, without bayou and the parts that Cython shares."""
    found = {module.partition(".")[0] for module in modules} - set(sys.stdlib_module_names) - {"bayou"}
    return {name for name in found if not name.startswith(("_cython", "cython", "__mp_main__"))}


def folders(modules: frozenset[str]) -> set[str]:
    """The folders of bayou of which a module is loaded; a room whose names wait for their use is not one."""
    own = {module.removeprefix("bayou.") for module in modules if module.startswith("bayou.")}
    return {module.rpartition(".")[0] for module in own} - _outer(own) - EVERYWHERE


def _outer(own: set[str]) -> set[str]:
    """The folders in which nothing is loaded but folders."""
    inside: dict[str, list[str]] = {}
    for module in own:
        inside.setdefault(module.rpartition(".")[0], []).append(module)
    root = Path(bayou.__file__).parent
    return {
        folder
        for folder, held in inside.items()
        if all((root / module.replace(".", "/")).is_dir() for module in held)
    }


def test_importing_bayou_loads_no_room_and_no_package() -> None:
    loaded = modules_after("import bayou")
    assert packages(loaded) == packages(modules_after("pass"))
    assert {module for module in loaded if module.startswith("bayou")} == {
        "bayou",
        "bayou.lazy_names",
        "bayou.version",
    }


@pytest.mark.parametrize("code", ["bayou.Network", ASK], ids=["named", "asked"])
def test_a_network_needs_numpy_only(code: str) -> None:
    loaded = modules_after(f"import bayou\n{code}")
    assert packages(loaded) == packages(modules_after("import numpy"))
    assert folders(loaded) <= FOR_A_NETWORK
    assert "numpy.random" not in loaded


def test_the_engines_of_a_network_load_with_the_first_question() -> None:
    assert "inference.exact" not in folders(modules_after("import bayou\nbayou.Network"))
    assert "inference.exact" in folders(modules_after(f"import bayou\n{ASK}"))


def test_reading_a_file_of_a_network_needs_numpy_only(tmp_path: Path) -> None:
    net = bayou.Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}})
    loaded = {}
    for ending in ("bif", "bayou"):
        net.save(file := tmp_path / f"rain.{ending}")
        loaded[ending] = modules_after(f"import bayou\nbayou.load({str(file)!r}).query('Rain')")
        assert packages(loaded[ending]) == packages(modules_after("import numpy"))
    assert folders(loaded["bif"]) <= FOR_A_NETWORK
    assert not {"bayou.formats.genie.xdsl", "bayou.formats.genie.dsl", "bayou.formats.uai"} & loaded["bif"]


def test_learning_and_drawing_need_numpy_only() -> None:
    loaded = modules_after(f"import bayou\n{LEARN}")
    assert packages(loaded) == packages(modules_after("import numpy"))
    assert not any(folder.startswith(("estimators", "plots", "cli")) for folder in folders(loaded))


@pytest.mark.parametrize("code", ["bayou.NaiveBayes()", CLASSIFY], ids=["made", "fitted"])
def test_a_classifier_needs_the_base_of_scikit_learn_only(code: str) -> None:
    loaded = modules_after(f"import bayou\n{code}")
    assert packages(loaded) == packages(modules_after("import sklearn.base"))
    assert not any(folder.startswith(("inference", "explain", "plots", "cli")) for folder in folders(loaded))


def test_making_a_classifier_loads_no_room_of_networks() -> None:
    assert folders(modules_after("import bayou\nbayou.NaiveBayes()")) <= FOR_A_CLASSIFIER


def test_help_of_the_command_needs_click_only() -> None:
    loaded = modules_after(COMMAND.format(arguments=["--help"]))
    assert packages(loaded) - packages(modules_after("pass")) == {"click"}


def test_a_query_of_the_command_needs_click_and_numpy_only(tmp_path: Path) -> None:
    bayou.Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}}).save(tmp_path / "rain.bif")
    loaded = modules_after(COMMAND.format(arguments=["query", str(tmp_path / "rain.bif"), "Rain"]))
    assert packages(loaded) - packages(modules_after("import numpy")) == {"click"}
    assert folders(loaded) <= FOR_A_NETWORK | {
        "cli",
        "cli.about",
        "cli.counting",
        "cli.editing",
        "cli.findings",
        "cli.learning",
        "cli.sequences",
        "cli.terminal",
        "documents",
    }


def test_a_package_or_a_room_that_is_loaded_is_seen() -> None:
    loaded = modules_after("import bayou, scipy.special\nimport bayou.explain.plans, bayou.plots")
    assert "scipy" in packages(loaded)
    assert "explain" in folders(loaded)
    assert "plots" not in folders(loaded)
