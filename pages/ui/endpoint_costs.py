"""What a press of a button would cost at endpoints, and what was paid since the start, in words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Any

import streamlit as st

from core.job import Talk
from core.llm.words import told, told_spent
from core.metric import Metric
from core.trouble import Trouble, attempt
from core.types import Example
from pages.ui import services
from pages.ui.plain import plain


def cost_words(metrics: Sequence[Metric], examples: Sequence[Example]) -> str:
    """What asking these metrics about these texts would cost at most; empty where nothing is paid for or nobody can be asked."""
    engine = services.engine()
    found = attempt(lambda: told(engine.estimate(engine.talks(metrics, examples))))
    return "" if isinstance(found, Trouble) else found


def price_line(talks: Sequence[Talk[Any]], then: str = "") -> None:
    """What these conversations would cost at most, and then, or why nobody can be asked; what was paid so far as a hint."""
    begun = attempt(partial(_begin, talks[0]))
    found = begun if isinstance(begun, Trouble) else attempt(lambda: told(services.engine().estimate(talks)))
    if isinstance(found, Trouble):
        st.caption(plain(found.message))
        return
    spent = told_spent(services.engine().spent())
    paid = plain(f"Spent since the server was started: {spent}.") if spent else None
    st.caption(plain(f"{found}{then}") if found else "This was asked before: it costs nothing.", help=paid)


def _begin(talk: Talk[Any]) -> None:
    """Raises what keeps its first question from being asked, which an estimate passes over."""
    with closing(talk.rounds()) as rounds:
        next(rounds, None)
