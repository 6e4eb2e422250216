"""How the wheel is made: all of ours lies in the one package `touchstone`, and what we import of ours begins with its name.

The folders of a checkout stand at its top, where `from core import …` finds them. Copied as they are they would install `core`, `pages`
and `annotations` beside the packages of others; on a path of their own inside `touchstone` they would still take these names in the
process. Relative imports reach from `annotations` to `core` only where both have a parent, which a checkout has not.
"""

from __future__ import annotations

import ast
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "touchstone"
FOLDERS = ("annotations", "core", "docs", "pages", ".streamlit")
FILES = {"touchstone.py": "__init__.py", "app.py": "app.py", "cli.py": "cli.py"}
OURS = {"annotations", "core", "pages", "app", "cli"}
_IMPORT = re.compile(r"\b(from|import) (annotations|core|pages|app|cli)\b")
_COMMAND = re.compile(r"(?:python |\{_python\(\)\} )?\bcli\.py (?=[a-z])")


class OnePackage(BuildHookInterface[Any]):
    """Puts a copy of our folders into the wheel, its imports renamed; an editable install takes the checkout as it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._copy = Path(tempfile.mkdtemp())
        copy_package(Path(self.root), self._copy)
        build_data["force_include"][str(self._copy)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  # hatchling's
        if version != "editable":
            shutil.rmtree(self._copy)


def copy_package(root: Path, target: Path) -> None:
    """The folders and files of the project as one package in `target`."""
    for folder in FOLDERS:
        shutil.copytree(root / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__", "secrets.toml"))
    for file, name in FILES.items():
        shutil.copyfile(root / file, target / name)
    for chapter in (target / "docs").rglob("*.md"):
        chapter.write_text(_COMMAND.sub(f"{PACKAGE} ", chapter.read_text(encoding="utf-8")), encoding="utf-8")
    for module in target.rglob("*.py"):
        module.write_text(rename_imports(module.read_text(encoding="utf-8")), encoding="utf-8")


def rename_imports(source: str) -> str:
    """A module whose imports of ours begin with the package, and whose messages name the command that pip installs.

    Raises ValueError for `import core.x`, which binds the name of the folder: write `from core import x`.
    """
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(alias.name.split(".")[0] in OURS for alias in node.names):
            raise ValueError(f"line {node.lineno}: {ast.unparse(node)}. Write: from … import ….")
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            lines[node.lineno - 1] = _IMPORT.sub(rf"\1 {PACKAGE}.\2", lines[node.lineno - 1], count=1)
    return _COMMAND.sub(f"{PACKAGE} ", "".join(lines))
