"""`cli.py score` and `cli.py endpoints` with a scripted endpoint: what is told of cost, and never of the key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.errors import BadSettingError
from core.settings import Settings
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, listing, refusal, serving, text

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


def run(*arguments: str, status: int = 0) -> tuple[str, str]:
    found = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert found.exit_code == status
    assert KEY not in found.output
    return found.stdout, found.stderr


def score(folder: Path, *more: str) -> tuple[str, str]:
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, PAIRS)))
    """Of the two pairs one is not answered."""
    file, out = str(folder / "pairs.jsonl"), str(folder / "out.jsonl")
    return run("score", file, "--metric", "direct-assessment", "-o", out, *more, status=1)


def said(told: str) -> list[str]:
    """The lines without those of progress, of which a slow machine says some."""
    return [line for line in told.splitlines() if line and not line.startswith(" ")]


@pytest.mark.usefixtures("endpoint")
def test_scores_tell_before_what_they_may_cost_and_after_what_they_cost(tmp_path: Path) -> None:
    out, told = score(tmp_path, "--stats")
    before, failed, after = said(told)
    assert before.startswith("Estimate: 2 questions to endpoints, about ")
    assert "about 1,024 written with answers of full length; about 0.1" in before
    assert failed.startswith("Scores that failed: 1.")
    assert after == "Spent: default: 1 question, 100 tokens read, 10 written, 0.0020."
    assert json.loads(out)["endpoints"] == {
        "": {"questions": 1, "read": 100, "written": 10, "money": 0.002, "unpriced": 0}
    }


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


@pytest.mark.usefixtures("endpoint")
def test_unknown_refusals_are_written_for_an_issue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("endpoints", "--unknown")[0] == "No endpoint has refused a question in an unknown form.\n"
    with serving(lambda _path, _body: refusal(418, f"The weather is bad, {KEY}")) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        score(tmp_path)
    out, told = run("endpoints", "--unknown")
    assert out.startswith("### Unknown refusal: status 418 of 127.0.0.1\n")
    assert "The weather is bad, …" in out
    assert "Read it before you post it" in told


def test_an_endpoint_that_is_gone_says_so(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    assert (
        "http://127.0.0.1:9/v1 cannot be reached. Start the server, or set TOUCHSTONE_LLM_BASE_URL."
        in run("endpoints")[0]
    )
    assert endpoint.asked == []


@pytest.mark.slow
def test_a_key_that_is_refused_ends_the_run_after_the_first_few_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [{"id": str(number), "document": "It rained.", "summary": f"Rain {number}."} for number in range(400)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, many)))
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", KEY)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    for reply in (refusal(401, f"Incorrect {KEY}"), refusal(404, "no such model"), refusal(429, "insufficient_quota")):
        with serving(lambda _path, _body, reply=reply: reply) as running:
            monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
            out = str(tmp_path / "out.jsonl")
            run("score", str(tmp_path / "pairs.jsonl"), "--metric", "closed-book", "-o", out, status=1)
        assert len(running.asked) <= 3 + 8  # those that were under way when the third was refused
        failures = [json.loads(line)["error"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert (len(failures), len(set(failures))) == (400, 1)


def test_a_folder_of_prompts_that_is_none_is_told_before_anything_is_asked(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(BadSettingError, match=r"which is no folder\. Make it, or unset it"):
        score(tmp_path)
    assert endpoint.asked == []
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.usefixtures("endpoint")
def test_without_an_endpoint_one_line_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL")
    [line] = run("endpoints")[0].splitlines()
    assert "Set TOUCHSTONE_LLM_BASE_URL" in line


def test_a_probe_tells_and_keeps_what_the_model_takes(endpoint: Endpoint) -> None:
    answered, shaped, likely, known = [line.strip() for line in run("endpoints", "--probe")[0].splitlines()[3:]]
    assert answered.startswith('✓ Answer: “{"score": 80}”')
    assert shaped.startswith("✗ Structured output: ")
    assert likely.startswith("✗ Log-probabilities: ")
    assert known.startswith("known of tiny: ")
    assert "likely tokens at most: 0" in known
    asked = len(endpoint.asked)
    assert run("endpoints")[0].splitlines()[-1].strip() == known
    assert len(endpoint.asked) == asked + 1  # the models that it serves
