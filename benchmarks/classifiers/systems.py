"""Every classifier that is measured: bayou's and the others', with the version of each."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import bayou
from classifiers import peers
from classifiers.tables import Table, typed


class Chosen:
    """``bayou.fit``: it chooses the classifier by itself."""

    def fit(self, features: Any, target: Any) -> Any:
        """Return the classifier that was chosen."""
        return bayou.fit(features, target)


OURS: dict[str, tuple[str, Callable[[], Any]]] = {
    "nb": ("NaiveBayes", bayou.NaiveBayes),
    "gaussian": ("GaussianBayes", bayou.GaussianBayes),
    "chow-liu": ("ChowLiuClassifier", bayou.ChowLiuClassifier),
    "tan": ("TAN", bayou.TAN),
    "kdb": ("KDependence", bayou.KDependence),
    "aode": ("AODE", bayou.AODE),
    "ensemble": ("BayesEnsemble", bayou.BayesEnsemble),
    "fit": ("bayou.fit", Chosen),
}
"""Name → name on the page and maker."""
NUMBERS_ONLY = ("gaussian-nb",)


@dataclass(frozen=True)
class System:
    """One classifier: how it is made and which rows it reads."""

    name: str
    package: str
    version: str
    make: Callable[[], Any]

    @property
    def ours(self) -> bool:
        return self.package == "bayou"

    def takes(self, table: Table) -> bool:
        """Can it learn from this table at all?"""
        return self.name not in NUMBERS_ONLY or table.all_numbers

    def rows(self, features: Any) -> Any:
        """bayou reads the table as it is, others typed columns."""
        return features if self.ours else typed(features)

    def bytes_of(self, model: Any) -> int:
        """The size of its file: bayou's own, a pickle for others."""
        if not self.ours:
            return len(pickle.dumps(model))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.bayou"
            model.save(path)
            return path.stat().st_size


def systems(only: list[str] | None = None) -> list[System]:
    """Those that are installed, or the named ones; ``bayou`` and ``peers`` name groups."""
    versions = peers.installed()
    found = [
        System(name, package, versions[package], make)
        for name, (package, make) in peers.MAKERS.items()
        if package in versions
    ]
    found += [System(name, "bayou", bayou.__version__, make) for name, (_, make) in OURS.items()]
    if not only:
        return found
    groups = {"bayou": OURS, "peers": peers.MAKERS}
    names = {name for word in only for name in groups.get(word, (word,))}
    unknown = names - set(OURS) - set(peers.MAKERS)
    if unknown:
        raise SystemExit(f"No classifier {', '.join(sorted(unknown))}; there are {[*OURS, *peers.MAKERS]}.")
    return [each for each in found if each.name in names]


@cache
def code_of_bayou() -> str:
    """A hash of the package's code: what was measured with other code is measured again."""
    files = sorted(Path(bayou.__file__).parent.rglob("*.py")) + sorted(
        Path(bayou.__file__).parent.rglob("_core*")
    )
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
