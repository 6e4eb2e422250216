"""A threshold of one's own: fitted to what the page shows, saved under a name, and the list of those that are saved."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote

import streamlit as st

from annotations.exchange.samples import load_samples
from core.errors import TouchstoneError
from core.evaluation import OwnThreshold, fit_threshold, format_threshold, threshold_json
from core.results import data_facts, draw_resamples, select_metrics
from core.scoring import metric_title
from core.stats import format_percent
from pages.server import services
from pages.sources.thresholds import keep_threshold, kept_thresholds
from pages.ui.evaluate.dataset_choice import EvaluationChoice, evaluate_state
from pages.ui.results.copy_popover import copy_table
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown, escape_message

_NAME_KEY = "evaluate-threshold-name"


def threshold_form(choice: EvaluationChoice) -> None:
    """The threshold of a metric with its held-out check, and a name to save it under."""
    names = [column.name for column in choice.cases.all_columns if column.direction != "neutral"]
    if not names:
        st.info("No metric here has a better side.")
        return
    st.subheader("A threshold of your own")
    metric = st.selectbox(
        "Metric", names, format_func=metric_title, key=f"evaluate-calibrated-{hash(tuple(names))}", width=420
    )
    cases = select_metrics(choice.cases, [metric])
    [column] = cases.all_columns
    if column.released or column.scales is not None:
        st.caption(
            "A threshold is saved of scores on one scale that this bench can compute again, which these are not."
        )
        return
    store, cases_of_metric = services.store(), replace(cases, columns=(column,), separate=())

    def fit() -> OwnThreshold:
        facts = tuple(data_facts(name, load_samples(store, name)) for name in choice.datasets)
        return fit_threshold("", cases_of_metric, facts, draw_resamples(cases_of_metric, choice.resamples))

    fitted = background_result("Choosing a threshold…", ("threshold", choice.key, column.name), fit)
    for sentence in format_threshold(fitted).splitlines() if fitted else ():
        st.write(escape_markdown(sentence))

    def save(shown: OwnThreshold) -> None:
        """Keep what the page shows under the name that was typed."""
        state, name = evaluate_state(), str(st.session_state[_NAME_KEY]).strip()
        state.threshold_error, state.saved_threshold = "", ""
        try:
            keep_threshold(store, replace(shown, name=name))
        except TouchstoneError as error:
            state.threshold_error = str(error)
            return
        state.saved_threshold = name

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name", "", key=_NAME_KEY, placeholder="my-threshold", max_chars=200, width=300)
        st.button(
            "Save threshold",
            icon=":material/save:",
            disabled=services.store().read_only or fitted is None,
            on_click=save,
            args=(fitted,),
        )
    state = evaluate_state()
    if state.threshold_error:
        st.error(escape_message(state.threshold_error), icon=":material/error:")
    elif state.saved_threshold:
        st.success(
            escape_markdown(
                f"Saved as {state.saved_threshold}: the Audit page and the commands below take it by its name."
            ),
            icon=":material/check:",
        )


def saved_thresholds() -> None:
    """Every saved threshold with its held-out figures; the selected one as a file, and the command that uses it."""
    import pandas as pd

    thresholds = kept_thresholds(services.store())
    if not thresholds:
        return
    st.subheader("Saved thresholds")
    frame = pd.DataFrame(
        {
            "name": threshold.name,
            "metric": metric_title(threshold.metric),
            "consistent": f"{'≤' if threshold.direction == 'lower' else '≥'} {threshold.value:.4g}",
            "balanced accuracy %": format_percent(threshold.accuracy),
            "false alarms %": format_percent(threshold.false_alarms),
            "missed %": format_percent(threshold.missed),
            "n": threshold.accuracy.n,
            "data": ", ".join(fact.name for fact in threshold.data),
        }
        for threshold in thresholds.values()
    )
    event = st.dataframe(
        frame,
        key=f"evaluate-thresholds-{len(thresholds)}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height="auto",
        alt="The saved thresholds, newest first",
    )
    copy_table("Saved thresholds", frame, "evaluate-thresholds")
    shown = list(thresholds.values())[next(iter(event["selection"]["rows"]), 0)]
    st.code(
        f"python cli.py score PAIRS.jsonl --metric {quote(shown.metric)} --threshold {quote(shown.name)} -o SCORES.jsonl",
        language=None,
        wrap_lines=True,
    )
    st.download_button(
        escape_markdown(f"Download {shown.name}"),
        threshold_json(shown),
        "threshold.json",
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
        help="For the gate of another machine: every --threshold takes the file in place of the name.",
    )
