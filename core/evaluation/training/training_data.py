"""Training data of a metric: labelled summaries, generated corruptions, and the guards that keep test data out."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import compress

import numpy as np

from core.data import bundled_items
from core.edits import Battery, standard_battery
from core.errors import TouchstoneError, UnscorableError
from core.evaluation.training.inventions import invented_rows
from core.evaluation.training.near_documents import near_duplicates
from core.evaluation.training.training_row import TrainingRow
from core.stats import Numbers, Values
from core.text import apply, recover, sentences, words
from core.types import Edit, Example, Item, Span, Split, Verdict

MIN_DOCUMENTS = 20
_EXTRACTS = 10  # sentences of a document that are taken for claims
_CLAIM_WORDS = range(6, 46)
_SEEDS = 3


@dataclass(frozen=True, slots=True, eq=False)
class StressRows:
    """Originals of a stress run and their variants, (rows,), with the numbers that their documents have among all of the training.

    `pairs` are the places of an original and its variant, whose row is wrong where it is a broken one; no row has a label.
    `left_out` counts variants by the reason. No document of `benchmarks`, the items of datasets by their name, is among the
    rows, and none of these items is of a document with a label that is learned from.
    """

    name: str
    rows: tuple[TrainingRow, ...]
    documents: Numbers
    pairs: tuple[tuple[int, int], ...]
    left_out: Mapping[str, int]
    benchmarks: Mapping[str, Sequence[Item]] = field(default_factory=dict)


NO_STRESS = StressRows("", (), np.zeros(0, dtype=np.intp), (), {})


@dataclass(frozen=True, slots=True, eq=False)
class TaughtLabels:
    """Scores of a teacher whose verdicts are the labels of all rows, beside the labels of people."""

    teacher: str
    """Name of the teacher on the card."""
    scores: Values
    """Scores of the teacher, (rows,), higher for more consistent; nan for a row that was labelled by rule."""
    people: Values
    """Labels of people, (rows,): 1 for consistent, 0 for inconsistent, nan where there is none."""
    cut: str
    """Scores that the teacher calls consistent by, as "0.5 or more"."""
    cut_source: str
    """Origin of the cut, in words."""
    pairs: int
    """Number of pairs that the teacher scored."""
    pair_seconds: float | None
    """Mean seconds of the teacher for a pair, several at once where it is asked so; None for scores that were there."""
    pair_money: float | None
    """Mean cost of a pair, 0 where nothing is paid; None where it is unknown."""

    @property
    def sentence(self) -> str:
        """The teacher with the number of its pairs and its cut."""
        return f"{self.teacher}, {self.pairs} pairs; {self.cut} is consistent, {self.cut_source}"

    def record(self) -> dict[str, object]:
        """Its facts without the scores, as the file of figures has them."""
        return {
            "name": self.teacher,
            "cut": self.cut,
            "cut_source": self.cut_source,
            "pairs": self.pairs,
            "labels_of_people": int(np.sum(~np.isnan(self.people))),
            "pair_seconds": self.pair_seconds,
            "pair_money": self.pair_money,
        }


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """Rows with the number of each one's document, and what was left out, by its reason.

    `datasets` are the names of the datasets that labelled rows come from, by the row's id; none where nobody named them.
    `stress` are the rows of a stress run that a cross-encoder is hardened by; `taught` says whose the labels are if they are
    those of a teacher, None if of people.
    """

    rows: tuple[TrainingRow, ...]
    documents: Numbers
    left_out: Mapping[str, int]
    datasets: Mapping[str, str] = field(default_factory=dict)
    stress: StressRows = NO_STRESS
    taught: TaughtLabels | None = None

    @property
    def labelled(self) -> list[TrainingRow]:
        return [row for row in self.rows if row.origin == "labelled"]

    def document_count(self) -> int:
        return int(self.documents.max()) + 1 if len(self.documents) else 0


def named_apart(item: Item, source: str) -> Item:
    """The item with its id, parent and group behind the name of its source: those of two datasets may be the same numbers."""
    return replace(
        item,
        example=replace(item.example, id=source + item.example.id),
        parent=source + item.parent if item.parent else None,
        group=source + item.group if item.group else "",
    )


def labelled_rows(items: Sequence[Item]) -> tuple[list[TrainingRow], dict[str, int]]:
    """The rows of labelled items, and how many were left out for which reason; what is marked test never is a row."""
    test = {_document_name(item) for item in items if item.split is Split.TEST}
    left_out: Counter[str] = Counter()
    by_id = {item.example.id: item for item in items}
    rows = []
    for item in items:
        if item.split is Split.TEST:
            reason = "marked test, or what a paper's tables rest on"
        elif _document_name(item) in test:
            reason = "of a document that is marked test elsewhere"
        elif not item.example.document.strip() or not item.example.summary.strip():
            reason = "without a document or summary"
        else:
            reason = "" if item.intended in (Verdict.CONSISTENT, Verdict.INCONSISTENT) else "without a settled label"
        if reason:
            left_out[reason] += 1
        else:
            parent = by_id.get(item.parent or "")
            wrong = item.intended is Verdict.INCONSISTENT
            changed = new_places(recover(parent.example.summary, item.example.summary)) if parent else None
            kind = item.error_type.value if item.error_type else "+".join(item.categories)
            labelled_row = TrainingRow(
                id=item.example.id,
                document=item.example.document,
                summary=item.example.summary,
                wrong=wrong,
                wrong_words=changed if wrong else (),
                kind=kind if wrong else "",
                origin="labelled",
                domain=item.domain,
                group=item.group,
                parent=item.parent or "",
            )
            rows.append(labelled_row)
    return rows, dict(left_out)


def _document_name(item: Item) -> str:
    return item.example.document or item.group


def new_places(edits: Sequence[Edit]) -> tuple[Span, ...]:
    """Spans of the new words of ordered edits once they are executed; a deletion is the place between two words."""
    spans, shift = [], 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        start = edit.span.start + shift
        spans.append(Span(start, start + len(edit.new)))
        shift += len(edit.new) - (edit.span.end - edit.span.start)
    return tuple(spans)


def generated_rows(rows: Sequence[TrainingRow], seed: int, battery: Battery) -> Iterator[TrainingRow]:
    """Corruptions and harmless edits, by the battery, and inventions, of the consistent rows and of sentences of their
    documents."""
    kinds = [kind for kind in battery.perturbations() if kind.card.intent != "gaming"]
    faithful = [row for row in rows if not row.wrong and not row.parent]
    extracts = list(_extracts(rows, seed))
    yield from extracts
    for row in (*faithful, *extracts):
        example, seen = Example(row.id, row.document, row.summary), {row.summary}
        for kind in kinds:
            wrong = kind.card.intent == "breaking"
            for number in range(_SEEDS):
                try:
                    edits = kind.edits(example, random.Random(f"{seed}\0{number}\0{row.id}"))
                except UnscorableError:
                    break
                summary = apply(row.summary, edits)
                if summary not in seen:
                    seen.add(summary)
                    yield replace(
                        row,
                        id=f"{row.id}/{kind.spec}-{number}",
                        summary=summary,
                        wrong=wrong,
                        wrong_words=new_places(edits) if wrong else (),
                        kind=kind.spec,
                        origin="corruption" if wrong else "harmless edit",
                        parent=row.id,
                    )
    yield from invented_rows([*faithful, *extracts], seed)


def _extracts(rows: Sequence[TrainingRow], seed: int) -> Iterator[TrainingRow]:
    """Sentences of each document, which it supports word for word."""
    for row in {row.document: row for row in reversed(rows)}.values():
        spans = [span for span in sentences(row.document) if len(words(span.of(row.document))) in _CLAIM_WORDS]
        sampled = random.Random(f"{seed}\0{row.id}").sample(spans, min(_EXTRACTS, len(spans)))
        for number, span in enumerate(sampled):
            text = span.of(row.document).strip()
            yield replace(
                row,
                id=f"{row.id}/sentence-{number}",
                summary=text,
                wrong=False,
                wrong_words=(),
                kind="",
                origin="extract",
                parent="",
            )


def training_data(items: Iterable[Item], share: float, seed: int, battery: Battery | None = None) -> TrainingData:
    """The rows of labelled items, with generated ones up to a `share` of all rows, drawn by the seed and by kind.

    They are by the battery, without one by the standard battery. Raises TouchstoneError below 20 documents, or where only one class is left.
    """
    train_rows, left_out = learnable_rows(items)
    if len({row.wrong for row in train_rows}) < 2:
        raise TouchstoneError(
            f"All {len(train_rows)} summaries to learn from are {'inconsistent' if train_rows[0].wrong else 'consistent'}. "
            f"{_left_out_sentence(left_out)}Add some of the other class."
        )
    made = _corruptions(train_rows, share, seed, battery or standard_battery()) if share else []
    rows = (*train_rows, *made)
    return TrainingData(rows, row_documents(rows), left_out)


def learnable_rows(items: Iterable[Item]) -> tuple[list[TrainingRow], dict[str, int]]:
    """The rows of labelled items without what is of a test's document or nearly so, and the number left out by its reason.

    Raises TouchstoneError below 20 documents.
    """
    all_items = list(items)
    labelled, left_out = labelled_rows(all_items)
    tests = list(dict.fromkeys(item.example.document for item in all_items if item.split is Split.TEST))
    texts = [*(row.document for row in labelled), *tests]
    numbers = near_duplicates(texts, [*(row.group for row in labelled), *("" for _ in tests)])
    own, of_tests = numbers[: len(labelled)], numbers[len(labelled) :]
    allowed = ~np.isin(own, of_tests)
    if not allowed.all():
        left_out["a near-duplicate of a document that is marked test"] = int((~allowed).sum())
    documents, texts_left = len(set(own[allowed].tolist())), len({row.document for row in compress(labelled, allowed)})
    if documents < MIN_DOCUMENTS:
        alike = (
            f", as {texts_left} texts of one group or nearly the same count as one" if texts_left > documents else ""
        )
        raise TouchstoneError(
            f"There {'is 1 document' if documents == 1 else f'are {documents} documents'} to learn from{alike}, and a metric is trained on {MIN_DOCUMENTS} or more. "
            f"{_left_out_sentence(left_out)}Add labelled summaries of other documents."
        )
    return list(compress(labelled, allowed)), left_out


def _left_out_sentence(left_out: Mapping[str, int]) -> str:
    reasons = "; ".join(f"{number} {reason}" for reason, number in left_out.items())
    return f"Left out: {reasons}. " if reasons else ""


def row_documents(rows: Sequence[TrainingRow]) -> Numbers:
    """A number for each row's document, (rows,), near-duplicates together."""
    return near_duplicates([row.document for row in rows], [row.group for row in rows])


def _corruptions(train_rows: Sequence[TrainingRow], share: float, seed: int, battery: Battery) -> list[TrainingRow]:
    """Generated rows of the documents that are learned from and of the bundled ones, up to a `share` of all rows."""
    documents = {row.document for row in train_rows}
    bundled = [row for row in _bundled_corruptions(seed, battery) if row.document not in documents]
    return deal_by_kind([*generated_rows(train_rows, seed, battery), *bundled], len(train_rows), share, seed)


def deal_by_kind(rows: Sequence[TrainingRow], labelled: int, share: float, seed: int) -> list[TrainingRow]:
    """Generated rows, each kind equally often, which make up `share` of all rows together with `labelled` ones."""
    by_kind: defaultdict[str, list[TrainingRow]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    shuffled = [
        random.Random(f"{seed}\0{kind}").sample(of_kind, len(of_kind)) for kind, of_kind in sorted(by_kind.items())
    ]
    dealt = [
        row
        for turn in range(max(map(len, shuffled), default=0))
        for of_kind in shuffled
        for row in of_kind[turn : turn + 1]
    ]
    return dealt[: round(labelled * share / (1 - share))]


@cache
def _bundled_corruptions(seed: int, battery: Battery) -> tuple[TrainingRow, ...]:
    return tuple(generated_rows(labelled_rows(bundled_items())[0], seed, battery))


def describe(data: TrainingData) -> dict[str, dict[str, int] | int]:
    """Description for a preview and the card: documents, rows by origin, classes and kinds, and what was left out."""
    variants = [data.stress.rows[variant] for _, variant in data.stress.pairs]
    return {
        "documents": data.document_count(),
        "pairs": len(data.rows),
        "classes": dict(Counter("inconsistent" if row.wrong else "consistent" for row in data.rows)),
        "origins": dict(Counter(row.origin for row in data.rows)),
        "kinds": dict(Counter(row.kind for row in data.rows if row.kind).most_common()),
        "left out": dict(data.left_out),
        "stress run": dict(Counter("broken variants" if row.wrong else "harmless variants" for row in variants)),
        "of the run left out": dict(data.stress.left_out),
    }
