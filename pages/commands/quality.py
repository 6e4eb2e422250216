"""`cli.py quality`."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from annotations.campaigns.exclusions import WhatIsExcluded, describe_exclusion
from annotations.exchange.campaign_export import find_campaign_id
from annotations.labelling.limits import WARN_EVIDENCE
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.settings import Settings
from pages.commands.shared.messages import print_status

GROUP = "App and team"
EXAMPLE = 'python cli.py quality "Boats"'

_COMMAND_LINE = Member("", "the command line", Role.MANAGER)


class QualityAction(StrEnum):
    """Action on the people of a campaign."""

    LIST = "list"
    PAUSE = "pause"
    RESUME = "resume"
    EXCLUDE = "exclude"
    REINSTATE = "reinstate"


def command(
    campaign: Annotated[str, typer.Argument(help="The name of a campaign.")],
    action: Annotated[
        QualityAction,
        typer.Argument(
            help="list; pause NAME --reason WHY; resume NAME; exclude NAME --reason WHY; reinstate NUMBER --reason WHY."
        ),
    ] = (QualityAction.LIST),
    name: Annotated[
        str, typer.Argument(help="pause, resume, exclude: a person; reinstate: the number of an exclusion.")
    ] = "",
    reason: Annotated[str, typer.Option(help="Why; it is kept.")] = "",
    day: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="exclude: labels of this day (UTC) only.")
    ] = None,
    question: Annotated[str, typer.Option(help="exclude: answers to this question only.")] = "",
) -> None:
    """List the people of a campaign with what its limits say of them, after the interval of one that was drawn, pause one, let one go on, leave labels out or let them in again."""
    with closing(Store.open(Settings.read().database_url)) as store:
        manager, id = ManagerActions(store, _COMMAND_LINE), find_campaign_id(store, campaign)
        match action:
            case QualityAction.LIST:
                progress = manager.progress(id)
                if progress.draw:
                    typer.echo(progress.draw.describe())
                for one in progress.people:
                    state = f"paused: {one.paused}" if one.paused else ""
                    near = "; ".join(signal.describe() for signal in one.signals if signal.evidence >= WARN_EVIDENCE)
                    typer.echo("\t".join([one.name, str(one.answered), state or near]).rstrip("\t"))
                for row in manager.exclusions(id):
                    ended = f"; counts again: {row.reinstated}" if row.reinstated_at else ""
                    typer.echo(f"exclusion {row.id}\t{row.person}\t{describe_exclusion(row)}: {row.reason}{ended}")
            case QualityAction.PAUSE:
                manager.pause(id, _find(manager, name), reason)
                print_status(f"{name} gets no more items of {campaign}.")
            case QualityAction.RESUME:
                manager.resume(id, _find(manager, name), reason)
                print_status(f"{name} gets items of {campaign} again.")
            case QualityAction.EXCLUDE:
                what = WhatIsExcluded(_find(manager, name), day.date() if day else None, question)
                print_status(f"{manager.exclude(id, what, reason)} labels of {name} are left out.")
            case QualityAction.REINSTATE:
                known = {str(row.id): row.id for row in manager.exclusions(id) if row.valid}
                if name not in known:
                    raise RecordError(f"No exclusion has the number {name!r}. There are: {', '.join(known) or 'none'}.")
                manager.reinstate(id, known[name], reason)
                print_status("The labels count again.")


def _find(manager: ManagerActions, name: str) -> str:
    people = {one.name: one.id for one in manager.people()}
    if name not in people:
        raise RecordError(f"Nobody is called {name!r}. There are: {', '.join(people) or 'none'}.")
    return people[name]
