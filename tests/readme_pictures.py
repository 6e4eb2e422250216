"""Take the pictures of README: three pages as a first visitor finds them, and each step of the tour in one WebP file.

By hand, where a browser is: `make readme-pictures`. They go to `docs/images`; `tests/unit/test_readme.py` says when they are stale.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import Browser, Page, expect, sync_playwright

from core.types import PRECOMPUTED
from pages.ui.results.run_choice import BUNDLED_RUN
from pages.ui.shared.page_list import PAGES
from pages.ui.tour import STEPS
from tests.e2e.conftest import CHROMIUM, open_profile
from tests.e2e.server import serve
from tests.e2e.waiting import START_MS, idle

_FOLDER = Path(__file__).parents[1] / "docs" / "images"
_WINDOW, _PAGE_WINDOW, _WIDTH = (1440, 900), (1280, 800), 1080
_LOOK_MS = 800
_SECONDS = 3.0  # that a picture of the tour stays, beside one for each hundred letters of its step
_XMP = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><!-- {} --></x:xmpmeta>"
_PAGES = {
    "stress": (f"stress?{urlencode({'run': BUNDLED_RUN})}", ".matrix"),
    "evaluate": (f"evaluate?{urlencode({'dataset': PRECOMPUTED})}", "[class*=study-answer]"),
    "audit": ("audit", "h3:has-text('What an audit says')"),
}
"""By the name of a picture, the address of its page and what it begins with."""


def names_on_pictures() -> str:
    """The names that the pictures show: of the pages in the bar, and of the steps of the tour."""
    return "; ".join([*(page.title for page in PAGES), *(step.title for step in STEPS)])


def names_of_picture(file: Path) -> str:
    """The names of the day on which a picture was taken; "" where it does not say."""
    with Image.open(file) as picture:
        noted = picture.info.get("Names") or picture.info.get("xmp", b"").decode()
    return re.sub(r"^.*<!-- | -->.*$", "", noted)


def _settled(page: Page) -> bytes:
    """The window, once it no longer changes and nothing is computed."""
    picture = before = b""
    while not picture or picture != before:
        before = picture
        page.wait_for_timeout(_LOOK_MS)
        expect(page.get_by_text("hourglass_empty")).to_have_count(0, timeout=START_MS)
        picture = page.screenshot()
    return picture


def take_pages(browser: Browser, url: str) -> None:
    """Write a picture of each page in `_PAGES`."""
    page = open_profile(browser).new_page()
    page.set_viewport_size({"width": _PAGE_WINDOW[0], "height": _PAGE_WINDOW[1]})
    noted = PngInfo()
    noted.add_text("Names", names_on_pictures())
    for name, (address, result) in _PAGES.items():
        page.goto(f"{url}/{address}")
        page.locator(result).first.wait_for(timeout=START_MS)
        idle(page)
        page.locator(result).first.evaluate("result => result.scrollIntoView()")
        colours = Image.open(io.BytesIO(_settled(page))).convert("RGB").quantize(256)
        colours.save(_FOLDER / f"{name}.png", optimize=True, pnginfo=noted)


def take_tour(browser: Browser, url: str) -> None:
    """Write a picture of each step of the tour, with the seconds that it stays, as one animation."""
    page = browser.new_page(viewport={"width": _WINDOW[0], "height": _WINDOW[1]})
    page.set_default_timeout(START_MS)
    page.goto(f"{url}/?tour=1")
    expect(page.locator("h1")).to_have_text(re.compile(r"metrics noticed\.$"), timeout=START_MS)
    frames = []
    for step in STEPS:
        page.get_by_text(step.title, exact=True).first.wait_for()
        page.locator(step.target.replace(" >>> ", " ")).first.wait_for()
        frames.append(Image.open(io.BytesIO(_settled(page))))
        page.keyboard.press("ArrowRight")
    height = round(_WIDTH * _WINDOW[1] / _WINDOW[0])
    first, *others = (picture.convert("RGB").resize((_WIDTH, height)) for picture in frames)
    first.save(
        _FOLDER / "tour.webp",
        save_all=True,
        append_images=others,
        duration=[round(1000 * (_SECONDS + len(step.text) / 100)) for step in STEPS],
        loop=0,
        quality=80,
        method=6,
        xmp=_XMP.format(names_on_pictures()).encode(),
    )


def main() -> None:
    with TemporaryDirectory() as folder, serve(Path(folder)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        take_pages(browser, server.url)
        take_tour(browser, server.url)
        browser.close()


if __name__ == "__main__":
    main()
