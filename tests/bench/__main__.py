"""`python -m tests.bench`: time metrics on random weights of a real size, or the engine itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from core.settings import Settings
from pages.commands.shared.options import DeviceOption

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def command(
    metric: Annotated[
        list[str] | None,
        typer.Option(help="name or name[setting=value,…]; may be repeated; by default some of each family."),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(
            help="tiny, smallest, small, base or large, or albert-xlarge and such for one architecture; may be repeated."
        ),
    ] = None,
    device: DeviceOption = None,
    pairs: Annotated[
        int | None, typer.Option(min=1, help="Pairs of the set; 200 by default, and 400 with --engine.")
    ] = None,
    documents: Annotated[int, typer.Option(min=1, help="Documents that they share.")] = 50,
    repeats: Annotated[int, typer.Option(min=1, help="Of the first score and the edits; the median is reported.")] = 3,
    rows: Annotated[
        int, typer.Option(min=1, help="Questions of each model timed one by one; the rest is projected.")
    ] = 12,
    seed: Annotated[int, typer.Option(min=0, help="Chooses those questions.")] = 0,
    engine: Annotated[
        bool,
        typer.Option(
            "--engine",
            help="Time the engine itself instead: a real metric by its stages, and the queue. Of the other options --pairs, "
            "--size and --against count.",
        ),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            help="With --engine: time a commit, branch or tag of this repository as well, in turn with the working tree. "
            "Ends with status 1 where a question takes more than 1.1 times the processor time.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list; the table goes to stderr.")] = False,
) -> None:
    """Time metrics on random weights of a real size: the engine against one question at a time."""
    if against and not engine:
        raise typer.BadParameter("--against compares the engine of two versions. Add --engine.")
    if engine and against:
        _compare_with(against, pairs)
        return
    if engine:
        _report_engine_cost(pairs, size or ("tiny",))
        return
    # imported when asked for: the random weights need torch, and listing metrics must not load it
    from tests.bench import measurement, workloads
    from tests.bench.network_shapes import parse_sizes

    settings = Settings.read()
    plan = workloads.BenchPlan(pairs or 200, documents, repeats, rows, seed)
    chosen = settings.on(device)
    lines = []
    measured = workloads.run_bench(metric or workloads.DEFAULT_METRICS, parse_sizes(size or ()), plan, chosen)
    typer.echo(measurement.table_heading(), err=as_json)
    try:
        for found in measured:
            typer.echo(measurement.format_row(found), err=as_json)
            lines.append(measurement.row_record(found))
    finally:  # what took an hour is not lost because the metric after it cannot be timed
        typer.echo(json.dumps(lines, ensure_ascii=False, indent=1) if as_json else measurement.LEGEND)


def _compare_with(reference: str, pairs: int | None) -> None:
    from tests.bench import metric_cost, version_gate

    compared = version_gate.compare_versions(reference, pairs or metric_cost.COST_PAIRS)
    typer.echo(version_gate.format_comparison(compared))
    if compared.slower:
        raise typer.Exit(1)


def _report_engine_cost(pairs: int | None, size: Sequence[str]) -> None:
    from tests.bench import engine_cost, metric_cost
    from tests.bench.network_shapes import parse_sizes

    costs = metric_cost.measure_metric_cost(pairs or metric_cost.COST_PAIRS, parse_sizes(size))
    typer.echo(metric_cost.format_metric_cost(list(costs)))
    typer.echo(f"\n{engine_cost.HEADING}")
    rows = []
    for row in engine_cost.measure_engine_cost():
        typer.echo(engine_cost.format_row(row))
        rows.append(row)
    typer.echo(engine_cost.summarize(rows))


if __name__ == "__main__":
    app()
