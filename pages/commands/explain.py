"""`cli.py explain`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Annotated, TextIO

import typer

from core.dataset import Refusal
from core.engine import Engine
from core.errors import TouchstoneError
from core.explaining.answers import Ask, answered, as_record, askable, asking
from core.explaining.finding import Finding
from core.explaining.subject import Subject, subjects
from core.llm.endpoint import chosen_model, configured
from core.llm.saying import Sampling
from core.llm.words import told_spent
from core.settings import Settings
from core.stress.picking import pick
from core.types import Failure
from pages.terminal.files import items_of, opened
from pages.terminal.options import AskedEndpoint, AskedModel, Draw, PairsFile, Temperature
from pages.terminal.saying import followed, say, say_estimate
from pages.terminal.summaries import imported_items, named


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per summary.")],
    pairs: PairsFile = None,
    dataset: Annotated[str | None, typer.Option(help="Instead of a file: an imported dataset.")] = None,
    ask: Annotated[
        Ask,
        typer.Option(
            help="detect: whether the summary is consistent, and why. given: what is wrong with each that is labelled "
            "inconsistent, of which the model is told."
        ),
    ] = Ask.DETECT,
    most: Annotated[
        int | None, typer.Option(min=1, help="So many summaries, drawn by the seed; by default all.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed draws the same summaries.")] = 0,
    model: AskedModel = "",
    endpoint: AskedEndpoint = "",
    temperature: Temperature = 0.0,
    sample: Draw = 0,
) -> None:
    """Have a language model say of many summaries whether they are consistent, and why; `judge` grades what it says."""
    source = named(pairs, dataset, output)
    configured(endpoint)  # raises before anything is overwritten where nobody can be asked
    sampling = Sampling(chosen_model(model, endpoint), temperature, sample=sample, endpoint=endpoint)
    refusals: list[Refusal] = []
    found = [one for one in _subjects(pairs, dataset, refusals) if askable(one, ask)]
    if not found:
        raise TouchstoneError(f"{source} has no summary that is labelled inconsistent. Ask with --ask detect.")
    asked = pick(found, most or len(found), seed)
    with closing(Engine.open(Settings.read())) as engine, opened(output) as file:
        say_estimate(engine, (asking(one, ask, sampling) for one in asked))
        _write(file, ask, answered(engine, asked, ask, sampling), len(asked))
        spent = engine.spent()
    if spent:
        say(f"Spent: {told_spent(spent)}.")
    if refusals:
        raise typer.Exit(2)


def _subjects(pairs: Path | None, dataset: str | None, refusals: list[Refusal]) -> list[Subject]:
    """The summaries of a file or of an imported dataset, the edited ones with what is known of their edit."""
    return list(subjects(items_of(pairs, refusals) if pairs else imported_items(dataset or "")))


def _write(file: TextIO, ask: Ask, found: Iterable[tuple[Subject, Finding | Failure]], count: int) -> None:
    """Write a line for each summary, and say how many the model called what."""
    verdicts: Counter[str] = Counter()
    for subject, outcome in followed(found, "summaries explained", count):
        file.write(json.dumps(as_record(subject, ask, outcome), ensure_ascii=False, allow_nan=False) + "\n")
        verdicts["failed" if isinstance(outcome, Failure) else outcome.verdict] += 1
    say(f"Summaries explained: {', '.join(f'{verdict} {number}' for verdict, number in verdicts.most_common())}.")
