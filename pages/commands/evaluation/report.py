"""`cli.py report`."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from annotations.store.store import Store
from core.assessment import (
    FORMS,
    AuditSource,
    PairSource,
    PinChange,
    PinnedPart,
    PinnedReport,
    RecipePart,
    Source,
    basis_of,
    compare,
    read_recipe,
    write_pins,
)
from core.errors import TouchstoneError
from core.scoring import METRICS, Engine
from core.settings import Settings
from pages.commands.shared.inputs import read_lines
from pages.commands.shared.messages import download_models, print_status
from pages.commands.shared.options import DeviceOption
from pages.sources.pins_again import PinBuilder

EXAMPLE = "python cli.py report findings.toml --to findings.html"


def command(
    file: Annotated[Path, typer.Argument(help="TOML, as the page Projects exports it.")],
    to: Annotated[
        list[Path] | None,
        typer.Option("--to", help=f"Write the report, by the ending of the file: {', '.join(FORMS)}; may be repeated."),
    ] = None,
    device: DeviceOption = None,
) -> None:
    """Make a report again from the data and metrics of today. Status 1 where a result is not what it was when it was pinned.

    A line on each result says if it is unchanged, or if its data or a signature changed; that is in the files, too.
    """
    recipe = read_recipe("\n".join(read_lines(file)))
    settings = Settings.read().on(device)
    with closing(Store.open(settings.database_url, read_only=True)) as store, ExitStack() as opened:
        engines: list[Engine] = []

        def engine() -> Engine:
            if not engines:
                engines.append(opened.enter_context(closing(Engine.open(settings))))
                specs = dict.fromkeys(spec for part in recipe.parts for spec in _specs(part.source))
            # others have their scores already
            scoring = [METRICS.parse(spec) for spec in specs if spec.partition("[")[0] in METRICS.names()]
            download_models(engines[0].pool, scoring)
            return engines[0]

        builder = PinBuilder(store, settings, engine)
        parts = [_make(builder, place, part) for place, part in enumerate(recipe.parts, start=1)]
    report = PinnedReport(recipe.title, tuple(parts))
    changed, remarks = False, dict[int, str]()
    for place, (before, part) in enumerate(zip(recipe.parts, parts, strict=True)):
        if part.pin is None:
            continue
        sentence = "Made; nothing to compare with."
        if before.then:
            change, sentence = compare(before.then, basis_of(part.pin))
            remarks[place] = sentence
            changed = changed or change is not PinChange.NONE
        print_status(f"{part.pin.title}: {sentence}")
    for path in to or ():
        for written in write_pins(report, path, remarks):
            print_status(f"Wrote {written}")
    if changed:
        raise typer.Exit(1)


def _make(builder: PinBuilder, place: int, part: RecipePart) -> PinnedPart:
    """The part with its result of today. Raises TouchstoneError, with the place, where that cannot be made here."""
    if part.source is None:
        return PinnedPart(part.text)
    try:
        pin = builder.build(part.source, part.title)
    except TouchstoneError as error:
        raise TouchstoneError(
            f"Part {place}, {part.title or 'without a title'}, cannot be made here: {error}"
        ) from error
    return PinnedPart(part.text, replace(pin, title=part.title or pin.title))


def _specs(source: Source | None) -> tuple[str, ...]:
    match source:
        case PairSource():
            return source.scored_by
        case AuditSource():
            return source.audited
    return ()
