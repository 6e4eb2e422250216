"""The form under Metrics: a folder becomes a metric that stands on Probe's bench, and only the operator may do that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.records import RightsError
from core.registry import types_of
from core.scoring.metric import METRICS
from core.scoring.plugins.checkpoints.checkpoint_metric import FORMS
from core.settings import Settings
from pages.server import services
from pages.ui.metrics import add_metric
from pages.ui.probe.probe_state import ProbeState
from pages.ui.shared.setting_words import SETTING_HELP, SETTING_TITLES
from tests.conftest import Weights
from tests.probe_checkpoints import pair_classifier, with_config
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]
NAME = "tried-here"
NLI = ("contradiction", "entailment", "neutral")


@pytest.fixture(autouse=True)
def metrics_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TOUCHSTONE_METRICS_DIR", str(tmp_path / "metrics"))
    yield tmp_path / "metrics"
    METRICS.remove(NAME)


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label.startswith(label)).click().run()


def read(probe: Open, source: Path) -> AppTest:
    app = probe().switch_page("views/metrics.py").run()
    app.text_input("add-metric-source").set_value(str(source))
    return press(app, "Read its files")


def tried(app: AppTest) -> AppTest:
    app.text_input("add-metric-field-1-name").set_value(NAME)
    return press(app, "Try five pairs")


@pytest.mark.slow
def test_a_folder_is_read_tried_saved_put_on_the_bench_and_removed(
    probe: Open, weights: Weights, metrics_dir: Path
) -> None:
    app = tried(read(probe, weights(pair_classifier, NLI, 1, 0)))
    assert not app.exception
    assert "5 of 5 probe pairs come out the right way round" in app.success[0].value
    press(app, "Save")
    assert not app.exception
    assert METRICS.get(NAME).card.family == "Checkpoint"
    assert NAME in state_of(app, ProbeState).metrics
    assert NAME in app.query_params["metric"]
    assert any('label = "entailment"' in code.value for code in app.code)
    press(app, "Remove this metric")
    assert not app.exception
    assert NAME not in METRICS.names()
    assert not list(metrics_dir.iterdir())


@pytest.mark.slow
def test_a_model_that_gets_the_pairs_wrong_is_said_to_and_another_label_is_tried(
    probe: Open, weights: Weights, tmp_path: Path
) -> None:
    names = ("entailment", "contradiction", "neutral")
    ids = {str(place): name for place, name in enumerate(names)}
    label2id = {name: place for place, name in enumerate(names)}
    swapped = with_config(weights(pair_classifier, NLI, 1, 0), tmp_path / "swapped", id2label=ids, label2id=label2id)
    app = tried(read(probe, swapped))
    assert "the wrong way round" in app.warning[0].value
    assert [button.label for button in app.button if button.label.startswith("Save")] == ["Save anyway"]
    app.selectbox("add-metric-field-1-label").set_value("contradiction")
    tried(app)
    assert "5 of 5" in app.success[0].value


def test_every_field_of_every_form_has_a_title_and_help() -> None:
    names = {name for form in FORMS.values() for name in types_of(form)} - add_metric._FIXED
    assert names <= SETTING_TITLES.keys() & SETTING_HELP.keys()


@pytest.mark.slow
def test_what_cannot_be_read_is_said_and_drawn_as_text(probe: Open, tmp_path: Path) -> None:
    app = read(probe, tmp_path / "absent_*_")
    assert "does not exist" in app.error[0].value
    assert r"absent\_\*\_" in app.error[0].value


@pytest.mark.slow
def test_on_a_shared_server_nobody_but_its_operator_adds_or_removes_a_metric(
    probe: Open, monkeypatch: pytest.MonkeyPatch, metrics_dir: Path
) -> None:
    app = probe().switch_page("views/metrics.py").run()
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True))
    with pytest.raises(RightsError, match="Whoever runs this server"):
        add_metric._require_operator()
    pressed = press(app, "Read its files")
    assert not metrics_dir.exists()
    assert not [one for one in pressed.text_input if one.key == "add-metric-source"]
