"""Versions of a dataset: their names in prose, and the changes from one to another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from core.stats import markdown_table
from core.types import Sample

_REFERENCE = re.compile(r"(.+)@(\d+)", re.DOTALL)
_NAMED_SAMPLES = 10  # of each kind of change, in text
UNLABELLED = "none"
"""Class of samples without a label."""


def format_dataset(reference: str) -> str:
    """A dataset for readers: "NAME, version 2" for NAME@2, and any other name as it is."""
    version = _REFERENCE.fullmatch(reference)
    return f"{version[1]}, version {version[2]}" if version else reference


def dataset_of_reference(reference: str) -> str:
    """The name of the dataset without the number of its version."""
    version = _REFERENCE.fullmatch(reference)
    return version[1] if version else reference


@dataclass(frozen=True, slots=True)
class ChangedSample:
    """A sample that both versions have, and not the same."""

    before: Sample
    after: Sample

    @property
    def text_differs(self) -> bool:
        return self.before.item.example.summary != self.after.item.example.summary

    @property
    def document_differs(self) -> bool:
        return self.before.document != self.after.document

    @property
    def label_differs(self) -> bool:
        return self.before.item.intended != self.after.item.intended

    @property
    def kinds(self) -> tuple[str, ...]:
        """Parts that differ: text, document, label, or else other facts."""
        parts = {"text": self.text_differs, "document": self.document_differs, "label": self.label_differs}
        return tuple(part for part, differs in parts.items() if differs) or ("other facts",)


@dataclass(frozen=True, slots=True)
class DatasetDiff:
    """Samples that differ between two versions of a dataset."""

    before: str
    """Reference of the older version."""
    after: str
    """Reference of the newer one."""
    added: tuple[Sample, ...]
    """Samples of the newer version alone."""
    removed: tuple[Sample, ...]
    """Samples of the older version alone."""
    changed: tuple[ChangedSample, ...]
    """Samples of both that differ."""
    unchanged: int
    """Number of samples that are equal, whatever their ids are."""
    labels: tuple[Counter[str], Counter[str]]
    """Samples by label in the older version and in the newer one."""

    def with_change(self, kind: str) -> list[ChangedSample]:
        return [pair for pair in self.changed if kind in pair.kinds]

    @property
    def relabelled(self) -> Counter[tuple[str, str]]:
        """Samples with another label, by the older and the newer one."""
        return Counter((_label(pair.before), _label(pair.after)) for pair in self.with_change("label"))

    @property
    def counts(self) -> dict[str, int]:
        """Samples by what became of them; one whose text and label changed counts in both."""
        return {
            "added": len(self.added),
            "removed": len(self.removed),
            "changed texts": len(self.with_change("text")),
            "changed documents": len(self.with_change("document")),
            "changed labels": len(self.with_change("label")),
            "changed other facts": len(self.with_change("other facts")),
            "unchanged": self.unchanged,
        }


def compare_versions(before: str, older: Sequence[Sample], after: str, newer: Sequence[Sample]) -> DatasetDiff:
    """Return the changes from the samples of one version to those of another.

    Samples are the same ones if they have id and texts in common, else the texts, else the id: a row that was deleted does not
    change all that follow where ids are the numbers of rows.
    """
    pairs: list[ChangedSample] = []
    left, right = list(older), list(newer)
    for key in (_id_and_texts, _texts, _id):
        matched, left, right = _match(left, right, key)
        pairs += matched
    places = {id(sample): place for place, sample in enumerate(newer)}
    changed = sorted(filter(_differs, pairs), key=lambda pair: places[id(pair.after)])
    return DatasetDiff(
        before,
        after,
        tuple(right),
        tuple(left),
        tuple(changed),
        len(pairs) - len(changed),
        (Counter(map(_label, older)), Counter(map(_label, newer))),
    )


def _match(
    older: Iterable[Sample], newer: Iterable[Sample], key: Callable[[Sample], Hashable]
) -> tuple[list[ChangedSample], list[Sample], list[Sample]]:
    """The samples with a key in common, in their order; those of the older and of the newer ones without a partner."""
    waiting: dict[Hashable, list[Sample]] = defaultdict(list)
    for sample in older:
        waiting[key(sample)].append(sample)
    pairs, unmatched = [], []
    for sample in newer:
        if partners := waiting.get(key(sample)):
            pairs.append(ChangedSample(partners.pop(0), sample))
        else:
            unmatched.append(sample)
    return pairs, [sample for partners in waiting.values() for sample in partners], unmatched


def _texts(sample: Sample) -> Hashable:
    return sample.document or sample.item.group, sample.item.example.summary


def _id(sample: Sample) -> Hashable:
    return sample.item.example.id


def _id_and_texts(sample: Sample) -> Hashable:
    return _id(sample), _texts(sample)


def _differs(pair: ChangedSample) -> bool:
    before, after = pair.before, pair.after
    return pair.kinds != ("other facts",) or _facts(before) != _facts(after)


def _facts(sample: Sample) -> tuple[object, ...]:
    """Facts of a sample beside its id, its texts and its label; of lists that add up, in any order."""
    item = sample.item
    return (
        *(item.error_type, item.required_type, item.domain, item.system, item.source, item.split),
        frozenset((judgement.judge, judgement.verdict, judgement.category) for judgement in item.judgements),
        *(frozenset(item.ratings), frozenset(item.scores), frozenset(item.explanations)),
        *(frozenset(item.categories), frozenset(item.slices)),
    )


def _label(sample: Sample) -> str:
    return sample.item.intended.value if sample.item.intended else UNLABELLED


def label_rows(diff: DatasetDiff) -> list[dict[str, object]]:
    """A row for each label: its samples in both versions, those added and removed, and those that got or lost it."""
    older, newer = diff.labels
    added, removed = Counter(map(_label, diff.added)), Counter(map(_label, diff.removed))
    moves = diff.relabelled
    rows = []
    for label in sorted({*older, *newer}):
        got = {old: number for (old, new), number in moves.items() if new == label}
        lost = {new: number for (old, new), number in moves.items() if old == label}
        rows.append(
            {
                "label": label,
                format_dataset(diff.before): older[label],
                "added": added[label],
                "removed": removed[label],
                "changed to it": ", ".join(f"{number} from {old}" for old, number in sorted(got.items())),
                "changed from it": ", ".join(f"{number} to {new}" for new, number in sorted(lost.items())),
                format_dataset(diff.after): newer[label],
            }
        )
    return rows


def sample_rows(diff: DatasetDiff) -> list[dict[str, str]]:
    """A row for each sample that differs: removed ones, changed ones, added ones."""
    return [
        *(_row("removed", sample.item.example.id, sample, None) for sample in diff.removed),
        *(
            _row(f"changed {', '.join(pair.kinds)}", pair.after.item.example.id, pair.before, pair.after)
            for pair in diff.changed
        ),
        *(_row("added", sample.item.example.id, None, sample) for sample in diff.added),
    ]


def _row(change: str, id: str, before: Sample | None, after: Sample | None) -> dict[str, str]:
    return {
        "change": change,
        "id": id,
        "label before": _label(before) if before else "",
        "label after": _label(after) if after else "",
        "text before": before.item.example.summary if before else "",
        "text after": after.item.example.summary if after else "",
    }


def diff_record(diff: DatasetDiff) -> dict[str, object]:
    """The difference as a record: counts, labels and every sample that differs."""
    return {
        "before": diff.before,
        "after": diff.after,
        "counts": diff.counts,
        "labels": label_rows(diff),
        "samples": sample_rows(diff),
    }


def format_diff(diff: DatasetDiff) -> str:
    """The difference in words: counts, a table of labels, and the first samples of each kind of change."""
    counts = ", ".join(f"{number:,} {kind}" for kind, number in diff.counts.items() if number)
    lines = [f"From {format_dataset(diff.before)} to {format_dataset(diff.after)}: {counts or 'no sample in either'}."]
    if rows := label_rows(diff):
        lines += ["", markdown_table([*rows[0]], [[str(value) for value in row.values()] for row in rows])]
    by_change: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in sample_rows(diff):
        by_change[row["change"]].append(row)
    for change, changed in by_change.items():
        lines += ["", f"{change} ({len(changed):,}):", *map(_format_row, changed[:_NAMED_SAMPLES])]
        if len(changed) > _NAMED_SAMPLES:
            lines.append(f"  … {len(changed) - _NAMED_SAMPLES:,} more: --json has all of them")
    return "\n".join(lines)


def _format_row(row: dict[str, str]) -> str:
    before = f"{row['text before']!r} ({row['label before']})" if row["label before"] else ""
    after = f"{row['text after']!r} ({row['label after']})" if row["label after"] else ""
    if row["text before"] == row["text after"]:
        return f"  {row['id']}: {row['text after']!r}, {row['label before']} → {row['label after']}"
    return f"  {row['id']}: {' → '.join(filter(None, (before, after)))}"
