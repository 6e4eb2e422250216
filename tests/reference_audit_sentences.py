"""The sentences of the audit and of rates, made by the functions that make them from tables that deserve each, with their conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from core.assessment.audit.audit_report import summarize
from core.assessment.audit.question import AuditAnswer, AuditQuestion, Level, VerdictScale
from core.assessment.audit.questions import (
    calibration,
    change_detector,
    gaming,
    layout,
    reading,
    repetition,
    sanity,
    sees_errors,
    stillness,
    surface,
    threshold,
)
from core.assessment.audit.questions.answers import AnswersQuestion
from core.assessment.audit.questions.calibration import CalibrationQuestion
from core.assessment.audit.questions.change_detector import ChangeDetectorQuestion
from core.assessment.audit.questions.gaming import GamingQuestion
from core.assessment.audit.questions.layout import LayoutQuestion
from core.assessment.audit.questions.reading import ReadingQuestion
from core.assessment.audit.questions.reads_document import ReadsDocumentQuestion
from core.assessment.audit.questions.repetition import RepetitionQuestion
from core.assessment.audit.questions.sanity import SanityQuestion
from core.assessment.audit.questions.sees_errors import SeesErrorsQuestion
from core.assessment.audit.questions.slices import SlicesQuestion
from core.assessment.audit.questions.stillness import StillnessQuestion
from core.assessment.audit.questions.surface import SurfaceQuestion
from core.assessment.audit.questions.threshold import ThresholdQuestion
from core.evaluation.studies.calibration import MIN_DOCUMENTS
from core.evaluation.studies.prevalence import Prevalence
from core.evaluation.study import StudyData
from core.stats.comparison import MIN_TEST_DOCUMENTS
from tests.random_tables import METRIC, audit_evidence, labelled_pool

Row = tuple[str, str, str]
"""The place, the condition, and the sentence."""

QUESTIONS = (
    *(AnswersQuestion, SeesErrorsQuestion, ChangeDetectorQuestion, ReadsDocumentQuestion, SanityQuestion),
    *(LayoutQuestion, StillnessQuestion, GamingQuestion, SurfaceQuestion, RepetitionQuestion, ReadingQuestion),
    *(SlicesQuestion, CalibrationQuestion, ThresholdQuestion),
)
"""Those that give a verdict, in the order of the report."""

SCALES: Mapping[str, VerdictScale] = MappingProxyType(
    {
        "sees-errors": sees_errors.SCALE,
        "change-detector": change_detector.SCALE,
        "stillness": stillness.SCALE,
        "gaming": gaming.LIFTED_SCALE,
        "reading": reading.SCALE,
        "slices": sees_errors.SCALE,
        "sanity": sanity.SCALE,
        "layout": layout.SCALE,
        "surface": surface.SCALE,
        "repetition": repetition.SCALE,
        "calibration": calibration.SCALE,
        "threshold": threshold.SCALE,
    }
)
"""The scale of the figure by question."""

TABLES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "good": {"sees": 4.0, "moves": 0.0},
        "fair": {"documents": 400, "sees": 0.65},
        "fair, unread": {"documents": 200, "sees": 2.0, "moves": 1.0, "reads": 0.5, "gain": 1.0},
        "blind": {"sees": 0.0, "documents": 100},
        "inverted": {"sees": -3.0},
        "change": {"sees": 2.0, "moves": 2.0, "reads": 0.0, "gain": 2.5, "documents": 100},
        "uncertain": {"sees": 0.8, "gain": 0.5},
        "few": {"documents": 8, "sees": 2.0},
        "calibrated": {"sees": 9.0, "height": 0.95, "noise": 0.15},
        "moved by layout": {"sees": 5.0, "layout": 3.0, "reads": 0.87, "repeats": 0.8},
        "surface": {"surface": 3.0, "sane": 0.2, "layout": 3.0, "repeats": 0.5},
        "in part surface": {"documents": 200, "surface": 1.0, "sane": 0.7, "layout": 0.6, "repeats": 0.8},
    }
)
"""Settings of `audit_evidence` by what the metric is."""

_UNTOLD = f"the interval allows several verdicts, or there are fewer than {MIN_TEST_DOCUMENTS} documents"
_OF_SCALE: Mapping[Level, str] = MappingProxyType(
    {
        Level.GOOD: "the whole interval is {good} or {better}",
        Level.WEAK: "the whole interval is between {good} and {fails}",
        Level.FAILS: "the whole interval is {fails} or {worse}",
        Level.TOO_FEW: _UNTOLD,
    }
)
_OTHERWISE: Mapping[tuple[str, Level], str] = MappingProxyType(
    {
        (
            "answers",
            Level.GOOD,
        ): "at most 5 % here have no score, the interval is below 20 %, and no score leaves the range of the card",
        ("answers", Level.WEAK): "more have none, or a score leaves the range",
        ("answers", Level.TOO_FEW): "at most 5 % here have no score, but the interval reaches 20 %",
        (
            "reads-document",
            Level.GOOD,
        ): "significantly fewer pairs are ordered beside another document, no more than by chance",
        ("reads-document", Level.WEAK): "significantly fewer, and still more than by chance",
        ("reads-document", Level.FAILS): "more than by chance, and at most a quarter of the lead is lost",
        ("reads-document", Level.MEASURED): "beside their own document pairs are not ordered better than by chance",
        (
            "gaming",
            Level.FAILS,
        ): "the phrase lifts more than harmless words by the whole interval, and that by 20 % or more",
        ("gaming", Level.MEASURED): "the phrase lifts some, not significantly more than harmless words",
        (
            "change-detector",
            Level.GOOD,
        ): "the whole interval of every area is 0.65 or more, against originals 0.51 or more",
        (
            "change-detector",
            Level.FAILS,
        ): "that of the worst area is 0.55 or less, or of the one against originals 0.5 or less",
        (
            "reading",
            Level.GOOD,
        ): "at the worst place the whole interval is 0.8 or more of the share beside its own document",
        ("layout", Level.GOOD): "the whole interval is 0.125 or less, and that errors lower the score is certain",
        ("layout", Level.MEASURED): "the interval is as good, but that errors lower the score cannot be told",
        (
            "sanity",
            Level.WEAK,
        ): "the whole interval is between 0.8 and 0.6, or one expectation surely fails for most summaries",
        (
            "calibration",
            Level.GOOD,
        ): "the error here is 0.1 or less, and the Brier score is better than that of the share of consistent summaries",
        ("calibration", Level.WEAK): "the error here is less than 0.25, or tells no more than that share would",
        ("calibration", Level.FAILS): "the error here is 0.25 or more",
        (
            "calibration",
            Level.NOT_MEASURED,
        ): f"a score lies outside 0 to 1, or {MIN_DOCUMENTS} documents of each label are not there",
        ("surface", Level.NOT_MEASURED): "the scores do not vary, or are too few to learn from",
        ("threshold", Level.NOT_MEASURED): f"{MIN_DOCUMENTS} documents of each label are not there",
        ("reading", Level.MEASURED): "beside its own document pairs are not ordered better than by chance",
    }
)


def condition(question: AuditQuestion, level: Level) -> str:
    """The condition on which a verdict is given."""
    scale, less = SCALES.get(question.name), question.less_is_better
    otherwise = _OTHERWISE.get(
        (question.name, level), _OF_SCALE.get(level, "the figure is no evidence of a fault or of a merit")
    )
    if scale is None:
        return otherwise
    better, worse = ("less", "more") if less else ("more", "less")
    return otherwise.format(good=f"{scale.good:g}", fails=f"{scale.fails:g}", better=better, worse=worse)


@cache
def audited(table: str) -> tuple[AuditAnswer, ...]:
    """The findings on the metric of a table."""
    settings = dict(TABLES[table])
    evidence = audit_evidence(
        1, **({"documents": int(settings.pop("documents"))} if "documents" in settings else {}), **settings
    )
    return tuple(question().finding(evidence, METRIC) for question in QUESTIONS)


def audit_rows() -> Iterator[Row]:
    """A row for each question and each verdict, then the one-line summary."""
    said: dict[tuple[str, Level], AuditAnswer] = {}
    for table in TABLES:
        for finding in audited(table):
            said.setdefault((finding.question, finding.level), finding)
    for question in QUESTIONS:
        for level in Level:
            if finding := said.get((question.name, level)):
                when = f"{level.value}: {condition(question(), level)}"
                yield f"Audit: {question.title}", when, " ".join(filter(None, [finding.sentence, finding.warning]))
    place = "Audit, its reports, the badge and the terminal"
    yield place, "one clause of each finding that has one, then the number of verdicts", summarize(audited("good"))
    yield place, "the same of a metric that fails", summarize(audited("change"))
    untold = [replace(finding, level=Level.TOO_FEW) for finding in audited("few")]
    yield place, "no finding has a verdict", summarize(untold)


def rate_rows() -> Iterator[Row]:
    """The sentences on a share of inconsistent summaries."""
    pools = {
        "the scores narrow the interval": labelled_pool(1, distance=2.5),
        "they do not": labelled_pool(1, distance=0.0),
        "nothing was scored": replace(labelled_pool(1), columns=()),
        "fewer than ten labels of one kind": labelled_pool(1, labels=20, rate=0.1),
        "every summary has a label": labelled_pool(1, labels=400),
    }
    for when, pool in pools.items():
        report = Prevalence("test").run(StudyData(datasets=("by hand",), pool=pool))
        yield "Evaluate, `study prevalence`", when, " ".join(report.sentences)
