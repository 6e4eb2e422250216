"""One text of the error types reaches writers, question sets and data cards, and labels keep the version that they were made under."""

from __future__ import annotations

import pytest

from annotations.campaigns.campaign import VersionContent, add_version
from annotations.campaigns.error_types import error_type_meanings
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.exchange.samples import load_provenance
from annotations.store.records import CAMPAIGN_PREFIX
from annotations.store.store import Store
from core.types import ErrorType
from pages.ui.shared.glossary import read_glossary
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

MEANINGS = error_type_meanings()


def test_every_type_of_the_paper_has_a_meaning_in_its_sense() -> None:
    assert set(MEANINGS.meanings) == set(ErrorType) - {ErrorType.OTHER}
    for kind in (ErrorType.INTRINSIC_PREDICATE, ErrorType.EXTRINSIC_PREDICATE):
        assert "verb" in MEANINGS.meanings[kind]
    for kind in (ErrorType.INTRINSIC_CIRCUMSTANCE, ErrorType.EXTRINSIC_CIRCUMSTANCE):
        assert {"time", "duration", "place"} <= set(MEANINGS.meanings[kind].lower().replace(",", " ").split())
        assert "manner" not in MEANINGS.meanings[kind]


@pytest.mark.parametrize("name", ["label-pairs", "write-typed"])
def test_question_sets_carry_the_text_and_its_version(name: str) -> None:
    questions = read_questions(bundled_question_sets()[name])
    assert questions.error_types == MEANINGS.version
    assert MEANINGS.circumstance in questions.guidelines
    assert "condition" not in questions.guidelines
    assert "<<" not in bundled_question_sets()[name]


def test_the_answers_of_pairs_say_what_each_type_means() -> None:
    options = read_questions(bundled_question_sets()["label-pairs"]).by_id["error_type"].options
    assert {option.value: option.means for option in options if option.means} == dict(MEANINGS.meanings)


def test_the_glossary_has_the_same_sense() -> None:
    [term] = [term for term in read_glossary() if term.name == "Error type"]
    assert "verb or event (predicate)" in term.sentence
    assert "time, duration or place (circumstance)" in term.sentence


def older(text: str) -> str:
    """A question set as an older database has it."""
    return text.replace(f"error_types: {MEANINGS.version}\n", "")


def revise(opened: CampaignFixture, questions: str) -> None:
    with opened.store.writing() as session:
        add_version(session, opened.campaign.id, "ada", VersionContent(questions, "", opened.campaign.rules))


def test_a_campaign_of_before_keeps_its_meanings_and_a_mixture_is_said(store: Store) -> None:
    text = bundled_question_sets()["label-pairs"]
    opened = make_campaign(store, "label-pairs", items=3)
    dataset, ben = f"{CAMPAIGN_PREFIX}Boats", opened.annotator("ben")
    opened.label(ben, 1)
    assert _sentences(store, dataset)[-1] == "Error types by version 2 (BUMP's own) of their meanings."
    revise(opened, older(text))
    opened.label(ben, 2)
    assert _sentences(store, dataset)[-1] == (
        "Labels with error types: 2 by version 1, 1 by version 2 (BUMP's own) of their meanings. "
        "A table by error type mixes these."
    )


def test_two_campaigns_of_other_meanings_are_said_to_mix(store: Store) -> None:
    text = bundled_question_sets()["label-pairs"]
    for name, questions in (("Old", older(text)), ("New", text)):
        opened = make_campaign(store, "label-pairs", items=1, called=name)
        revise(opened, questions)
        ben = opened.annotator(f"ben {name}")
        opened.send(ben, opened.next_task(ben), event_id=f"press of {name}")
    names = [f"{CAMPAIGN_PREFIX}{name}" for name in ("Old", "New")]
    _, descriptions = load_provenance(store, names)
    assert all("mixes these" in descriptions[name][-1] for name in names)
    assert "mixes" not in _sentences(store, names[0])[-1]


def test_a_writer_of_an_older_campaign_reads_the_older_meaning() -> None:
    assert MEANINGS.meaning("Intrinsic Predicate", 1) == "A wrong relation between things of the document."
    assert MEANINGS.meaning("Intrinsic Predicate", 2).startswith("The verb or event is wrong")
    assert MEANINGS.meaning("Other", 2) == ""


def _sentences(store: Store, dataset: str) -> list[str]:
    return load_provenance(store, [dataset])[1][dataset]
