"""Many at once, and a program that is killed: nothing acknowledged is lost. The benches in tests/load do this at size."""

from __future__ import annotations

import pytest

from annotations.store.store import Store
from tests.load.annotators import measure
from tests.load.killing import kill_again_and_again


def test_a_crowd_loses_no_label_doubles_none_and_keeps_to_the_overlap(store: Store) -> None:
    measured = measure(store, number=8, labels=5, overlap=4)
    assert measured.tally.acknowledged == measured.tally.kept == 40
    assert measured.tally.is_clean


@pytest.mark.slow
def test_every_label_acknowledged_before_a_kill_is_there_and_the_database_is_whole(url: str) -> None:
    kept = kill_again_and_again(url, rounds=2)
    assert kept.tally.acknowledged > 0
    assert kept.tally.is_clean
    assert kept.verdict == "ok"
