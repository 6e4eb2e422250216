"""Take the picture of each campaign template: what an annotator sees of its first item, small, for the form of a new campaign.

By hand, where a browser is: `python -m tests.template_pictures`. They go to `pages/ui/pictures`.
"""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

from annotations.management.campaign_templates import campaign_templates
from pages.ui.campaigns.template_form import template_picture
from tests.e2e.conftest import CHROMIUM, open_profile
from tests.e2e.shared_server import AnnotatePage, opened
from tests.e2e.waiting import START_MS, idle

_WINDOW, _SIZE = {"width": 1280, "height": 800}, (640, 400)


def main() -> None:
    """Write the pictures, of a question set that several templates share once for each."""
    with TemporaryDirectory() as folder, opened(Path(folder)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        pictures: dict[str, Image.Image] = {}
        for template in campaign_templates():
            if template.questions not in pictures:
                context = open_profile(browser)
                page = context.new_page()
                page.set_default_timeout(START_MS)
                page.set_viewport_size(_WINDOW)
                campaign, (_, code) = server.campaign(template.questions), server.code()
                annotate_page = AnnotatePage(page, server)
                annotate_page.enter(code, campaign)
                annotate_page.keys("1")
                idle(page)
                picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                pictures[template.questions] = picture.resize(_SIZE, Image.Resampling.LANCZOS)
                context.close()
            pictures[template.questions].save(template_picture(template.name), quality=60, method=6)
        browser.close()


if __name__ == "__main__":
    main()
