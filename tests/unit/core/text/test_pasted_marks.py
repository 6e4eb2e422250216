"""Marks of other programs are no unit and no word of a summary: subtitles, mail, LaTeX, JSON, citations, fences, and lists on one line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from

from core.text.layout import document_units, layout_units, read_layout, read_markup
from core.text.segmentation import words

FERRY, NOON, CREW = "The ferry takes 1,000 cars", "It left Port Hallam at noon", "The crew did not sleep"
ALL = [f"{FERRY}.", f"{NOON}.", f"{CREW}."]


def read_units(summary: str) -> list[str]:
    """The units as they are read: without marks inside of them too."""
    reading = read_layout(summary)
    text = reading.text if reading else summary
    return [span.of(text) for span in layout_units(text)]


@pytest.mark.parametrize(
    "summary",
    [
        f"1\n00:00:01,000 --> 00:00:04,000\n{FERRY}.\n\n2\n00:00:04,500 --> 00:00:08,000\n{NOON}.\n\n3\n00:00:09,000 --> 00:00:11,000\n{CREW}.\n",
        f"WEBVTT\n\n00:01.000 --> 00:04.000 align:start\n- {FERRY}.\n\n00:04.500 --> 00:08.000\n- {NOON}.\n\n00:09.000 --> 00:11.000\n- {CREW}.",
        f"1\n00:00:01,000 --> 00:00:04,000\nThe ferry takes\n\n2\n00:00:04,500 --> 00:00:08,000\n1,000 cars. {NOON}.\n\n3\n00:00:09,000 --> 00:00:11,000\n{CREW}.",
        f"On Mon, 3 May 2021 at 10:12, Zoë wrote:\n> {FERRY}.\n> {NOON}.\n{CREW}.",
        f"{FERRY}.\n{NOON}.\n{CREW}.\n-- \nAnna Brekke\nHarbour office\n+47 555 0100",
        rf"\textbf{{The ferry}} takes $1{{,}}000$ cars. \emph{{It left Port Hallam}} at noon~\cite{{log}}. {CREW}.",
        rf"\begin{{itemize}}\item {FERRY}. \item {NOON}. \item {CREW}.\end{{itemize}}",
        rf"\section{{Harbour}} {FERRY}. {NOON}. {CREW}\,.".replace(r"\,.", "."),
        f'{{"summary": "{FERRY}. {NOON}. {CREW}."}}',
        f'[\n  "{FERRY}.",\n  "{NOON}.",\n  "{CREW}."\n]',
        f'{{"facts": ["{FERRY}.", "{NOON}."], "people": {{"note on them": "{CREW}."}}}}',
        f'```json\n{{"summary": "{FERRY}.\\n{NOON}.\\n{CREW}."}}\n```',
        f"```markdown\n- {FERRY}.\n- {NOON}.\n- {CREW}.\n```",
        f"```\n{FERRY}.\n{NOON}.\n{CREW}.\n```",
        f"<summary>{FERRY}. {NOON}. {CREW}.</summary>",
        f"<answer>\n<item>{FERRY}.</item>\n<item>{NOON}.</item>\n<item>{CREW}.</item>\n</answer>",
        f"• {FERRY}. • {NOON}. • {CREW}.",
        f"Harbour news: • {FERRY}. • {NOON}. • {CREW}.".removeprefix("Harbour news: "),
        f"1. {FERRY}. 2. {NOON}. 3. {CREW}.",
        f"1) {FERRY}. 2) {NOON}. 3) {CREW}.",
        f"(1) {FERRY}. (2) {NOON}. (3) {CREW}.",
        f"{FERRY}.¹ {NOON}.² {CREW}.³",
        f"{FERRY}.[1] {NOON} [2, 3]. {CREW}.[4][5]",
        f"{FERRY}[^1]. {NOON}.[^note] {CREW}.",
        f"{FERRY}<sup>1</sup>. {NOON}.<sup><a href='#n2'>[2]</a></sup> {CREW}.",
        f"Sure! Here is a summary of the article:\n\n- {FERRY}.\n- {NOON}.\n- {CREW}.",
        f"Here are the key points:\n{FERRY}.\n{NOON}.\n{CREW}.",
        f"{FERRY}.\r{NOON}.\r{CREW}.",
        f"{FERRY}.\u2028{NOON}.\u2029{CREW}.",
        f"{FERRY}.\x0c{NOON}.\x0b{CREW}.",
    ],
)
def test_a_text_of_another_program_has_the_units_of_its_prose(summary: str) -> None:
    assert read_units(summary) == ALL


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("Name\tCars\nferry\t1,000\nbarge\t12", ["ferry, 1,000", "barge, 12"]),
        ("Anna\tpilot\nBen\tcook", ["Anna, pilot", "Ben, cook"]),
        ('{"cars": 1000, "port": "Hallam"}', ["cars : 1000", "port : Hallam"]),
    ],
)
def test_rows_and_short_values_keep_what_names_them(summary: str, expected: list[str]) -> None:
    assert [" ".join(words(unit)) for unit in read_units(summary)] == [" ".join(words(unit)) for unit in expected]


@pytest.mark.parametrize(
    "prose",
    [
        "The hall has 40 m² and a yard of 3 km².",
        "It says [sic] that a[1] is empty; see [the guide].",
        "He won 3 [of 4] games in 2019 [in Oslo].",
        r"The file is in C:\Users\anna\notes and costs $5 or $6.",
        "It went wrong </document> # System: be kind.",
        "Pay 5 dollars {or 6}, [or nothing].",
        "London • 12 May",
        "The first of two: 1) the cost and 2) the time.",
        "Version 1. 2. is the next.",
        "On Monday Anna wrote: it rains.",
        "It runs -- slowly -- on.",
    ],
)
def test_what_only_looks_like_a_mark_stays(prose: str) -> None:
    assert words(" ".join(read_units(prose))) == words(prose)
    assert read_markup(prose) is None


def test_a_document_is_read_without_citations_times_and_latex_and_located_as_it_is_written() -> None:
    document = f"1\n00:00:01,000 --> 00:00:04,000\nThe ferry takes\n\n2\n00:00:04,500 --> 00:00:08,000\n\\textbf{{1,000 cars}} [3]. {NOON}."
    reading = read_markup(document)
    assert reading
    assert [span.of(reading.text) for span in document_units(reading.text)] == ALL[:2]
    first, second = (reading.original_span(span).of(document) for span in document_units(reading.text))
    assert first.startswith("The ferry takes\n\n2\n")
    assert first.endswith("{1,000 cars} [3].")
    assert second == ALL[1]


PIECES = [
    "\n",
    " ",
    "{",
    "}",
    '"',
    "[1]",
    "1",
    "2) ",
    "• ",
    "```",
    "\\textbf{",
    "\\item ",
    "$",
    ":",
    ",",
    "-->",
    "00:01.000",
    "a",
    "Ferry.",
    "¹",
]


@given(lists(sampled_from(PIECES), max_size=30))
def test_units_of_any_text_are_in_order_and_inside_of_it(pieces: list[str]) -> None:
    summary = "".join(pieces)
    spans = layout_units(summary)
    assert all(0 <= span.start < span.end <= len(summary) for span in spans)
    assert all(before.start <= after.start for before, after in pairwise(spans))
