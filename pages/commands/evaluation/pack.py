"""`cli.py pack`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from annotations.exchange.samples import load_provenance
from annotations.store.store import Store
from core.assessment import PACK_NAME, PackRequest, write_pack
from core.base import write_whole
from core.results import SLICE_FIELDS, select_metrics, slice_cases
from core.settings import Settings
from core.stats import RESAMPLES
from pages.commands.shared.dataset_inputs import read_scored_samples, version_references
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DatasetsOption, ResamplesOption

EXAMPLE = "python cli.py pack --dataset bump-task1 --by error_type"


def command(
    dataset: DatasetsOption,
    by: Annotated[
        str | None,
        typer.Option(help=f"Slices besides Overall, by one field or by two with a comma: {', '.join(SLICE_FIELDS)}."),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    resamples: ResamplesOption = RESAMPLES,
    output: Annotated[Path, typer.Option("-o", "--output", help="The archive to write.")] = Path(PACK_NAME),
) -> None:
    """Write the paper pack: tables, figures, data card, citations, and the commands that give the same archive again."""
    dataset = version_references(dataset)
    cases = read_scored_samples(dataset)
    cases = select_metrics(cases, metric) if metric else cases
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        files, own = load_provenance(store, dataset)
    slice_cases(cases, by)  # raises where there is no such field
    archive = write_pack(PackRequest(tuple(dataset), by, resamples, cases, files, own))
    write_whole(output, archive)
    print_status(f"Wrote {output}, {len(archive):,} bytes.")
