"""A pin comes back from JSON as it was, and says what changed since."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from core.assessment.pinned.making import study_pin as pin_of_study
from core.assessment.pinned.pin import Pin, StudySource, pin_json, read_pin
from core.assessment.pinned.pin_comparison import PinChange, basis_of, compare
from core.errors import TouchstoneError
from core.evaluation.studies.shifts import Shifts
from core.evaluation.study import StudyData
from core.results.runs.bundled_run import bundled_run_lines
from core.results.runs.stress_run import run_from_lines
from tests.unit.core.assessment.pinned.pins import HOSTILE, audit, edited_pair, study_pin


@pytest.mark.parametrize("pin", [study_pin(HOSTILE), edited_pair(HOSTILE), audit(HOSTILE)], ids=lambda pin: pin.kind)
def test_a_pin_comes_back_from_json_as_it_was(pin: Pin) -> None:
    assert read_pin(pin_json(pin)) == pin


@pytest.mark.parametrize("text", ["", "{}", '{"title": "a"}'])
def test_what_is_no_pin_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(TouchstoneError, match=r"cannot be read .* pin the result again"):
        read_pin(text)


@pytest.mark.parametrize(
    ("now", "change", "sentence"),
    [
        (study_pin(), PinChange.NONE, "Unchanged: the same figures"),
        (study_pin(signature="rouge2|code:cd|touchstone:0.2.0"), PinChange.NONE, "Unchanged: the same figures"),
        (study_pin(samples=260), PinChange.DATA, r"Data changed: summaries 240 → 260\."),
        (study_pin("Other"), PinChange.DATA, "as many texts as before, but the figures are others"),
        (study_pin(signature="rouge2|stemmer:False"), PinChange.SIGNATURE, "Signature changed: ROUGE-2.* has another signature"),
        (replace(study_pin(), signatures={}), PinChange.SIGNATURE, "has no score any more"),
        (study_pin(samples=260, signature="rouge2|2"), PinChange.SIGNATURE, "The data changed too: summaries 240 → 260"),
    ],
)  # fmt: skip
def test_a_change_is_said_in_a_sentence(now: Pin, change: PinChange, sentence: str) -> None:
    result, words = compare(basis_of(study_pin()), basis_of(now))
    assert result is change
    assert re.search(sentence, words), words


def test_a_figure_in_the_last_digit_is_no_change() -> None:
    pin = study_pin()
    table = pin.content.tables[0]
    nearly = replace(table.rows[0][2], estimate=replace(table.rows[0][2].estimate, value=0.812 + 1e-12))
    rows = ((*table.rows[0][:2], nearly), table.rows[1])
    other = replace(pin, content=replace(pin.content, tables=(replace(table, rows=rows),)))
    assert compare(basis_of(pin), basis_of(other))[0] is PinChange.NONE


def test_an_audit_that_took_longer_is_unchanged() -> None:
    assert compare(basis_of(audit()), basis_of(audit(seconds=2.0)))[0] is PinChange.NONE


def test_one_finding_of_an_audit_has_its_sentence_and_its_pairs() -> None:
    pin = audit(question="sees-errors")
    assert pin.kind == "finding"
    assert pin.content.sentences == ("ROUGE-2: Does it see errors?",)
    assert len(pin.content.table().rows) == 1
    assert [pair.scores for pair in pin.pairs] == ["score 0.900 → failed"]


@pytest.mark.slow
def test_a_cell_of_a_matrix_is_pinned_with_its_pairs_and_the_signature_of_its_metric() -> None:
    run = run_from_lines(bundled_run_lines())
    data = StudyData(run=run)
    report = Shifts().run(data)
    cell = {"metric": "rouge2", "kind": "added"}
    pin = pin_of_study(Shifts(), data, report, StudySource("shifts", run="bundled", table="matrix", cell=cell))
    assert pin.kind == "cell"
    assert [row["kind"] for row in pin.content.table().records()] == ["added"]
    assert pin.signatures.keys() == {"rouge2"}
    assert pin.pairs
    assert all(pair.before != pair.after for pair in pin.pairs)


def test_a_table_and_a_chart_are_pinned_alone() -> None:
    pin = study_pin()
    table = pin_of_study(Shifts(), StudyData(), pin.content, StudySource("", table="measures"))
    assert (table.kind, len(table.content.tables), table.content.charts) == ("table", 1, ())
    chart = pin_of_study(Shifts(), StudyData(), pin.content, StudySource("", chart="areas"))
    assert (chart.kind, chart.content.tables, len(chart.content.charts)) == ("chart", (), 1)
