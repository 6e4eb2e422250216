"""Metrics of which the verdicts are known, and the verdicts that an audit owes them.

`python -m tests.unit.core.assessment.audit.examiners` audits all of them with five seeds and writes how often a verdict was false.
"""

from __future__ import annotations

import logging
import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import pytest
from scipy.special import ndtri

from core.assessment.audit.audit_report import audit_metrics
from core.assessment.audit.data import AuditData, items_data
from core.assessment.audit.evidence import EvidenceWork, phrase_controls
from core.assessment.audit.false_verdicts import FalseVerdicts, count_verdicts, write_false_verdicts
from core.assessment.audit.question import JUDGED_LEVELS, AuditAnswer, Level, MetricAudit
from core.data.datasets.bundled import bundled_items
from core.edits.battery import LAYOUT_BATTERY, read_battery
from core.edits.sanity import sanity_pairs
from core.errors import UnscorableError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Card, Metric
from core.settings import Settings
from core.text.segmentation import words
from core.types import Answer, Example, Item, Question, Score, Verdict
from tests.unit.core.assessment.audit.known_metrics import CARD, variant

SEEDS = (1, 2, 3, 4, 5)
DOCUMENTS = 30
RESAMPLES = 2000  # of documents; an audit of one metric takes more
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


Measure = Callable[["Truth", Example], float]


@dataclass
class Truth:
    """Everything that is known of the texts of one audit."""

    seed: int = 0
    consistent: dict[str, bool] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    noisy: set[str] = field(default_factory=set)

    def noise(self, *parts: str) -> float:
        """A number of 0..1 that follows from the words and the seed."""
        digest = sha256("\0".join([str(self.seed), *parts]).encode()).digest()
        return int.from_bytes(digest[:6], "big") / 256**6

    def holds(self, example: Example) -> bool:
        """True of a consistent summary beside its own document, or a long one that holds it."""
        return self.consistent[example.summary] and self.documents[example.summary] in example.document

    def knows(self, example: Example) -> float:
        return 0.02 + 0.96 * self.holds(example)

    def guesses(self, example: Example) -> float:
        """Right more often than not: an area of about .9."""
        sure = 0.25 + 0.5 * self.holds(example)
        return min(1.0, max(0.0, sure + 0.9 * (self.noise("guess", example.summary) - 0.5)))


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


def examined_data(folder: Path, seed: int, documents: int) -> tuple[AuditData, Truth]:
    """Bundled examples of so many documents, half of them of another domain, and the truth of all their texts."""
    groups = sorted({item.group for item in bundled_items()})
    drawn = set(random.Random(seed).sample(groups, documents))  # a test's draw
    truth = Truth(seed)
    items = []
    for item in bundled_items():
        if item.group in drawn:
            distant = truth.noise("domain", item.group) < 0.5
            items.append(replace(item, domain="distant" if distant else "near"))
            truth.noisy |= {item.example.document} if distant else set()
    data = items_data(folder / "pairs.jsonl", items, documents, seed)
    _learn(truth, items, data)
    return data, truth


def _learn(truth: Truth, items: Sequence[Item], data: AuditData) -> None:
    texts: list[tuple[Example, str, bool]] = []
    for item in items:
        truth.originals.setdefault(item.example.document, item.example.summary)
        texts.append((item.example, item.example.summary, item.intended is not Verdict.INCONSISTENT))
    for sources, wrong in ((data.sources, False), (data.broken, True)):
        for source in sources:
            layouts = read_battery(LAYOUT_BATTERY).perturbations()
            for kind in [*data.battery.perturbations(), *phrase_controls(data.battery), *layouts]:
                made = variant(kind, source.example, truth.seed)
                texts.append((source.example, made, not wrong and kind.card.intent != "breaking"))
    texts += [
        (pair.example, pair.example.summary, pair.expectation in ("copy", "foreign", "twin"))
        for pair in sanity_pairs([source.example for source in data.sources], truth.seed)
    ]
    for example, summary, consistent in texts:
        truth.consistent.setdefault(summary, consistent)
        truth.documents.setdefault(summary, example.document)


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


def audited(folder: Path, seed: int, documents: int, names: Sequence[str] = tuple(EXAMINERS)) -> list[MetricAudit]:
    """The audits of those metrics by one seed."""
    data, truth = examined_data(folder, seed, documents)
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


def seed_verdicts(seed: int) -> list[tuple[str, AuditAnswer, bool]]:
    """The judged verdicts of one seed."""
    logging.disable(logging.ERROR)  # the metrics that fail would fill the screen
    with TemporaryDirectory() as folder:
        return [
            (name, replace(finding, pairs=(), details=()), false)
            for name, finding, false in judged(audited(Path(folder), seed, DOCUMENTS))
        ]


def main() -> None:
    with ProcessPoolExecutor(len(SEEDS), get_context("spawn")) as pool:
        by_seed = dict(zip(SEEDS, pool.map(seed_verdicts, SEEDS), strict=True))
    rows = [(seed, *verdict) for seed, verdicts in by_seed.items() for verdict in verdicts]
    problems = [
        f"seed {seed}: {name}, {finding.title} {finding.level.value} ({finding.figure})"
        for seed, name, finding, false in rows
        if false
    ]
    sys.stdout.write("\n".join([*problems, f"{len(problems)} of {len(rows)} verdicts are false", ""]))
    counts = count_verdicts((finding.question, finding.title, finding.level, false) for _, _, finding, false in rows)
    data = f"{DOCUMENTS} documents of the bundled examples, drawn by each seed"
    write_false_verdicts(FalseVerdicts(tuple(EXAMINERS), SEEDS, data, counts, tuple(problems)))


if __name__ == "__main__":
    main()
