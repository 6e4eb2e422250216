"""The lessons: short, on pages and examples that exist, and with something to be checked in each step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotations.people.people import Member, Role
from core.data.datasets.bundled import bundled_items
from core.types import PRECOMPUTED
from pages.server.docs_pages import page_names
from pages.ui.lessons import Lesson, Step, after, opening_query, read_lessons
from pages.ui.results.run_choice import BUNDLED_RUN
from pages.ui.shared.page_list import pages_of

LESSONS = read_lessons()
WORDS_A_MINUTE = 200  # of somebody who reads
SECONDS_A_STEP = 8  # to do what it asks for
STEP = """
[[steps]]
page = "Probe"
target = ".st-key-edits"
title = "One"
text = "Two."
"""


def test_there_are_eight_lessons_and_each_leads_to_the_next() -> None:
    assert len(LESSONS) == 8
    assert [after(LESSONS, name) for name in LESSONS] == [*list(LESSONS)[1:], ""]
    assert after(LESSONS, "") == ""


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS.keys())
def test_a_lesson_takes_about_two_minutes_and_its_chapter_exists(lesson: Lesson) -> None:
    words = sum(len(" ".join(_texts(step)).split()) for step in lesson.steps)
    minutes = words / WORDS_A_MINUTE + SECONDS_A_STEP * len(lesson.steps) / 60
    assert 1 < minutes < 2.6
    assert lesson.chapter in page_names()


def _texts(step: Step) -> list[str]:
    return [
        step.title,
        step.text,
        step.after,
        *[choice.text for choice in step.choices],
        *[choice.why for choice in step.choices[:1]],
    ]


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS.keys())
def test_a_lesson_is_on_pages_that_exist_and_opens_what_comes_with_touchstone(lesson: Lesson) -> None:
    assert lesson.pages <= {page.title for page in pages_of(Member("1", "Ada", Role.MANAGER))}
    assert lesson.steps[0].query
    bundled = {"example": {item.example.id for item in bundled_items()}, "run": {BUNDLED_RUN}, "dataset": {PRECOMPUTED}}
    opened = [(name, value) for step in lesson.steps for name, value in step.query.items() if name in bundled]
    assert [value for name, value in opened if value not in bundled[name]] == []


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS.keys())
def test_no_figure_of_a_page_is_in_a_lesson(lesson: Lesson) -> None:
    figures = re.findall(r"\d*\.\d+", " ".join(text for step in lesson.steps for text in _texts(step)))
    assert set(figures) <= {"1.0"}  # the edge of a noise band, whatever is measured


def test_a_step_on_a_page_that_another_step_opened_comes_back_to_what_it_opened() -> None:
    steps = [
        Step("Stress test", "", "", "", {"run": "bundled"}),
        Step("Stress test", "", "", ""),
        Step("Probe", "", "", ""),
        Step("Stress test", "", "", ""),
    ]
    assert [opening_query(steps, at) for at in range(4)] == [{"run": "bundled"}, {"run": "bundled"}, {}, {}]


@pytest.mark.parametrize(
    "task",
    [
        "",
        '[[steps.choices]]\ntext = "A"\nwhy = "B"',
        'done = "ins"\n[[steps.choices]]\ntext = "A"\nwhy = "B"\nright = "always"',
    ],
)
def test_a_step_needs_something_to_do_or_a_question_with_an_answer(tmp_path: Path, task: str) -> None:
    folder = tmp_path / "start" / "lessons"
    folder.mkdir(parents=True)
    head = 'place = 1\ntitle = "A"\nabout = "B"\nchapter = "guides/probe"\n'
    (folder / "one.toml").write_text(head + STEP + task, encoding="utf-8")
    with pytest.raises(ValueError, match="Step 1 of the lesson 'one'"):
        read_lessons(tmp_path)
