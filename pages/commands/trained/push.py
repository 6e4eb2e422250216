"""`cli.py push`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pages.commands.shared.options import ExistingOption, PublicOption

EXAMPLE = "python cli.py push models/own owner/name --licence cc-by-4.0"

_LICENCE = (
    "The licence of the metric, as the hub writes it: apache-2.0, cc-by-4.0, or a name of yours. It stands at the head of the card; the card "
    "names the licences of what was learned from, which may not let you choose."
)


def command(
    folder: Annotated[Path, typer.Argument(help="A folder that `train DATA --to FOLDER` wrote.")],
    repository: Annotated[str, typer.Argument(help="OWNER/NAME on the hub.")],
    licence: Annotated[str, typer.Option("--licence", help=_LICENCE)],
    public: PublicOption = False,
    existing: ExistingOption = False,
) -> None:
    """Send a metric that you trained to the hub: weights, tokenizer, card and hashes of its documents, with your token (HF_TOKEN)."""
    # imported here: the hub's library takes a second, and every command would wait for it
    from core.models import push

    typer.echo(push(folder, repository, licence, public=public, existing=existing))
