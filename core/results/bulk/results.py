"""Results of blocks: one parquet file for each block and metric, in a folder whose name covers everything that its scores depend on."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import ClassVar

from core.data import Importer, Refusal, document_key
from core.errors import Problem, TouchstoneError, attempt
from core.model_reference import asks_endpoint
from core.results.bulk.blocks import FORMAT, Manifest, block_names, read_block, read_manifest, read_parquet
from core.results.bulk.folder import Folder
from core.scoring import Metric, signature
from core.settings import VERSION
from core.text import splitter_name
from core.types import Example, Failure, FailureKind, Item, Outcome, Part, Result, Sample, Seen, Span, StoredScore

_RUN, _METRIC = "run.json", "metric.json"
COLUMNS = (
    "id",
    "status",
    "score",
    "signature",
    "error",
    "error_kind",
    "sentences",
    "tokens",
    "cut",
    "notes",
    "seconds",
    "device",
)
"""The columns of a file of results, in the order of its block's pairs; `sentences` has spans into summary and document."""

_PROBE = Example("probe", "The harbour was closed on Tuesday. Nobody was hurt.", "The harbour was closed.")


def result_folder(metric: Metric, fingerprints: Sequence[str], executor: str = "") -> str:
    """The name of the folder for the scores of a metric: its name, and a hash of settings, weights, splitter and code.

    Of a metric that asks an endpoint also of its first questions, since these have the prompt and the model; and of the form of
    the server that computes its network, "" for none.
    """
    if not asks_endpoint(metric.checkpoints()):
        first_questions = []
    else:
        with closing(metric.rounds(_PROBE)) as rounds:
            first = attempt(lambda: next(rounds, []))
        first_questions = (
            [] if isinstance(first, Problem) else [[question.inputs, question.options] for question in first]
        )
    facts = [signature(metric, fingerprints, splitter_name()), *first_questions, *filter(None, [executor])]
    return f"{metric.name}-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]}"


def open_results(results: Folder, blocks: Folder) -> None:
    """Say in a folder whose results it holds. Raises TouchstoneError where it holds those of other blocks."""
    manifest = read_manifest(blocks)
    run = {"format": FORMAT, "blocks": blocks.url, "blocks_sha256": manifest.sha256}
    if not results.has(_RUN):
        results.write(_RUN, json.dumps(run, ensure_ascii=False, indent=1).encode())
        return
    saved_run = json.loads(results.read(_RUN))
    if saved_run["blocks_sha256"] != manifest.sha256:
        raise TouchstoneError(
            f"{results.url} holds results of {saved_run['blocks']}, which are other pairs. Name another folder."
        )


def open_metric_folder(results: Folder, name: str, metric: Metric) -> Folder:
    """The folder of a metric's results, which says whose it is."""
    folder = results.inner(name)
    folder.remove_abandoned_parts()
    if not folder.has(_METRIC):
        folder.write(_METRIC, json.dumps({"metric": metric.spec, "version": VERSION}).encode())
    return folder


def finished_blocks(folder: Folder) -> set[str]:
    """The names of the blocks whose results of one metric are there."""
    return {name.removesuffix(".parquet") for name in folder.names(".parquet")}


def write_results(folder: Folder, block: str, outcomes: Sequence[Outcome]) -> None:
    """Write the file of a block, whole or not at all."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    place = pa.int32()
    sentence = pa.struct(
        [("start", place), ("end", place), ("score", pa.float64()), ("evidence_start", place), ("evidence_end", place)]
    )
    kinds = {
        "score": pa.float64(),
        "seconds": pa.float32(),
        "tokens": pa.int64(),
        "cut": pa.int64(),
        "sentences": pa.list_(sentence),
        "notes": pa.list_(pa.string()),
    }
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    buffer = BytesIO()
    write_table(
        pa.Table.from_pylist([_row(outcome) for outcome in outcomes], schema=schema), buffer, compression="zstd"
    )
    folder.write(f"{block}.parquet", buffer.getvalue())


def _row(outcome: Outcome) -> dict[str, object]:
    if isinstance(outcome, Failure):
        return {
            "id": outcome.example_id,
            "status": "failed",
            "error": outcome.error,
            "error_kind": outcome.kind.value,
        }
    return {
        "id": outcome.example_id,
        "status": "ok",
        "score": outcome.score,
        "signature": outcome.signature,
        "sentences": [
            {
                "start": part.span.start,
                "end": part.span.end,
                "score": part.score,
                "evidence_start": part.evidence.start if part.evidence else None,
                "evidence_end": part.evidence.end if part.evidence else None,
            }
            for part in outcome.parts
        ],
        "tokens": outcome.seen.tokens,
        "cut": outcome.seen.cut,
        "notes": list(outcome.seen.notes),
        "seconds": outcome.seconds,
        "device": outcome.device,
    }


def read_results(folder: Folder, block: str, metric: str) -> list[Outcome]:
    """The outcomes of a block in the order of its pairs. Raises TouchstoneError where the file is broken."""
    outcomes: list[Outcome] = []
    for values in zip(*read_parquet(folder, f"{block}.parquet", COLUMNS), strict=True):
        row = dict(zip(COLUMNS, values, strict=True))
        if row["status"] != "ok":
            outcomes.append(Failure(row["id"], metric, FailureKind(row["error_kind"]), row["error"]))
            continue
        seen = Seen(tokens=row["tokens"], cut=row["cut"], notes=tuple(row["notes"]))
        parts = []
        for sentence in row["sentences"]:
            evidence = (
                None
                if sentence["evidence_start"] is None
                else Span(sentence["evidence_start"], sentence["evidence_end"])
            )
            parts.append(Part(Span(sentence["start"], sentence["end"]), sentence["score"], evidence))
        made_by = (row["seconds"], row["device"])
        outcomes.append(Result(row["id"], metric, row["signature"], row["score"], tuple(parts), seen, *made_by))
    return outcomes


def read_scores(folder: Folder, block: str, metric: str) -> list[StoredScore]:
    """The scores of a block alone, in the order of its pairs, as a database keeps them; a few bytes each."""
    rows = zip(*read_parquet(folder, f"{block}.parquet", ("status", "score", "signature", "error")), strict=True)
    return [
        StoredScore(metric, score, sys.intern(signature)) if status == "ok" else StoredScore(metric, None, "", error)
        for status, score, signature, error in rows
    ]


@dataclass(frozen=True, slots=True)
class StoredResults:
    """A folder of results with the blocks that it is of; `metrics` are its folders and the metric of each."""

    results: Folder
    blocks: Folder
    manifest: Manifest
    metrics: tuple[tuple[Folder, str], ...]

    def __iter__(self) -> Iterator[tuple[Item, list[Outcome]]]:
        """Every pair with its outcomes, one for each metric whose results of its block are there."""
        for name in block_names(self.blocks):
            columns = [
                read_results(folder, name, spec) for folder, spec in self.metrics if folder.has(f"{name}.parquet")
            ]
            for place, item in enumerate(read_block(self.blocks, name)):
                yield item, [column[place] for column in columns]

    def block_samples(self, name: str) -> list[Sample]:
        """The pairs of a block with their scores and without the texts of the documents."""
        columns = [read_scores(folder, name, spec) for folder, spec in self.metrics if folder.has(f"{name}.parquet")]
        return [
            scored_sample(self.results.url, item, (column[place] for column in columns))
            for place, item in enumerate(read_block(self.blocks, name))
        ]

    def progress(self, now: float) -> list[MetricProgress]:
        """Progress of each metric, from the files alone, whoever writes them and where. `now` is in seconds since 1970."""
        return [self._metric_progress(folder, spec, now) for folder, spec in self.metrics]

    def _metric_progress(self, folder: Folder, metric: str, now: float) -> MetricProgress:
        written = folder.write_times(".parquet")
        begun = max(min(written.values(), default=now), now - RECENT_S)
        recent = sum(when > begun for when in written.values())
        names = tuple(sorted(name.removesuffix(".parquet") for name in written))
        return MetricProgress(metric, folder, names, self.manifest.blocks, recent / (now - begun) if recent else 0.0)


RECENT_S = 600.0
"""Seconds over which the rate of a run is measured."""


@dataclass(frozen=True, slots=True)
class MetricProgress:
    """Blocks, of `blocks`, that have results of one metric, and the recent rate per second; 0 where none came."""

    metric: str
    folder: Folder
    done: tuple[str, ...]
    blocks: int
    rate: float

    @property
    def seconds_left(self) -> float | None:
        """None where nobody can say."""
        return (self.blocks - len(self.done)) / self.rate if self.rate else None


def count_failures(folder: Folder, block: str) -> Counter[str]:
    """Number of failed scores of a block, by kind of failure."""
    [kinds] = read_parquet(folder, f"{block}.parquet", ("error_kind",))
    return Counter(kind for kind in kinds if kind)


def stored_results_in(url: str) -> list[str]:
    """The names of the folders of results in a folder, in order; none where it does not exist."""
    root = Folder.at(url)
    return [name for name in root.folders() if root.inner(name).has(_RUN)]


def open_stored_results(url: str) -> StoredResults:
    """Raises TouchstoneError where the folder is none of results, or its blocks are no longer where they were."""
    results = Folder.at(url)
    if not results.has(_RUN):
        raise TouchstoneError(
            f"{url} has no {_RUN}: it is no folder of results. Make one: cli.py score BLOCKS --to {url}"
        )
    run = json.loads(results.read(_RUN))
    blocks = Folder.at(run["blocks"])
    manifest = read_manifest(blocks)
    if manifest.sha256 != run["blocks_sha256"]:
        raise TouchstoneError(f"{blocks.url} holds other pairs than {url} has results of. Put the blocks back.")
    folders = [results.inner(name) for name in results.folders()]
    metrics = [(folder, json.loads(folder.read(_METRIC))["metric"]) for folder in folders if folder.has(_METRIC)]
    return StoredResults(results, blocks, manifest, tuple(metrics))


class StoredResultsImporter(Importer):
    """The pairs of a folder of results, whose scores are saved after them."""

    name: ClassVar[str] = "results"
    title: ClassVar[str] = "Results of blocks"
    licence: ClassVar[str] = "your own"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return (item for item, _ in open_stored_results(str(source)))


def scored_sample(dataset: str, item: Item, scores: Iterable[StoredScore]) -> Sample:
    """An item with its scores, none of which a database holds."""
    document = document_key(item.example.document)
    without_text = replace(item, example=replace(item.example, document="", contexts=()))
    return Sample(dataset, without_text, item.example.id, document, tuple(scores))


def stored_score(outcome: Outcome) -> StoredScore:
    """A score as a database keeps it."""
    if isinstance(outcome, Failure):
        return StoredScore(outcome.metric, None, "", outcome.error)
    return StoredScore(outcome.metric, outcome.score, outcome.signature)
