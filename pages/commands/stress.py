"""`cli.py stress`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.dataset import Refusal
from core.engine import Engine
from core.guard import GUARDS
from core.listing import as_they_come
from core.metric import METRICS
from core.perturbation import PERTURBATIONS, by_rule
from core.settings import Settings
from core.stress.foreseen import foreseen
from core.stress.gaming import gaming
from core.stress.matrix import applied, matrix
from core.stress.records import Plan, Run
from core.stress.report import as_cell
from core.stress.runfile import append, begin
from core.stress.running import carry_on
from core.stress.shifts import shifts
from core.stress.sifting import SIEVES, sifted
from core.stress.words import failures as failure_sentences
from core.stress.words import gaming_table, table
from core.stress.words import guarded as guard_sentences
from core.stress.words import refusals as refusal_sentences
from pages.terminal.fetching import fetch
from pages.terminal.options import FromDataset, KindsOrAll, Most, OnDevice, PairsFile, Seed
from pages.terminal.saying import say, say_estimate, watch
from pages.terminal.summaries import begun_with, given, named

_NO_GUARD = "none"


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="The run, JSONL; one that was broken off goes on.")],
    metric: Annotated[
        list[str] | None, typer.Option(help="name or name[setting=value,…]; by default all that are ready.")
    ] = None,
    pairs: PairsFile = None,
    dataset: FromDataset = None,
    most: Most = None,
    kind: KindsOrAll = None,
    seed: Seed = 0,
    guard: Annotated[
        str,
        typer.Option(help="Who checks that harmless variants are: entailment, language-model, or none; with settings."),
    ] = _NO_GUARD,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(help=f"Variants that do not count in the table: {', '.join(SIEVES)}; may be repeated."),
    ] = None,
    device: OnDevice = None,
    as_json: Annotated[bool, typer.Option("--json", help="The table as one JSON list.")] = False,
) -> None:
    """Perturb every summary of a file, score all of it, and say which metrics move when they should not."""
    name, settings = named(pairs, dataset, output), Settings.read()
    refusals: list[Refusal] = []
    with closing(Engine.open(settings.model_copy(update={"device": device or settings.device}))) as engine:
        metrics = [METRICS.parse(spec) for spec in metric or [line.name for line in as_they_come(engine.pool)]]
        kinds = [PERTURBATIONS.parse(spec) for spec in kind] if kind else by_rule()
        checker = None if guard == _NO_GUARD else GUARDS.parse(guard)
        plan = Plan.of(name, kinds, metrics, seed, checker)
        sifted(Run(plan), leave_out or ())  # a wrong name is told before the work, not after it
        run = begin(output, begun_with(plan, given(pairs, dataset, most, seed, refusals)))
        fetch(engine.pool, [*metrics, *filter(None, [checker])])
        say_estimate(engine, foreseen(engine, run))
        watch(run, append(output, carry_on(engine, run)))
    found = shifts(run, sifted(run, leave_out or ()))
    cells = matrix(run, found)
    if as_json:
        typer.echo(json.dumps([as_cell(cell) for cell in cells], ensure_ascii=False, indent=1))
    else:
        typer.echo("\n\n".join(filter(None, [table(cells), gaming_table(gaming(run, found))])))
    for sentence in [*failure_sentences(run), *refusal_sentences(applied(run)), *guard_sentences(run)]:
        say(sentence)
    if refusals:
        raise typer.Exit(2)
