"""The page of papers: cards, a run of own pairs in a paper's layout, printed tables before and after ours, and presets elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.server import services
from pages.ui.papers import words_form

Open = Callable[..., AppTest]

RUN_S = 60


@pytest.fixture(autouse=True)
def _no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "")


def words(app: AppTest) -> str:
    shown = [*app.caption, *app.markdown, *app.info, *app.error, *app.subheader]
    return " ".join(element.value for element in shown).replace("\\", "")


def opened(open_page: Open, **parameters: str) -> AppTest:
    app = open_page("evaluate", paper="all")
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run(timeout=RUN_S)
    assert not app.exception
    return app


def test_a_card_for_each_paper_opens_it(open_page: Open) -> None:
    app = opened(open_page)
    assert "How much of a metric is surface, and can it be gamed?" in words(app)
    assert "576 printed figures" in words(app)
    app.button(key="open-paper-longdoc").click().run(timeout=RUN_S)
    assert not app.exception
    assert "".join(app.query_params["paper"]) == "longdoc"
    assert "Stress Testing Factual Consistency Metrics for Long-Document Summarization" in words(app)
    assert "Waits for an endpoint." in words(app)


def test_a_run_of_two_domains_fills_the_papers_figures(open_page: Open) -> None:
    app = opened(open_page, paper="ramprasad")
    app.pills(key="stress-domains").set_value(["weather"]).run(timeout=RUN_S)
    app.multiselect(key="paper-metrics-ramprasad").set_value(["rouge2"]).run(timeout=RUN_S)
    assert app.button(key="paper-go").label.endswith("2 pairs × 6 perturbations × 1 metric")
    app.button(key="paper-go").click().run(timeout=RUN_S)
    assert not app.exception
    id = "".join(app.query_params["run"])
    until = time.monotonic() + RUN_S
    while (progress := services.stress_runner().progress(id)) and progress.running:
        assert time.monotonic() < until
        time.sleep(0.02)
    app.run(timeout=RUN_S)
    assert not app.exception
    assert "Ramprasad and Wallace (2024), run 1" in words(app)
    assert "Figure 5.1: gaming, mean shift of the score" in words(app)
    assert "Select a cell to see its pairs." in words(app)
    [gaming, fillers] = [table.value for table in app.dataframe]
    assert [*gaming.columns] == ["metric", "top phrase", "assertion phrase", "summ + top", "summ + assertion"]
    assert [*fillers["metric"]] == ["ROUGE-2"]
    assert fillers["Baseline"][0].endswith("●")


@pytest.mark.parametrize("paper", ["bump", "frank", "summexecedit", "unieval"])
def test_a_paper_that_perturbs_nothing_shows_its_tables_and_needs(open_page: Open, paper: str) -> None:
    app = opened(open_page, paper=paper)
    assert "The paper's tables" in words(app)
    assert "printed cells" in words(app)


def test_ours_are_computed_on_a_press_and_wait_for_missing_files(
    open_page: Open, tmp_path_factory: pytest.TempPathFactory
) -> None:
    app = opened(open_page, paper="longdoc")
    app.text_input(key="released-folder-longdoc").set_value(str(tmp_path_factory.mktemp("empty"))).run(timeout=RUN_S)
    app.button(key="released-compute").click().run(timeout=RUN_S)
    until = time.monotonic() + RUN_S
    while "234 printed cells: 0 compared, 234 waiting" not in words(app):
        assert time.monotonic() < until
        app.run(timeout=RUN_S)
    assert not app.exception


def test_a_copy_says_how_many_texts_it_gave(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def upload(text: str) -> str:
        app = opened(open_page, paper="ramprasad")
        app.file_uploader(key="paper-copy-ramprasad").set_value(("copy.txt", text.encode(), "text/plain"))
        until = time.monotonic() + RUN_S
        while "copy.txt" not in (said := " ".join(box.value for box in [*app.warning, *app.success]).replace("\\", "")):
            assert time.monotonic() < until
            app.run(timeout=RUN_S)
        return said

    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    said = upload("The mill burned on Monday.")
    assert "0 of 17 texts were found in copy.txt. Is it a copy of “Do Automatic Factuality Metrics" in said
    monkeypatch.setattr(words_form, "find_in_copy", lambda *_: ({}, []))
    assert upload("The whole paper.") == "All 17 texts were found in copy.txt."


def test_the_stress_test_offers_the_perturbations_of_a_paper(open_page: Open) -> None:
    app = open_page("stress").run(timeout=RUN_S)
    app.session_state["stress-preset"] = "Ramprasad and Wallace (2024)"
    app.run(timeout=RUN_S)
    assert not app.exception
    assert {"Figure 5.1: gaming", "Figure D.2: fillers"} <= {pills.label for pills in app.pills}
    assert " × 6 perturbations × " in app.button(key="stress-go").label
