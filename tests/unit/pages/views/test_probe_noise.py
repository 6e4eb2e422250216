"""The null band on Probe: measured after the scores, for what is scored while a person types."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.data.datasets.bundled import bundled_items
from pages.ui.probe.board_rows import Board, Noise
from pages.ui.probe.board_scores import BOARD_KEY
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.score_board import BoardState
from pages.ui.probe.text_panes import EditorState
from tests.unit.pages.views.conftest import LEXICAL
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

FIRST = bundled_items()[0].example
MORE = " Penguins ate the fish of the mayor, who did not complain."


def noises(app: AppTest) -> dict[str, Noise]:
    assert not app.exception
    shown: Board = state_of(app, BoardState, BOARD_KEY).board
    return {row.spec: row.noise for row in shown.rows}


def write(app: AppTest, text: str) -> AppTest:
    state_of(app, EditorState, EDITOR_KEY).text = text
    return app.run()


def test_a_text_that_nobody_edited_is_compared_with_nothing(probe: Open) -> None:
    assert set(noises(probe()).values()) == {Noise()}


def test_an_edit_stands_before_the_band_of_every_metric_when_the_page_is_done(probe: Open) -> None:
    found = noises(write(probe(), FIRST.summary + MORE))
    assert sorted(found) == sorted(LEXICAL)
    for noise in found.values():
        assert noise.band is not None
        assert noise.band.size is not None
        assert not noise.band.any_size


def test_the_band_follows_the_size_of_the_edit(probe: Open) -> None:
    app = probe()
    small = noises(write(app, FIRST.summary.replace("Tuesday", "a Friday")))["rouge2"].band
    large = noises(write(app, FIRST.summary + MORE))["rouge2"].band
    assert small is not None
    assert large is not None
    assert small != large


@pytest.mark.parametrize("fast", [True, False])
def test_a_metric_is_measured_where_it_is_scored_while_typing(probe: Open, fast: bool) -> None:
    app = probe()
    state_of(app, ProbeState).metrics, state_of(app, ProbeState).waits = ["word-novelty"], {"word-novelty": not fast}
    state_of(app, ProbeState).score_all = True
    noise = noises(write(app, FIRST.summary + MORE))["word-novelty"]
    assert (noise.band is not None, noise.words) == ((True, "") if fast else (False, "not measured"))
