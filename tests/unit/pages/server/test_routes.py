"""The table of routes has every address that the router of the app answers, and nothing is open that is not in it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit import file_util

from pages.server.api_routes import OPERATIONS
from pages.server.routes import page_names, route_rules, rules_at
from tests.sources import ROOT

_ROUTES = """
import json, sys
import app
built = app.app._build_starlette_app()
kinds = {"Route": "http", "WebSocketRoute": "websocket", "Mount": "mount"}
print(json.dumps({
    "routes": [[kinds[type(route).__name__], route.path, sorted(getattr(route, "methods", None) or [])] for route in built.routes],
    "middleware": [middleware.cls.__name__ for middleware in built.user_middleware],
}))
sys.stdout.flush()
import os
os._exit(0)
"""


@cache
def running_app() -> dict[str, list[list[object]]]:
    """Routes and middleware of the app as `streamlit run app.py` builds them, asked in a process of its own."""
    asked = subprocess.run([sys.executable, "-c", _ROUTES], cwd=ROOT, capture_output=True, text=True, check=True)
    answer: dict[str, list[list[object]]] = json.loads(asked.stdout.splitlines()[-1])
    return answer


def test_every_route_of_the_running_router_has_a_row() -> None:
    rows = {(f"/{rule.path}", method) for rule in route_rules() for method in rule.methods}
    missing = []
    for kind, path, methods in running_app()["routes"]:
        assert isinstance(methods, list)
        needed = {"WEBSOCKET"} if kind == "websocket" else {*methods} - {"HEAD"}
        missing += [(path, method) for method in needed if (path, method) not in rows]
    assert not missing, "Streamlit answers addresses that pages/server/routes.py does not have: say there who may ask."


def test_the_files_of_the_only_mount_have_a_row() -> None:
    mounts = [path for kind, path, _ in running_app()["routes"] if kind == "mount"]
    assert mounts == [""]
    folder = Path(file_util.get_static_dir())
    for file in folder.rglob("*"):
        if file.is_file():
            assert rules_at(f"/{file.relative_to(folder).as_posix()}"), file


def test_the_guard_stands_before_everything_that_answers() -> None:
    assert [str(name) for name in running_app()["middleware"]][:2] == ["Protection", "RouteGuard"]


def test_pages_and_operations_of_the_api_are_addresses() -> None:
    assert {"probe", "annotate", "campaigns"} <= {*page_names()}
    for name in page_names():
        assert rules_at(f"/{name}")
    for operation in OPERATIONS:
        [rule, *_] = [
            rule
            for rule in rules_at(f"/api/v1/{operation.path.replace('{id}', 'c1')}")
            if operation.method in rule.methods
        ]
        assert (rule.who, bool(rule.most_bytes)) == ("token", operation.body is not None)


@pytest.mark.parametrize(
    "path",
    ["/nothing", "//evil.example/", "/probe/deeper", "/probe/_stcore/health", "/_stcore", "/_stcore/stream/x", "/.env",
     "/pages/main.py", "/static", "/_stcore/new", "/docs\n", "/index.html/x", "/main", "/touchstone/probe", "/probe\\x"],
)  # fmt: skip
def test_what_the_table_lacks_is_no_address(path: str) -> None:
    assert rules_at(path) == []


def test_addresses_lie_below_the_base_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: "touchstone" if name == "server.baseUrlPath" else None)
    assert rules_at("/touchstone/probe")
    assert rules_at("/touchstone")
    assert rules_at("/touchstone/")
    assert rules_at("/probe") == []
    assert rules_at("/") == []
