"""`cli.py stress`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from core.assessment import default_metrics
from core.base import profile_names, read_profile
from core.data import Refusal
from core.edits import Perturbation, named_kinds
from core.errors import TouchstoneError
from core.evaluation import GamingStudy, Report, Shifts, Study, StudyData, for_each_metric, report_json, report_text
from core.results import (
    VARIANT_FILTERS,
    ImportedVariants,
    Plan,
    StressRun,
    append_records,
    continue_run,
    filter_variants,
    missing_conversations,
    open_run_file,
    read_variants,
)
from core.scoring import METRICS, NLI_CHECKS, Engine, Metric, NliCheck
from core.settings import Settings
from pages.commands.shared.dataset_inputs import full_reference, read_sources
from pages.commands.shared.inputs import name_of_input, new_run, open_shard, report_refusals
from pages.commands.shared.messages import (
    download_models,
    exit_with_failures,
    print_estimate,
    print_own_words,
    print_status,
    show_run_progress,
)
from pages.commands.shared.options import (
    DatasetOption,
    DeviceOption,
    KindsBatteryOption,
    KindsOption,
    MaxSummariesOption,
    PairsArgument,
    SeedOption,
    ShardOption,
    WithInconsistentOption,
)

EXAMPLE = "python cli.py stress pairs.jsonl --metric rouge2 --kind shuffled --kind negation -o run.jsonl"

_NO_CHECK = "none"
_ALSO: tuple[Study, ...] = (Shifts(view="discrimination"), GamingStudy())
"""Studies whose reports follow where the run has figures of them."""


def command(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The run, JSONL; one that was interrupted is continued.")
    ],
    metric: Annotated[
        list[str] | None, typer.Option(help="name or name[setting=value,…]; by default all that are ready.")
    ] = None,
    pairs: PairsArgument = None,
    dataset: DatasetOption = None,
    most: MaxSummariesOption = None,
    with_inconsistent: WithInconsistentOption = False,
    variants: Annotated[
        Path | None,
        typer.Option(
            help="Instead of pairs and kinds: a table (CSV, TSV, JSONL) of variants that were made elsewhere, with document, "
            "original, variant, kind and intent (preserving, breaking or gaming)."
        ),
    ] = None,
    kind: KindsOption = None,
    battery: KindsBatteryOption = "",
    seed: SeedOption = 0,
    nli_check: Annotated[
        str,
        typer.Option(
            help="What checks that harmless variants do not contradict: entailment, entailment-label (as 2511.07689), language-model, or none; with settings."
        ),
    ] = _NO_CHECK,
    paper: Annotated[
        str, typer.Option(help=f"Kinds and check of a paper, where none are named: {', '.join(profile_names())}.")
    ] = "",
    leave_out: Annotated[
        list[str] | None,
        typer.Option(help=f"Variants that do not count in the table: {', '.join(VARIANT_FILTERS)}; may be repeated."),
    ] = None,
    device: DeviceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report of `study shifts` as one JSON object.")] = False,
    shard: ShardOption = "0/1",
    guard: Annotated[str, typer.Option(hidden=True, help="The name of --nli-check before version 0.2.")] = _NO_CHECK,
) -> None:
    """Perturb every summary of a file, score all of it, and report which metrics move when they should not."""
    if variants and any((pairs, dataset, kind, battery, paper)):
        raise TouchstoneError(
            "--variants brings its own pairs and kinds. Leave out the file of pairs, --dataset, --kind, --battery and --paper."
        )
    name, settings = name_of_input(variants or pairs, dataset, output), Settings.read()
    own_kinds = kind
    kind, nli_check = _fill_from_paper(paper, kind, nli_check if guard == _NO_CHECK else guard)
    print_own_words([*(kind or ()), nli_check])
    refusals: list[Refusal] = []
    with closing(Engine.open(settings.on(device))) as engine:
        metrics = [METRICS.parse(spec) for spec in metric or [line.name for line in default_metrics(engine.pool)]]
        imported = _read_table(variants, refusals) if variants else None
        if paper and not own_kinds:
            kind = for_each_metric(kind or [], metrics)
        kinds, signature = (imported.kinds, "") if imported else named_kinds(kind or (), battery)
        check = None if nli_check == _NO_CHECK else NLI_CHECKS.parse(nli_check)
        plugins: list[Metric | Perturbation | NliCheck] = [*metrics, *kinds, *filter(None, [check])]
        part = open_shard(shard, pairs, [model for plugin in plugins for model in plugin.checkpoints()])
        plan = replace(Plan.of(name, kinds, metrics, seed, check, signature), dataset=full_reference(dataset))
        filter_variants(StressRun(plan), leave_out or ())  # a wrong name fails before the work, not after it
        if imported:
            planned = imported.fill(StressRun(plan))
        else:
            sources = read_sources(
                pairs, dataset, most, seed, refusals, with_inconsistent=with_inconsistent, shard=part
            )
            planned = new_run(plan, sources)
        run = open_run_file(output, planned)
        download_models(engine.pool, plugins)
        print_estimate(engine, missing_conversations(engine, run))
        show_run_progress(run, append_records(output, continue_run(engine, run)))
    left_out = tuple(leave_out or ())
    data = StudyData(run=run, run_name=str(output), counting=filter_variants(run, left_out), left_out=left_out)

    report = Shifts().run(data)
    if as_json:
        typer.echo(report_json(report))
    else:
        reports = [report, *filter(None, (_report_where_fitting(study, data) for study in _ALSO))]
        typer.echo("\n\n".join(map(report_text, reports)))
    print_status(f"Battery: {run.plan.battery_label}.")
    for problem in report.problems:
        print_status(problem)
    exit_with_failures(refusals, run.failed + run.without_value)


def _report_where_fitting(study: Study, data: StudyData) -> Report | None:
    """The report of a study; None where the study is not one of such data."""
    try:
        return study.run(data)
    except TouchstoneError:
        return None


def _fill_from_paper(paper: str, kinds: list[str] | None, nli_check: str) -> tuple[list[str] | None, str]:
    """The kinds and the check that are named, or else those of a paper where one is."""
    if not paper:
        return kinds, nli_check
    profile = read_profile(paper)
    if nli_check == _NO_CHECK and profile.nli_check:
        nli_check = f"{profile.nli_check}@{paper}"
    return kinds or profile.kinds, nli_check


def _read_table(variants: Path, refusals: list[Refusal]) -> ImportedVariants:
    """The variants of a table; what could not be read is printed and added to `refusals`."""
    table = read_variants(variants)
    list(report_refusals(iter(table.refusals), variants, refusals))
    return table
