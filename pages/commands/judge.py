"""`cli.py judge`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, TextIO

import typer

from core.dataset import Refusal
from core.engine import Engine
from core.errors import TouchstoneError
from core.explaining.batch import judged
from core.explaining.casefile import Spared, cases_of, read_cases
from core.explaining.casefile import as_record as as_judged
from core.explaining.judging import Case, Judged, Setup, judging
from core.explaining.judging import signature as judge_signature
from core.llm.endpoint import chosen_model, configured
from core.llm.saying import Sampling
from core.llm.words import told_spent
from core.settings import Settings
from core.types import Failure
from pages.terminal.files import keep_apart, opened, readable_of
from pages.terminal.options import AskedEndpoint, AskedModel, Draw, Temperature
from pages.terminal.saying import followed, say, say_estimate
from pages.terminal.summaries import imported_items


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per explanation.")],
    setup: Annotated[
        Setup,
        typer.Option(
            help="What the judge reads besides the explanation. V1: document and summary; V2: summary before and after its "
            "edit; V3: V2 and a reference explanation; V4: a reference explanation."
        ),
    ],
    cases: Annotated[
        Path | None,
        typer.Argument(
            help="JSONL with explanation, document, seed, summary, reference, human: what the set-up reads."
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Instead of a file: an imported dataset with explanations.")
    ] = None,
    model: AskedModel = "",
    endpoint: AskedEndpoint = "",
    temperature: Temperature = 0.0,
    sample: Draw = 0,
) -> None:
    """Have a language model grade explanations of errors: entirely, partially or not correct, which count 1, 0.5 and 0."""
    configured(endpoint)  # raises before anything is overwritten where nobody can be asked
    sampling = Sampling(chosen_model(model, endpoint), temperature, sample=sample, endpoint=endpoint)
    signed = judge_signature(setup, sampling)
    refusals: list[Refusal] = []
    asked = _cases(cases, dataset, output, refusals)
    say(f"Asking {signed}")
    with closing(Engine.open(Settings.read())) as engine, opened(output) as file:
        say_estimate(engine, (judging(case, setup, sampling) for case in asked))
        _write_judged(file, signed, judged(engine, asked, setup, sampling), len(asked))
        spent = engine.spent()
    if spent:
        say(f"Spent: {told_spent(spent)}.")
    if refusals:
        raise typer.Exit(2)


def _cases(cases: Path | None, dataset: str | None, output: Path, refusals: list[Refusal]) -> list[Case]:
    """The explanations of a file or of an imported dataset."""
    if (cases is None) == (dataset is None):
        raise TouchstoneError("Name a file of explanations, or an imported dataset with --dataset: one of the two.")
    if cases:
        keep_apart(cases, output)
        return _to_grade(readable_of(read_cases(cases), cases, refusals))
    return _to_grade(_imported_cases(dataset or ""))


def _to_grade(found: Iterable[Case | Spared]) -> list[Case]:
    """The cases among them; how many are none is said, with the reasons."""
    told = list(found)
    spared = Counter(one.why for one in told if isinstance(one, Spared))
    if spared:
        say(f"Not to be graded: {', '.join(f'{count} {why}' for why, count in spared.items())}.")
    return [one for one in told if isinstance(one, Case)]


def _imported_cases(dataset: str) -> Iterator[Case | Spared]:
    found = imported_items(dataset)
    if not any(item.explanations for item in found):
        raise TouchstoneError(f"{dataset} has no explanations. Import one that has, such as factualnlg.")
    return cases_of(found)


def _write_judged(file: TextIO, signed: str, found: Iterable[tuple[Case, Judged | Failure]], count: int) -> None:
    """Write a line for each case, and say how many there are of each grade."""
    grades: Counter[str] = Counter()
    for case, outcome in followed(found, "explanations judged", count):
        file.write(json.dumps(as_judged(case, signed, outcome), ensure_ascii=False, allow_nan=False) + "\n")
        grades["failed" if isinstance(outcome, Failure) else outcome.grade] += 1
    say(f"Explanations judged: {', '.join(f'{grade} {count}' for grade, count in grades.most_common()) or 'none'}.")
