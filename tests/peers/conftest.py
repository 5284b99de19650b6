"""Each file here is collected where the peers it needs are installed; CONTRIBUTING.md says how."""

from __future__ import annotations

from importlib.util import find_spec

NEEDED = {
    "test_hmmlearn.py": ("hmmlearn",),
    "test_mdl_cuts.py": ("Orange",),
    "test_objects.py": ("pyagrum", "pgmpy"),
}

collect_ignore = [file for file, peers in NEEDED.items() if not all(map(find_spec, peers))]
