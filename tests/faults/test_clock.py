"""A clock that was set back by a day while people label: nothing is lost, doubled or refused."""

from __future__ import annotations

import datetime as clock
import sys
from contextlib import closing
from pathlib import Path

import pytest

from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import campaign_rows, make_campaign


class Yesterday(clock.datetime):
    """The time of a clock that is a day late."""

    @classmethod
    def now(cls, tz: clock.tzinfo | None = None) -> Yesterday:
        late = clock.datetime.now(tz) - clock.timedelta(days=1)
        return cls.fromtimestamp(late.timestamp(), tz)


def set_back(patch: pytest.MonkeyPatch) -> None:
    """For all code of the store that has been imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("annotations.") and getattr(module, "datetime", None) is clock.datetime:
            patch.setattr(module, "datetime", Yesterday)


def test_labels_go_on_while_the_clock_is_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Store.open(f"sqlite:///{tmp_path / 'touchstone.db'}")) as store:
        campaign = make_campaign(store, items=4, overlap=2)
        eva, ben = campaign.annotator("eva"), campaign.annotator("ben")
        in_hand = campaign.next_task(eva)
        campaign.label(ben, 1)
        with monkeypatch.context() as patch:
            set_back(patch)
            assert campaign.send(eva, in_hand, event_id="press").is_new
            assert not campaign.send(eva, in_hand, event_id="press").is_new
            campaign.label(ben, 2)
            campaign.label(eva, 1)
        campaign.label(eva, 2)
        campaign.label(ben, 1)
        rows = [row for row in campaign_rows(store, campaign.campaign.id) if row.get("event_id")]
        assert len(rows) == 8
        assert len({row["event_id"] for row in rows}) == 8
