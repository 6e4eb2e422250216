"""Executable edits: what is recovered, read or written leads to the edited text, and every refusal says what to do."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, strategies

from core.errors import AmbiguousEditError, EditError
from core.text import edits
from core.types import Edit, Span
from tests.doubles.texts import RANDOM, random_change, random_text

SUMMARY = "The harbour was closed. The mayor said the repairs cost 3.4 million."


@strategies.composite
def pairs(draw: strategies.DrawFn) -> tuple[str, str]:
    """A random text, and the same after one to four random changes, or another text altogether."""
    rng = draw(RANDOM)
    original = edited = random_text(rng, 30)
    for _ in range(rng.randint(1, 4)):
        edited = random_change(rng, edited)
    return original, random_text(rng, 30) if rng.randint(1, 10) == 1 else edited


def on(text: str, part: str, new: str, explanation: str = "because") -> Edit:
    start = text.index(part)
    return Edit(Span(start, start + len(part)), new, explanation, "ana")


def record(
    old: object = "closed", new: object = "open", why: object = "It was not.", **more: object
) -> dict[str, object]:
    return {"original_text": old, "replace_text": new, "explanation": why, **more}


def refusal(raw: object, summary: str = SUMMARY) -> str:
    with pytest.raises(EditError) as error:
        edits.parse(raw if isinstance(raw, str) else json.dumps(raw), summary)
    return str(error.value)


@given(pairs())
def test_the_recovered_edits_turn_the_original_into_the_edited_text(pair: tuple[str, str]) -> None:
    original, edited = pair
    found = edits.recover(original, edited)
    assert edits.apply(original, found) == edited
    assert all(before.span.end < after.span.start for before, after in pairwise(found))


@given(pairs())
def test_segments_join_to_both_texts(pair: tuple[str, str]) -> None:
    original, edited = pair
    segments = edits.segments(original, edited)
    assert "".join(text for op, text in segments if op <= 0) == original
    assert "".join(text for op, text in segments if op >= 0) == edited


@given(pairs())
def test_edits_laid_out_as_a_diff_join_to_both_texts(pair: tuple[str, str]) -> None:
    original, edited = pair
    laid = edits.as_segments(original, edits.recover(original, edited))
    assert "".join(text for op, text in laid if op <= 0) == original
    assert "".join(text for op, text in laid if op >= 0) == edited


@given(pairs())
def test_records_are_read_back_to_the_same_edited_text(pair: tuple[str, str]) -> None:
    original, edited = (first + text for first, text in zip(("Rain fell. ", "Snow fell. "), pair, strict=True))
    found = [replace(edit, explanation="because") for edit in edits.recover(original, edited)]
    read = edits.parse(json.dumps(edits.to_records(original, found)), original)
    assert edits.apply(original, read) == edited


def test_equal_texts_need_no_edit() -> None:
    assert edits.recover(SUMMARY, SUMMARY) == []


def test_a_changed_word_is_one_edit_of_the_whole_word() -> None:
    [edit] = edits.recover("The harbour was closed.", "The harbor was closed.")
    assert (edit.span, edit.new) == (Span(4, 11), "harbor")


def declared_edits(rng: random.Random, text: str) -> list[Edit]:
    """Changes of separate words, each with a reason."""
    places = [match.span() for match in re.finditer(r"\w+", text)]
    chosen = sorted(rng.sample(places, k=min(len(places), rng.randint(1, 4))))
    return [
        Edit(Span(*place), f"{rng.choice(('new', 'two new', ''))}{number}", f"reason {number}", "ana")
        for number, place in enumerate(chosen)
    ]


@given(RANDOM)
def test_declared_edits_alone_come_back_as_they_were(rng: random.Random) -> None:
    original = "Words " + random_text(rng, 20)
    declared = declared_edits(rng, original)
    assert edits.recover(original, edits.apply(original, declared), declared) == declared


@given(RANDOM)
def test_declared_edits_stay_whole_beside_further_changes(rng: random.Random) -> None:
    first, second = "Words " + random_text(rng, 15), random_text(rng, 15)
    middle = "\nNothing changes here, not one single word of it.\n"
    declared = declared_edits(rng, first)
    edited = edits.apply(first, declared) + middle + random_change(rng, second)
    found = edits.recover(first + middle + second, edited, declared)
    assert edits.apply(first + middle + second, found) == edited
    assert [edit for edit in found if edit.explanation] == declared


def test_a_declared_edit_of_a_phrase_stays_one_edit() -> None:
    declared = on(SUMMARY, "said the repairs cost", "claimed that the repair cost")
    assert edits.recover(SUMMARY, edits.apply(SUMMARY, [declared]), [declared]) == [declared]


def test_a_declared_edit_that_was_changed_again_loses_its_explanation() -> None:
    declared = on(SUMMARY, "closed", "open")
    [edit] = edits.recover(SUMMARY, SUMMARY.replace("closed", "shut"), [declared])
    assert (edit.new, edit.explanation) == ("shut", "")


def test_a_declared_edit_keeps_its_explanation_beside_a_change_before_it() -> None:
    declared = on(SUMMARY, "closed", "open")
    edited = edits.apply(SUMMARY, [on(SUMMARY, SUMMARY.split()[0], "Yesterday"), declared])
    assert declared in edits.recover(SUMMARY, edited, [declared])


def test_two_declared_edits_of_neighbouring_words_stay_two() -> None:
    declared = [on(SUMMARY, "harbour", "port"), on(SUMMARY, "was", "is")]
    assert edits.recover(SUMMARY, edits.apply(SUMMARY, declared), declared) == declared


def test_a_declared_edit_comes_back_when_a_later_one_of_the_same_words_is_undone() -> None:
    first, later = on(SUMMARY, "was closed", "was open"), on(SUMMARY, "closed", "shut")
    assert edits.recover(SUMMARY, edits.apply(SUMMARY, [first]), [first, later]) == [first]


def test_what_touches_a_declared_edit_makes_it_another_edit() -> None:
    declared = on(SUMMARY, "closed", "open")
    [edit] = edits.recover(SUMMARY, SUMMARY.replace("closed", "open!"), [declared])
    assert (edit.new, edit.explanation) == ("open!", "")


def test_a_declared_edit_that_was_taken_back_is_gone() -> None:
    assert edits.recover(SUMMARY, SUMMARY, [on(SUMMARY, "closed", "open")]) == []


def test_edits_are_executed_in_whatever_order_they_come() -> None:
    changes = [on(SUMMARY, "3.4", "5"), on(SUMMARY, "harbour", "port"), on(SUMMARY, "closed", "open")]
    assert edits.apply(SUMMARY, changes) == "The port was open. The mayor said the repairs cost 5 million."


def test_two_insertions_at_one_place_keep_their_order() -> None:
    assert edits.apply("ab", [Edit(Span(1, 1), "1"), Edit(Span(1, 1), "2")]) == "a12b"


def test_of_two_insertions_declared_at_one_place_the_later_counts() -> None:
    declared = [Edit(Span(4, 4), "old ", "first", "ana"), Edit(Span(4, 4), "busy ", "later", "ana")]
    assert edits.recover(SUMMARY, edits.apply(SUMMARY, declared[1:]), declared) == declared[1:]


def test_two_insertions_at_one_place_are_written_on_the_words_around_it() -> None:
    insertions = [Edit(Span(4, 4), "old ", "first"), Edit(Span(4, 4), "busy ", "later")]
    written = edits.to_records(SUMMARY, insertions)
    assert [entry["original_text"] for entry in written] == ["The ", "harbour"]
    assert edits.apply(SUMMARY, edits.parse(json.dumps(written), SUMMARY)) == edits.apply(SUMMARY, insertions)


def test_overlapping_edits_are_refused_with_both_places() -> None:
    with pytest.raises(EditError, match=r"overlap at 'The harbour' and 'harbour was'. Merge them into one\."):
        edits.apply(SUMMARY, [on(SUMMARY, "harbour was", "x"), on(SUMMARY, "The harbour", "y")])


@pytest.mark.parametrize("span", [Span(-1, 2), Span(3, 2), Span(0, 24)])
def test_an_edit_outside_the_text_is_refused(span: Span) -> None:
    with pytest.raises(EditError, match=f"An edit at {span.start}–{span.end} lies outside the text of 23 characters"):
        edits.apply(SUMMARY[:23], [Edit(span, "x")])


def test_one_object_is_read_as_one_edit() -> None:
    assert edits.parse(json.dumps(record()), SUMMARY, "ana") == [on(SUMMARY, "closed", "open", "It was not.")]


def test_a_list_is_read_as_edits_in_its_order() -> None:
    read = edits.parse(json.dumps([record("3.4", "5"), record("harbour", "port")]), SUMMARY)
    assert [edit.new for edit in read] == ["5", "port"]


def test_an_occurrence_chooses_among_equal_places() -> None:
    [edit] = edits.parse(json.dumps(record("The", "A", occurrence=2)), SUMMARY)
    assert edits.apply(SUMMARY, [edit]) == "The harbour was closed. A mayor said the repairs cost 3.4 million."


def test_occurrences_may_overlap() -> None:
    assert edits.occurrences("aa", "aaa") == [Span(0, 2), Span(1, 3)]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('{"original_text": "a",\n "replace_text" "b"}', "This is not JSON of an edit: Expecting ':' delimiter at line 2, column 17"),
        ("", "This is not JSON of an edit: Expecting value at line 1, column 1"),
        ("[" * 100_000, "This is not JSON of an edit: it is too deep or too long to be read"),
        ("9" * 5000, "This is not JSON of an edit: it is too deep or too long to be read"),
        ([], "The list of edits is empty. Give at least one object with original_text, replace_text, explanation"),
        (["closed"], "Expected an object with original_text, replace_text, explanation; got \"closed\""),
        ({"original_text": "closed"}, "The field 'replace_text' is missing or not a text"),
        (record(new=None), "The field 'replace_text' is missing or not a text"),
        (record(why=7), "The field 'explanation' is missing or not a text"),
        (record("closed", "closed"), "Nothing changes: original_text and replace_text are both 'closed'"),
        (record(why=" \n"), "The explanation is empty. Say why"),
        (record("", "open"), "original_text is empty. To insert, name a neighbouring word"),
        (record("Closed"), "'Closed' is not a substring of the summary. Copy it exactly, with case and punctuation"),
        (record("The", "A"), "'The' occurs 2 times. Add \"occurrence\": a number, or lengthen original_text. 1: “…The harbour was closed"),
        (record("The", "A", occurrence=3), "occurrence is 3; 'The' occurs 2 times. 1: "),
        (record("The", "A", occurrence=0), "occurrence is 0"),
        (record("The", "A", occurrence=True), "occurrence is true"),
        (record("The", "A", occurrence="2"), 'occurrence is "2"'),
        (record("closed", "open", occurrence=2), "occurrence is 2; 'closed' occurs 1 times"),
        ([record(), record("gone")], "Edit 2 of 2: 'gone' is not a substring"),
        ([record("was closed"), record("closed. The")], "Two edits overlap at 'was closed' and 'closed. The'"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_is_wrong_and_what_to_do(raw: object, said: str) -> None:
    assert said in refusal(raw)


def test_an_insertion_is_written_on_the_word_before_it() -> None:
    [written] = edits.to_records("Rain fell.", [Edit(Span(5, 5), "never ", "because")])
    assert (written["original_text"], written["replace_text"]) == ("Rain ", "Rain never ")


def test_an_insertion_at_the_start_is_written_on_the_word_after_it() -> None:
    [written] = edits.to_records("Rain fell.", [Edit(Span(0, 0), "No ", "because")])
    assert (written["original_text"], written["replace_text"]) == ("Rain", "No Rain")


def test_an_insertion_into_an_empty_summary_cannot_be_written() -> None:
    with pytest.raises(EditError, match="There is no word to write the insertion of 'Rain' on"):
        edits.to_records("", [Edit(Span(0, 0), "Rain", "because")])


def test_an_insertion_beside_an_edited_word_is_written_on_the_other_side() -> None:
    summary = "Rain fell here."
    changes = [Edit(Span(0, 4), "Snow", "because"), Edit(Span(4, 4), ", sadly,", "because")]
    written = edits.to_records(summary, changes)
    assert [record["original_text"] for record in written] == ["Rain", " fell"]
    assert edits.parse(json.dumps(written), summary)[0] == changes[0]


def test_a_record_names_the_occurrence_only_where_it_must() -> None:
    written = edits.to_records("a b a", [Edit(Span(4, 5), "c", "because"), Edit(Span(2, 3), "d", "because")])
    assert [record.get("occurrence") for record in written] == [None, 2]


def test_the_words_of_a_long_text_of_many_scripts_are_not_mixed_up() -> None:
    """More distinct words than there are code points before the surrogates, which are no characters."""
    original = " ".join(f"word{number}" for number in range(60_000))
    edited = original.replace("word59998", "other")
    [edit] = edits.recover(original, edited)
    assert (edit.span.of(original), edit.new) == ("word59998", "other")


def test_an_ambiguous_edit_offers_its_places_and_takes_the_chosen_one() -> None:
    summary = "The plan passed. The plan costs much."
    text = '[{"original_text": "passed", "replace_text": "failed", "explanation": "x"}, '
    text += '{"original_text": "plan", "replace_text": "idea", "explanation": "y"}]'
    with pytest.raises(AmbiguousEditError, match="Edit 2 of 2") as raised:
        edits.parse(text, summary)
    assert (raised.value.record, len(raised.value.places)) == (1, 2)
    chosen = edits.parse(edits.with_occurrence(text, raised.value.record, 2), summary)
    assert edits.apply(summary, chosen) == "The plan failed. The idea costs much."


def test_a_diff_in_context_keeps_every_change_and_leaves_the_rest_out() -> None:
    original = "At first it rained for days. The old bridge, which had stood for years, was gone, and nobody came."
    made = edits.parse(json.dumps([record_of("old", "new"), record_of("gone", "here")]), original)
    laid = edits.as_segments(original, made)
    shown = edits.abridge_unchanged(laid, margin=12)
    assert [segment for segment in shown if segment[0]] == [segment for segment in laid if segment[0]]
    assert [text for op, text in shown if op == 0] == [" … days. The ", " bridge, … years, was ", ", and nobody came."]


def test_what_follows_the_last_change_of_a_diff_is_cut_off_once() -> None:
    shown = edits.abridge_unchanged([(1, "Now "), (0, "nobody came over the bridge for days and days")], margin=12)
    assert shown == [(1, "Now "), (0, "nobody came … ")]


def record_of(old: str, new: str) -> dict[str, str]:
    return {"original_text": old, "replace_text": new, "explanation": "x"}
