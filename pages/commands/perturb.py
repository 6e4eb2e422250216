"""`cli.py perturb`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.dataset import Refusal
from core.engine.engine import Engine
from core.perturbation import PERTURBATIONS
from core.settings import Settings
from core.stress.matrix import kind_coverage
from core.stress.output import refusal_sentences, variant_record
from core.stress.run import Plan, Variant
from core.stress.runner import continue_run
from pages.commands.shared.inputs import (
    DatasetOption,
    KindsOption,
    MaxSummariesOption,
    PairsArgument,
    SeedOption,
    name_of_input,
    new_run,
    open_output,
    read_sources,
)
from pages.commands.shared.messages import exit_with_failures, print_status


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair and kind.")],
    kind: KindsOption,
    pairs: PairsArgument = None,
    dataset: DatasetOption = None,
    most: MaxSummariesOption = None,
    seed: SeedOption = 0,
) -> None:
    """Write a variant of every summary of a file for each kind of perturbation; the same seed gives the same variants."""
    refusals: list[Refusal] = []
    plan = Plan.of(name_of_input(pairs, dataset, output), map(PERTURBATIONS.parse, kind), (), seed)
    run = new_run(plan, read_sources(pairs, dataset, most, seed, refusals, with_inconsistent=pairs is not None))
    with closing(Engine.open(Settings.read())) as engine, open_output(output) as file:
        for record in continue_run(engine, run):
            if isinstance(record, Variant):
                line = variant_record(run.sources[record.source], record)
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
    for sentence in refusal_sentences(kind_coverage(run)):
        print_status(sentence)
    exit_with_failures(refusals, run.failed)
