"""`cli.py explain-signature`."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import Annotated

import typer

from annotations.store.store import Store
from core.base import CodeParts, code_of_signature, describe_code, explain_signatures, signature_parts
from core.errors import TouchstoneError
from core.scoring import read_code
from core.settings import Settings

EXAMPLE = 'python cli.py explain-signature "rouge2|measured:precision|code:7605ec2cfd0f"'


def command(
    signature: Annotated[str, typer.Argument(help="The signature of a score, as records and exports have it.")],
    other: Annotated[str | None, typer.Argument(help="Another one: what differs is listed.")] = None,
) -> None:
    """Say what a score was made by, part by part, or in which parts two signatures differ: settings, weights, definitions of the code, libraries."""
    for text in (signature, *([other] if other is not None else [])):
        if "|" not in text:
            raise TouchstoneError(
                f"{text!r} is no signature. Give one in quotes, as in the field `signature` of a record: 'rouge2|measured:f1|…'"
            )
    settings = Settings.read()
    if other is not None:
        typer.echo("\n".join(explain_signatures(signature, other, partial(_parts_of, settings))))
        return
    typer.echo("\n".join(f"{name}: {value}" for name, value in signature_parts(signature).items()))
    parts = _parts_of(settings, code_of_signature(signature))
    if parts is None:
        typer.echo(
            f"  The parts of its code are recorded neither in {settings.cache_dir} nor in the database: the score was made "
            "on another machine and not saved here, or before code was signed."
        )
    else:
        typer.echo("\n".join(f"  {line}" for line in describe_code(parts)))


def _parts_of(settings: Settings, hash: str) -> CodeParts | None:
    """The parts of a hash out of the cache folder or, of scores of another machine, the database."""
    parts = read_code(settings.cache_dir, hash)
    if parts is not None or not hash:
        return parts
    with closing(Store.open(settings.database_url, read_only=True)) as store:
        return store.code(hash)
