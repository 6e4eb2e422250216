"""Records and Metrics as scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.datasets.bundled import bundled_items
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.text_panes import EditorState
from tests.unit.views.states import state_of

Open = Callable[..., AppTest]


def test_records_say_what_to_do_while_there_are_none(probe: Open) -> None:
    app = probe().switch_page("views/data.py").run()
    assert not app.exception
    assert "Nothing was kept yet" in app.info[0].value


def test_records_begin_with_the_bundled_examples_and_their_scores(probe: Open) -> None:
    app = probe().switch_page("views/data.py").run()
    shown = app.dataframe[0].value
    assert list(shown["open"]) == [f"/?example={item.example.id}" for item in bundled_items()]
    assert set(shown["by"]) == {"bundled"}
    assert shown["rouge2"].notna().any()


def test_a_run_of_the_bundled_examples_is_there_to_be_looked_at(probe: Open) -> None:
    app = probe().switch_page("views/stress.py").run()
    button = next(one for one in app.button if one.label == "Look at a run of the bundled examples")
    app = button.click().run(timeout=60)
    assert not app.exception
    captions = " ".join(caption.value for caption in app.caption)
    assert "run beforehand with metrics that need no download" in captions
    assert "Complete: 60 pairs" in captions


def test_records_list_what_was_kept(probe: Open) -> None:
    app = probe()
    state_of(app, EditorState, EDITOR_KEY).text += " It rained."
    app.run()
    app.button(key="keep").click().run()
    app.switch_page("views/data.py").run()
    assert not app.exception
    assert list(app.dataframe[0].value["what"]) == ["pair"]


def test_metrics_have_a_card_each(probe: Open) -> None:
    app = probe().switch_page("views/metrics.py").run()
    assert not app.exception
    titles = " ".join(element.value for element in app.markdown)
    assert all(f"**{title}**" in titles for title in ("ROUGE-2", "MiniCheck RoBERTa", "Semantic similarity"))


def test_a_card_says_what_its_metric_lacks_and_how_to_get_it(probe: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "")
    app = probe().switch_page("views/metrics.py").run()
    told = " ".join(info.value.replace("\\", "") for info in app.info)
    assert "Set TOUCHSTONE_LLM_BASE_URL" in told
    assert "There is no folder './DAE_xsum_human_best_ckpt'" in told
    assert not app.error


def test_a_card_offers_other_settings_where_there_are_any(probe: Open) -> None:
    app = probe().switch_page("views/metrics.py").run()
    app.session_state["settings-rouge2"] = True
    app.run()
    assert app.selectbox(key="set-rouge2-measured").value == "precision"
    app.selectbox(key="set-rouge2-measured").set_value("f1")
    app.button(key="add-rouge2").click().run()
    assert "rouge2[measured=f1]" in state_of(app, ProbeState).metrics


def test_published_scores_stay_on_the_card_when_the_page_is_drawn_again(probe: Open) -> None:
    app = probe().switch_page("views/metrics.py").run()
    app.toggle(key="setup-semantic-similarity").set_value(True).run()
    app.button(key="verify-semantic-similarity").click().run()
    app.run()
    assert not app.exception
    assert list(app.dataframe[0].value["agrees"]) == [True, True, True]


def test_what_could_not_be_compared_neither_agrees_nor_differs(probe: Open) -> None:
    app = probe().switch_page("views/metrics.py").run()
    app.toggle(key="setup-bartscore").set_value(True).run()
    app.button(key="verify-bartscore").click().run()
    [table] = [one.value for one in app.dataframe]
    assert table["agrees"].isna().all()
    assert all("cli.py doctor bartscore" in problem for problem in table["problem"])
