"""`cli.py audit`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from annotations.store.store import Store
from core.assessment import (
    LAST,
    AuditReport,
    EvidenceWork,
    audit_command,
    audit_metrics,
    badge_svg,
    build_report,
    bundled_audits,
    compare_reports,
    format_changes,
    format_history,
    format_report,
    gallery_html,
    instrument_sentence,
    last_report,
    read_report,
    read_results,
    released_columns,
    report_html,
    report_json,
    report_markdown,
    with_battery,
    with_given_scores,
    with_saved_thresholds,
)
from core.base import write_whole
from core.edits import STANDARD_BATTERY
from core.errors import TouchstoneError
from core.evaluation import thresholds_by_metric
from core.scoring import METRICS, Engine
from core.settings import Settings
from core.stats import format_count
from pages.commands.shared.inputs import open_output, read_bytes, read_lines
from pages.commands.shared.messages import download_models, print_estimate, print_status, with_progress
from pages.commands.shared.options import BatteryOption, DeviceOption, SeedOption
from pages.commands.shared.text_scoring import open_score_store
from pages.sources.audit_data import open_audit_data
from pages.sources.audit_history import keep_audits, kept_audits
from pages.sources.thresholds import open_thresholds

EXAMPLE = "python cli.py audit rouge2 --data bundled --to audit.html"

_WRITERS: Mapping[str, Callable[[AuditReport], str]] = MappingProxyType(
    {
        ".html": report_html,
        ".json": report_json,
        ".md": report_markdown,
        ".svg": lambda report: badge_svg(report.metrics[0]),
    }
)


def command(
    metric: Annotated[
        list[str] | None,
        typer.Argument(
            help="name or name[setting=value,…]; several stand side by side. Also a column of scores that the data were released with. "
            "With --gallery: reports that `audit --to REPORT.json` wrote; none: those that come with Touchstone."
        ),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="One of those that `datasets` lists, bundled, or a file of pairs (JSONL or CSV); datasets may be repeated."
        ),
    ] = None,
    to: Annotated[
        list[Path] | None,
        typer.Option(help="Where to write: .html, .json, .md for a model card, .svg for a badge; may be repeated."),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="A saved threshold of one of the metrics, by its name or file: its false alarms and misses are shown; may be repeated."
        ),
    ] = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of scores, lines of id, metric and score as `score -o` writes them, of a closed system too: they are audited "
            "as they are, without the questions that need new scores; may be repeated."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help=f"An earlier report (JSON) of the same data, or {LAST}, the last one that was kept: a verdict that fell, or a "
            "figure that got worse beyond both intervals, leaves exit status 1."
        ),
    ] = None,
    history: Annotated[
        str | None, typer.Option(help="Print the kept audits of this metric over time, and audit nothing.")
    ] = None,
    keep: Annotated[
        bool, typer.Option(help="Keep the verdicts and figures in the database, for --history and the Audit page.")
    ] = True,
    most: Annotated[
        int | None, typer.Option(min=1, help="So many summaries are perturbed, drawn by the seed; by default 100.")
    ] = 100,
    gallery: Annotated[
        Path | None,
        typer.Option(help="Put the audits of many metrics on one static HTML page, the best first, and audit nothing."),
    ] = None,
    battery: BatteryOption = STANDARD_BATTERY,
    seed: SeedOption = 0,
    device: DeviceOption = None,
) -> None:
    """Say whether a metric can be trusted on some data: a verdict with figure, interval and pairs for each question.

    Scores that failed by something else than their text leave exit status 1, and such an audit is not kept.
    """
    if gallery:
        _write_gallery(gallery, [Path(name) for name in metric or ()])
        return
    writers = [(path, _writer_of(path)) for path in to or ()]
    earlier = (
        read_report(read_bytes(Path(against), "Name a report that `audit` wrote."), against)
        if against and against != LAST
        else None
    )
    settings = Settings.read().on(device)
    if history:
        _print_history(settings, METRICS.parse(history).spec)
        return
    files = {str(path): read_results(path) for path in scores or ()}
    specs = list(dict.fromkeys(metric or [name for of_file in files.values() for name in of_file]))
    if not specs or not data:
        raise TouchstoneError("Name a metric and the data that it is to be audited on: audit METRIC --data DATASET.")
    with (
        closing(open_score_store(settings)) as store,
        closing(Engine.open(settings)) as engine,
    ):
        audit_data = with_battery(open_audit_data(store, data, most, seed), battery)
        audit_data = with_saved_thresholds(audit_data, threshold or [])
        audit_data = with_given_scores(
            audit_data, {path: {name: side.scores for name, side in of.items()} for path, of in files.items()}
        )
        released = [name for name in released_columns(audit_data) if name in specs]
        metrics = [METRICS.parse(spec) for spec in specs if spec not in released]
        saved = thresholds_by_metric(open_thresholds(settings.database_url, threshold or []), metrics)
        work = EvidenceWork(engine, settings, audit_data, metrics, seed, saved, released)
        report = _audit(work)
        if against == LAST:
            records = [record for audit in report.metrics for record in kept_audits(store, audit.metric)]
            earlier = last_report(records, report)
            if earlier is None:
                print_status("No earlier audit on the same data is kept: there is nothing to compare with.")
        failed = work.gathered.unexpected
        if keep and not failed:
            keep_audits(store, report)
    for path, write in writers:
        write_whole(path, write(report))
    typer.echo(format_report(report))
    worse = earlier is not None and _print_changes(earlier, report)
    if failed:
        print_status(
            f"{format_count(len(failed), 'score')} failed, and the audit is not kept. The first: {failed[0]} The same command tries only these again."
        )
    if worse or failed:
        raise typer.Exit(1)


def _writer_of(path: Path) -> Callable[[AuditReport], str]:
    if path.suffix.lower() not in _WRITERS:
        raise TouchstoneError(f"{path} ends in none of {', '.join(_WRITERS)}. Name a file that does.")
    return _WRITERS[path.suffix.lower()]


def _write_gallery(page: Path, files: Sequence[Path]) -> None:
    reports = [read_report("\n".join(read_lines(file)), str(file)) for file in files] or [bundled_audits()]
    with open_output(page) as file:
        file.write(gallery_html(reports))
    print_status(f"  {sum(len(report.metrics) for report in reports)} audits in {page}")


def _audit(measured: EvidenceWork) -> AuditReport:
    download_models(measured.engine.pool, measured.metrics)
    started = time.monotonic()
    print_estimate(measured.engine, measured.paid_conversations())
    for _ in with_progress(measured.work(), "scores", measured.counts[1], lambda: measured.counts[0]):
        pass
    evidence, specs = measured.evidence(), [*measured.gathered.released, *(metric.spec for metric in measured.metrics)]
    audits = list(audit_metrics(evidence, specs))
    print_status(f"  {measured.counts[0]} scores in {time.monotonic() - started:.0f} s")
    return build_report(evidence, audits, audit_command(measured.data, specs, measured.gathered.seed))


def _print_history(settings: Settings, metric: str) -> None:
    with closing(Store.open(settings.database_url)) as store:
        audits = kept_audits(store, metric)
        names = dict.fromkeys(name for name, _ in store.audited())
    if not audits:
        hint = f"Kept are audits of {', '.join(names)}." if names else "No audit is kept yet."
        raise TouchstoneError(f"No audit of {metric} is kept. {hint} Make one: cli.py audit {metric} --data DATASET")
    typer.echo(format_history(audits))


def _print_changes(earlier: AuditReport, report: AuditReport) -> bool:
    """Print the changes since an earlier audit; return True if something became worse."""
    if sentence := instrument_sentence(earlier, report):
        print_status(sentence)
    changes = compare_reports(earlier, report)
    typer.echo(f"\n{format_changes(changes)}")
    return any(change.worse for change in changes)
