"""A PDF gives the text that its writer was given: joined, in order, without what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path

import matplotlib
import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

from core.data.documents.documents import DocumentText, read_document
from core.models import ModelPool
from core.scoring import METRICS, AnswerCache, Engine
from core.types import Example, Result

_STYLES = getSampleStyleSheet()
BODY = ParagraphStyle("justified", parent=_STYLES["BodyText"], alignment=4)
HEADING, TITLE = _STYLES["Heading2"], _STYLES["Title"]
SENTENCES = (
    "The harbour board of Westmere met on Tuesday to vote on the dredging of the north channel, which has silted up since "
    "the storm of last winter. Its chair said that the work would cost 3.4 million and begin in May, and that two firms had "
    "made offers. A pilot who has worked in the port for thirty years called the plan overdue. Fishermen asked for a pause "
    "in the spawning season; the board agreed to leave out the last week of April."
)


def drawn(pages: Sequence[Sequence[tuple[float, float, str]]], size: float = 12) -> bytes:
    """A PDF of lines that are drawn at places, each (left, height, text)."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=A4)
    for lines in pages:
        canvas.setFont("Helvetica", size)
        for left, height, text in lines:
            canvas.drawString(left, height, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def paragraph_lines(*lines: str) -> bytes:
    return drawn([[(70, 780 - 16 * place, line) for place, line in enumerate(lines)]])


def built(story: list[Flowable]) -> bytes:
    file = BytesIO()
    SimpleDocTemplate(file, pagesize=A4).build(story)
    return file.getvalue()


def columned(story: list[Flowable], number: int, decorate: Callable[[Canvas, BaseDocTemplate], None]) -> bytes:
    file = BytesIO()
    document = BaseDocTemplate(file, pagesize=A4)
    width = (document.width - 18 * (number - 1)) / number
    frames = [
        Frame(document.leftMargin + place * (width + 18), 80, width, 640, leftPadding=0, rightPadding=0)
        for place in range(number)
    ]
    document.addPageTemplates(PageTemplate(frames=frames, onPage=decorate))
    document.build(story)
    return file.getvalue()


def read(data: bytes) -> DocumentText:
    return read_document("a.pdf", data)


def test_words_are_joined_over_line_ends_and_real_hyphens_stay() -> None:
    document = read(
        paragraph_lines(
            "The har-",
            "bour board voted unan-",
            "imously to deepen the chan-",
            "nel in mid-",
            "winter, a well-",
            "known plan. It cost 3-",
            "4 million, as the decision-",
            "making board of Alsace-",
            "Lorraine wrote.",
        )
    )
    assert document.text == (
        "The harbour board voted unanimously to deepen the channel in mid-winter, a well-known plan. It cost 3-4 million, as "
        "the decision-making board of Alsace-Lorraine wrote."
    )
    assert document.cleaning["words joined over line ends"] == 3
    assert document.cleaning["hyphens kept at line ends"] == 5


def test_a_divided_word_is_written_as_it_stands_elsewhere_in_the_document() -> None:
    text = read(paragraph_lines("The re-election and the website. The re-", "election of the web-", "site.")).text
    assert text == "The re-election and the website. The re-election of the website."


def test_words_of_another_language_are_joined_and_a_hyphen_before_und_stays() -> None:
    lines = ("Der Hafenvor-", "stand hat die Nord-", "und Südseite vertieft.")
    assert read(paragraph_lines(*lines)).text == "Der Hafenvorstand hat die Nord- und Südseite vertieft."


def test_ligatures_are_folded_and_soft_hyphens_removed() -> None:
    pdfmetrics.registerFont(TTFont("DejaVu", f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf"))
    file = BytesIO()
    canvas = Canvas(file)
    canvas.setFont("DejaVu", 12)
    canvas.drawString(70, 700, "The of\ufb01ce con\ufb02ict a\ufb00ects di\ufb03cult work; a soft\u00adhyphen.")
    canvas.save()
    document = read(file.getvalue())
    assert document.text == "The office conflict affects difficult work; a softhyphen."
    assert document.cleaning["ligatures folded"] == 4
    assert document.cleaning["soft hyphens removed"] == 1


def alternating(canvas: Canvas, document: BaseDocTemplate) -> None:
    canvas.setFont("Times-Italic", 9)
    canvas.drawString(72, 800, "Studies of Harbours" if document.page % 2 else "Pilots and Mates: The north channel")
    canvas.drawRightString(520, 800, str(100 + document.page))
    canvas.drawCentredString(297, 30, f"Page {document.page}")


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_columns_are_read_one_after_another_without_heads_that_alternate_and_page_numbers(columns: int) -> None:
    story: list[Flowable] = []
    for place in range(12):
        story.append(Paragraph(f"{place + 1} Findings of part {'ABCDEFGHIJKL'[place]}", HEADING))
        story.append(Paragraph(f"Start{place}. {SENTENCES} {SENTENCES} End{place}.", BODY))
    document = read(columned(story, columns, alternating))
    paragraphs = [
        text
        for place in range(12)
        for text in (
            f"{place + 1} Findings of part {'ABCDEFGHIJKL'[place]}",
            f"Start{place}. {SENTENCES} {SENTENCES} End{place}.",
        )
    ]
    assert document.text.split("\n\n") == paragraphs
    assert document.cleaning["page numbers left out"] == document.cleaning["running heads and feet left out"] > 1


def test_heads_of_few_lines_are_left_out_and_the_sentence_goes_on_over_pages() -> None:
    texts = ("The board met and", "voted to dredge the", "north channel.")
    pages = [
        [(70, 800, "Journal of Harbours, vol. 3"), (70, 700, text), (290, 40, str(place + 1))]
        for place, text in enumerate(texts)
    ]
    assert read(drawn(pages)).text == "The board met and voted to dredge the north channel."


def test_a_line_that_recurs_within_the_text_stays() -> None:
    pages = [[(70, 780 - 16 * place, f"Nobody was hurt in ship {place} that day.") for place in range(20)]] * 2
    assert read(drawn(pages)).text.count("Nobody was hurt") == 40


def test_tables_are_rows_whose_cells_are_separated() -> None:
    plain = [
        ["Port", "Ships", "Share"],
        ["Westmere", "1,204", "31 %"],
        ["Old Haven", "87", "2.5 %"],
        ["North Quay", "2,001", ""],
    ]
    wrapped = Table(
        [["Port", "Decision"], ["Westmere", Paragraph(SENTENCES, BODY)], ["Old Haven", Paragraph("Nothing.", BODY)]],
        colWidths=[90, 160],
        style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")],
    )
    document = read(
        built([Paragraph(SENTENCES, BODY), Table(plain), Spacer(1, 12), Paragraph(SENTENCES, BODY), wrapped])
    )
    rows = "Port\tShips\tShare\nWestmere\t1,204\t31 %\nOld Haven\t87\t2.5 %\nNorth Quay\t2,001"
    decisions = f"Port\tDecision\nWestmere\t{SENTENCES}\nOld Haven\tNothing."
    assert document.text == f"{SENTENCES}\n\n{rows}\n\n{SENTENCES}\n\n{decisions}"
    assert document.cleaning["tables read as rows"] == 2


def test_headings_are_lines_of_their_own_and_items_of_lists_too() -> None:
    long = "Pay the two firms, after the board has looked at what each of them did and has agreed with it in a meeting."
    story = [
        Paragraph("Harbour report", TITLE),
        Paragraph(SENTENCES, BODY),
        ListFlowable([Paragraph(text, BODY) for text in ("Dredge the channel.", long)], bulletType="bullet"),
        ListFlowable([Paragraph(text, BODY) for text in ("Measure.", long)], bulletType="1", bulletFormat="%s."),
        Paragraph(SENTENCES, BODY),
    ]
    expected = (
        f"Harbour report\n\n{SENTENCES}\n\n• Dredge the channel.\n• {long}\n1. Measure.\n2. {long}\n\n{SENTENCES}"
    )
    assert read(built(story)).text == expected


def test_marks_of_footnotes_are_left_out_and_exponents_stay() -> None:
    words = "The vote was close.<super>1</super> It took 3 km<super>2</super> and 10<super>6</super> tonnes of silt<super>2</super> off."
    document = read(built([Paragraph(words, BODY)]))
    assert document.text == "The vote was close. It took 3 km² and 10⁶ tonnes of silt off."
    assert document.cleaning["footnote marks left out"] == 2


def test_a_footnote_stands_at_the_end_and_not_within_the_sentence_that_goes_on() -> None:
    file = BytesIO()
    canvas = Canvas(file, pagesize=A4)
    canvas.setFont("Times-Roman", 12)
    lines = (
        "The board voted to dredge the north channel",
        "in May and to pay two firms for it, after a",
        "long debate on the",
    )
    for place, line in enumerate(lines):
        canvas.drawString(72, 700 - place * 15, line)
    canvas.setFont("Times-Roman", 7)
    canvas.drawString(72 + canvas.stringWidth(lines[0], "Times-Roman", 12), 704, "1")
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(72, 100, "1 See the minutes of the board, which were printed in the year")
    canvas.drawString(72, 89, "before last.")
    canvas.showPage()
    canvas.setFont("Times-Roman", 12)
    canvas.drawString(72, 700, "dredging. Nobody was hurt.")
    canvas.save()
    assert read(file.getvalue()).text == (
        "The board voted to dredge the north channel in May and to pay two firms for it, after a long debate on the dredging. "
        "Nobody was hurt.\n\nSee the minutes of the board, which were printed in the year before last."
    )


@pytest.mark.parametrize("metric", ["rouge2", "coverage", "word-support"])
def test_the_score_of_a_summary_is_that_against_the_typed_sentence(metric: str, tmp_path: Path) -> None:
    data = paragraph_lines(
        "The har-", "bour board voted unan-", "imously to dredge the north chan-", "nel in mid-", "winter."
    )
    typed = "The harbour board voted unanimously to dredge the north channel in mid-winter."
    texts = [
        Example("a", document, "The harbour board voted to dredge the south channel in mid-winter.")
        for document in (read(data).text, typed)
    ]
    metrics = [METRICS.parse(metric)]
    with closing(Engine(ModelPool("cpu", 0.5, tmp_path), AnswerCache(tmp_path))) as engine:
        (_, from_pdf), (_, from_typed) = engine.run(metrics, texts)
    assert isinstance(from_pdf, Result)
    assert isinstance(from_typed, Result)
    assert from_pdf.score == from_typed.score


def test_what_is_not_cleaned_has_the_lines_of_the_file() -> None:
    document = read_document("a.pdf", paragraph_lines("The har-", "bour."), clean=False)
    assert (document.text, document.cleaning) == ("The har-\nbour.", {})
