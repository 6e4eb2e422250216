"""Kept edits: one rejection is enough, a decision counts instead of labels, and one label is too few."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from annotations.campaigns.campaign import NewTask
from annotations.exchange.samples import load_samples
from annotations.management.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.people.people import Role
from annotations.results.kept_edits import format_kept_edits, kept_edits_of
from annotations.results.results import load_cases
from annotations.store.database import read_session
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import RecordError
from annotations.store.store import Store
from cli import app
from core.types import Edit, Example, Item, Span, Verdict
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

GOOD = {"inconsistent": "yes", "interesting": "yes", "controlled": "yes", "explanation_good": "yes"}
TRIVIAL = {"inconsistent": "yes", "interesting": "no"}
VAGUE = {**GOOD, "explanation_good": "no"}


@pytest.fixture
def labelled(store: Store) -> CampaignFixture:
    """Four edits: both keep the first; the second, third and fourth are rejected by one of the two, or by both."""
    opened = make_campaign(store, "edit-quality", items=0, overlap=2)
    items = [
        item
        for n, domain in enumerate(("news", "news", "law", "law"))
        for item in (
            Item(Example(f"o{n}", f"Document {n}.", "It says so."), domain=domain),
            Item(
                Example(f"e{n}", f"Document {n}.", "It denies so."),
                parent=f"o{n}",
                edits=(Edit(Span(3, 7), "denies", "It says so."),),
                intended=Verdict.INCONSISTENT,
                domain=domain,
            ),
        )
    ]
    opened.store.import_dataset(DatasetSource("edits", "pairs", "edits.jsonl", "0"), items, dict)
    edited = [one for one in load_samples(store, "edits") if one.item.parent]
    opened.add_tasks([NewTask(one.stored, asked={"explanation": "It says so."}) for one in edited])
    first = {"Document 0.": GOOD, "Document 1.": VAGUE, "Document 2.": VAGUE, "Document 3.": GOOD}
    second = {"Document 0.": GOOD, "Document 1.": GOOD, "Document 2.": TRIVIAL, "Document 3.": {"inconsistent": "no"}}
    for name, answers in (("ben", first), ("cem", second)):
        annotator = opened.annotator(name)
        for _ in range(4):
            work = opened.next_task(annotator)
            opened.send(annotator, work, answers=answers[work.document])
    return opened


def test_one_rejection_is_enough_and_stands_under_the_first_question_that_is_answered_no(
    labelled: CampaignFixture,
) -> None:
    overall, law, news = kept_edits_of(labelled.store, labelled.campaign.name)
    assert (overall.judged, overall.kept, overall.waiting) == (4, 1, 0)
    assert overall.rejected == {"inconsistent": 1, "interesting": 1, "controlled": 0, "explanation_good": 1}
    assert (law.domain, law.judged, law.kept) == ("law", 2, 0)
    assert (news.domain, news.judged, news.kept) == ("news", 2, 1)
    assert "25%" in format_kept_edits([overall])


def test_a_decision_counts_instead_of_the_labels(labelled: CampaignFixture) -> None:
    judge = AdjudicatorActions(labelled.store, labelled.person("dia", Role.ADJUDICATOR))
    with read_session(labelled.store.engine) as session:
        cases = load_cases(session, labelled.campaign)
    disputed = next(case for case in cases if {label.answers["inconsistent"] for label in case.labels} == {"yes", "no"})
    looked_at = [label.response for label in disputed.labels]
    decision = SentDecision(disputed.task, GOOD, DisagreementCause.SLIP, looked_at, "decision-1")
    judge.save_decision(labelled.campaign.id, decision)
    assert kept_edits_of(labelled.store, labelled.campaign.name)[0].kept == 2


def test_the_terminal_prints_the_same_counts(labelled: CampaignFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    url = labelled.store.engine.url.render_as_string(hide_password=False)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    done = CliRunner().invoke(app, ["campaign", "kept-edits", labelled.campaign.name, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert [(one["domain"], one["kept"]) for one in json.loads(done.stdout)] == [
        ("Overall", 1),
        ("law", 0),
        ("news", 1),
    ]


def test_edits_with_one_label_wait(store: Store) -> None:
    opened = make_campaign(store, "edit-quality", items=2, overlap=2)
    opened.label(opened.annotator("ben"), 2)
    [overall, saved] = kept_edits_of(opened.store, opened.campaign.name)
    assert (overall.judged, overall.kept, overall.waiting) == (0, 0, 2)
    assert saved.domain == "no domain"


def test_a_campaign_without_yes_or_no_is_refused(store: Store) -> None:
    opened = make_campaign(store)
    with pytest.raises(RecordError, match="question set edit-quality"):
        kept_edits_of(opened.store, opened.campaign.name)
