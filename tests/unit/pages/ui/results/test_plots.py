"""One template for all charts: what a chart asks otherwise is its own, and nothing else of the template is lost."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.ui.results.plots import TEMPLATE, lay_out


def test_a_chart_has_the_layout_of_the_template_in_itself() -> None:
    layout = lay_out(go.Figure(), "Shifts", 340).layout
    assert (layout.title.text, layout.title.font.size, layout.height) == ("Shifts", 14, 340)
    assert layout.margin == TEMPLATE.layout.margin


def test_what_a_chart_says_otherwise_changes_that_alone() -> None:
    layout = lay_out(go.Figure(), None, 220, margin={"t": 80}, showlegend=False).layout
    assert layout.margin == go.layout.Margin(l=10, r=10, t=80, b=40)
    assert (layout.title.text, layout.showlegend) == (None, False)
    assert TEMPLATE.layout.margin.t == 50


def test_the_names_of_an_axis_have_room_in_a_saved_file_too() -> None:
    layout = lay_out(go.Figure(), None, 220, yaxis_title="rank").layout
    assert (layout.xaxis.automargin, layout.yaxis.automargin, layout.yaxis.title.text) == (True, True, "rank")


def test_a_title_wider_than_a_phone_has_more_lines() -> None:
    title = "ROC AUC of the combination and its members, with 95 % intervals"
    lines = lay_out(go.Figure(), title, 220).layout.title.text.split("<br>")
    assert " ".join(lines) == title
    assert max(map(len, lines)) <= 50
