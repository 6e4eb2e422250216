"""The stability strip: samples of one judge on one text, each drawn afresh."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.errors import TouchstoneError
from core.explaining.finding import Finding
from core.explaining.stability import Strip, strip_of, unanswered
from core.llm.saying import Sampling
from core.types import Failure
from pages.ui.endpoint_costs import price_line
from pages.ui.explain import asking, form
from pages.ui.explain.form import Sampled
from pages.ui.explain.strip import strip_html
from pages.ui.plain import plain


def stability(finding: Finding | None, sampling: Sampling) -> None:
    """The form to draw samples, and all that were drawn of this judge on this text."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Samples of",
            [form.VERDICT, form.GRADE] if finding else [form.VERDICT],
            default=form.VERDICT,
            key=f"explain-sampled-{bool(finding)}",
            required=True,
            help="The verdict on the summary, or the grade of the explanation in the set-up chosen beside.",
        )
        st.number_input("Temperature", 0.0, 2.0, 1.0, 0.1, key="explain-temperature", width=125)
        st.number_input("Number", 2, 50, 5, key="explain-number", width=115)
        st.button(
            "Draw",
            key="explain-draw",
            icon=":material/casino:",
            on_click=form.pressed,
            args=(sampling.endpoint, partial(asking.draw, finding)),
            help="Each sample is asked for by itself; none is taken from what was answered before.",
        )
    at = form.warmed(sampling)
    try:
        subject = form.subject_now(finding, at)
    except TouchstoneError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    price_line(form.sample_talks(subject, at))
    _drawn(asking.drawn(subject))


def _drawn(outcomes: Sequence[Sampled | Failure]) -> None:
    if not outcomes:
        return
    strip, silent = strip_of(outcomes), unanswered(outcomes)
    st.html(strip_html(strip))
    st.text(_words(strip))
    if silent:
        why = plain(silent[-1].message)
        st.warning(f"{len(silent)} more could not be asked: {why}", icon=":material/cloud_off:")
    if strip.draws:
        st.dataframe(
            pd.DataFrame(
                [{"said": draw.label or "not readable", "why": draw.words} for draw in strip.draws],
                index=pd.RangeIndex(1, len(strip.draws) + 1, name="sample"),
            ),
            height=min(215, 38 + 35 * len(strip.draws)),
            alt="What each sample said",
            column_config={"why": st.column_config.TextColumn(width="large")},
        )


def _words(strip: Strip) -> str:
    """The counts and the flip rate in a line."""
    counts = [f"{label} {count}" for label, count in strip.counts.items()]
    unreadable = [f"not readable {strip.unreadable}"] if strip.unreadable else []
    rate = "" if strip.flip_rate is None else f"flip rate {strip.flip_rate:.2f}"
    return " · ".join(filter(None, [*counts, *unreadable, rate]))
