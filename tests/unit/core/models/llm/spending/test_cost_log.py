"""What was paid by run and prompt: counted, written, read by others and exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.models.llm.endpoints.endpoint import Endpoint, Price
from core.models.llm.spending.cost_log import CostLog, CostRow, cost_records, read_costs
from core.models.llm.spending.spend import Usage
from tests.unit.core.evaluation.explanations.commands import lines, run
from tests.unit.core.models.llm.scripted import serving, text

PRICED = Endpoint("http://x/v1", "", name="mini", price=Price(1.0, 10.0))
FREE = Endpoint("http://x/v1", "")


def test_answers_add_up_by_prompt_endpoint_and_model(tmp_path: Path) -> None:
    log = CostLog(tmp_path)
    for prompt, endpoint in (("judge-v1", PRICED), ("judge-v1", PRICED), ("detect-explain", FREE)):
        log.record(prompt, endpoint, "small", Usage(1000, 100))
    log.flush()
    found = [(row.prompt, row.endpoint, row.model, row.questions, row.read, row.money) for row in read_costs(tmp_path)]
    assert found == [
        ("judge-v1", "mini", "small", 2, 2000, pytest.approx(0.004)),
        ("detect-explain", "default", "small", 1, 1000, None),
    ]
    assert [row["prompt"] for row in cost_records(read_costs(tmp_path))] == ["detect-explain", "judge-v1"]


def test_another_run_has_rows_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("judge", "explain"):
        monkeypatch.setattr("sys.argv", ["/somewhere/cli.py", command])
        log = CostLog(tmp_path)
        log.record("judge-v1", PRICED, "small", Usage(1000, 100))
        log.flush()
    assert {row.run.partition(" ")[2] for row in read_costs(tmp_path)} == {"cli.py judge", "cli.py explain"}
    assert len(read_costs(tmp_path)) == 2


def test_nothing_is_there_before_anything_was_paid(tmp_path: Path) -> None:
    log = CostLog(tmp_path)
    log.flush()
    assert (read_costs(tmp_path), list(tmp_path.iterdir())) == ([], [])


def test_a_command_leaves_its_costs_in_the_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'own.db'}",
        "CACHE_DIR": str(tmp_path / "cache"),
        "DEVICE": "cpu",
    }
    priced = {"LLM_MODEL": "tiny", "LLM_PRICE_READ": "1", "LLM_PRICE_WRITTEN": "10", "PROMPTS_DIR": ""}
    for name, value in (settings | priced).items():
        monkeypatch.setenv(f"TOUCHSTONE_{name}", value)
    case = {"id": "a", "explanation": "It names no pilot.", "reference": "It was the harbour master."}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case))
    with serving(
        lambda _path, _body: text(json.dumps({"because": "So.", "grade": "not"}), read=1000, written=100)
    ) as server:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", server.url)
        for _ in range(2):  # the second time from the cache, for nothing
            run("judge", "cases.jsonl", "--setup", "V4", "-o", "out.jsonl")
    [row] = read_costs(tmp_path / "cache")
    assert row == CostRow(row.run, "judge-v4", "default", "tiny", 1, 1000, 100, 0.002)
    run("import", "bundled", "--name", "own")
    run("export", "-o", "all.jsonl")
    run("export", "-o", "all.csv")
    assert next(line for line in lines(tmp_path / "all.jsonl") if line["kind"] == "cost")["money"] == 0.002
    assert ",judge-v4,default,tiny,1,1000,100,0.002" in (tmp_path / "all.csv").read_text()
