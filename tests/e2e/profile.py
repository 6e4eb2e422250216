"""A browser profile that one test after another uses: it keeps the scripts of Streamlit, which take a second to load, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlparse

from playwright.sync_api import BrowserContext, Frame

_KEPT_BY_PAGES = "local_storage,indexeddb,cache_storage,service_workers"


@dataclass
class Profile:
    """A profile and the servers that left something in it."""

    context: BrowserContext
    _origins: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.context.on("page", lambda page: page.on("framenavigated", self._visited))

    def _visited(self, frame: Frame) -> None:
        address = urlparse(frame.url)
        if address.scheme == "http":
            self._origins.add(f"{address.scheme}://{address.netloc}")

    def empty(self) -> None:
        """Close every page, and forget who was signed in and what pages wrote down."""
        for page in self.context.pages:
            page.close()
        self.context.clear_cookies()
        with_tools = self.context.new_page()
        tools = self.context.new_cdp_session(with_tools)
        for origin in self._origins:
            tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _KEPT_BY_PAGES})
        with_tools.close()
        self._origins.clear()
