"""The tables in documents that are made from the code: `make reference` writes them again.

A table stands between `<!-- NAME: make reference -->` and `<!-- /NAME -->` in any document of the root or of `docs/`. It is written
only once all tables are made: where one cannot be, no document is touched.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from core.metric_catalog import list_metrics, metrics_markdown
from core.models.pool import ModelPool
from core.stats.text_tables import markdown_table
from core.study import STUDIES, Outlet

ROOT = Path(__file__).parents[1]
_TABLE = re.compile(r"(<!-- ([\w-]+): make reference -->\n)(.*?)(\n<!-- /\2 -->)", re.DOTALL)


def _metrics() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return metrics_markdown(list_metrics(ModelPool("cpu", None, Path(folder))))


_OUTLETS: tuple[Outlet, ...] = ("page", "audit", "pack")
"""Outlets that a study may be without; a command and a call in Python all have."""


def _studies() -> str:
    """Every study with what it does and its outlets; for each that it does not have the reason."""
    lines = []
    for study in STUDIES:
        reasons = [study.without.get(outlet, "yes") for outlet in _OUTLETS]
        lines.append((f"`{study.name}`", study.group, study.does, *reasons))
    return markdown_table(("study", "group", "does", *_OUTLETS), lines).rstrip()


def _decisions() -> str:
    """Every decision, the newest first."""
    lines = []
    for file in sorted((ROOT / "docs" / "develop" / "decisions").glob("[0-9]*.md"), reverse=True):
        heading, _, date, *_ = file.read_text(encoding="utf-8").splitlines()
        number, _, title = heading.removeprefix("# ").partition(". ")
        lines.append((number, f"[{title}]({file.name})", date))
    return markdown_table(("", "decision", "date"), lines).rstrip()


TABLES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {"decisions": _decisions, "metrics": _metrics, "studies": _studies}
)
"""What makes each table, by the name between its marks."""


def rewritten_documents(root: Path) -> dict[Path, str]:
    """The documents of which a table is not as it would be made now, with their new text.

    Raises ValueError for a table that nothing makes, and for one that stands in no document.
    """
    documents = {path: path.read_text(encoding="utf-8") for path in [*root.glob("*.md"), *root.glob("docs/**/*.md")]}
    places = {path: [match[2] for match in _TABLE.finditer(text)] for path, text in documents.items()}
    named = {name for names in places.values() for name in names}
    if named != TABLES.keys():
        raise ValueError(
            f"Between marks stand the tables {sorted(named)}, and {sorted(TABLES)} can be made: mark each as "
            "<!-- NAME: make reference --> … <!-- /NAME -->."
        )
    made = {name: make() for name, make in TABLES.items()}
    rewritten = {path: _TABLE.sub(lambda m: f"{m[1]}{made[m[2]]}{m[4]}", documents[path]) for path in places}
    return {path: text for path, text in rewritten.items() if text != documents[path]}


def outdated_rows(root: Path) -> list[str]:
    """Rows of the tables that would not be made now; a row that is missing is none, as a new plugin is one file."""
    return [
        row
        for path, text in rewritten_documents(root).items()
        for row in path.read_text(encoding="utf-8").splitlines()
        if row not in text.splitlines()
    ]


def write_reference(root: Path) -> list[Path]:
    """Write every table again; which documents changed."""
    rewritten = rewritten_documents(root)
    for path, text in rewritten.items():
        whole = path.with_name(f".{path.name}.new")
        whole.write_text(text, encoding="utf-8")
        os.replace(whole, path)
    return list(rewritten)


if __name__ == "__main__":
    for changed in write_reference(ROOT):
        print(changed.relative_to(ROOT))  # noqa: T201  # says what it wrote
