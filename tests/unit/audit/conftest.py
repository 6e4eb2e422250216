"""One audit of the metrics whose verdicts are known, for the tests of a file: no other sees these metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from core.audit.data import items_data
from core.audit.evidence import Evidence, Measurement
from core.audit.report import AuditReport, audit_metrics, build_report
from core.datasets.bundled import bundled_items
from core.engine.engine import Engine
from core.metric import METRICS
from core.settings import Settings
from tests.unit.audit.known_metrics import known_metrics

GROUPS = 40
"""Bundled documents that are audited: more than the thirty from which on no interval is called too narrow."""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evidence]:
    folder = tmp_path_factory.mktemp("audit")
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:GROUPS]
    named = {item.group: ("short story",) if item.domain == "fiction" else () for item in bundled_items()}
    items = [replace(item, slices=named[item.group]) for item in bundled_items() if item.group in groups]
    settings = Settings(cache_dir=folder, device="cpu", database_url=f"sqlite:///{folder / 'kept.db'}")
    with known_metrics(items) as specs, closing(Engine.open(settings)) as engine:
        data = items_data(folder / "pairs.jsonl", items, None, 0)
        measured = Measurement(engine, settings, data, [METRICS.parse(spec) for spec in specs])
        for _ in measured.work():
            done, total = measured.counts
            assert done <= total
        yield measured.evidence()


@pytest.fixture(scope="module")
def report(evidence: Evidence) -> AuditReport:
    specs = evidence.run.plan.metrics
    return build_report(evidence, list(audit_metrics(evidence, specs)), "python cli.py audit …")
