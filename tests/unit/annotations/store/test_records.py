"""What is refused before it reaches the database."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotations.store.records import EditAnswers, PairRecord, RecordError
from annotations.store.store import Store
from core.errors import EditError
from core.types import Edit, ExplanationFlaw, Grade, Span
from tests.unit.annotations.pair_samples import AFTER, ORIGINAL, PAIR, record


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"document": " \n"}, "document is empty"),
        ({"edited": ""}, "edited is empty"),
        ({"document": "The harbour\0 board"}, r"Character 12 of the document is U\+0000"),
        ({"document": "a" * 2_000_001}, "The document has 2,000,001 characters, and at most 2,000,000 are kept"),
        ({"title": "a" * 20_001}, "The pair's description has 20,001 characters"),
        ({"title": "half of an emoji \ud83d"}, r"Character 18 of the pair's description is U\+D83D"),
        ({"edits": (replace(PAIR.edits[0], explanation="why\0"),)}, r"an edit's explanation is U\+0000"),
        ({"edited": "The board rented two tugs."}, "do not turn the original"),
        ({"edited": ORIGINAL, "edits": (Edit(Span(0, 3), "The"),)}, "change nothing"),
        ({"outcomes": (replace(AFTER, score=float("nan")),)}, "not a finite number"),
        ({"outcomes": (replace(AFTER, example_id="bump-7"),)}, "'bump-7'"),
    ],
)
def test_a_pair_that_cannot_be_kept_is_refused_with_the_reason(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        replace(PAIR, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"annotator": ""}, "annotator is empty"),
        ({"event_id": " "}, "event_id is empty"),
        ({"note": "\0"}, r"Character 1 of the note or explanation is U\+0000"),
        ({"note": "a" * 20_001}, "The note or explanation has 20,001 characters, and at most 20,000"),
        ({"annotator": "a" * 301}, "at most 300 are kept"),
        ({"confidence": 6}, "confidence is 6"),
        ({"confidence": 0}, "confidence is 0"),
        ({"explanation": " "}, "no explanation to grade"),
        ({"grade": Grade.ENTIRELY, "cause": ExplanationFlaw.VAGUE}, "'partially' or 'not'"),
        ({"grade": None, "cause": ExplanationFlaw.VAGUE}, "'partially' or 'not'"),
    ],
)
def test_a_record_that_cannot_be_kept_is_refused_with_the_reason(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        record(**changes)


def test_an_edit_outside_the_summary_is_refused() -> None:
    with pytest.raises(EditError, match="outside the text"):
        replace(PAIR, edits=(Edit(Span(20, 99), "x"),))


@pytest.mark.parametrize(
    "answers",
    [(None, True), (False, False), (True, None, True), (True, False, True), (True, True, False, True)],
)
def test_a_question_is_answered_only_after_a_yes_to_the_one_before(answers: tuple[bool | None, ...]) -> None:
    with pytest.raises(RecordError, match="in order"):
        EditAnswers(*answers)


@pytest.mark.parametrize(
    "text",
    [
        'it\'s "quoted" `so`',
        "'); DROP TABLE label; --",
        "=cmd|' /C calc'!A0",
        "<script>alert(1)</script>",
        "👩‍🔬🧪 — naïve",
        "שלום עולם \u202eabc\u202c",
        "first\r\nsecond\ttab\u2028third\ufeff",
        "% %s :name {brace} \\ \\0",
    ],
)
def test_hostile_text_comes_back_as_it_went_in(store: Store, text: str) -> None:
    pair = PairRecord(text, text, text + text, (), by=text, title=text, domain=text, source=text)
    stored = store.pair(store.save_pair(pair).id)
    assert stored is not None
    assert stored.pair == pair
    store.save_label(record(annotator=text, event_id=text, note=text, explanation=text, explanation_by=text))
    assert {(row.by, row.note) for row in store.saved() if row.kind == "label"} == {(text, text)}
    store.save_draft(text, text, text)
    assert store.draft(text) == text
