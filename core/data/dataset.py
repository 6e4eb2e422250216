"""The contract of a dataset importer, and reading by it: items one after the other, counts of what came and of what was refused."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

from core.errors import TouchstoneError
from core.registry import Registry
from core.text import format_named_languages, name_languages
from core.types import Item


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that could not be read: its place (line or row of a file, counted from 1) and the error."""

    line: int
    error: str
    file: str = ""


@dataclass(frozen=True)
class Importer(ABC):
    """A frozen dataclass, whose fields are its settings; streams, so that a large file does not fill the memory."""

    name: ClassVar[str]
    """The name in specs and on the command line."""

    title: ClassVar[str]
    """The name for people."""

    licence: ClassVar[str]
    """The licence of the data."""

    release: ClassVar[str] = ""
    """The release of the data that the importer was written for; "" for a format of people's own files."""

    url: ClassVar[str] = ""
    """The page where a person gets the data; "" if there is none."""

    hub: ClassVar[str] = ""
    """The repository of the Hugging Face hub that has the dataset; "" if it is not there."""

    record_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields that every record of the release has, by which a file of any name is recognised; empty where nothing tells it apart."""

    shipped: ClassVar[Path | None] = None
    """The folder of a dataset that is a part of Touchstone; None for all others."""

    sample: ClassVar[str] = ""
    """The text of a small file in a format for people's own texts, which the contract tests read; else ""."""

    for_evaluation: ClassVar[bool] = False
    """True if tables of a reproduced paper rest on it, so that no metric may learn from it."""

    def describe(self, source: Path) -> list[str]:
        """Describe how this source is read, a line each, where that was guessed or set; nothing for a known form."""
        del source
        return []

    def settings_used(self, source: Path) -> dict[str, str]:
        """The settings that read this source in the same way again where they were guessed or lie in another file."""
        del source
        return {}

    def licence_of(self, source: Path) -> str:
        """The licence of the data of a source: that of the release, or what the source states."""
        del source
        return self.licence

    @abstractmethod
    def read(self, source: Path) -> Iterator[Item | Refusal]:
        """The records of a source in order. A broken one is a Refusal and the rest go on."""


DATASETS: Registry[Importer] = Registry("dataset", f"{__package__}.datasets", ("touchstone.importers",), Importer)


_NAMED_REFUSALS = 20  # refusals that a message names
_MAX_REASONS = 1000  # kept apart; a large file may have another id in each of its refusals
_OTHER_REASONS = "other reasons"
_BLOCK = 1 << 20
_FIRST_LANGUAGES, _EVERY_LANGUAGE = 500, 100  # pairs whose languages are looked at: telling them takes a millisecond


@dataclass(eq=False)
class ImportCounts:
    """Counts of what was read so far; another thread may read them."""

    samples: int = 0
    """Records that were read, edited summaries included."""

    pairs: int = 0
    """Edited summaries, each a pair with its original."""

    unlabelled: int = 0
    """Samples without a label."""

    without_document: int = 0
    """Samples whose document is to be joined later."""

    duplicates: int = 0
    """Samples that equal an earlier one in document, summary, system and label."""

    contradictory: int = 0
    """Pairs of a document and a summary that came with different labels."""

    labels: Counter[str] = field(default_factory=Counter)
    """Samples by label."""

    error_types: Counter[str] = field(default_factory=Counter)
    """Samples by error type, of those that have one."""

    scores: Counter[str] = field(default_factory=Counter)
    """Released scores by metric."""

    failed_scores: Counter[str] = field(default_factory=Counter)
    """Released scores that are an error or no number, by metric."""

    ratings: Counter[str] = field(default_factory=Counter)
    """Ratings by aspect."""

    explanations: Counter[str] = field(default_factory=Counter)
    """Explanations by grade."""

    languages: Counter[str] = field(default_factory=Counter)
    """Pairs by the languages of document and summary: the first of them, then a few that are evenly spread."""

    refused: Counter[str] = field(default_factory=Counter)
    """Records that could not be read, by reason; those beyond a limit of reasons are counted together."""

    first: list[Refusal] = field(default_factory=list)
    """The first refusals, which a message names."""

    reading: dict[str, str] = field(default_factory=dict)
    """Settings that read the source again in the same way, as the mapping or the files of a folder."""

    texts: set[int] = field(default_factory=set, repr=False)
    """Hashes of what makes a duplicate, one for each sample."""

    labels_of_pairs: dict[int, str] = field(default_factory=dict, repr=False)
    """Label of each pair by its hash, "" where it came with different ones."""

    def add(self, item: Item) -> None:
        self.samples += 1
        self.pairs += item.parent is not None
        self.without_document += not item.example.document
        self.unlabelled += item.intended is None
        self.duplicates += self._is_duplicate(item)
        self.contradictory += self._contradicts(item)
        if item.intended:
            self.labels[item.intended.value] += 1
        if item.error_type:
            self.error_types[item.error_type.value] += 1
        self.scores.update(score.metric for score in item.scores)
        self.failed_scores.update(item.failed_scores)
        self.ratings.update(rating.aspect for rating in item.ratings)
        self.explanations.update(explanation.grade or "without a grade" for explanation in item.explanations)
        if self.samples <= _FIRST_LANGUAGES or not self.samples % _EVERY_LANGUAGE:
            self.languages[name_languages(item.example.document, item.example.summary)] += 1

    def _is_duplicate(self, item: Item) -> bool:
        """True if the same summary of the same document by the same system with the same label came before."""
        example = item.example
        content = hash(
            (example.document or item.group, example.summary, item.system, item.intended, item.parent is None)
        )
        if not example.summary or content not in self.texts:
            self.texts.add(content)
            return False
        return True

    def _contradicts(self, item: Item) -> bool:
        """True if the same summary of the same document came before with another label, for the first time."""
        example = item.example
        if item.intended is None or not example.summary or not (example.document or item.group):
            return False
        pair, label = hash((example.document or item.group, example.summary)), item.intended.value
        before = self.labels_of_pairs.setdefault(pair, label)
        if before in ("", label):
            return False
        self.labels_of_pairs[pair] = ""
        return True

    def refuse(self, refusal: Refusal) -> None:
        has_own_count = refusal.error in self.refused or len(self.refused) < _MAX_REASONS
        self.refused[refusal.error if has_own_count else _OTHER_REASONS] += 1
        if len(self.first) < _NAMED_REFUSALS:
            self.first.append(refusal)

    def counts(self) -> dict[str, object]:
        """Counts of what was read, JSON-able; `skipped` are the refused records by their reason."""
        return {
            "samples": self.samples,
            "pairs": self.pairs,
            "unlabelled": self.unlabelled,
            "without_document": self.without_document,
            "exact_duplicates": self.duplicates,
            "contradictory_labels": self.contradictory,
            "labels": dict(self.labels),
            "error_types": dict(self.error_types),
            "released_scores": dict(self.scores),
            "failed_scores": dict(self.failed_scores),
            "ratings": dict(self.ratings),
            "explanations": dict(self.explanations),
            **({"languages": dict(self.languages.most_common())} if format_named_languages(self.languages) else {}),
            "skipped": dict(self.refused),
            **({"reading": self.reading} if self.reading else {}),
        }


def strict_items(records: Iterable[Item | Refusal], tally: ImportCounts) -> Iterator[Item]:
    """The items of a source; raises TouchstoneError at its end, with place and reason, where a record was refused."""
    yield from readable_items(records, tally)
    if tally.first:
        described = "\n".join(
            f"  {f'{refusal.file}, ' if refusal.file else ''}{refusal.line}: {refusal.error}" for refusal in tally.first
        )
        number = tally.refused.total()
        raise TouchstoneError(
            f"Nothing was imported: {number} record{'s' if number > 1 else ''} cannot be read, by line or row:\n{described}\n"
            "Fix the file, or skip what cannot be read (--skip-broken)."
        )


def readable_items(records: Iterable[Item | Refusal], tally: ImportCounts) -> Iterator[Item]:
    """The items of a source without the records that were refused, which are counted."""
    for record in records:
        if isinstance(record, Refusal):
            tally.refuse(record)
        else:
            tally.add(record)
            yield record


_MOST_FILES = 50  # of a folder, named


def reading_record(source: Path, settings: dict[str, str]) -> dict[str, str]:
    """Settings and, of a folder, the names of its files."""
    if not source.is_dir():
        return settings
    names = sorted(path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file())
    more = [f"{len(names) - _MOST_FILES} more"] if len(names) > _MOST_FILES else []
    return {**settings, "files": ", ".join([*names[:_MOST_FILES], *more])}


def source_sha256(source: Path) -> str:
    """The SHA-256 of a file, or of the names and contents of all files of a folder. Raises TouchstoneError for neither."""
    if not source.exists():
        raise TouchstoneError(f"There is no file or folder {source}. Check the path.")
    digest = hashlib.sha256()
    for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
        if path.is_file():
            if source.is_dir():
                digest.update(f"{path.relative_to(source).as_posix()}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                for block in iter(partial(file.read, _BLOCK), b""):
                    digest.update(block)
    return digest.hexdigest()


def format_directions(counts: Mapping[str, object]) -> str:
    """The meaning of a file's labels and its ground, as its import recorded them with the counts; "" where it did not."""
    reading = counts.get("reading")
    if not isinstance(reading, dict):
        return ""
    return "; ".join(str(reading[part]) for part in ("labels", "votes") if part in reading)


def format_counts(counts: dict[str, object]) -> list[str]:
    """Counts in words, one kind a line and every reason for skipping a line of its own; what is zero is left out."""
    lines = []
    for name, value in counts.items():
        if not value or name == "reading":
            continue
        if isinstance(value, dict) and name == "languages":
            read = sum(value.values())
            part = f", of the {read} looked at" if read < int(str(counts["samples"])) else ""
            lines.append(f"{format_named_languages(value)}{part}")
            continue
        described = [str(value)]
        if isinstance(value, dict) and name == "skipped":
            described = [f"{number} × {reason}" for reason, number in value.items()]
        elif isinstance(value, dict):
            described = [", ".join(f"{kind}: {number}" for kind, number in value.items())]
        lines += [f"{name.replace('_', ' '):17} {description}" for description in described]
    return lines
