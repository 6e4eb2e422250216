"""The sentences about edits that are not used."""

from __future__ import annotations

import pytest

from core.edits.editing.proposals import UnusedReason


@pytest.mark.parametrize(
    ("reason", "one", "two"),
    [
        (UnusedReason.UNREADABLE, "1 cannot be executed", "2 cannot be executed"),
        (UnusedReason.NOT_LOCAL, "1 is no small edit in one place", "2 are no small edit in one place"),
        (UnusedReason.REPEATED, "1 repeats another", "2 repeat another"),
        (UnusedReason.FAILED, "1 was not answered", "2 were not answered"),
    ],
)
def test_reasons_are_counted_in_words(reason: UnusedReason, one: str, two: str) -> None:
    assert (reason.count_phrase(1), reason.count_phrase(2)) == (one, two)
