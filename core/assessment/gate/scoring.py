"""Audits and scores for tests, by the engine of the process."""

from __future__ import annotations

from pathlib import Path

from core.assessment.audit.audit_report import audit_metrics
from core.assessment.audit.data import items_data, with_battery
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.gate.assertions import AuditAssertions, ScoreAssertions
from core.assessment.notebook.scores import score_pairs
from core.assessment.notebook.session import Pairs, download_weights, engine, read_pairs
from core.data import Pairs as PairsFile
from core.data import Refusal
from core.errors import TouchstoneError
from core.scoring import METRICS
from core.settings import Settings
from core.types import Item


def audit_file(metric: str, path: Path, most: int | None, seed: int, battery: str) -> AuditAssertions:
    """See the fixture `touchstone`."""
    parsed, opened = METRICS.parse(metric), engine()
    download_weights(opened.pool, parsed.checkpoints())
    data = with_battery(items_data(path, read_file(path), most, seed), battery)
    measured = EvidenceWork(opened, Settings.read(), data, [parsed], seed)
    for _ in measured.work():
        pass
    [audit] = audit_metrics(measured.evidence(), [parsed.spec])
    return AuditAssertions(audit)


def score_given(pairs: Pairs | Path, metric: str) -> ScoreAssertions:
    """See the fixture `touchstone`."""
    items = read_file(pairs) if isinstance(pairs, Path) else read_pairs(pairs)
    examples = [item.example for item in items]
    return ScoreAssertions(score_pairs(examples, metric), [example.summary for example in examples])


def read_file(path: Path) -> list[Item]:
    """The pairs of a file. Raises TouchstoneError, with the line, where one of them cannot be read, or there is none."""
    rows = list(PairsFile().read(path))
    for row in rows:
        if isinstance(row, Refusal):
            raise TouchstoneError(f"{path}, line {row.line}: {row.error} Fix the file: figures rest on all of it.")
    items = [row for row in rows if isinstance(row, Item)]
    if not items:
        raise TouchstoneError(f"{path} holds no pair: there is nothing to score.")
    return items
