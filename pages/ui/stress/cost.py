"""What a new stress run would cost at endpoints, reckoned beside the page."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core import promptbook
from core.llm.endpoint import endpoints
from core.llm.words import told
from core.stress.foreseen import asks_endpoints, cost
from core.stress.records import Plan, Run, as_line
from core.trouble import attempt
from pages.ui import services
from pages.ui.evaluate.work import result_of
from pages.ui.plain import plain
from pages.ui.stress.runs import listed
from pages.ui.stress.sources import Pairs


def cost_line(plan: Plan, pairs: Pairs) -> None:
    """One line, where endpoints are asked at all."""
    if not pairs.number or not asks_endpoints(plan):
        return
    engine = services.engine()
    # a run that was begun meanwhile may have asked the same; endpoints and prompts may be set anew at any time
    asked = str((tuple(listed()), attempt(endpoints), attempt(_prompts)))
    key = ("stress-cost", as_line(replace(plan, name="")), pairs.key, asked)
    words = result_of(
        "Reckoning what endpoints would be asked …",
        key,
        lambda: told(cost(engine, Run(plan, pairs.sources(plan.seed)))),
    )
    if words:
        st.caption(plain(f"{words}."))


def _prompts() -> list[promptbook.Entry]:
    return [promptbook.entry(name) for name in promptbook.names()]
