"""What a manager sets up and revises, and what is refused before anybody labels."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from annotations.campaigns.campaign import CampaignRules, CampaignSettings, NewTask, VersionContent
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.task_list import TaskRemark
from annotations.labelling.labelling import AnnotatorActions, load_revealed_scores
from annotations.management.campaign_progress import estimate_finish
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.store.campaign_tables import Campaign
from annotations.store.records import PairRecord, RecordError
from annotations.store.store import Store
from core.types import Edit, Span
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items

SUMMARIES = VersionContent(bundled_question_sets()["label-summaries"], "Read it all.", CampaignRules())
BAD_KEY = {"verdict": "inconsistent"}


@pytest.fixture
def manager(store: Store) -> ManagerActions:
    return boss_of(make_campaign(store, items=0))


def boss_of(opened: CampaignFixture) -> ManagerActions:
    return ManagerActions(opened.store, opened.person("ada", Role.MANAGER))


def opened_by(
    manager: ManagerActions, wording: VersionContent = SUMMARIES, tasks: tuple[NewTask, ...] = ()
) -> CampaignSettings:
    return manager.create("Harbour", wording, tasks)


def test_texts_that_are_nowhere_yet_are_kept_with_the_campaign(store: Store, manager: ManagerActions) -> None:
    edit = Edit(Span(3, 6), "was not", "It was.")
    pair = PairRecord("The quay was shut.", "It was shut.", "It was not shut.", (edit,), by="bundled")
    campaign = opened_by(manager, tasks=(NewTask(pair=pair), NewTask(pair=pair)))
    [task] = manager.tasks(campaign.id)
    assert (task.summary, task.part, task.labels) == ("It was not shut.", "work", 0)
    assert store.counts()["origin"] == 1


def test_a_campaign_is_there_with_all_its_items_or_not_at_all(store: Store, manager: ManagerActions) -> None:
    with pytest.raises(RecordError, match="There is no item 'nowhere'"):
        opened_by(manager, tasks=(NewTask(save_items(store, 1)[0]), NewTask("nowhere")))
    with store.writing() as session:
        assert session.exec(select(Campaign.name)).all() == ["Boats"]


def test_a_name_is_given_once(manager: ManagerActions) -> None:
    opened_by(manager)
    with pytest.raises(RecordError, match="a campaign called 'Harbour' already"):
        opened_by(manager)


def test_more_right_answers_than_items_would_keep_everybody_out(store: Store, manager: ManagerActions) -> None:
    strict = replace(SUMMARIES, rules=CampaignRules(pass_right=2))
    known = NewTask(save_items(store, 1)[0], "qualification", key=BAD_KEY)
    with pytest.raises(RecordError, match="2 answers of the qualification must be right, and it has 1 items"):
        opened_by(manager, strict, (known,))
    campaign = opened_by(manager, tasks=(known,))
    with pytest.raises(RecordError, match="ask for fewer right ones"):
        manager.revise(campaign.id, strict)


def test_an_edit_of_a_given_type_needs_the_type(store: Store, manager: ManagerActions) -> None:
    written = replace(SUMMARIES, questions=bundled_question_sets()["write-typed"])
    with pytest.raises(RecordError, match="asks for an edit of a given error type"):
        opened_by(manager, written, (NewTask(save_items(store, 1)[0]),))
    typed = NewTask(save_items(store, 1)[0], asked={"error_type": "Coreference"})
    assert len(manager.tasks(opened_by(manager, written, (typed,)).id)) == 1


def test_every_version_stays_readable(manager: ManagerActions) -> None:
    campaign = opened_by(manager)
    manager.revise(campaign.id, replace(SUMMARIES, guidelines="Read it twice.", is_open=False))
    newest, first = manager.versions(campaign.id)
    assert (newest.version, newest.content.guidelines, newest.content.is_open) == (2, "Read it twice.", False)
    assert (first.version, first.content, first.by) == (1, SUMMARIES, "ada")


@pytest.mark.parametrize(
    ("questions", "sentence"),
    [
        (bundled_question_sets()["label-pairs"], "were about one summary each and are about one pair now"),
        (
            bundled_question_sets()["label-summaries"].replace("borderline", "unclear"),
            "'verdict' does not offer any",
        ),
        (bundled_question_sets()["label-summaries"].replace("high: 5", "high: 3"), "'confidence' does not offer any"),
    ],
)
def test_questions_go_on_taking_what_was_answered(manager: ManagerActions, questions: str, sentence: str) -> None:
    campaign = opened_by(manager)
    with pytest.raises(RecordError, match=sentence):
        manager.revise(campaign.id, replace(SUMMARIES, questions=questions))
    assert len(manager.versions(campaign.id)) == 1


def test_a_further_option_is_no_other_question(manager: ManagerActions) -> None:
    more = bundled_question_sets()["label-summaries"].replace(
        "options:\n      - {value: consistent",
        "options:\n      - {value: empty, text: Empty}\n      - {value: consistent",
    )
    campaign = manager.revise(opened_by(manager).id, replace(SUMMARIES, questions=more))
    assert (campaign.version, campaign.questions.by_id["verdict"].values[0]) == (2, "empty")


def test_known_answers_stay_answers(store: Store, manager: ManagerActions) -> None:
    campaign = opened_by(manager, tasks=(NewTask(save_items(store, 1)[0], "gold", key={"confidence": 3}),))
    without = bundled_question_sets()["label-summaries"].replace("id: confidence", "id: certainty")
    with pytest.raises(RecordError, match="There is no question 'confidence'"):
        manager.revise(campaign.id, replace(SUMMARIES, questions=without))


def test_reasons_of_skips_and_flags_are_listed_with_their_item(store: Store) -> None:
    opened = make_campaign(store, items=2)
    ben = opened.annotator("ben")
    for act, reason in (("skip", "It is cut off."), ("flag", "<b>Not English</b>")):
        opened.send(ben, opened.next_task(ben), act, reason=reason)  # type: ignore[arg-type]
    flagged, skipped = boss_of(opened).remarks(opened.campaign.id)
    assert isinstance(flagged, TaskRemark)
    assert (flagged.act, flagged.person, flagged.reason) == ("flag", "ben", "<b>Not English</b>")
    assert (skipped.act, skipped.reason) == ("skip", "It is cut off.")
    assert {flagged.summary, skipped.summary} == {"Raft 0 took crates.", "Raft 1 took crates."}


def test_items_are_listed_with_their_keys_and_labels(store: Store) -> None:
    opened = make_campaign(store, items=1)
    opened.add_tasks([NewTask(save_items(store, 7)[0], "gold", key=BAD_KEY)])
    opened.label(opened.annotator("ben"), 1)
    work, gold = boss_of(opened).tasks(opened.campaign.id)
    assert (work.part, work.labels, work.key) == ("work", 1, {})
    assert (gold.part, gold.labels, gold.key) == ("gold", 0, BAD_KEY)


def test_a_change_of_mind_is_counted_only_in_sight_of_the_scores(store: Store) -> None:
    opened = make_campaign(store, items=2, reveal=True)
    person = opened.person("ben")
    ben, other = AnnotatorActions(store, person), {**BAD_KEY, "confidence": 4, "reason": "It was a boat."}
    for answers in (other, {"verdict": "consistent", "confidence": 5}):
        work = opened.next_task(ben)
        opened.send(ben, work)
        load_revealed_scores(store, person, work.reservation)
        opened.send(ben, work, answers=answers)
    found = boss_of(opened).revisions(opened.campaign.id)
    assert found.moves == {("consistent", "consistent"): 1, ("consistent", "inconsistent"): 1}
    assert (found.changed, found.total) == (1, 2)


def test_a_second_thought_without_scores_is_no_revision(store: Store) -> None:
    opened = make_campaign(store, items=1)
    ben = opened.annotator("ben")
    work = opened.next_task(ben)
    opened.send(ben, work)
    opened.send(ben, work, answers={**BAD_KEY, "confidence": 4, "reason": "It was a boat."})
    assert boss_of(opened).revisions(opened.campaign.id).moves == {}


def test_a_manager_sees_the_calibration_round_while_it_goes_on(store: Store) -> None:
    opened = make_campaign(store, items=4, calibration=2, overlap=1)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.label(ben, 2)
    opened.send(cem, opened.next_task(cem), answers={**BAD_KEY, "confidence": 4, "reason": "It was a boat."})
    found = boss_of(opened).calibration(opened.campaign.id)
    assert (found.items, found.done) == (2, {"ben": 2, "cem": 1})
    assert found.agreement is not None
    assert found.agreement.raw.value == 0
    [disputed] = found.disputed
    assert disputed.answers == {"ben": "consistent", "cem": "inconsistent"}
    progress = ManagerActions(store, opened.person("bea", Role.MANAGER)).progress(opened.campaign.id)
    assert (progress.required, progress.answered, progress.complete) == (2 * 2 + 2, 3, 1)
    assert progress.finish_at is None  # of a first hour


def test_the_finish_is_estimated_at_the_pace_of_the_last_week() -> None:
    now = datetime(2026, 3, 20, 12, tzinfo=UTC)
    assert estimate_finish(8, now - timedelta(days=9), 4, now) == now + timedelta(days=3.5)  # eight in seven days
    assert estimate_finish(1, now - timedelta(days=1), 2, now) == now + timedelta(days=2)
    assert estimate_finish(120, now - timedelta(hours=1), 60, now) is None  # an hour says nothing of a pace
    assert estimate_finish(8, now - timedelta(days=9), 0, now) is None
    assert estimate_finish(0, now - timedelta(days=9), 4, now) is None
