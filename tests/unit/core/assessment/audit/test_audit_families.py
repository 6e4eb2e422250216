"""A metric of every family that loads weights is audited from its first score to asking again, with tiny random weights."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.assessment.audit.audit_report import audit_metrics, read_report
from core.assessment.audit.data import items_data
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.audit.question import AuditAnswer, AuditFigure, Level, MetricAudit
from core.assessment.audit.task import AuditTask
from core.assessment.gate.scoring import read_file
from core.data.datasets.bundled import bundled_items
from core.errors import BadSettingError
from core.results.cases import measures
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric
from core.settings import Settings
from tests.unit.command_line import done
from tests.unit.core.assessment.audit.pair_files import write_bundled_pairs
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

TINY = sorted((Path(__file__).parents[4] / "parity").glob("tiny_*.py"))
BUILDERS = {name: build for path in TINY for name, build in import_module(f"tests.parity.{path.stem}").SPECS.items()}
ONE_OF_EACH_FAMILY = {METRICS.get(name).card.family: name for name in sorted(BUILDERS) if name in METRICS.names()}
DOCUMENTS = 2
Audited = tuple[AuditAnswer, dict[str, AuditFigure]]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all families, whose texts are the same: what the surface of a text says is asked once."""
    return tmp_path_factory.mktemp("answers")


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "RESAMPLES", 500)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        name if name in ("summac-zs", "word-support") else pytest.param(name, marks=pytest.mark.slow)
        for name in sorted(ONE_OF_EACH_FAMILY.values())
    ],
)
def test_a_family_is_audited_from_its_first_score_to_asking_again(
    name: str, weights: Any, tmp_path: Path, database: str, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(answers))
    metric = METRICS.parse(str(BUILDERS[name](weights)))
    pairs, written = write_bundled_pairs(tmp_path / "few.jsonl", DOCUMENTS), tmp_path / "audit.json"
    done("audit", metric.spec, "--data", pairs, "--most", 1, "--to", written)
    [audit] = read_report(written.read_bytes()).metrics
    found = {one.question: one for one in audit.findings}
    assert audit.signature
    assert found["repetition"].details, found["repetition"].sentence
    assert found["repetition"].details[0].estimate.value == pytest.approx(0, abs=1e-4)
    assert found["cost"].level is Level.MEASURED
    for question in (
        "sees-errors",
        "change-detector",
        "stillness",
        "gaming",
        "surface",
        "slices",
        "calibration",
        "threshold",
    ):
        assert found[question].level in (Level.TOO_FEW, Level.NOT_MEASURED)  # two documents are no evidence


@pytest.mark.slow
def test_the_page_gives_the_figures_of_the_terminal(weights: Any, tmp_path: Path, database: str) -> None:
    assert database
    name = min(ONE_OF_EACH_FAMILY.values())
    metric = METRICS.parse(str(BUILDERS[name](weights)))
    pairs, written = write_bundled_pairs(tmp_path / "few.jsonl", DOCUMENTS), tmp_path / "audit.json"
    done("audit", metric.spec, "--data", pairs, "--most", 1, "--to", written)
    [audit] = read_report(written.read_bytes()).metrics
    assert _figures(audit) == _figures(_page_audit(metric, pairs))


def _page_audit(metric: Metric, pairs: Path) -> MetricAudit:
    """By the task that the page follows."""
    settings = Settings.read()
    with closing(Engine.open(settings)) as engine:
        opened = AuditTask(EvidenceWork(engine, settings, items_data(pairs, read_file(pairs), 1, 0), [metric]))
        assert opened.task.wait(600)
        assert opened.report, opened.task.error
        [audit] = opened.report.metrics
        return audit


def _figures(audit: MetricAudit) -> dict[str, tuple[Level, str]]:
    """What another run on the same machine gives again."""
    return {one.question: (one.level, str(one.figure)) for one in audit.findings if one.question != "cost"}


FENCED = re.compile(r"<summary-(\w+)>\n(.*?)\n</summary-\1>", re.DOTALL)


def audit_judge(spec: str, documents: int, folder: Path, monkeypatch: pytest.MonkeyPatch, *, fickle: bool) -> Audited:
    """A judge whose mark follows from the summary, or from every word that it is asked; how often it was asked, and expected to be."""
    asked: list[str] = []

    def answer(_path: str, body: Body) -> Reply:
        asked.append(json.dumps(body["messages"]))
        found = FENCED.search("".join(message["content"] for message in body["messages"]))
        if not found:
            return text(json.dumps({"because": "So it is.", "more_consistent": "same"}))
        mark = zlib.crc32((asked[-1] if fickle else found[2]).encode()) % 101
        said = {"consistent": "yes" if mark > 50 else "no"} if "yes or no" in asked[-1] else {"score": mark}
        return text(json.dumps(said if "1 to 5" not in asked[-1] else {"score": 1 + mark // 25}))

    metric = METRICS.parse(spec)
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:documents]
    items = [item for group in groups for item in [one for one in bundled_items() if one.group == group][:3]]
    with serving(answer) as running, closing(Engine.open(Settings(cache_dir=folder, device="cpu"))) as engine:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
        measured = EvidenceWork(engine, Settings.read(), items_data(folder / "few.jsonl", items, 1, 0), [metric])
        expected = engine.estimate(measured.paid_conversations()).questions
        assert not asked
        for _ in measured.work():
            pass
    [audit] = audit_metrics(measured.evidence(), [metric.spec])
    finding = audit.finding("wording")
    assert finding
    assert expected >= len(asked) > len(items)
    return finding, {one.label: one for one in finding.details}


@pytest.mark.slow
def test_a_judge_is_asked_for_another_sample_and_with_other_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding, figures = audit_judge("direct-assessment", 12, tmp_path, monkeypatch, fickle=False)
    for wording in ("1", "2"):
        flips = figures[f"decisions that flip at its threshold, direct-assessment[wording={wording}]"]
        kappa = figures[f"Cohen's kappa of the decisions, direct-assessment[wording={wording}]"]
        assert flips.estimate.value == 0.0
        assert kappa.estimate.value == 1.0
    assert finding.level is Level.GOOD


@pytest.mark.slow
def test_a_judge_whose_decisions_follow_the_wording_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding, figures = audit_judge("closed-book", 12, tmp_path, monkeypatch, fickle=True)
    flips = figures["decisions that flip at its threshold, closed-book[wording=1]"].estimate
    kappa = figures["Cohen's kappa of the decisions, closed-book[wording=1]"].estimate
    assert flips.value is not None
    assert flips.value > 0.2
    assert kappa.value is not None
    assert kappa.value < 0.5
    assert finding.level is Level.FAILS
    assert finding.brief == "its decisions depend on the wording of its instructions"


def test_a_wording_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadSettingError, match="has no wording '9'"):
        METRICS.parse("direct-assessment[wording=9]")
    inside = METRICS.parse("retrieve[metric=weighted-assessment]").rewordings()
    assert [one.spec for one in inside] == ["retrieve[metric=weighted-assessment[wording=1]]"]
