"""What Dockerfile, .dockerignore and compose.yaml name exists, and the proxy is that of docs/guides/deployment.md; nothing is built."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
import yaml

from core.settings import Settings
from tests.sources import ENTRIES, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def test_the_variables_are_settings() -> None:
    given = {*re.findall(r"TOUCHSTONE_(\w+)", DOCKERFILE), *re.findall(r"TOUCHSTONE_(\w+)", str(COMPOSE))}
    assert {name.lower() for name in given} <= set(Settings.model_fields)
    assert "TOUCHSTONE_DEMO=1" in DOCKERFILE  # without anything set it is the demo


def test_the_context_holds_what_the_wheel_is_made_of_and_no_more() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    built = {"annotations", "core", "docs", "pages", ".streamlit/config.toml", *ENTRIES}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    described = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["path"]
    assert kept == {*built, *described, ".ci/*.lock", hook}
    [builder] = project["build-system"]["requires"]
    assert builder in (ROOT / ".ci" / "build-requirements.txt").read_text().splitlines()


def test_the_proxy_is_that_of_the_chapter_on_deployment() -> None:
    upstream, location = re.findall(
        r"```nginx\n(.*?)```", (ROOT / "docs" / "guides" / "deployment.md").read_text(encoding="utf-8"), re.DOTALL
    )
    configured = COMPOSE["configs"]["nginx"]["content"].replace("$$", "$").replace("app:8501", "127.0.0.1:8501")
    for block in (upstream, location):
        assert "".join(block.split()) in "".join(configured.split())


def test_people_reach_the_app_through_the_proxy_alone() -> None:
    assert [name for name, service in COMPOSE["services"].items() if "ports" in service] == ["proxy"]
    assert {
        volume.split(":")[0] for service in ("app", "database") for volume in COMPOSE["services"][service]["volumes"]
    } == set(COMPOSE["volumes"])


def test_every_container_has_a_limit_of_memory_and_no_right_that_it_does_not_need() -> None:
    for name, service in COMPOSE["services"].items():
        assert service["mem_limit"], name
        assert service["pids_limit"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"], name
        assert "/tmp" in service["tmpfs"], name
        assert not {"SYS_ADMIN", "NET_ADMIN", "SYS_PTRACE"} & {*service.get("cap_add", [])}


def test_every_image_is_pinned_by_tag_and_digest_and_again_by_another() -> None:
    program = runpy.run_path(str(ROOT / ".ci" / "image_digests.py"))
    for text, images in (
        (DOCKERFILE, ["python:3.11-slim"]),
        ((ROOT / "compose.yaml").read_text(), ["postgres:17", "nginx:1.28"]),
    ):
        asked = list[str]()
        once = program["pinned"](text, lambda image, asked=asked: asked.append(image) or f"sha256:{'a' * 64}")
        assert asked == images
        assert once.count(f"@sha256:{'a' * 64}") == len(images)
        again = program["pinned"](once, lambda _: f"sha256:{'b' * 64}")
        assert again == once.replace("a" * 64, "b" * 64)
    assert not re.findall(r"(?m)^FROM (?!\$\{BASE\})", DOCKERFILE)


@pytest.mark.parametrize(("base", "asked"), [("", "/_stcore/health"), ("/touchstone/", "/touchstone/_stcore/health")])
def test_the_check_of_health_asks_where_the_server_listens(base: str, asked: str) -> None:
    paths: list[str] = []

    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    [command] = re.findall(r"^HEALTHCHECK .*CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    with HTTPServer(("127.0.0.1", 0), Health) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        settings = {"STREAMLIT_SERVER_PORT": str(server.server_port), "STREAMLIT_SERVER_BASE_URL_PATH": base}
        subprocess.run([sys.executable, *json.loads(command)[1:]], env={**os.environ, **settings}, check=True)
        server.shutdown()
    assert paths == [asked]


def test_the_app_with_a_gpu_takes_the_place_of_the_other() -> None:
    gpu = COMPOSE["services"]["app-gpu"]
    assert (gpu["profiles"], gpu["build"]["args"]) == (["gpu"], {"DEVICE": "cuda"})
    assert gpu["networks"]["default"]["aliases"] == ["app"]
    assert gpu["environment"] == COMPOSE["services"]["app"]["environment"]
