"""Identities: what makes two things the same."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

from annotations.store.writes import content_id, item_row, origin_row, text_id
from core.types import Edit, Span
from tests.unit.annotations.pair_samples import DOCUMENT, EDITED, EDITS, PAIR

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def identity(*edits: Edit, parent: str | None = "parent", document: str = "document") -> str:
    return item_row(document, EDITED, parent, edits, NOW).id


def test_a_document_is_named_by_the_first_half_of_its_hash() -> None:
    assert text_id(DOCUMENT) == hashlib.sha256(DOCUMENT.encode()).hexdigest()[:16]


def test_parts_of_an_identity_do_not_run_together() -> None:
    assert content_id("ab", "c") != content_id("a", "bc")
    assert content_id("a", None) != content_id("a", "null")


def test_an_item_is_its_text_document_parent_and_edits() -> None:
    (edit,) = EDITS
    others = {
        identity(),
        identity(edit),
        identity(edit, parent=None),
        identity(edit, document="other"),
        identity(replace(edit, new="lost")),
        identity(replace(edit, span=Span(0, 3))),
        identity(replace(edit, explanation="another reason")),
    }
    assert len(others) == 7


def test_who_made_an_edit_does_not_make_another_item() -> None:
    (edit,) = EDITS
    assert identity(edit) == identity(replace(edit, by="someone else"))


def test_the_scores_of_a_pair_do_not_make_another_origin() -> None:
    assert origin_row("item", PAIR, NOW).id == origin_row("item", replace(PAIR, outcomes=()), NOW).id
