"""A key passes the gate of the page: who is not known any more has nothing scored."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotations.store.records import RightsError, UnavailableError
from pages.ui.probe import typed_scores


@pytest.mark.parametrize("error", [RightsError("You are signed out."), UnavailableError("The database is away.")])
def test_a_key_of_who_is_not_known_runs_the_page(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    reruns = _reruns(monkeypatch)

    def refuse() -> None:
        raise error

    monkeypatch.setattr(typed_scores, "current_member", refuse)
    typed_scores.score_typed()  # it returns: Streamlit then runs the page
    assert not reruns


def test_a_key_of_who_is_known_runs_the_scores_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    reruns = _reruns(monkeypatch)
    monkeypatch.setattr(typed_scores, "current_member", lambda: None)
    typed_scores.score_typed()
    assert reruns == ["typed"]


def _reruns(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    reruns: list[str] = []
    append: Callable[[str], None] = reruns.append
    monkeypatch.setattr(typed_scores, "note_change", lambda: None)
    monkeypatch.setattr(typed_scores.st, "rerun", append)
    return reruns
