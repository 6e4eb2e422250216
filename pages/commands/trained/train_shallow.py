"""`cli.py train-shallow`."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from core.data import Refusal
from core.errors import TouchstoneError
from core.evaluation import TrainingTask, train_model
from core.evaluation.training import shallow_data as training_data
from core.models import MODEL_SUFFIX
from core.scoring import Engine
from core.settings import Settings
from core.types import Split
from pages.commands.shared.dataset_inputs import read_dataset_items
from pages.commands.shared.inputs import name_of_input, open_output, read_items

EXAMPLE = "python cli.py train-shallow pairs.jsonl -o surface.json"


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help=f"Where to write the model, a file *{MODEL_SUFFIX}.")],
    pairs: Annotated[
        Path | None, typer.Argument(help="JSONL or CSV with document, summary and, for labels, label.")
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Instead of a file: one of those that `datasets` lists; may be repeated.")
    ] = None,
    held_out: Annotated[
        list[Split] | None,
        typer.Option(
            help="Test on this split as the dataset has it, and learn from the rest; may be repeated. By default a quarter "
            "of the documents, drawn by the seed."
        ),
    ] = None,
    target: Annotated[
        str, typer.Option(help="label, or SCORES.jsonl:METRIC with a file that `score` wrote.")
    ] = "label",
    seed: Annotated[int, typer.Option(min=0, help="Of the split into documents and of the weights.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a sentence.")] = False,
) -> None:
    """Train the shallow model on most documents of a file or dataset and test it on the others: how much does the surface predict?"""
    learned = training_data.parse_target(target)
    if output.suffix != MODEL_SUFFIX:  # no metric would find it: refused before an hour of work
        raise TouchstoneError(
            f"A shallow model is a file *{MODEL_SUFFIX}; got {output.name!r}. Write -o {output.stem}{MODEL_SUFFIX}."
        )
    name = name_of_input(pairs, " + ".join(dataset or []) or None, output)
    refusals: list[Refusal] = []
    examples = learned.of(
        read_items(pairs, refusals) if pairs else chain.from_iterable(map(read_dataset_items, dataset or []))
    )
    apart = training_data.items_of_splits(examples, held_out) if held_out else None
    with closing(Engine.open(Settings.read())) as engine:
        rows, signatures = training_data.training_table(engine, examples)
    task = TrainingTask(name, learned.name, learned.output, seed, "+".join(held_out or []))
    model = train_model(rows, task, signatures, apart)
    with open_output(output) as file:
        file.write(model.model_dump_json(indent=1) + "\n")
    facts = model.facts
    if as_json:
        typer.echo(facts.model_dump_json(indent=1))
    else:
        agreement = "unknown, as all targets are alike" if facts.agreement is None else f"{facts.agreement:.3f}"
        typer.echo(
            f"Learned {facts.target} from {facts.pairs} pairs of {facts.documents} documents. "
            f"Held out{f', split {facts.split}' if facts.split else ''}: "
            f"{facts.held_out_pairs} pairs of {facts.held_out_documents} documents; {facts.measure}: {agreement}."
        )
    if refusals:
        raise typer.Exit(2)
