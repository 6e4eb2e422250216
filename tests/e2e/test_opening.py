"""Texts from outside on Probe: files of all kinds, good and bad, pasted pairs, and very long ones."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from playwright.sync_api import expect
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from tests.e2e.bench import Bench, example
from tests.e2e.waiting import pick_option

pytestmark = pytest.mark.e2e


def upload(bench: Bench, name: str, data: bytes) -> None:
    bench.page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    )


@pytest.fixture
def opened(bench: Bench) -> Bench:
    """Probe with the popover for other texts open."""
    bench.page.get_by_role("button", name="Open a text").click()
    return bench


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


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"The harbour was closed."),
        ("b.md", b"The harbour was closed."),
        ("c.pdf", pdf("The harbour was closed.")),
    ],
)
def test_a_file_of_text_becomes_the_document_of_a_pair(opened: Bench, name: str, data: bytes) -> None:
    upload(opened, name, data)
    document = opened.page.get_by_role("textbox", name="Document")
    expect(document).to_have_value("The harbour was closed.")
    opened.page.get_by_placeholder("Paste a summary").fill("It was closed.")
    opened.press("Open the pair")
    opened.settled("The harbour was closed.", "It was closed.")


def test_a_broken_line_is_named_and_the_rest_of_the_file_opens(opened: Bench) -> None:
    pair = {"document": "The harbour was closed by a storm.", "summary": "It rained."}
    lines = [json.dumps({"id": "good", **pair}), "{broken", json.dumps({"id": "also", **pair})]
    upload(opened, "pairs.jsonl", "\n".join(lines).encode())
    expect(opened.page.get_by_text("2 summaries read")).to_be_visible()
    expect(opened.page.get_by_text("Line 2:")).to_be_visible()
    pick_option(opened.page.get_by_role("combobox", name="2 summaries read"), "also")
    opened.settled(pair["document"], pair["summary"])


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.txt", b"\x89PNG\r\n\x1a\n....", "is not text but an image"),
        ("b.txt", "Köln".encode("latin-1"), "is not UTF-8"),
        ("c.pdf", b"%PDF-1.7 broken", "is not a readable PDF"),
        ("d.docx", b"PK\x03\x04", "is not of a kind that can be read"),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_message_and_loses_nothing(
    opened: Bench, name: str, data: bytes, words: str
) -> None:
    opened.page.get_by_role("textbox", name="Document").fill("Typed before.")
    upload(opened, name, data)
    opened.message(words)
    expect(opened.page.get_by_role("textbox", name="Document")).to_have_value("Typed before.")
    expect(opened.box).to_have_value(example().example.summary)


def test_an_empty_document_is_asked_for(opened: Bench) -> None:
    opened.page.get_by_placeholder("Paste a summary").fill("It was closed.")
    opened.press("Open the pair")
    opened.message("The document is empty")
    expect(opened.page.get_by_placeholder("Paste a summary")).to_have_value("It was closed.")


def test_a_document_of_two_hundred_thousand_words_leaves_the_page_usable(opened: Bench) -> None:
    words = "The harbour of the town was closed by a storm on Tuesday again. "
    document = words * (200_000 // len(words.split()) + 1)
    upload(opened, "long.txt", document.encode())
    expect(opened.page.get_by_role("textbox", name="Document")).to_have_value(document)
    opened.page.get_by_placeholder("Paste a summary").fill("The harbour was closed on Tuesday.")
    opened.press("Open the pair")
    expect(opened.box).to_have_value("The harbour was closed on Tuesday.")
    for spec in ("rouge2", "bleu", "coverage", "entity-overlap"):
        expect(opened.row(spec)).to_contain_text("ready")
    opened.page.keyboard.press("Escape")
    opened.write("The harbour was closed on Tuesday by a flood.")
    expect(opened.page.locator("ins").first).to_contain_text("by a flood")
    expect(opened.score("rouge2", "shift")).not_to_have_text("0.000")
