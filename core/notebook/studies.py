"""Variants of pairs and the trust that metrics earn on labelled pairs, as `cli.py perturb` and `meta` have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.battery import named_kinds
from core.bulk.results import scored_sample
from core.cases.measures import affordable_resamples, draw_resamples, metric_rows, slice_cases
from core.cases.pooling import pool_cases
from core.errors import TouchstoneError
from core.notebook.session import Pairs, download_weights, engine, read_pairs
from core.outcome_record import JsonRecord
from core.runs.run import Plan, Run, Source, Variant
from core.runs.runner import continue_run
from core.studies.run_report import variant_record
from core.studies.tables import tables_record
from core.types import StoredScore

_DATASET = "pairs"  # what the pairs of a notebook are called where a dataset has a name


def perturb_pairs(pairs: Pairs, kinds: str | Sequence[str], battery: str, seed: int) -> list[JsonRecord]:
    """See `touchstone.perturb`."""
    chosen, signature = named_kinds([kinds] if isinstance(kinds, str) else kinds, battery)
    run = Run(Plan.of(_DATASET, chosen, (), seed, battery=signature))
    for item in read_pairs(pairs):
        if not item.parent:
            run.add(Source.of(item))
    opened = engine()
    download_weights(opened.pool, (model for kind in chosen for model in kind.checkpoints()))
    found = [record for record in continue_run(opened, run) if isinstance(record, Variant)]
    return [variant_record(run.sources[variant.source], variant) for variant in found]


def evaluate_scores(
    pairs: Pairs, scores: Iterable[Mapping[str, Any]], by: str | None, resamples: int | None
) -> dict[str, Any]:
    """See `touchstone.evaluate`."""
    kept: defaultdict[str, list[StoredScore]] = defaultdict(list)
    for record in scores:
        stored = StoredScore(record["metric"], record["signature"] or "", record["score"], record["error"] or "")
        kept[record["id"]].append(stored)
    items = read_pairs(pairs)
    cases = pool_cases([[scored_sample(_DATASET, item, kept[item.example.id]) for item in items]])
    if not cases.all_columns:
        raise TouchstoneError("No metric has a score of these pairs. Give those that touchstone.score makes of them.")
    number = resamples or affordable_resamples(cases)
    rows = list(metric_rows(cases, slice_cases(cases, by), draw_resamples(cases, number)))
    return tables_record(cases, rows, dataset=_DATASET, by=by, rated=None, resamples=number)
