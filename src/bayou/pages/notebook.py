"""Where this program runs: at a terminal, in a notebook on this machine, or in one somewhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

ELSEWHERE = {
    "JUPYTERHUB_API_URL": "JupyterHub",
    "JUPYTERHUB_USER": "JupyterHub",
    "COLAB_RELEASE_TAG": "Colab",
    "COLAB_BACKEND_VERSION": "Colab",
    "KAGGLE_KERNEL_RUN_TYPE": "Kaggle",
    "BINDER_SERVICE_HOST": "Binder",
    "DATABRICKS_RUNTIME_VERSION": "Databricks",
    "DEEPNOTE_PROJECT_ID": "Deepnote",
    "CODESPACES": "GitHub Codespaces",
    "SSH_CONNECTION": "a machine reached by SSH",
}
"""Environment variables of places whose loopback address a browser does not reach, and what they are."""


def in_notebook() -> bool:
    """Whether the answers of this program are shown by a notebook, which can show HTML.

    >>> in_notebook()
    False
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def elsewhere(environment: Mapping[str, str] | None = None) -> str | None:
    """Return the name of the place where this program runs, if it is not the user's own machine.

    >>> elsewhere({"JUPYTERHUB_USER": "ada"}), elsewhere({"HOME": "/home/ada"})
    ('JupyterHub', None)
    """
    known = os.environ if environment is None else environment
    return next((place for name, place in ELSEWHERE.items() if known.get(name)), None)
