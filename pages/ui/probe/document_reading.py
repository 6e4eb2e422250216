"""A PDF that is read page by page while the page stays open: its progress, a button that ends it, and its text at the end."""

from __future__ import annotations

from collections.abc import Generator

import streamlit as st

from core.base.background import BackgroundTask
from core.base.files.documents import PdfPage, join_pages, read_pages
from core.errors import TouchstoneError
from pages.ui.shared.background_results import progress_bar

_LOOK_S = 0.4


class DocumentReading:
    """A PDF called `name` that is being read, or was; `cancelled` by a person it has no text."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.cancelled = False
        self._data = data
        self._pages: list[PdfPage] = []
        self.task: BackgroundTask[PdfPage] = BackgroundTask(self._work, counts=self._counts, unit="pages")

    @property
    def is_read(self) -> bool:
        return not (self.task.running or self.cancelled)

    @property
    def text(self) -> str:
        """The whole document, once the task has ended. Raises TouchstoneError where it could not be read."""
        if self.task.error:
            raise TouchstoneError(self.task.error)
        return join_pages(self.name, self._pages)

    def cancel(self) -> None:
        self.cancelled = True
        self.task.cancel()

    def _work(self) -> Generator[PdfPage]:
        for page in read_pages(self.name, self._data):
            self._pages.append(page)
            yield page

    def _counts(self) -> tuple[int, int]:
        return len(self._pages), self._pages[-1].pages if self._pages else 0


@st.fragment(run_every=_LOOK_S)
def follow_reading(reading: DocumentReading) -> None:
    """Show how many pages are read, with a button that ends it; draw the page again at the end."""
    if reading.cancelled or reading.is_read:
        st.rerun()
    progress_bar(reading.task.progress, reading.cancel)
