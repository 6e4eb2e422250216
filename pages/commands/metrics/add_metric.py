"""`cli.py add-metric`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from core.base import write_whole
from core.errors import BadSettingError, LoadError
from core.models import read_repository
from core.scoring import (
    PAIRS,
    ProbeResult,
    best,
    checkpoint_class,
    correct_guess,
    describe_probes,
    entry_of,
    entry_toml,
    family_note,
    guess_form,
    probe,
    save_entry,
    suggested_name,
)
from core.settings import Settings
from pages.commands.shared.messages import download_models, open_engine, print_status
from pages.commands.shared.options import DeviceOption

EXAMPLE = "python cli.py add-metric OWNER/NAME --name my-metric --set label=entailment"


def command(
    source: Annotated[str, typer.Argument(help="A repository of the hub, owner/name, or a folder.")],
    name: Annotated[str, typer.Option(help="Name of the metric; by default that of the repository.")] = "",
    revision: Annotated[str, typer.Option(help="Branch, tag or commit; its commit is kept.")] = "",
    correct: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE", help="A field of the table instead of the guessed one; may be repeated."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the table to this file for --plugin, and add nothing here."),
    ] = None,
    anyway: Annotated[bool, typer.Option("--anyway", help="Keep it although probe pairs come out wrong.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False,
    device: DeviceOption = None,
) -> None:
    """Make a metric of a checkpoint: guess from its files how it is asked, try five pairs, and keep it as a TOML table."""
    settings, corrections = Settings.read().on(device), _read_fields(correct or [])
    repository = read_repository(source, revision)
    family = family_note(repository.source)
    try:
        guess = correct_guess(guess_form(repository), corrections)
    except LoadError as error:
        raise LoadError(f"{error} {family}".strip()) from error
    named = name or suggested_name(repository.source)
    entries = [entry_of(table, named) for table in guess.candidates]
    metrics = [checkpoint_class(entry)() for entry in entries]
    if not as_json:
        for sentence in filter(None, [family, *guess.notes]):
            typer.echo(sentence)
    with open_engine(settings, False) as engine:
        download_models(engine.pool, metrics)
        results = probe(engine.run, entries)
    result = best(results, bool(guess.open))
    remarks = describe_probes(result, results, guess.open)
    file: Path | None = None
    if result.passes or (anyway and result.gaps):
        if output is None:
            file = save_entry(result.entry, checkpoint_class(result.entry), settings.metrics_dir)
        elif output.suffix != ".toml":
            raise BadSettingError(f"{output} does not end in .toml, by which --plugin knows a file of metrics.")
        else:
            write_whole(output, entry_toml(result.entry))
            file = output
    if as_json:
        record = {
            "repository": repository.source,
            "revision": repository.revision,
            "metric": result.entry.name,
            "table": result.entry.model_dump(exclude_defaults=True, exclude={"name"}),
            "notes": [*guess.notes, *([family] if family else [])],
            "probes": [
                {"document": document, "supported": supported, "contradicted": contradicted, "scores": scores}
                for (document, supported, contradicted), scores in zip(PAIRS, result.scores, strict=True)
            ],
            "right": result.right,
            "remarks": remarks,
            "file": str(file) if file else None,
        }
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        _show(result, remarks)
    if file is None:
        print_status("Nothing was kept. Correct fields with --set, or keep it with --anyway.")
        raise typer.Exit(1)
    use = f" --plugin {file}" if output else ""
    print_status(
        f"{file} has the metric. Score with: python cli.py score pairs.jsonl --metric {named}{use} -o scores.jsonl"
    )


def _read_fields(corrections: list[str]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for correction in corrections:
        field, equals, value = correction.partition("=")
        if not equals or field.strip() in {"name", "checkpoint", "revision", "download_mb"}:
            raise BadSettingError(
                f"--set {correction}: write FIELD=VALUE, as label=entailment; the model is named by the argument."
            )
        fields[field.strip()] = value
    return fields


def _show(result: ProbeResult, remarks: list[str]) -> None:
    typer.echo(f"\n{entry_toml(result.entry)}")
    typer.echo("supported  contradicted")
    for (_, supported, contradicted), scores in zip(PAIRS, result.scores, strict=True):
        good, bad = (f"{score:.3f}" if isinstance(score, float) else "–" for score in scores)
        typer.echo(f"{good:>9}  {bad:>12}  {supported} / {contradicted}")
    for remark in remarks:
        typer.echo(remark)
