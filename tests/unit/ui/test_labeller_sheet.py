"""What goes to the browser of an annotator, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.campaigns.qualification import Stage
from annotations.campaigns.questions import QuestionSet, bundled_question_sets, read_questions
from annotations.campaigns.queue import ShownTask
from pages.ui.annotate.labeller import TaskView, read_draft, read_sent, shown_answers, stored_answers, task_view_data

WORK = ShownTask(7, 3, Stage.WORK, "It was noon. She left.", "She left at noon.", None, "", "", {})


def questions(name: str) -> QuestionSet:
    return read_questions(bundled_question_sets()[name])


def work(**changes: Any) -> ShownTask:
    return ShownTask(**{**{name: getattr(WORK, name) for name in WORK.__slots__}, **changes})


def data(name: str, shown: ShownTask, **more: Any) -> dict[str, Any]:
    return task_view_data(TaskView(shown, questions(name), more.pop("mode", "work"), "Item 3", "stamp", **more))


def message(**changes: Any) -> dict[str, Any]:
    return {
        "reservation": 7,
        "act": "answer",
        "reason": "",
        "event_id": "0" * 32,
        "answers": {"verdict": "consistent"},
        "active_ms": 10,
        "wall_ms": 20,
        "seq": 1,
        **changes,
    }


def test_a_pair_shows_in_which_words_its_sides_differ_and_not_which_is_the_original() -> None:
    left, right = data("label-pairs", work(right="She left at night."))["task"]["parts"]
    assert left["pieces"] == [(0, "She left at "), (2, "noon"), (0, ".")]
    assert right["pieces"] == [(0, "She left at "), (2, "night"), (0, ".")]
    assert (left["side"], right["side"]) == ("left", "right")


def test_an_explanation_stands_under_what_was_taken_out_and_put_in() -> None:
    changed, explanation = data("judge-explanations", work(right="She left at night.", explanation="Noon."))["task"][
        "parts"
    ]
    assert changed["pieces"] == [(0, "She left at "), (-1, "noon"), (1, "night"), (0, ".")]
    assert explanation["pieces"] == [(0, "Noon.")]


def test_an_edit_is_shown_and_checked_while_it_is_written() -> None:
    sheet = data("write-typed", work(error_type="Coreference"), draft={"answers": {"edit": "He left at noon."}})
    asked, summary = sheet["task"]["parts"]
    assert asked["note"] == "A pronoun or name that points to the wrong thing or to none."
    assert summary["pieces"] == [(-1, "She"), (1, "He"), (0, " left at noon.")]
    assert sheet["preview"] == {"pieces": summary["pieces"], "refusal": ""}
    refused = data("write-free", work(), draft={"answers": {"edit": "She left at noon!"}})
    assert refused["preview"]["refusal"].startswith("Only punctuation")
    assert data("write-free", work(), draft={"answers": {"edit": "She left at noon."}})["preview"] is None


def test_a_rewritten_summary_is_stored_as_executable_edits_and_shown_as_text_again() -> None:
    stored = stored_answers(questions("write-free"), WORK, {"possible": "yes", "edit": "He left at noon."})
    assert stored["edit"] == [{"original_text": "She", "replace_text": "He", "explanation": ""}]
    shown = shown_answers(questions("write-free"), work(answers=stored))
    assert shown["edit"] == "He left at noon."


def test_line_ends_that_a_text_box_cannot_hold_are_no_edit() -> None:
    shown = work(left="She left.\r\nIt was noon.")
    stored = stored_answers(questions("write-free"), shown, {"edit": "He left.\nIt was noon."})
    assert [(edit["original_text"], edit["replace_text"]) for edit in stored["edit"]] == [("She", "He")]


def test_sentences_come_along_only_where_passages_are_marked() -> None:
    assert data("label-summaries", WORK)["task"]["sentences"] == ((0, 12), (13, 22))
    assert data("edit-quality", work(right="She left at night."))["task"]["sentences"] == ()


@pytest.mark.parametrize(
    ("mode", "allowed"),
    [
        ("work", {"save", "previous", "undo", "skip", "flag"}),
        ("again", {"save", "next", "previous", "undo"}),
        ("revealed", {"save", "previous"}),
        ("feedback", {"next", "previous"}),
    ],
)
def test_only_what_makes_sense_can_be_pressed(mode: Any, allowed: set[str]) -> None:
    can = data("label-summaries", WORK, mode=mode, answered=2)["can"]
    assert {act for act, possible in can.items() if possible} == allowed


def test_a_press_about_another_task_or_of_another_shape_is_not_read() -> None:
    asked = questions("label-summaries")
    sent = read_sent(message(), asked, WORK)
    assert sent is not None
    assert (sent.act, sent.answers, sent.active_ms) == ("answer", {"verdict": "consistent"}, 10)
    for wrong in ({"reservation": 8}, {"act": "settle"}, {"event_id": "short"}, {"answers": []}, {"wall_ms": "20"}):
        assert read_sent(message(**wrong), asked, WORK) is None
    assert read_sent(None, asked, WORK) is None


def test_half_done_answers_are_read_with_their_time() -> None:
    assert read_draft(message(), WORK) == {
        "answers": {"verdict": "consistent"},
        "active_ms": 10,
        "wall_ms": 20,
        "seq": 1,
    }
    assert read_draft(message(reservation=8), WORK) is None
    assert read_draft("nothing", WORK) is None
