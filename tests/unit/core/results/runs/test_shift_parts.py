"""The shifts of a run by a field, and documents that are perturbed in place of summaries."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from core.errors import UnknownNameError
from core.evaluation import STUDIES, Report, StudyData, Table
from core.evaluation.studies.edit_discrimination import ALL_KINDS
from core.results import (
    RUN_FIELDS,
    Shift,
    bundled_run_lines,
    outside_note,
    run_from_lines,
    score_shifts,
    shift_parts,
)
from core.stats import Estimate
from tests.unit.command_line import run

PAIRS = [
    {
        "id": "a",
        "document": "The ferry left Kiel with forty cars. She reached Oslo at night.",
        "summary": "The ferry left Kiel.",
    },
    {"id": "b", "document": "Rain.", "summary": "It rained."},
]


def shift(kind: str, **changes: object) -> Shift:
    made = Shift("a", kind, "rouge2", "doc", "news", 0.5, 0.4, 1)
    return replace(made, **changes)


def test_each_field_parts_the_shifts() -> None:
    shifts = [shift("negation"), shift("repeated", words=9, domain="law"), shift("negation", words=3, domain="")]
    assert {name: len(part) for name, part in shift_parts(shifts, "domain").items()} == {"law": 1, "news": 1}
    assert {*shift_parts(shifts, "error_type")} == {"Intrinsic Predicate"}
    assert "breaking" in shift_parts(shifts, "intent")
    assert {*shift_parts(shifts, "words")} == {"1 word changed", "2 to 5 words changed", "more words changed"}
    with pytest.raises(UnknownNameError, match="field of a run"):
        shift_parts(shifts, "author")
    assert {*RUN_FIELDS} == {"domain", "error_type", "intent", "words"}


@pytest.mark.parametrize("view", ["matrix", "discrimination"])
def test_a_study_of_a_run_has_rows_of_each_part_with_its_documents(view: str) -> None:
    bundled = run_from_lines(bundled_run_lines())
    data = StudyData(run=bundled, run_name="bundled")
    report = STUDIES.get("shifts")(view=view, by="domain").run(data)  # type: ignore[call-arg]
    [parts] = [table for table in report.tables if table.name == "parts"]
    domains = {source.domain for source in bundled.sources.values()}
    assert {row[0] for row in parts.rows} <= domains
    assert len({row[0] for row in parts.rows}) > 1
    place = next(number for number, column in enumerate(parts.columns) if column.name == "documents")
    groups = {shift.group for shift in score_shifts(bundled)}
    assert all(0 < row[place] < len(groups) for row in parts.rows)


def parts_of(view: str, by: str, **changes: object) -> tuple[Table, Report]:
    bundled = run_from_lines(bundled_run_lines())
    sources = {id: replace(source, **changes) for id, source in bundled.sources.items()}
    report = STUDIES.get("shifts")(view=view, by=by).run(  # type: ignore[call-arg]
        StudyData(run=replace(bundled, sources=sources), run_name="bundled")
    )
    [parts] = [table for table in report.tables if table.name == "parts"]
    return parts, report


@pytest.mark.parametrize("by", ["error_type", "intent"])
def test_errors_of_a_part_are_compared_with_the_harmless_edits_of_the_run(by: str) -> None:
    parts, _ = parts_of("matrix", by)
    moves = dict.fromkeys(parts.cells("move"))
    assert {"within noise", "right way"} <= moves.keys()
    discriminated, report = parts_of("discrimination", by)
    areas = [cast("Estimate", area).value for area in discriminated.cells("against_harmless")]
    assert None not in areas
    if by == "intent":
        overall = [row for row in report.tables[0].rows if row[1] == ALL_KINDS]
        assert areas == [cast("Estimate", row[3]).value for row in overall]


def test_documents_are_those_of_the_row() -> None:
    parts, _ = parts_of("matrix", "domain")
    pairs, documents = parts.cells("n"), parts.cells("documents")
    assert all(0 < int(str(few)) <= int(str(n)) for few, n in zip(documents, pairs, strict=True))


def test_summaries_without_a_value_are_counted() -> None:
    parts, _ = parts_of("matrix", "domain", domain="")
    assert parts.rows == ()
    [note] = parts_of("matrix", "error_type")[0].notes
    assert note.endswith("perturbations have no error type, and are in no row.")
    shifts = [shift("negation"), shift("negation", source="b", domain="")]
    assert outside_note(shifts, "domain") == ("1 of 2 summaries have no domain, and are in no row.",)
    assert outside_note(shifts, "words") == ()


def test_a_document_is_perturbed_and_its_summary_stays(tmp_path: Path) -> None:
    pairs, output = tmp_path / "pairs.jsonl", tmp_path / "variants.jsonl"
    pairs.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    result = run("perturb", pairs, "--of", "document", "--kind", "negation", "-o", output)
    assert result.exit_code == 0, result.output
    made, refused = map(json.loads, output.read_text(encoding="utf-8").splitlines())
    assert (made["summary"], made["original_document"]) == (PAIRS[0]["summary"], PAIRS[0]["document"])
    assert made["document"] != made["original_document"]
    assert "label" not in made
    assert (refused["status"], refused["document"]) == ("refused", "Rain.")
    assert refused["error"].startswith("The document, read in place of a summary: ")
    assert "“summary” is the document" in result.output
    assert {edit["explanation"] for edit in made["document_edits"]} == {""}
