"""A browser profile that one test after another uses: it keeps Streamlit's scripts, loaded and compiled, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlparse

from playwright.sync_api import BrowserContext, Error, Frame, Page

_KEPT_BY_PAGES = "local_storage,indexeddb,cache_storage,service_workers"
_LEAVE_MS = 10_000


@dataclass
class Profile:
    """A profile, its window, and the servers that left something in it."""

    context: BrowserContext
    _window: Page | None = None
    _origins: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.context.on("page", lambda page: page.on("framenavigated", self._visited))

    def _visited(self, frame: Frame) -> None:
        address = urlparse(frame.url)
        if address.scheme == "http":
            self._origins.add(f"{address.scheme}://{address.netloc}")

    @property
    def window(self) -> Page:
        """One page whose process goes on from test to test, so that it need not compile the scripts again."""
        if self._window is None or self._window.is_closed():
            self._window = self.context.new_page()
        return self._window

    def empty(self) -> None:
        """Leave every page, and forget who was signed in and what pages wrote down."""
        for page in self.context.pages:
            if page is not self._window or not self._left(page):
                page.close()
        self.context.clear_cookies()
        tools = self.context.new_cdp_session(self.window)
        for origin in self._origins:
            tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _KEPT_BY_PAGES})
        tools.detach()
        self._origins.clear()

    def _left(self, window: Page) -> bool:
        """Show in the window a page of its server that does nothing; False if only a new window is an empty one."""
        if len(self._origins) != 1:
            return False
        try:
            window.goto(f"{next(iter(self._origins))}/_stcore/health", timeout=_LEAVE_MS)
        except Error:  # the server has ended with its test
            return False
        window.evaluate("sessionStorage.clear()")
        return True
