"""The people of a campaign are looked after from the terminal."""

from __future__ import annotations

from contextlib import closing

from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.command_line import run


def test_a_person_is_paused_and_let_go_on(database: str) -> None:
    with closing(Store.open(database)) as store:
        opened = make_campaign(store, items=12, apart=0, least_seconds=2)
        opened.label(opened.annotator("hasty"), 4)
    assert run("campaign", "people", "Boats").stdout == (
        "hasty\t4\t0 of 4 labels not too fast: at most 65%, at least 50% asked\n"
    )
    assert "no more items" in run("campaign", "pause", "Boats", "hasty", "--reason", "Read first.").stderr
    assert run("campaign", "people", "Boats").stdout == "hasty\t4\tpaused: Read first.\n"
    assert "again" in run("campaign", "resume", "Boats", "hasty").stderr
    for wrong in (["people", "Ships"], ["pause", "Boats", "nobody", "--reason", "x"], ["resume", "Boats", "hasty"]):
        assert isinstance(run("campaign", *wrong).exception, RecordError), wrong
    assert isinstance(run("campaign", "pause", "Boats", "hasty").exception, RecordError)


def test_labels_are_left_out_and_let_in_again(database: str) -> None:
    with closing(Store.open(database)) as store:
        opened = make_campaign(store, items=3)
        opened.label(opened.annotator("bad"), 2)
    assert "2 labels of bad are left out" in run("campaign", "exclude", "Boats", "bad", "--reason", "Guessed.").stderr
    line = run("campaign", "people", "Boats").stdout.splitlines()[1]
    assert line == "exclusion 1\tbad\t2 labels: Guessed."
    assert "count again" in run("campaign", "reinstate", "Boats", "1", "--reason", "All were right.").stderr
    assert run("campaign", "people", "Boats").stdout.endswith("counts again: All were right.\n")
    assert isinstance(run("campaign", "reinstate", "Boats", "1", "--reason", "x").exception, RecordError)
    assert isinstance(
        run("campaign", "exclude", "Boats", "bad", "--reason", "x", "--day", "2020-01-01").exception, RecordError
    )
