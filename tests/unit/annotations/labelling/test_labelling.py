"""What an annotator does: what is saved, what is refused, and what an annotator never gets to see."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import select

from annotations.campaigns.campaign import NewTask
from annotations.campaigns.qualification import Stage
from annotations.labelling.labelling import AnnotatorActions, AnnotatorProgress, load_revealed_scores
from annotations.labelling.responses import SentResponse
from annotations.people.people import Role
from annotations.results.results import first_blind_labels, load_labels
from annotations.store.database import read_session
from annotations.store.records import ChangedElsewhereError, PairRecord, RecordError, RightsError
from annotations.store.response_tables import Reservation, Response
from annotations.store.store import Store
from core.types import Failure, FailureKind
from tests.unit.annotations.campaigns.actors import ANSWERS, make_campaign, save_items


def test_a_label_is_kept_with_how_it_was_shown(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=1)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    receipt = opened.send(annotator, work, active_ms=4200, wall_ms=9000)
    with store.writing() as session:
        [row] = session.exec(select(Response)).all()
    assert (receipt.is_new, receipt.revision) == (True, 1)
    assert (row.answers, row.active_ms, row.wall_ms, row.version) == (ANSWERS["label-pairs"], 4200, 9000, 1)
    assert row.swapped == work.left.startswith("Raft")


def test_a_press_that_is_sent_twice_is_saved_once(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    opened.send(annotator, work, event_id="press")
    again = opened.send(annotator, work, event_id="press")
    assert (again.is_new, again.revision) == (False, 1)
    with store.writing() as session:
        assert len(session.exec(select(Response)).all()) == 1


def test_an_event_of_another_task_is_refused_and_not_lost_in_silence(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    opened.send(annotator, opened.next_task(annotator), event_id="press")
    with pytest.raises(RecordError, match="belongs to another label"):
        opened.send(annotator, opened.next_task(annotator), event_id="press")


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"confidence": 3}, "“Is the summary consistent with the document?” is not answered yet"),
        ({"verdict": "maybe", "confidence": 3}, "'maybe' is no answer"),
        ({"verdict": "consistent", "confidence": 9}, "9 is no answer"),
        ({"verdict": "inconsistent", "confidence": 3}, "“What decided it\\?” is not answered yet"),
        ({"verdict": "consistent", "confidence": 3, "mood": "good"}, "There is no question 'mood'"),
        ({"verdict": "consistent", "confidence": 3, "evidence": [[0, 9999]]}, "Mark it again"),
        ({"verdict": "consistent", "confidence": 3, "evidence": [[5, 2]]}, "is no answer"),
    ],
)
def test_answers_that_do_not_fit_are_refused_with_a_sentence(
    store: Store, answers: dict[str, Any], sentence: str
) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    with pytest.raises(RecordError, match=sentence.replace("?”", "\\?”") if "\\" not in sentence else sentence):
        opened.send(annotator, work, answers=answers)
    assert opened.next_task(annotator) == work


def test_an_answer_to_a_question_that_does_not_come_up_is_left_out(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    opened.send(
        annotator,
        opened.next_task(annotator),
        answers={"verdict": "consistent", "confidence": 3, "reason": "changed my mind"},
    )
    with store.writing() as session:
        [row] = session.exec(select(Response)).all()
    assert row.answers == {"verdict": "consistent", "confidence": 3}


def test_a_task_reserved_for_another_person_cannot_be_answered(store: Store) -> None:
    opened = make_campaign(store)
    work = opened.next_task(opened.annotator("ben"))
    with pytest.raises(RecordError, match="not reserved for you"):
        opened.send(opened.annotator("cem"), work)


@pytest.mark.parametrize("act", ["skip", "flag"])
def test_what_is_left_out_needs_a_reason_and_goes_to_somebody_else(store: Store, act: Any) -> None:
    opened = make_campaign(store, items=1)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    work = opened.next_task(ben)
    with pytest.raises(RecordError, match="Say in a few words why"):
        opened.send(ben, work, act, reason=" ")
    opened.send(ben, work, act)
    assert opened.no_task_reason(ben) == "over"
    assert opened.next_task(cem).document == work.document


def test_undo_shows_the_last_task_again(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    first = opened.next_task(annotator)
    opened.send(annotator, first)
    second = opened.next_task(annotator)
    opened.send(annotator, first, "undo")
    again = opened.next_task(annotator)
    assert (again.reservation, again.answers) == (first.reservation, ANSWERS["label-summaries"])
    opened.send(annotator, again)
    assert opened.next_task(annotator) == second


def test_an_answer_that_another_window_gave_meanwhile_is_never_replaced_unseen(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    opened.send(annotator, work, seen=work.revision)
    for act in ("answer", "skip"):
        with pytest.raises(ChangedElsewhereError, match="item 1 in another window"):
            opened.send(annotator, work, act, seen=work.revision)
    _, known = annotator.shown(work.reservation)
    assert (known.answers, known.revision) == (ANSWERS["label-summaries"], 1)
    assert opened.send(annotator, known, seen=known.revision).revision == 2


def test_claims_are_linked_with_the_passages_that_decide_them(store: Store) -> None:
    opened = make_campaign(store, "label-frank", items=1)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    link = {"claim": [0, 4], "evidence": [0, 6]}
    answers = {"verdict": "inconsistent", "errors": ["EntE", "CircE"], "wrong_words": [[0, 4]], "links": [link, link]}
    for wrong in (
        {**link, "claim": [0, len(work.left) + 1]},
        {**link, "evidence": [0, len(work.document) + 1]},
        {"claim": [0, 4]},
        {**link, "note": "x"},
        [0, 4],
    ):
        with pytest.raises(RecordError):
            opened.send(annotator, work, answers={**answers, "links": [wrong]})
    opened.send(annotator, work, answers=answers)
    assert annotator.shown(work.reservation)[1].answers == answers


def test_an_earlier_task_is_looked_at_again_with_its_answers(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    first, second = opened.label(annotator, 2)
    now = opened.next_task(annotator)
    before = annotator.previous(opened.campaign.id, now.number)
    answered = {"answers": ANSWERS["label-summaries"], "revision": 1}
    assert before == replace(second, **answered)
    assert annotator.previous(opened.campaign.id, second.number) == replace(first, **answered)
    assert annotator.previous(opened.campaign.id, first.number) is None


def test_drafts_survive_a_restart(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    annotator.save_draft(work.reservation, {"verdict": "consistent"})
    with store.writing() as session:
        person = session.exec(select(Reservation.person_id)).one()
    assert annotator.draft(work.reservation) == {"verdict": "consistent"}
    assert person
    assert opened.annotator("cem").draft(work.reservation) == {}


def test_a_draft_is_forgotten_when_its_task_is_answered(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    annotator.save_draft(work.reservation, {"answers": {"verdict": "borderline"}})
    opened.send(annotator, work)
    assert annotator.draft(work.reservation) == {}


def test_words_of_a_pair_are_marked_with_their_side_and_read_unswapped(store: Store) -> None:
    items = 30  # as many that none of them on one of the sides is as good as impossible
    opened = make_campaign(store, "label-pairs", items=items)
    annotator = opened.annotator("ben")
    for _ in range(items):
        work = opened.next_task(annotator)
        side = "left" if work.left.startswith("Raft") else "right"
        answers = {**ANSWERS["label-pairs"], "unfaithful": side, "wrong_words": [[0, 4, side]]}
        opened.send(annotator, work, answers=answers)
    with read_session(store.engine) as session:
        labels = first_blind_labels(load_labels(session, opened.campaign))
        shown = session.exec(select(Response.swapped)).all()
    assert set(shown) == {True, False}
    assert [(label.answers["unfaithful"], label.answers["wrong_words"]) for label in labels] == [
        ("right", [[0, 4, "right"]])
    ] * items


@pytest.mark.parametrize(
    ("questions", "name", "span"),
    [
        ("label-pairs", "wrong_words", [0, 4]),
        ("label-pairs", "wrong_words", [0, 400, "left"]),
        ("label-pairs", "evidence", [0, 4, "left"]),
        ("label-summaries", "evidence", [0, 4, "left"]),
    ],
)
def test_marked_words_that_are_nowhere_are_refused(store: Store, questions: str, name: str, span: list[Any]) -> None:
    opened = make_campaign(store, questions)
    annotator = opened.annotator("ben")
    with pytest.raises(RecordError, match="Mark it again"):
        opened.send(annotator, opened.next_task(annotator), answers={**ANSWERS[questions], name: [span]})


def test_only_the_first_label_is_blind_where_scores_are_shown_afterwards(store: Store) -> None:
    opened = make_campaign(store, items=1, reveal=True)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    opened.send(annotator, work)
    opened.send(annotator, work, "undo")
    opened.send(annotator, work)
    with read_session(store.engine) as session:
        assert session.exec(select(Response.blind)).all() == [True, False, False]


def test_scores_are_shown_only_after_the_own_label(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=2, reveal=True)
    ben, cem = (opened.person(name) for name in ("ben", "cem"))
    work = opened.next_task(AnnotatorActions(store, ben))
    for person in (ben, cem):
        with pytest.raises(RightsError, match="after your own label"):
            load_revealed_scores(store, person, work.reservation)
    opened.send(AnnotatorActions(store, ben), work)
    assert load_revealed_scores(store, ben, work.reservation) == {}
    with pytest.raises(RightsError, match="after your own label"):
        load_revealed_scores(store, cem, work.reservation)


def test_a_campaign_that_shows_no_scores_shows_none(store: Store) -> None:
    opened = make_campaign(store, items=1)
    ben = opened.person("ben")
    [work] = opened.label(AnnotatorActions(store, ben), 1)
    with pytest.raises(RightsError, match="does not show scores"):
        load_revealed_scores(store, ben, work.reservation)


def test_progress_of_an_annotator(store: Store) -> None:
    opened = make_campaign(store, pass_right=1)
    training = {"part": "training", "key": {"verdict": "consistent"}}
    opened.add_tasks([NewTask(save_items(store, number)[0], **training) for number in (7, 8)])
    annotator = opened.annotator("ben")
    assert (annotator.progress(opened.campaign.id), annotator.last_campaign()) == (
        AnnotatorProgress(Stage.TRAINING, 0, 2, 0, 0),
        None,
    )
    opened.label(annotator, 1)
    assert annotator.progress(opened.campaign.id) == AnnotatorProgress(Stage.TRAINING, 1, 2, 1, 1)
    assert annotator.last_campaign() == opened.campaign.id


def test_expected_training_answers_have_the_sides_as_shown(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=0)
    key = {"unfaithful": "right"}
    opened.add_tasks(
        [NewTask(save_items(store, number)[0], part="training", key=key, feedback="It was.") for number in range(6)]
    )
    annotator = opened.annotator("ben")
    for work in opened.label(annotator, 6):
        marked = annotator.feedback(work.reservation)
        side = "left" if work.left.startswith("Raft") else "right"
        assert marked is not None
        assert (marked.expected, marked.is_correct, marked.feedback) == (
            {"unfaithful": side},
            side == "right",
            "It was.",
        )


def test_a_time_longer_than_the_databases_hold_is_kept_as_the_longest(store: Store) -> None:
    opened = make_campaign(store, items=1)
    annotator = opened.annotator("ben")
    opened.send(annotator, opened.next_task(annotator), active_ms=-5, wall_ms=2**40)
    with read_session(store.engine) as session:
        [row] = session.exec(select(Response)).all()
    assert (row.active_ms, row.wall_ms) == (0, 2**31 - 1)


def test_a_receipt_says_that_others_had_taken_the_place(store: Store) -> None:
    opened = make_campaign(store, items=1, expires_minutes=1)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    late = opened.next_task(ben)
    with store.writing() as session:
        reservation = session.get_one(Reservation, late.reservation)
        reservation.expires_at -= timedelta(minutes=2)
        session.add(reservation)
    opened.send(cem, opened.next_task(cem))
    assert not opened.send(ben, late).counts


def test_labelling_reads_no_scores_origins_keys_or_labels_of_others(store: Store) -> None:
    """Blind by construction: the database itself says what was read."""
    opened = make_campaign(store, "label-pairs", items=3, overlap=2, gold_every=2)
    failed = Failure("edited", "rouge2", FailureKind.ERROR, "It is broken.")
    pair = PairRecord("A b c d e.", "A b c d.", "A b c d.", (), by="ada", outcomes=(failed,))
    store.save_pair(pair)
    opened.label(opened.annotator("cem"), 3)
    annotator = opened.annotator("ben")
    statements: list[str] = []

    @event.listens_for(store.engine, "before_cursor_execute")
    def listen(_: object, __: object, statement: str, *___: object) -> None:
        statements.append(" ".join(statement.split()))

    opened.label(annotator, 3)
    chosen = [statement for statement in statements if statement.startswith("SELECT")]
    assert chosen
    for statement in chosen:
        columns = statement.partition(" FROM ")[0]
        assert "score" not in columns
        assert "origin." not in columns
        assert not re.search(r"FROM score\b", statement)
        if "taskkey" in statement:
            assert "reservation.person_id" in statement  # own answers only, to see whether the qualification was passed


def test_what_is_shown_holds_nothing_but_texts(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=1)
    work = opened.next_task(opened.annotator("ben"))
    assert set(asdict(work)) == {
        *("reservation", "number", "stage", "document", "left", "right"),
        *("explanation", "error_type", "answers", "revision", "mode", "suggested", "close"),
        *("contexts", "question", "shown"),
    }
    assert (work.mode, work.suggested, work.close) == ("unaided", {}, ())


def test_only_the_columns_that_the_rules_name_are_shown(store: Store) -> None:
    opened = make_campaign(store, items=0, shown_columns=("id", "absent"))
    pair = PairRecord("It ran.", "It ran.", "It ran.", (), by="")
    opened.add_tasks([NewTask(pair=pair, columns={"id": "q-7", "system": "north", "label": "1"})])
    work = opened.next_task(opened.annotator("ben"))
    assert work.shown == {"id": "q-7"}
    assert "north" not in repr(work)


def test_every_role_may_label(store: Store) -> None:
    opened = make_campaign(store)
    for role in Role:
        assert AnnotatorActions(store, opened.person(role.value, role)).campaigns()


def test_a_response_without_a_task_is_refused(store: Store) -> None:
    opened = make_campaign(store)
    with pytest.raises(RecordError, match="not reserved for you"):
        opened.annotator("ben").send(SentResponse(999, "answer", "press", {}))
