"""`cli.py claims` writes the claims of each summary, and `score` reads them where claims are given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.settings import Settings
from tests.unit.command_line import done, run
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

DOCUMENT = "Rain fell in Lindvale on Monday. The mayor closed the harbour. Nobody was hurt."
SUMMARY = "Rain fell on Monday. Two people were hurt."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    return tmp_path


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("\n".join(json.dumps(one) for one in records), encoding="utf-8")
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def pair(**more: object) -> dict[str, Any]:
    return {"id": "one", "document": DOCUMENT, "summary": SUMMARY, **more}


def test_claims_are_written_and_then_scored(folder: Path) -> None:
    pairs = write(folder / "pairs.jsonl", pair(label="inconsistent", question="What happened?"))
    done("claims", pairs, "-o", folder / "claims.jsonl")
    [line] = lines(folder / "claims.jsonl")
    assert [one["text"] for one in line["claims"]] == ["Rain fell on Monday.", "Two people were hurt."]
    assert [SUMMARY[one["start"] : one["end"]] for one in line["claims"]] == [one["text"] for one in line["claims"]]
    assert (line["claims_by"], line["label"], line["question"]) == ("sentence", "inconsistent", "What happened?")

    line["claims"] = ["Nobody was hurt.", *line["claims"]]  # by hand, as a text
    write(folder / "edited.jsonl", line)
    for claims, spec in (("edited", "claims[metric=rouge2,by=given]"), ("claims", "claims[metric=rouge2]")):
        done("score", folder / f"{claims}.jsonl", "--metric", spec, "-o", folder / f"{claims}-scores.jsonl")
    [edited], [found] = lines(folder / "edited-scores.jsonl"), lines(folder / "claims-scores.jsonl")
    assert "|claims:sentence|" in edited["signature"]
    assert [one["text"] for one in edited["claims"]] == [
        "Nobody was hurt.",
        "Rain fell on Monday.",
        "Two people were hurt.",
    ]
    assert edited["claims"][0]["evidence"]["text"] == "Nobody was hurt."
    assert [one["score"] for one in edited["claims"][1:]] == [one["score"] for one in found["claims"]]
    assert edited["score"] == pytest.approx((1 + sum(one["score"] for one in found["claims"])) / 3)


def test_a_summary_without_claims_says_why_and_has_no_score(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_path: str, body: Body) -> Reply:
        asked = body["messages"][1]["content"]
        return text('{"claims": []}' if "Snow" in asked else '{"claims": ["Rain fell on Monday."]}')

    pairs = write(folder / "pairs.jsonl", pair(), {"id": "two", "document": DOCUMENT, "summary": "Snow fell."})
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        ended = run("claims", pairs, "--by", "language-model", "-o", folder / "claims.jsonl")
    assert ended.exit_code == 1
    assert "Estimate: 2 questions to endpoints" in ended.stderr
    assert "1 claims of 1 summaries." in ended.stderr
    good, bad = lines(folder / "claims.jsonl")
    assert good["claims_by"].startswith("language-model, claims by model:tiny, prompt:claims@1#")
    assert (bad["claims"], "at least 1 item" in bad["error"]) == (None, True)

    scored = run(
        "score", folder / "claims.jsonl", "--metric", "claims[metric=rouge2,by=given]", "-o", folder / "s.jsonl"
    )
    assert scored.exit_code == 1
    first, second = lines(folder / "s.jsonl")
    assert first["status"] == "ok"
    assert (second["status"], second["score"]) == ("failed", None)
    assert second["error"].startswith("No claims came with this summary.")


@pytest.mark.parametrize(
    ("claims", "problem"),
    [
        ("Rain fell.", "Write them as JSON"),
        ({"text": "Rain fell."}, "must be a list"),
        (["Rain fell.", " "], "Claim 2 has no text."),
        ([{"claim": "Rain fell.", "label": 1}], "Claim 1 has no text."),
        ([{"text": "Rain fell.", "start": 3, "end": 999}], "which is no place in a summary of 42 characters"),
        ([{"text": "Rain fell.", "start": "0", "end": 4}], "which is no place"),
    ],
    ids=["text", "object", "blank", "other fields", "outside", "text for a number"],
)
def test_claims_of_another_form_are_named_with_their_line(folder: Path, claims: object, problem: str) -> None:
    pairs = write(folder / "pairs.jsonl", pair(claims=claims))
    ended = run("score", pairs, "--metric", "rouge2", "-o", folder / "s.jsonl")
    assert ended.exit_code == 2
    assert "line 1: " in ended.stderr
    assert problem in ended.stderr


def test_a_way_that_does_not_exist_is_refused_before_anything_is_written(folder: Path) -> None:
    pairs = write(folder / "pairs.jsonl", pair())
    assert run("claims", pairs, "--by", "nobody", "-o", folder / "claims.jsonl").exit_code != 0
    assert not (folder / "claims.jsonl").exists()
