"""Two signatures are told apart part by part, and their code definition by definition."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.code_version import code_hash
from core.base.signatures import code_of_signature, explain_signatures
from core.models.model_pool import ModelPool
from core.scoring.engine.cache import AnswerCache, keep_code, read_code
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, metric_code
from core.types import Example, Result
from tests.unit.command_line import run

BEFORE = {"Rouge2.measure": "aaaaaaaaaaaa", "numpy": "2.4.5", "old_tokens": "cccccccccccc"}
AFTER = {"Rouge2.measure": "bbbbbbbbbbbb", "numpy": "2.4.6"}


def signature(parts: dict[str, str], measured: str = "precision") -> str:
    return f"rouge2|measured:{measured}|code:{code_hash(parts)}"


def test_code_is_compared_definition_by_definition_and_library_by_library(tmp_path: Path) -> None:
    keep_code(tmp_path, BEFORE)
    keep_code(tmp_path, AFTER)
    one, two = signature(BEFORE), signature(AFTER)
    assert list(explain_signatures(one, two, lambda hash: read_code(tmp_path, hash))) == [
        f"code: {code_hash(BEFORE)} → {code_hash(AFTER)}",
        "  Rouge2.measure: aaaaaaaaaaaa → bbbbbbbbbbbb",
        "  numpy: 2.4.5 → 2.4.6",
        "  old_tokens: cccccccccccc → absent",
    ]


def test_settings_that_differ_stand_first() -> None:
    lines = list(explain_signatures(signature(AFTER), signature(AFTER, "f1"), lambda _: None))
    assert lines == ["measured: precision → f1"]


def test_code_that_was_not_recorded_here_is_said(tmp_path: Path) -> None:
    keep_code(tmp_path, BEFORE)
    lines = list(explain_signatures(signature(BEFORE), signature(AFTER), lambda hash: read_code(tmp_path, hash)))
    assert lines[1:] == [
        f"  The parts of code {code_hash(AFTER)} are recorded neither in the cache folder nor in the database: that score was "
        "made on another machine. Set TOUCHSTONE_DATABASE_URL to the database that it was saved in."
    ]


def test_what_signed_a_score_can_be_read_in_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path))
    engine = Engine(ModelPool("cpu", 0.5, tmp_path), AnswerCache(tmp_path))
    [(_, outcome)] = engine.run([METRICS.parse("rouge2")], [Example("1", "The harbour was closed.", "It was closed.")])
    engine.close()
    assert isinstance(outcome, Result)
    assert read_code(tmp_path, code_of_signature(outcome.signature)) == metric_code(METRICS.parse("rouge2"))
    shown = run("explain-signature", outcome.signature)
    assert "Rouge2.measure" in shown.stdout
    assert "measured: precision" in shown.stdout
