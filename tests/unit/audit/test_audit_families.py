"""A metric of every family that loads weights is audited from its first score to asking again, with tiny random weights."""

from __future__ import annotations

import json
import zlib
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.audit.data import items_data
from core.audit.evidence import Measurement
from core.audit.question import Level
from core.audit.report import audit_metrics
from core.datasets.bundled import bundled_items
from core.engine.engine import Engine
from core.metric import METRICS
from core.settings import Settings
from tests.unit.llm.scripted import Body, Reply, serving, text

TINY = sorted((Path(__file__).parents[2] / "parity").glob("tiny_*.py"))
BUILDERS = {name: build for path in TINY for name, build in import_module(f"tests.parity.{path.stem}").SPECS.items()}
ONE_OF_EACH_FAMILY = {METRICS.get(name).card.family: name for name in sorted(BUILDERS) if name in METRICS.names()}
DOCUMENTS = 3


@pytest.mark.parametrize("name", sorted(ONE_OF_EACH_FAMILY.values()))
def test_a_family_is_audited_with_tiny_weights(name: str, weights: Any, tmp_path: Path) -> None:
    metric = METRICS.parse(str(BUILDERS[name](weights)))
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:DOCUMENTS]
    items = [item for item in bundled_items() if item.group in groups]
    settings = Settings(cache_dir=tmp_path, device="cpu")
    with closing(Engine.open(settings)) as engine:
        measured = Measurement(engine, settings, items_data(tmp_path / "few.jsonl", items, 2, 0), [metric])
        for _ in measured.work():
            pass
    [audit] = audit_metrics(measured.evidence(), [metric.spec])
    found = {one.question: one for one in audit.findings}
    assert audit.signature
    assert found["repetition"].details, found["repetition"].sentence
    assert found["repetition"].details[0].estimate.value == pytest.approx(0, abs=1e-4)
    assert found["cost"].level is Level.MEASURED
    for question in ("sees-errors", "change-detector", "stillness", "gaming", "surface", "slices", "calibration"):
        assert found[question].level in (Level.TOO_FEW, Level.NOT_MEASURED)  # three documents are no evidence


def test_a_judge_is_asked_for_another_sample_and_estimated_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(_path: str, body: Body) -> Reply:
        asked.append(json.dumps(body["messages"]))
        return text(json.dumps({"score": zlib.crc32(asked[-1].encode()) % 101}))

    metric = METRICS.parse("direct-assessment")
    items = [item for item in bundled_items() if item.group == bundled_items()[0].group]
    with serving(answer) as running, closing(Engine.open(Settings(cache_dir=tmp_path, device="cpu"))) as engine:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
        data = items_data(tmp_path / "few.jsonl", items, 1, 0)
        measured = Measurement(engine, Settings.read(), data, [metric])
        estimate = engine.estimate(measured.paid_conversations())
        assert not asked
        for _ in measured.work():
            pass
    assert estimate.questions >= len(asked) > len(items)
    [audit] = audit_metrics(measured.evidence(), [metric.spec])
    finding = audit.finding("repetition")
    assert finding
    assert "another sample of the endpoint" in finding.sentence
