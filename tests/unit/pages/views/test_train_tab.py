"""The Train tab of Evaluate as a script: what it refuses, a training that is cancelled, and one that is pushed and tried."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.evaluation.training.training_data import MIN_DOCUMENTS
from core.models.words.head import CARD_FILE, WEIGHTS_FILE
from core.types import Example, Item, Verdict
from pages.ui.evaluate.train_tab import trainings
from pages.ui.probe.probe_state import ProbeState
from pages.ui.shared.push_form import pushes
from tests.doubles.upload_hub import UploadHub
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

WAIT_S = 120


def opened(open_page: Open, store: Store, documents: int) -> AppTest:
    """The tab of a dataset with a summary of either class for each document, without made summaries."""
    items = []
    for number in range(documents):
        document = f"A ship left the harbour on day {number}. It carried {number + 2} crates of salt. Nobody was hurt."
        for verdict, carried in ((Verdict.CONSISTENT, "carried"), (Verdict.INCONSISTENT, "never carried")):
            pair = Example(f"d{number}/{verdict}", document, f"A ship left the harbour. It {carried} salt.")
            items.append(Item(pair, intended=verdict, group=f"g{number}"))
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items, dict)
    app = open_page("evaluate")
    app.query_params["dataset"], app.query_params["tab"] = "ships", "Train"
    app.session_state["train-share"] = 0.0
    return app


def run_until(app: AppTest, state: Callable[[], object]) -> None:
    """Draw the page again until this is true, as its fragments do."""
    until = time.monotonic() + WAIT_S
    while not state():
        assert time.monotonic() < until, f"{sorted(filter(None, buttons(app)))}: {said(app)}"
        app.run()
        assert not app.exception


def buttons(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}


def said(app: AppTest) -> str:
    told = [*app.error, *app.warning, *app.info, *app.success, *app.caption, *app.toast]
    return " ".join(str(one.value) for one in told).replace("\\", "")


def train(app: AppTest, name: str) -> None:
    app.text_input(key="train-name").set_value(name)
    app.button(key="train-go").click().run()


def test_too_few_documents_are_refused_in_a_sentence(open_page: Open, store: Store) -> None:
    app = opened(open_page, store, 3)
    run_until(app, lambda: app.error)
    [refusal] = [error.value for error in app.error]
    assert refusal.startswith("There are 3 documents to learn from")
    assert "train-go" not in buttons(app)


@pytest.mark.slow
def test_a_learning_curve_is_drawn_of_the_chosen_labels(
    open_page: Open, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_MODELS_DIR", str(tmp_path / "models"))
    app = opened(open_page, store, MIN_DOCUMENTS)
    app.session_state["train-recipe"] = "shallow"
    run_until(app, lambda: "train-curve" in {toggle.key for toggle in app.toggle})
    app.toggle(key="train-curve").set_value(True).run()
    run_until(app, lambda: any("labelled documents" in frame.value.columns for frame in app.dataframe))
    [points] = [frame.value for frame in app.dataframe if "labelled documents" in frame.value.columns]
    assert points["labelled documents"].tolist() == [5, 10, 20]
    app.selectbox(key="train-recipe").set_value("cross-encoder").run()
    run_until(app, lambda: "train-curve" in {toggle.key for toggle in app.toggle})
    assert app.toggle(key="train-curve").disabled


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # of huggingface_hub's own upload
def test_labels_become_a_metric_that_is_pushed_and_tried(
    open_page: Open,
    store: Store,
    upload_hub: UploadHub,
    tiny_roberta: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOUCHSTONE_MODELS_DIR", str(tmp_path / "models"))
    app = opened(open_page, store, MIN_DOCUMENTS)
    run_until(app, lambda: "train-go" in buttons(app))
    train(app, "a name")
    assert "'a name' is no name of a metric." in said(app)

    train(app, "stopped")
    app.button(key="train-cancel-stopped").click().run()
    run_until(app, lambda: "stopped: the training was cancelled." in said(app))

    app.selectbox(key="train-recipe").set_value("cross-encoder").run()
    assert app.selectbox(key="train-robust").options == ["Bundled examples (precomputed)"]
    app.text_input(key="train-encoder").set_value(str(tiny_roberta)).run()
    run_until(app, lambda: "train-go" in buttons(app) and not app.button(key="train-go").disabled)
    train(app, "from-labels")
    trainings()["from-labels"].wait(WAIT_S)  # drawing the page meanwhile would keep the processor from it
    run_until(app, lambda: "train-probe-from-labels" in buttons(app))

    form = f"trained-{tmp_path / 'models' / 'from-labels'}"
    for repository, answer in (
        ("someone/ships", "The token may not write to someone/ships."),
        ("owner/ships", "Pushed to"),
    ):
        app.text_input(key=f"push-licence-{form.removeprefix('trained-')}").set_value("cc-by-4.0").run()
        app.text_input(key=f"push-name-{form}").set_value(repository).run()
        app.button(key=f"push-{form}").click().run()
        pushes()[form].wait(WAIT_S)
        assert answer in said(app.run())
    assert {WEIGHTS_FILE, CARD_FILE, "tokenizer.json"} <= upload_hub.repositories["owner/ships"].keys()

    app.button(key="train-probe-from-labels").click().run()
    assert not app.exception
    [spec] = [spec for spec in state_of(app, ProbeState).metrics if spec.startswith("mine[")]
    assert str(tmp_path / "models" / "from-labels") in spec


@pytest.mark.slow
def test_a_teacher_is_estimated_before_the_start_and_labels_the_data(
    open_page: Open, store: Store, tiny_roberta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_MODELS_DIR", str(tmp_path / "models"))
    app = opened(open_page, store, MIN_DOCUMENTS)
    app.session_state["train-recipe"] = "cross-encoder"
    app.session_state["train-encoder"] = str(tiny_roberta)
    app.session_state["train-teacher"] = "summary-length"
    run_until(app, lambda: "neither side of it is more consistent" in said(app))
    assert "train-go" not in buttons(app)
    app.session_state["train-teacher"] = "coverage"
    app.session_state["train-name"] = "taught"
    run_until(app, lambda: "train-go" in buttons(app))
    shown = " ".join(str(text.value) for text in app.markdown).replace("\\", "")
    assert f"is to score {2 * MIN_DOCUMENTS} pairs; 0 of them are scored already." in shown
    assert "Requests: none, nothing to pay." in shown
    app.button(key="train-go").click().run()
    trainings()["taught"].wait(WAIT_S)
    run_until(app, lambda: "train-probe-taught" in buttons(app))
    assert "The labels are verdicts of coverage" in (tmp_path / "models" / "taught" / CARD_FILE).read_text()
