"""`cli.py campaign`."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from annotations.campaigns.exclusions import WhatIsExcluded, describe_exclusion
from annotations.exchange.campaign_export import find_campaign_id
from annotations.labelling.limits import WARN_EVIDENCE
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.results.kept_edits import KEPT_NOTE, format_kept_edits, kept_edits_of
from annotations.results.progress_counts import changed_campaigns, count_changed
from annotations.store.records import RecordError
from annotations.store.store import Store
from annotations.store.trigger_counts import mark_all, recount_people
from core.settings import Settings
from pages.commands.shared.messages import print_status

EXAMPLE = 'python cli.py campaign people "Boats"'

_COMMAND_LINE = Member("", "the command line", Role.MANAGER)


class CampaignAction(StrEnum):
    """Action on a campaign."""

    PEOPLE = "people"
    PAUSE = "pause"
    RESUME = "resume"
    EXCLUDE = "exclude"
    REINSTATE = "reinstate"
    KEPT_EDITS = "kept-edits"
    RECOUNT = "recount"


def command(
    action: Annotated[
        CampaignAction,
        typer.Argument(
            help="people CAMPAIGN lists them with what its limits say of them, after the interval of one that was drawn; pause "
            "CAMPAIGN NAME --reason WHY; resume CAMPAIGN NAME; exclude CAMPAIGN NAME --reason WHY; reinstate CAMPAIGN NUMBER --reason "
            "WHY; kept-edits CAMPAIGN counts the edits that none of their annotators rejects, by domain (SummExecEdit, table 1), "
            "of the question set edit-quality; recount counts the labels of all campaigns again, for the tab Progress."
        ),
    ],
    campaign: Annotated[str, typer.Argument(help="The name of a campaign; of none for recount.")] = "",
    name: Annotated[
        str, typer.Argument(help="pause, resume, exclude: a person; reinstate: the number of an exclusion.")
    ] = "",
    reason: Annotated[str, typer.Option(help="Why; it is kept.")] = "",
    day: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="exclude: labels of this day (UTC) only.")
    ] = None,
    question: Annotated[str, typer.Option(help="exclude: answers to this question only.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="kept-edits: one JSON list instead of a table.")] = False,
) -> None:
    """List the people of a campaign with their quality, pause one, let one go on, leave labels out or let them in again; count kept edits, or all labels again."""
    if action is CampaignAction.RECOUNT:
        _recount()
    elif action is CampaignAction.KEPT_EDITS:
        _print_kept_edits(campaign, as_json)
    else:
        _look_after(action, campaign, name, reason, day, question)


def _look_after(
    action: CampaignAction, campaign: str, name: str, reason: str, day: datetime | None, question: str
) -> None:
    """Act on the people of a campaign or on their labels."""
    with closing(Store.open(Settings.read().database_url)) as store:
        manager, id = ManagerActions(store, _COMMAND_LINE), find_campaign_id(store, campaign)
        match action:
            case CampaignAction.PEOPLE:
                _list_people(manager, id)
            case CampaignAction.PAUSE:
                manager.pause(id, _find(manager, name), reason)
                print_status(f"{name} gets no more items of {campaign}.")
            case CampaignAction.RESUME:
                manager.resume(id, _find(manager, name), reason)
                print_status(f"{name} gets items of {campaign} again.")
            case CampaignAction.EXCLUDE:
                what = WhatIsExcluded(_find(manager, name), day.date() if day else None, question)
                print_status(f"{manager.exclude(id, what, reason)} labels of {name} are left out.")
            case CampaignAction.REINSTATE:
                exclusion_ids = {str(row.id): row.id for row in manager.exclusions(id) if row.valid}
                if name not in exclusion_ids:
                    raise RecordError(
                        f"No exclusion has the number {name!r}. There are: {', '.join(exclusion_ids) or 'none'}."
                    )
                manager.reinstate(id, exclusion_ids[name], reason)
                print_status("The labels count again.")


def _list_people(manager: ManagerActions, id: str) -> None:
    progress = manager.progress(id)
    if progress.draw:
        typer.echo(progress.draw.describe())
    for person in progress.people:
        state = f"paused: {person.paused}" if person.paused else ""
        near = "; ".join(signal.describe() for signal in person.signals if signal.evidence >= WARN_EVIDENCE)
        typer.echo("\t".join([person.name, str(person.answered), state or near]).rstrip("\t"))
    for row in manager.exclusions(id):
        ended = f"; counts again: {row.reinstated}" if row.reinstated_at else ""
        typer.echo(f"exclusion {row.id}\t{row.person}\t{describe_exclusion(row)}: {row.reason}{ended}")


def _recount() -> None:
    """Count all labels again; people may label meanwhile."""
    with closing(Store.open(Settings.read().database_url)) as store:
        with store.writing() as session:
            mark_all(session.connection())
            recount_people(session.connection())
        campaigns = changed_campaigns(store)
        for campaign in campaigns:
            count_changed(store, campaign)
    typer.echo(f"Counted the labels of {len(campaigns)} campaign{'' if len(campaigns) == 1 else 's'} again.")


def _print_kept_edits(campaign: str, as_json: bool) -> None:
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        domains = kept_edits_of(store, campaign)
    if as_json:
        typer.echo(json.dumps([asdict(domain) for domain in domains], ensure_ascii=False, indent=1))
        return
    typer.echo(f"{format_kept_edits(domains)}\n\n{KEPT_NOTE}")


def _find(manager: ManagerActions, name: str) -> str:
    people = {person.name: person.id for person in manager.people()}
    if name not in people:
        raise RecordError(f"Nobody is called {name!r}. There are: {', '.join(people) or 'none'}.")
    return people[name]
