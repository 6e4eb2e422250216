"""Records and Metrics as scripts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data.datasets.bundled import bundled_items
from core.scoring.metric import METRICS
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.text_panes import EditorState
from tests.unit.pages.views.states import state_of

WORK_S = 60

Open = Callable[..., AppTest]


def test_records_say_what_to_do_while_there_are_none(open_page: Open) -> None:
    app = open_page("home", open="records").run()
    assert not app.exception
    assert any("Nothing was kept yet" in info.value for info in app.info)


def test_a_manager_is_led_to_a_campaign_where_there_is_none(open_page: Open) -> None:
    app = open_page("annotate").run()
    assert not app.exception
    assert [element.proto.label for element in app.get("page_link")] == ["Set up a campaign"]


def test_records_begin_with_the_bundled_examples_and_their_scores(open_page: Open) -> None:
    app = open_page("home", open="records").run()
    shown = next(
        table.value for table in app.dataframe if "open" in table.value
    )  # other tests leave costs in this process
    assert list(shown["open"]) == [f"/?example={item.example.id}" for item in bundled_items()]
    assert set(shown["by"]) == {"bundled"}
    assert shown["rouge2"].notna().any()


@pytest.mark.slow
def test_a_run_of_the_bundled_examples_is_there_to_be_looked_at(open_page: Open) -> None:
    app = open_page("stress").run()
    button = next(one for one in app.button if one.label == "Look at a run of the bundled examples")
    app = button.click().run(timeout=60)
    assert not app.exception
    captions = " ".join(caption.value for caption in app.caption)
    assert "run beforehand with metrics that need no download" in captions
    assert "Complete: 60 pairs" in captions
    answer = re.compile(r"under \d+ of \d+ harmless kinds and notices \d+ of \d+ breaking kinds")
    until = time.monotonic() + WORK_S
    while not any(answer.search(element.value) for element in app.markdown):
        assert time.monotonic() < until
        app.run()


def test_records_list_what_was_kept(probe: Open) -> None:
    app = probe()
    state_of(app, EditorState, EDITOR_KEY).text += " It rained."
    app.run()
    app.button(key="keep").click().run()
    app.switch_page("views/home.py")
    app.query_params["open"] = "records"
    app.run()
    assert not app.exception
    assert list(app.dataframe[0].value["what"]) == ["pair"]


def metrics(open_page: Open, opened: str = "") -> AppTest:
    """The Metrics page, with that metric opened."""
    app = open_page("metrics")
    if opened:
        app.query_params["metric"] = opened
    return app.run()


def opening(app: AppTest) -> list[str]:
    """The metrics whose cards can be pressed, in order."""
    return [str(button.key).removeprefix("open-") for button in app.button if str(button.key).startswith("open-")]


def test_metrics_have_a_card_each_and_what_is_ready_comes_first(open_page: Open) -> None:
    app = metrics(open_page)
    assert not app.exception
    assert any("of 4.29 GB (TOUCHSTONE_CACHE_GB)" in caption.value for caption in app.caption)
    names = opening(app)
    assert sorted(names) == METRICS.names()
    assert names.index("semantic-similarity") < names.index("alignscore-base") < names.index("direct-assessment")


def test_a_search_leaves_what_it_matches_and_names_what_was_meant(open_page: Open) -> None:
    app = metrics(open_page)
    app.text_input(key="metric-search").set_value("minicheck roberta").run()
    assert opening(app) == ["minicheck-roberta"]
    app.text_input(key="metric-search").set_value("minichek-roberta").run()
    assert opening(app) == []
    assert any("Did you mean MiniCheck RoBERTa" in info.value for info in app.info)


@pytest.mark.slow
def test_a_pressed_card_opens_its_metric_alone_and_leads_back(open_page: Open) -> None:
    app = metrics(open_page)
    app.button(key="open-rouge2").click().run()
    assert opening(app) == []
    shown = " ".join(element.value for element in [*app.markdown, *app.caption])
    assert "It misses " in shown
    assert "Medians: consistent " in shown
    assert "harmless edits move it by" in shown
    app.button(key="all-metrics").click().run()
    assert sorted(opening(app)) == METRICS.names()


def test_an_opened_metric_says_what_it_lacks_and_how_to_get_it(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "")
    told = " ".join(info.value.replace("\\", "") for info in metrics(open_page, "direct-assessment").info)
    assert "Set TOUCHSTONE_LLM_BASE_URL" in told
    app = metrics(open_page, "dae-spacy")
    told = " ".join(info.value.replace("\\", "") for info in app.info)
    assert "There is no folder './DAE_xsum_human_best_ckpt'" in told
    assert not app.error


@pytest.mark.slow
def test_an_opened_metric_takes_other_settings(open_page: Open) -> None:
    app = metrics(open_page, "rouge2")
    assert app.selectbox(key="set-rouge2-measured").value == "precision"
    app.selectbox(key="set-rouge2-measured").set_value("f1")
    app.button(key="add-rouge2").click().run()
    assert "rouge2[measured=f1]" in state_of(app, ProbeState).metrics


def test_a_folder_of_weights_is_checked_before_it_is_added(open_page: Open, tmp_path: Path, tiny_deberta: Path) -> None:
    app = metrics(open_page, "minicheck-deberta")
    field = app.text_input(key="weights-minicheck-deberta-checkpoint")
    field.set_value(str(tmp_path / "nothing")).run()
    assert any("There is no folder" in error.value.replace("\\", "") for error in app.error)
    app.text_input(key="weights-minicheck-deberta-checkpoint").set_value(str(tiny_deberta)).run()
    assert not app.error
    app.button(key="add-weights-minicheck-deberta").click().run()
    assert f"minicheck-deberta[checkpoint={tiny_deberta}]" in state_of(app, ProbeState).metrics


@pytest.mark.slow
def test_published_scores_stay_when_the_page_is_drawn_again(open_page: Open) -> None:
    app = metrics(open_page, "semantic-similarity")
    app.button(key="verify-semantic-similarity").click().run()
    app.run()
    assert not app.exception
    assert list(app.dataframe[0].value["agrees"]) == [True, True, True]


def test_what_could_not_be_compared_neither_agrees_nor_differs(open_page: Open) -> None:
    app = metrics(open_page, "bartscore")
    app.button(key="verify-bartscore").click().run()
    [table] = [one.value for one in app.dataframe]
    assert table["agrees"].isna().all()
    assert all("cli.py doctor bartscore" in problem for problem in table["problem"])
