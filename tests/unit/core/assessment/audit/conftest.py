"""One audit of the metrics whose verdicts are known, measured once for a worker: no other test sees these metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain

import pytest

from core.assessment.audit.audit_report import AuditReport, audit_metrics, build_report
from core.assessment.audit.data import items_data
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.evidence_work import EvidenceWork
from core.data.datasets.bundled import bundled_items
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Item
from tests.unit.core.assessment.audit.known_metrics import broken_summaries, known_metrics

GROUPS = 32
"""Bundled documents that are audited: more than the thirty from which on no interval is called too narrow."""
ITEMS = 3
"""Summaries of each: the original and two edits."""
RESAMPLES = 2000
"""Resamples of documents: an audit of so few takes five times as many."""


@dataclass(frozen=True)
class Audited:
    """An audit, and what its metrics know of the items."""

    items: list[Item]
    broken: frozenset[str]
    evidence: Evidence
    report: AuditReport


@pytest.fixture(scope="session")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    folder = tmp_path_factory.mktemp("audit")
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:GROUPS]
    named = {item.group: ("short story",) if item.domain == "fiction" else () for item in bundled_items()}
    of_groups = [[item for item in bundled_items() if item.group == group][:ITEMS] for group in groups]
    items = [replace(item, slices=named[item.group]) for item in chain.from_iterable(of_groups)]
    broken = frozenset(broken_summaries(items, 0))
    settings = Settings(cache_dir=folder, device="cpu", database_url=f"sqlite:///{folder / 'kept.db'}")
    with known_metrics(items, broken) as specs, closing(Engine.open(settings)) as engine:
        data = items_data(folder / "pairs.jsonl", items, None, 0)
        measured = EvidenceWork(engine, settings, data, [METRICS.parse(spec) for spec in specs])
        for _ in measured.work():
            done, total = measured.counts
            assert done <= total
        evidence = replace(measured.evidence(), resamples=RESAMPLES)
        found = list(audit_metrics(evidence, evidence.run.plan.metrics))
    return Audited(items, broken, evidence, build_report(evidence, found, "python cli.py audit …"))


@pytest.fixture(scope="module")
def evidence(audited: Audited) -> Iterator[Evidence]:
    with known_metrics(audited.items, audited.broken):
        yield audited.evidence


@pytest.fixture
def report(audited: Audited, evidence: Evidence) -> AuditReport:
    assert evidence is audited.evidence  # the metrics of the report are registered
    return audited.report
