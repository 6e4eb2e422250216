"""`cli.py audit`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from annotations.store import Store
from core.audit.evidence import Measurement, audit_command
from core.audit.report import AuditReport, audit_metrics, build_report, compare_reports, read_report, report_json
from core.audit.report_html import report_html
from core.audit.report_text import badge_svg, format_changes, format_report, report_markdown
from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.metric import METRICS
from core.settings import Settings
from pages.commands.shared.audit_data import open_audit_data
from pages.commands.shared.inputs import DeviceOption, SeedOption
from pages.commands.shared.messages import download_models, print_estimate, print_status, with_progress

_WRITERS: Mapping[str, Callable[[AuditReport], str]] = MappingProxyType(
    {
        ".html": report_html,
        ".json": report_json,
        ".md": report_markdown,
        ".svg": lambda report: badge_svg(report.metrics[0]),
    }
)


def command(
    metric: Annotated[list[str], typer.Argument(help="name or name[setting=value,…]; several stand side by side.")],
    data: Annotated[
        list[str],
        typer.Option(
            help="One of those that `datasets` lists, bundled, or a file of pairs (JSONL or CSV); datasets may be repeated."
        ),
    ],
    to: Annotated[
        list[Path] | None,
        typer.Option(help="Where to write: .html, .json, .md for a model card, .svg for a badge; may be repeated."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="An earlier report (JSON) of the same data: what became worse leaves exit status 1."),
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="So many summaries are perturbed, drawn by the seed; by default 100.")
    ] = 100,
    seed: SeedOption = 0,
    device: DeviceOption = None,
) -> None:
    """Say whether a metric can be trusted on some data: a verdict with figure, interval and pairs for each question."""
    writers = [(path, _writer(path)) for path in to or ()]
    earlier = read_report(_read(against), str(against)) if against else None
    read_settings = Settings.read()
    settings = read_settings.model_copy(update={"device": device or read_settings.device})
    metrics = [METRICS.parse(spec) for spec in dict.fromkeys(metric)]
    with closing(Store.open(settings.database_url)) as store, closing(Engine.open(settings)) as engine:
        found = open_audit_data(store, data, most, seed)
        download_models(engine.pool, metrics)
        started, measured = time.monotonic(), Measurement(engine, settings, found, metrics, seed)
        print_estimate(engine, measured.paid_conversations())
        for _ in with_progress(measured.work(), "scores", measured.counts[1]):
            pass
        evidence = measured.evidence()
        audits = list(audit_metrics(evidence, [one.spec for one in metrics]))
    report = build_report(evidence, audits, audit_command(found, [one.spec for one in metrics], seed))
    for path, write in writers:
        path.write_text(write(report), encoding="utf-8")
    typer.echo(format_report(report))
    print_status(f"  {measured.counts[0]} scores in {time.monotonic() - started:.0f} s")
    changes = compare_reports(earlier, report) if earlier else []
    if earlier:
        if earlier.variants_sha256 != report.variants_sha256:
            print_status(
                "The rules made other variants than in the earlier audit: figures of the stress run are of other edits."
            )
        typer.echo(f"\n{format_changes(changes)}")
    if any(change.worse for change in changes):
        raise typer.Exit(1)


def _writer(path: Path) -> Callable[[AuditReport], str]:
    if path.suffix.lower() not in _WRITERS:
        raise TouchstoneError(f"{path} ends in none of {', '.join(_WRITERS)}. Name a file that does.")
    return _WRITERS[path.suffix.lower()]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TouchstoneError(f"{path} cannot be read: {error.strerror}. Name a report that `audit` wrote.") from error
