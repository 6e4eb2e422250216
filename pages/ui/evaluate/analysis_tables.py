"""The tables besides the main one: correlations with ratings, surface features, released scores, explanations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from core.cases.measures import MetricRow, draw_resamples
from core.explanations.judge_agreement import agreement_among_judges, judge_names
from core.models.words.shallow import FEATURES
from core.stats.text_tables import format_correlation, format_percent, format_unsigned
from core.studies.explanation_scores import (
    INCOMPLETE_NOTE,
    SCORE_TITLES,
    ExplainerScores,
    explainer_scores,
    judged_explanations,
    scores_by_judge,
)
from core.studies.shared_errors import (
    EXPLAINED_NOTE,
    compare_errors,
    explained_errors,
    format_coverage,
    shared_row,
)
from core.studies.surface import (
    SURFACE_MODEL,
    FeatureCorrelation,
    PredictedShare,
    feature_correlations,
    missing_features,
    predicted_shares,
    surface_against_metrics,
)
from core.types import PRECOMPUTED
from pages.ui.evaluate.data_tab import show_scoring, start_scoring
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.shared.background_results import background_result, background_results
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.report_view import MARK_STYLES


def surface_tables(chosen: EvaluationChoice) -> None:
    """Each feature, then all of them together; features that are not scored can be."""
    missing = missing_features(chosen.cases)
    if missing:
        _offer_scoring(chosen, missing)
    _feature_correlations(chosen)
    if not missing:
        _learned_surface(chosen)


def _offer_scoring(chosen: EvaluationChoice, missing: list[str]) -> None:
    st.info(escape_markdown(f"Not scored or not chosen: {', '.join(missing)}."), icon=":material/info:")
    imported = [name for name in chosen.datasets if name != PRECOMPUTED]  # which has no place for more scores
    with st.container(horizontal=True):
        for name in imported:
            label = escape_markdown(f"Score {name} with them")
            st.button(
                label, key=f"surface-{name}", on_click=start_scoring, args=(name, missing), icon=":material/play_arrow:"
            )
    for name in imported:
        show_scoring(name)


def _feature_correlations(chosen: EvaluationChoice) -> None:
    found = background_results(
        "Comparing with the surface…",
        ("surface", chosen.key),
        lambda: feature_correlations(chosen.cases, draw_resamples(chosen.cases, chosen.resamples)),
        len(FEATURES) * len(chosen.cases.columns),
    )
    if found:
        st.subheader("One feature at a time")
        st.dataframe(_surface_frame(found), height="auto", alt="Spearman with shallow features", placeholder="–")
        st.caption("Spearman's correlation with 95 % intervals: near ±1 the metric adds little to the surface.")


def _learned_surface(chosen: EvaluationChoice) -> None:
    cases, resamples = chosen.cases, chosen.resamples
    explained = background_results(
        "Learning the metrics from the surface…",
        ("learned", chosen.key),
        lambda: predicted_shares(cases, draw_resamples(cases, resamples)),
        len(cases.columns),
    )
    rival_rows = background_result(
        "Learning the labels from the surface…",
        ("rivals", chosen.key),
        lambda: surface_against_metrics(cases, draw_resamples(cases, resamples)),
    )
    if explained is None or rival_rows is None:
        return
    st.subheader("What all six explain of a metric")
    st.dataframe(
        _share_frame(explained), hide_index=True, height="auto", alt="What the surface explains", placeholder="–"
    )
    st.caption("A small perceptron predicts the metric from the six features on documents that it never saw.")
    st.subheader("The surface against the metrics")
    st.dataframe(_rival_table(rival_rows), height="auto", alt="AUC of the surface and of the metrics", placeholder="–")
    held_out = "of the other datasets" if len(chosen.datasets) > 1 else "of other documents"
    st.caption(
        f"ROC AUC in percent. The same perceptron learned the labels {held_out}. Dark: the best of the row; light: not "
        "significantly worse (Holm, p ≥ .05)."
    )


def _surface_frame(found: Sequence[FeatureCorrelation]) -> pd.DataFrame:
    features = list(dict.fromkeys(one.feature for one in found))
    formatted = {(one.metric, one.feature): format_correlation(one.estimate) for one in found}
    metrics = list(dict.fromkeys(one.metric for one in found))
    return pd.DataFrame(
        [[formatted.get((metric, feature), "itself") for feature in features] for metric in metrics], metrics, features
    )


def _share_frame(found: Sequence[PredictedShare]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "metric": [one.metric for one in found],
            "n": [one.order.n for one in found],
            "Spearman of prediction and score": [format_correlation(one.order) for one in found],
            "share of variance, %": [format_percent(one.variance) for one in found],
        }
    )


def _rival_table(rows: Sequence[MetricRow]) -> pd.io.formats.style.Styler:
    figures = {(row.slice, row.metric): row.figures["auc"] for row in rows}
    parts, metrics = (list(dict.fromkeys(names)) for names in zip(*figures, strict=True))
    metrics.sort(key=lambda name: name != SURFACE_MODEL)
    frame = pd.DataFrame(
        [[format_percent(figures[part, name].estimate) for name in metrics] for part in parts], parts, metrics
    )
    marks = [[MARK_STYLES[figures[part, name].mark] for name in metrics] for part in parts]
    return frame.style.apply(lambda _: pd.DataFrame(marks, frame.index, frame.columns), axis=None)


def _all_explainer_scores(chosen: EvaluationChoice) -> Iterator[ExplainerScores]:
    drawn = draw_resamples(chosen.cases, chosen.resamples)
    yield from explainer_scores(chosen.cases, drawn)
    yield from scores_by_judge(chosen.cases, drawn)


def _judge_tables(chosen: EvaluationChoice, by_judge: Sequence[ExplainerScores]) -> None:
    """The scores by the grades of each judge, and how far the judges agree; nothing for a single judge."""
    if not by_judge:
        return
    st.markdown("**By judge**")
    frame = pd.DataFrame([one.cells() for one in by_judge])
    st.dataframe(frame, hide_index=True, height="auto", alt="Scores of explanations by judge", placeholder="–")
    judged = judged_explanations(chosen.cases)
    figures = agreement_among_judges(judged, chosen.resamples)
    if not figures:
        return
    st.markdown("**The judges with one another**")
    rows = [
        {"agreement": name, "value": format_unsigned(one), "n": one.n, "why": one.why} for name, one in figures.items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="auto", alt="Agreement of the judges")
    st.caption(escape_markdown(" · ".join(f"{place}: {name}" for place, name in enumerate(judge_names(judged), 1))))


def explanation_table(chosen: EvaluationChoice) -> None:
    """A row for each author of explanations with a grade or verdict, the best explanations first."""
    found = background_results(
        "Counting grades…",
        ("explained", chosen.key),
        lambda: _all_explainer_scores(chosen),
        len({given.by for sample in chosen.cases.samples for given in sample.item.explanations}),
    )
    if found is None:
        return
    if not found:
        st.info(
            "No explanation here has a grade or a verdict. Import some, such as factualNLG or what `cli.py explain` and "
            "`cli.py judge` write, or grade some on Probe or in a campaign."
        )
        return
    ordered = sorted(found, key=lambda one: -(one.figures["ES"].value or 0.0))
    st.dataframe(
        pd.DataFrame([one.cells() for one in ordered if not one.judge]),
        hide_index=True,
        height="auto",
        alt="Scores of explanations",
        placeholder="–",
    )
    _judge_tables(chosen, [one for one in ordered if one.judge])
    st.caption(
        escape_markdown(
            "Percent with 95 % intervals. "
            + " ".join(f"{name}: {title}." for name, title in SCORE_TITLES.items())
            + (f" {INCOMPLETE_NOTE}" if any(one.incomplete for one in ordered) else "")
        )
    )
    for reason in dict.fromkeys(one.figures["JS"].why for one in ordered if one.figures["JS"].why):
        st.caption(escape_markdown(f"DA, DS and JS: {reason}"))
    if sum(not one.judge for one in ordered) > 1:
        _errors_of_explainers(chosen)


def _errors_of_explainers(chosen: EvaluationChoice) -> None:
    """The fewest explainers that find what any finds, and every two with what both miss."""
    st.subheader("Errors in common")
    found = background_result(
        "Comparing explainers…",
        ("explainers", chosen.key),
        lambda: compare_errors(explained_errors(chosen.cases)),
    )
    if found is None:
        return
    coverage, pairs = found
    st.markdown(escape_markdown(format_coverage(coverage, "explainers", "errors")))
    frame = pd.DataFrame([shared_row(one, "explainer") for one in pairs])
    st.dataframe(frame, hide_index=True, height=min(38 + 35 * len(pairs), 320), alt="Errors that two explainers share")
    st.caption(EXPLAINED_NOTE)
