"""`cli.py plan-bulk`."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from typing import Annotated

import typer

from core.errors import TouchstoneError
from core.results.bulk.blocks import block_pairs
from core.results.bulk.folder import Folder
from core.results.bulk.plan import plan_run, plan_sentences
from core.results.bulk.scorer import ScoringJob
from pages.commands.shared.block_scoring import Workers, open_job, timed_reports
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption

GROUP = "Scores and perturbations"
EXAMPLE = "python cli.py plan-bulk blocks --to results --metric rouge2 --workers 2 --fleet 16 --hourly 0.4"

_LEAST_LATER = 2  # blocks beside the first of each worker, for an interval


def command(
    blocks: Annotated[str, typer.Argument(help="A folder of blocks that `blocks` made, or its URL.")],
    to: Annotated[
        str, typer.Option(help="The folder of results of the run, or its URL: blocks of the sample are done.")
    ],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    sample: Annotated[int, typer.Option(min=1, help="So many blocks are scored, drawn by the seed.")] = 12,
    seed: Annotated[int, typer.Option(help="The same seed draws the same blocks.")] = 0,
    workers: Annotated[
        int, typer.Option(min=1, help="Worker processes that score the sample, as many as a machine of the run has.")
    ] = 1,
    fleet: Annotated[
        int | None,
        typer.Option(min=1, help="Workers of the whole run, of the same kind; by default those of the sample."),
    ] = None,
    pairs: Annotated[
        int | None, typer.Option(min=1, help="Pairs of the whole run; by default those of the blocks that are left.")
    ] = None,
    hourly: Annotated[float, typer.Option(min=0, help="Price of a worker for an hour, in any currency.")] = 0.0,
    device: DeviceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Score a sample of blocks and say how long the whole run takes and what it costs, with intervals.

    `score` goes on with the other blocks. Prices of endpoints are not in it: `endpoints` and the budget say them.
    """
    job = ScoringJob(Folder.at(blocks).url, Folder.at(to).url, tuple(metric), device or "")
    crew = Workers(workers)
    left = open_job(job, crew)
    needed = workers + _LEAST_LATER
    if len(left) < needed or sample < needed:
        raise TouchstoneError(
            f"A plan needs {needed} blocks, one for the start of each worker and {_LEAST_LATER} more; {len(left)} are left, and the "
            f"sample has {sample}. Take fewer workers, a larger --sample, or run `score`: so few blocks are soon done."
        )
    sizes = block_pairs(Folder.at(job.blocks))
    drawn = random.Random(seed).sample(left, min(sample, len(left)))
    done = [one for one in timed_reports(drawn, job, crew) if not one.report.fault]
    if len(done) < needed:
        raise TouchstoneError(f"Only {len(done)} blocks of the sample could be scored. The lines above say why.")
    found = plan_run(done, sizes, workers, pairs or sum(sizes[name] for name in left), fleet or workers, hourly)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=1))
        return
    for sentence in plan_sentences(found):
        typer.echo(sentence)
    print_status("Intervals are over blocks: they hold for workers like these, as busy as now.")
