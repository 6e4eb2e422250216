"""Variants of pairs and the trust that metrics earn on labelled pairs, as `cli.py perturb` and `meta` have them."""

from __future__ import annotations

from collections.abc import Sequence

from core.assessment.notebook.reports import PAIRS_DATASET
from core.assessment.notebook.session import Pairs, download_weights, engine, read_pairs
from core.edits.battery import named_kinds
from core.results.runs.run import Plan, Run, Source, Variant
from core.results.runs.runner import continue_run
from core.results.runs.variant_records import variant_record
from core.scoring.outcome_records import JsonRecord


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
