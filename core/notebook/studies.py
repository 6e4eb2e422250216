"""Variants of pairs and the trust that metrics earn on labelled pairs, as `cli.py perturb` and `meta` have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.battery import named_kinds
from core.cases.measures import affordable_resamples, draw_resamples, metric_rows, slice_cases
from core.notebook.reports import PAIRS_DATASET, cases_of_scores
from core.notebook.session import Pairs, download_weights, engine, read_pairs
from core.outcome_record import JsonRecord
from core.runs.run import Plan, Run, Source, Variant
from core.runs.runner import continue_run
from core.studies.run_report import variant_record
from core.studies.tables import tables_record


def perturb_pairs(pairs: Pairs, kinds: str | Sequence[str], battery: str, seed: int) -> list[JsonRecord]:
    """See `touchstone.perturb`."""
    chosen, signature = named_kinds([kinds] if isinstance(kinds, str) else kinds, battery)
    run = Run(Plan.of(PAIRS_DATASET, chosen, (), seed, battery=signature))
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
    cases = cases_of_scores(pairs, scores)
    number = resamples or affordable_resamples(cases)
    rows = list(metric_rows(cases, slice_cases(cases, by), draw_resamples(cases, number)))
    return tables_record(cases, rows, dataset=PAIRS_DATASET, by=by, rated=None, resamples=number)
