"""The long-document laboratory: each way of reading a long document, beside what people said, overall and by information density.

Mujahid, Wright and Augenstein (2025) retrieve in one way and compare with no human judgement; which sentences are taken, how
they are joined and how sentences are weighted is a column of scores here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from shlex import quote
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from core.edits import INTENTS
from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.studies.density import BINS, CUTS, TEXTS, density_report
from core.evaluation.studies.document_ablation import ablation_report, closed_book_scores
from core.evaluation.studies.window_sweep import window_report
from core.evaluation.study import STUDIES, Group, Input, Study, StudyData, setting
from core.registry import settings_of
from core.results import Cases, MetricColumn, intent_of, mean_ratings
from core.scoring import METRICS, Metric, metric_title
from core.stats import (
    Estimate,
    LabelledScores,
    Mask,
    RatedScores,
    Resamples,
    Statistic,
    Values,
    auc,
    compare_paired,
    format_correlation,
    format_signed,
    kendall,
    mean,
    on_shared_cases,
)

DENSITY = "information-density"
WHOLE, BEST_PASSAGE = "whole document", "best passage"
READINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        BEST_PASSAGE: {},
        "best passage, by BM25": {"ranking": "bm25"},
        "union": {"reading": "union"},
        "union, by BM25": {"reading": "union", "ranking": "bm25"},
        "best passage, weighted by discourse": {"weighted": "discourse"},
    }
)
"""Settings of `retrieve` by the name of the reading that they make; others are named by what they change."""
_ASKED = "best passage, by the question"
_RERANKED = "reranked"


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """The scores of a metric with one reading of the document."""

    metric: str
    reading: str
    column: MetricColumn


def reading_of(metric: Metric) -> tuple[str, str]:
    """The metric that reads, and the name of its reading."""
    values = {name: getattr(metric, name) for name in settings_of(metric)}
    if metric.name != "retrieve":
        return metric.spec, WHOLE
    inner = METRICS.parse(str(values.pop("metric"))).spec
    usual = {name: field.default for name, field in settings_of(metric).items()}
    changed = {name: value for name, value in values.items() if value != usual[name]}
    words = ["union" if changed.pop("reading", "") else BEST_PASSAGE]
    words += ["by BM25"] * bool(changed.pop("ranking", ""))
    words += ["by the question"] * bool(changed.pop("query", ""))
    words += [_RERANKED] * bool(changed.pop("reranker", ""))
    words += ["weighted by discourse"] * bool(changed.pop("weighted", ""))
    return inner, ", ".join([*words, *(f"{name}={value}" for name, value in changed.items())])


def read_columns(cases: Cases) -> list[ReadColumn]:
    """Scores of ours with a better side, of metrics that were put inside retrieval at least once."""
    ours = [column for column in cases.all_columns if not column.released and column.direction != "neutral"]
    columns = [ReadColumn(*reading_of(METRICS.parse(column.name)), column) for column in ours]
    retrieved = {read_column.metric for read_column in columns if read_column.reading != WHOLE}
    order = [WHOLE, *READINGS]
    return sorted(
        (read_column for read_column in columns if read_column.metric in retrieved),
        key=lambda read_column: (
            read_column.metric,
            order.index(read_column.reading) if read_column.reading in order else len(order),
            read_column.reading,
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Human:
    """Values that people gave each summary, (samples,), nan where nobody did: labels, or a rating."""

    name: str
    values: Values
    labels: bool
    cases: Cases
    draws: Resamples

    @classmethod
    def of(cls, cases: Cases, aspect: str, draws: Resamples) -> _Human:
        ratings = mean_ratings(cases)
        both_classes = len(np.unique(cases.labels[~np.isnan(cases.labels)])) == 2
        if aspect and aspect not in ratings:
            raise UnknownNameError("aspect of ratings", aspect, ratings)
        if not aspect and both_classes:
            return cls("AUC", cases.labels, labels=True, cases=cases, draws=draws)
        if not ratings:
            raise TouchstoneError(
                "Nobody labelled or rated these summaries. Label some in a campaign and name it with --dataset, or import data with labels."
            )
        name = aspect or next((rating for rating in ratings if "factual" in rating.lower()), next(iter(ratings)))
        return cls(f"Kendall's τ with {name}", ratings[name], labels=False, cases=cases, draws=draws)

    def agreement(self, column: MetricColumn, values: Values, rows: Mask) -> Statistic:
        judged = rows & ~np.isnan(self.values)
        human, documents = self.values[judged], self.cases.documents[judged]
        if self.labels:
            return auc(LabelledScores(values[judged], human == 1, documents, column.direction))
        sign = -1 if column.direction == "lower" else 1
        return kendall(RatedScores(sign * values[judged], human, documents))

    def difference(self, reading: ReadColumn, other: ReadColumn, rows: Mask) -> Estimate:
        """Difference of the agreement of two readings, on the summaries that both scored."""
        first, second = on_shared_cases(reading.column.values, other.column.values)
        distributions = (
            self.draws.of(self.agreement(read.column, values, rows))
            for read, values in ((reading, first), (other, second))
        )
        return compare_paired(*distributions).difference


_VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "agreement": "Readings of long documents",
        "windows": "Windows of retrieval",
        "density": "Information density",
        "ablation": "Without the document",
    }
)
_BINS: Mapping[str, int] = MappingProxyType({"agreement": 3, "density": BINS, "ablation": 20})


@STUDIES.add
@dataclass(frozen=True)
class Readings(Study):
    """Metrics by what they read of the document: readings beside people, windows, by density, and without the document."""

    name: ClassVar[str] = "readings"
    title: ClassVar[str] = "What is read"
    does: ClassVar[str] = (
        "Show how a metric depends on what it reads of the document: whole or passages, more around them, dense or sparse, none of it."
    )
    group: ClassVar[Group] = "Reading"
    may_take: ClassVar[tuple[Input, ...]] = (Input.RUN, Input.SCORES)
    asks: ClassVar[bool] = True
    audit: ClassVar[str] = "reading"
    view: str = setting(
        "agreement",
        "agreement: readings of long documents (whole, passages, union, BM25, by question, weighted) by their agreement with people, "
        "of datasets; the others are of a run: windows: by the sentences read around each passage, of a sweep; density: sentence by "
        "sentence by information density (2511.07689); ablation: with the document and without.",
        choices=_VIEWS,
        labels=_VIEWS,
    )
    human: str = setting(
        "",
        "Aspect of the ratings to agree with; by default the labels, or a rating of factuality.",
        labels={"": "labels, or factuality"},
        title="People's judgement",
        views=("agreement",),
    )
    texts: Literal["original", "preserving", "breaking", "gaming"] = setting(
        "original",
        "The summaries as they were, or the variants of one intent.",
        choices=tuple(TEXTS),
        labels=TEXTS,
        views=("density",),
    )
    cut: str = setting(
        "quantiles",
        "Bins with as many sentences each, or of the same width.",
        choices=tuple(CUTS),
        labels={"quantiles": "as many sentences in each", "width": "the same width"},
        shown=True,
        views=("density",),
    )
    baseline: str = setting(
        "foreign",
        "Scores without the document: foreign, beside the document of another summary; closed-book, by the control of "
        "direct-assessment, which the run has scored.",
        choices=("foreign", "closed-book"),
        labels={"foreign": "beside a foreign document", "closed-book": "closed-book control"},
        views=("ablation",),
    )
    bins: int = setting(
        0,
        f"Bins of density or of scores; 0: {_BINS['agreement']} with agreement, {_BINS['density']} with density, "
        f"{_BINS['ablation']} with ablation.",
        low=0,
        high=100,
        shown=True,
        views=tuple(_BINS),
    )

    by: str = setting(
        "",
        "Field of the run whose values have rows of their own: domain.",
        choices=("", "domain"),
        labels={"": "nothing"},
        title="Rows by",
        shown=True,
        views=("ablation",),
    )

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        views = [view for view in _VIEWS if data.run is not None or view == "agreement"]
        views = [view for view in views if data.cases is not None or view != "agreement"]
        match self.view:
            case "agreement" if data.cases is not None:
                ratings = mean_ratings(data.cases)
                return {"view": views, **({"human": ["", *ratings]} if ratings else {})}
            case "density":
                intents = {intent_of(kind) for kind in data.stress_run.plan.kinds}
                return {"view": views, "texts": ["original", *(intent for intent in INTENTS if intent in intents)]}
            case "ablation":
                controlled = ["closed-book"] if closed_book_scores(data.stress_run) else []
                return {"view": views, "baseline": ["foreign", *controlled]}
        return {"view": views}

    @property
    def scores_texts(self) -> bool:
        return self.view == "density" or (self.view == "ablation" and self.baseline == "foreign")

    def run(self, data: StudyData) -> Report:
        match self.view:
            case "windows":
                return window_report(self, data)
            case "density":
                return density_report(self, data, self.texts, self.bins or _BINS[self.view], self.cut)
            case "ablation":
                return ablation_report(self, data, self.baseline, self.bins or _BINS[self.view], self.by)
        return _agreement_report(self, data, self.human, self.bins or _BINS[self.view])


def _agreement_report(study: Study, data: StudyData, aspect: str, bins: int) -> Report:
    """Metrics with each reading of a long document, beside labels or ratings, overall and by information density."""
    cases = data.scored
    read = read_columns(cases)
    if not read:
        spec = next((column.name for column in cases.columns if not column.released), "rouge2")
        raise TouchstoneError(
            f"No metric is inside retrieval here. Score one: {_command(data, _retrieved(spec, READINGS['union']))}"
        )
    human = _Human.of(cases, aspect, data.draws)
    everything = np.ones(len(cases.samples), dtype=np.bool_)
    density = next((column.values for column in cases.all_columns if column.name.partition("[")[0] == DENSITY), None)
    parts = _bins(density, human.values, bins)
    missing = _missing(cases, read)
    tables = [_agreement_table(human, read, everything), *_density_tables(human, read, parts)]
    if missing:
        tables.append(
            Table(
                "missing",
                "Readings without scores",
                (Column("metric", format="metric"), Column("reading"), Column("command")),
                tuple((metric, reading, _command(data, spec)) for metric, reading, spec in missing),
            )
        )
    return study.report(
        data,
        tables,
        charts=_charts(human, read, parts),
        sentences=[*_answers(human, read, everything), *_dense_answers(human, read, parts)],
        notes=[
            f"Agreement is {human.name}. Differences are on the summaries that both readings scored; intervals are of 95 %, by document.",
            "Information density is the mean cosine of a sentence of the summary with all sentences of the document: where it is high, "
            "the evidence is spread.",
        ],
        problems=[]
        if density is not None
        else [f"There are no bins of density without its scores: {_command(data, DENSITY)}"],
    )


def _command(data: StudyData, spec: str) -> str:
    return f"python cli.py score-dataset {' '.join(map(quote, data.datasets))} --metric {quote(spec)}"


def _retrieved(metric: str, settings: Mapping[str, str]) -> str:
    return METRICS.build("retrieve", {"metric": metric, **settings}).spec


def _missing(cases: Cases, read: Sequence[ReadColumn]) -> list[tuple[str, str, str]]:
    """Metric, reading and spec of what has no score; by the question where summaries answer one."""
    with_questions = any(sample.item.example.question for sample in cases.samples)
    readings = {**READINGS, **({_ASKED: {"query": "question"}} if with_questions else {})}
    scored = {(read_column.metric, read_column.reading) for read_column in read}
    return [
        (metric, reading, metric if settings is None else _retrieved(metric, settings))
        for metric in dict.fromkeys(read_column.metric for read_column in read)
        for reading, settings in {WHOLE: None, **readings}.items()
        if (metric, reading) not in scored
    ]


def _bins(density: Values | None, human: Values, number: int) -> list[tuple[float, float, Mask]]:
    """From and to of the density of each bin, and its summaries; none without densities."""
    if density is None or not (complete := ~np.isnan(density) & ~np.isnan(human)).any():
        return []
    edges = np.unique(np.quantile(density[complete], np.linspace(0, 1, number + 1)))
    places = np.digitize(density, edges[1:-1])
    return [
        (float(low), float(high), complete & (places == place)) for place, (low, high) in enumerate(pairwise(edges))
    ]


def _agreement_table(human: _Human, read: Sequence[ReadColumn], rows: Mask) -> Table:
    whole = {read_column.metric: read_column for read_column in read if read_column.reading == WHOLE}
    return Table(
        "agreement",
        f"{human.name} by reading",
        (
            Column("metric", format="metric"),
            Column("reading"),
            Column("agreement", human.name, "correlation"),
            Column("above_whole", "above the whole document", "signed", "Paired difference of the agreement."),
            Column("score", "mean score", "unsigned"),
            Column("n", format="count"),
        ),
        tuple(
            (
                read_column.metric,
                read_column.reading,
                (agreed := human.draws.estimate(human.agreement(read_column.column, read_column.column.values, rows))),
                human.difference(read_column, whole[read_column.metric], rows)
                if read_column.metric in whole and read_column.reading != WHOLE
                else None,
                human.draws.estimate(mean(read_column.column.values, human.cases.documents)),
                agreed.n,
            )
            for read_column in read
        ),
    )


def _density_tables(
    human: _Human, read: Sequence[ReadColumn], parts: Sequence[tuple[float, float, Mask]]
) -> list[Table]:
    if not parts:
        return []
    columns = (
        *(Column("metric", format="metric"), Column("reading"), Column("bin", format="count")),
        *(Column("low", "density from", "unsigned"), Column("high", "to", "unsigned")),
        Column("agreement", human.name, "correlation"),
        *(Column("score", "mean score", "unsigned"), Column("n", format="count")),
    )
    rows = tuple(
        (
            *(read_column.metric, read_column.reading, number, low, high),
            (agreed := human.draws.estimate(human.agreement(read_column.column, read_column.column.values, rows))),
            human.draws.estimate(mean(read_column.column.values[rows], human.cases.documents[rows])),
            agreed.n,
        )
        for read_column in read
        for number, (low, high, rows) in enumerate(parts, 1)
    )
    return [Table("density", f"{human.name} by reading and information density", columns, rows)]


def _charts(human: _Human, read: Sequence[ReadColumn], parts: Sequence[tuple[float, float, Mask]]) -> list[Chart]:
    """Agreement by bin of density, a line for each reading, a chart for each metric."""
    bins = tuple(f"{low:.3f} to {high:.3f}" for low, high, _ in parts)
    return [
        Chart(
            f"density-{number}",
            "lines",
            f"{metric_title(metric)}: agreement by information density",
            Axis("information density", bins),
            Axis(human.name),
            tuple(
                Series(
                    read_column.reading,
                    bins,
                    tuple(
                        human.draws.estimate(human.agreement(read_column.column, read_column.column.values, rows))
                        for _, _, rows in parts
                    ),
                )
                for read_column in read
                if read_column.metric == metric
            ),
        )
        for number, metric in enumerate(dict.fromkeys(read_column.metric for read_column in read), 1)
        if parts
    ]


def _answers(human: _Human, read: Sequence[ReadColumn], rows: Mask) -> list[str]:
    """Of each metric the reading that agrees best, against the best passage, which the paper reads."""
    sentences = []
    for metric in dict.fromkeys(read_column.metric for read_column in read):
        own = {read_column.reading: read_column for read_column in read if read_column.metric == metric}
        agreed = {
            name: human.draws.estimate(human.agreement(read_column.column, read_column.column.values, rows))
            for name, read_column in own.items()
        }
        defined = {name: estimate for name, estimate in agreed.items() if estimate.value is not None}
        if not defined:
            continue
        best = max(defined, key=lambda name: defined[name].value or 0.0)
        title = metric_title(metric)
        sentence = f"{title} agrees best with people when it reads the {best}: {format_correlation(defined[best])}"
        base = next((name for name in (BEST_PASSAGE, WHOLE) if name in defined and name != best), None)
        if base:
            apart = human.difference(own[best], own[base], rows)
            shown = "" if apart.low is not None and apart.low > 0 else ", which is not shown to be more than chance"
            sentence += f"; above the {base} by {format_signed(apart)}{shown}"
        sentences.append(f"{sentence}.")
    return sentences


def _dense_answers(human: _Human, read: Sequence[ReadColumn], parts: Sequence[tuple[float, float, Mask]]) -> list[str]:
    """If joining several passages helps most where the evidence is spread."""
    if len(parts) < 2:
        return []
    sentences = []
    for metric in dict.fromkeys(read_column.metric for read_column in read):
        own = {read_column.reading: read_column for read_column in read if read_column.metric == metric}
        if {"union", BEST_PASSAGE} <= own.keys():
            sparse, dense = (human.difference(own["union"], own[BEST_PASSAGE], parts[place][2]) for place in (0, -1))
            sentences.append(
                f"{metric_title(metric)}: the union agrees with people by {format_signed(dense)} more than the best passage where density "
                f"is highest, and by {format_signed(sparse)} where it is lowest."
            )
    return sentences
