"""A document that is read while the page stays open: its progress, a button that ends it, and its text at the end."""

from __future__ import annotations

from collections.abc import Generator

import streamlit as st

from core.base import BackgroundTask
from core.data import DocumentPart, DocumentText, join_parts, read_parts
from core.errors import TouchstoneError
from pages.ui.shared.background_results import progress_bar

_LOOK_S = 0.4


class DocumentReading:
    """A PDF, Word document or page of HTML called `name` that is being read, or was; `cancelled` by a person it has no text."""

    def __init__(self, name: str, data: bytes, *, clean: bool) -> None:
        self.name = name
        self._clean = clean
        self.cancelled = False
        self._data = data
        self._parts: list[DocumentPart] = []
        self.task: BackgroundTask[DocumentPart] = BackgroundTask(self._work, counts=self._counts, unit="pages")

    @property
    def is_read(self) -> bool:
        return not (self.task.running or self.cancelled)

    @property
    def document(self) -> DocumentText:
        """The whole document, once the task has ended. Raises TouchstoneError where it could not be read."""
        if self.task.error:
            raise TouchstoneError(self.task.error)
        return join_parts(self.name, self._parts)

    def cancel(self) -> None:
        self.cancelled = True
        self.task.cancel()

    def _work(self) -> Generator[DocumentPart]:
        for part in read_parts(self.name, self._data, clean=self._clean):
            self._parts.append(part)
            yield part

    def _counts(self) -> tuple[int, int]:
        return len(self._parts), self._parts[-1].pages if self._parts else 0


@st.fragment(run_every=_LOOK_S)
def follow_reading(reading: DocumentReading) -> None:
    """Show how many pages are read, with a button that ends it; draw the page again at the end."""
    if reading.cancelled or reading.is_read:
        st.rerun()
    progress_bar(reading.task.progress, reading.cancel)
