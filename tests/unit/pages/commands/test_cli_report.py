"""`report` makes a report again from its TOML, says what changed, and ends with status 1 where something did."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from core.assessment.pinned.pin import PairSource, Pin, PinnedPart, PinnedReport, StudySource
from core.assessment.pinned.recipe import report_toml
from core.evaluation.report import Report
from core.types import PRECOMPUTED
from tests.sources import ROOT
from tests.unit.command_line import run

PAIR = PairSource(
    "The harbour was closed on Tuesday.", "It was closed.", "It was open.", ("rouge2",), verdict="Missed."
)
RANKS = StudySource("ranks", (PRECOMPUTED,), metrics=("bleu", "rouge2"))


def recipe(tmp_path: Path, *sources: PairSource | StudySource) -> Path:
    """A TOML without what the results were, as somebody writes it by hand."""
    pins = [Pin(f"Result {n}", one, Report("", "", ()), date(2026, 11, 25)) for n, one in enumerate(sources, start=1)]
    parts = (PinnedPart("# Before\n\nWords."), *(PinnedPart("", pin) for pin in pins))
    file = tmp_path / "report.toml"
    file.write_text(
        re.sub(r"\[part.then\]\nfigures.*\n", "", report_toml(PinnedReport("Harbour", parts))), encoding="utf-8"
    )
    return file


def test_a_report_is_written_in_every_form(tmp_path: Path, database: str) -> None:
    assert database
    file = recipe(tmp_path, PAIR, RANKS)
    forms = [tmp_path / f"out.{ending}" for ending in ("html", "tex", "md")]
    result = run("report", file, *(word for form in forms for word in ("--to", form)))
    assert result.exit_code == 0, result.output
    assert "Result 2: Made; nothing to compare with." in result.stderr
    for form in forms:
        text = form.read_text(encoding="utf-8")
        for words in ("Harbour", "Result 1", "Missed.", "BLEU"):
            assert words in text, (form, words)
    assert sorted(path.suffix for path in tmp_path.glob("out-*")) == [".pdf", ".svg"]


def test_what_changed_since_is_said_and_ends_with_status_1(tmp_path: Path, database: str) -> None:
    assert database
    file = recipe(tmp_path, PAIR)
    page = tmp_path / "out.html"
    then = '[part.then]\nfigures = "0"\nsignatures = { "rouge2" = "rouge2|stemmer:maybe" }\n'
    file.write_text(f"{file.read_text(encoding='utf-8')}{then}", encoding="utf-8")
    result = run("report", file, "--to", page)
    assert result.exit_code == 1, result.output
    sentence = "Signature changed: ROUGE-2 has another signature now."
    assert sentence in result.stderr
    assert sentence in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (replace(RANKS, datasets=("gone",)), "Part 2, Result 1, cannot be made here: .*gone"),
        (replace(RANKS, spec="rank"), "Part 2, Result 1, cannot be made here: .*rank"),
        (replace(RANKS, metrics=("bleu", "gone")), "gone has no score"),
        (StudySource("shifts", run="gone"), "no stress run 'gone' here"),
    ],
)
def test_what_is_not_here_is_named_with_its_part(source: StudySource, why: str, tmp_path: Path, database: str) -> None:
    assert database
    result = run("report", recipe(tmp_path, source))
    assert result.exit_code != 0
    assert re.search(why, str(result.exception)), result.exception


@pytest.mark.slow
def test_the_report_of_the_documents_is_made(tmp_path: Path, database: str) -> None:
    assert database
    chapter = (ROOT / "docs" / "guides" / "report.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```toml\n(.*?)```", chapter, re.DOTALL)
    file, page = tmp_path / "report.toml", tmp_path / "report.html"
    file.write_text(example, encoding="utf-8")
    result = run("report", file, "--to", page)
    assert result.exit_code == 0, result.output
    assert page.read_text(encoding="utf-8").count("<section") == 3
