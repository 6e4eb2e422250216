"""Presses of a manager's pages, replayed by people who may not open them: nothing is changed, shown or broken by one.

`python -m tests.attacks.replays --least 1300` presses every widget of every page, alone and with all others of its page.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import httpx2
import typer

from annotations.people.people import RIGHTS, Role
from annotations.people.sign_in import load_invites, revoke_invite
from pages.server.sign_in import SESSION_COOKIE
from pages.ui.shared.page_list import PAGES
from tests.attacks.presses import PageSocket, Press, page_socket
from tests.e2e.shared_server import SharedServer, opened

_OWN = frozenset({"login_session", "session"})
"""Tables of sessions, which end by themselves."""


@dataclass
class Replays:
    """Counts of presses that were replayed, by the role that sent them, and what went wrong."""

    sent: Counter[str] = field(default_factory=Counter)
    through: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)


def forbidden(role: Role | None) -> list[str]:
    """Names of the pages that a role may not open; all for a stranger."""
    return [page.name for page in PAGES if role is None or page.right not in RIGHTS[role]]


def contents(database: Path) -> Mapping[str, str]:
    """All rows of every table but those of sessions."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: json.dumps(connection.execute(f'SELECT * FROM "{name}"').fetchall(), default=repr)
            for name in names
            if name not in _OWN
        }


def cookie(shared: SharedServer, code: str) -> dict[str, str]:
    """The cookie of a browser that opened a personal link."""
    with httpx2.Client(timeout=60) as http:
        http.get(f"{shared.server.url}/?invite={code}", headers={"Accept": "text/html"})
        return {SESSION_COOKIE: http.cookies[SESSION_COOKIE]}


def captured(manager: PageSocket, campaign: str) -> dict[str, list[Press]]:
    """The widgets of every page as a manager sees them, in two states of Campaigns."""
    presses: dict[str, list[Press]] = {}
    for page in PAGES:
        presses[page.name] = list(manager.run(page.name).presses)
        typer.echo(f"{len(presses[page.name])} widgets on {page.name}", err=True)
    presses["campaigns"] += manager.run("campaigns", query=f"campaign={campaign}").presses
    return {page: list(dict.fromkeys(of_page)) for page, of_page in presses.items()}


def replay(attacker: PageSocket, presses: Sequence[Press], who: str, own: Set[str], replays: Replays) -> None:
    """Press each widget of a page alone, in its fragment, and together with all others; `own` has widgets of the attacker's own page."""
    ids = {press.id for press in presses} - own
    for press in presses:
        for sent, fragment in (([press], ""), ([press], press.fragment), (presses, press.fragment)):
            if sent == [press] and not fragment and press.fragment:
                continue  # a browser names the fragment
            drawing = attacker.run(press.page, sent, fragment)
            replays.sent[who] += 1
            place = f"{who}, {press.page}, {press.kind} {press.id[-60:]}"
            if shown := ids & {other.id for other in drawing.presses}:
                replays.through.append(f"{place}: shows {len(shown)} widgets of the page")
            replays.crashes += [f"{place}: {text}" for text in drawing.exceptions]


def replay_all(shared: SharedServer, most_of_a_page: int) -> Replays:
    """Replay the presses of a manager as a stranger, a revoked manager, and each other role."""
    replays = Replays()
    campaign = shared.campaign("label-summaries", items=2)
    _, code = shared.code(Role.MANAGER, "Boss")
    gone, gone_code = shared.code(Role.MANAGER, "Gone")
    cookies: dict[str, tuple[Role | None, dict[str, str]]] = {
        "a stranger": (None, {}),
        "a revoked manager": (None, cookie(shared, gone_code)),
        **{
            role.value: (role, cookie(shared, shared.code(role)[1]))
            for role in (Role.ANNOTATOR, Role.ADJUDICATOR, Role.RESEARCHER)
        },
    }
    with page_socket(shared.server.url, cookie(shared, code)) as manager:
        presses = captured(manager, campaign.id)
    with shared.store.writing() as session:
        [invite] = [row for row in load_invites(session) if row.person == gone.name]
        revoke_invite(session, invite.id, "boss")
    with ExitStack() as sockets:
        for who, (role, cookies_of_who) in cookies.items():
            attacker = sockets.enter_context(page_socket(shared.server.url, cookies_of_who))
            own = {press.id for press in attacker.run("").presses}
            before = contents(shared.server.database)
            for page in forbidden(role):
                typer.echo(f"{replays.sent.total():,} so far; {who} presses {page}", err=True)
                replay(attacker, presses[page][: most_of_a_page or None], who, own, replays)
                after = contents(shared.server.database)
                replays.through += [
                    f"{who}, {page}: {table} has changed" for table in before if before[table] != after.get(table)
                ]
                before = after
    return replays


def lines(replays: Replays) -> Iterator[str]:
    listed = ", ".join(f"{who} {count:,}" for who, count in replays.sent.items())
    yield f"{replays.sent.total():,} presses replayed ({listed}): {len(replays.through)} through, {len(replays.crashes)} crashes"
    yield from replays.through
    yield from replays.crashes


def main(
    least: Annotated[int, typer.Option(help="Fail where fewer were replayed.")] = 0,
    each: Annotated[int, typer.Option(help="Widgets of each page; 0 for all.")] = 0,
) -> None:
    with TemporaryDirectory() as folder, opened(Path(folder)) as shared:
        replays = replay_all(shared, each)
    for line in lines(replays):
        typer.echo(line)
    sys.exit(bool(replays.through or replays.crashes) or replays.sent.total() < least)


if __name__ == "__main__":
    typer.run(main)
