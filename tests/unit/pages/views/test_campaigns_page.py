"""Campaigns as a script: the calibration round and the exports on Progress, the form of a new campaign, and the people."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime

import pytest
from streamlit.testing.v1 import AppTest

from annotations.campaigns.campaign import NewTask
from annotations.exchange.export_format import EXPORT_FORMATS
from annotations.management.webhooks import load_due, note_attempt, note_ends, sign
from annotations.people.tokens import WrongTokenError, use_token
from annotations.store.store import Store
from core.models import Endpoint, SpendTracker, Usage
from core.models.llm.endpoints.endpoint import Price
from core.settings import Settings
from pages.ui.campaigns.campaign_choice import PEOPLE_SECTION
from pages.ui.shared.push_form import pushes
from tests.doubles.upload_hub import UploadHub
from tests.unit.annotations.campaigns.actors import make_campaign, save_items

Open = Callable[..., AppTest]


@pytest.mark.slow
def test_a_calibration_round_is_shown_while_it_goes_on_and_a_new_campaign_can_have_one(
    open_page: Open, store: Store
) -> None:
    opened = make_campaign(store, items=3, calibration=2, calibration_pause=True)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.label(ben, 2)
    wrong = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}
    opened.send(cem, opened.next_task(cem), answers=wrong)
    app = open_page("campaigns")
    app.query_params["campaign"] = opened.campaign.id
    app.run()
    assert not app.exception
    texts = [text.value for text in app.text]
    assert "ben 2 of 2, cem 1 of 2" in texts
    disputed = next(frame.value for frame in app.dataframe if "same answer" in frame.value)
    assert disputed[["ben", "cem"]].values.tolist() == [["Consistent", "Inconsistent"]]
    app.query_params["campaign"] = "new"
    app.run()
    assert not app.exception
    assert "First items by all" in [field.label for field in app.number_input]
    app.session_state["campaigns-section"] = PEOPLE_SECTION
    app.run()
    assert not app.exception
    assert "ben" in app.dataframe[0].value["name"].tolist()


@pytest.mark.slow
def test_a_token_is_made_on_people_shown_once_and_revoked(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=1)
    app = open_page("campaigns")
    app.session_state["campaigns-section"] = PEOPLE_SECTION
    app.run()
    app.session_state["new-token"] = True
    app.run()
    app.text_input(key="token-name").set_value("dashboard")
    app.multiselect(key="token-campaigns").set_value([opened.campaign.id])
    next(button for button in app.button if button.label == "Make a token").click().run()
    assert not app.exception
    [token] = [code.value for code in app.code]
    assert use_token(store, token).campaigns == (opened.campaign.id,)
    app.run()
    assert not app.code
    assert [text.value for text in app.text if text.value.startswith("dashboard reads Boats; of ")]
    next(button for button in app.button if button.key.startswith("revoke-token")).click().run()
    assert not app.exception
    with pytest.raises(WrongTokenError):
        use_token(store, token)
    assert not [text.value for text in app.text if text.value.startswith("dashboard")]


@pytest.mark.parametrize("demo", ["0", "1"])
def test_people_offers_a_backup_and_a_demo_does_not(
    open_page: Open, store: Store, demo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_campaign(store, items=1)
    monkeypatch.setenv("TOUCHSTONE_DEMO", demo)
    app = open_page("campaigns")
    app.session_state["campaigns-section"] = PEOPLE_SECTION
    app.run()
    assert not app.exception
    labels = [button.label for button in app.get("download_button")]
    assert ("Download a backup" in labels) is (demo == "0")


def test_people_shows_who_spent_how_much_at_endpoints(open_page: Open, store: Store) -> None:
    make_campaign(store, items=1).annotator("ben")
    endpoint = Endpoint("http://one.example/v1", "", name="mini", price=Price(1.0, 10.0))
    with closing(SpendTracker(Settings.read().cache_dir)) as spend:
        spend.record(endpoint, Usage(1_000, 1_000), "ben")
    app = open_page("campaigns")
    app.session_state["campaigns-section"] = PEOPLE_SECTION
    app.run()
    assert not app.exception
    [used] = [frame.value for frame in app.dataframe if "money at endpoints" in frame.value]
    assert used[["name", "questions to endpoints", "money at endpoints"]].values.tolist() == [["ben", 1, "0.0110"]]
    assert "TOUCHSTONE_PERSON_RUNS, _DISK_MB, _JOBS and _BUDGET" in " ".join(text.value for text in app.caption)


@pytest.mark.slow
def test_progress_offers_every_format_and_takes_the_terms_of_the_cards(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=1)
    opened.label(opened.annotator("ben"), 1)
    app = open_page("campaigns")
    app.query_params["campaign"] = opened.campaign.id
    app.session_state[f"other-tools-{opened.campaign.id}"] = True
    app.run()
    offered = {button.label for button in app.get("download_button")}
    assert {f"Export {one.title}" for one in EXPORT_FORMATS} - offered == {
        "Export BUMP",
        "Export Sessions of participants",
    }
    assert any("has no minimal pair to export" in caption.value for caption in app.caption)
    app.text_input(key=f"pay-{opened.campaign.id}").set_value("15 € an hour")
    next(button for button in app.button if button.label.startswith("State this")).click().run()
    assert not app.exception
    assert app.text_input(key=f"pay-{opened.campaign.id}").value == "15 € an hour"


def test_a_webhook_is_set_under_progress_and_its_failure_is_a_line(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=1)
    id = opened.campaign.id
    app = open_page("campaigns")
    app.query_params["campaign"] = id
    app.run()
    app.session_state[f"webhook-{id}"] = True
    app.run()
    for url, refused in (("http://example.org/", True), ("https://example.org/ended", False)):
        app.text_input(key=f"webhook-url-{id}").set_value(url)
        next(button for button in app.button if button.label == "Save the address").click().run()
        assert not app.exception
        assert bool(app.code) is not refused
    [secret] = [code.value for code in app.code]
    opened.label(opened.annotator("ben"), 1)
    note_ends(store, {}, datetime.now(UTC))
    [due] = load_due(store, datetime.now(UTC))
    assert due.signature == sign(secret, due.body)
    note_attempt(store, due, "The server answered 500.", datetime.now(UTC))
    app.run()
    assert not app.code
    assert any("The server answered 500" in line.value for line in app.warning)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # of huggingface_hub's own upload
def test_the_labels_are_pushed_when_the_terms_are_stated(open_page: Open, store: Store, upload_hub: UploadHub) -> None:
    opened = make_campaign(store, items=1)
    opened.label(opened.annotator("ben"), 1)
    id = opened.campaign.id
    app = open_page("campaigns")
    app.query_params["campaign"] = id
    app.session_state[f"other-tools-{id}"] = True
    app.run()
    app.text_input(key=f"push-name-campaign-{id}").set_value("owner/boats").run()
    assert app.button(key=f"push-campaign-{id}").disabled
    assert any(line.value.startswith("State the licence of the labels and what people") for line in app.info)
    app.text_input(key=f"licence-{id}").set_value("cc-by-4.0")
    app.text_input(key=f"consent-{id}").set_value("Signed.")
    next(button for button in app.button if button.label.startswith("State this")).click().run()
    app.button(key=f"push-campaign-{id}").click().run()
    pushes()[f"campaign-{id}"].wait(60)
    app.run()
    assert not app.exception
    assert [line.value.split(" http")[0] for line in app.success] == ["Pushed to"]
    assert b"license: cc-by-4.0" in upload_hub.repositories["owner/boats"]["README.md"]
    app.button(key=f"push-campaign-{id}").click().run()
    pushes()[f"campaign-{id}"].wait(60)
    app.run()
    assert any("already" in line.value for line in app.error)


def test_a_paused_person_is_shown_with_the_reason_and_let_go_on(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=12, apart=0, least_seconds=2)
    annotator = opened.annotator("hasty")
    opened.label(annotator, 7)
    app = open_page("campaigns")
    app.query_params["campaign"] = opened.campaign.id
    app.run()
    people = next(frame.value for frame in app.dataframe if "limits" in frame.value)
    assert people["limits"].tolist() == ["paused: 0 of 7 labels not too fast: at most 46%, at least 50% asked"]
    [shown] = [text.value for text in app.text if text.value.startswith("hasty: ")]
    assert "Paused by the limits" in shown
    app.session_state["campaigns-section"] = PEOPLE_SECTION
    app.run()
    assert not app.exception
    next(button for button in app.button if (button.key or "").startswith("resume-")).click().run()
    assert not app.exception
    assert not [button for button in app.button if (button.key or "").startswith("resume-")]
    assert opened.next_task(annotator)


def test_labels_are_left_out_under_progress_and_let_in_again(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=2)
    opened.label(opened.annotator("bad"), 2)
    id = opened.campaign.id
    app = open_page("campaigns")
    app.query_params["campaign"] = id
    app.session_state[f"exclude-{id}"] = True
    app.run()
    app.text_input(key=f"exclude-{id}-reason").set_value("Guessed.")
    app.checkbox(key=f"exclude-{id}-pause").set_value(True)
    next(button for button in app.button if button.label == "Leave out").click().run()
    assert not app.exception
    [line] = [text.value for text in app.text if text.value.startswith("bad: 2 labels left out")]
    assert line.endswith(": Guessed.")
    assert [text.value for text in app.text if text.value.startswith("bad: Guessed. Paused by")]
    assert next(metric.value for metric in app.metric if metric.label == "Labels left") == "2"
    [exclusion] = [button.key for button in app.button if (button.key or "").startswith("reinstate-go-")]
    app.text_input(key=exclusion.replace("go", "reason")).set_value("All were right.")
    app.button(key=exclusion).click().run()
    assert not app.exception
    assert [text.value for text in app.text if text.value.endswith(": All were right.")]


@pytest.mark.slow
def test_the_agreement_tab_has_the_competence_of_people_and_labels_to_look_at_again(
    open_page: Open, store: Store
) -> None:
    opened = make_campaign(store, items=8, overlap=3, most_overlap=4, apart=0)
    for name in ("ann", "ben", "bad"):
        annotator = opened.annotator(name)
        for _ in range(8):
            task = opened.next_task(annotator)
            is_wrong = (int(task.document.split()[1]) % 2 == 0) == (name == "bad")
            wrong = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}
            opened.send(annotator, task, answers=wrong if is_wrong else {"verdict": "consistent", "confidence": 4})
    app = open_page("campaigns")
    app.query_params["campaign"] = opened.campaign.id
    app.run()
    assert any(caption.value.startswith("Adaptive overlap: the 8 items") for caption in app.caption)
    app.query_params["tab"] = "Agreement"
    while not any(heading.value == "Second look" for heading in app.subheader):
        app.run()
        assert not app.exception
    people = next(frame.value for frame in app.dataframe if "MACE, %" in frame.value)
    assert people["person"].tolist()[0] == "bad"
    doubtful = next(frame.value for frame in app.dataframe if "probability" in frame.value)
    assert set(doubtful["by"]) == {"bad"}


def test_items_are_found_by_person_answer_and_decision(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=2)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.label(ben, 2)
    opened.send(cem, opened.next_task(cem), answers={"verdict": "inconsistent", "confidence": 1, "reason": "No."})
    opened.send(cem, opened.next_task(cem), "flag")
    app = open_page("campaigns")
    app.query_params["campaign"] = opened.campaign.id
    app.run()
    app.query_params["tab"] = "Items"
    app.run()
    assert not app.exception

    def items() -> list[tuple[str, str | None]]:
        return [
            (line["decision"], line.get("people"))
            for frame in app.dataframe
            if "summary" in frame.value
            for line in frame.value.to_dict("records")
        ]

    assert len(items()) == 3
    filters = f"item-filter-{opened.campaign.id}"
    app.selectbox(key=f"{filters}-person").select("cem").run()
    [(decision, people)] = items()
    assert "cem" in str(people)
    app.selectbox(key=f"{filters}-answer").select("consistent").run()
    assert items() == []
    app.selectbox(key=f"{filters}-person").select(None).run()
    assert len(items()) == 2
    app.selectbox(key=f"{filters}-answer").select(None).run()
    app.multiselect(key=f"{filters}-states").select("flagged").run()
    frame = next(frame.value for frame in app.dataframe if "summary" in frame.value)
    assert frame["flag"].tolist() == ["flagged"]
    assert decision in {"unresolved", "of one person"}


def test_own_columns_stand_beside_those_of_ours_that_have_their_names(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=0)
    [item] = save_items(store, 1)
    opened.add_tasks([NewTask(item, columns={"decision": "board of 3 May", "labels": "fog; night"})])
    app = open_page("campaigns")
    app.query_params["campaign"] = opened.campaign.id
    app.run()
    app.query_params["tab"] = "Items"
    app.run()
    assert not app.exception
    [line] = next(frame.value for frame in app.dataframe if "summary" in frame.value).to_dict("records")
    assert (line["decision"], line["touchstone.decision"]) == ("board of 3 May", "not labelled")
    assert (line["labels"], line["touchstone.labels"]) == ("fog; night", 0)


def test_hours_are_paid_at_a_rate(open_page: Open, store: Store) -> None:
    opened = make_campaign(store, items=2)
    ben = opened.annotator("ben")
    for _ in range(2):
        opened.send(ben, opened.next_task(ben), active_ms=1_800_000)
    app = open_page("campaigns")
    app.query_params["campaign"] = opened.campaign.id
    app.session_state["payment"] = True
    app.run()
    app.session_state["payment"] = True
    app.number_input(key=f"rate-{opened.campaign.id}").set_value(18.0).run()
    assert not app.exception
    frame = next(frame.value for frame in app.dataframe if "pay" in frame.value)
    assert frame.to_dict("records") == [{"person": "ben", "labels": 2, "hours": 1.0, "pay": 18.0}]
