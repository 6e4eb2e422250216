"""The combination that the page shows saved as a metric, under a name, as it is or as a cascade; for the operator only."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from annotations.exchange.samples import load_sentence_scores
from annotations.store.records import RightsError
from core.errors import Problem, attempt
from core.evaluation import Combine, cascade_entry, combination_entry
from core.results import Cascade
from core.scoring import METRICS, CombinationEntry, combination_class, require_free_name, save_entry
from core.types import PRECOMPUTED
from pages.server import services
from pages.ui.evaluate.data_tab import show_scoring, start_scoring
from pages.ui.evaluate.dataset_choice import EvaluationChoice, evaluate_state
from pages.ui.probe.metric_choice import add_to_bench
from pages.ui.results.study_tab import ShownStudy
from pages.ui.shared.markup import escape_markdown, escape_message

_NAME_KEY, _CASCADE_KEY = "evaluate-combination-name", "evaluate-combination-cascade"


def combination_form(choice: EvaluationChoice, shown: ShownStudy | None) -> None:
    """A name and a button, where a combination is shown; what it is good for once it is saved."""
    if shown is None or not isinstance(shown.study, Combine):
        return
    st.subheader("Save as a metric")
    settings, state = services.settings(), evaluate_state()
    if settings.has_guests:
        st.caption(
            escape_markdown(
                "Whoever runs this server adds metrics to it, in a terminal: python cli.py combine MEMBER MEMBER --data DATASET --name NAME"
            )
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name", "", key=_NAME_KEY, placeholder="my-mix", max_chars=60, width=300)
        if len(shown.report.table("members").rows) > 1:
            st.toggle(
                "As a cascade",
                key=_CASCADE_KEY,
                help="The dearest member is asked only where the others leave it open, within the budget above.",
            )
        st.button(
            "Save as a metric",
            icon=":material/save:",
            key="save-combination",
            on_click=_save,
            args=(choice, shown.study),
        )
    if state.combination_error:
        st.error(escape_message(state.combination_error), icon=":material/error:")
    elif state.saved_combination in METRICS.names():
        st.success(
            escape_markdown(
                f"{state.saved_combination} is a metric now, and is on the bench of Probe. With scores of these summaries it has a "
                "threshold under Improve it and a rate in “How many are wrong?”: documents of its labels are scored by the part that "
                "did not learn from them."
            ),
            icon=":material/check:",
        )
        for dataset in choice.datasets:
            if dataset != PRECOMPUTED:  # which has no place for more scores
                st.button(
                    escape_markdown(f"Score {dataset} with it"),
                    key=f"combination-score-{dataset}",
                    icon=":material/play_arrow:",
                    on_click=start_scoring,
                    args=(dataset, [state.saved_combination]),
                )
                show_scoring(dataset)


def _save(choice: EvaluationChoice, study: Combine) -> None:
    """Fit what the page shows by all of its labels, and write its table."""
    if services.settings().has_guests:
        raise RightsError("Whoever runs this server adds metrics to it, in a terminal: python cli.py combine …")
    state, name = evaluate_state(), str(st.session_state[_NAME_KEY]).strip()
    state.combination_error, state.saved_combination = "", ""

    def entry() -> CombinationEntry:
        require_free_name(name, services.settings().metrics_dir)
        sentence_scores = load_sentence_scores(services.store(), *choice.cases.score_keys)
        levels = study.levels(replace(choice.data, sentence_scores=sentence_scores)).at(study.level)
        data = f"{len(levels.labels):,} labels of {', '.join(choice.datasets)}"
        mean = combination_entry(name, levels, choice.cases, data)
        return cascade_entry(mean, Cascade(levels), study.budget) if st.session_state.get(_CASCADE_KEY) else mean

    saved = attempt(entry)
    if isinstance(saved, Problem):
        state.combination_error = saved.error
        return
    made = combination_class(saved)
    written = attempt(partial(save_entry, saved, made, services.settings().metrics_dir))
    if isinstance(written, Problem):
        state.combination_error = written.error
        return
    add_to_bench(made())
    state.saved_combination = name
