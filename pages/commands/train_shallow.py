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
from pages.terminal.files import items_of, keep_apart, opened


def command(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with document, summary and, for labels, label.")],
    output: Annotated[Path, typer.Option("-o", "--output", help=f"Where to write the model, a file *{SUFFIX}.")],
    target: Annotated[
        str, typer.Option(help="label, or SCORES.jsonl:METRIC with a file that `score` wrote.")
    ] = "label",
    seed: Annotated[int, typer.Option(min=0, help="Of the split into documents and of the weights.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a sentence.")] = False,
) -> None:
    """Train the shallow model on most documents of a file and test it on the others: how much does the surface tell?"""
    aim = targets.parse(target)
    _check_model(pairs, output)
    refusals: list[Refusal] = []
    aims = aim.of(items_of(pairs, refusals))
    with closing(Engine.open(Settings.read())) as engine:
        rows, signatures = features.table(engine, aims)
    model = train(rows, Task(pairs.name, aim.name, aim.output, seed), signatures)
    with opened(output) as file:
        file.write(model.model_dump_json(indent=1) + "\n")
    typer.echo(model.facts.model_dump_json(indent=1) if as_json else _held_out(model.facts))
    if refusals:
        raise typer.Exit(2)


def _check_model(pairs: Path, output: Path) -> None:
    """Refuse a file that no metric would find, or that would overwrite the pairs, before an hour of work."""
    if output.suffix != SUFFIX:
        raise TouchstoneError(
            f"A shallow model is a file *{SUFFIX}; got {output.name!r}. Write -o {output.stem}{SUFFIX}."
        )
    keep_apart(pairs, output)


def _held_out(facts: Facts) -> str:
    reached = "unknown, as all targets are alike" if facts.agreement is None else f"{facts.agreement:.3f}"
    return (
        f"Learned {facts.target} from {facts.pairs} pairs of {facts.documents} documents. Held out: "
        f"{facts.held_out_pairs} pairs of {facts.held_out_documents} documents; {facts.measure}: {reached}."
    )
