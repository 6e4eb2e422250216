"""`cli.py explain-signature`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from core.engine.code_records import read_code
from core.errors import TouchstoneError
from core.settings import Settings
from core.signature_parts import code_of_signature, describe_code, explain_signatures, signature_parts

GROUP = "Metrics"
EXAMPLE = 'python cli.py explain-signature "rouge2|measured:precision|code:7605ec2cfd0f"'


def command(
    signature: Annotated[str, typer.Argument(help="The signature of a score, as records and exports have it.")],
    other: Annotated[str | None, typer.Argument(help="Another one: what differs is listed.")] = None,
) -> None:
    """Say what a score was made by, part by part, or in which parts two signatures differ: settings, weights, source files, libraries."""
    for one in (signature, *([other] if other is not None else [])):
        if "|" not in one:
            raise TouchstoneError(
                f"{one!r} is no signature. Give one in quotes, as in the field `signature` of a record: 'rouge2|measured:f1|…'"
            )
    folder = Settings.read().cache_dir
    if other is not None:
        typer.echo("\n".join(explain_signatures(signature, other, partial(read_code, folder))))
        return
    typer.echo("\n".join(f"{name}: {value}" for name, value in signature_parts(signature).items()))
    parts = read_code(folder, code_of_signature(signature))
    if parts is None:
        typer.echo(
            f"  The parts of its code are not recorded in {folder}: the score was made on another machine, or before."
        )
    else:
        typer.echo("\n".join(f"  {line}" for line in describe_code(parts)))
