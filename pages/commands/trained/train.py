"""`cli.py train`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from annotations.exchange.labelled_items import benchmark_items, load_labelled_items
from annotations.store.store import Store
from core.data import Bundled, Refusal
from core.edits import STANDARD_BATTERY, read_battery
from core.errors import TouchstoneError, UnknownNameError
from core.evaluation import (
    PACKAGED_ENCODER,
    EncoderSetting,
    Recipe,
    StressSource,
    Teacher,
    TeacherRun,
    TrainedFolder,
    TrainingData,
    TrainingPlan,
    TrainingSource,
    add_scores,
    check_folder,
    describe,
    learning_curve,
    parse_target,
    read_scores,
    released_names,
    train_to_folder,
    verdict,
)
from core.models import TrainingStep
from core.results import bundled_run_lines, format_duration, run_from_lines
from core.scoring import Engine
from core.settings import Settings
from core.types import T
from pages.commands.shared.inputs import read_items, read_lines
from pages.commands.shared.messages import download_models, print_spent, print_status
from pages.commands.shared.options import BatteryOption, SeedOption

_SHORT_S = 10.0
EXAMPLE = "python cli.py train bump-task1 --to models/own"

_DATA = (
    "JSONL or CSV with document, summary, label and, of an edit, edited_summary, whose label it then is; or what `datasets` lists: an imported dataset, a "
    "campaign, the pairs that you kept; or bundled. Several are put together."
)
_TO = "The folder to write: weights, model card, hashes of the documents."
_RECIPE = (
    "words: features of each word and boosted trees; cross-encoder: an encoder that reads document and sentence together; "
    "shallow: six features of the surface."
)
_ENCODER = "Of a cross-encoder: a folder, or owner/name on the hub, which is downloaded. The default is packaged."
_MAX_TOKENS = (
    "Of a cross-encoder: tokens of document and sentence together, as far as the encoder reads; of a longer document it reads "
    "what is closest to the sentence."
)
_LORA = "Of a cross-encoder: train low-rank updates only; needs the package peft."
_CORRUPTIONS = (
    "The share of corruptions, inventions and harmless edits by rule, also of the bundled texts, among all summaries."
)
_ROBUST = (
    "Harden a cross-encoder by a run that `stress` wrote, or bundled: draw the scores of originals and of their harmless variants "
    "together, and those of their broken ones apart. It is trained without the run as well, to compare with. Documents of imported "
    "benchmarks are left out of the run, and both trainings are judged on them."
)
_INCLUDE_TEST = (
    "Learn from all of this data, one of DATA, although it is marked as test or a paper's tables rest on it. It is then no test "
    "of the metric: the card says so, and Evaluate stars it. Repeat it for several."
)

_TEACHER = (
    "Learn the verdicts of a teacher in place of labels, which DATA then need not have: a metric or judge, name[setting=value,…], that "
    "scores all pairs and the corruptions of them; a score of DATA by its name; or SCORES.jsonl:METRIC with a file that `score` "
    "wrote. What it has scored is kept in FOLDER and never asked twice. The card has both beside the labels of people, if there are any."
)
_TEACHER_CUT = (
    "The score of the teacher from which on a summary is consistent (up to which, where lower is better). By default the best "
    "one by the labels of people in DATA, else the best one between corruptions and harmless edits; it is printed."
)
_TEACHER_BUDGET = "Money that the teacher may cost at endpoints, with what it has cost before. Nothing is asked where the estimate is higher or unknown."
_CURVE = (
    "Show first what a quarter, half and all of the labelled documents give on held-out ones: features are read once, and trees, or the "
    "surface, fitted again. Not of a cross-encoder."
)


def command(
    data: Annotated[list[str], typer.Argument(help=_DATA)],
    to: Annotated[Path, typer.Option("--to", help=_TO)],
    recipe: Annotated[Recipe, typer.Option(help=_RECIPE)] = "words",
    encoder: Annotated[str, typer.Option(help=_ENCODER)] = PACKAGED_ENCODER.encoder,
    max_tokens: Annotated[int, typer.Option(min=32, help=_MAX_TOKENS)] = PACKAGED_ENCODER.max_tokens,
    lora: Annotated[bool, typer.Option("--lora", help=_LORA)] = False,
    corruptions: Annotated[float, typer.Option(min=0, max=0.99, help=_CORRUPTIONS)] = 0.5,
    battery: BatteryOption = STANDARD_BATTERY,
    seed: SeedOption = 0,
    robust: Annotated[str, typer.Option(metavar="RUN", help=_ROBUST)] = "",
    include_test: Annotated[list[str] | None, typer.Option(metavar="DATA", help=_INCLUDE_TEST)] = None,
    teacher: Annotated[str, typer.Option(metavar="NAME", help=_TEACHER)] = "",
    teacher_cut: Annotated[float | None, typer.Option(metavar="SCORE", help=_TEACHER_CUT)] = None,
    teacher_budget: Annotated[float | None, typer.Option(metavar="MONEY", min=0, help=_TEACHER_BUDGET)] = None,
    curve: Annotated[bool, typer.Option("--learning-curve", help=_CURVE)] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would be learned from.")] = False,
) -> None:
    """Train a metric on labelled summaries, or on the verdicts of a teacher, and judge it on documents that it did not learn from."""
    check_folder(to)
    if not teacher and (teacher_cut is not None or teacher_budget is not None):
        raise TouchstoneError("--teacher-cut and --teacher-budget are of a teacher. Name it with --teacher.")
    named_battery = read_battery(battery)
    tests = set(include_test or ())
    if unknown := tests - set(data):
        raise TouchstoneError(f"--include-test names {', '.join(sorted(unknown))}, and DATA is {', '.join(data)}.")
    refusals: list[Refusal] = []
    sources = [_source(name, name in tests, refusals) for name in data]
    title = f"A metric trained on {', '.join(source.name for source in sources)}"  # no path of this machine
    setting = EncoderSetting(encoder, max_tokens, lora)
    stress = _stress_source(robust) if robust else None
    named_teacher = None
    if teacher:
        sources, named_teacher = _named_teacher(teacher, teacher_cut, teacher_budget, sources)
        title = f"{title}, as {named_teacher.shown} judges"
    plan = TrainingPlan(sources, corruptions, seed, recipe, title, setting, named_battery, stress, named_teacher)
    _run(plan, to, preview=preview, curve=curve)
    if refusals:
        raise typer.Exit(2)


def _run(plan: TrainingPlan, folder: Path, *, preview: bool, curve: bool) -> None:
    """Print what would be learned from, and where more than a preview is wanted compute the curve and train."""
    asks = plan.asks_teacher
    if preview and not (asks or curve):
        _print_data(plan, plan.data())
        return
    settings = Settings.read()
    with closing(Engine.open(settings)) as engine:
        if asks:
            run = plan.teacher_run(folder, engine)
            _print_teacher(run, settings)
            if preview and not curve:
                return
            learned = _watch(plan.taught_data(run))
        else:
            learned = plan.data()
        _print_data(plan, learned)
        if curve:
            for point in _watch(learning_curve(plan, learned, folder, engine)):
                typer.echo(point.text)
        if not preview:
            _print_trained(_watch(train_to_folder(plan, learned, folder, engine)))
        print_spent(engine.spent())


def _print_data(plan: TrainingPlan, learned: TrainingData) -> None:
    for name, counts in describe(learned).items():
        listed = ", ".join(f"{key}: {number}" for key, number in counts.items()) if isinstance(counts, dict) else counts
        if listed:
            typer.echo(f"{name:10} {listed}")
    typer.echo(f"{'battery':10} {plan.battery.signature}")
    if learned.taught:
        typer.echo(f"{'teacher':10} {learned.taught.sentence}")


def _print_teacher(run: TeacherRun, settings: Settings) -> None:
    """Print what the teacher is to score, with its price and time, before it is asked."""
    download_models(run.engine.pool, [run.metric])
    for sentence in run.estimate(settings):
        typer.echo(sentence)
    if run.left_out:
        typer.echo(f"Left out: {', '.join(f'{number} {reason}' for reason, number in run.left_out.items())}.")


def _print_trained(trained: TrainedFolder) -> None:
    for figure in trained.figures:
        typer.echo(f"{figure.of}: {figure.measure} {figure.text} (n = {figure.estimate.n})")
    typer.echo(verdict(trained.figures))
    typer.echo(f"Use it as {trained.spec}; its card is {trained.folder / 'README.md'}.")


def _named_teacher(
    name: str, cut: float | None, budget: float | None, sources: Sequence[TrainingSource]
) -> tuple[list[TrainingSource], Teacher]:
    """The teacher, and the sources with its scores where these lie in a file. Scores of the data go before a metric of the same name."""
    items = [item for source in sources for item in source.items]
    if name in released_names(items):
        return list(sources), Teacher(name, True, cut, budget)
    if any(Path(name[:place]).is_file() for place, letter in enumerate(name) if letter == ":"):
        target = parse_target(name)
        assert target.scores
        scores = read_scores(target.scores, target.name)
        with_scores = [replace(source, items=add_scores(source.items, target.name, scores)) for source in sources]
        return with_scores, Teacher(target.name, True, cut, budget)
    teacher = Teacher(name, False, cut, budget)
    try:
        teacher.metric()
    except UnknownNameError as error:
        named = ", ".join(released_names(items)) or "none"
        raise TouchstoneError(
            f"{error} A teacher may also be a score of the data: {named}; or SCORES.jsonl:METRIC."
        ) from error
    return list(sources), teacher


def _source(name: str, include_test: bool, refusals: list[Refusal]) -> TrainingSource:
    if Path(name).exists():
        return TrainingSource(Path(name).name, list(read_items(Path(name), refusals)), include_test=include_test)
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        dataset = load_labelled_items(store, name)
    return TrainingSource(dataset.name, dataset.items, dataset.importer, dataset.licence, include_test)


def _stress_source(name: str) -> StressSource:
    lines = bundled_run_lines() if name == Bundled.name else read_lines(Path(name))
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        benchmarks = benchmark_items(store)
    return StressSource(Path(name).name, run_from_lines(line for line in lines if line), benchmarks)


def _watch(run: Generator[TrainingStep, None, T]) -> T:
    """Prints a line for each tenth of a stage, with the time that is left of it, and the loss where there is one."""
    printed, begun = ("", 0), (0, monotonic())
    while True:
        try:
            step = next(run)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # typeshed has Any for it
        now = (step.stage, 10 * step.done // max(1, step.total))
        if step.stage != printed[0]:
            begun = (step.done, monotonic())
        if now != printed or step.loss is not None:
            loss = "" if step.loss is None else f": log loss {step.loss:.4f} on held-out documents"
            print_status(f"{step.stage} ({step.done} of {step.total}{_remaining(step, *begun)}){loss}")
            printed = now


def _remaining(step: TrainingStep, first: int, begun: float) -> str:
    """The time that the rest of a stage takes at its pace so far; "" where that is short or not known."""
    done = step.done - first
    seconds = (monotonic() - begun) / done * (step.total - step.done) if done > 0 else 0.0
    return f", about {format_duration(seconds)} left" if seconds >= _SHORT_S else ""
