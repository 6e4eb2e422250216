"""Files that pages were sent: who may send one, how many megabytes are held for a page and for all, and when they are let go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from pages.server import services

_UPLOADER = "file_uploader_state_value"


class UploadRefusedError(Exception):
    """A file that is not taken, with the status of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class UploadLimits:
    """Bytes of uploads: those that Streamlit holds, and those that are on their way."""

    def __init__(self) -> None:
        self._on_their_way: Counter[str] = Counter()

    @contextmanager
    def reserve(self, session_id: str, size: int | None) -> Iterator[None]:
        """Take the bytes of a file for a page until it has arrived. Raises UploadRefusedError where it may not be sent."""
        if not has_uploader(session_id):
            raise UploadRefusedError(403, "No page that is open here asks for a file. Reload the page.")
        settings = services.settings()
        if settings.has_guests:
            if size is None:
                raise UploadRefusedError(411, "Say how long the file is: Content-Length.")
            held, of_all = self._held(session_id), self._held("")
            if held + size > settings.upload_session_mb * 2**20:
                raise UploadRefusedError(
                    413, f"The files of a page may have {settings.upload_session_mb:g} MB together. Remove one first."
                )
            if of_all + size > settings.upload_server_mb * 2**20:
                raise UploadRefusedError(
                    503, "The server holds as many files as it can. Try again when others are done."
                )
        self._on_their_way[session_id] += size or 0
        try:
            yield
        finally:
            self._on_their_way[session_id] -= size or 0

    def _held(self, session_id: str) -> int:
        """Bytes of a page, or of all pages."""
        files = _files()
        own = [session_id] if session_id else [*files.file_storage]
        arrived = sum(len(file.data) for name in own for file in [*files.file_storage.get(name, {}).values()])
        return arrived + (self._on_their_way[session_id] if session_id else self._on_their_way.total())


def has_uploader(session_id: str) -> bool:
    """True if the page of an open connection shows an uploader."""
    session = st.runtime.get_instance()._session_mgr.get_active_session_info(session_id)
    if session is None:
        return False
    widgets = session.session.session_state._new_widget_state.widget_metadata
    return any(widget.value_type == _UPLOADER for widget in [*widgets.values()])


def forget_files_of_closed_pages() -> None:
    """Let go of the files of pages whose connection has ended and cannot be taken up again."""
    sessions, files = Runtime.instance()._session_mgr, _files()
    for session_id in [*files.file_storage]:
        if sessions.get_session_info(session_id) is None:
            files.remove_session_files(session_id)


def _files() -> MemoryUploadedFileManager:
    files = st.runtime.get_instance().uploaded_file_mgr
    assert isinstance(files, MemoryUploadedFileManager)
    return files
