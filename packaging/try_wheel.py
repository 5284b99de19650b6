"""Install a wheel into an empty environment in which no compiler is found, and ask it something.

python packaging/try_wheel.py dist/bayou-*.whl
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ASK = """
import shutil
assert not any(map(shutil.which, ("cc", "c++", "gcc", "g++", "clang", "cmake")))
import bayou
net = bayou.Network("Rain -> Wet").fit({"Rain": ["yes", "no", "no"], "Wet": ["yes", "no", "yes"]})
assert abs(net.query("Rain", given={"Wet": "yes"})["yes"] - 8 / 17) < 1e-12
model = bayou.NaiveBayes().fit([[1.0, 5.0], [2.0, 4.0], [8.0, 1.0], [9.0, 0.0]] * 5, ["a", "a", "b", "b"] * 5)
assert list(model.predict([[1.5, 4.5], [8.5, 0.5]])) == ["a", "b"]
"""


def main() -> None:
    """Try each of the wheels."""
    for wheel in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            commands = Path(folder, "Scripts" if os.name == "nt" else "bin")
            python = commands / "python"
            subprocess.run(
                [python, "-m", "pip", "install", "-q", "--only-binary", ":all:", wheel], check=True
            )
            alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            alone["PATH"] = str(commands)
            subprocess.run([python, "-c", ASK], check=True, env=alone, cwd=folder)
            subprocess.run(
                [commands / "bayou", "demo"], check=True, env=alone, cwd=folder, stdout=subprocess.DEVNULL
            )
        print(f"{Path(wheel).name}: installs without a compiler, and answers")


if __name__ == "__main__":
    main()
