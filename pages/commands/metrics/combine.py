"""`cli.py combine`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.base import write_whole
from core.errors import TouchstoneError
from core.evaluation import Combine, StudyData, cascade_entry, combination_entry, report_text
from core.model_reference import asks_endpoint
from core.results import Cascade, Level, affordable_resamples
from core.scoring import (
    METRICS,
    TIMED_EXAMPLES,
    Engine,
    combination_class,
    entry_toml,
    require_free_name,
    save_entry,
    score_seconds,
    scores_of_outcomes,
)
from core.settings import Settings
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption
from pages.commands.shared.text_scoring import labelled_cases, open_score_store, score_texts
from pages.sources.audit_data import open_audit_data

EXAMPLE = "python cli.py combine rouge2 word-support semantic-similarity --data labelled.jsonl --name my-mix"


def command(
    members: Annotated[list[str], typer.Argument(help="Metrics, each name or name[setting=value,…].")],
    data: Annotated[
        list[str], typer.Option(help="Labelled data: datasets, campaigns, own labels, bundled, or a file of pairs.")
    ],
    name: Annotated[
        str, typer.Option(help="Save it as a metric of this name; without one only the report is printed.")
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write its table to this file for --plugin, and add nothing here."),
    ] = None,
    costs: Annotated[
        str,
        typer.Option(
            help="Cost of a score by member, as word-support=2,rouge2=0.1, in any unit; a member that is not named costs 1. Without "
            "any it is measured: seconds on this machine, unless a member asks an endpoint."
        ),
    ] = "",
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Ask the dearest member only where the others leave it open.")
    ] = False,
    budget: Annotated[
        float,
        typer.Option(
            min=0, help="Mean cost of a summary that the cascade may take; 0 for the cheapest that is as good."
        ),
    ] = 0.0,
    level: Annotated[
        Level,
        typer.Option(
            help="Fit the weights to scores of summaries or of their sentences, with labels of summaries; by default whichever is better, cross-fitted."
        ),
    ] = "better",
    device: DeviceOption = None,
) -> None:
    """Combine metrics to one by labelled data, show what that gains over the best of them, and save it as a metric."""
    parsed, settings = [METRICS.parse(member) for member in members], Settings.read().on(device)
    if output and (not name or output.suffix != ".toml"):
        raise TouchstoneError(
            f"Name the metric, and a file that ends in .toml: --name my-mix -o my-mix.toml; got {output}."
        )
    if neutral := [metric.spec for metric in parsed if metric.card.direction == "neutral"]:
        raise TouchstoneError(f"{', '.join(neutral)}: a metric without a better side is no member of a combination.")
    if cascade and len(parsed) < 2:
        raise TouchstoneError("A cascade takes two members or more.")
    if name:
        require_free_name(name, settings.metrics_dir)  # before hours of scoring
    with (
        closing(open_score_store(settings)) as store,
        closing(Engine.open(settings)) as engine,
    ):
        audit_data = open_audit_data(store, data, None, 0)
        outcomes = score_texts(engine, parsed, audit_data.texts)
        scored = labelled_cases(audit_data, parsed, outcomes)
    if not costs and not any(asks_endpoint(metric.checkpoints()) for metric in parsed):  # a measurement is not paid for
        seconds = score_seconds(settings, parsed, audit_data.texts)
        costs = ",".join(f"{member}={of:g}" for member, of in seconds.items())
        print_status(f"Costs are seconds for a score, measured on {TIMED_EXAMPLES} summaries: {costs}")
    study = Combine(costs=costs, budget=budget, level=level)
    of_study = StudyData(
        tuple(data),
        scored,
        resamples=affordable_resamples(scored),
        sentence_scores=scores_of_outcomes(outcomes, {column.name: column.signature for column in scored.columns}),
    )
    typer.echo(report_text(study.run(of_study)))
    if not name:
        return
    combining = study.levels(of_study).at(level)
    entry = combination_entry(name, combining, scored, f"{len(combining.labels):,} labels of {', '.join(data)}")
    if cascade:
        entry = cascade_entry(entry, Cascade(combining), budget)
    if output:
        write_whole(output, entry_toml(entry))
        place, use = output, f" --plugin {output}"
    else:
        place, use = save_entry(entry, combination_class(entry), settings.metrics_dir), ""
    print_status(
        f"{place} has the metric. Score with: python cli.py score pairs.jsonl --metric {name}{use} -o scores.jsonl"
    )
