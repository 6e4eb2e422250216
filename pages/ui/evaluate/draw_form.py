"""A campaign drawn from the chosen dataset, as the plan of its labels has it: a form below the plan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import get_args

import streamlit as st

from annotations.exchange.samples import load_samples
from annotations.management.manage import ManagerActions
from annotations.people.people import Right
from annotations.results.drawn import CampaignDrawing
from core.errors import Problem, attempt
from core.evaluation import LabelPlan
from core.results import DrawRequest, draw_samples
from core.stats import DrawWay
from pages.server import services
from pages.ui.evaluate.dataset_choice import EvaluationChoice, evaluate_state
from pages.ui.results.study_tab import ShownStudy
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.session_user import current_member, member_let_in

_WAYS: dict[DrawWay, str] = {
    "active": "By uncertainty",
    "stratified": "By strata of score",
    "random": "At random",
}
_ABOUT: dict[DrawWay, str] = {
    "active": "Active inference (Zrnic and Candès 2024): a summary that the scores leave open is drawn more often. Half of the "
    "weight is even, so that wrong scores cost little.",
    "stratified": "Five strata by score, each drawn in proportion to the spread of its labels (Neyman allocation).",
    "random": "Each summary is as likely as any other; no score has a part in it.",
}
_KEY = "evaluate-draw"


def draw_form(choice: EvaluationChoice, shown: ShownStudy | None) -> None:
    """A name, a way to draw and a button, where one imported dataset is chosen and the person may open campaigns."""
    if services.settings().demo or not member_let_in().may(Right.MANAGE):
        return
    st.subheader("Draw a campaign")
    imported = set(chain.from_iterable(services.store().version_references().values()))
    datasets = [name for name in choice.datasets if name in imported]
    if len(datasets) != 1:
        st.caption("Choose one imported dataset above: its summaries are the pool that items are drawn from.")
        return
    plan = shown.study if shown and isinstance(shown.study, LabelPlan) else LabelPlan()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name of the campaign",
            f"{datasets[0]}: how many are wrong?",
            max_chars=100,
            key=f"{_KEY}-name-{datasets[0]}",
            width=330,
        )
        points = st.number_input(
            "Stop at ± points",
            0.5,
            25.0,
            min(25.0, max(0.5, plan.margin)),
            step=0.5,
            key=f"{_KEY}-points-{plan.margin}",
            width=150,
            help="The campaign hands out nothing more once the 95 % interval of the rate is so narrow.",
        )
        overlap = st.number_input("People per item", 1, 20, 1, key=f"{_KEY}-overlap", width=130)
    way: DrawWay = st.segmented_control(
        "Draw",
        get_args(DrawWay)[::-1],
        default="active",
        key=f"{_KEY}-way",
        format_func=_WAYS.__getitem__,
        required=True,
    )
    st.caption(_ABOUT[way])
    pressed = st.button("Draw a campaign", icon=":material/flag:", key=f"{_KEY}-go", type="primary")
    if pressed:
        request = DrawRequest(
            way, points / 100, plan.assumed_rate / 100 or 0.1, min(0.99, max(0.5, plan.assumed_auc / 100 or 0.75))
        )
        _draw(request, name, datasets[0], choice.metric_names, overlap)
    state = evaluate_state()
    if state.draw_error:
        st.error(escape_message(state.draw_error), icon=":material/error:")
    elif state.drawn_campaign:
        st.success(escape_markdown(state.drawn_sentence), icon=":material/check:")
        st.page_link(
            "views/campaigns.py",
            label="Its progress",
            icon=":material/assignment:",
            query_params={"campaign": state.drawn_campaign},
        )


def _draw(request: DrawRequest, name: str, dataset: str, metrics: Sequence[str], overlap: int) -> None:
    state = evaluate_state()
    state.draw_error, state.drawn_campaign = "", ""
    points = round(100 * request.margin, 4)
    manager = ManagerActions(services.store(), current_member())
    sample = attempt(lambda: draw_samples(load_samples(services.store(), dataset), request, metrics))
    if isinstance(sample, Problem):
        state.draw_error = sample.error
        return
    drawing = CampaignDrawing(name, request.way, points, dataset, sample.metrics, sample.draw, sample.items, overlap)
    campaign = attempt(partial(manager.draw, drawing))
    if isinstance(campaign, Problem):
        state.draw_error = campaign.error
        return
    state.drawn_campaign = campaign.id
    state.drawn_sentence = (
        f"{campaign.name} is open: {len(sample.items):,} of {sample.draw.pool.size:,} summaries wait under Annotate, in the order of "
        f"their draw. It stops by itself at ± {points:g} points, after about {sample.draw.labels:,} labels by {sample.draw.basis}; "
        "looking at it each day changes nothing. The interval of a plan is for one look, and takes fewer labels."
    )
