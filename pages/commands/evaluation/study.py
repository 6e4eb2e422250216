"""`cli.py study`: Run a study on labelled, scored or perturbed summaries; each is a command with its own settings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from core.data import Refusal
from core.errors import TouchstoneError
from core.evaluation import (
    FORMS,
    STUDIES,
    Input,
    Study,
    StudyData,
    current_spec,
    report_json,
    report_text,
    setting_help,
    write_report,
)
from core.registry import choices_of, settings_of, types_of
from core.results import (
    SLICE_FIELDS,
    VARIANT_FILTERS,
    affordable_resamples,
    filter_variants,
    read_pool_labels,
    run_from_lines,
    select_metrics,
    select_pool_metrics,
    with_labels,
)
from core.scoring import METRICS, Engine
from core.settings import Settings
from core.stats import RESAMPLES, projected_seconds
from pages.commands.shared.dataset_inputs import (
    read_dataset_items,
    read_pool,
    read_samples,
    read_scored_samples,
    read_sentence_scores,
    version_references,
)
from pages.commands.shared.inputs import read_items, read_lines
from pages.commands.shared.messages import download_models, exit_with_failures, print_status, with_progress
from pages.commands.shared.options import DeviceOption, example_epilog

EXAMPLE = "python cli.py study measures --dataset bump-task1 --by error_type"

_DATASETS = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset", help="One of those that `datasets` lists, NAME@2 for version 2; several are put together."
    ),
]
_RESULTS = Annotated[
    list[str] | None, typer.Option(help="Instead or besides: a folder of results that `score BLOCKS --to` wrote.")
]
_BY = Annotated[
    str | None,
    typer.Option(help=f"Slices besides Overall, by one field or by two with a comma: {', '.join(SLICE_FIELDS)}."),
]
_METRICS = Annotated[
    list[str] | None, typer.Option("--metric", help="Only this metric of those with scores; may be repeated.")
]
_SPECS = Annotated[list[str], typer.Option("--metric", help="name or name[setting=value,…]; may be repeated.")]
_RESAMPLES = Annotated[
    int | None,
    typer.Option(
        min=1, help="Of the documents, for the intervals; by default 10,000, for more than 5,000 summaries fewer."
    ),
]
_RUN = Annotated[Path, typer.Argument(help="A run that `stress` wrote.")]
_OPTIONAL_RUN = Annotated[Path | None, typer.Argument(help="A run that `stress` wrote.")]
_LEAVE_OUT = Annotated[
    list[str] | None,
    typer.Option(help=f"Variants of the run that do not count: {', '.join(VARIANT_FILTERS)}; may be repeated."),
]
_PAIRS = Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary and edits.")]
_FILES_HELP = "What `judge` wrote of explanations that people graded, too."
_FILES = Annotated[list[Path], typer.Argument(help=_FILES_HELP)]
_OPTIONAL_FILES = Annotated[list[Path] | None, typer.Argument(help=_FILES_HELP)]
_JSON = Annotated[bool, typer.Option("--json", help="One JSON object instead of text; shares in 0..1.")]
_LABELS = Annotated[
    Path | None,
    typer.Option(
        help="A file of labels in place of those of the data: id, label, and where known selection_probability, error_type and group."
    ),
]
_TO = Annotated[
    list[Path] | None,
    typer.Option(
        "--to", help=f"Write the report to a file as well, by its ending: {', '.join(FORMS)}; may be repeated."
    ),
]


_EXAMPLE_DATA = {
    Input.RUN: "run.jsonl",
    Input.PAIRS: "pairs.jsonl --metric rouge2",
    Input.FILES: "grades.jsonl",
    Input.SAMPLES: "--dataset bump-task1",
    Input.SCORES: "--dataset bump-task1",
    Input.SENTENCES: "--dataset bump-task1",
    Input.ITEMS: "--dataset bump-task1",
    Input.POOL: "--dataset bump-task1",
}


class StudyCommands(TyperGroup):
    """The studies by name; one is built when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # they depend on no context
        return STUDIES.names()

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand:  # noqa: ARG002  # as above
        current = current_spec(cmd_name)
        if current != cmd_name:
            study = STUDIES.parse(current)
            raise TouchstoneError(f"`study {cmd_name}` is `study {study.name} --view {study.view_name}` now.")
        return study_command(STUDIES.get(cmd_name))


command = StudyCommands(
    name="study", rich_markup_mode=None, help=(__doc__ or "").partition(": ")[2], no_args_is_help=True
)


def study_example(study: type[Study]) -> str:
    """A command line that runs a study on data of the kind that it takes."""
    kinds = study.takes or study.may_take[:1]
    data = " ".join(_EXAMPLE_DATA[kind] for kind in kinds)
    return f"python cli.py study {study.name} {data}"


def study_command(study: type[Study]) -> TyperCommand:
    """The command of a study: its data, its settings, and the form of the report."""

    def run(**options: Any) -> None:
        instance = STUDIES.build(study.name, {name: options.pop(name) for name in settings_of(study)})
        as_json, files = options.pop("as_json"), options.pop("to") or []
        refusals: list[Refusal] = []
        with _opened_data(instance, options, refusals) as data:
            cases = None if instance.scores_texts else data.cases
            if cases is not None and data.resamples > 2 * affordable_resamples(cases):  # more than a person waits for
                seconds = projected_seconds(
                    data.resamples, lambda number: instance.run(replace(data, resamples=number))
                )
                print_status(
                    f"{data.resamples:,} resamples of {len(cases.samples):,} summaries will take about {seconds / 60:.1f} minutes."
                )
            report = instance.run(data)
        for problem in report.problems:
            print_status(problem)
        typer.echo(report_json(report) if as_json else report_text(report))
        for file in files:
            for path in write_report(report, file):
                print_status(f"Wrote {path}")
        exit_with_failures(refusals, failed=0)
        if report.alarm:
            raise typer.Exit(1)

    options = _data_options(study)
    for name, field in settings_of(study).items():
        choices, low, high = (field.metadata[key] for key in ("choices", "low", "high"))
        hint = types_of(study)[name]
        if choices and not choices_of(hint):
            hint = Literal[choices]
        number = {"min": low, "max": high} if hint in (int, float) else {}
        options[name] = (Annotated[hint, typer.Option(help=setting_help(field), **number)], field.default)
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in {**options, **_FORM_OPTIONS}.items()
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads the options from it
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(study.name, help=study.does, epilog=example_epilog(study_example(study)))(run)
    built = get_command(app)
    if not isinstance(built, TyperCommand):
        raise TypeError(f"{study.name} is no single command.")
    return built


_Option = tuple[Any, Any]
"""The annotation of a parameter for typer, and its default."""

_REQUIRED = inspect.Parameter.empty
_DATA_OPTIONS: tuple[tuple[str, set[Input], _Option], ...] = (
    ("pairs", {Input.PAIRS}, (_PAIRS, _REQUIRED)),
    ("dataset", {Input.SAMPLES, Input.SCORES, Input.ITEMS, Input.POOL}, (_DATASETS, None)),
    ("results", {Input.SAMPLES, Input.SCORES, Input.POOL}, (_RESULTS, None)),
    ("labels", {Input.POOL}, (_LABELS, None)),
    ("resamples", {Input.SAMPLES, Input.SCORES, Input.FILES}, (_RESAMPLES, None)),
    ("metric", {Input.SCORES, Input.POOL}, (_METRICS, None)),
    ("metric", {Input.PAIRS}, (_SPECS, _REQUIRED)),
)
"""Options by the inputs that want them."""
_FORM_OPTIONS: dict[str, _Option] = {"as_json": (_JSON, False), "to": (_TO, None)}


def _data_options(study: type[Study]) -> dict[str, _Option]:
    inputs = {*study.takes, *study.may_take}
    options = {name: option for name, wanting, option in _DATA_OPTIONS if inputs & wanting}
    if Input.RUN in study.takes:
        options.pop("resamples", None)  # a run has its own
    if Input.RUN in inputs:
        options = {"run": (_RUN, _REQUIRED) if Input.RUN in study.takes else (_OPTIONAL_RUN, None), **options}
        options["leave_out"] = (_LEAVE_OUT, None)
    if Input.FILES in inputs:
        files = (_FILES, _REQUIRED) if Input.FILES in study.takes else (_OPTIONAL_FILES, None)
        options = {"files": files, **options}
    if study.sliced:
        options["by"] = (_BY, None)
    if study.asks:
        options["device"] = (DeviceOption, None)
    return options


@contextmanager
def _opened_data(study: Study, options: dict[str, Any], refusals: list[Refusal]) -> Iterator[StudyData]:
    """The data that the options name, with an engine that is closed at the end where the study asks models."""
    try:
        data = replace(_read_data(study, options, refusals), track=with_progress)
        settings = Settings.read().on(options.get("device"))
        with closing(Engine.open(settings)) if study.scores_texts else nullcontext() as engine:
            if engine:
                specs = data.metric_names or (data.run.plan.metrics if data.run else ())
                download_models(engine.pool, [METRICS.parse(spec) for spec in specs])
            yield replace(data, engine=engine)
    except KeyboardInterrupt:
        remark = " What models answered is kept." if study.scores_texts else ""
        print_status(f"Stopped: there is no report.{remark}")
        raise


def _read_data(study: Study, options: dict[str, Any], refusals: list[Refusal]) -> StudyData:
    """The data that the options name; lines of a file that could not be read are printed and added to `refusals`."""
    inputs = {*study.takes, *study.may_take}
    datasets, results = version_references(options.get("dataset") or []), options.get("results") or []
    data = StudyData(
        by=options.get("by"),
        results=tuple(results),
        metric_names=tuple(options.get("metric") or ()),
        resamples=options.get("resamples") or RESAMPLES,
        files=tuple(options.get("files") or ()),
    )
    if file := options.get("run"):
        run, left_out = run_from_lines(line for line in read_lines(file) if line), options["leave_out"] or ()
        counting = filter_variants(run, left_out)
        data = replace(data, run=run, run_name=str(file), counting=counting, left_out=tuple(left_out))
    if pairs := options.get("pairs"):
        data = replace(data, items={str(pairs): list(read_items(pairs, refusals))})
    if Input.ITEMS in inputs:
        return replace(data, datasets=tuple(datasets), items={name: read_dataset_items(name) for name in datasets})
    if Input.POOL in inputs:
        if not datasets and not results and Input.POOL not in study.takes:
            return data
        pool, labels = read_pool(datasets, results, data.by), options.get("labels")
        pool = select_pool_metrics(with_labels(pool, read_pool_labels(labels)) if labels else pool, data.metric_names)
        return replace(data, datasets=(*datasets, *results), pool=pool, labels_file=str(labels or ""))
    if datasets or results or inputs & {Input.SAMPLES, Input.SCORES} & set(study.takes):
        read = read_scored_samples if Input.SCORES in study.takes else read_samples
        cases = read(datasets, results)
        cases = select_metrics(cases, data.metric_names) if data.metric_names else cases
        data = replace(data, datasets=(*datasets, *results), cases=cases)
        if Input.SENTENCES in inputs:
            data = replace(data, sentence_scores=read_sentence_scores(cases))
        if "resamples" in options:
            number = options["resamples"]
            affordable = affordable_resamples(cases)
            if number is None and affordable < RESAMPLES:
                print_status(
                    f"{affordable:,} resamples instead of {RESAMPLES:,} for {len(cases.samples):,} summaries: --resamples sets "
                    "another number."
                )
            data = replace(data, resamples=number or affordable)
    return data
