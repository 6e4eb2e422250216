"""`cli.py explain`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from core.data import Refusal
from core.errors import TouchstoneError
from core.evaluation import (
    ExplainMode,
    explain_all,
    explanation_record,
    explanation_signature,
    is_applicable,
    summaries_with_edits,
    summary_conversation,
)
from core.results import WHOLE, draw_sample
from core.scoring import json_line
from core.settings import Settings
from core.types import Failure
from pages.commands.shared.dataset_inputs import read_dataset_items
from pages.commands.shared.inputs import name_of_input, open_output, open_sampling, open_shard, read_items
from pages.commands.shared.messages import (
    exit_with_failures,
    open_engine,
    print_estimate,
    print_own_words,
    print_spent,
    print_status,
    with_progress,
)
from pages.commands.shared.options import (
    BatchOption,
    EndpointOption,
    ModelOption,
    PairsArgument,
    SampleOption,
    ShardOption,
    TemperatureOption,
    WordsOption,
)

EXAMPLE = "python cli.py explain --dataset summexecedit -o answers.jsonl"


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per summary.")],
    pairs: PairsArgument = None,
    dataset: Annotated[str | None, typer.Option(help="Instead of a file: an imported dataset.")] = None,
    ask: Annotated[
        ExplainMode,
        typer.Option(
            help="detect: whether the summary is consistent, and why. given: what is wrong with each that is labelled "
            "inconsistent, which the model is given."
        ),
    ] = ExplainMode.DETECT,
    most: Annotated[
        int | None, typer.Option(min=1, help="So many summaries, drawn by the seed; by default all.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed draws the same summaries.")] = 0,
    model: ModelOption = "",
    endpoint: EndpointOption = "",
    temperature: TemperatureOption = 0.0,
    sample: SampleOption = 0,
    batch: BatchOption = False,
    shard: ShardOption = "0/1",
    paper: WordsOption = "",
) -> None:
    """Have a language model say of many summaries whether they are consistent, and why; `judge` grades what it says."""
    source = name_of_input(pairs, dataset, output)
    print_own_words([f"@{paper}"])
    refusals: list[Refusal] = []
    with open_engine(Settings.read(), batch) as engine:
        # raises before anything is overwritten where nobody can be asked
        sampling = open_sampling(engine, model, endpoint, temperature, sample)
        part = open_shard(shard, pairs, [sampling.asked])
        items = read_items(pairs, refusals, part) if pairs else read_dataset_items(dataset or "")
        # the summaries, the edited ones with what is known of their edit
        summaries = [summary for summary in summaries_with_edits(items) if is_applicable(summary, ask)]
        if not summaries and part == WHOLE:
            raise TouchstoneError(f"{source} has no summary that is labelled inconsistent. Ask with --ask detect.")
        subjects = draw_sample(summaries, most or len(summaries), seed)
        print_estimate(engine, (summary_conversation(subject, ask, sampling, paper) for subject in subjects))
        with open_output(output) as file:
            findings = explain_all(engine, subjects, ask, sampling, paper)
            verdicts: Counter[str] = Counter()
            for subject, outcome in with_progress(findings, "summaries explained", len(subjects)):
                record = explanation_record(subject, ask, outcome, explanation_signature(ask, sampling, paper))
                file.write(json_line(record))
                verdicts["failed" if isinstance(outcome, Failure) else outcome.verdict] += 1
            print_status(
                f"Summaries explained: {', '.join(f'{verdict} {number}' for verdict, number in verdicts.most_common())}."
            )
            failed = verdicts["failed"]
        spent = engine.spent()
    print_spent(spent)
    exit_with_failures(refusals, failed)
