"""Summaries of several systems out of a file: grouped by document, and kept with their names in a link."""

from __future__ import annotations

from core.types import Edit, Example, Intention, Item, Span, Verdict
from pages.ui.probe.pair_upload import read_uploaded_pairs
from pages.ui.probe.system_outputs import outputs_by_document
from pages.ui.shared.pair_link import PinnedEdit, _pack, _plain_edits, unpack_pinned

FILE = b"""document,summary,system,label
The ferry left at noon.,It left at noon.,old,consistent
The ferry left at noon.,It left at night.,new,inconsistent
The mill burned.,The mill burned.,old,
"""


def test_documents_with_summaries_of_two_systems_are_found_in_a_file() -> None:
    items = [entry for entry in read_uploaded_pairs("outputs.csv", FILE) if isinstance(entry, Item)]
    outputs = outputs_by_document(items)
    assert list(outputs) == ["The ferry left at noon."]
    assert [(item.system, item.intended) for item in outputs["The ferry left at noon."]] == [
        ("old", Verdict.CONSISTENT),
        ("new", Verdict.INCONSISTENT),
    ]


def test_edits_of_a_summary_and_pairs_without_a_system_are_no_outputs() -> None:
    plain = Item(Example("a", "The ferry left.", "It left."), system="old")
    edited = Item(Example("b", "The ferry left.", "It stayed."), system="old", parent="a")
    assert outputs_by_document([plain, edited, Item(Example("c", "The ferry left.", "It sank."))]) == {}


def test_a_link_keeps_the_system_and_reads_links_of_before() -> None:
    edit = Edit(Span(3, 7), "stayed", "")
    plain = _plain_edits("It left.", [edit])
    assert unpack_pinned(_pack([[plain, "", "", "new"]]), "It left.") == (PinnedEdit((edit,), Intention(), "new"),)
    assert unpack_pinned(_pack([[plain, "", ""]]), "It left.") == (PinnedEdit((edit,)),)
