"""`cli.py train`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from annotations.exchange.labelled_items import benchmark_items, load_labelled_items
from annotations.store.store import Store
from core.data import Bundled, Refusal
from core.edits import STANDARD_BATTERY, read_battery
from core.errors import TouchstoneError
from core.evaluation import (
    PACKAGED_ENCODER,
    EncoderSetting,
    Recipe,
    StressSource,
    TrainingPlan,
    TrainingSource,
    check_folder,
    describe,
    learning_curve,
    train_to_folder,
    verdict,
)
from core.models import TrainingStep
from core.results import bundled_run_lines, run_from_lines
from core.scoring import Engine
from core.settings import Settings
from core.types import T
from pages.commands.shared.inputs import read_items, read_lines
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import BatteryOption, SeedOption

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
    curve: Annotated[bool, typer.Option("--learning-curve", help=_CURVE)] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would be learned from.")] = False,
) -> None:
    """Train a metric on labelled summaries, and judge it on documents that it did not learn from."""
    check_folder(to)
    named_battery = read_battery(battery)
    tests = set(include_test or ())
    if unknown := tests - set(data):
        raise TouchstoneError(f"--include-test names {', '.join(sorted(unknown))}, and DATA is {', '.join(data)}.")
    refusals: list[Refusal] = []
    sources = [_source(name, name in tests, refusals) for name in data]
    title = f"A metric trained on {', '.join(source.name for source in sources)}"  # no path of this machine
    setting = EncoderSetting(encoder, max_tokens, lora)
    stress = _stress_source(robust) if robust else None
    plan = TrainingPlan(sources, corruptions, seed, recipe, title, setting, named_battery, stress)
    learned = plan.data()
    for name, counts in describe(learned).items():
        listed = ", ".join(f"{key}: {number}" for key, number in counts.items()) if isinstance(counts, dict) else counts
        if listed:
            typer.echo(f"{name:10} {listed}")
    typer.echo(f"{'battery':10} {plan.battery.signature}")
    if curve or not preview:
        with closing(Engine.open(Settings.read())) as engine:
            if curve:
                for point in _watch(learning_curve(plan, learned, to, engine)):
                    typer.echo(point.text)
            if not preview:
                trained = _watch(train_to_folder(plan, learned, to, engine))
                for figure in trained.figures:
                    typer.echo(f"{figure.of}: {figure.measure} {figure.text} (n = {figure.estimate.n})")
                typer.echo(verdict(trained.figures))
                typer.echo(f"Use it as {trained.spec}; its card is {trained.folder / 'README.md'}.")
    if refusals:
        raise typer.Exit(2)


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
    """Prints a line for each tenth of a stage, and the loss where there is one."""
    printed = ("", 0)
    while True:
        try:
            step = next(run)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # typeshed has Any for it
        now = (step.stage, 10 * step.done // max(1, step.total))
        if now != printed or step.loss is not None:
            loss = "" if step.loss is None else f": log loss {step.loss:.4f} on held-out documents"
            print_status(f"{step.stage} ({step.done} of {step.total}){loss}")
            printed = now
