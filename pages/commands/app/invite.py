"""`cli.py invite`."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from annotations.people.people import Role
from annotations.people.sign_in import create_invite_by_name
from annotations.store.store import Store
from core.settings import Settings
from pages.commands.shared.messages import print_status

EXAMPLE = 'python cli.py invite "Ada Lind" --role annotator --days 30'


def command(
    name: Annotated[str, typer.Argument(help="A name; for a sign-in through an organisation the e-mail address.")],
    role: Annotated[Role, typer.Option(help="What they may do.")] = Role.ANNOTATOR,
    days: Annotated[
        int | None, typer.Option(min=1, help="How long the code is valid; until revoked by default.")
    ] = None,
) -> None:
    """Print a personal code for a shared server; only its hash is stored. A new name is added."""
    with closing(Store.open(Settings.read().database_url)) as store, store.writing() as session:
        code = create_invite_by_name(session, name.strip(), role, "the command line", days)
    typer.echo(code)
    print_status(
        f"{name} signs in as {role.value} with this code, or by the address of the server followed by /?invite={code}"
    )
