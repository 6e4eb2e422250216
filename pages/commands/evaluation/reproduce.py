"""`cli.py reproduce`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.assessment import (
    PAPERS,
    RELEASED_FOLDER,
    Paper,
    ReleasedData,
    ReproductionJob,
    beyond_tolerance,
    compare_paper,
    comparison_record,
    default_metrics,
    fetch_released,
    format_needs,
    format_paper,
    paper_needs,
    reproduction_pack,
    run_job,
)
from core.base import write_whole
from core.errors import TouchstoneError
from core.scoring import METRICS, Engine, Metric, NliCheck
from core.settings import Settings
from pages.commands.shared.messages import download_models, print_status
from pages.commands.shared.options import DeviceOption

EXAMPLE = "python cli.py reproduce bump --no-pack"

_RESAMPLES = 1000
_ALL = "all"


def command(
    papers: Annotated[
        list[str],
        typer.Argument(
            help="bump, frank, longdoc, ramprasad, summexecedit, unieval; or all: every paper and benchmark, as one static site."
        ),
    ],
    data: Annotated[
        Path, typer.Option(help="The folder of released files; what is missing in it is said, with where to get it.")
    ] = RELEASED_FOLDER,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The folder for the paper pack of each paper.")
    ] = Path(),
    resamples: Annotated[
        int, typer.Option(min=1, help="Of the documents, for the intervals of the pack.")
    ] = _RESAMPLES,
    pack: Annotated[bool, typer.Option(help="Write the packs, which takes longer than the comparison.")] = True,
    ask: Annotated[
        bool,
        typer.Option("--ask", help="Ask the endpoint that is set, which may cost money, for cells that wait for it."),
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what the papers need: data, weights, endpoint, hours, money.")
    ] = False,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch",
            help="Download what the papers lack: released files whose licence is stated, and weights that the hub gives.",
        ),
    ] = False,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Of `all`: the metrics over all labelled data; by default all that are ready."),
    ] = None,
    device: DeviceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list instead of tables.")] = False,
) -> None:
    """Print a paper's figures beside ours, and write its paper pack. A difference that is not explained leaves exit status 1.

    `all` runs every paper into the folder results of -o and writes the folder site beside it. What was finished is not done again.
    """
    selected_papers = [PAPERS.get(name)() for name in (PAPERS.names() if papers == [_ALL] else dict.fromkeys(papers))]
    if not output.is_dir():
        raise TouchstoneError(f"There is no folder {output} for the packs. Make it, or name another with -o.")
    settings, every = Settings.read(), papers == [_ALL]
    with closing(Engine.open(settings.on(device))) as engine:
        released = ReleasedData(data, engine, ask)
        if plan:
            typer.echo(format_needs([paper_needs(paper, released) for paper in selected_papers]))
            return
        if fetch:
            _fetch(selected_papers, data, engine)
        if every:
            print_status(format_needs([paper_needs(paper, released) for paper in selected_papers]))
            names = metric or [row.name for row in default_metrics(engine.pool)]
            _run_all(
                ReproductionJob(selected_papers, released, [METRICS.parse(name) for name in names], resamples, output)
            )
            return
        records, beyond = [], 0
        for paper in selected_papers:
            published, tables = compare_paper(paper, released)
            beyond += beyond_tolerance(tables)
            records.append(comparison_record(published, tables))
            if not as_json:
                typer.echo(format_paper(published, tables) + "\n")
            if pack:
                path = output / f"reproduce-{paper.name}.zip"
                write_whole(path, reproduction_pack(paper, released, published, tables, resamples))
                print_status(f"Wrote {path}.")
    if as_json:
        typer.echo(json.dumps(records, ensure_ascii=False, indent=1))
    if beyond:
        print_status(f"{beyond} cells differ beyond the tolerance.")
        raise typer.Exit(1)


def _fetch(papers: Sequence[Paper], data: Path, engine: Engine) -> None:
    for sentence in fetch_released([file for paper in papers for file in paper.data], data):
        print_status(sentence)
    metrics: list[Metric | NliCheck] = [metric for paper in papers for metric in paper.metrics()]
    download_models(engine.pool, [*metrics, *(check for paper in papers for check in paper.checks())])


def _run_all(job: ReproductionJob) -> None:
    for name, again in run_job(job):
        print_status(f"  {name}: {'already done' if again else 'done'}")
    print_status(f"Wrote {job.site / 'index.html'}.")
