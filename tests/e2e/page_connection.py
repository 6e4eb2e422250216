"""A page as a program opens it: Streamlit's connection without a browser, and uploads over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from pages.server.sign_in import SESSION_COOKIE

_WAIT_S = 90


@dataclass(frozen=True)
class PageConnection:
    """An open page, by its id in Streamlit, and the names of what it shows."""

    id: str
    url: str
    shown: tuple[str, ...]
    http: httpx2.Client

    def upload(self, file: str, content: bytes, session_id: str = "") -> int:
        """Send a file as an uploader does; the status of the answer."""
        address = f"{self.url}/_stcore/upload_file/{session_id or self.id}/{file}"
        headers = {"X-Xsrftoken": self.http.cookies.get("_streamlit_xsrf", "")}
        return self.http.put(address, files={"file": ("a.csv", content, "text/csv")}, headers=headers).status_code


@contextmanager
def open_page(url: str, page: str = "", code: str = "") -> Iterator[PageConnection]:
    """Open a page and wait until it is drawn, signed in by a code or as a stranger."""
    with httpx2.Client(timeout=_WAIT_S) as http:
        if code:
            http.get(f"{url}/?invite={code}", headers={"Accept": "text/html"})
            assert SESSION_COOKIE in http.cookies
        http.get(f"{url}/_stcore/host-config")
        http.get(f"{url}/_stcore/health")
        cookies = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        address = f"ws://{urlsplit(url).netloc}/_stcore/stream"
        with connect(address, additional_headers={"Cookie": cookies}, max_size=None, open_timeout=_WAIT_S) as socket:
            start = BackMsg()
            start.rerun_script.page_name = page
            socket.send(start.SerializeToString())
            yield _drawn(socket, url, http)


def _drawn(socket: ClientConnection, url: str, http: httpx2.Client) -> PageConnection:
    id, shown = "", list[str]()
    while True:
        content = socket.recv(timeout=_WAIT_S)
        assert isinstance(content, bytes)
        message = ForwardMsg.FromString(content)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            id, shown = message.new_session.initialize.session_id or id, []
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            shown.append(message.delta.new_element.WhichOneof("type") or "")
        elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
            return PageConnection(id, url, tuple(shown), http)
