"""Perturbing the summary on Probe: by rule and by a language model, through the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data.datasets.bundled import bundled_items
from core.edits.perturbation import PERTURBATIONS
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.text_panes import EditorState
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]
PATIENCE_S = 30

SUMMARY = bundled_items()[0].example.summary
NEGATED = PERTURBATIONS.parse("negated-llm").card.title
VARIANT = "Same facts, other words (harmless)"
SHUFFLED = PERTURBATIONS.parse("shuffled").card.title


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")


def menu(app: AppTest) -> AppTest:
    """The page with the list of edits to try open."""
    app.session_state[ProbeState.edit_menu_open.key] = True
    return app.run()


def press(app: AppTest, title: str) -> None:
    [button] = [button for button in menu(app).button if button.label == title]
    button.click().run()


def tried(app: AppTest, title: str) -> AppTest:
    """The page after the edit has come: a language model writes beside it."""
    press(app, title)
    while state_of(app, ProbeState).variant_request:
        app.run()
    assert not app.exception
    return app


def stands(app: AppTest) -> str:
    summary: str = state_of(app, EditorState, EDITOR_KEY).text
    return summary


def test_what_a_language_model_writes_stands_in_the_editor(probe: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    written = SUMMARY.replace("Tuesday", "no other day than Tuesday")
    with serving(lambda _path, _body: text(written)) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        app = tried(probe(), NEGATED)
    assert stands(app) == written
    assert len(endpoint.asked) == 1


def test_what_was_written_of_another_summary_is_not_used(probe: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()

    def answer(_path: str, _body: Body) -> Reply:
        go.wait(PATIENCE_S)
        return text("Another summary.")

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        app = probe()
        for title in (NEGATED, VARIANT):
            press(app, title)
        changed = stands(app)
        go.set()
        while state_of(app, ProbeState).variant_request:
            app.run()
    assert stands(app) == changed != SUMMARY
    assert "its variant is not used" in " ".join(toast.value for toast in app.toast)


def test_what_cannot_work_here_is_greyed_and_says_why(probe: Open) -> None:
    app = menu(probe())
    greyed = {button.label for button in app.button if button.disabled}
    assert {NEGATED, PERTURBATIONS.parse("pronoun").card.title} <= greyed
    assert not {VARIANT, SHUFFLED} & greyed
    words = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "No language-model endpoint is set. Set TOUCHSTONE_LLM_BASE_URL" in words
    assert "No translation model is named. Write back-translation[there=FOLDER,back=FOLDER]" in words
    assert "The summary has no he, she or they" in words


def test_a_press_closes_the_list(probe: Open) -> None:
    app = tried(probe(), SHUFFLED)
    assert not app.session_state[ProbeState.edit_menu_open.key]
    assert stands(app) != SUMMARY


@pytest.mark.slow
def test_each_press_draws_anew(probe: Open) -> None:
    app, drawn = probe(), set()
    for _ in range(12):  # two presses may draw the same
        drawn.add(stands(tried(app, SHUFFLED)))
        if len(drawn) > 1:
            break
        app.button(key="reset").click().run()
    assert len(drawn) == 2
    assert SUMMARY not in drawn
