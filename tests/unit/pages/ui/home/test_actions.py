"""Finds of the search besides places: actions, views, chapters and terms."""

from __future__ import annotations

import pytest

from annotations.people.people import Member, Role
from pages.server.routes import page_names
from pages.ui.home.actions import action_places, found_places
from pages.ui.home.places import matching

MANAGER = Member("id", "somebody", Role.MANAGER)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("train", "action"),
        ("latex", "action"),
        ("upload", "action"),
        ("import", "action"),
        ("glossary", "document"),
        ("noise band", "term"),
        ("verdicts", "view"),
    ],
)
def test_words_for_what_one_wants_find_something(words: str, kind: str) -> None:
    assert kind in {place.kind for place in matching(list(found_places(MANAGER)), words)}


def test_every_place_is_on_a_page_or_in_a_document() -> None:
    for place in found_places(MANAGER):
        assert place.view in page_names() if place.view else "docs/" in place.query["href"]


def test_an_annotator_finds_no_action_of_others() -> None:
    assert {place.view for place in action_places(Member("id", "ann", Role.ANNOTATOR))} == {"annotate"}
