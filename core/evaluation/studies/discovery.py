"""Phrases that a metric likes: bigrams that mark the summaries which it scores best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.errors import TouchstoneError, UnscorableError
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import StressRun
from core.scoring import METRICS
from core.stats import Values
from core.text import sentences, words
from core.types import Direction

_FIFTHS = 5  # the best fifth, as Ramprasad and Wallace (2024) take it
_MIN_SHARED = 2  # of the best that must share a bigram: a bigram in one summary is its topic


@dataclass(frozen=True, slots=True)
class Bigram:
    """Two words that follow each other within a sentence, lower-cased.

    `lead` is by how much its mean TF-IDF weight over the best fifth of the summaries exceeds that over the others, both in
    0..1; `best` and `others` are how many of them hold it.
    """

    text: str
    lead: float
    best: int
    others: int


@dataclass(frozen=True, slots=True)
class BigramDiscovery:
    """The bigrams of the `best` of `scored` summaries, the most telling first."""

    bigrams: tuple[Bigram, ...]
    best: int
    scored: int


def discover_bigrams(summaries: Sequence[str], scores: Values, direction: Direction, most: int = 10) -> BigramDiscovery:
    """The `most` bigrams that mark the best-scored fifth of (n,) summaries, those whose score is nan left out.

    Two of the best must share a bigram, and one that stands everywhere, as "of the" does, has no lead. Of equal scores the
    earlier summary counts as better. Raises UnscorableError where no fifth is better than the rest: too few summaries, one
    score for all of them, a metric without a better side.
    """
    bigrams, best, scored = _leading_bigrams(summaries, scores, direction)
    shared = [bigram for bigram in bigrams if bigram.best >= _MIN_SHARED]
    return BigramDiscovery(_first_by_lead(shared, most), best, scored)


def discover_in_run(run: StressRun, metric: str, most: int = 10) -> BigramDiscovery:
    """Bigrams that mark the original summaries that a metric scores best in a run; raises as `discover_bigrams`."""
    return discover_bigrams(*_scored_originals(run, metric), most)


def discover_over_metrics(run: StressRun, most: int = 10) -> BigramDiscovery:
    """Bigrams that mark the original summaries that the metrics of a run score best, taken together.

    The lead of a bigram is its mean lead over the metrics that have a best fifth, and `best`, `others` and `scored` are
    sums over them. Raises UnscorableError, with the reasons, where no metric has a best fifth.
    """
    by_metric, errors = [], []
    for metric in run.plan.metrics:
        try:
            by_metric.append(_leading_bigrams(*_scored_originals(run, metric)))
        except UnscorableError as error:
            errors.append(f"{metric}: {error}")
    if not by_metric:
        raise UnscorableError(" ".join(errors) or "The run has no metric.")
    by_text: dict[str, list[Bigram]] = {}
    for bigram in (bigram for bigrams, _, _ in by_metric for bigram in bigrams):
        by_text.setdefault(bigram.text, []).append(bigram)
    together = []
    for text, bigrams in by_text.items():
        lead = fsum(bigram.lead for bigram in bigrams) / len(by_metric)
        held, others = sum(bigram.best for bigram in bigrams), sum(bigram.others for bigram in bigrams)
        together.append(Bigram(text, lead, held, others))
    shared = [bigram for bigram in together if bigram.best >= _MIN_SHARED * len(by_metric)]
    best, scored = (
        sum(map(int, counts)) for counts in zip(*((best, scored) for _, best, scored in by_metric), strict=True)
    )
    return BigramDiscovery(_first_by_lead(shared, most), best, scored)


def _scored_originals(run: StressRun, metric: str) -> tuple[list[str], Values, Direction]:
    """The original summaries of a run, their scores, nan where there is none, and which side of these is better."""
    readings = [run.readings.get((source, "", metric)) for source in run.sources]
    scores = [reading.value if reading and reading.value is not None else np.nan for reading in readings]
    summaries = [source.example.summary for source in run.sources.values()]
    return summaries, np.array(scores, dtype=np.float64), METRICS.parse(metric).card.direction


def _leading_bigrams(summaries: Sequence[str], scores: Values, direction: Direction) -> tuple[list[Bigram], int, int]:
    """Every bigram against the best fifth, how many summaries that is, and how many have a score."""
    scored = ~np.isnan(scores)
    texts = [summary for summary, keep in zip(summaries, scored, strict=True) if keep]
    values = scores[scored]
    if direction == "neutral":
        raise UnscorableError("The metric has no better side: none of the summaries is its best.")
    number = -(-len(values) // _FIFTHS)
    if number < _MIN_SHARED:
        raise UnscorableError(
            f"{len(values)} summaries have a score: too few for a fifth in which a phrase can stand twice. Take more than five."
        )
    if np.ptp(values) == 0:
        raise UnscorableError(
            f"All {len(values)} summaries score {values[0]:g}: none of them is better than the others."
        )
    best = np.zeros(len(values), dtype=np.bool_)
    best[np.argsort(values if direction == "lower" else -values, kind="stable")[:number]] = True

    from sklearn.feature_extraction.text import TfidfVectorizer  # takes a second to import, and few commands need it

    if not any(map(_word_pairs, texts)):
        raise UnscorableError("No summary has two words in a row.")
    vectorizer = TfidfVectorizer(analyzer=_word_pairs)
    weights = vectorizer.fit_transform(texts)  # (summaries, bigrams)
    lead = weights[best].mean(axis=0) - weights[~best].mean(axis=0)
    inside, outside = ((weights[mask] > 0).sum(axis=0) for mask in (best, ~best))
    columns = [np.asarray(row).ravel() for row in (lead, inside, outside)]  # a row of a sparse matrix is a matrix
    rows = zip(vectorizer.get_feature_names_out(), *columns, strict=True)
    return (
        [Bigram(str(text), float(ahead), int(held), int(others)) for text, ahead, held, others in rows],
        int(best.sum()),
        len(texts),
    )


def _first_by_lead(bigrams: Sequence[Bigram], most: int) -> tuple[Bigram, ...]:
    leading = [bigram for bigram in bigrams if bigram.lead > 0]
    return tuple(sorted(leading, key=lambda bigram: (-bigram.lead, bigram.text))[:most])


def _word_pairs(text: str) -> list[str]:
    return [" ".join(pair) for span in sentences(text) for pair in pairwise(words(span.of(text)))]


ALL_METRICS = "all metrics"
"""The name under which the metrics of a run are taken together."""


@STUDIES.add
@dataclass(frozen=True)
class Discovery(Study):
    """Phrases that mark the summaries that a metric scores best."""

    name: ClassVar[str] = "discovery"
    title: ClassVar[str] = "Phrases that metrics like"
    does: ClassVar[str] = (
        "Find the two words in a row that mark the best-scored fifth of the summaries, by each metric and by all together."
    )
    group: ClassVar[Group] = "Gaming"
    takes: ClassVar[tuple[Input, ...]] = (Input.RUN,)
    place: ClassVar[int] = 20
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "Phrases are suggestions of what to try, and no figure by which a metric is judged.",
            "pack": "The pack is of labelled summaries, and this is of the scores in a stress run.",
        }
    )
    most: int = setting(10, "The number of phrases for each metric.", low=1)

    def run(self, data: StudyData) -> Report:
        run, results, problems = data.stress_run, {}, []
        for metric in run.plan.metrics:
            try:
                results[metric] = discover_in_run(run, metric, self.most)
            except UnscorableError as error:
                problems.append(f"{metric}: {error}")
        if not results:
            raise TouchstoneError(
                "No metric of the run has a best fifth of summaries. Run `stress` on more of them. "
                + " ".join(problems)
            )
        results[ALL_METRICS] = discover_over_metrics(run, self.most)
        phrases = [
            (metric, bigram.text, bigram.lead, bigram.best, bigram.others)
            for metric, result in results.items()
            for bigram in result.bigrams
        ]
        counts = [(metric, result.best, result.scored) for metric, result in results.items()]
        common = results[ALL_METRICS].bigrams
        counts_table = Table(
            "summaries",
            "Summaries",
            (
                Column("metric", format="metric"),
                Column("best", "in the best fifth", "count"),
                Column("scored", "with a score", "count"),
            ),
            tuple(counts),
        )
        return self.report(
            data,
            [_phrases_table(phrases), counts_table],
            sentences=[
                f"What the metrics score best has most of “{common[0].text}”: it leads by {common[0].lead:.4f} in the mean."
                if common
                else "No two of the best-scored summaries share two words in a row that the others have less of."
            ],
            notes=[
                "Weights are TF-IDF within the summaries of the run. In few summaries the phrases are their topics: a dataset of hundreds "
                "shows habits of wording.",
                f"The lead of {ALL_METRICS} is the mean over the metrics; their counts are sums.",
            ],
            problems=problems,
        )


def _phrases_table(rows: Sequence[tuple[str, str, float, int, int]]) -> Table:
    return Table(
        "phrases",
        "Phrases that mark the best-scored fifth",
        (
            Column("metric", format="metric"),
            Column("text", "phrase"),
            Column("lead", format="number", help="Mean TF-IDF weight in the best fifth minus that in the others."),
            Column("best", "in the best fifth", "count", "Summaries of the best fifth that hold it."),
            Column("others", "in the others", "count", "Other summaries that hold it."),
        ),
        tuple(rows),
    )
