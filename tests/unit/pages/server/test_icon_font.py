"""The font of icons has every icon that a page or Streamlit names, and browsers take it over once."""

from __future__ import annotations

from fontTools.ttLib import TTFont
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from annotations.people.people import Member, Role
from pages.server.icon_font import ICON_FONT, IconFont
from pages.ui.shared.page_list import pages_of
from tests.icon_font import ligatures, used_icons

PATH = "/static/media/MaterialSymbols-Rounded.nEdyypZU.woff2"
UNKNOWN = {"star_filled"}  # that Streamlit names, and its own font has not


def test_every_icon_that_is_named_is_in_the_font() -> None:
    """After a new icon: `python -m tests.icon_font`."""
    icons = ligatures(TTFont(ICON_FONT)).keys()
    assert used_icons() - icons == UNKNOWN
    manager = Member("id", "ada", Role.MANAGER)
    assert {page.icon for page in pages_of(manager)} <= icons


def test_our_font_is_sent_once_and_everything_else_by_streamlit() -> None:
    route = Route("/{path:path}", lambda _: PlainTextResponse("whole"))
    browser = TestClient(IconFont(Starlette(routes=[route])))
    first = browser.get(PATH)
    assert (first.headers["content-type"], first.content) == ("font/woff", ICON_FONT.read_bytes())
    again = browser.get(PATH, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert browser.get("/static/media/SourceSans.woff2").text == "whole"
