"""The documents under `docs/`: every page is there with its links and anchors, and nothing in one runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.server.docs import Docs, docs_address
from pages.server.docs_pages import DOCS, anchor_of, page_names, read_contents, render_page
from pages.ui.shared.page_list import PAGES


def client() -> TestClient:
    def app(_: Request) -> Response:
        return PlainTextResponse("the app")

    return TestClient(Docs(Starlette(routes=[Route("/{path:path}", app)])))


class Links(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.links.append(value)
            elif name == "id" and value:
                self.anchors.add(value)


def test_every_link_of_every_page_leads_to_a_page_and_an_anchor() -> None:
    pages = {docs_address(name): Links(client().get(docs_address(name)).text) for name in page_names()}
    broken = []
    for address, page in pages.items():
        for link in page.links:
            path, _, anchor = link.partition("#")
            if link == "/" or re.match("https?:", link):
                continue
            target = pages.get(path) if path else page
            if target is None and (DOCS / path.removeprefix("/docs/")).is_file():
                continue
            if target is None or (anchor and anchor not in target.anchors):
                broken.append(f"{address}: {link}")
    assert broken == []


def test_the_contents_and_a_page_are_served_and_all_else_is_the_app() -> None:
    served = client()
    assert '<h1 id="touchstone">' in served.get("/docs").text
    page = served.get("/docs/guides/probe")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert '<a href="/docs/guides/probe" aria-current="page">Probe</a>' in page.text
    assert served.get("/probe").text == "the app"
    assert served.get("/docsearch").text == "the app"


def test_each_document_that_llms_txt_lists_is_served_as_it_is_written() -> None:
    served = client()
    listed = re.findall(r"\]\((.+?)\)", served.get("/docs/llms.txt").text)
    chapters = [name for chapters in read_contents().values() for name in chapters]
    assert listed == [f"{name}.md" for name in chapters]
    assert [name for name in listed if served.get(f"/docs/{name}").text != (DOCS / name).read_text("utf-8")] == []


@pytest.mark.parametrize(
    "path", ["nothing", "../pages/server/docs_pages.py", "%2e%2e/README", "guides/probe.rst", "guides/<b>x"]
)
def test_no_file_but_those_of_the_contents_is_served(path: str) -> None:
    answer = client().get(f"/docs/{path}")
    assert answer.status_code == 404 or answer.text == "the app"
    assert "<b>x" not in answer.text


def test_documents_are_only_read() -> None:
    assert client().post("/docs/guides/probe").status_code == 405


def test_html_in_a_document_is_text_and_a_comment_is_nothing(tmp_path: Path) -> None:
    text = "# Title\n\n<script>alert(1)</script>\n\n<!-- made -->\n\nOne <img src=x onerror=alert(1)> [x](javascript:alert(1))\n\n```python\nx = '<b>'\n```\n"
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    page = render_page("page", docs_address, tmp_path)
    assert Links(page.html).tags == {"h1", "p", "pre", "code", "span"}
    assert "made" not in page.html
    assert "&lt;script&gt;alert(1)" in page.html


def test_a_heading_that_is_there_twice_has_two_anchors(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# A, b\n\n## More\n\n## More\n", encoding="utf-8")
    page = render_page("page", docs_address, tmp_path)
    assert page.headings == (("more", "More"), ("more-1", "More"))
    assert anchor_of("A, b") == "a-b"


def test_the_contents_are_sections_of_chapters() -> None:
    sections = read_contents()
    assert [*sections] == ["Start", "Guides", "Reference", "Explained", "Papers", "Develop"]
    assert {name for chapters in sections.values() for name in chapters} <= {*page_names()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_of_the_app_has_its_chapter(page: object) -> None:
    name, _, anchor = page.chapter.partition("#")  # type: ignore[attr-defined]
    assert name in page_names()
    assert not anchor or anchor in Links(client().get(docs_address(name)).text).anchors
