"""Report shows results as they were pinned, in an order of one's own, and says what changed since."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from annotations.management.manage import local_member
from annotations.people.people import Role, add_person
from annotations.store.dataset_import import DatasetSource
from annotations.store.reports import PersonReports
from annotations.store.store import Store
from core.assessment.pinned.address import address_of
from core.assessment.pinned.pin import AuditSource, PairSource, Pin, StudySource, pin_json, read_pin
from core.assessment.pinned.pin_comparison import PinChange, basis_of, compare
from core.edits.battery import STANDARD_BATTERY
from core.evaluation.studies.measures import Measures
from core.settings import Settings
from core.types import PRECOMPUTED, Example, Item, Verdict
from pages.server import services
from pages.sources.pins_again import PinBuilder
from tests.unit.core.assessment.pinned.pins import HOSTILE, edited_pair, study_pin

Open = Callable[..., AppTest]
WAIT_S = 30
RUN = StudySource("shifts", run="bundled", table="matrix", cell={"metric": "rouge2", "kind": "added"})


@pytest.fixture
def own(store: Store) -> PersonReports:
    return PersonReports(store, local_member(store, Settings.read().user).id)


@pytest.fixture
def page(probe: Open) -> Open:
    def open_page(**query: str) -> AppTest:
        app = probe()
        for name, value in query.items():
            app.query_params[name] = value
        app.switch_page("views/projects.py").run(timeout=60)
        assert not app.exception
        return app

    return open_page


def titles(app: AppTest) -> list[str]:
    return [heading.value.replace("\\", "") for heading in app.subheader]


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run(timeout=60)
    assert not app.exception
    return app


def test_an_empty_page_has_the_one_button_that_fills_it(page: Open) -> None:
    app = page()
    assert [button.label for button in app.button if button.key == "report-example"] == [
        "Make a project of the bundled examples"
    ]
    assert not app.selectbox


@pytest.mark.slow
def test_pins_are_moved_taken_out_and_written_about(page: Open, own: PersonReports) -> None:
    id = own.create("Harbour")
    for words in ("one", "two", "three"):
        own.pin(id, pin_json(study_pin(words)), f"Text of {words}")
    app = page()
    assert titles(app) == ["one", "two", "three"]
    assert titles(press(app, "down-0")) == ["two", "one", "three"]
    assert titles(press(app, "delete-2")) == ["two", "one"]
    row = own.report(id)
    key = f"{row.id}-{row.revision}-0"
    app.toggle(key=f"part-editing-{key}").set_value(True).run(timeout=60)
    app.text_area(key=f"part-text-{key}").set_value("**New** words")
    press(app, "save-0")
    assert [part.text for part in own.report(id).parts] == ["**New** words", "Text of one"]


def test_words_of_people_are_text_wherever_they_are_drawn(page: Open, own: PersonReports) -> None:
    own.pin(own.create(HOSTILE), pin_json(study_pin(HOSTILE)), HOSTILE)
    app = page()
    shown = [*app.markdown, *app.subheader, *app.caption]
    assert any("script" in element.value for element in shown)
    assert not [element.value for element in shown if "![p](" in element.value]
    assert not any(element.allow_html for element in app.markdown)


def test_the_report_of_somebody_else_is_read_once_shared_and_has_no_controls(page: Open, store: Store) -> None:
    with store.writing() as session:
        reports = PersonReports(store, add_person(session, "ben", Role.RESEARCHER).id)
    id = reports.create("Hidden")
    reports.pin(id, pin_json(study_pin("secret")))
    app = page(project=id)
    assert titles(app) == []
    assert "not shared with you" in app.info[0].value
    reports.revise(replace(reports.report(id), shared=True))
    app = page(project=id)
    assert titles(app) == ["secret"]
    assert not [button for button in app.button if (button.key or "").startswith(("up-", "delete-", "report-save"))]


def test_a_report_is_renamed_shared_and_removed(page: Open, own: PersonReports) -> None:
    id = own.create("Harbour")
    app = page()
    app.text_input(key=f"report-title-{id}-1").set_value("Harbours")
    app.toggle(key=f"report-shared-{id}-1").set_value(True)
    press(app, "report-save")
    row = own.report(id)
    assert (row.title, row.shared) == ("Harbours", True)
    press(app, "report-remove")
    assert own.own() == []
    assert app.button(key="report-example")


@pytest.mark.parametrize(
    ("source", "address"),
    [
        (RUN, ("stress", {"run": ["bundled"], "tab": ["shifts"], "metric": ["rouge2"], "kind": ["added"]})),
        (
            StudySource("measures[full=True]", ("a", "b"), "domain", ("rouge2", "bleu")),
            (
                "evaluate",
                {
                    "dataset": ["a", "b"],
                    "by": ["domain"],
                    "metric": ["rouge2", "bleu"],
                    "tab": ["measures"],
                    "study": ["measures[full=True]"],
                },
            ),
        ),
        (PairSource("d", "o", "e", ("rouge2",), link="?example=a&edits=x%3D"), ("probe", {"example": ["a"], "edits": ["x="]})),
    ],
)  # fmt: skip
def test_a_source_has_the_address_that_restores_it(
    source: StudySource | PairSource, address: tuple[str, dict[str, list[str]]]
) -> None:
    found = address_of(source)
    assert (found.page, found.query) == address


def made(source: StudySource | PairSource) -> Pin:
    return PinBuilder(services.store(), services.settings(), services.engine).build(source)


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [RUN, StudySource("ranks", (PRECOMPUTED,), metrics=("bleu", "rouge2")), edited_pair("It was open.").source],
)
def test_a_result_that_is_made_again_from_its_source_is_unchanged(source: StudySource | PairSource) -> None:
    first = made(source)
    again = made(read_pin(pin_json(first)).source)
    assert compare(basis_of(first), basis_of(again))[0] is PinChange.NONE
    assert again.signatures


def test_the_address_of_a_pin_restores_metrics_and_settings_on_evaluate(probe: Open) -> None:
    app = probe()
    wanted = StudySource(Measures(full=True).spec, (PRECOMPUTED,), metrics=("rouge2", "bleu"))
    for name, values in address_of(wanted).query.items():
        app.query_params[name] = values
    app.switch_page("views/evaluate.py")
    until = time.monotonic() + WAIT_S
    while not (app.run(timeout=60).toggle or app.exception):
        assert time.monotonic() < until
    chosen = next(box for box in app.multiselect if box.label == "Metrics")
    assert set(chosen.value) == {"rouge2", "bleu"}
    assert next(toggle for toggle in app.toggle if toggle.label == "Full").value


def test_the_filters_of_an_address_are_those_of_the_run(probe: Open) -> None:
    app = probe()
    app.query_params["run"] = "bundled"
    app.query_params["leave-out"] = ["trivial"]
    app.switch_page("views/stress.py").run(timeout=60)
    assert not app.exception
    assert app.session_state["stress-filters"] == ["trivial"]
    assert app.query_params["leave-out"] in ("trivial", ["trivial"])


def test_a_pinned_audit_of_an_older_version_is_run_again_on_the_newest(
    page: Open, own: PersonReports, store: Store
) -> None:
    ships = DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64)
    items = [Item(Example(verb, f"The ferry {verb}.", f"It {verb}."), intended=Verdict.CONSISTENT) for verb in "abc"]
    store.import_dataset(ships, items[:2], dict)
    store.import_dataset(replace(ships, sha256="1" * 64), items, dict)
    source = AuditSource(("rouge2",), ("ships@1",), 50, STANDARD_BATTERY)
    own.pin(own.create("Ferries"), pin_json(replace(study_pin("first"), source=source)))
    app = page()
    assert "This is of ships, version 1; there is ships, version 2." in "\n".join(
        caption.value for caption in app.caption
    ).replace("\\", "")
    [again] = [button for button in app.button if button.label == "Run again on version 2"]
    again.click().run(timeout=60)
    assert not app.exception
    assert list(app.session_state["audit-datasets"]) == ["ships@2"]
    assert list(app.session_state["audit-metrics"]) == ["rouge2"]
    assert (app.session_state["audit-most"], app.session_state["audit-battery"]) == (50, STANDARD_BATTERY)
    assert app.query_params["audit"]
