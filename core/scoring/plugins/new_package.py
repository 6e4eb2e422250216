"""A package with a metric of one's own, written from the templates in `package/`."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template

from core.errors import BadSettingError

_TEMPLATES = Path(__file__).with_name("package")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def write_package(name: str, folder: Path) -> Path:
    """The folder of the package of a metric, which is made in `folder`.

    Raises BadSettingError for a name that cannot be a metric's, and for a folder that is there already.
    """
    module = name.replace("-", "_")
    if not _NAME.fullmatch(name) or keyword.iskeyword(module):
        raise BadSettingError(
            f"{name!r} is no name for a metric. Use small letters, digits and single hyphens, as my-metric."
        )
    package = folder / f"touchstone-{name}"
    if package.exists():
        raise BadSettingError(f"{package} is there already. Choose another name, or another folder with --to.")
    places = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        "__init__.py": f"touchstone_{module}/__init__.py",
        "metric.py": f"touchstone_{module}/metric.py",
        "test_metric.py": f"tests/test_{module}.py",
    }
    texts = {"name": name, "module": module, "function": module, "title": name.replace("-", " ").capitalize()}
    for template, place in places.items():
        file = package / place
        file.parent.mkdir(parents=True, exist_ok=True)
        source = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
        file.write_text(Template(source).substitute(texts), encoding="utf-8")
    return package
