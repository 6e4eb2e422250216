"""`cli.py people`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from annotations.campaigns.assignment import CampaignPeople
from annotations.exchange.campaign_export import find_campaign_id
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role, read_people
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.settings import Settings
from pages.commands.shared.inputs import read_bytes
from pages.commands.shared.messages import print_status

EXAMPLE = 'python cli.py people change "Ada Lind" --role adjudicator'

_COMMAND_LINE = Member("", "the command line", Role.MANAGER)


class PeopleAction(StrEnum):
    """Action on people."""

    LIST = "list"
    CHANGE = "change"
    IMPORT = "import"
    LINKS = "links"
    ASSIGN = "assign"
    TOKEN = "token"


def command(
    action: Annotated[
        PeopleAction,
        typer.Argument(
            help="list; change NAME; import FILE.csv; links [NAME…]; assign [NAME…] --campaign CAMPAIGN; token; "
            "token NAME --owner MANAGER; token NAME --revoke."
        ),
    ] = PeopleAction.LIST,
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of people; of a file for import; of a token for token.")
    ] = None,
    role: Annotated[Role | None, typer.Option(help="change: what they may do.")] = None,
    rename: Annotated[str | None, typer.Option(help="change: what they are called.")] = None,
    active: Annotated[bool | None, typer.Option(help="change: whether they are let in.")] = None,
    group: Annotated[
        list[str] | None, typer.Option(help="change: the groups they are in; assign: groups. May be repeated.")
    ] = None,
    campaign: Annotated[
        list[str] | None,
        typer.Option(
            help="assign: the campaign that only these people and groups label; token: one that it reads, "
            "all without. May be repeated for token."
        ),
    ] = None,
    server: Annotated[str, typer.Option(help="links, import: the address of the server.")] = "",
    days: Annotated[int | None, typer.Option(min=1, help="links, import: how long they are valid.")] = None,
    owner: Annotated[str, typer.Option(help="token: the manager whose token it is; it ends with their role.")] = "",
    revoke: Annotated[bool, typer.Option("--revoke", help="token: let nobody read with it any more.")] = False,
    writes: Annotated[bool, typer.Option("--writes", help="token: it may also write.")] = False,
) -> None:
    """List people, change their role, name or groups, let them in no more, import a list, print links, assign campaigns, make tokens."""
    arguments, campaigns = names or [], campaign or []
    with closing(Store.open(Settings.read().database_url)) as store:
        manager = ManagerActions(store, _COMMAND_LINE)
        match action:
            case PeopleAction.LIST:
                _list(manager)
            case PeopleAction.CHANGE:
                person = _find(manager, _only(arguments, "the name of one person"))
                changed = replace(
                    person,
                    name=person.name if rename is None else rename,
                    role=role or person.role,
                    active=person.active if active is None else active,
                )
                manager.change_person(changed, manager.groups().get(person.id, ()) if group is None else group)
                _list(manager)
            case PeopleAction.IMPORT:
                listed = read_people(read_bytes(Path(_only(arguments, "one CSV file")), "Name a CSV file."))
                _print_links(((member.name, code) for member, code in manager.import_people(listed, days)), server)
            case PeopleAction.LINKS:
                people = [_find(manager, name) for name in arguments] or [
                    member for member in manager.people() if member.active
                ]
                _print_links(((member.name, manager.invite(member.id, days)) for member in people), server)
            case PeopleAction.ASSIGN:
                assigned = _only(campaigns, "one --campaign")
                campaign_id = find_campaign_id(store, assigned)
                labellers = tuple(_find(manager, name).id for name in arguments)
                manager.assign(campaign_id, CampaignPeople(labellers, tuple(group or ())))
                print_status(f"{assigned} is for {', '.join([*arguments, *(group or ())]) or 'everybody'}.")
            case PeopleAction.TOKEN if not arguments:
                for row in manager.tokens():
                    used = f"used {row.used_at:%Y-%m-%d %H:%M}" if row.used_at else "not used"
                    read, state = ", ".join(row.campaigns) or "all campaigns", "valid" if row.valid else "not valid"
                    typer.echo("\t".join([row.name, row.owner, read, used, state]))
            case PeopleAction.TOKEN:
                ids = tuple(find_campaign_id(store, name) for name in campaigns)
                _make_or_revoke_token(
                    manager, _only(arguments, "the name of one token"), owner, ids, revoke, writes=writes
                )


def _make_or_revoke_token(
    manager: ManagerActions, name: str, owner: str, campaigns: tuple[str, ...], revoke: bool, *, writes: bool
) -> None:
    if revoke:
        tokens = {row.name: row.id for row in manager.tokens() if row.revoked_at is None}
        if name not in tokens:
            raise RecordError(f"No token is called {name!r}. There are: {', '.join(tokens) or 'none'}.")
        manager.revoke_token(tokens[name])
        print_status(f"Nobody reads with {name} any more.")
        return
    person = _find(manager, _only([owner] if owner else [], "one --owner"))
    typer.echo(manager.create_token(name, person.id, campaigns, writes=writes))


def _only(names: list[str], what: str) -> str:
    if len(names) != 1:
        raise RecordError(f"Give {what}; there are {len(names)}.")
    return names[0]


def _find(manager: ManagerActions, name: str) -> Member:
    people = {person.name: person for person in manager.people()}
    if name not in people:
        raise RecordError(f"Nobody is called {name!r}. There are: {', '.join(people) or 'none'}.")
    return people[name]


def _list(manager: ManagerActions) -> None:
    groups = manager.groups()
    for person in manager.people():
        state = "" if person.active else "not active"
        typer.echo(
            "\t".join([person.name, person.role.value, ", ".join(groups.get(person.id, ())), state]).rstrip("\t")
        )


def _print_links(invited: Iterable[tuple[str, str]], server: str) -> None:
    """A line with the name and the link of each, or the code where the address of the server is not given."""
    for name, code in invited:
        typer.echo(f"{name}\t{server.rstrip('/')}/?invite={quote(code)}" if server else f"{name}\t{code}")
