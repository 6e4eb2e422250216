"""Every page keeps WCAG AA as axe-core checks it, in both themes, and is as wide as its window."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import BrowserContext, Page, TimeoutError, expect

from annotations.campaigns.campaign import CampaignSettings
from annotations.people.people import Role
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.test_review import disputed, review
from tests.e2e.waiting import START_MS, idle

pytestmark = pytest.mark.e2e

AXE = Path(__file__).parents[2] / ".venv" / "node" / "node_modules" / "axe-core" / "axe.min.js"
EXEMPT = {
    '[data-testid="stWidgetLabel"][disabled]': "Streamlit does not tie the label to the control, which is disabled: WCAG asks no contrast of it.",
}
"""What Streamlit draws and cannot be changed from here, by selector, each with its reason."""
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core of which a theme decides."""
WIDTHS = (1440, 1100, 420)
NARROW = (720, 420)
"""The width of a window of 1440 px at 200 %, and that of a phone."""
_HEADING = "h1"


@dataclass(frozen=True)
class Walk:
    """A manager's browser in one theme, on a server with a campaign to label and one to review."""

    page: Page
    shared_server: SharedServer
    labelled: CampaignSettings
    disputed: CampaignSettings
    code: str

    def pages(self) -> dict[str, Callable[[], object]]:
        """How each page is opened with something on it."""
        return {
            "probe": lambda: self._open("", "#settled"),
            "stress": self._stress,
            "projects": self._projects,
            "annotate": self._annotate,
            "review": lambda: review(self.page, self.shared_server, self.disputed, self.code),
            "metrics": lambda: self._open("metrics", ".st-key-card-rouge2"),
            **{
                name: partial(self._open, name, _HEADING)
                for name in (
                    "home",
                    "campaigns",
                    "campaigns?campaign=new",
                    "evaluate",
                    "papers",
                    "audit",
                    "data",
                    "prompts",
                )
            },
            "lesson": lambda: self._open("?lesson=noise-band", ".card.lesson .choice"),
        }

    def _open(self, name: str, drawn: str) -> None:
        self.page.goto(f"{self.shared_server.server.url}/{name}")
        expect(self.page.locator(drawn).first).to_be_attached(timeout=START_MS)

    def _annotate(self) -> None:
        self.page.goto(f"{self.shared_server.server.url}/annotate?campaign={self.labelled.id}")
        AnnotatePage(self.page, self.shared_server).start()

    def _projects(self) -> None:
        self._open("projects", _HEADING)
        idle(self.page)
        begin = self.page.get_by_role("button", name="Make a project of the bundled examples")
        if begin.is_visible():
            begin.click()
        expect(self.page.get_by_role("heading", level=3)).to_have_count(3, timeout=START_MS)

    def _stress(self) -> None:
        self._open("stress", '[data-testid="stSelectbox"]')
        idle(self.page)
        self.page.get_by_role("button", name="Look at a run of the bundled examples").click()
        expect(self.page.locator(".matrix")).to_be_visible(timeout=START_MS)


@pytest.mark.slow
def test_no_page_has_a_serious_finding_of_axe_in_either_theme_or_is_wider_than_its_window(
    new_context: Callable[[], BrowserContext], shared_server: SharedServer
) -> None:
    if not AXE.exists() and os.environ.get("CI") != "true":
        pytest.skip("axe-core is not installed: `make test` brings it, where there is npm.")
    page = new_context().new_page()
    _, code = shared_server.code(Role.MANAGER)
    sign_in(page, shared_server, code)
    walk = Walk(page, shared_server, shared_server.campaign("label-pairs"), disputed(shared_server), code)
    found: list[str] = []
    for name, open_page in walk.pages().items():
        page.set_viewport_size({"width": WIDTHS[0], "height": 1000})
        show_theme(page, "light")
        open_page()
        idle(page)
        if page.locator("h1").count() != 1 or not re.match(r"[A-Z][a-z ]+ · (.+ · )?Touchstone$", page.title()):
            found.append(f"{name} has {page.locator('h1').count()} first headings and the title {page.title()!r}")
        light = background(page)
        page.wait_for_function(_STILL)  # what a run has just drawn again comes back from pale
        found += [f"{name}: {finding}" for finding in findings(page)]
        show_theme(page, "dark")
        page.wait_for_function(f"light => ({_BACKGROUND})() !== light", arg=light)
        idle(page)
        page.wait_for_function(_STILL)  # a colour on its way to the other theme is neither
        found += [f"{name}, dark: {finding}" for finding in findings(page, COLOURS)]
        idle(page)
        found += [f"{name} is wider than {width} px" for width in WIDTHS if is_cut(page, width)]
        for width in NARROW:
            page.set_viewport_size({"width": width, "height": 1000})
            page.wait_for_function(_STILL)
            found += [f"{name}, {width} px: {finding}" for finding in findings(page)]
    assert not found, "\n".join(found)


_BACKGROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"


_STILL = "() => document.getAnimations().every(one => one.playState !== 'running')"


def show_theme(page: Page, theme: Literal["light", "dark"]) -> None:
    """Say which theme the person's system has, which Streamlit follows at once."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")


def background(page: Page) -> str:
    colour: str = page.evaluate(_BACKGROUND)
    return colour


def findings(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """Every element that breaks a rule of axe-core seriously, with the rule and what is wrong; of these rules, or of all."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.add_script_tag(path=AXE)
    found: list[dict[str, Any]] = page.evaluate(
        """([exempt, rules]) => axe.run(
        {exclude: exempt.map(one => [one])},
        {resultTypes: ['violations'], ...(rules.length ? {runOnly: {type: "rule", values: rules}} : {})},
        ).then(all => all.violations)""",
        [list(EXEMPT), list(rules)],
    )
    return [
        f"{rule['id']} {node['html'][:120]}: {node['failureSummary']}"
        for rule in found
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]


_FITS = "() => { const main = document.querySelector('[data-testid=stMain]'); return main.scrollWidth <= main.clientWidth; }"


def is_cut(page: Page, width: int) -> bool:
    """Whether the page has to be scrolled sideways at this width."""
    page.set_viewport_size({"width": width, "height": 1000})
    try:  # tables take their new width a moment later
        page.wait_for_function(_FITS, timeout=10_000)
    except TimeoutError:
        return True
    return False
