"""The figures of reproduced papers beside ours in their pages: `make paper-figures` computes and writes them again, which takes minutes.

They stand between `<!-- figures: make paper-figures -->` and `<!-- /figures -->`. A file that `reproduce --json` wrote is taken in
place of computing where one is named.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.assessment.papers.paper_comparison import COLUMN_HEADS, PaperCoverage, format_coverage
from core.assessment.papers.published import read_published
from core.stats.text_tables import markdown_table
from tests.sources import ROOT

PAPERS = ("bump", "ramprasad", "longdoc", "summexecedit", "frank", "unieval")
_PLACE = re.compile(r"(<!-- figures: make paper-figures -->\n).*?(\n<!-- /figures -->)", re.DOTALL)
_STATES = {
    "within": "within the tolerance",
    "known": "beyond it with a known reason",
    "BEYOND": "beyond it",
    "waits": "wait for",
    "other texts": "of other texts, not compared",
    "ours alone": "ours alone",
    "unreadable": "unreadable",
}
_ORIGINS = {"computed": ", computed from the released files", "ours": ", our figures alone"}


def figures_markdown(paper: dict[str, Any], day: str) -> str:
    """Every table of a paper: how many cells agree, and the cells that were computed as `paper → ours`."""
    coverage = format_coverage(PaperCoverage(**paper["coverage"]))
    parts = [f"{paper['citation']}: [{paper['title']}]({paper['url']}). Computed on {day}. {coverage}"]
    for table in paper["tables"]:
        states = Counter(cell["state"] for cell in table["cells"])
        needs = " or ".join(sorted({cell["need"] for cell in table["cells"] if cell["state"] == "waits"}))
        counted = ", ".join(
            f"{states[state]} {words}{f' {needs}' if state == 'waits' else ''}"
            for state, words in _STATES.items()
            if states[state]
        )
        tolerances = sorted({cell["tolerance"] for cell in table["cells"]})
        tolerance = " or ".join(f"{one:g}" for one in tolerances)
        parts.append(f"### Table {table['table']}: {table['caption']}{_ORIGINS.get(table['origin'], '')}")
        parts.append(f"In {table['unit']}, tolerance {tolerance}. Of {len(table['cells'])} cells: {counted}.")
        if any(cell["ours"] is not None for cell in table["cells"]):
            parts.append(_cells_markdown(table["cells"], COLUMN_HEADS[table["origin"]]))
    return "\n\n".join(parts)


def _cells_markdown(cells: list[dict[str, Any]], head: str) -> str:
    known = [cell for cell in cells if cell["ours"] is not None]
    columns = list(dict.fromkeys(cell["column"] for cell in known))
    rows: dict[str, dict[str, str]] = {cell["row"]: {} for cell in known}
    for cell in known:
        rows[cell["row"]][cell["column"]] = f"{_number(cell['published'])} → {_number(cell['ours'])}"
    lines = [(row, *(values.get(column, "") for column in columns)) for row, values in rows.items()]
    return markdown_table((f"{head} → ours", *columns), lines).rstrip()


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def write_figures(papers: dict[str, dict[str, Any]], day: str) -> None:
    """Write the figures into the pages of these papers; raises ValueError for a page without their place."""
    for name, paper in papers.items():
        page = ROOT / "docs" / "papers" / f"{name}.md"
        text = page.read_text(encoding="utf-8")
        place = _PLACE.search(text)
        if not place:
            raise ValueError(f"{page} has no place <!-- figures: make paper-figures --> … <!-- /figures -->.")
        figures = f"{place[1]}{figures_markdown(paper, day)}{place[2]}"
        page.write_text(text.replace(place[0], figures), encoding="utf-8")


def compute(names: tuple[str, ...]) -> str:
    """What `reproduce --json` prints; a difference without a known reason leaves status 1, and is a figure all the same."""
    command = [sys.executable, "cli.py", "reproduce", *names, "--no-pack", "--json"]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout


if __name__ == "__main__":
    names = tuple(name for name in sys.argv[1:] if name in PAPERS) or PAPERS
    files = [Path(name) for name in sys.argv[1:] if name not in PAPERS]
    computed = json.loads(files[0].read_text(encoding="utf-8") if files else compute(names))
    titles = {read_published(name).title: name for name in PAPERS}
    write_figures({titles[paper["title"]]: paper for paper in computed}, datetime.now(UTC).date().isoformat())
