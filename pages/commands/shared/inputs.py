"""The files that commands read and write, and the models that they ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

from core.base import open_whole
from core.data import Pairs, Refusal
from core.errors import TouchstoneError
from core.evaluation import parse_judge, require_panel
from core.model_reference import EndpointModel, ModelRef
from core.models import Sampling, configured_endpoint, resolve_model
from core.results import WHOLE, Folder, Plan, Shard, Source, StressRun, read_blocks, refuse_divided_budget
from core.scoring import Engine
from core.types import Example, Item, T
from pages.commands.shared.messages import download_checkpoints, print_status

_PRINTED_REFUSALS = 20


def open_sampling(engine: Engine, model: str, endpoint: str, temperature: float, sample: int) -> Sampling:
    """Model that a command asks, its weights downloaded where it is one of this machine.

    Raises TouchstoneError where nobody can be asked.
    """
    sampling = Sampling(resolve_model(model, endpoint), temperature, sample=sample, endpoint=endpoint)
    if isinstance(sampling.asked, EndpointModel):
        configured_endpoint(endpoint)
    download_checkpoints(engine.pool, [sampling.asked])
    return sampling


def open_panel(
    engine: Engine, named: Sequence[str], single: str, temperature: float, sample: int
) -> tuple[Sampling, ...]:
    """The same for a panel of judges; `single` is what was named of a single model, "" for nothing."""
    if single:
        raise TouchstoneError(
            f"--judge names the whole panel, and {single} was named besides. Leave one of the two out."
        )
    judges = tuple(parse_judge(name, temperature, sample) for name in named)
    require_panel(judges)
    download_checkpoints(engine.pool, [judge.asked for judge in judges])
    return judges


def refuse_overwriting_input(source: Path, output: Path) -> None:
    if output.exists() and source.exists() and output.samefile(source):
        raise TouchstoneError(f"{output} is the file of pairs itself, which would be lost. Name another with -o.")


def start_reading(records: Iterator[T]) -> Iterator[T]:
    """The same, the first of them read: a file that cannot be read is refused before anything is overwritten."""
    return chain(list(islice(records, 1)), records)


@contextmanager
def open_output(output: Path) -> Iterator[TextIO]:
    """A text to write, which has its name once it is whole; until then, and where it is interrupted, it is NAME.part."""
    with open_whole(output) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.detach()


def read_bytes(file: Path, advice: str) -> bytes:
    """The content of a file. Raises TouchstoneError, with the advice, for one that cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise TouchstoneError(f"{file} cannot be read: {error.strerror}. {advice}") from error


def read_lines(source: Path) -> list[str]:
    try:
        return source.read_text(encoding="utf-8-sig").split("\n")  # U+2028 and the like end no row
    except (OSError, UnicodeDecodeError) as error:
        raise TouchstoneError(f"{source} cannot be read: {error}. Name another file.") from error


def read_examples(source: Path, refusals: list[Refusal]) -> Iterator[Example]:
    return (item.example for item in read_items(source, refusals))


def read_items(source: Path, refusals: list[Refusal], shard: Shard = WHOLE) -> Iterator[Item]:
    return report_refusals(items_or_refusals(source, shard), source, refusals)


def items_or_refusals(source: Path, shard: Shard = WHOLE) -> Iterator[Item | Refusal]:
    """The pairs of a file, or of a shard of a folder of blocks."""
    return read_blocks(Folder.at(str(source)), shard) if source.is_dir() else Pairs().read(source)


def open_shard(text: str, source: Path | None, models: Iterable[ModelRef]) -> Shard:
    """The part of a source that `text` names. Raises TouchstoneError where the source has no parts, or a budget would be divided."""
    shard = Shard.parse(text)
    if shard != WHOLE and not (source and source.is_dir()):
        raise TouchstoneError("--shard takes a part of a folder of blocks. Make one: cli.py blocks PAIRS FOLDER")
    refuse_divided_budget(models, divided=shard != WHOLE)
    return shard


def report_refusals(records: Iterable[T | Refusal], source: Path, refusals: list[Refusal]) -> Iterator[T]:
    """Records that could be read of a file; refusals are added to `refusals`, and the first ones printed, with the number of the others."""
    before = len(refusals)
    for record in records:
        if not isinstance(record, Refusal):
            yield record
            continue
        refusals.append(record)
        if len(refusals) - before <= _PRINTED_REFUSALS:
            print_status(f"{source}, line {record.line}: {record.error}")
    if (further := len(refusals) - before - _PRINTED_REFUSALS) > 0:
        print_status(f"{source}: further lines that cannot be read: {further:,}.")


def name_of_input(pairs: Path | None, dataset: str | None, output: Path) -> str:
    """Name of a run: that of the file or the dataset, of which one must be given."""
    if (pairs is None) == (dataset is None):
        raise TouchstoneError("Name a file of pairs, or an imported dataset with --dataset: one of the two.")
    if pairs:
        refuse_overwriting_input(pairs, output)
    return pairs.name if pairs else dataset or ""


def new_run(plan: Plan, sources: Iterable[Source]) -> StressRun:
    run = StressRun(plan)
    for source in sources:
        run.add(source)
    return run
