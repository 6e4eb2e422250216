"""Units of a summary by its layout: list items, rows and turns, without marks, headings and markup, each located in the text."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from, text

from core.data import bundled_items
from core.text.layout import document_units, layout_notes, layout_units, read_layout, read_markup, summary_units
from core.text.segmentation import sentences

ITEMS = ["The dredger left Port Ellery at noon", "It carried 40 crew", "Nobody was hurt"]


def units(summary: str) -> list[str]:
    return [span.of(summary) for span in layout_units(summary)]


@pytest.mark.parametrize(
    "marks",
    [
        ("- ", "- ", "- "),
        ("* ", "* ", "* "),
        ("• ", "• ", "• "),
        ("– ", "– ", "– "),
        ("  - ", "    - ", "  - "),
        ("1. ", "2. ", "3. "),
        ("1) ", "2) ", "3) "),
        ("(1) ", "(2) ", "(3) "),
        ("a) ", "b) ", "c) "),
        ("a. ", "b. ", "c. "),
        ("(a) ", "(b) ", "(c) "),
        ("i. ", "ii. ", "iii. "),
        ("I. ", "II. ", "III. "),
        ("1.1. ", "1.2. ", "1.3. "),
        ("① ", "② ", "③ "),
        ("> ", "> ", "> "),
        ("- [ ] ", "- [x] ", "- [ ] "),
        ("✓ ", "✓ ", "✓ "),
        ("", "", ""),
    ],
)
@pytest.mark.parametrize("between", ["\n", "\n\n", "\r\n"])
@pytest.mark.parametrize("stop", ["", ".", ";"])
def test_items_of_a_list_are_units_without_their_marks(marks: tuple[str, ...], between: str, stop: str) -> None:
    summary = between.join(mark + item + stop for mark, item in zip(marks, ITEMS, strict=True))
    assert units(summary) == [item + stop for item in ITEMS]


@pytest.mark.parametrize(
    "heading",
    [
        "# Harbour",
        "### The harbour today",
        "Harbour\n=======",
        "**Harbour**",
        "__Key points:__",
        "Key points:",
        "SUMMARY",
        "Summary",
        "TL;DR",
        "KEY FINDINGS",
        "<h2>Harbour</h2>",
        "---",
    ],
)
def test_a_heading_belongs_to_no_unit(heading: str) -> None:
    assert units(f"{heading}\n{ITEMS[0]}. {ITEMS[1]}.") == [f"{ITEMS[0]}.", f"{ITEMS[1]}."]
    assert units(f"{heading}\n\n- {ITEMS[0]}\n- {ITEMS[1]}") == ITEMS[:2]


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("| Pier | Cost |\n|---|---|\n| West | 3.4 million |\n| East | 2 |", ["West | 3.4 million", "East | 2"]),
        ("MAYOR: We lose a day. It rains.\nPILOT: No", ["MAYOR: We lose a day.", "It rains.", "PILOT: No"]),
        ("One line\n\nAnother line", ["One line", "Another line"]),
        (
            "The rain fell on,\nThe sea rose up,\nAnd no one came",
            ["The rain fell on,\nThe sea rose up,\nAnd no one came"],
        ),
        ("- A long item goes\n  on here\n- Next", ["A long item goes\n  on here", "Next"]),
        ("Run this:\n```\nx = 1\ny = 2\n```\nDone", ["x = 1\ny = 2", "Done"]),
        ("<ul><li>One <b>ferry</b></li><li>Two</li></ul>", ["One <b>ferry</b>", "Two"]),
        ("First.<br>Second", ["First.", "Second"]),
        ("# Only a heading", ["Only a heading"]),
        ("A. Brekke said no.", ["A. Brekke said no."]),
        ("3.4 million came.\n12.5 left.", ["3.4 million came.", "12.5 left."]),
        ("2. is a number here.", ["2. is a number here."]),
        ("It cost ca. 500 crowns. Fine.", ["It cost ca. 500 crowns.", "Fine."]),
        ("See p. 12 and figs. 3 of it. Fine.", ["See p. 12 and figs. 3 of it.", "Fine."]),
        ("It left at 9 a.m. The crew slept.", ["It left at 9 a.m.", "The crew slept."]),
        ("It left at 9 a.m. Monday.", ["It left at 9 a.m. Monday."]),
        ("She is from the U.S.A. She sang.", ["She is from the U.S.A.", "She sang."]),
        ("यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("今日は晴れ。明日は雨。", ["今日は晴れ。", "明日は雨。"]),
        ("「はい。」と言った。終わり。", ["「はい。」と言った。", "終わり。"]),
        ("هل جاء؟ نعم جاء.", ["هل جاء؟", "نعم جاء."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_each_kind_of_layout_has_its_units(summary: str, expected: list[str]) -> None:
    assert units(summary) == expected


def test_lines_wrapped_at_one_width_go_on() -> None:
    prose = (
        "The dredger left the harbour of Port Ellery at noon on Monday with forty people on\n"
        "board, among them the mayor, who had promised to stay with the crew until the new\n"
        "channel was open. Nobody was hurt."
    )
    assert units(prose) == [span.of(prose) for span in sentences(prose)]


@pytest.mark.parametrize(
    ("summary", "read"),
    [
        ("**Cost:** 3 *million* for `x`", "Cost: 3 million for x"),
        ("- See [the _page_](http://a.b/c(d)) now", "See the page now"),
        ("<p>Rain &amp; snow</p><p>Sun</p>", "Rain & snow\n\nSun"),
        ("| a | b |\n|---|---|\n| c | d |", "c, d"),
        ("~~old~~ new", "old new"),
    ],
)
def test_markup_is_not_read(summary: str, read: str) -> None:
    reading = read_layout(summary)
    assert reading is not None
    assert reading.text == read


def test_marks_beside_a_part_are_located_with_it() -> None:
    summary = "- **Cost:** 3 million\n- *Late*"
    assert units(summary) == ["**Cost:** 3 million", "*Late*"]


@pytest.mark.parametrize(
    "summary", ["5 * 3 * 2 is 30.", "snake_case_name stays.", "x < y and y > z.", "AT&T; f*** it.", "-5 degrees."]
)
def test_signs_that_are_no_marks_stay(summary: str) -> None:
    assert read_layout(summary) is None
    assert read_markup(summary) is None


def test_a_heading_of_a_document_is_a_unit() -> None:
    document = "# Pier cost 3 million\n\nIt rained."
    assert [span.of(document) for span in document_units(document)] == ["Pier cost 3 million", "It rained."]


def test_units_of_plain_prose_are_its_sentences() -> None:
    for item in bundled_items():
        assert layout_units(item.example.summary) == sentences(item.example.summary)
        assert read_layout(item.example.summary) is None
        assert read_markup(item.example.document) is None
        assert layout_notes(item.example.summary) == ()


def test_lines_are_units_by_themselves() -> None:
    summary = "- One. Two.\n\n---\nThree"
    assert [span.of(summary) for span in summary_units(summary, "lines")] == ["- One. Two.", "Three"]
    assert summary_units(summary, "sentences") == sentences(summary)


def test_a_note_says_what_sentences_alone_do_not_see() -> None:
    assert "has 2 units by its layout" in layout_notes("- One came\n- Two left")[0]
    assert "201 words" in layout_notes(" ".join(["word"] * 201))[0]


PIECES = [
    "- ",
    "1. ",
    "2. ",
    "(a) ",
    "# ",
    "**",
    "_",
    "`",
    "|",
    "|---|",
    "<li>",
    "</p>",
    "&amp;",
    "```",
    "> ",
    "Rain",
    "rain",
    "it",
    ".",
    ",",
    ":",
    " ",
    "\n",
    "\n\n",
    "。",
    "é",
    "e\u0301",
    "\u00a0",
]


@given(lists(sampled_from(PIECES), max_size=14).map("".join))
def test_a_reading_is_read_as_itself_and_units_are_in_order(summary: str) -> None:
    spans = layout_units(summary)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert all(span.of(summary).strip() for span in spans)
    reading = read_layout(summary)
    if reading is not None:
        assert read_layout(reading.text) is None
        assert len(layout_units(reading.text)) == len(layout_units(summary))


@given(text(max_size=80))
def test_units_stand_in_any_text(summary: str) -> None:
    assert all(0 <= span.start < span.end <= len(summary) for span in layout_units(summary))


def test_the_time_to_read_a_list_that_no_second_mark_follows_grows_with_its_length() -> None:
    """Sixteen times the time of a quarter, if each line looked through all lines after it."""

    def seconds(lines: int) -> float:
        begun = time.process_time()
        read_layout("a. x\n" * lines)
        return time.process_time() - begun

    assert seconds(16_000) < 10 * seconds(4_000)


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (
            "4. FEES OF THE CLUB\n\n4.1. A fee is due.\n4.2. It is 5 euros.\n\n5. END\n\n5.1. It ends.",
            ["A fee is due.", "It is 5 euros.", "It ends."],
        ),
        ("7. Rain fell\n8. Tom left", ["Rain fell", "Tom left"]),
        (
            "Ann: it failed\n1. Fees\n   Agreed: five euros\nBo: done",
            ["Ann: it failed", "Fees\n   Agreed: five euros", "Bo: done"],
        ),
        (
            "[09:12] Maya: it failed\n[09:13] Jonas: the disk is full",
            ["[09:12] Maya: it failed", "[09:13] Jonas: the disk is full"],
        ),
        ("9:12 PM - Maya: it failed\n9:13 PM - Jonas: why", ["9:12 PM - Maya: it failed", "9:13 PM - Jonas: why"]),
    ],
)
def test_lists_cut_out_of_longer_ones_items_of_two_lines_and_turns_with_a_time(
    summary: str, expected: list[str]
) -> None:
    assert [unit.of(summary) for unit in layout_units(summary)] == expected


WRAPPED = (
    "Nitrate was measured at all fourteen well-\nknown places by the old river and the sta-\ntions of the long lake, and at four of them\n"
    "below the sugar works it rose.\n\n{}\n\nNobody objected."
)


@pytest.mark.parametrize("number", ["12", "Page 12", "- 12 -", "12/30", "page 12 of 30"])
def test_the_number_of_a_page_of_wrapped_prose_is_no_unit_and_words_over_the_end_of_a_line_are_read_whole(
    number: str,
) -> None:
    summary = WRAPPED.format(number)
    assert len(layout_units(summary)) == 2
    reading = read_layout(summary)
    assert reading
    assert reading.text == (
        "Nitrate was measured at all fourteen well-known places by the old river and the stations of the long lake, and at four "
        "of them below the sugar works it rose.\n\nNobody objected."
    )


def test_a_number_by_itself_elsewhere_is_a_unit() -> None:
    assert len(layout_units("How many came?\n\n12\n\nNobody objected.")) == 3
