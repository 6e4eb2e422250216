"""A page of HTML gives the text that a reader sees, without what stands around it."""

from __future__ import annotations

import pytest

from core.data.documents.documents import DocumentText, read_document
from core.errors import TouchstoneError


def read(body: str) -> DocumentText:
    return read_document(
        "a.html", f"<!doctype html><html><head><title>News</title></head><body>{body}</body></html>".encode()
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div>One<div>Two</div>Three</div>", "One\n\nTwo\n\nThree"),
        ("One<br>two", "One\ntwo"),
        ("<p>  many \n blanks </p>", "many blanks"),
        ("<p>caf&eacute; &amp; north&nbsp;channel&#8217;s</p>", "café & north channel’s"),
        ("<p>a <b>bold</b> word, an<i>other</i></p>", "a bold word, another"),
        ("<ul><li>One<li><p>Two</p></ul>", "• One\n• Two"),
        ("<ol start=3><li>One</li><li>Two<ul><li>In</li></ul></li></ol><p>End", "3. One\n4. Two\n• In\n\nEnd"),
        ("<table><tr><th>Port<th>Ships</tr><tr><td>West<td><p>12</p></tr></table>", "Port\tShips\nWest\t12"),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<script>no()</script><style>p{}</style><noscript>no</noscript><p>Yes</p>", "Yes"),
        ("<nav>Home</nav><header>Site</header><main>Text</main><aside>Ads</aside><footer>Imprint</footer>", "Text"),
        ("<article><header><h1>Title</h1></header>Text</article>", "Title\n\nText"),
        ("<p hidden>a</p><p style='display: none'>b</p><p>c</p>", "c"),
        (
            "<p>It was close.<sup><a href=#n>[1]</a></sup> 3 km<sup>2</sup>, silt<sup>2</sup></p>",
            "It was close. 3 km², silt",
        ),
        ("<p>soft&shy;hyphen</p>", "softhyphen"),
        ("<!-- no --><p>Yes</p>", "Yes"),
    ],
)
def test_a_page_is_read_as_its_reader_copies_it(body: str, text: str) -> None:
    assert read(body).text == text


def test_what_was_left_out_is_counted() -> None:
    cleaning = read("<nav>Home</nav><p hidden>a</p><p>Text<sup>1</sup></p>").cleaning
    assert dict(cleaning) == {
        "parts around the text left out": 1,
        "hidden parts left out": 1,
        "footnote marks left out": 1,
        "soft hyphens removed": 0,
    }


def test_what_is_not_cleaned_has_navigation_but_no_scripts() -> None:
    page = b"<nav>Home</nav><p hidden>a</p><script>no()</script><p>Text</p>"
    assert read_document("a.html", page, clean=False).text == "Home\n\na\n\nText"


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("a.htm", '<meta charset="iso-8859-1"><p>Köln</p>'.encode("latin-1")),
        ("a.html", "<p>Köln</p>".encode()),
        ("a.xhtml", "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Köln</p></body></html>".encode("utf-8-sig")),
        ("a.html", "<p>Köln</p>".encode("utf-16")),
    ],
)
def test_the_encoding_is_the_stated_one_or_utf_8(name: str, page: bytes) -> None:
    assert read_document(name, page).text == "Köln"


@pytest.mark.parametrize("page", [b"", b"<script>no()</script>"])
def test_a_page_without_text_is_refused(page: bytes) -> None:
    with pytest.raises(TouchstoneError, match=r"'a\.html' (is empty|is not readable HTML)"):
        read_document("a.html", page)


def test_a_page_that_nests_without_end_is_read_or_refused() -> None:
    try:
        text = read_document("a.html", b"<div>" * 100_000 + b"deep").text
    except TouchstoneError as error:
        assert "a.html" in str(error)  # noqa: PT017  # either end is right
    else:
        assert text == "deep"
