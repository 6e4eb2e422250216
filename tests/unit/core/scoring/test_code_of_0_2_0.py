"""What version 0.2.0 computed in the same way counts after the upgrade: cached answers, and scores in Evaluate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.code_version import adapter_code, adapter_root, code_hash, library_parts
from core.base.signatures import code_of_signature
from core.models.model_pool import ModelPool
from core.results.cases.code_versions import newest_code_only
from core.scoring.code_of_0_2_0 import TABLE, current_signature, old_adapter_code, old_code
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, code_roots, metric_code_hash
from core.types import Example, Item, Result, Sample, StoredScore
from tests.old_code import changed_entries

PAIR = Example("a", "The harbour of Lindvale was closed. Nobody was hurt.", "The harbour was closed.")


def test_every_entry_is_of_the_code_of_today() -> None:
    """One that differs holds for nothing: write it again with tests/old_code.py, or delete it where its numbers have moved."""
    assert changed_entries() == {}


def test_the_old_hash_is_of_the_files_of_the_table_and_the_libraries_of_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    monkeypatch.setattr("platform.python_version_tuple", lambda: ("3", "11", "9"))
    entries = [table["roots"][name] for name in ("Bleurt20", "adapters.bleurt")]
    files = list(table["files"].items())
    parts = {"python": "3.11", **dict(files[place] for entry in entries for place in entry["files"])}
    for library in {library for entry in entries for library in entry["libraries"]}:
        parts |= library_parts(library)
    assert old_code(code_roots(METRICS.parse("bleurt-20"))) == code_hash(parts)


def test_an_adapter_that_has_changed_has_no_old_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.scoring.code_of_0_2_0.definitions_hash", lambda _: "another")
    assert old_code([adapter_root("bertscore")]) is None


def test_answers_that_0_2_0_cached_are_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = METRICS.parse("bertscore-minilm")
    with monkeypatch.context() as before:
        before.setattr("core.scoring.engine.planner.adapter_code", old_adapter_code)
        asked, first = _score(tmp_path, "bertscore-minilm")
    assert asked > 0
    (tmp_path / "code" / "0123456789ab.json").write_text('{"core/metric.py": "0123456789ab"}')
    again, second = _score(tmp_path, "bertscore-minilm")
    assert again == 0
    assert first.score == second.score
    assert code_of_signature(second.signature) == metric_code_hash(metric)
    third, _ = _score(tmp_path, "bertscore-minilm")  # under its new key now
    assert third == 0


def test_answers_of_code_that_has_changed_are_asked_again_and_the_log_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as before:
        before.setattr("core.scoring.engine.planner.adapter_code", old_adapter_code)
        asked, _ = _score(tmp_path, "bertscore-minilm")
    (tmp_path / "code" / "0123456789ab.json").write_text('{"core/metric.py": "0123456789ab"}')
    monkeypatch.setattr("core.scoring.engine.planner.old_adapter_code", lambda _: None)
    again, _ = _score(tmp_path, "bertscore-minilm")
    assert again == asked
    assert "cached of bertscore models are computed again" in caplog.text


def test_scores_of_0_2_0_are_current_in_evaluate() -> None:
    old = f"bleurt-20|split:punkt-touchstone|touchstone:0.2.0|code:{old_code(code_roots(METRICS.parse('bleurt-20')))}"
    new = f"bleurt-20|split:punkt-touchstone|code:{metric_code_hash(METRICS.parse('bleurt-20'))}"
    assert current_signature("bleurt-20", old) == new
    samples = [_sample("a", old, 0.25), _sample("b", new, 0.5)]
    kept, sentences = newest_code_only(samples)
    assert not sentences
    assert [score.signature for sample in kept for score in sample.kept] == [new, new]
    other = [_sample("a", old.replace("code:", "code:f"), 0.25), samples[1]]
    assert len(newest_code_only(other)[1]) == 1


def test_a_score_of_a_metric_that_is_gone_stays_as_it_is() -> None:
    assert current_signature("gone", "gone|code:0123456789ab") == "gone|code:0123456789ab"


def _score(folder: Path, spec: str) -> tuple[int, Result]:
    engine = Engine(ModelPool("cpu", 0.5, folder), AnswerCache(folder))
    [(_, outcome)] = engine.run([METRICS.parse(spec)], [PAIR])
    asked = engine.counts().asked
    engine.close()
    assert isinstance(outcome, Result)
    assert adapter_code("bertscore") != old_adapter_code("bertscore")
    return asked, outcome


def _sample(name: str, signature: str, value: float) -> Sample:
    return Sample("data", Item(replace(PAIR, id=name)), kept=(StoredScore("bleurt-20", value, signature),))
