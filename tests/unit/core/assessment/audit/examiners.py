"""Metrics of which the verdicts are known, and the verdicts that an audit owes them.

`count_false_verdicts.py` audits all of them and writes how often a verdict was false.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import ClassVar

import pytest
from scipy.special import ndtri

from core.assessment.audit.audit_report import audit_metrics
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.audit.question import JUDGED_LEVELS, AuditAnswer, Level, MetricAudit
from core.errors import UnscorableError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Card, Metric
from core.settings import Settings
from core.text.segmentation import sentences, words
from core.types import Answer, Example, Question, Score
from tests.unit.core.assessment.audit.examined_texts import Truth, examined_data
from tests.unit.core.assessment.audit.known_metrics import CARD

RESAMPLES = 1000  # of documents; an audit of one metric takes more
GOOD, WEAK, FAILS = Level.GOOD, Level.WEAK, Level.FAILS
NOT_GOOD, NOT_FAILED = {WEAK, FAILS}, {GOOD, WEAK}
EVERYTHING = (
    *(
        "answers",
        "sees-errors",
        "change-detector",
        "reads-document",
        "sanity",
        "layout",
        "stillness",
        "gaming",
        "surface",
        "repetition",
        "reading",
        "slices",
    ),
    *("calibration", "threshold"),
)
PERFECT = {question: {GOOD} for question in EVERYTHING}
BLIND = {question: {FAILS} for question in ("sees-errors", "change-detector", "stillness", "slices", "threshold")} | {
    "answers": {GOOD},
    "repetition": {GOOD},
    "gaming": {GOOD},
    "reading": NOT_GOOD,
    "sanity": NOT_GOOD,
    "layout": NOT_GOOD,
}
"""Deserved by a metric that sees no error; an audit that gives no verdict is not wrong."""


Measure = Callable[[Truth, Example], float]


def change(truth: Truth, example: Example) -> float:
    original = truth.originals[truth.documents[example.summary]]
    return SequenceMatcher(None, original.split(), example.summary.split(), autojunk=False).ratio()


def one_domain(truth: Truth, example: Example) -> float:
    noisy = truth.documents[example.summary] in truth.noisy
    return truth.noise("elsewhere", example.summary) if noisy else truth.knows(example)


def gamed(truth: Truth, example: Example) -> float:
    praised = any(word in example.summary for word in ("The document discusses", "in general apply"))
    return 1.0 if praised else 0.9 * truth.knows(example)


def stops(truth: Truth, example: Example) -> float:
    """Guesses where the document of the summary does not begin within the first 200 words."""
    beginning, own = example.document.split()[:200], truth.documents[example.summary].split()[:20]
    read = " ".join(own) in " ".join(beginning)
    return truth.knows(example) if read else truth.noise("unread", example.summary, " ".join(beginning[:20]))


def copied(truth: Truth, example: Example) -> float:  # noqa: ARG001  # it needs to know nothing
    known = set(words(example.document))
    found = words(example.summary)
    return sum(word in known for word in found) / max(1, len(found))


def middling(area: float) -> Measure:
    """A metric that is right of others' documents too, with this area under the ROC curve."""

    def measure(truth: Truth, example: Example) -> float:
        draw = min(max(truth.noise("middling", example.summary, str(area)), 1e-9), 1 - 1e-9)
        return math.sqrt(2) * float(ndtri(area)) * truth.holds(example) + float(ndtri(draw))

    return measure


def unread(truth: Truth, example: Example) -> float:
    """Knows which summaries are consistent with their own document, and never looks at the one beside it."""
    return 0.02 + 0.96 * truth.consistent[example.summary]


def words_per_sentence(truth: Truth, example: Example) -> float:  # noqa: ARG001  # it needs to know nothing
    return len(words(example.summary)) / max(1, len(sentences(example.summary)))


def inverted_in_one_domain(truth: Truth, example: Example) -> float:
    score = truth.knows(example)
    return 1 - score if truth.documents[example.summary] in truth.noisy else score


def numbers(truth: Truth, example: Example) -> float:  # noqa: ARG001  # it needs to know nothing
    stated, there = _NUMBER.findall(example.summary), set(_NUMBER.findall(example.document))
    return sum(number in there for number in stated) / len(stated) if stated else 1.0


def first_words(truth: Truth, example: Example) -> float:
    """Knows what it reads of the first 100 words: where the document begins later, it guesses."""
    beginning, own = example.document.split()[:100], truth.documents[example.summary].split()[:20]
    return truth.knows(example) if " ".join(own) in " ".join(beginning) else truth.noise("unread", example.summary)


def copies_labels(truth: Truth, example: Example) -> float:
    """Labels learned by heart, of which a fifth were wrong; of other texts it knows nothing."""
    label = truth.labels.get(example.summary)
    if label is None:
        return truth.noise("unseen", example.summary)
    return 0.02 + 0.96 * (label == (truth.noise("copied", example.summary) >= 0.2))


def early(truth: Truth, example: Example) -> float:
    """Knows of the errors that begin in the first half of the summary."""
    own = truth.documents[example.summary]
    if own not in example.document:
        return 0.02
    original, edited = truth.originals[own].split(), example.summary.split()
    same = next(
        (place for place, both in enumerate(zip(original, edited, strict=False)) if both[0] != both[1]), len(edited)
    )
    return 0.98 if truth.consistent[example.summary] or same >= len(edited) / 2 else 0.02


def confident(truth: Truth, example: Example) -> float:
    """Sure of every summary, and wrong about one in five."""
    return 0.02 + 0.96 * (truth.holds(example) == (truth.noise("confident", example.summary) >= 0.2))


def is_tenth(truth: Truth, example: Example) -> bool:
    return truth.noise("tenth", example.summary) < 0.1


def refuses(truth: Truth, example: Example) -> float:
    if is_tenth(truth, example):
        raise UnscorableError("This one is left out.")
    return truth.knows(example)


def crashes(truth: Truth, example: Example) -> float:
    if is_tenth(truth, example):
        raise ValueError(f"a mistake at {len(example.summary)}")
    return truth.knows(example)


def refuses_errors(truth: Truth, example: Example) -> float:
    if not truth.consistent[example.summary] and truth.noise("hard", example.summary) < 0.5:
        raise UnscorableError("Too hard.")
    return truth.guesses(example)


_NUMBER = re.compile(r"\d[\d.,]*\d|\d")

Deserved = Mapping[str, set[Level]]
LEAVES_OUT = dict.fromkeys(EVERYTHING, NOT_GOOD)

EXAMINERS: dict[str, tuple[Measure, Deserved, Card]] = {
    "length": (
        lambda _, example: float(len(words(example.summary))),
        BLIND | {"surface": {FAILS}},
        replace(CARD, high=None),
    ),
    "change": (
        change,
        BLIND
        | {
            "sees-errors": NOT_GOOD,
            "slices": NOT_GOOD,
            "reads-document": {FAILS},
            "reading": set(),
            "layout": NOT_FAILED | {FAILS},
            "threshold": NOT_FAILED | {FAILS},
        },
        CARD,
    ),
    "random": (lambda truth, example: truth.noise("any", example.summary), BLIND | {"surface": {GOOD}}, CARD),
    "oracle": (Truth.knows, PERFECT, CARD),
    "upside-down": (
        lambda truth, example: 1 - truth.knows(example),
        BLIND | {"surface": {GOOD}, "calibration": {FAILS}},
        CARD,
    ),
    "lower": (lambda truth, example: 1 - truth.knows(example), PERFECT, replace(CARD, direction="lower")),
    "uncalibrated": (
        lambda truth, example: 0.9 + 0.02 * truth.holds(example),
        PERFECT | {"calibration": {FAILS}},
        CARD,
    ),
    "one-domain": (
        one_domain,
        {"answers": {GOOD}, "sees-errors": NOT_FAILED, "slices": {FAILS}, "repetition": {GOOD}},
        CARD,
    ),
    "gamed": (gamed, PERFECT | {"gaming": {FAILS}, "calibration": NOT_FAILED}, CARD),
    "stops": (stops, PERFECT | {"reading": {FAILS}}, CARD),
    "copied": (copied, {"answers": {GOOD}, "change-detector": {FAILS}, "surface": {FAILS}, "repetition": {GOOD}}, CARD),
    "unsteady": (
        lambda truth, example: 0.7 * truth.knows(example) + 0.3 * random.random(),  # that is the fault
        PERFECT | {"repetition": {FAILS}, "sanity": NOT_GOOD, "stillness": NOT_FAILED, "calibration": NOT_FAILED},
        CARD,
    ),
    "ties": (
        lambda truth, example: round(3 * truth.guesses(example)) / 3,
        {
            "answers": {GOOD},
            "sees-errors": {GOOD},
            "change-detector": {GOOD},
            "reads-document": {GOOD},
            "stillness": NOT_FAILED,
            "gaming": {GOOD},
            "surface": {GOOD},
            "repetition": {GOOD},
            "calibration": NOT_FAILED,
            "threshold": NOT_FAILED,
        },
        CARD,
    ),
    "constant": (lambda _truth, _example: 0.5, BLIND | {"surface": set(), "calibration": NOT_GOOD}, CARD),
    "refuses": (refuses, LEAVES_OUT, CARD),
    "nan": (
        lambda truth, example: float("nan") if is_tenth(truth, example) else truth.knows(example),
        LEAVES_OUT,
        CARD,
    ),
    "crashes": (crashes, LEAVES_OUT, CARD),
    "selective": (refuses_errors, LEAVES_OUT | {"answers": {FAILS}}, CARD),
    "outside": (
        lambda truth, example: 3 * truth.knows(example),
        PERFECT | {"answers": {FAILS}, "calibration": set()},
        CARD,
    ),
}
"""The measure of each, the verdicts that are right, question by question, and its card."""


EXAMINERS |= {
    "unread": (
        unread,
        PERFECT | {"reads-document": {FAILS}} | dict.fromkeys(("reading", "gaming", "stillness", "sanity"), NOT_GOOD),
        CARD,
    ),
    "words-per-sentence": (
        words_per_sentence,
        {question: levels for question, levels in BLIND.items() if question != "gaming"}
        | {"surface": {FAILS}, "reads-document": {FAILS}},
        replace(CARD, high=None),
    ),
    "inverted-in-one-domain": (
        inverted_in_one_domain,
        dict.fromkeys(("sees-errors", "change-detector", "stillness", "calibration", "threshold"), NOT_GOOD)
        | {"answers": {GOOD}, "slices": {FAILS}, "surface": {GOOD}, "repetition": {GOOD}},
        CARD,
    ),
    "numbers": (
        numbers,
        dict.fromkeys(("sees-errors", "change-detector", "slices", "threshold", "sanity"), NOT_GOOD)
        | {"answers": {GOOD}, "reads-document": NOT_FAILED, "gaming": {GOOD}, "repetition": {GOOD}},
        CARD,
    ),
    "first-words": (first_words, PERFECT | {"reading": {FAILS}, "reads-document": NOT_FAILED}, CARD),
    "copies-labels": (
        copies_labels,
        dict.fromkeys(("change-detector", "stillness", "sanity", "reading"), NOT_GOOD)
        | dict.fromkeys(("sees-errors", "slices", "threshold"), NOT_FAILED)
        | {"answers": {GOOD}, "reads-document": {FAILS}, "surface": {GOOD}, "repetition": {GOOD}},
        CARD,
    ),
    "early": (
        early,
        dict.fromkeys(("sees-errors", "change-detector", "slices", "threshold", "sanity"), NOT_FAILED)
        | {
            question: {GOOD}
            for question in ("answers", "reads-document", "reading", "stillness", "gaming", "repetition")
        },
        CARD,
    ),
    "confident": (
        confident,
        dict.fromkeys(("sees-errors", "change-detector", "slices", "threshold"), NOT_FAILED)
        | {"answers": {GOOD}, "reads-document": {GOOD}, "surface": {GOOD}, "repetition": {GOOD}},
        CARD,
    ),
}


for _area, _level in ((0.65, WEAK), (0.72, WEAK), (0.8, GOOD)):
    EXAMINERS[f"middling-{100 * _area:.0f}"] = (
        middling(_area),
        {
            "answers": {GOOD},
            "sees-errors": {_level},
            "change-detector": NOT_FAILED,
            "reads-document": {GOOD},
            "surface": {GOOD},
            "repetition": {GOOD},
            "reading": {GOOD},
            "slices": {_level},
            "threshold": {_level},
        },
        replace(CARD, low=None, high=None),
    )


def build_metric(name: str, measure: Measure, card_: Card) -> type[Metric]:
    """A metric of Touchstone with that measure."""

    @dataclass(frozen=True)
    class Examiner(Metric):
        name: ClassVar[str]
        card: ClassVar[Card] = card_
        truth: ClassVar[Truth] = Truth()

        def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
            return Score(measure(self.truth, example))

    Examiner.name = f"examiner-{name}"
    return Examiner


@contextmanager
def examiners(names: Sequence[str], truth: Truth) -> Iterator[list[Metric]]:
    """Those metrics, registered for the block."""
    METRICS.names()
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            measure, _, card = EXAMINERS[name]
            metric = build_metric(name, measure, card)
            patch.setattr(metric, "truth", truth)
            patch.setitem(METRICS._classes, metric.name, metric)
        yield [METRICS.parse(f"examiner-{name}") for name in names]


def audited(
    folder: Path,
    seed: int,
    documents: int,
    names: Sequence[str] = tuple(EXAMINERS),
    dataset: str = "bundled",
    flipped: float = 0.0,
) -> list[MetricAudit]:
    """The audits of those metrics by one seed."""
    data, truth = examined_data(folder, seed, documents, dataset, flipped)
    settings = Settings(cache_dir=folder, device="cpu", database_url=f"sqlite:///{folder / 'kept.db'}")
    with examiners(names, truth) as metrics, closing(Engine.open(settings)) as engine:
        measured = EvidenceWork(engine, settings, data, metrics, seed)
        for _ in measured.work():
            pass
        evidence = replace(measured.evidence(), resamples=RESAMPLES)
        return list(audit_metrics(evidence, [metric.spec for metric in metrics]))


def judged(audits: Sequence[MetricAudit]) -> Iterator[tuple[str, AuditAnswer, bool]]:
    """Every verdict on a question of which the right answer is known, with the name of the metric; True if it is false."""
    for audit in audits:
        name = audit.metric.removeprefix("examiner-")
        _, deserved, _ = EXAMINERS[name]
        for finding in audit.findings:
            if finding.question in deserved and finding.level in JUDGED_LEVELS:
                yield name, finding, finding.level not in deserved[finding.question]
