"""Records and Metrics as scripts."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def test_records_say_what_to_do_while_there_are_none(probe: Open) -> None:
    app = probe().switch_page("pages/views/data.py").run()
    assert not app.exception
    assert "Nothing was kept yet" in app.info[0].value


def test_records_list_what_was_kept(probe: Open) -> None:
    app = probe()
    app.session_state["editor.text"] += " It rained."
    app.run()
    app.button(key="keep").click().run()
    app.switch_page("pages/views/data.py").run()
    assert not app.exception
    assert list(app.dataframe[0].value["what"]) == ["pair"]


def test_metrics_have_a_card_each(probe: Open) -> None:
    app = probe().switch_page("pages/views/metrics.py").run()
    assert not app.exception
    titles = " ".join(element.value for element in app.markdown)
    assert all(f"**{title}**" in titles for title in ("ROUGE-2", "MiniCheck RoBERTa", "Semantic similarity"))
