"""The view Combine of Evaluate as a script: a combination is saved as a metric, and what cannot be saved says why."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotations.exchange.samples import load_texts
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.evaluation.studies.combine import Combine
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.plugins.combination_file import combination_classes
from core.scoring.plugins.combination_metric import SentenceCombination
from core.types import Example, Item, Verdict
from pages.ui.probe.probe_state import ProbeState
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

WAIT_S = 60


def keep_ships(store: Store, engine: Engine, documents: int = 20) -> None:
    """A copied and a mixed summary for each document, with labels and the scores of two metrics."""
    rng = random.Random(0)
    words = [f"word{number}" for number in range(300)]
    items = []
    for number in range(documents):
        document = rng.sample(words, 40)
        kept = rng.randint(3, 9)
        for verdict, summary in (
            (Verdict.CONSISTENT, document[:10]),
            (Verdict.INCONSISTENT, [*document[:kept], *rng.sample(words, 10 - kept)]),
        ):
            pair = Example(f"d{number}/{verdict}", " ".join(document), " ".join(summary))
            items.append(Item(pair, intended=verdict, group=f"g{number}"))
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items, dict)
    metrics = [METRICS.parse("rouge2"), METRICS.parse("coverage")]
    store.save_outcomes([outcome for _, outcome in engine.run(metrics, load_texts(store, "ships"))])


@pytest.fixture
def metrics_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TOUCHSTONE_METRICS_DIR", str(tmp_path / "metrics"))
    yield tmp_path / "metrics"
    METRICS.remove("my-mix")


def combined(open_page: Open) -> AppTest:
    """The view once its report is there."""
    return settled(open_page("evaluate", dataset="ships", tab="combine"))


def settled(app: AppTest) -> AppTest:
    until = time.monotonic() + WAIT_S
    while "Save as a metric" not in {heading.value for heading in app.run().subheader}:
        assert not app.exception
        assert time.monotonic() < until, [one.value for one in (*app.info, *app.error)]
    return app


def save(app: AppTest, name: str) -> str:
    app.text_input(key="evaluate-combination-name").set_value(name)
    app.button(key="save-combination").click().run()
    assert not app.exception
    return " ".join(one.value for one in (*app.error, *app.success)).replace("\\", "")


@pytest.mark.slow
def test_what_the_page_shows_is_saved_as_a_metric_and_is_on_the_bench(
    open_page: Open, store: Store, page_engine: Engine, metrics_dir: Path
) -> None:
    keep_ships(store, page_engine)
    app = combined(open_page)
    [members] = [one for one in app.multiselect if one.label == "Members"]
    assert members.options == ["Extractive coverage", "ROUGE-2"]
    members.set_value(["coverage", "rouge2"])
    settled(app)
    assert app.query_params["study"] == "combine[members=coverage+rouge2]"
    [cost] = [one for one in app.number_input if one.label == "ROUGE-2"]
    assert cost.value == 1.0
    cost.set_value(2.5)
    settled(app)
    assert app.query_params["study"] == Combine(members="coverage+rouge2", costs="rouge2=2.5").spec
    assert "The metric has no name yet." in save(app, "")
    assert "'My Mix' is no name of a metric" in save(app, "My Mix")
    assert "There is a metric 'rouge2' already" in save(app, "rouge2")
    assert not metrics_dir.exists()
    assert "my-mix is a metric now" in save(app, "my-mix")
    [made] = combination_classes(str(metrics_dir / "my-mix.toml"))
    assert made.specs == ("coverage", "rouge2")
    assert not made.unsure
    assert "my-mix" in state_of(app, ProbeState).metrics


@pytest.mark.slow
def test_costs_are_measured_where_metrics_are_computed_here(
    open_page: Open, store: Store, page_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_ships(store, page_engine)
    seconds = {"rouge2": 0.25, "coverage": 0.5}
    monkeypatch.setattr(
        "pages.ui.evaluate.score_costs.score_seconds",
        lambda _settings, metrics, texts: {one.spec: seconds[one.spec] for one in metrics if len(list(texts)) == 40},
    )
    app = combined(open_page)
    app.button(key="measure-costs").click()
    until = time.monotonic() + WAIT_S
    while app.run().query_params.get("study") != Combine(costs="coverage=0.5,rouge2=0.25").spec:
        assert not app.exception
        assert time.monotonic() < until, app.query_params
    fields = {one.label: one.value for one in app.number_input}
    assert (fields["ROUGE-2"], fields["Extractive coverage"]) == (0.25, 0.5)


@pytest.mark.slow
def test_a_toggle_makes_it_a_cascade(open_page: Open, store: Store, page_engine: Engine, metrics_dir: Path) -> None:
    keep_ships(store, page_engine)
    app = combined(open_page)
    app.toggle(key="evaluate-combination-cascade").set_value(True)
    save(app, "my-mix")
    [made] = combination_classes(str(metrics_dir / "my-mix.toml"))
    assert len(made.unsure) == 2


@pytest.mark.slow
def test_weights_of_sentences_are_shown_and_saved(
    open_page: Open, store: Store, page_engine: Engine, metrics_dir: Path
) -> None:
    keep_ships(store, page_engine)
    app = settled(open_page("evaluate", dataset="ships", tab="combine", study=Combine(level="sentence").spec))
    assert any("Fitted to 40 sentences it has an area of" in one.value for one in app.markdown)
    save(app, "my-mix")
    [made] = combination_classes(str(metrics_dir / "my-mix.toml"))
    assert issubclass(made, SentenceCombination)


@pytest.mark.slow
def test_on_a_server_of_others_only_its_operator_adds_metrics(
    open_page: Open, store: Store, page_engine: Engine, metrics_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_ships(store, page_engine)
    monkeypatch.setenv("TOUCHSTONE_DEMO", "true")
    app = combined(open_page)
    assert "save-combination" not in {button.key for button in app.button}
    assert any("python cli.py combine" in one.value.replace("\\", "") for one in app.caption)
    assert not metrics_dir.exists()
