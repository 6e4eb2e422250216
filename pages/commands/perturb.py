"""`cli.py perturb`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.dataset import Refusal
from core.engine import Engine
from core.perturbation import PERTURBATIONS
from core.settings import Settings
from core.stress.matrix import applied
from core.stress.records import Plan, Variant
from core.stress.report import as_pair
from core.stress.running import carry_on
from core.stress.words import refusals as refusal_sentences
from pages.terminal.files import opened
from pages.terminal.options import FromDataset, Kinds, Most, PairsFile, Seed
from pages.terminal.saying import say
from pages.terminal.summaries import begun_with, given, named


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair and kind.")],
    kind: Kinds,
    pairs: PairsFile = None,
    dataset: FromDataset = None,
    most: Most = None,
    seed: Seed = 0,
) -> None:
    """Write a variant of every summary of a file for each kind of perturbation; the same seed gives the same variants."""
    refusals: list[Refusal] = []
    plan = Plan.of(named(pairs, dataset, output), map(PERTURBATIONS.parse, kind), (), seed)
    run = begun_with(plan, given(pairs, dataset, most, seed, refusals))
    with closing(Engine.open(Settings.read())) as engine, opened(output) as file:
        for record in carry_on(engine, run):
            if isinstance(record, Variant):
                line = as_pair(run.sources[record.source], record)
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
    for sentence in refusal_sentences(applied(run)):
        say(sentence)
    if refusals:
        raise typer.Exit(2)
