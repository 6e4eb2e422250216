"""The whole way of a person on Probe: open, edit, look, judge, keep; what was kept is read from the database."""

from __future__ import annotations

import json
import re
from io import BytesIO

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from tests.e2e.bench import WORK_MS, Bench, example
from tests.e2e.waiting import download, idle, pick_option, press
from tests.unit.core.data.documents.test_documents import pages_pdf

pytestmark = pytest.mark.e2e

QUESTIONS = (
    "Is the error interesting",
    "Is the edit controlled",
    "Does the explanation say completely",
)
ONE_WORD = example("news-harbour/one-word")
DOCUMENT, SUMMARY = example().example.document, example().example.summary


def test_typing_moves_scores_every_change_can_be_taken_back_and_an_edit_is_judged_and_saved_once(bench: Bench) -> None:
    page, revert = bench.page, bench.page.get_by_role("button", name="Revert")
    noise = bench.row("rouge2").locator("td.noise")
    expect(noise).to_have_text("")
    first = SUMMARY.replace("eleven-metre", "twelve-metre")
    bench.write(first)
    bench.shows(first)
    expect(page.locator("del").first).to_contain_text("eleven")
    expect(page.locator("ins").first).to_contain_text("twelve")
    expect(bench.score("rouge2", "shift")).to_contain_text("▼")
    expect(noise.locator(".value")).to_have_text(re.compile(r"^(≈ )?\d+\.\d"), timeout=WORK_MS)
    expect(noise.locator(".mark")).to_be_visible()
    assert "harmless edits of about the same size" in (noise.get_attribute("title") or "")

    twice = first.replace("October", "March")
    bench.write(twice)
    bench.shows(twice)
    bench.press("Undo")
    bench.shows(first)
    bench.press("Redo")
    bench.shows(twice)
    revert.first.click()
    bench.shows(SUMMARY.replace("October", "March"))
    expect(revert).to_have_count(1)
    bench.press("Reset")
    bench.shows(SUMMARY)
    expect(page.get_by_role("button", name="Reset")).to_be_disabled()
    bench.press("Undo")
    bench.shows(SUMMARY.replace("October", "March"))
    bench.press("Reset")
    bench.shows(SUMMARY)

    bench.variant(ONE_WORD.title)
    bench.shows(ONE_WORD.example.summary)
    expect(page.locator("del").first).to_contain_text("requested")
    expect(page.locator("ins").first).to_contain_text("declined")
    expect(bench.score("rouge2", "shift")).to_have_text("▼ −0.010")

    bench.row("rouge2").locator(".title").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(bench.cell("rouge2", 2)).to_have_attribute("aria-pressed", "true")
    expect(bench.evidence()).to_have_count(1)
    expect(bench.evidence()).to_contain_text("the pilot requested a second tug")

    bench.tab("Record")
    bench.choose("The edited summary is", "Inconsistent")
    bench.choose("How sure are you?", "4")
    bench.choose(QUESTIONS[0], "No")
    expect(bench.chosen(QUESTIONS[0], "No")).to_be_checked()
    expect(page.get_by_role("radiogroup", name=QUESTIONS[1])).to_have_count(0)
    for question, later in zip(QUESTIONS, (*QUESTIONS[1:], None), strict=True):
        if later:
            expect(page.get_by_role("radiogroup", name=later)).to_have_count(0)
        bench.choose(question, "Yes")
    bench.choose("The explanation is", "Partially correct")
    bench.choose("because of", "Completeness")
    page.get_by_label("Note").fill("The office refused.")
    bench.press("Save label")
    bench.message("Saved: label of")

    [label] = bench.server.rows("SELECT * FROM label WHERE item_id = ?", receipt(page))
    assert (label["verdict"], label["confidence"], label["note"]) == ("inconsistent", 4, "The office refused.")
    assert (label["annotator"], label["revision"], label["blind"]) == ("local", 1, 0)
    [answers] = bench.server.rows("SELECT * FROM editjudgement WHERE item_id = ?", label["item_id"])
    assert [answers[name] for name in ("inconsistent", "interesting", "controlled", "explanation_good")] == [1] * 4
    [explanation] = bench.server.rows("SELECT * FROM explanation WHERE item_id = ?", label["item_id"])
    assert explanation["text"] == ONE_WORD.edits[0].explanation
    [judged] = bench.server.rows("SELECT * FROM explanationjudgement WHERE explanation_id = ?", explanation["id"])
    assert (judged["grade"], judged["cause"]) == ("partially", "completeness")


@pytest.mark.slow
def test_words_that_are_replaced_or_pasted_are_executable_edits_which_one_link_opens_again(bench: Bench) -> None:
    page = bench.page
    bench.replace("Tuesday", "Friday", "The document says Tuesday.")
    bench.shows(SUMMARY.replace("Tuesday", "Friday"))
    bench.tab("Edit JSON")
    written = page.locator(".st-key-edits-json").locator("pre")
    expect(written).to_contain_text("The document says Tuesday.")
    assert json.loads(written.inner_text()) == [
        {"original_text": "Tuesday", "replace_text": "Friday", "explanation": "The document says Tuesday."}
    ]

    bench.execute(json.dumps({"original_text": "tug", "replace_text": "rowing boat", "explanation": "No tug."}))
    for words in ("'tug' occurs 2 times", "1:", "2:", "lengthen original_text"):
        bench.message(words)
    bench.press("Use 2:")
    changed = SUMMARY.replace("one-tug", "one-rowing boat")
    bench.settled(DOCUMENT, changed)

    compared = page.locator(".st-key-comparison")
    expect(compared.locator("ins")).to_have_text("[inserted: Friday]")
    expect(compared.get_by_text("in the editor: ")).to_be_visible()
    table = download(compared.get_by_role("button", name="Comparison (CSV)")).read_text()
    assert {line.split(",")[1] for line in table.splitlines()[1:]} == {"A", "B", "in the editor"}
    press(page.get_by_role("button", name="Link"))
    page.goto(page.get_by_test_id("stCode").filter(has_text="pinned=").inner_text())
    expect(compared.locator("ins")).to_have_text("[inserted: Friday]")
    expect(bench.box).to_have_value(changed)


@pytest.mark.slow
def test_texts_from_outside_are_opened_and_a_bad_file_loses_nothing(bench: Bench) -> None:
    page = bench.page
    document, summary = page.get_by_role("textbox", name="Document"), page.get_by_placeholder("Paste a summary")
    bench.press("Open a text")
    document.fill("Typed before.")
    document.blur()
    upload(bench, "a.txt", b"\x89PNG\r\n\x1a\n....")
    bench.message("is not text but an image")
    expect(document).to_have_value("Typed before.")
    expect(bench.box).to_have_value(SUMMARY)
    upload(bench, "c.pdf", pdf("The harbour was closed."))
    expect(document).to_have_value("The harbour was closed.")
    summary.fill("It was closed.")
    bench.press("Open the pair")
    bench.settled("The harbour was closed.", "It was closed.")

    pair = {"document": "The harbour was closed by a storm.", "summary": "It rained."}
    lines = [json.dumps({"id": "good", **pair}), "{broken", json.dumps({"id": "also", **pair})]
    press(page.get_by_role("button", name="Open a text"))
    upload(bench, "pairs.jsonl", "\n".join(lines).encode())
    expect(page.get_by_text("2 summaries read")).to_be_visible()
    expect(page.get_by_text("Line 2:")).to_be_visible()
    pick_option(page.get_by_role("combobox", name="2 summaries read"), "also")
    bench.settled(pair["document"], pair["summary"])

    words = "The harbour of the town was closed by a storm on Tuesday again. "
    long = words * (50_000 // len(words.split()) + 1)
    press(page.get_by_role("button", name="Open a text"))
    upload(bench, "long.txt", long.encode())
    expect(page.get_by_text(f"The document is the file, with {len(long):,} characters")).to_be_visible()
    summary.fill("The harbour was closed on Tuesday.")
    bench.press("Open the pair")
    expect(bench.box).to_have_value("The harbour was closed on Tuesday.")
    for spec in ("rouge2", "bleu", "coverage", "entity-overlap"):
        expect(bench.row(spec)).to_contain_text("ready")
    page.keyboard.press("Escape")
    bench.write("The harbour was closed on Tuesday by a flood.")
    expect(page.locator("ins").first).to_contain_text("by a flood")
    expect(bench.score("rouge2", "shift")).not_to_have_text("0.000")


@pytest.mark.slow
def test_a_pdf_of_many_pages_shows_how_far_it_is_and_cancel_leaves_what_was_typed(bench: Bench) -> None:
    page = bench.page
    document, cancel = page.get_by_role("textbox", name="Document"), page.get_by_role("button", name="Cancel")
    bench.press("Open a text")
    document.fill("Typed before.")
    document.blur()
    upload(bench, "book.pdf", pages_pdf(1000, 150))
    expect(page.get_by_text(re.compile(r"\d+ of 1000 pages, \d+ left"))).to_be_visible()
    expect(document).to_have_value("Typed before.")
    press(cancel)
    expect(page.get_by_text(re.compile(r"Cancelled after \d+ of 1000 pages"))).to_be_visible()
    expect(cancel).to_have_count(0)
    expect(document).to_have_value("Typed before.")
    upload(bench, "book.pdf", pages_pdf(100, 150))
    document.fill("Not sent yet.")  # as the field was not left
    use = page.get_by_role("button", name="Use the text of book.pdf")
    expect(use).to_be_visible(timeout=WORK_MS)
    expect(document).to_have_value("Not sent yet.")
    press(use)
    expect(page.get_by_text("The document is the file, with")).to_be_visible(timeout=WORK_MS)


def receipt(page: Page) -> str:
    """The id of the item in the receipt on the screen."""
    return (
        page.get_by_test_id("stToast").filter(has_text="Saved").last.inner_text().split("of ")[1].split()[0].strip("`.")
    )


def upload(bench: Bench, name: str, data: bytes) -> None:
    field = bench.page.locator(".st-key-upload input[type=file]")
    field.wait_for(state="attached")
    idle(bench.page)  # a field that is drawn again loses its file
    field.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": data})


def pdf(words: str) -> bytes:
    """A page with these words."""
    writer, font = PdfWriter(), DictionaryObject()
    page = writer.add_blank_page(300, 300)
    font.update(
        {
            NameObject(k): NameObject(v)
            for k, v in (("/Type", "/Font"), ("/Subtype", "/Type1"), ("/BaseFont", "/Helvetica"))
        }
    )
    page[NameObject("/Resources")] = DictionaryObject(
        {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
    )
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 20 200 Td ({words}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)  # pypdf has no other way to add text
    file = BytesIO()
    writer.write(file)
    return file.getvalue()
