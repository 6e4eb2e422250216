"""The plugins that docs/develop/plugins.md shows, found by their registry for a test as if they lay in the project's folder."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

from core.registry import Plugin, Registry
from tests.doubles.process import ROOT

EXAMPLES = dict(
    re.findall(
        r"```python\n# (\S+)\n(.*?)```", (ROOT / "docs" / "develop" / "plugins.md").read_text("utf-8"), re.DOTALL
    )
)
"""The source of each by the path that it names."""


def found_in_folder(path: str, folder: Path, registry: Registry[Plugin], monkeypatch: pytest.MonkeyPatch) -> None:
    """Drop the example into a folder beside the project's own and list both again."""
    registry.names()  # what is imported now stays registered when the test is over
    package = importlib.import_module(str(Path(path).parent).replace("/", "."))
    sys.modules.pop(f"{package.__name__}.{Path(path).stem}", None)  # one of an earlier test registers itself again
    (folder / Path(path).name).write_text(EXAMPLES[path], encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.setattr(registry, "_listed", False)
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
