"""The tables in documents that are made from the code: `make reference` writes them again.

A table stands between `<!-- NAME: make reference -->` and `<!-- /NAME -->` in any document of the root or of `docs/`. It is written
only once all tables are made: where one cannot be, no document is touched.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from pages.server.api_routes import openapi
from tests.reference_layers import layers_svg
from tests.reference_tables import ROOT, TABLES


def _openapi_json() -> str:
    return f"{json.dumps(openapi(), indent=1)}\n"


def _llms_txt() -> str:
    """The list of the documents in the form of llmstxt.org, from that of docs/index.md."""
    title, about, _, *sections = re.split(r"\n\n(?:## )?", (ROOT / "docs/index.md").read_text(encoding="utf-8").strip())
    lines = [title, "", f"> {' '.join(about.splitlines())}"]
    for heading, table in zip(sections[::2], sections[1::2], strict=True):
        rows = re.findall(r"^\| (\[.+?\]\(.+?\)) \| (.+) \|$", table, re.MULTILINE)
        lines += ["", f"## {heading}", "", *(f"- {link}: {subject}" for link, subject in rows)]
    return "\n".join([*lines, ""])


PICTURES = {
    "docs/develop/architecture.svg": layers_svg,
    "docs/reference/openapi.json": _openapi_json,
    "docs/llms.txt": _llms_txt,
}
"""Files that are made as a whole, by their place below the root."""
_TABLE = re.compile(r"(<!-- ([\w-]+): make reference -->\n)(.*?)(\n<!-- /\2 -->)", re.DOTALL)


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
    for place, draw in PICTURES.items():
        path = root / place
        documents[path], rewritten[path] = path.read_text(encoding="utf-8"), draw()
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
