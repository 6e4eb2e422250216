"""Take the animation of README: a picture of each step of the tour, in one WebP file.

By hand, where a browser is: `python -m tests.readme_animation`. It writes `docs/images/tour.webp`.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from pages.ui.tour import STEPS
from tests.e2e.conftest import CHROMIUM
from tests.e2e.server import serve

_FILE = Path(__file__).parents[1] / "docs" / "images" / "tour.webp"
_WINDOW, _WIDTH = (1440, 900), 1080
_LOOK_MS, _PATIENCE_MS = 800, 60_000
_SECONDS = 3.0  # that a picture stays, beside one for each hundred letters of its step


def steps_of_tour(page: Page) -> list[tuple[Image.Image, float]]:
    """A picture of each step, once it no longer changes, with the seconds that it stays."""
    frames = []
    for step in STEPS:
        page.get_by_text(step.title, exact=True).first.wait_for()
        page.locator(step.target.replace(" >>> ", " ")).first.wait_for()
        picture = before = b""
        while not picture or picture != before:
            before = picture
            page.wait_for_timeout(_LOOK_MS)
            expect(page.get_by_text("hourglass_empty")).to_have_count(0)
            picture = page.screenshot()
        frames.append((Image.open(io.BytesIO(picture)), _SECONDS + len(step.text) / 100))
        page.keyboard.press("ArrowRight")
    return frames


def main() -> None:
    with TemporaryDirectory() as folder, serve(Path(folder)) as server, sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_page(
            viewport={"width": _WINDOW[0], "height": _WINDOW[1]}
        )
        page.set_default_timeout(60_000)
        page.goto(f"{server.url}/?tour=1")
        expect(page.locator("h1")).to_have_text(re.compile(r"metrics noticed\.$"), timeout=_PATIENCE_MS)
        frames = steps_of_tour(page)
    height = round(_WIDTH * _WINDOW[1] / _WINDOW[0])
    first, *others = (picture.convert("RGB").resize((_WIDTH, height)) for picture, _ in frames)
    durations = [round(1000 * seconds) for _, seconds in frames]
    first.save(_FILE, save_all=True, append_images=others, duration=durations, loop=0, quality=80, method=6)


if __name__ == "__main__":
    main()
