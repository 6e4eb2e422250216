"""Review as a script: what is to settle, the decision, and the error types of written edits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlmodel import select
from streamlit.testing.v1 import AppTest

from annotations.management.comments import AnnotatorComments
from annotations.people.people import member_of
from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.response_tables import Adjudication, Correction, Reservation
from annotations.store.store import Store
from core.text.edits import recover, to_records
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

Open = Callable[..., AppTest]

GOOD = {"verdict": "consistent", "confidence": 4}
BAD = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat.", "evidence": [[0, 4]]}


def label(opened: CampaignFixture, name: str, *answers: dict[str, object]) -> None:
    annotator = opened.annotator(name)
    for given in answers:
        opened.send(annotator, opened.next_task(annotator), answers=given)


def review(open_page: Open) -> AppTest:
    return open_page("campaigns", tab="Review").run()


def said(app: AppTest) -> str:
    return " ".join(element.value.replace("\\", "") for kind in (app.info, app.error, app.warning) for element in kind)


def settlements(store: Store) -> list[Adjudication]:
    with read_session(store.engine) as session:
        return list(session.exec(select(Adjudication)))


@pytest.fixture
def disputed(store: Store) -> CampaignFixture:
    """One item on which ben and cem differ."""
    opened = make_campaign(store, items=1, overlap=3)
    label(opened, "ben", GOOD)
    label(opened, "cem", BAD)
    return opened


def test_without_a_campaign_there_is_the_form_of_a_new_one(open_page: Open) -> None:
    assert "new-campaign-go" in {button.key for button in review(open_page).button}


def test_review_says_where_nothing_is_to_settle(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=2)
    assert "Nothing is labelled here yet." in said(review(open_page))
    label(opened, "ben", GOOD)
    label(opened, "cem", GOOD)
    app = review(open_page)
    assert "Nothing is left to adjudicate" in said(app)
    assert "1 unanimous" in " ".join(element.value for element in app.caption)


def test_a_label_is_taken_over_and_settles_the_case(open_page: Open, disputed: CampaignFixture) -> None:
    app = review(open_page)
    assert not app.exception
    assert "ben" not in str(app)
    assert "cem" not in str(app)
    task = open_case(app)
    place = next(n for n in (1, 2) if "Inconsistent" in label_text(app, n))
    app.button(key=f"take-{task}-{place}").click().run()
    app.button(key=f"decide-{task}-/GUIDELINE_GAP").click().run()
    app.text_input(key=f"decide-{task}-/note").set_value("See chapter 2.")
    app.button(key=f"settle-{task}").click().run()
    assert not app.exception
    [row] = settlements(disputed.store)
    assert (row.answers, row.cause, row.note) == (BAD, "guideline gap", "See chapter 2.")
    assert len(row.settles) == 2
    assert "Nothing is left to adjudicate" in said(app)


@pytest.mark.parametrize("chosen", ["person", "majority"])
def test_cases_with_a_majority_and_those_of_others_can_be_left_out(open_page: Open, store: Store, chosen: str) -> None:
    opened = make_campaign(store, items=2, overlap=3)
    label(opened, "ben", GOOD, GOOD)
    label(opened, "cem", BAD, BAD)
    label(opened, "dot", GOOD)
    app = review(open_page)
    assert "**1** of 2" in [element.value for element in app.markdown]
    filters = f"case-filter-{opened.campaign.id}"
    app.session_state[filters] = True
    app.run()
    app.session_state[filters] = True
    if chosen == "person":
        app.selectbox(key=f"{filters}-person").select("dot").run()
    else:
        app.toggle(key=f"{filters}-undecided").set_value(True).run()
    assert not app.exception
    assert "**1** of 1" in [element.value for element in app.markdown]
    assert ("3 people" in " ".join(element.value for element in app.caption)) == (chosen == "person")


def test_a_case_shows_comments_without_names_and_takes_an_answer(open_page: Open, disputed: CampaignFixture) -> None:
    with read_session(disputed.store.engine) as session:
        own = session.exec(select(Reservation, Person).join(Person, Person.id == Reservation.person_id)).first()  # type: ignore[arg-type]  # a column
    assert own
    of_annotator = AnnotatorComments(disputed.store, member_of(own[1]))
    of_annotator.send(own[0].id or 0, "Is it *cut*?", "c1")
    app = review(open_page)
    assert not app.exception
    assert "Is it *cut*?" in [text.value for text in app.text]
    assert own[1].name not in str(app).replace(own[1].id, "")
    [box] = [box for box in app.text_area if box.label == "Answer the annotator"]
    box.set_value("No.")
    next(button for button in app.button if button.label == "Send").click().run()
    assert not app.exception
    [conversation] = of_annotator.conversations(disputed.campaign.id)
    assert [(one.speaker, one.text) for one in conversation.comments] == [
        ("annotator", "Is it *cut*?"),
        ("adjudicator", "No."),
    ]


def open_case(app: AppTest) -> str:
    keys = [button.key or "" for button in app.button]
    return next(key for key in keys if key.startswith("settle-")).removeprefix("settle-")


def label_text(app: AppTest, place: int) -> str:
    texts = [element.value for element in app.markdown]
    at = texts.index(f"**Label {place}**")
    return " ".join(texts[at : at + 2])


def test_a_case_is_not_settled_without_a_cause_or_an_answer(open_page: Open, disputed: CampaignFixture) -> None:
    app = review(open_page)
    task = open_case(app)
    app.button(key=f"settle-{task}").click().run()
    assert "choose one of the four causes" in said(app)
    app.button(key=f"decide-{task}-/SLIP").click().run()
    app.button(key=f"settle-{task}").click().run()
    assert "is not answered yet" in said(app)
    assert settlements(disputed.store) == []


def test_a_later_label_brings_a_case_back_with_what_was_decided(open_page: Open, disputed: CampaignFixture) -> None:
    app = review(open_page)
    task = open_case(app)
    place = next(n for n in (1, 2) if "Inconsistent" in label_text(app, n))
    app.button(key=f"take-{task}-{place}").click().run()
    app.button(key=f"decide-{task}-/SLIP").click().run()
    app.button(key=f"settle-{task}").click().run()
    label(disputed, "eva", GOOD)
    app.run()
    assert "as **Inconsistent** (annotator slip). A later label disagrees." in said(app)


def test_a_curator_corrects_the_type_of_a_written_edit(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, "write-free", items=1)
    records = to_records("Boat 0 took crates.", recover("Boat 0 took crates.", "Boat 0 sold crates."))
    label(opened, "ben", {"possible": "yes", "edit": records, "explanation": "It took them."})
    app = review(open_page)
    app.session_state[f"review-part-{opened.campaign.id}"] = "written"
    app.run()
    assert not app.exception
    button = next(button for button in app.button if (button.key or "").endswith("-EXTRINSIC_PREDICATE"))
    button.click().run()
    with read_session(store.engine) as session:
        [row] = session.exec(select(Correction)).all()
    assert (row.error_type, row.by) == ("Extrinsic Predicate", "local")
    assert "A curator found **Extrinsic Predicate**." in " ".join(element.value for element in app.markdown)
