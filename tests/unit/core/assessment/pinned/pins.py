"""Pins of a small stress run, of a pair and of an audit, to be drawn and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from core.assessment.audit.audit_report import AuditReport
from core.assessment.audit.question import AuditAnswer, AuditFigure, Level, MetricAudit, ShownPair
from core.assessment.pinned.making import audit_pin, pair_pin
from core.assessment.pinned.pin import AuditSource, PairSource, Pin, PinnedPart, PinnedReport, StudySource
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.results.cases.data_facts import DataFacts
from core.stats.best_metric import MetricStatistic
from core.stats.statistic import Estimate
from core.types import StoredScore

HOSTILE = """<script>alert("x")</script> | $x_1$ & 100 % \\input{secret} [a](javascript:alert(1)) ![p](http://bad.example/p.png)"""
MADE = date(2026, 11, 25)
AREA = Estimate(0.812, 0.77, 0.85, 240, documents=60)


def study_pin(words: str = "Entity", samples: int = 240, signature: str = "rouge2|code:ab|touchstone:0.1.0") -> Pin:
    """A table with a compared figure and a chart, all of whose texts are `words`."""
    columns = (Column("metric", format="metric"), Column("slice", words), Column("area", format="coefficient"))
    rows = (
        ("rouge2", words, MetricStatistic(AREA, best=True)),
        (words, words, MetricStatistic(replace(AREA, value=0.5))),
    )
    chart = Chart(
        "areas",
        "bars",
        words,
        Axis(words, (words,)),
        Axis(words),
        (Series(words, (words,), (AREA,)),),
    )
    content = Report(
        "measures",
        words,
        (Table("measures", words, columns, rows, (words,)),),
        (chart,),
        (words,),
        (words,),
        data={"version": "0.1.0", "samples": samples, "documents": 60},
        command="python cli.py study measures --dataset harbour",
    )
    source = StudySource("measures", ("harbour",))
    return Pin(words, source, content, MADE, signatures={"rouge2": signature})


def edited_pair(words: str = "The harbour was open.") -> Pin:
    source = PairSource(
        words, words, f"{words} Not.", ("rouge2",), "inconsistent", "Entity", link="?example=harbour", verdict=words
    )
    rows = [(StoredScore("rouge2", 0.9, "rouge2|1"), StoredScore("rouge2", 0.4, "rouge2|1"))]
    return replace(pair_pin(words, source, rows, {"rouge2": "noticed"}), made=MADE)


def audit(words: str = "Does it see errors?", seconds: float = 1.0, question: str = "") -> Pin:
    pair = ShownPair(words, "", words, f"{words} Not.", 0.9, None, words)
    found: Sequence[AuditAnswer] = (
        AuditAnswer(
            "sees-errors", words, words, Level.GOOD, words, AuditFigure(words, AREA), pairs=(pair,), warning=words
        ),
        AuditAnswer(
            "costs",
            "Costs",
            "costs",
            Level.MEASURED,
            "Fast.",
            AuditFigure("s", replace(AREA, value=seconds), "seconds"),
        ),
    )
    report = AuditReport(
        (DataFacts("harbour", "ab" * 32, 240, 60),),
        (MetricAudit("rouge2", "rouge2|1", words, tuple(found)),),
        "python cli.py audit rouge2",
    )
    made = audit_pin(report, AuditSource(("rouge2",), ("harbour",), 100, "touchstone-1", question))
    return replace(made, made=MADE)


def report_of(words: str) -> PinnedReport:
    """A report whose every text is `words`, with a paragraph and a pin of each kind."""
    pins = (study_pin(words), edited_pair(words), audit(words))
    return PinnedReport(words, (PinnedPart(words), *(PinnedPart(words, pin) for pin in pins)))
