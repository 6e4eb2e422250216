"""`cli.py doctor`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.assessment import SetupStep, missing_steps, setup_state, setup_steps
from core.errors import TouchstoneError
from core.model_reference import Checkpoint
from core.models import BACKBONE, ModelPool, locate, read_hardware
from core.scoring import METRICS, Metric
from core.settings import Settings
from pages.commands.shared.messages import download_models, print_status
from pages.commands.shared.options import JsonOption

EXAMPLE = "python cli.py doctor questeval --download"


def command(
    metric: Annotated[
        list[str] | None, typer.Argument(help="name or name[setting=value,…]; all metrics by default.")
    ] = None,
    fetch: Annotated[bool, typer.Option("--download", help="Download what is missing and on the hub.")] = False,
    as_json: JsonOption = False,
    archive: Annotated[
        Path | None,
        typer.Option(
            "--convert",
            exists=True,
            help="Make a model folder, for a metric or for judges by local:FOLDER, from a .gguf file; from a .tar.gz or .zip as "
            "published (QAFactEval's three models, FactCC's); or from the folder that it was unpacked to (DAE's).",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(help="With --convert: the folder to write, which must not exist yet, or be empty."),
    ] = None,
    backbone: Annotated[
        str | None,
        typer.Option(
            help="With --convert: folder or hub repository of configuration and tokenizer, where the archive lacks them."
        ),
    ] = None,
) -> None:
    """List what metrics need before their first score, and the command that gets each thing. What is missing leaves exit status 1.

    The first line is the hardware that models run on; a GPU that is there and not used is named with the reason.
    """
    if archive:
        if to is None:
            raise TouchstoneError("Name the folder to write: cli.py doctor --convert FILE --to FOLDER")
        _convert(archive, to, backbone)
        return
    settings = Settings.read()
    metrics = [METRICS.parse(spec) for spec in metric] if metric else [plugin() for plugin in METRICS]
    with closing(ModelPool.open(settings)) as pool:
        if fetch:
            download_models(pool, metrics)
        setups = {parsed: setup_steps(parsed, pool) for parsed in metrics}
        hardware = read_hardware(pool.devices)
    if as_json:
        records = [
            {
                "metric": parsed.spec,
                "state": setup_state(parsed.card, [step for step in steps if not step.done and step.need != "memory"]),
                "licence": parsed.card.licence,
                "needs": [{key: value for key, value in asdict(step).items() if key != "download"} for step in steps],
            }
            for parsed, steps in setups.items()
        ]
        typer.echo(json.dumps(records, ensure_ascii=False, indent=1))
    else:
        typer.echo("\n".join(filter(None, (hardware.summary, hardware.warning))))
        _print_steps(setups, whole=bool(metric))
    if any(not step.done for steps in setups.values() for step in steps):
        raise typer.Exit(1)


def _print_steps(setups: Mapping[Metric, Sequence[SetupStep]], *, whole: bool) -> None:
    """The steps of each metric, those that are done and its licence too where `whole`."""
    for metric, steps in setups.items():
        typer.echo(f"{metric.spec}: {setup_state(metric.card, missing_steps(metric))}")
        for step in steps:
            if whole or not step.done:
                typer.echo(
                    f"  {'here   ' if step.done else 'missing'} {step.need:9} {step.name}  {step.message}".rstrip()
                )
        for line in dict.fromkeys(step.command for step in steps if step.command):
            typer.echo(f"  run: {line}")
        if downloads := [step for step in steps if step.download]:
            typer.echo(f"  run: cli.py doctor {metric.spec} --download  ({len(downloads)} from the hub)")
        if whole and metric.card.licence:
            typer.echo(f"  licence: {metric.card.licence}")


def _convert(archive: Path, folder: Path, backbone: str | None) -> None:
    # imported here: torch takes seconds, and every command would wait for it
    from core.models import convert, download

    def located(name: str) -> Path:
        part = Checkpoint(backbone or name, BACKBONE)
        download(part, lambda _share: None)
        return locate(part)

    print_status(convert(archive, folder, located))
    print_status(f"Written to {folder}.")
