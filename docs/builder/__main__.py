"""``python -m docs.builder FOLDER``: build the site; every broken link is told, and then the build fails."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.builder.build import build

if __name__ == "__main__":
    problems = build(Path(sys.argv[1] if len(sys.argv) > 1 else "build/site"))
    sys.exit("\n".join(problems) if problems else 0)
