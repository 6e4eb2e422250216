"""A report of pins as HTML, LaTeX, Markdown and TOML: whole, without network, and no text in it is a command."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from core.assessment.pinned.pin import PinnedPair, PinnedPart, PinnedReport
from core.assessment.pinned.pin_comparison import basis_of
from core.assessment.pinned.pin_files import form_files, pins_html, pins_latex, pins_markdown, write_pins
from core.assessment.pinned.prose import prose_html, prose_latex, prose_markdown
from core.assessment.pinned.recipe import read_recipe, report_toml
from core.errors import TouchstoneError
from core.evaluation.report import Column, Table
from core.evaluation.reports.latex import table_latex
from core.stats.statistic import Estimate
from tests.unit.core.assessment.pinned.pins import HOSTILE, edited_pair, report_of


class Elements(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def elements(page: str) -> Elements:
    found = Elements()
    found.feed(page)
    return found


def test_a_page_needs_no_script_and_no_network_whatever_its_texts_are() -> None:
    page = elements(pins_html(report_of(HOSTILE), {1: HOSTILE}))
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    fetched = [value or "" for name, value in page.attributes if name in ("src", "action", "srcset", "data", "poster")]
    assert {address.partition(",")[0] for address in fetched} == {"data:image/svg+xml;base64"}
    links = {value for name, value in page.attributes if name == "href"}
    assert links == {"http://bad.example/p.png"}  # the words of a picture, to be followed by whoever wants to
    policy = next(value for name, value in page.attributes if name == "content" and "default-src" in (value or ""))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_a_page_has_every_pin_with_its_pairs_to_open() -> None:
    page = elements(pins_html(report_of("Harbour"), {1: "Data changed: summaries 240 → 260."}))
    assert page.tags.count("section") == 3
    assert page.tags.count("del") + page.tags.count("ins") >= 2
    assert {"details", "table", "img"} <= {*page.tags}
    assert "Data changed: summaries 240 → 260." in page.text
    assert "rouge2|code:ab|touchstone:0.1.0" in page.text


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("# Title", "<h2>Title</h2>\n"),
        ("**bold** `a<b`", "<p><strong>bold</strong> <code>a&lt;b</code></p>\n"),
        ("<b onclick=x>hi</b>", "<p>&lt;b onclick=x&gt;hi&lt;/b&gt;</p>\n"),
        ("![p](http://bad.example/p.png)", None),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>\n"),
        ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>\n"),
        ("[a](https://x.example)", '<p><a href="https://x.example" rel="noopener noreferrer">a</a></p>\n'),
    ],
)
def test_markdown_becomes_html_without_tags_pictures_and_other_links(written: str, html: str | None) -> None:
    found = prose_html(written)
    assert "<img" not in found
    assert html is None or found == html


def test_markdown_of_people_stays_markdown_without_html() -> None:
    safe = prose_markdown("**bold** <script> ![p](http://bad.example) [a](javascript:x) [b](https://x.example)")
    assert safe == ("**bold** &lt;script> !\\[p](http://bad.example) [a]\\(javascript:x) [b](https://x.example)")


def test_no_text_is_a_command_of_latex() -> None:
    document = pins_latex(report_of(HOSTILE), {1: HOSTILE}, "out")[""]
    assert isinstance(document, str)
    assert "\\input{" not in document
    body = document.partition(r"\begin{document}")[2]
    assert not re.search(r"(?<!\\)[&#%](?![^\n]*\\\\)", re.sub(r"(?s)\\begin\{tabular\}.*?\\end\{tabular\}", "", body))
    assert document.count("{") - document.count(r"\{") == document.count("}") - document.count(r"\}")


def test_latex_declares_what_its_fonts_lack_and_may_break_long_words() -> None:
    document = pins_latex(PinnedReport("中 ≤ é", (PinnedPart(f"https://x.example/{'long/' * 20}"),)), {}, "out")[""]
    assert isinstance(document, str)
    head, _, body = document.partition(r"\title")
    assert re.findall(r"\\DeclareUnicodeCharacter\{(\w+)\}", head) == ["4E2D"]
    assert r"\ifPDFTeX" in head
    assert r"$\leq$ é" in body
    assert r"long/\allowbreak{}long/" in body


def test_texts_of_a_latex_table_are_left_and_long_ones_in_lines() -> None:
    columns = (Column("what"), Column("why"), Column("n", format="count"))
    assert r"\begin{tabular}{lp{0.35\linewidth}r}" in table_latex(Table("t", "T", columns, (("a", "why " * 30, 3),)))


def test_a_share_of_a_latex_table_does_not_comment_out_its_row() -> None:
    table = Table(
        "t",
        "T",
        (Column("raised", format="share"),),
        ((Estimate(0.09, 0.02, 0.21, 44),), (Estimate(0.5, None, None, 3),)),
    )
    latex = table_latex(table)
    assert not re.search(r"(?<!\\)%", latex)
    assert r"50 \% \\" in latex


def test_a_pair_without_remark_and_scores_begins_with_its_words() -> None:
    pin = replace(edited_pair(), pairs=(PinnedPair("The harbour was open.", "The harbour was closed."),))
    document = pins_latex(PinnedReport("T", (PinnedPart("", pin),)), {}, "out")[""]
    assert "\\begin{quote}\nThe harbour was " in str(document)


def test_latex_of_markdown_has_headings_lists_and_links() -> None:
    found = prose_latex("# One & two\n\n- **a_b**\n- *c*\n\n[x](https://x.example/%20#a)")
    assert r"\section*{One \& two}" in found
    assert r"\item \textbf{a\_b}" in found
    assert r"\href{https://x.example/\%20\#a}{x}" in found


def test_markdown_has_tables_and_figures_beside_it() -> None:
    files = pins_markdown(report_of(HOSTILE), {}, "out")
    document = files[""]
    assert isinstance(document, str)
    assert "<script" not in document
    assert [name for name in files if name] == ["2-areas.svg"]
    assert "(<out-2-areas.svg>)" in document


@pytest.mark.parametrize(
    ("ending", "beside"), [(".html", []), (".tex", ["out-2-areas.pdf"]), (".md", ["out-2-areas.svg"])]
)
def test_files_lie_beside_each_other_under_the_name_that_was_given(
    ending: str, beside: list[str], tmp_path: Path
) -> None:
    file = tmp_path / f"out{ending}"
    written = write_pins(report_of("Harbour"), file)
    assert [path.name for path in written] == [file.name, *beside]
    for name in beside:
        assert name in file.read_text(encoding="utf-8")
        assert (tmp_path / name).stat().st_size > 500


def test_another_ending_is_refused() -> None:
    with pytest.raises(TouchstoneError, match=r"\.docx"):
        form_files(report_of("Harbour"), Path("out.docx"))


@pytest.mark.parametrize("words", ["Harbour", HOSTILE, 'quotes " and \\ and \x7f and \t and\nlines 🙂'])
def test_a_report_is_read_again_from_its_toml(words: str) -> None:
    report = report_of(words)
    recipe = read_recipe(report_toml(report))
    assert recipe.title == report.title
    assert [part.text for part in recipe.parts] == [part.text for part in report.parts]
    assert [part.source for part in recipe.parts] == [part.pin.source if part.pin else None for part in report.parts]
    assert [part.then for part in recipe.parts] == [basis_of(part.pin) if part.pin else None for part in report.parts]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("title = ", "no TOML"),
        ("", "has a line title"),
        ('title = "a"\npart = 1', "has a line title"),
        ('title = "a"\ncolour = "red"', "has colour, and takes title, part"),
        ('title = "a"\n[[part]]\n[part.study]\nspecs = "ranks"', "Part 1 .* has specs"),
        ('title = "a"\n[[part]]\n[part.study]\nspec = 3', "Part 1 .* cannot be read: spec"),
        ('title = "a"\n[[part]]\n[part.study]\nspec = "ranks"\n[part.pair]\ndocument = "d"', "study and pair"),
    ],
)
def test_what_is_no_report_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(TouchstoneError, match=why):
        read_recipe(text)


def test_an_empty_report_has_all_forms() -> None:
    empty = PinnedReport("Empty", (PinnedPart("Only words."),))
    assert "Only words." in pins_html(empty)
    assert read_recipe(report_toml(empty)).parts[0].source is None
