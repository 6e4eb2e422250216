"""`cli.py pairwise`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.data import Refusal
from core.errors import TouchstoneError
from core.evaluation import (
    PairwiseAnswer,
    compare_all,
    comparison_record,
    edit_conversation,
    format_preferences,
    pairwise_signature,
    summaries_with_edits,
)
from core.scoring import Engine, json_line
from core.settings import Settings
from core.types import Failure
from pages.commands.shared.dataset_inputs import read_dataset_items
from pages.commands.shared.inputs import name_of_input, open_output, open_sampling, read_items
from pages.commands.shared.messages import exit_with_failures, print_estimate, print_spent, print_status, with_progress
from pages.commands.shared.options import EndpointOption, ModelOption, PairsArgument, SampleOption, TemperatureOption

EXAMPLE = "python cli.py pairwise pairs.jsonl -o compared.jsonl"


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per edited summary.")],
    pairs: PairsArgument = None,
    dataset: Annotated[str | None, typer.Option(help="Instead of a file: an imported dataset with edits.")] = None,
    model: ModelOption = "",
    endpoint: EndpointOption = "",
    temperature: TemperatureOption = 0.0,
    sample: SampleOption = 0,
) -> None:
    """Have a language model compare each edited summary with the one before its edit, in both orders."""
    source = name_of_input(pairs, dataset, output)
    refusals: list[Refusal] = []
    with closing(Engine.open(Settings.read())) as engine:
        # raises before anything is overwritten where nobody can be asked
        sampling = open_sampling(engine, model, endpoint, temperature, sample)
        signature = pairwise_signature(sampling)
        summaries = summaries_with_edits(read_items(pairs, refusals) if pairs else read_dataset_items(dataset or ""))
        edited = [summary for summary in summaries if summary.seed]
        if not edited:
            raise TouchstoneError(
                f"{source} has no edited summary. Give its edit under “edits” or “edited”, or name a dataset of minimal pairs."
            )
        print_status(f"Asking {signature}")
        print_estimate(engine, (edit_conversation(summary, sampling) for summary in edited))
        with open_output(output) as file:
            verdicts = with_progress(compare_all(engine, edited, sampling), "pairs", len(edited))
            outcomes: list[PairwiseAnswer | Failure] = []
            for subject, outcome in verdicts:
                record = comparison_record(subject, signature, outcome)
                file.write(json_line(record))
                outcomes.append(outcome)
            print_status(f"Found more consistent: {format_preferences(outcomes)}.")
            failed = sum(isinstance(outcome, Failure) for outcome in outcomes)
        spent = engine.spent()
    print_spent(spent)
    exit_with_failures(refusals, failed)
