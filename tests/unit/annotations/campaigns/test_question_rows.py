"""A question set as rows, changed and read back."""

from __future__ import annotations

import pytest

from annotations.campaigns.question_rows import rows_of_questions, set_of_rows
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.store.records import RecordError


@pytest.mark.parametrize("name", bundled_question_sets())
def test_a_set_that_nobody_changed_comes_back_with_all_meanings(name: str) -> None:
    base = read_questions(bundled_question_sets()[name])
    again = read_questions(set_of_rows(base, rows_of_questions(base), base.title, base.measure))
    assert again == base.model_copy(update={"name": f"own-{name}"})


def test_questions_are_added_reworded_and_asked_after_an_answer() -> None:
    base = read_questions(bundled_question_sets()["label-summaries"])
    rows = rows_of_questions(base)
    rows[0]["ask"] = "Is it true?"
    rows.append(
        {
            "id": "tone",
            "ask": "How does it sound?",
            "kind": "choice",
            "options": "dry | warm = Warm",
            "when": "verdict = consistent",
        }
    )
    rows.append({"id": None, "ask": None, "low": float("nan")})
    changed = read_questions(set_of_rows(base, rows, "Mine", "tone"))
    assert (changed.title, changed.measure, changed.questions[0].ask) == ("Mine", "tone", "Is it true?")
    assert changed.questions[0].options == base.questions[0].options
    tone = changed.by_id["tone"]
    assert [(option.value, option.text) for option in tone.options] == [("dry", "dry"), ("warm", "Warm")]
    assert tone.when == {"verdict": ("consistent",)}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"options": ""}, "needs options"),
        ({"when": "verdict"}, "Write question = answer"),
        ({"id": "Two Words"}, "id"),
        ({"id": " "}, "consistent with the document.” has no id"),
        ({"kind": "scale", "low": 0.5}, "low is 0.5"),
    ],
)
def test_rows_that_make_no_set_are_named(change: dict[str, str], says: str) -> None:
    base = read_questions(bundled_question_sets()["label-summaries"])
    rows = rows_of_questions(base)
    rows[0] |= change
    with pytest.raises(RecordError, match=says):
        set_of_rows(base, rows, base.title, base.measure)


SIGNS = """
name: own-signs
title: Signs
unit: summary
measure: verdict
questions:
  - id: verdict
    ask: Is it right?
    kind: choice
    options:
      - {value: "all, or most", text: "All | most of it", means: "No error."}
      - {value: "a = b", text: "Not"}
  - {id: reason, ask: "Which?", kind: text, when: {verdict: ["all, or most"]}}
"""


def test_options_with_the_signs_of_the_table_stay_while_nobody_changes_them() -> None:
    base = read_questions(SIGNS)
    rows = rows_of_questions(base)
    rows[0]["ask"] = "Is it true?"
    changed = read_questions(set_of_rows(base, rows, base.title, base.measure))
    assert [question.options for question in changed.questions] == [question.options for question in base.questions]
    assert changed.by_id["reason"].when == base.by_id["reason"].when
    rows[0]["options"] += " | c = Neither"
    with pytest.raises(RecordError, match="Change its options in the YAML"):
        set_of_rows(base, rows, base.title, base.measure)
