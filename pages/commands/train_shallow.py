"""`cli.py train-shallow`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.dataset import Refusal
from core.engine import Engine
from core.errors import TouchstoneError
from core.settings import Settings
from core.shallow import features, targets
from core.shallow.model import SUFFIX, Facts
from core.shallow.training import Task, train
from pages.terminal.files import items_of, opened
from pages.terminal.summaries import imported_items, named


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help=f"Where to write the model, a file *{SUFFIX}.")],
    pairs: Annotated[
        Path | None, typer.Argument(help="JSONL or CSV with document, summary and, for labels, label.")
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="Instead of a file: one of those that `datasets` lists.")] = None,
    target: Annotated[
        str, typer.Option(help="label, or SCORES.jsonl:METRIC with a file that `score` wrote.")
    ] = "label",
    seed: Annotated[int, typer.Option(min=0, help="Of the split into documents and of the weights.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a sentence.")] = False,
) -> None:
    """Train the shallow model on most documents of a file or dataset and test it on the others: how much does the surface tell?"""
    aim = targets.parse(target)
    _check_model(output)
    name = named(pairs, dataset, output)
    refusals: list[Refusal] = []
    aims = aim.of(items_of(pairs, refusals) if pairs else imported_items(name))
    with closing(Engine.open(Settings.read())) as engine:
        rows, signatures = features.table(engine, aims)
    model = train(rows, Task(name, aim.name, aim.output, seed), signatures)
    with opened(output) as file:
        file.write(model.model_dump_json(indent=1) + "\n")
    typer.echo(model.facts.model_dump_json(indent=1) if as_json else _held_out(model.facts))
    if refusals:
        raise typer.Exit(2)


def _check_model(output: Path) -> None:
    """Refuse a file that no metric would find, before an hour of work."""
    if output.suffix != SUFFIX:
        raise TouchstoneError(
            f"A shallow model is a file *{SUFFIX}; got {output.name!r}. Write -o {output.stem}{SUFFIX}."
        )


def _held_out(facts: Facts) -> str:
    reached = "unknown, as all targets are alike" if facts.agreement is None else f"{facts.agreement:.3f}"
    return (
        f"Learned {facts.target} from {facts.pairs} pairs of {facts.documents} documents. Held out: "
        f"{facts.held_out_pairs} pairs of {facts.held_out_documents} documents; {facts.measure}: {reached}."
    )
