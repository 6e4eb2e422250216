"""Prints the requirements of extras and dependency groups of pyproject.toml for pip: pip install $(python .ci/pins.py dev onnx).

`core` are those of the project itself. pip takes a group itself from 25.1 on, which is newer than what Python 3.11 puts into an
environment, and an extra only with the project.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
project = pyproject["project"]
requirements = {"core": project["dependencies"]} | project["optional-dependencies"] | pyproject["dependency-groups"]
sys.stdout.writelines(f"{line}\n" for name in sys.argv[1:] for line in requirements[name])
