"""The texts that metrics of known worth are audited on, from three data sets, and everything that is true of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from core.assessment.audit.data import AuditData, items_data
from core.assessment.audit.evidence_work import phrase_controls
from core.data.dataset import DATASETS
from core.data.datasets.bundled import bundled_items
from core.edits.battery import LAYOUT_BATTERY, read_battery
from core.edits.sanity import sanity_pairs
from core.types import Example, Item, Verdict
from tests.doubles.released import DATA, SOURCES
from tests.unit.core.assessment.audit.known_metrics import variant

DOCUMENTS = {"bundled": 30, "bump": 16, "summedits": 18}
"""Documents that each seed draws, by data set: fewer of the longer ones."""
_MOST_OF_DOCUMENT = 7  # summaries


@dataclass
class Truth:
    """Everything that is known of the texts of one audit."""

    seed: int = 0
    consistent: dict[str, bool] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    noisy: set[str] = field(default_factory=set)
    labels: dict[str, bool] = field(default_factory=dict)

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


def _released(name: str, file: str = "") -> list[Item]:
    """The items of a released data set, without the scores that came with it."""
    return [
        replace(item, scores=())
        for item in DATASETS.get(name)().read(DATA / name / file)
        if isinstance(item, Item) and item.intended
    ]


DATA_SETS: dict[str, Callable[[], Sequence[Item]]] = {
    "bundled": bundled_items,
    "bump": lambda: _released("bump", "task1_dataset.json"),
    "summedits": lambda: _released("summedits"),
}
"""By the folder of ../shared/data that the files are in, where they are not bundled."""


def missing_data() -> dict[str, str]:
    """Data sets that are not here, with the place where anybody gets them."""
    return {
        name: f"{SOURCES[name]} into ../shared/data/{name}"
        for name in DATA_SETS
        if name in SOURCES and not (DATA / name).is_dir()
    }


def examined_data(
    folder: Path, seed: int, documents: int, dataset: str = "bundled", flipped: float = 0.0
) -> tuple[AuditData, Truth]:
    """Summaries of so many documents, half of them of another domain, and the truth of all texts; labels are `flipped` by chance."""
    by_group: dict[str, list[Item]] = {}
    for item in DATA_SETS[dataset]():
        by_group.setdefault(item.group, []).append(item)
    drawn = random.Random(seed)
    truth = Truth(seed)
    items = []
    for place, group in enumerate(drawn.sample(sorted(by_group), min(documents, len(by_group)))):
        distant = place % 2 == 1
        for item in _of_document(by_group[group], drawn):
            items.append(replace(item, domain="distant" if distant else "near"))
            truth.noisy |= {item.example.document} if distant else set()
    labelled = [_flipped(item, truth, flipped) for item in items]
    data = items_data(folder / "pairs.jsonl", labelled, documents, seed)
    truth.labels = {item.example.summary: item.intended is not Verdict.INCONSISTENT for item in labelled}
    _learn(truth, items, data)
    return data, truth


def _of_document(items: Sequence[Item], drawn: random.Random) -> list[Item]:
    """One original of the document with its edits, or the originals alone where nothing is an edit; in their order."""
    first = next(item for item in items if not item.parent)
    edits = [item for item in items if item.parent == first.example.id]
    return [first, *drawn.sample(edits, min(len(edits), _MOST_OF_DOCUMENT - 1))]


def _flipped(item: Item, truth: Truth, share: float) -> Item:
    if truth.noise("label", item.example.id) >= share:
        return item
    wrong = Verdict.CONSISTENT if item.intended is Verdict.INCONSISTENT else Verdict.INCONSISTENT
    return replace(item, intended=wrong)


def _learn(truth: Truth, items: Sequence[Item], data: AuditData) -> None:
    texts: list[tuple[Example, str, bool]] = []
    for item in items:
        truth.originals.setdefault(item.example.document, item.example.summary)
        texts.append((item.example, item.example.summary, item.intended is not Verdict.INCONSISTENT))
    layouts = read_battery(LAYOUT_BATTERY).perturbations()
    holds = {summary: consistent for _, summary, consistent in texts}
    for source in (*data.sources, *data.broken):
        for kind in [*data.battery.perturbations(), *phrase_controls(data.battery), *layouts]:
            made = variant(kind, source.example, truth.seed)
            texts.append((source.example, made, holds[source.example.summary] and kind.card.intent != "breaking"))
    summaries = {source.example.id: source.example.summary for source in data.sources}
    texts += [
        (
            pair.example,
            pair.example.summary,
            pair.expectation in ("copy", "foreign") or (pair.expectation == "twin" and holds[summaries[pair.source]]),
        )
        for pair in sanity_pairs([source.example for source in data.sources], truth.seed)
    ]
    for example, summary, consistent in texts:
        truth.consistent.setdefault(summary, consistent)
        truth.documents.setdefault(summary, example.document)
