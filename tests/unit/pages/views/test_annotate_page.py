"""Annotate as a script: what stands where nothing can be labelled. Labelling itself needs a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotations.campaigns.campaign import NewTask, VersionContent, add_version
from annotations.campaigns.qualification import Stage
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.task_texts import ShownTask
from annotations.management.manage import local_member
from annotations.store.store import Store
from pages.server import services
from pages.ui.annotate.current_task import AnnotateState, CurrentTask
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]


def annotate(open_page: Open, **query: str) -> AppTest:
    return open_page("annotate", **query).run()


def markdown(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown)


def test_without_a_campaign_the_page_says_who_opens_one(open_page: Open) -> None:
    app = annotate(open_page)
    assert not app.exception
    assert "A manager opens one" in app.info[0].value


def test_a_demonstration_says_that_it_keeps_nothing(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_campaign(store)
    monkeypatch.setenv("TOUCHSTONE_DEMO", "true")
    app = annotate(open_page)
    assert not app.exception
    assert "keeps nothing" in app.info[0].value


def test_guidelines_are_read_before_the_first_label_and_again_when_they_change(open_page: Open, store: Store) -> None:
    opened = make_campaign(store)
    app = annotate(open_page)
    assert "Read the whole document" in markdown(app)
    app.button(key="start").click().run()
    assert "Read the whole document" not in markdown(app)
    with store.writing() as session:
        guidelines = "Read it **twice**. ![x](http://example.org/x.png)"
        wording = VersionContent(bundled_question_sets()["label-summaries"], guidelines, opened.campaign.rules)
        add_version(session, opened.campaign.id, "ada", wording)
    app.run()
    assert "Read it **twice**. !\\[x]" in markdown(app)


def test_the_campaign_of_the_address_is_open(open_page: Open, store: Store) -> None:
    opened = make_campaign(store)
    app = annotate(open_page, campaign=opened.campaign.id)
    assert app.selectbox(key="annotate-campaign").value == opened.campaign.id
    assert annotate(open_page, campaign="nothing").selectbox(key="annotate-campaign").value == opened.campaign.id


def test_an_empty_queue_says_so(open_page: Open, store: Store) -> None:
    make_campaign(store, items=0)
    app = annotate(open_page)
    app.button(key="start").click().run()
    assert not app.exception
    assert "You have labelled everything" in app.success[0].value


def test_somebody_who_signs_in_after_another_does_not_get_what_lay_before_them(probe: Open, store: Store) -> None:
    opened = make_campaign(store)
    theirs = opened.next_task(opened.annotator("ben"))
    app = probe(campaign=opened.campaign.id)
    state_of(app, AnnotateState).current = CurrentTask("ben's id", opened.campaign, theirs)
    app.switch_page("views/annotate.py").run()
    app.button(key="start").click().run()
    mine = state_of(app, AnnotateState).current
    assert mine
    assert mine.person not in {"", "ben's id"}
    assert isinstance(mine.task, ShownTask)
    assert mine.task.reservation != theirs.reservation


def test_training_ends_with_its_result_and_is_had_once_more_or_left(open_page: Open, store: Store) -> None:
    opened = make_campaign(store)
    key, feedback = {"verdict": "consistent"}, "It was a boat."
    opened.add_tasks([NewTask(save_items(store, 7)[0], part="training", key=key, feedback=feedback)])
    app = annotate(open_page)
    app.button(key="start").click().run()
    annotator = opened.annotator_of(local_member(store, services.settings().user))
    opened.label(annotator, 1)
    state_of(app, AnnotateState).current = None
    app.run()
    assert "**1 of 1** answers agree" in markdown(app)
    app.button(key="train-again").click().run()
    assert not app.exception
    again = state_of(app, AnnotateState).current
    assert again
    assert isinstance(again.task, ShownTask)
    assert again.task.stage is Stage.TRAINING
    opened.send(annotator, again.task, answers={"verdict": "inconsistent", "confidence": 2, "reason": "A raft."})
    state_of(app, AnnotateState).current = None
    app.run()
    assert "**0 of 1** answers agree" in markdown(app)
    assert "Before: 1 of 1." in [caption.value for caption in app.caption]
    app.button(key="trained").click().run()
    first = state_of(app, AnnotateState).current
    assert first
    assert isinstance(first.task, ShownTask)
    assert first.task.stage is Stage.WORK


def test_a_paused_person_reads_why_in_plain_words_and_nothing_about_known_answers(
    open_page: Open, store: Store
) -> None:
    opened = make_campaign(store, items=12, apart=0, least_gold=70)
    known = [save_items(store, 100 + number)[0] for number in range(4)]
    opened.add_tasks([NewTask(id, "gold", key={"verdict": "inconsistent"}) for id in known])
    annotator = opened.annotator_of(local_member(store, services.settings().user))
    while not opened.send(annotator, opened.next_task(annotator)).paused:
        pass
    app = annotate(open_page)
    assert not app.exception
    assert app.info[0].value.startswith("Your work on this campaign is paused")
    assert "gold" not in app.info[0].value
    assert "known" not in app.info[0].value


def labelled_by_me(store: Store, number: int, **campaign: Any) -> CampaignFixture:
    opened = make_campaign(store, items=4, **campaign)
    opened.label(opened.annotator_of(local_member(store, services.settings().user)), number)
    return opened


def revise(opened: CampaignFixture, guidelines: str = "", *, is_open: bool = True, **rules: Any) -> None:
    questions = bundled_question_sets()["label-summaries"]
    with opened.store.writing() as session:
        changed = opened.campaign.rules.model_copy(update=rules)
        add_version(session, opened.campaign.id, "ada", VersionContent(questions, guidelines, changed, is_open=is_open))


def test_a_closed_campaign_says_so_and_nobody_is_moved_to_another(open_page: Open, store: Store) -> None:
    make_campaign(store, called="Other boats")
    opened = labelled_by_me(store, 2, called="Harbour 300")
    app = annotate(open_page, campaign=opened.campaign.id)
    assert app.selectbox(key=AnnotateState.campaign.key).value == opened.campaign.id
    revise(opened, is_open=False)
    app.run()
    assert not app.exception
    assert "Harbour 300 is closed; your 2 labels are kept." in app.info[0].value
    assert AnnotateState.campaign.key not in [box.key for box in app.selectbox]
    [other] = app.selectbox
    assert other.value is None
    other.select_index(0).run()
    assert not app.exception
    assert "Read the whole document" in markdown(app)


def test_a_reload_of_a_closed_campaign_says_so_too(open_page: Open, store: Store) -> None:
    make_campaign(store, called="Other boats")
    opened = labelled_by_me(store, 1, called="Harbour 300")
    revise(opened, is_open=False)
    app = annotate(open_page, campaign=opened.campaign.id)
    assert "Harbour 300 is closed; your 1 label is kept." in app.info[0].value


def test_the_link_of_a_closed_campaign_moves_nobody_who_has_no_label_there(open_page: Open, store: Store) -> None:
    make_campaign(store, called="Other boats")
    opened = make_campaign(store, called="Harbour 300")
    revise(opened, is_open=False)
    app = annotate(open_page, campaign=opened.campaign.id)
    assert not app.exception
    assert app.info[0].value == "The campaign of this link is closed, or for others."
    assert AnnotateState.campaign.key not in [box.key for box in app.selectbox]
    app.selectbox[0].select_index(0).run()
    assert "Read the whole document" in markdown(app)


def test_guidelines_that_are_as_before_again_interrupt_nobody(open_page: Open, store: Store) -> None:
    opened = labelled_by_me(store, 1)
    before = opened.campaign.guidelines
    revise(opened, "Read it.")
    revise(opened, before)
    app = annotate(open_page)
    assert not app.exception
    assert not [heading.value for heading in app.subheader]


def test_a_changed_rule_is_no_change_of_the_guidelines(open_page: Open, store: Store) -> None:
    opened = labelled_by_me(store, 1)
    revise(opened, gold_every=5)
    revise(opened, is_open=False)
    revise(opened)
    app = annotate(open_page)
    assert not app.exception
    assert not [heading.value for heading in app.subheader]
    assert "guidelines 1" in app.caption[0].value


def test_changed_guidelines_show_their_new_lines(open_page: Open, store: Store) -> None:
    opened = labelled_by_me(store, 1)
    revise(opened, "Read it.\nCheck every number.")
    app = annotate(open_page)
    assert [heading.value for heading in app.subheader] == ["The guidelines have changed"]
    assert "+ Check every number." in app.code[0].value
    assert "guidelines 2" in app.caption[0].value


def test_own_work_has_the_sides_of_a_pair_as_they_stood(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=31)
    shown = opened.label(opened.annotator_of(local_member(store, services.settings().user)), 30)
    app = annotate(open_page)
    app.button(key="own-work").click().run()
    assert not app.exception
    labels = next(table.value for table in app.dataframe if "your answer" in table.value)
    assert list(labels["summary on the left"]) == [task.left for task in reversed(shown)]
    assert len(set(labels["summary on the left"].str.startswith("Raft"))) == 2  # the edited ones stand on either side
    assert len(set(labels["your answer"])) == 1  # all were said to be on the right
