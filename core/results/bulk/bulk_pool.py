"""The pool of a folder of results, read by columns: a million scores take seconds, as no text of a summary is read."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.data import document_key
from core.errors import TouchstoneError
from core.results.bulk.blocks import block_columns, block_names, read_parquet
from core.results.bulk.folder import Folder
from core.results.bulk.results import open_stored_results
from core.results.cases.cases import MetricColumn
from core.results.cases.summary_pool import SummaryPool
from core.scoring import METRICS
from core.stats import Values

_LABELS = {"consistent": 1.0, "inconsistent": 0.0}


def pool_of_results(url: str, by: str | None = None) -> SummaryPool:
    """Every pair of the blocks, with the scores of each metric, nan where its block has none yet.

    Scores of several signatures under one metric are those of its most frequent one. Parts are by domain, which blocks keep,
    and there are none by another field. Raises TouchstoneError where the folder is none of results, or has no pair.
    """
    stored = open_stored_results(url)
    ids: list[str] = []
    groups: list[str] = []
    labels: list[str] = []
    domains: list[str] = []
    errors: dict[int, tuple[str, ...]] = {}
    sizes = []
    names = block_names(stored.blocks)
    for name in names:
        block_ids, group, label, error, domain = block_columns(
            stored.blocks, name, ("id", "group", "label", "error_type", "domain")
        )
        if not all(group):
            [documents] = block_columns(stored.blocks, name, ("document",))
            group = [key or document_key(text) for key, text in zip(group, documents, strict=True)]
        errors |= {len(ids) + place: (kind,) for place, kind in enumerate(error) if kind}
        sizes.append(len(block_ids))
        for whole, of_block in ((ids, block_ids), (groups, group), (labels, label), (domains, domain)):
            whole.extend(of_block)
    if not ids:
        raise TouchstoneError(
            f"{url} has no pair. Make blocks of pairs, and score them: cli.py score BLOCKS --to {url}"
        )
    columns = [(spec, *_scores(folder, names, sizes)) for folder, spec in stored.metrics]
    return SummaryPool(
        ids=ids,
        labels=np.array([_LABELS.get(label, np.nan) for label in labels]),
        documents=np.unique(np.array(groups), return_inverse=True)[1],
        columns=tuple(
            MetricColumn(spec, values, METRICS.parse(spec).card.direction, signature)
            for spec, values, signature, _ in columns
            if np.isfinite(values).any()
        ),
        errors=errors,
        parts=_parts(np.array(domains)) if by == "domain" else {},
        warnings=tuple(
            f"{spec}: {left_out:,} scores have another signature than {signature}, and do not count."
            for spec, _, signature, left_out in columns
            if left_out
        ),
    )


def _parts(domains: Any) -> dict[str, Any]:
    return {str(name): domains == name for name in np.unique(domains) if name}


def _scores(folder: Folder, names: list[str], sizes: list[int]) -> tuple[Values, str, int]:
    """The scores of one metric, (N,), of its most frequent signature, that, and how many have another."""
    values, codes = np.full(sum(sizes), np.nan), np.full(sum(sizes), -1)
    numbers: dict[str, int] = {}
    start, written = 0, set(folder.names(".parquet"))
    for name, size in zip(names, sizes, strict=True):
        if f"{name}.parquet" in written:
            score, signature = read_parquet(folder, f"{name}.parquet", ("score", "signature"), shared=("signature",))
            values[start : start + len(score)] = [np.nan if number is None else number for number in score]
            codes[start : start + len(score)] = [
                numbers.setdefault(signature_text or "", len(numbers)) for signature_text in signature
            ]
        start += size
    scored = np.isfinite(values)
    counts = np.bincount(codes[scored], minlength=1)
    most = int(np.argmax(counts))
    values[codes != most] = np.nan
    return (
        values,
        next((name for name, number in numbers.items() if number == most), ""),
        int(counts.sum() - counts[most]),
    )
