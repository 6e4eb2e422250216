"""The cases of a folder of results, read by columns: a million pairs take a few bytes each, as samples are built only when they are accessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from core.data import document_key
from core.errors import TouchstoneError
from core.results.bulk.blocks import block_names, block_pairs, block_table, read_table
from core.results.bulk.folder import Folder
from core.results.bulk.results import StoredResults, open_stored_results
from core.results.cases.cases import (
    Cases,
    borderline_warnings,
    left_out_metrics,
    link_edits,
    own_columns,
    read_directions,
)
from core.results.cases.code_versions import in_several_codes
from core.results.cases.pooling import pool_cases, training_overlaps
from core.scoring import METRICS
from core.stats import Mask, Numbers, Values, number_linked
from core.text import looked_at, warn_of_languages
from core.types import Example, Sample, Verdict

_VERDICTS = (Verdict.INCONSISTENT, Verdict.CONSISTENT, Verdict.BORDERLINE)
_LABELS = np.array([0.0, 1.0, np.nan, np.nan])  # of the verdicts in their order, and of none
_OPEN_BLOCKS = 4  # whose samples stay in memory

_Watch = Callable[[list[str]], Iterable[str]]


class ResultSamples(Sequence[Sample]):
    """The samples in some `rows`, (samples,), of all pairs of a folder of results; each is built when it is accessed."""

    def __init__(self, stored: StoredResults, rows: Numbers) -> None:
        pairs = block_pairs(stored.blocks)
        self._names, self._ends, self._rows = list(pairs), np.cumsum(list(pairs.values())), rows
        self._block = lru_cache(_OPEN_BLOCKS)(stored.block_samples)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Sample: ...

    @overload
    def __getitem__(self, place: slice) -> list[Sample]: ...

    def __getitem__(self, place: int | slice) -> Sample | list[Sample]:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        row = int(self._rows[place])
        block = int(np.searchsorted(self._ends, row, side="right"))
        samples = self._block(self._names[block])
        return samples[row - int(self._ends[block])]  # counted from the end of the block


def cases_of_results(url: str, watch: _Watch = iter) -> Cases:
    """The labelled pairs and the originals of edits, with our scores and without the texts of the documents.

    `watch` gives the names of the blocks as they are read. Raises TouchstoneError where the folder is none of results, or
    nothing in it is labelled or edited.
    """
    stored = open_stored_results(url)
    pairs = _Pairs()
    columns = {folder.path: _Scores(spec, set(folder.names(".parquet"))) for folder, spec in stored.metrics}
    for name in watch(block_names(stored.blocks)):
        pairs.read(stored.blocks, name)
        for folder, _ in stored.metrics:
            columns[folder.path].read(folder, name, len(pairs.verdicts[-1]))
    rows, parents = pairs.evaluated()
    if not len(rows):
        raise TouchstoneError(
            f"{url} has no labelled pair and no edit, with which scores could be compared. Give the pairs of `blocks` a label."
        )
    samples = ResultSamples(stored, rows)
    scores = [(column.spec, *column.of(rows)) for column in columns.values()]
    if in_several_codes({signature for _, by_signature, _ in scores for signature in by_signature}):
        return pool_cases([samples])

    failed: Counter[str] = Counter()
    values: dict[tuple[str, str], Values] = {}
    for spec, by_signature, number in scores:
        failed[spec] += number
        for signature, column in by_signature.items():
            before = values.get((spec, signature), column)
            values[spec, signature] = np.where(np.isnan(column), before, column)
    directions = read_directions({spec for spec, by_signature, number in scores if by_signature or number})
    verdicts = np.concatenate(pairs.verdicts)[rows]
    borderline = verdicts == _VERDICTS.index(Verdict.BORDERLINE)
    minimal, harmless = link_edits(_LABELS[verdicts], borderline, parents)
    return Cases(
        samples=samples,
        labels=_LABELS[verdicts],
        documents=pairs.documents(rows),
        pairs=minimal,
        harmless=harmless,
        columns=tuple(own_columns(values, failed, directions)),
        development=np.zeros(len(rows), dtype=np.bool_),  # blocks have no splits
        warnings=(
            *left_out_metrics(directions),
            *_language_warnings(stored, rows, values, directions),
            *training_overlaps(pairs.document_keys(rows), directions),
            *borderline_warnings(borderline),
        ),
    )


class _Pairs:
    """Columns of all pairs, block by block."""

    def __init__(self) -> None:
        self.verdicts: list[NDArray[np.int8]] = []  # places among the verdicts, -1 for none
        self._ids: list[Any] = []
        self._parents: list[Any] = []
        self._groups: list[Any] = []
        self._documents: list[Numbers] = []
        self._known: dict[str, int] = {}

    def read(self, blocks: Folder, name: str) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = ("id", "parent", "label", "group", "document")
        table = block_table(blocks, name, columns, shared=("document",)).combine_chunks()
        verdicts = pc.index_in(table["label"], pa.array([verdict.value for verdict in _VERDICTS])).fill_null(-1)
        self.verdicts.append(verdicts.to_numpy().astype(np.int8))
        for column, of_block in ((self._ids, "id"), (self._parents, "parent"), (self._groups, "group")):
            column.extend(table[of_block].cast(pa.large_string()).chunks)
        documents = table["document"].combine_chunks()
        documents = documents.chunk(0) if isinstance(documents, pa.ChunkedArray) else documents
        keys = [
            self._known.setdefault(document_key(text), len(self._known)) for text in documents.dictionary.to_pylist()
        ]
        self._documents.append(np.array(keys, dtype=np.intp)[documents.indices.to_numpy()])

    def evaluated(self) -> tuple[Numbers, Numbers]:
        """The rows of labelled pairs, of edits and then of the originals of these, and the place of each one's original, -1 for none."""
        numbers = self._numbered([*self._ids, *self._parents])
        ids, parents = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
        edited = ~self._empty(self._parents)
        needed = edited | (np.concatenate(self.verdicts) >= 0)
        missing = np.setdiff1d(parents[needed & edited], ids[needed])
        rows = np.concatenate([np.flatnonzero(needed), np.flatnonzero(~needed & np.isin(ids, missing))])
        places = np.full(numbers.max(initial=-1) + 1, -1)
        places[ids[rows]] = np.arange(len(rows))
        return rows, np.where(edited, places[parents], -1)[rows]

    def documents(self, rows: Numbers) -> Numbers:
        """A number for the document of each of the rows: those of a group or of a text share it."""
        groups, grouped = self._numbered(self._groups)[rows], np.flatnonzero(~self._empty(self._groups)[rows])
        marks = np.concatenate([np.concatenate(self._documents)[rows], groups[grouped] + len(self._known)])
        return number_linked(np.concatenate([np.arange(len(rows)), grouped]), marks, len(rows))

    def document_keys(self, rows: Numbers) -> set[str]:
        keys = list(self._known)
        return {keys[place] for place in np.unique(np.concatenate(self._documents)[rows])}

    def _numbered(self, texts: Sequence[Any]) -> Numbers:
        """A number for each of all texts, the same for equal ones."""
        import pyarrow as pa

        numbers: Numbers = pa.concat_arrays(texts).dictionary_encode().indices.to_numpy().astype(np.intp)
        return numbers

    def _empty(self, texts: Sequence[Any]) -> Mask:
        import pyarrow as pa
        import pyarrow.compute as pc

        empty: Mask = pc.equal(pc.binary_length(pa.concat_arrays(texts)), 0).to_numpy(zero_copy_only=False)
        return empty


class _Scores:
    """Scores of one metric of all pairs, block by block; `written` are its files."""

    def __init__(self, spec: str, written: set[str]) -> None:
        self.spec, self._written = spec, written
        self._values: list[Values] = []
        self._signatures: list[NDArray[np.int32]] = []  # places among the known ones, -1 for a failure, -2 for nothing
        self._known: dict[str, int] = {}

    def read(self, folder: Folder, block: str, pairs: int) -> None:
        import pyarrow.compute as pc

        file = f"{block}.parquet"
        if file not in self._written:
            self._values.append(np.full(pairs, np.nan))
            self._signatures.append(np.full(pairs, -2, dtype=np.int32))
            return
        table = read_table(folder, file, ("status", "score", "signature"))
        signatures = table["signature"].combine_chunks().dictionary_encode()
        codes = [self._known.setdefault(signature, len(self._known)) for signature in signatures.dictionary.to_pylist()]
        ok = pc.equal(table["status"], "ok").to_numpy()
        of_row = np.array([*codes, -1], dtype=np.int32)[signatures.indices.fill_null(-1).to_numpy()]
        self._values.append(np.where(ok, table["score"].to_numpy(), np.nan))
        self._signatures.append(np.where(ok, of_row, -1).astype(np.int32))

    def of(self, rows: Numbers) -> tuple[dict[str, Values], int]:
        """The scores by signature, (rows,) each and nan where there is none, and how many rows failed."""
        scores, signatures = np.concatenate(self._values)[rows], np.concatenate(self._signatures)[rows]
        by_signature = {
            signature: np.where(signatures == place, scores, np.nan) for signature, place in self._known.items()
        }
        scored = {signature: values for signature, values in by_signature.items() if not np.isnan(values).all()}
        return scored, int(np.sum(signatures == -1))


def _language_warnings(
    stored: StoredResults, rows: Numbers, values: dict[tuple[str, str], Values], directions: dict[str, str]
) -> list[str]:
    """Sentences on summaries in a language that a metric is not for, of which those that are looked at are read alone."""
    scored: dict[str, Mask] = {}
    for (spec, _), column in values.items():
        scored[spec] = scored.get(spec, np.zeros(len(rows), dtype=np.bool_)) | ~np.isnan(column)
    places = {spec: np.flatnonzero(mask) for spec, mask in scored.items()}
    read = {spec: rows[of_spec[looked_at(len(of_spec))]] for spec, of_spec in places.items()}
    summaries = _summaries(stored.blocks, np.unique(np.concatenate([*read.values(), np.zeros(0, dtype=np.intp)])))
    return [
        sentence
        for spec in sorted(read)
        if directions[spec] in {"higher", "lower", "neutral"}
        for sentence in warn_of_languages(
            spec,
            METRICS.parse(spec).verified_languages,
            [Example("", "", summaries[row]) for row in read[spec].tolist()],
            len(places[spec]),
        )
    ]


def _summaries(blocks: Folder, rows: Numbers) -> dict[int, str]:
    """The summaries in some rows, in order, of all pairs."""
    summaries: dict[int, str] = {}
    start = 0
    for name, pairs in block_pairs(blocks).items():
        inside = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + pairs)]
        if len(inside):
            texts = block_table(blocks, name, ("summary",))["summary"].take(inside - start).to_pylist()
            summaries.update(zip(inside.tolist(), texts, strict=True))
        start += pairs
    return summaries
