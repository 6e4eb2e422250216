"""Two servers on one SQLite file, in which people label at once: nothing is lost, nothing doubled, nobody refused."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from annotations.campaigns.campaign import load_campaigns
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.responses import SentResponse
from annotations.people.people import find_person
from annotations.store.database import read_session
from annotations.store.store import Store
from tests.doubles.process import finish, start
from tests.unit.annotations.campaigns.actors import ANSWERS, campaign_rows, make_campaign

_ITEMS = 15


def label_all(url: str, name: str) -> None:
    """Label every task of a person, and press twice each time, as a page does that got no receipt."""
    with closing(Store.open(url)) as store:
        with read_session(store.engine) as session:
            [campaign], person = load_campaigns(session), find_person(session, name)
        assert person
        annotator = AnnotatorActions(store, person)
        while isinstance(task := annotator.next(campaign.id), ShownTask):
            for _ in range(2):
                press = f"{name} {task.reservation}"
                annotator.send(SentResponse(task.reservation, "answer", press, ANSWERS["label-summaries"]))
            sys.stdout.write(f"{press}\n")


def test_two_apps_on_one_file_lose_and_double_no_label(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'touchstone.db'}"
    with closing(Store.open(url)) as store:
        campaign = make_campaign(store, items=_ITEMS, overlap=2)
        for name in ("eva", "ben"):
            campaign.annotator(name)
        apps = [
            start("-c", f"from tests.faults.test_two_apps import label_all; label_all({url!r}, {name!r})")
            for name in ("eva", "ben")
        ]
        ended = [finish(app) for app in apps]
        assert [(status, messages) for status, _, messages in ended] == [(0, "")] * 2
        acknowledged = sorted(line for _, output, _ in ended for line in output.splitlines())
        rows = [row for row in campaign_rows(store, campaign.campaign.id) if row.get("event_id")]
        assert sorted(row["event_id"] for row in rows) == acknowledged
        assert len(rows) == 2 * _ITEMS
