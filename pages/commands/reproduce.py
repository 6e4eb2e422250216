"""`cli.py reproduce`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.papers.comparison import beyond_tolerance, compare_paper, comparison_record, format_paper
from core.papers.pack import reproduction_pack
from core.papers.paper import PAPERS, ReleasedData
from core.settings import Settings
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption

GROUP = "Meta-evaluation"
EXAMPLE = "python cli.py reproduce bump --no-pack"

_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
_RESAMPLES = 1000


def command(
    papers: Annotated[list[str], typer.Argument(help="bump, frank, longdoc, ramprasad, summexecedit, unieval.")],
    data: Annotated[
        Path, typer.Option(help="The folder of released files; what is missing in it is said, with where to get it.")
    ] = _DATA,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The folder for the paper pack of each paper.")
    ] = Path(),
    resamples: Annotated[
        int, typer.Option(min=1, help="Of the documents, for the intervals of the pack.")
    ] = _RESAMPLES,
    pack: Annotated[bool, typer.Option(help="Write the packs, which takes longer than the comparison.")] = True,
    device: DeviceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list instead of tables.")] = False,
) -> None:
    """Print a paper's figures beside ours, and write its paper pack. A difference that is not explained leaves exit status 1."""
    chosen = [PAPERS.get(name)() for name in dict.fromkeys(papers)]
    if not output.is_dir():
        raise TouchstoneError(f"There is no folder {output} for the packs. Make it, or name another with -o.")
    settings, records, beyond = Settings.read(), [], 0
    with closing(Engine.open(settings.on(device))) as engine:
        for paper in chosen:
            released = ReleasedData(data, engine)
            published, tables = compare_paper(paper, released)
            beyond += beyond_tolerance(tables)
            records.append(comparison_record(published, tables))
            if not as_json:
                typer.echo(format_paper(published, tables) + "\n")
            if pack:
                path = output / f"reproduce-{paper.name}.zip"
                path.write_bytes(reproduction_pack(paper, released, published, tables, resamples))
                print_status(f"Wrote {path}.")
    if as_json:
        typer.echo(json.dumps(records, ensure_ascii=False, indent=1))
    if beyond:
        print_status(f"{beyond} cells differ beyond the tolerance.")
        raise typer.Exit(1)
