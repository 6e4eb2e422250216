"""All papers from nothing: weights from a hub of tiny random ones, a model on loopback, data of a few texts; then the same after an end by force."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.assessment.papers.reproduced.longdoc import LongDocPaper
from tests.integration.test_metrics_from_hub import (  # noqa: F401  # fixtures
    BART,
    FROM_HUB,
    VITC,
    Machine,
    built_hub,
    machine,
)
from tests.parity import tiny_entailment as entailment
from tests.parity.published_forms import publish, publish_lightning
from tests.sources import ROOT
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, completion, serving, text

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm. Nobody was hurt. Repairs take until June."
SUMMARY = "A storm closed the harbour on Tuesday. Nobody was hurt at the quay of Lindvale."
REWORDED = "On Tuesday the harbour was closed. No one was hurt at Lindvale."
ADDED = f"{SUMMARY} Repairs take until June."


def answer(_path: str, body: Body) -> Reply:
    """A model that rewords, detects and grades, and gives the first tokens of MiniCheck."""
    if body.get("logprobs"):
        return completion({"Yes": 0.7, "No": 0.3})
    asked = json.dumps(body["messages"])
    if "grade" in asked:
        return text('{"because": "So it is.", "grade": "entirely"}')
    if '\\"consistent\\"' in asked:
        return text('{"consistent": "no", "explanation": "It was closed."}')
    if '\\"explanation\\"' in asked:
        return text('{"explanation": "It was closed."}')
    return text(ADDED if DOCUMENT in asked else REWORDED)


def write_data(folder: Path) -> Path:
    """Two texts of each dataset of the papers that ask models, in the forms of their releases."""
    files: dict[str, object] = {
        "squality/test.jsonl": {
            "metadata": {"passage_id": "1", "uid": "u", "license": "x"},
            "document": DOCUMENT,
            "questions": [
                {"question_text": "What happened?", "question_number": 1, "responses": [{"response_text": SUMMARY}]}
            ],
        },
        "lexabsumm/test.json": [{"id": "1", "judgment": DOCUMENT, "aspect": "harbour", "summary": SUMMARY}],
        "scholarqabench/human_answers.json": [
            {
                "id": "q1",
                "input": "What happened?",
                "ctxs": [{"title": "T", "text": DOCUMENT}],
                "output": SUMMARY,
                "subject": "x",
            }
        ],
        "summexecedit/data.jsonl": {
            "sample_id": "s1",
            "doc_id": "d1",
            "domain": "news",
            "doc": DOCUMENT,
            "original_summary": SUMMARY,
            "edited_summary": SUMMARY.replace("closed", "opened"),
            "original_text": "closed",
            "replace_text": "opened",
            "explanation": "It was closed.",
            "edit_type": "summexecedit",
            "model": "m",
        },
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def publish_weights(machine: Machine) -> None:  # noqa: F811  # the fixture
    check = next(part for part in FROM_HUB["fenice"] if part.setting == "entailment")
    parts = [BART, VITC, check, *FROM_HUB["unieval-sum"], *FROM_HUB["minicheck-flan-t5"]]
    for part in parts:
        shutil.rmtree(machine.hub.repository(part.repository), ignore_errors=True)
        publish(part.folder(machine.built), machine.hub.repository(part.repository), part.weights, part.vocabulary)
    folder = machine.built(entailment.alignscore)
    publish_lightning(folder / "tiny.ckpt", machine.hub.repository("yzha/AlignScore") / "AlignScore-large.ckpt")
    publish(folder, machine.hub.repository("FacebookAI/roberta-large"), "none", "merges")


def site(output: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (output / "site").iterdir()}


def environment(endpoint: Endpoint) -> dict[str, str]:
    return {"TOUCHSTONE_LLM_BASE_URL": endpoint.url, "TOUCHSTONE_LLM_MODEL": "gpt-4o"}


@pytest.mark.slow
def test_all_papers_come_from_nothing_and_again_after_an_end_by_force(
    machine: Machine,  # noqa: F811  # the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish_weights(machine)
    data = write_data(tmp_path / "data")
    asked = ["reproduce", "all", "--data", str(data), "--resamples", "10", "--metric", "bleu", "--ask"]
    with serving(answer) as endpoint:
        for name, value in environment(endpoint).items():
            monkeypatch.setenv(name, value)
        (tmp_path / "whole").mkdir()
        status, output = machine.run(*asked, "--fetch", "-o", tmp_path / "whole")
        assert status == 0, output
        tables = read_tables(tmp_path / "whole", LongDocPaper.name)
        for table in ("1", "3", "4", "5", "6"):
            waiting = {cell["waits"] for cell in tables[table] if cell["state"] == "waits"}
            assert not waiting, (table, waiting)
        assert {cell["state"] for cell in tables["6"]} >= {"BEYOND"}  # random weights are no metrics
        detection = read_tables(tmp_path / "whole", "summexecedit")
        assert {cell["row"] for cell in detection["2"] if cell["ours"] is not None} == {"gpt-4o"}
        assert all(cell["ours"] is not None for cell in detection["5, other metrics"])

        (tmp_path / "broken").mkdir()
        command = [sys.executable, ROOT / "cli.py", *asked, "-o", tmp_path / "broken"]
        hub = {"HF_HUB_CACHE": str(tmp_path / "hub-cache"), "HF_HUB_OFFLINE": "1"}
        variables = {**os.environ, **hub, "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
            assert process.stderr
            assert any(line.startswith("  longdoc: done") for line in process.stderr)
            process.send_signal(signal.SIGKILL)
        assert not (tmp_path / "broken" / "site").exists()
        status, output = machine.run(*asked, "-o", tmp_path / "broken")
        assert status == 0, output
        assert "longdoc: already done" in output
    assert site(tmp_path / "broken") == site(tmp_path / "whole")


def read_tables(output: Path, paper: str) -> dict[str, list[dict[str, Any]]]:
    record = json.loads((output / "results" / f"{paper}.json").read_text(encoding="utf-8"))["result"]
    return {table["table"]: table["cells"] for table in record["tables"]}
