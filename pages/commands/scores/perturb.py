"""`cli.py perturb`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

import typer

from core.data import Refusal
from core.edits import named_kinds
from core.evaluation import kinds_table, table_text
from core.results import (
    Plan,
    Variant,
    balanced_variants,
    continue_run,
    document_source,
    document_variant_record,
    kind_coverage,
    refusal_sentences,
    variant_record,
)
from core.scoring import Engine, json_line
from core.settings import Settings
from pages.commands.shared.dataset_inputs import read_sources
from pages.commands.shared.inputs import name_of_input, new_run, open_output
from pages.commands.shared.messages import download_models, exit_with_failures, print_own_words, print_status
from pages.commands.shared.options import (
    DatasetOption,
    KindsBatteryOption,
    KindsOption,
    MaxSummariesOption,
    PairsArgument,
    SeedOption,
)

EXAMPLE = "python cli.py perturb pairs.jsonl --kind negation -o variants.jsonl"


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair and kind.")],
    kind: KindsOption = None,
    battery: KindsBatteryOption = "",
    pairs: PairsArgument = None,
    dataset: DatasetOption = None,
    most: MaxSummariesOption = None,
    seed: SeedOption = 0,
    of: Annotated[
        Literal["summary", "document"],
        typer.Option(
            help="The text to perturb. With document the summary stays, and a line has no label: whether it is consistent with another "
            "document is not known."
        ),
    ] = "summary",
    balance: Annotated[
        bool, typer.Option("--balance", help="Write as many errors of each type as the rarest has, drawn by the seed.")
    ] = False,
) -> None:
    """Write a variant of every summary of a file for each kind of perturbation; the same seed gives the same variants.

    Says of how many summaries each kind could make one. Kinds by rule need no model; those that end with -llm need an endpoint, or a
    model of this machine (paraphrased-llm[model=local:FOLDER]), and synonyms take WordNet too where it is installed. Three ask models
    of this machine: voice a parser, masked-word[checkpoint=FOLDER], back-translation[there=FOLDER,back=FOLDER].
    """
    refusals: list[Refusal] = []
    print_own_words(kind or ())
    kinds, signature = named_kinds(kind or (), battery)
    plan = Plan.of(name_of_input(pairs, dataset, output), kinds, (), seed, battery=signature)
    sources = read_sources(pairs, dataset, most, seed, refusals, with_inconsistent=pairs is not None)
    by_id = {source.example.id: source for source in sources}
    run = new_run(plan, [document_source(source) for source in sources] if of == "document" else sources)
    record = document_variant_record if of == "document" else variant_record
    with closing(Engine.open(Settings.read())) as engine, open_output(output) as file:
        download_models(engine.pool, kinds)
        variants = (record for record in continue_run(engine, run) if isinstance(record, Variant))
        for variant in balanced_variants(variants, seed) if balance else variants:
            file.write(json_line(record(by_id[variant.source], variant)))
    print_status(f"Battery: {plan.battery_label}.")
    print_status(table_text(kinds_table(kind_coverage(run)), titled=False))
    sentences = refusal_sentences(kind_coverage(run))
    if sentences and of == "document":
        print_status("In the reasons below “summary” is the document, which was perturbed in its place.")
    for sentence in sentences:
        print_status(sentence)
    exit_with_failures(refusals, run.failed)
