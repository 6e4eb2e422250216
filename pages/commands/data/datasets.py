"""`cli.py datasets`."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Annotated

import typer

from annotations.exchange.samples import (
    campaign_datasets,
    compare_dataset_versions,
    format_description,
    load_description,
    load_samples,
)
from annotations.store.imported_datasets import DatasetRow
from annotations.store.records import LOCAL_LABELS
from annotations.store.store import Store
from core.data import bundled_items, diff_record, format_dataset, format_diff, format_directions
from core.errors import TouchstoneError
from core.settings import Settings
from core.types import PRECOMPUTED

EXAMPLE = "python cli.py datasets bump-task1 --diff 1 2"


def command(
    name: Annotated[
        str | None, typer.Argument(help="An imported dataset, NAME, NAME@2 or NAME@TAG: its versions.")
    ] = None,
    versions: Annotated[bool, typer.Option("--versions", help="List the versions of every imported dataset.")] = False,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(help="What changed from one version of NAME to another, each a number or a tag."),
    ] = None,
    tag: Annotated[
        str, typer.Option(help="Tag a version, by default the newest, for good: NAME@TAG is that version then.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="With --diff: one JSON object, with every sample.")] = False,
) -> None:
    """List what can be evaluated: imported datasets, campaigns with labels, and what was kept and labelled here; or versions of a dataset."""
    if (diff or tag) and name is None:
        raise TouchstoneError("Name the dataset: cli.py datasets NAME --diff 1 2, or cli.py datasets NAME@2 --tag TAG")
    if as_json and not diff:
        raise TouchstoneError("--json writes a difference: cli.py datasets NAME --diff 1 2 --json")
    settings = Settings.read()
    with closing(Store.open(settings.database_url, read_only=not tag)) as store:
        if name is None:
            _print_all(store, versions)
            return
        version = store.version(name)
        if tag:
            store.tag_version(version.full_reference, tag, settings.user)
            typer.echo(f"{format_dataset(version.full_reference)} is {version.dataset}@{tag} now.")
        elif diff:
            before, after = (f"{version.dataset}@{number}" for number in diff)
            compared = compare_dataset_versions(store, before, after)
            record = json.dumps(diff_record(compared), ensure_ascii=False, indent=1) if as_json else ""
            typer.echo(record or format_diff(compared))
        else:
            [row] = [row for row in store.datasets() if row.name == version.dataset]
            typer.echo("\n".join(_format_versions(row)))


def _print_all(store: Store, versions: bool) -> None:
    for row in store.datasets():
        count = len(row.versions)
        numbers = "" if count == 1 else f", version {count}"
        typer.echo(f"{row.name:30} {row.samples} samples from {', '.join(file.file for file in row.files)}{numbers}")
        if versions:
            typer.echo("\n".join(f"  {line}" for line in _format_versions(row)))
    if versions:
        return
    for campaign in campaign_datasets(store):
        typer.echo(f"{campaign:30} {' '.join(format_description(load_description(store, campaign)))}")
    if own := load_samples(store, LOCAL_LABELS):
        typer.echo(f"{LOCAL_LABELS:30} {len(own)} samples")
    typer.echo(f"{PRECOMPUTED:30} {len(bundled_items())} samples, not to be scored again: import them with bundled")


def _format_versions(row: DatasetRow) -> list[str]:
    """A line for each version, the newest first, and one for what the labels of each file mean."""
    lines = []
    for version in reversed(row.versions):
        tags = f" ({', '.join(version.tags)})" if version.tags else ""
        content = f", content {version.content[:12]}" if version.content else ""
        files = ", ".join(f"{file.file} ({file.sha256[:8]})" for file in version.files)
        by = f" by {version.by}" if version.by else ""
        lines.append(
            f"{row.name}@{version.number}{tags}: {version.samples} samples{content}, {version.created_at:%Y-%m-%d %H:%M}{by}, from {files}"
        )
        lines += [
            f"  labels of {file.file}: {directions}"
            for file in version.files
            if (directions := format_directions(file.counts))
        ]
    return lines
