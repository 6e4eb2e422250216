"""`cli.py score` with a judge whose marks may be on another scale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.command_line import run
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.usefixtures("terminal")


def test_marks_that_may_be_from_0_to_1_are_counted_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_path: str, body: Body) -> Reply:
        return text('{"score": 80}' if "Town 2" in json.dumps(body) else '{"score": 1}')

    rows = [
        {"id": str(place), "document": "It rained.", "summary": f"Rain fell in Town {place}."} for place in range(3)
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        done = run("score", tmp_path / "pairs.jsonl", "--metric", "direct-assessment", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 0, done.output
    assert "direct-assessment: 2 marks are 1 of 100" in done.stderr
