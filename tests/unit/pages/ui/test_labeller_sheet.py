"""What goes to the browser of an annotator, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from annotations.campaigns.error_types import error_type_meanings
from annotations.campaigns.qualification import Stage
from annotations.campaigns.questions import QuestionSet, bundled_question_sets, read_questions
from annotations.campaigns.task_texts import ShownTask
from core.data.dataset import Refusal
from core.data.datasets.bump import Bump
from core.data.datasets.bundled import bundled_items
from core.text.displayed_text import NO_BLANK
from core.types import Context, ErrorType, Item, Span
from pages.ui.annotate.labeller import TaskView, read_draft, read_sent, shown_answers, stored_answers, task_view_data
from tests.doubles.released import BUMP, needs

WORK = ShownTask(
    7,
    3,
    Stage.WORK,
    {},
    document="It was noon. She left.",
    left="She left at noon.",
    right=None,
    explanation="",
    error_type="",
)


def questions(name: str) -> QuestionSet:
    return read_questions(bundled_question_sets()[name])


def work(**changes: Any) -> ShownTask:
    return replace(WORK, **changes)


def data(name: str, shown: ShownTask, **more: Any) -> dict[str, Any]:
    return task_view_data(TaskView(shown, questions(name), more.pop("mode", "work"), "Item 3", "stamp", **more))


def message(**changes: Any) -> dict[str, Any]:
    return {
        "reservation": 7,
        "revision": 0,
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


@pytest.mark.parametrize(
    ("left", "right", "differ"),
    [
        ("It fell in 1990 . He sang .", "It fell in 2005. He sang .", ("1990", "2005")),
        ("It fell . He sang .", "It fell. He  sang.", None),
        ("It fell.\nHe sang.", "It fell. He slept.", ("sang", "slept")),
        ("It fell.\nHe sang.", "It fell.\nHe\u00a0slept.", ("sang", "slept")),
        ("Ann fell. He sang.", "she fell. He sang.", ("Ann", "She")),
        ("It fell. He sang.", "It fell. He slept", ("sang", "slept")),
    ],
)
def test_blanks_do_not_tell_which_side_of_a_pair_was_edited(
    left: str, right: str, differ: tuple[str, str] | None
) -> None:
    sides = data("label-pairs", work(left=left, right=right))["task"]["parts"]
    for side, text, other in zip(sides, (left, right), differ or ("", ""), strict=True):
        shown = "".join(words for _, words in side["pieces"])
        assert len(shown) == len(text)
        assert " ." not in shown
        assert "  " not in shown
        assert [words.strip(NO_BLANK) for op, words in side["pieces"] if op] == ([other] if differ else [])
    same = ["".join(words for op, words in side["pieces"] if not op).replace(NO_BLANK, "") for side in sides]
    assert same[0] == same[1]


def test_close_sentences_stand_out_and_filled_in_answers_wait_for_their_person() -> None:
    document = "It is noon. The boat left. It is night."
    sheet = data("label-summaries", work(document=document, close=(Span(12, 26),)))["task"]
    assert sheet["document"] == [(0, "It is noon. ", []), (3, "The boat left.", []), (0, " It is night.", [])]
    assert sheet["help"].startswith("The marked sentences")
    sheet = data("label-summaries", work(suggested={"verdict": "consistent"}))["task"]
    assert sheet["answers"] == {"verdict": "consistent"}
    assert sheet["help"].startswith("Answers are filled in")
    plain = data("label-summaries", work())["task"]
    assert (plain["answers"], plain["help"]) == ({}, "")


def test_characters_that_turn_the_direction_of_a_text_are_seen() -> None:
    sheet = data("label-summaries", work(document="It is \u202enoon\u202c.", left="He\u2067 left."))["task"]
    assert sheet["document"] == [(0, "It is \u2426noon\u2426.", [])]
    assert sheet["parts"][0]["pieces"] == [(0, "He\u2426 left.")]


def test_an_explanation_stands_under_what_was_taken_out_and_put_in() -> None:
    changed, explanation = data("judge-explanations", work(right="She left at night.", explanation="Noon."))["task"][
        "parts"
    ]
    assert changed["pieces"] == [(0, "She left at "), (-1, "noon"), (1, "night"), (0, ".")]
    assert explanation["pieces"] == [(0, "Noon.")]


def test_an_explanation_of_a_summary_without_an_edit_stands_under_the_summary() -> None:
    summary, explanation = data("judge-summary-explanations", work(explanation="Noon."))["task"]["parts"]
    assert (summary["title"], summary["pieces"]) == ("Summary", [(0, "She left at noon.")])
    assert explanation["pieces"] == [(0, "Noon.")]


def test_an_edit_is_shown_and_checked_while_it_is_written() -> None:
    sheet = data("write-typed", work(error_type="Coreference"), draft={"answers": {"edit": "He left at noon."}})
    asked, summary = sheet["task"]["parts"]
    assert asked["note"].startswith(f"{error_type_meanings().meanings[ErrorType.COREFERENCE]} For example: ")
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


def tells(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs whose sides are not typed alike: what both share, quotes and dashes, the first letter, the end."""

    def typing(left: str, right: str) -> list[tuple[object, ...]]:
        sides = data("label-pairs", work(left=left, right=right))["task"]["parts"]
        return [_typing_of(side["pieces"]) for side in sides]

    return [pair for pair in pairs if len({*typing(*pair)}) > 1]


def _typing_of(pieces: Iterable[tuple[int, str]]) -> tuple[object, ...]:
    text = "".join(words for _, words in pieces).replace(NO_BLANK, "")
    shared = "".join(words for op, words in pieces if not op).replace(NO_BLANK, "")
    curly = bool(re.search("[\u201c\u201d\u2018\u2019]", text))
    return shared, curly, "\u2014" in text, text[:1].islower(), text.endswith(".")


def pairs_of(items: Iterable[Item | Refusal]) -> list[tuple[str, str]]:
    found = {item.example.id: item for item in items if isinstance(item, Item)}
    return [(found[item.parent].example.summary, item.example.summary) for item in found.values() if item.parent]


def test_no_bundled_pair_betrays_its_edited_side_by_how_it_was_typed() -> None:
    assert tells(pairs_of(bundled_items())) == []


@pytest.mark.slow
@needs("bump")
def test_no_pair_of_bump_betrays_its_edited_side_by_how_it_was_typed() -> None:
    pairs = pairs_of(Bump().read(BUMP))
    assert len(pairs) == 693
    assert tells(pairs) == []


def test_the_question_and_the_names_of_contexts_stand_before_their_words() -> None:
    contexts = (Context("Port", Span(0, 11)), Context("Sea", Span(13, 27)))
    task = work(document="It is noon.\n\nThe boat left.", contexts=contexts, question="When?")
    assert data("label-summaries", task)["task"]["document"] == [
        (0, "It is noon.\n\n", [("question", "Question: When?"), ("context", "Port")]),
        (0, "The boat left.", [("context", "Sea")]),
    ]
