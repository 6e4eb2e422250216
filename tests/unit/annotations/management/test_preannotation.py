"""Pre-annotation and assistance: what is filled in or marked, for whom, and what is said of the labels afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent, load_campaign
from annotations.campaigns.questions import bundled_question_sets
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.export import to_jsonl
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.management.manage import ManagerActions
from annotations.management.preannotation import DatasetLabels, ScoreVerdicts
from annotations.people.people import Member, Role
from annotations.store.database import read_session
from annotations.store.records import LOCAL_LABELS, RecordError
from annotations.store.store import Store
from annotations.store.tables import ItemRow
from core.types import Result, Seen
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign, save_items

GOOD = {"verdict": "consistent", "confidence": 4}
BAD = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}
KEPT = DatasetLabels(LOCAL_LABELS)  # every item is meant to be inconsistent


def manager_of(opened: CampaignFixture) -> ManagerActions:
    return ManagerActions(opened.store, Member("1", "Ada", Role.MANAGER))


def filled(store: Store, questions: str = "label-summaries", items: int = 2) -> CampaignFixture:
    """A campaign in which the intention of each item is filled in."""
    opened = make_campaign(store, questions, items=items, overlap=2)
    manager_of(opened).fill_in_answers(opened.campaign.id, KEPT)
    with read_session(store.engine) as session:
        opened.campaign = load_campaign(session, opened.campaign.id)
    return opened


def labels(store: Store) -> list[dict[str, object]]:
    with read_session(store.engine):
        return [row for row in campaign_rows(store, _id(store)) if row["kind"] == "label"]


def _id(store: Store) -> str:
    [campaign] = ManagerActions(store, Member("1", "Ada", Role.MANAGER)).campaigns()
    return campaign.id


def test_nothing_is_filled_in_or_marked_unless_the_rules_say_so(store: Store) -> None:
    opened = make_campaign(store, items=1)
    work = opened.next_task(opened.annotator("ben"))
    assert (work.suggested, work.close) == ({}, ())
    assert manager_of(opened).describe_modes(opened.campaign.id) == ""


def test_the_answer_of_a_source_is_filled_in_until_the_first_label_and_kept_with_it(store: Store) -> None:
    opened = filled(store)
    ben = opened.annotator("ben")
    work = opened.next_task(ben)
    assert work.suggested == {"verdict": "inconsistent"}
    opened.send(ben, work, answers=BAD)
    again = ben.previous(opened.campaign.id, 10**6)
    assert again
    assert (again.suggested, again.answers["verdict"]) == ({}, "inconsistent")
    assert [row["mode"] for row in labels(store)] == ["pre-annotated"]


def test_of_a_pair_the_filled_in_side_is_that_which_this_person_sees(store: Store) -> None:
    opened = filled(store, "label-pairs", items=24)
    ben, sides = opened.annotator("ben"), set()
    for _ in range(24):
        work = opened.next_task(ben)
        side = "left" if work.left.startswith("Raft") else "right"
        assert work.suggested["unfaithful"] == side
        sides.add(side)
        opened.send(ben, work, answers={"unfaithful": side, "error_type": "Intrinsic Entity", "explanation": "A boat."})
    assert sides == {"left", "right"}
    assert {row["answers"]["unfaithful"] for row in labels(store)} == {"right"}  # type: ignore[index]  # answers are an object


def test_a_metric_says_consistent_from_its_threshold_on(store: Store) -> None:
    opened = make_campaign(store, items=0)
    high, low, none = (save_items(store, number)[0] for number in range(3))
    opened.add_tasks([NewTask(id) for id in (high, low, none)])
    store.save_outcomes(
        [Result(id, "align", "align|1", value, (), Seen(), 0.0, "cpu") for id, value in ((high, 0.5), (low, 0.4))]
    )
    manager = manager_of(opened)
    assert manager.scored_metrics(opened.campaign.id) == {"align": 2}
    assert manager.fill_in_answers(opened.campaign.id, ScoreVerdicts("align", 0.5)) == 2
    ben = opened.annotator("ben")
    found = {}
    for _ in range(3):
        work = opened.next_task(ben)
        found[work.document[5]] = work.suggested.get("verdict")
        opened.send(ben, work)
    assert found == {"0": "consistent", "1": "inconsistent", "2": None}
    assert sorted(str(row["mode"]) for row in labels(store)) == ["pre-annotated", "pre-annotated", "unaided"]


@pytest.mark.parametrize(
    ("scores", "side"), [((0.9, 0.1), "right"), ((0.1, 0.9), "left"), ((0.9, 0.9), "neither"), ((0.1, 0.1), "both")]
)
def test_of_a_pair_a_metric_says_which_side_is_inconsistent(
    store: Store, scores: tuple[float, float], side: str
) -> None:
    opened = make_campaign(store, "label-pairs", items=0)
    [item] = save_items(store, 1)
    opened.add_tasks([NewTask(item)])
    with read_session(store.engine) as session:
        original = session.get_one(ItemRow, item).parent_id or ""
    for id, value in zip((original, item), scores, strict=True):
        store.save_outcomes([Result(id, "risk", "risk|1", 1 - value, (), Seen(), 0.0, "cpu")])
    manager_of(opened).fill_in_answers(opened.campaign.id, ScoreVerdicts("risk", 0.5, is_lower_better=True))
    rows = [row for row in campaign_rows(store, opened.campaign.id) if row["kind"] == "suggestion"]
    assert [row["answers"] for row in rows] == [{"unfaithful": side}]


def test_known_answers_that_are_mixed_in_are_filled_in_like_the_work(store: Store) -> None:
    opened = make_campaign(store, items=1)
    gold = save_items(store, 9)[0]
    opened.add_tasks([NewTask(gold, "gold", key={"verdict": "consistent"})])
    assert manager_of(opened).fill_in_answers(opened.campaign.id, KEPT) == 2
    rows = [row for row in campaign_rows(store, opened.campaign.id) if row["kind"] == "suggestion"]
    assert {row["answers"]["verdict"] for row in rows} == {"inconsistent"}  # not the key


def test_what_is_filled_in_stays_and_a_source_without_answers_is_refused(store: Store) -> None:
    opened = filled(store)
    manager = manager_of(opened)
    with pytest.raises(RecordError, match="for none of the 0 items"):
        manager.fill_in_answers(opened.campaign.id, KEPT)
    opened.add_tasks([NewTask(id) for id in save_items(store, 7)])
    with pytest.raises(RecordError, match="for none of the 1 items"):
        manager.fill_in_answers(opened.campaign.id, ScoreVerdicts("nothing", 0.5))
    assert manager.fill_in_answers(opened.campaign.id, KEPT) == 1
    assert manager.count_suggestions(opened.campaign.id) == 3
    assert len(manager.versions(opened.campaign.id)) == 2  # the mode was on already


def test_a_campaign_with_nothing_to_fill_in_cannot_be_pre_annotated(store: Store) -> None:
    opened = make_campaign(store)
    manager = manager_of(opened)
    rules = CampaignRules(mode="pre-annotated")
    with pytest.raises(RecordError, match="No answers are filled in yet"):
        manager.create("Other", VersionContent(bundled_question_sets()["label-summaries"], "", rules))
    newest = manager.versions(opened.campaign.id)[0].content
    with pytest.raises(RecordError, match="No answers are filled in yet"):
        manager.revise(opened.campaign.id, replace(newest, rules=rules))


def test_agreement_and_exports_say_which_labels_were_given_so_and_how_many_were_kept(store: Store) -> None:
    opened = filled(store)
    for name, verdicts in (("ben", (BAD, BAD)), ("cem", (BAD, GOOD))):
        annotator = opened.annotator(name)
        for answers in verdicts:
            opened.send(annotator, opened.next_task(annotator), answers=answers)
    manager = manager_of(opened)
    said = manager.describe_modes(opened.campaign.id)
    assert "4 of 4 first labels were given with answers filled in (our labels); 3 kept" in said
    exports = ExportActions(store, Member("1", "Ada", Role.MANAGER))
    assert "3 kept" in exports.file(opened.campaign.id, "data-statement", ExportTerms()).decode()
    assert b"pre-annotated" in exports.file(opened.campaign.id, "csv", ExportTerms())


def test_modes_and_filled_in_answers_move_to_another_database(store: Store, tmp_path: object) -> None:
    opened = filled(store)
    ben = opened.annotator("ben")
    opened.send(ben, opened.next_task(ben), answers=BAD)
    lines = list(to_jsonl(campaign_rows(store, opened.campaign.id)))
    other = Store.open(f"sqlite:///{tmp_path}/other.db")
    try:
        imported = import_campaign(other, lines)
        assert list(to_jsonl(campaign_rows(other, imported.id))) == lines
    finally:
        other.close()


def test_assisted_marks_the_closest_document_sentence_and_every_label_says_so(store: Store) -> None:
    opened = make_campaign(store, items=1, mode="assisted")
    ben = opened.annotator("ben")
    work = opened.next_task(ben)
    assert [span.of(work.document) for span in work.close] == [work.document]
    opened.send(ben, work)
    assert [row["mode"] for row in labels(store)] == ["assisted"]
    assert "closest to the summary were marked" in manager_of(opened).describe_modes(opened.campaign.id)


def test_a_label_has_the_mode_in_which_it_was_shown_and_a_changed_one_that_of_the_first(store: Store) -> None:
    opened = make_campaign(store, items=2)
    ben = opened.annotator("ben")
    shown = opened.next_task(ben)
    manager_of(opened).fill_in_answers(opened.campaign.id, KEPT)
    opened.send(ben, shown, mode=shown.mode)
    opened.send(ben, opened.next_task(ben), answers=BAD)
    again = ben.previous(opened.campaign.id, 2)
    assert again
    opened.send(ben, again, answers=BAD, mode=again.mode)
    assert [row["mode"] for row in labels(store)] == ["unaided", "pre-annotated", "unaided"]
    found = {
        one.slice: one.labels for one in manager_of(opened).agreements(opened.campaign.id) if one.question == "verdict"
    }
    assert (found["Overall"], found["Unaided labels"], found["Pre-annotated labels"]) == (2, 1, 1)


def test_withdrawn_answers_are_shown_to_nobody_and_labels_keep_their_mode_and_what_was_filled_in(store: Store) -> None:
    opened = filled(store, items=3)
    ben, manager = opened.annotator("ben"), manager_of(opened)
    opened.send(ben, opened.next_task(ben), answers=BAD)
    in_hand = opened.next_task(ben)
    manager.withdraw_answers(opened.campaign.id)
    manager.withdraw_answers(opened.campaign.id)
    assert (opened.next_task(ben).suggested, opened.next_task(ben).mode) == ({}, "unaided")
    opened.send(ben, in_hand, answers=BAD, mode=in_hand.mode)  # it was on the page with the answers
    opened.send(ben, opened.next_task(ben), answers=GOOD)
    assert [row["mode"] for row in labels(store)] == ["pre-annotated", "pre-annotated", "unaided"]
    assert "2 of 3 first labels were given with answers filled in" in manager.describe_modes(opened.campaign.id)
    assert [issued.content.rules.mode for issued in manager.versions(opened.campaign.id)] == [
        "unaided",
        "pre-annotated",
        "unaided",
    ]
    manager.show_answers(opened.campaign.id)
    assert opened.next_task(opened.annotator("cem")).suggested == {"verdict": "inconsistent"}


def test_answers_that_were_never_filled_in_cannot_be_shown_again(store: Store) -> None:
    opened = make_campaign(store, items=1)
    with pytest.raises(RecordError, match="No answers are filled in yet"):
        manager_of(opened).show_answers(opened.campaign.id)
    assert len(manager_of(opened).versions(opened.campaign.id)) == 1
