"""Variants of pairs and the trust that metrics earn on labelled pairs, as `cli.py perturb` and `meta` have them."""

from __future__ import annotations

from collections.abc import Sequence

from core.assessment.notebook.reports import PAIRS_DATASET
from core.assessment.notebook.session import Pairs, download_weights, engine, read_pairs
from core.edits import named_kinds
from core.results import Plan, Source, StressRun, Variant, continue_run, variant_record
from core.scoring import JsonRecord


def perturb_pairs(pairs: Pairs, kinds: str | Sequence[str], battery: str, seed: int) -> list[JsonRecord]:
    """See `touchstone.perturb`."""
    perturbations, signature = named_kinds([kinds] if isinstance(kinds, str) else kinds, battery)
    run = StressRun(Plan.of(PAIRS_DATASET, perturbations, (), seed, battery=signature))
    for item in read_pairs(pairs):
        if not item.parent:
            run.add(Source.of(item))
    opened = engine()
    download_weights(opened.pool, (model for kind in perturbations for model in kind.checkpoints()))
    variants = [record for record in continue_run(opened, run) if isinstance(record, Variant)]
    return [variant_record(run.sources[variant.source], variant) for variant in variants]
