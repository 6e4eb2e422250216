"""Several edits of one summary on Probe: pinned, scored side by side, kept by draft and link."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core.data.datasets.bundled import bundled_items
from core.results.runs.null_bands import NullBand
from core.text import edits as executable
from core.types import UNSTATED, ErrorType, Intention, Verdict
from pages.ui.probe.board_rows import BoardRow, Noise
from pages.ui.probe.comparison import ComparedEdit, comparison_csv, comparison_table
from pages.ui.probe.pair import EDITOR_KEY, MAX_PINNED
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.text_panes import EditorState
from pages.ui.shared.pair_link import PinnedEdit, pair_link, unpack_pinned
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

FIRST = bundled_items()[0].example
BROKEN = Intention(Verdict.INCONSISTENT, ErrorType.INTRINSIC_ENTITY)
NOISE = Noise(NullBand(-0.02, 0.01, 0.01, 32))


def pinned(new: str, meant: Intention = UNSTATED) -> PinnedEdit:
    return PinnedEdit(tuple(executable.recover(FIRST.summary, FIRST.summary.replace("Tuesday", new))), meant)


def table(app: AppTest) -> dict[str, dict[str, str]]:
    assert not app.exception
    [shown] = [one.value for one in app.dataframe if "A" in one.value.columns]
    found: dict[str, dict[str, str]] = shown.to_dict()
    return found


def execute(app: AppTest, new: str, **more: str) -> AppTest:
    record = {"original_text": "Tuesday", "replace_text": new, "explanation": "Another day.", **more}
    app.text_area(key="edit-json").set_value(json.dumps(record))
    return app.button(key="execute").click().run()


def test_a_second_edit_json_pins_the_first_and_both_are_scored_against_the_original(probe: Open) -> None:
    app = execute(execute(probe(), "Friday", intended="inconsistent"), "Sunday")
    [first] = state_of(app, ProbeState).pinned
    assert ([edit.new for edit in first.edits], first.meant.verdict) == (["Friday"], Verdict.INCONSISTENT)
    assert list(table(app)) == ["A", "B", "in the editor"]
    assert table(app)["A"]["ROUGE-2"] == "0.704"
    assert table(app)["B"]["ROUGE-2"].startswith("0.6")
    assert "(−0.0" in table(app)["B"]["ROUGE-2"]


@pytest.mark.slow
def test_a_pinned_edit_is_put_back_into_the_editor_and_unpinned(probe: Open) -> None:
    app = execute(execute(probe(), "Friday"), "Sunday")
    app.button(key="open-pinned-0").click().run()
    assert "Friday" in state_of(app, EditorState, EDITOR_KEY).text
    assert list(table(app)) == ["A", "B"]
    assert app.button(key="pin").disabled
    app.button(key="unpin-0").click().run()
    assert state_of(app, ProbeState).pinned == ()
    assert not [one for one in app.dataframe if "A" in one.value.columns]


def test_pinned_edits_come_back_with_the_draft_and_go_with_another_pair(probe: Open) -> None:
    app = execute(execute(probe(), "Friday", error_type="Intrinsic Entity"), "Sunday")
    again = probe(draft="".join(app.query_params["draft"]))
    assert state_of(again, ProbeState).pinned == state_of(app, ProbeState).pinned
    other = next(item for item in bundled_items() if item.example.document != FIRST.document)
    again.selectbox(key="example").select(other.example.id).run()
    assert state_of(again, ProbeState).pinned == ()


@pytest.mark.slow
def test_one_link_carries_all_edits(probe: Open) -> None:
    edits = [pinned("Friday", BROKEN), pinned("Sunday")]
    query = parse_qs(pair_link(FIRST.id, FIRST.summary, (), UNSTATED, edits)[1:])
    app = probe(**{name: value for name, [value] in query.items()})
    assert [one.meant for one in state_of(app, ProbeState).pinned] == [BROKEN, UNSTATED]
    assert list(table(app)) == ["A", "B", "C"]
    assert "draft" in app.query_params  # a reload finds them as well
    damaged = probe(example=FIRST.id, pinned="damaged")
    assert "cannot be read" in " ".join(toast.value for toast in damaged.toast)


def test_a_link_of_another_summary_is_refused() -> None:
    packed = parse_qs(pair_link(FIRST.id, FIRST.summary, (), UNSTATED, [pinned("Friday")])[1:])["pinned"][0]
    with pytest.raises(Exception, match="cannot be read"):
        unpack_pinned(packed, "A summary that says something else.")


@pytest.mark.slow
def test_no_more_are_pinned_than_fit(probe: Open) -> None:
    app = probe()
    for number in range(MAX_PINNED + 2):
        app = execute(app, f"day {number}")
    assert len(state_of(app, ProbeState).pinned) == MAX_PINNED
    assert app.button(key="pin").disabled


def test_the_table_colours_by_the_noise_and_the_file_says_the_same() -> None:
    row = BoardRow("rouge2", "ROUGE-2", "Lexical", before=0.5, after=0.4, low=0.0, high=1.0, noise=NOISE)
    still = BoardRow("bleu", "BLEU", "Lexical", before=0.5, after=0.49, low=0.0, high=1.0, noise=NOISE)
    unscored = BoardRow("coverage", "Coverage", "Lexical", low=0.0, high=1.0)
    one = ComparedEdit("B", "It was Friday.", BROKEN, (row, still, unscored))
    cells, styles = comparison_table([one])
    assert list(cells["A"]) == ["0.500", "0.500", "–"]
    assert list(cells["B"]) == ["0.400 (−0.100)", "0.490 (−0.010)", "–"]
    assert ["29, 95, 191" in styles["B"].iloc[0], "128" in styles["B"].iloc[1], styles["B"].iloc[2]] == [True, True, ""]
    assert "1 of 2 metrics noticed" in one.verdict
    lines = list(csv.DictReader(io.StringIO(comparison_csv("It was Tuesday.", [one]).removeprefix("\ufeff"))))
    assert [(line["edit"], line["metric"], line["score"]) for line in lines[:3]] == [
        ("A", "rouge2", "0.5"),
        ("A", "bleu", "0.5"),
        ("A", "coverage", ""),
    ]
    assert [(line["summary"], line["reaction"]) for line in lines[3:5]] == [
        ("It was Friday.", "right way"),
        ("It was Friday.", "within noise"),
    ]


def test_no_cell_of_the_file_is_a_formula() -> None:
    row = BoardRow("rouge2", "ROUGE-2", "Lexical", before=0.5, after=0.4, low=0.0, high=1.0, noise=NOISE)
    attack = ComparedEdit("B", '=HYPERLINK("http://evil.example")', BROKEN, (row,))
    lines = list(csv.DictReader(io.StringIO(comparison_csv("+1+1", [attack]).removeprefix("\ufeff"))))
    assert [line["summary"] for line in lines] == ["'+1+1", '\'=HYPERLINK("http://evil.example")']
    assert float(lines[1]["shift"]) == pytest.approx(-0.1)
