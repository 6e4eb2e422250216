"""`cli.py score` and `cli.py endpoints` with a scripted endpoint: what is told of cost, and never of the key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.settings import Settings
from tests.unit.llm.scripted import Body, Endpoint, Reply, listing, refusal, serving, text

KEY = "sk-a-secret-of-nobody"
PAIRS = [
    {"id": "a", "document": "It rained.", "summary": "Rain fell."},
    {"id": "b", "document": "It rained.", "summary": "Snow fell."},
]


def answer(path: str, body: Body) -> Reply:
    if path.endswith("/models"):
        return listing("tiny", "large")
    if "Snow" in body["messages"][1]["content"]:
        return refusal(400, f"Snow is not served to {KEY}.")
    return text('{"score": 80}', read=100, written=10)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    with serving(answer) as running:
        settings = {
            "BASE_URL": running.url,
            "API_KEY": KEY,
            "MODEL": "tiny",
            "PRICE_READ": "10",
            "PRICE_WRITTEN": "100",
        }
        for name, value in settings.items():
            monkeypatch.setenv(f"TOUCHSTONE_LLM_{name}", value)
        monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
        yield running


def run(*arguments: str) -> tuple[str, str]:
    found = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert found.exit_code == 0
    assert KEY not in found.output
    return found.stdout, found.stderr


def score(folder: Path, *more: str) -> tuple[str, str]:
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, PAIRS)))
    return run(
        "score", str(folder / "pairs.jsonl"), "--metric", "direct-assessment", "-o", str(folder / "out.jsonl"), *more
    )


def said(told: str) -> list[str]:
    """The lines without those of progress, of which a slow machine says some."""
    return [line for line in told.splitlines() if line and not line.startswith(" ")]


@pytest.mark.usefixtures("endpoint")
def test_scores_tell_before_what_they_may_cost_and_after_what_they_cost(tmp_path: Path) -> None:
    out, told = score(tmp_path, "--stats")
    before, failed, after = said(told)
    assert before.startswith("Estimate: 2 questions to endpoints, about ")
    assert "at most 1,024 written; at most 0.1" in before
    assert failed.startswith("Scores that failed: 1.")
    assert after == "Spent: default: 1 question, 100 tokens read, 10 written, 0.0020."
    assert json.loads(out)["endpoints"] == {"": {"questions": 1, "read": 100, "written": 10, "money": 0.002}}


@pytest.mark.usefixtures("endpoint")
def test_a_score_and_a_failure_stand_side_by_side_without_the_key(tmp_path: Path) -> None:
    score(tmp_path)
    good, bad = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert (good["status"], good["score"], bad["status"], bad["score"]) == ("ok", 0.8, "failed", None)
    assert "Snow is not served to …" in bad["error"]
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in kept


@pytest.mark.usefixtures("endpoint")
def test_what_is_kept_costs_nothing_again(tmp_path: Path) -> None:
    score(tmp_path)
    before, _ = said(score(tmp_path)[1])
    assert before.startswith("Estimate: 1 question to endpoints")


def test_endpoints_are_listed_with_what_they_serve_cost_and_took(endpoint: Endpoint, tmp_path: Path) -> None:
    score(tmp_path)
    out, _ = run("endpoints")
    where, spent, served = out.splitlines()
    assert (
        where.split()
        == f"default {endpoint.url} · model tiny · 8 at once · 60 s for a try, 2 repeats · ".split()
        + ("10 read and 100 written per million tokens".split())
    )
    assert spent.strip() == "spent so far: 1 question, 100 tokens read, 10 written, 0.0020"
    assert served.strip() == "serves large, tiny"


def test_an_endpoint_that_is_gone_says_so(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    assert (
        "http://127.0.0.1:9/v1 cannot be reached. Start the server, or set TOUCHSTONE_LLM_BASE_URL."
        in run("endpoints")[0]
    )
    assert endpoint.asked == []


@pytest.mark.usefixtures("endpoint")
def test_without_an_endpoint_one_line_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL")
    [line] = run("endpoints")[0].splitlines()
    assert "Set TOUCHSTONE_LLM_BASE_URL" in line
