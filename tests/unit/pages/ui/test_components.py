"""The scripts of the components: what they are told by Python is what their types say, and their files become one."""

from __future__ import annotations

import re

import pytest

from annotations.campaigns.qualification import Stage
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.campaigns.task_texts import ShownTask
from pages.server.component_scripts import bundle_script, read_asset
from pages.ui.annotate.labeller import TaskView, task_view_data
from pages.ui.probe.board_rows import Board, BoardRow, board_data

_INTERFACE = re.compile(r"^export interface (\w+)[^{]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+):", re.MULTILINE)
FIELDS = {name: set(_FIELD.findall(body)) for name, body in _INTERFACE.findall(read_asset("types.d.ts"))}


def test_the_board_is_told_what_its_types_say() -> None:
    data = board_data(Board((BoardRow("rouge2", "ROUGE-2", "lexical"),), ("One.",)))
    (row,) = data["rows"]  # type: ignore[misc]  # a list, as the browser takes it
    assert {*data, "feed", "drawn", "clicks"} == FIELDS["BoardData"]
    assert set(row) == FIELDS["BoardRow"]


def test_the_labeller_is_told_what_its_types_say() -> None:
    questions = read_questions(bundled_question_sets()["label-summaries"])
    task = ShownTask(
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
    data = task_view_data(TaskView(task, questions, "work", "Item 3", "stamp"))
    assert set(data) == FIELDS["LabellerData"]
    assert set(data["task"]) == FIELDS["Task"]
    assert set(data["questions"][0]) == FIELDS["Question"]


def test_the_files_of_a_script_become_one_module_in_which_each_is_once() -> None:
    script = bundle_script("labeller.js")
    assert script.count("export default function") == 1
    assert len(re.findall(r"^(?:im|ex)port ", script, re.MULTILINE)) == 1
    defined = re.findall(r"^(?:function|const|let) (\w+)", script, re.MULTILINE)
    assert {"readUnsent", "movePick", "finder", "press", "scheduleDraft"} <= set(defined)
    assert len(defined) == len(set(defined))


@pytest.mark.parametrize(
    "name",
    ["board", "code_block", "copy_forms", "document", "editor", "labeller", "matrix", "palette", "sign_in", "tour"],
)
def test_no_two_files_of_a_script_have_the_same_name_at_their_top(name: str) -> None:
    defined = re.findall(r"^(?:function|const|let) (\w+)", bundle_script(f"{name}.js"), re.MULTILINE)
    assert defined
    assert len(defined) == len(set(defined))
