"""Probe as a script: what a run computes, keeps and says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from annotations.exchange.samples import load_samples
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.data.datasets.bundled import bundled_items
from core.data.documents.documents import DocumentPart
from core.text import edits as executable
from core.types import UNSTATED, ErrorType, Example, Grade, Intention, Item, StoredScore, Verdict
from pages.ui.probe import document_reading, pair_upload
from pages.ui.probe.board_rows import Board, BoardRow
from pages.ui.probe.board_scores import BOARD_KEY
from pages.ui.probe.opening import OPENING
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.score_board import BoardState
from pages.ui.probe.text_panes import EditorState
from pages.ui.shared.pair_link import pair_link
from tests.unit.pages.views.states import fill_record, record_values, state_of

Open = Callable[..., AppTest]

FIRST = bundled_items()[0].example


def board(app: AppTest) -> Board:
    assert not app.exception
    shown: Board = state_of(app, BoardState, BOARD_KEY).board
    return shown


def row(app: AppTest, spec: str) -> BoardRow:
    return next(row for row in board(app).rows if row.spec == spec)


def write(app: AppTest, text: str) -> AppTest:
    state_of(app, EditorState, EDITOR_KEY).text = text
    return app.run()


def said(app: AppTest) -> str:
    return " ".join(element.value for element in [*app.toast, *app.error, *app.info])


def captions(app: AppTest) -> str:
    return "\n".join(caption.value.replace("\\", "") for caption in app.caption)


def test_the_first_example_has_its_lexical_scores(probe: Open) -> None:
    app = probe()
    assert state_of(app, EditorState, EDITOR_KEY).text == FIRST.summary
    assert {line.spec: line.state for line in board(app).rows} == dict.fromkeys(["bleu", "coverage", "rouge2"], "ready")
    assert row(app, "rouge2").after == pytest.approx(0.7041, abs=1e-4)


def test_a_new_text_is_scored_beside_the_original(probe: Open) -> None:
    app = write(probe(), FIRST.summary + " Penguins arrived.")
    rouge = row(app, "rouge2")
    assert rouge.before == pytest.approx(0.7041, abs=1e-4)
    assert rouge.after is not None
    assert rouge.after < 0.7041
    assert board(app).sentences[-1] == "Penguins arrived."


def test_a_summary_in_another_language_is_named(probe: Open) -> None:
    app = probe()
    assert "Language" not in captions(app)
    app = write(app, "Der Frachter rammte am Dienstag den Kai, und niemand wurde bei dem Unfall verletzt.")
    assert "Language: English document, German summary" in captions(app)


def test_the_metrics_that_are_chosen_have_a_row(probe: Open) -> None:
    app = probe()
    state_of(app, ProbeState).metrics = ["conciseness", "rouge2[measured=f1]"]
    app.run()
    assert {line.spec for line in board(app).rows} == {"conciseness", "rouge2[measured=f1]"}


@pytest.mark.slow
def test_no_metric_at_all_is_no_error(probe: Open) -> None:
    app = probe()
    state_of(app, ProbeState).metrics = []
    assert board(app.run()).rows == ()


def test_a_label_lands_in_the_database(probe: Open, store: Store) -> None:
    app = write(probe(), FIRST.summary.replace("Tuesday", "Friday"))
    fill_record(app, verdict="inconsistent", confidence=5)
    app.run()
    app.button(key="save").click().run()
    assert "Saved: label of" in said(app)
    [label] = store.saved()
    assert (label.verdict, label.confidence, label.by) == ("inconsistent", 5, "local")


def test_the_same_label_saved_twice_is_one_row(probe: Open, store: Store) -> None:
    app = probe()
    fill_record(app, verdict="consistent")
    app.run()
    app.button(key="save").click().run()
    app.button(key="save").click().run()
    assert store.counts()["label"] == 1


@pytest.mark.slow
def test_a_changed_mind_is_another_revision(probe: Open, store: Store) -> None:
    app = probe()
    for verdict in ("consistent", "borderline", "consistent"):
        fill_record(app, verdict=verdict)
        app.run()
        app.button(key="save").click().run()
    assert [label.revision for label in store.saved()] == [3, 2, 1]


def test_a_kept_pair_carries_its_edit_and_its_scores(probe: Open, store: Store) -> None:
    app = write(probe(), FIRST.summary.replace("Tuesday", "Friday"))
    app.button(key="keep").click().run()
    [line] = store.saved()
    stored = store.pair(line.item_id)
    assert stored is not None
    assert [(edit.new, edit.by) for edit in stored.pair.edits] == [("Friday", "local")]
    assert {outcome.metric for outcome in stored.pair.outcomes} == {"rouge2", "bleu", "coverage"}


def test_a_demonstration_scores_edits_and_keeps_nothing(
    monkeypatch: pytest.MonkeyPatch, probe: Open, database: Path
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DEMO", "1")
    database.unlink()
    app = write(probe(), FIRST.summary + " Penguins arrived.")
    assert row(app, "rouge2").state == "ready"
    fill_record(app, verdict="consistent")
    app.run()
    assert not app.exception
    assert app.button(key="save").disabled
    assert app.button(key="keep").disabled
    assert app.button(key="keep").help == "Nothing is kept in this demo."
    assert not database.exists()


def test_a_german_summary_is_marked_where_the_metric_is_for_english_and_an_english_one_is_not(probe: Open) -> None:
    app = probe()
    assert row(app, "rouge2").unverified == ""
    app = write(
        app, "Der Hafen war am Dienstag geschlossen, weil ein Frachter an den Kai gefahren war. Niemand kam um."
    )
    assert row(app, "rouge2").unverified == "unverified: not English (de)"
    assert row(app, "bleu").unverified == ""


def test_what_an_edit_is_meant_to_be_travels_with_example_link_and_draft(probe: Open) -> None:
    variant = probe(example=OPENING)
    assert board(variant).meant == Intention(Verdict.INCONSISTENT, ErrorType.INTRINSIC_PREDICATE)
    assert "draft" not in variant.query_params
    edits = executable.recover(FIRST.summary, FIRST.summary.replace("Tuesday", "Friday"))
    query = pair_link(FIRST.id, FIRST.summary, edits, Intention(Verdict.INCONSISTENT, ErrorType.COREFERENCE))
    linked = probe(**{name: value for name, [value] in parse_qs(query[1:]).items()})
    assert board(linked).meant == Intention(Verdict.INCONSISTENT, ErrorType.COREFERENCE)
    draft = "".join(linked.query_params["draft"])
    assert board(probe(draft=draft)).meant == Intention(Verdict.INCONSISTENT, ErrorType.COREFERENCE)
    assert "intended is" in said(probe(example=FIRST.id, intended="wrong"))


def test_an_unknown_example_is_said_and_the_first_one_opened(probe: Open) -> None:
    app = probe(example="nobody-knows-this")
    assert "No example is called" in said(app)
    assert state_of(app, EditorState, EDITOR_KEY).text == FIRST.summary


def test_a_damaged_link_is_said_and_the_first_example_opened(probe: Open) -> None:
    app = probe(example=FIRST.id, edits="damaged")
    assert "cannot be read" in said(app)
    assert state_of(app, EditorState, EDITOR_KEY).text == FIRST.summary


def execute(app: AppTest, *records: tuple[str, str]) -> AppTest:
    """Execute replacements that are written as edit JSON."""
    names = ("original_text", "replace_text", "explanation")
    app.text_area(key="edit-json").set_value(
        json.dumps([dict(zip(names, (*record, "y"), strict=True)) for record in records])
    )
    return app.button(key="execute").click().run()


def test_edit_json_that_does_not_fit_is_answered_until_one_fits(probe: Open) -> None:
    app = execute(probe(), ("nowhere", "x"))
    assert "is not a substring of the summary" in said(app).replace("\\", "")
    assert state_of(app, EditorState, EDITOR_KEY).text == FIRST.summary
    execute(app, ("Tuesday", "Friday"), ("October", "March"))
    assert "is not a substring" not in said(app)
    assert state_of(app, EditorState, EDITOR_KEY).text == (
        FIRST.summary.replace("Tuesday", "Friday").replace("October", "March")
    )
    assert len([button for button in app.button if button.label == "Revert"]) == 2


def test_an_empty_document_is_asked_for(probe: Open) -> None:
    app = probe()
    app.text_area(key=ProbeState.pasted_summary.key).set_value("It was closed.")
    app.button(key="open-pasted").click().run()
    assert "The document is empty" in said(app)
    assert app.text_area(key=ProbeState.pasted_summary.key).value == "It was closed."
    assert state_of(app, EditorState, EDITOR_KEY).text == FIRST.summary


@pytest.mark.parametrize("name", ["a.txt", "b.md"])
def test_a_file_of_text_becomes_the_document_of_a_pair(probe: Open, name: str) -> None:
    app = probe()
    app.file_uploader(key=ProbeState.upload.key).set_value((name, b"The harbour was closed.", "")).run()
    assert app.text_area(key=ProbeState.pasted_document.key).value == "The harbour was closed."


def test_a_long_text_is_said_with_its_length_and_takes_the_place_of_the_field_while_its_file_is_there(
    probe: Open,
) -> None:
    app = probe()
    app.file_uploader(key=ProbeState.upload.key).set_value(("a.txt", b"A ship. " * 30_000 + b"End.", "")).run()
    assert any("with 240,004 characters" in caption.value for caption in app.caption)
    assert ProbeState.pasted_document.key not in [area.key for area in app.text_area]
    assert len(state_of(app, ProbeState).long_document) == 240_004
    app.file_uploader(key=ProbeState.upload.key).set_value([]).run()  # as a visit to another page does
    assert app.text_area(key=ProbeState.pasted_document.key).value == ""


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("b.txt", "Köln".encode("latin-1"), "is not UTF-8"),
        ("c.pdf", b"%PDF-1.7 broken", "is not a readable PDF"),
        ("d.odt", b"PK\x03\x04", "is not of a kind that can be read"),
        ("e.docx", b"PK\x03\x04", "is not a readable Word document"),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_message_and_loses_nothing(
    probe: Open, name: str, data: bytes, words: str
) -> None:
    app = probe()
    app.text_area(key=ProbeState.pasted_document.key).set_value("Typed before.")
    app.file_uploader(key=ProbeState.upload.key).set_value((name, data, "")).run()
    if reading := state_of(app, ProbeState).reading:
        assert reading.task.wait(30)
        app.run()
    assert words in said(app).replace("\\", "")
    assert app.text_area(key=ProbeState.pasted_document.key).value == "Typed before."
    assert state_of(app, EditorState, EDITOR_KEY).text == FIRST.summary


def test_a_pdf_that_takes_a_while_is_read_with_a_bar_and_replaces_what_was_typed_only_when_asked(
    probe: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(pair_upload, "_SHORT_S", 0.0)
    monkeypatch.setattr(document_reading, "read_parts", partial(two_pages, go))
    app = probe()
    app.text_area(key=ProbeState.pasted_document.key).set_value("Typed before.")
    app.file_uploader(key=ProbeState.upload.key).set_value(("a.pdf", b"%PDF-1.7", "")).run()
    assert app.button(key="cancel-()").label == "Cancel"
    app.text_area(key=ProbeState.pasted_document.key).set_value("Typed meanwhile.")
    go.set()
    reading = state_of(app, ProbeState).reading
    assert reading
    assert reading.task.wait(30)
    app.run()
    assert app.text_area(key=ProbeState.pasted_document.key).value == "Typed meanwhile."
    app.button(key="use-reading").click().run()
    assert app.text_area(key=ProbeState.pasted_document.key).value == "One.\n\nTwo."
    assert not [button for button in app.button if button.key == "use-reading"]


def test_a_pdf_that_was_read_is_the_document_of_a_pair_for_which_none_was_typed(
    probe: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    go.set()
    monkeypatch.setattr(pair_upload, "_SHORT_S", 0.0)
    monkeypatch.setattr(document_reading, "read_parts", partial(two_pages, go))
    app = probe()
    app.file_uploader(key=ProbeState.upload.key).set_value(("a.pdf", b"%PDF-1.7", "")).run()
    reading = state_of(app, ProbeState).reading
    assert not reading or reading.task.wait(30)
    app.text_area(key=ProbeState.pasted_summary.key).set_value("A summary.")
    app.button(key="open-pasted").click().run()
    pair = state_of(app, ProbeState).pair
    assert pair
    assert pair.document == "One.\n\nTwo."


def test_a_pdf_whose_reading_is_cancelled_leaves_what_was_typed(probe: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    monkeypatch.setattr(pair_upload, "_SHORT_S", 0.0)
    monkeypatch.setattr(document_reading, "read_parts", partial(two_pages, go))
    app = probe()
    app.text_area(key=ProbeState.pasted_document.key).set_value("Typed before.")
    app.text_area(key=ProbeState.pasted_summary.key).set_value("A summary.")
    app.file_uploader(key=ProbeState.upload.key).set_value(("a.pdf", b"%PDF-1.7", "")).run()
    reading = state_of(app, ProbeState).reading
    assert reading
    app.button(key="cancel-()").click().run()
    go.set()
    assert reading.task.wait(30)
    app.run()
    assert any("of 2 pages: the document is what it was" in caption.value for caption in app.caption)
    assert app.text_area(key=ProbeState.pasted_document.key).value == "Typed before."
    assert app.text_area(key=ProbeState.pasted_summary.key).value == "A summary."


def two_pages(go: threading.Event, _name: str, _data: bytes, *, clean: bool) -> Generator[DocumentPart]:
    assert clean
    yield DocumentPart("One.", 2)
    go.wait(30)
    yield DocumentPart("\n\nTwo.", 2)


def test_of_a_file_with_more_pairs_than_a_list_holds_one_is_found_by_its_words(
    probe: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_upload, "_MOST_LISTED", 2)
    lines = [f'{{"id": "p{n}", "document": "Rain fell {n}.", "summary": "It was wet {n}."}}' for n in range(4)]
    app = probe()
    app.file_uploader(key=ProbeState.upload.key).set_value(("a.jsonl", "\n".join(lines).encode(), "")).run()
    assert app.selectbox(key=ProbeState.uploaded_id.key).options == ["p0", "p1"]
    app.text_input(key=ProbeState.uploaded_words.key).set_value("WET 3").run()
    assert app.selectbox(key=ProbeState.uploaded_id.key).options == ["p3"]
    app.selectbox(key=ProbeState.uploaded_id.key).set_value("p3").run()
    assert state_of(app, EditorState, EDITOR_KEY).text == "It was wet 3."


def test_an_empty_summary_spoils_the_scores_and_nothing_else(probe: Open) -> None:
    app = write(probe(), "   ")
    assert row(app, "rouge2").state == "failed"
    assert "summary is empty" in row(app, "rouge2").message
    assert row(write(app, FIRST.summary), "rouge2").state == "ready"


def test_the_form_follows_the_summary_and_says_nothing_of_the_one_before(probe: Open) -> None:
    app = probe()
    seed = bundled_items()[0].example.id
    first, second = [item for item in bundled_items() if item.parent == seed and item.error_type][:2]
    state_of(app, ProbeState).pair = replace(state_of(app, ProbeState).pair, declared=first.edits)
    state_of(app, EditorState, EDITOR_KEY).text = first.example.summary
    state_of(app, EditorState, EDITOR_KEY).doc_rev += 1
    app.run()
    assert record_values(app, "explanation") == [first.edits[0].explanation]
    fill_record(app, verdict=Verdict.INCONSISTENT, grade=Grade.ENTIRELY)
    state_of(app, ProbeState).pair = replace(state_of(app, ProbeState).pair, declared=second.edits)
    state_of(app, EditorState, EDITOR_KEY).text = second.example.summary
    state_of(app, EditorState, EDITOR_KEY).doc_rev += 1
    app.run()
    assert record_values(app, "explanation") == [second.edits[0].explanation]
    assert record_values(app, "verdict", "grade") == [None, None]


def test_typing_leaves_the_verdict_and_takes_the_grade_of_an_explanation_that_is_gone(probe: Open) -> None:
    app = probe()
    first = next(item for item in bundled_items() if item.parent == bundled_items()[0].example.id and item.error_type)
    state_of(app, ProbeState).pair = replace(state_of(app, ProbeState).pair, declared=first.edits)
    state_of(app, EditorState, EDITOR_KEY).text = first.example.summary
    app.run()
    fill_record(app, verdict=Verdict.INCONSISTENT, grade=Grade.ENTIRELY)
    write(app, bundled_items()[0].example.summary + " Penguins arrived.")
    assert record_values(app, "explanation", "grade") == ["", None]
    assert record_values(app, "verdict") == [Verdict.INCONSISTENT]
    write(app, bundled_items()[0].example.summary)
    assert record_values(app, "verdict") == [None]  # that was said of another text


def test_a_label_of_the_edit_is_what_the_verdict_of_the_page_goes_by(probe: Open) -> None:
    app = write(probe(), FIRST.summary.replace("Tuesday", "Friday"))
    assert state_of(app, ProbeState).meant == UNSTATED
    [verdict] = [control for control in app.button_group if control.label == "The edited summary is"]
    verdict.select("inconsistent").run()
    assert state_of(app, ProbeState).meant == Intention(Verdict.INCONSISTENT)
    write(app, FIRST.summary)
    assert state_of(app, ProbeState).meant == UNSTATED


def with_rouge_waiting(app: AppTest) -> AppTest:
    """Move ROUGE-2 to the set that waits for the key; what was asked about the text before stays."""
    state_of(app, ProbeState).waits = {"rouge2": True}
    return write(app, FIRST.summary + " Penguins arrived.")


def test_what_waits_for_the_key_shows_the_number_of_the_older_text_as_such(probe: Open) -> None:
    app = with_rouge_waiting(probe())
    waiting = row(app, "rouge2")
    assert (waiting.state, waiting.message, waiting.parts) == ("waiting", "press Alt+S", ())
    assert waiting.before == waiting.after == pytest.approx(0.7041, abs=1e-4)
    assert row(app, "bleu").state == "ready"


def test_the_key_scores_what_waits_and_a_newer_text_makes_it_wait_again(probe: Open) -> None:
    app = with_rouge_waiting(probe())
    app.button(key="score-all").click().run()
    assert row(app, "rouge2").state == "ready"
    assert app.button(key="score-all").disabled
    assert row(app.run(), "rouge2").state == "ready"
    assert row(write(app, FIRST.summary + " Nobody arrived."), "rouge2").state == "waiting"


@pytest.mark.slow
def test_a_text_that_was_scored_before_needs_no_second_press(probe: Open) -> None:
    app = with_rouge_waiting(probe())
    app.button(key="score-all").click().run()
    assert row(write(app, FIRST.summary), "rouge2").state == "ready"
    assert row(write(app, FIRST.summary + " Penguins arrived."), "rouge2").state == "ready"


def test_the_number_of_an_older_text_is_not_kept(probe: Open, store: Store) -> None:
    app = with_rouge_waiting(probe())
    app.button(key="keep").click().run()
    [line] = store.saved()
    stored = store.pair(line.item_id)
    assert stored is not None
    assert {outcome.metric for outcome in stored.pair.outcomes} == {"bleu", "coverage"}


def test_beside_the_key_is_what_it_took_the_last_time(probe: Open) -> None:
    app = with_rouge_waiting(probe())
    assert [text.value for text in app.text if "waits" in text.value] == ["ROUGE-2 waits · last time: 0.1 s"]


def test_a_bench_on_which_nothing_waits_has_no_key(probe: Open) -> None:
    assert "score-all" not in {button.key for button in probe().button}


@pytest.mark.slow
def test_a_column_of_scores_is_shown_as_it_is_and_cannot_be_asked_anew(probe: Open, store: Store) -> None:
    example = Example("one", "Ship 1 left at noon.", "Ship 1 left at night.")
    item = Item(example, intended=Verdict.INCONSISTENT, scores=(StoredScore("their metric", 0.4375),))
    store.import_dataset(DatasetSource("ships", "generic", "ships.jsonl", "0" * 64), [item], dict)
    [sample] = load_samples(store, "ships")
    app = probe(example=sample.stored)
    captions = " ".join(one.value for one in app.caption).replace("\\", "")
    assert "they cannot be asked again: their metric 0.438" in captions
    state_of(app, ProbeState).metrics_opened = True
    app.run()
    app.text_input(key=ProbeState.typed_spec.key).set_value("their metric").run()
    assert any(
        "their metric is a column of scores of ships: numbers" in one.value.replace("\\", "") for one in app.error
    )
