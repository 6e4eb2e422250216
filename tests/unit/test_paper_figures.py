"""The pages of papers show every table that is reproduced, with the paper's own figures."""

from __future__ import annotations

import re

import pytest

from core.assessment.papers.published import read_published
from tests.paper_figures import PAPERS, figures_markdown
from tests.sources import ROOT


def cell(state: str, published: float | None, ours: float | None) -> dict[str, object]:
    return {
        "row": "Overall",
        "column": state,
        "published": published,
        "ours": ours,
        "tolerance": 0.1,
        "state": state,
        "need": "weights",
    }


def test_cells_are_counted_by_state_and_shown_where_they_were_computed() -> None:
    cells = [cell("within", 91.9, 91.92), cell("known", 66.1, 66.3781), cell("waits", 1.0, None)]
    table = {"table": "4a", "caption": "Consistency", "unit": "percent", "origin": "computed", "cells": cells}
    coverage = {"printed": 3, "compared": 2, "waiting": {"weights": 1}, "unreadable": 0}
    paper = {
        "title": "T",
        "citation": "C",
        "url": "https://example.org",
        "coverage": coverage,
        "tables": [table],
    }
    text = figures_markdown(paper, "2026-11-25")
    assert "Of 3 cells: 1 within the tolerance, 1 beyond it with a known reason, 1 wait for weights." in text
    assert "| Overall | 91.9 → 91.92 | 66.1 → 66.38 |" in text
    assert "### Table 4a: Consistency, computed from the released files" in text
    assert "3 printed cells: 2 compared, 1 waiting (1 for weights), 0 unreadable." in text


@pytest.mark.parametrize("name", [name for name in PAPERS if name != "ramprasad"])  # whose page says that it waits
def test_a_page_has_every_table_of_its_paper(name: str) -> None:
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    shown = re.findall(r"^### Table (.+?): ", page, re.MULTILINE)
    assert {table.id for table in read_published(name).tables} <= {*shown}
