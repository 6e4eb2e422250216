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
from core.studies.rating_correlation import COEFFICIENTS, PAPER_COEFFICIENTS, mean_ratings, metric_correlations
from core.studies.reference_scores import compare_with_released
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
from core.studies.tables import format_few_documents, tables_record
from core.types import PRECOMPUTED
from pages.ui.evaluate.data_tab import show_scoring, start_scoring
from pages.ui.evaluate.dataset_choice import EvaluateState, EvaluationChoice, evaluate_state
from pages.ui.shared.background_results import background_result, background_results
from pages.ui.shared.downloads import json_download
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.report_view import MARK_STYLES


def correlation_tables(chosen: EvaluationChoice) -> None:
    """One aspect that people rated, against every metric, on one slice."""
    aspects = list(mean_ratings(chosen.cases))
    if not aspects:
        st.info("No summary here has a numeric rating or the verdicts of several judges.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        aspect = st.selectbox(
            "Rated by people", aspects, key=EvaluateState.aspect.key, persist_state="session", width=420
        )
        name = st.selectbox("Slice", [part.name for part in chosen.parts], key="evaluate-correlation-slice", width=260)
        full = st.toggle("All coefficients", key="evaluate-correlation-full")
    cases, part = chosen.cases, next(part for part in chosen.parts if part.name == name)
    names = tuple(COEFFICIENTS) if full else PAPER_COEFFICIENTS
    found = background_result(
        "Correlating…",
        ("correlations", chosen.key, aspect, name, full),
        lambda: list(metric_correlations(cases, aspect, draw_resamples(cases, chosen.resamples), [part], names)),
    )
    if found is None:
        return
    if not found:
        st.info("Nobody rated this aspect of a summary in this slice.")
        return
    _correlation_table(found, aspect)
    json_download("correlations.json", lambda: tables_record(chosen.cases, found, **chosen.head, rated=aspect))


def _correlation_table(found: Sequence[MetricRow], aspect: str) -> None:
    frame = pd.DataFrame([_correlation_row(row) for row in found], [row.metric for row in found])
    marks = pd.DataFrame([_cell_styles(row, frame.columns) for row in found], frame.index, frame.columns)
    styled = frame.style.apply(lambda _: marks, axis=None)
    st.dataframe(styled, height="auto", alt=f"Correlations with {aspect}", placeholder="–")
    few = format_few_documents(figure for row in found for figure in row.figures.values())
    st.caption(
        f"With 95 % intervals of a bootstrap over documents{f', {few}: too narrow' if few else ''}. Dark: the best; light: "
        "not significantly worse by Williams's test (Holm over the metrics, p ≥ .05) of Pearson's correlations; italic: not "
        "tested. Kendall is tau-b; within systems the mean of each system is subtracted (FRANK's partial correlation); over "
        "systems their means are correlated."
    )


def chosen_aspect(chosen: EvaluationChoice) -> str:
    """The aspect that was looked at last, or the first that was rated; empty where there is no rating."""
    aspects = list(mean_ratings(chosen.cases))
    last = evaluate_state().aspect
    return last if last in aspects else next(iter(aspects), "")


def released_scores_table(chosen: EvaluationChoice) -> None:
    """Our scores and those that the authors released, where both have the same name."""
    found = compare_with_released(chosen.cases)
    if not found:
        return
    st.subheader("Our scores and the released ones")
    columns = {
        "scale": "our unit ×",
        "mean": "mean |difference|",
        "largest": "largest",
        "correlation": "Pearson",
        "same_way": "pairs moved the same way",
    }
    frame = pd.DataFrame(found).rename(columns=columns)
    st.dataframe(frame, hide_index=True, height="auto", alt="Our scores and the released ones", placeholder="–")


def _cell_styles(row: MetricRow, names: Sequence[str]) -> list[str]:
    return [MARK_STYLES[row.figures[name].mark] if name in row.figures else "" for name in names]


def _correlation_row(row: MetricRow) -> dict[str, str]:
    figures = {name: format_correlation(figure.estimate) for name, figure in row.figures.items()}
    return {"n": str(row.n), **figures, "no score": str(row.failed or "")}


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
