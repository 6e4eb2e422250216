"""Ratings, surface and verdicts; FRANK's and UniEval's published correlations where their data is present."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.data.dataset import DATASETS, ImportCounts, strict_items
from core.errors import UnknownNameError
from core.evaluation.reports.text import report_text
from core.evaluation.studies.rating_correlation import RatingCorrelation, metric_correlations
from core.evaluation.studies.surface import feature_correlations, missing_features
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples
from core.results.cases.ratings import VERDICT_ASPECT, mean_ratings
from core.results.cases.verdict_grid import build_verdict_grid, filter_pairs, noise_band
from core.stats.score_pairs import Move
from core.stats.statistic import Estimate
from core.types import ErrorType, Judgement, Rating, Sample, StoredScore, Verdict
from tests.doubles.released import DATA, needs
from tests.unit.core.evaluation.studies.bench_samples import pair, sample, scored

needs_data = needs("frank_valid", "unieval")
KIND = ErrorType.COREFERENCE


def rated(id: str, score: float, *given: Rating) -> Sample:
    one = sample(id, None, {"m": score})
    return replace(one, item=replace(one.item, ratings=given))


def imported(importer: str, source: Path) -> Cases:
    items = strict_items(DATASETS.parse(importer).read(source), ImportCounts())
    return build_cases([Sample(importer, item) for item in items])


def found(of: Cases, aspect: str, metric: str) -> dict[str, Estimate]:
    row = next(one for one in metric_correlations(of, aspect, draw_resamples(of, 50)) if one.metric == metric)
    return {name: figure.estimate for name, figure in row.figures.items()}


def test_a_rating_is_the_mean_over_judges_of_the_mean_over_sentences() -> None:
    given = (Rating("a", "f", 1.0, 0), Rating("a", "f", 0.0, 1), Rating("b", "f", 1.0, 0))
    assert mean_ratings(build_cases([rated("x", 1.0, *given)]))["f"].tolist() == [0.75]


def test_verdicts_of_several_judges_are_a_rating_too() -> None:
    one = sample("x", None, {"m": 1.0})
    said = tuple(
        Judgement("x", judge, verdict) for judge, verdict in (("a", Verdict.CONSISTENT), ("b", Verdict.INCONSISTENT))
    )
    assert mean_ratings(build_cases([replace(one, item=replace(one.item, judgements=said))]))[
        VERDICT_ASPECT
    ].tolist() == [0.5]


def test_a_metric_that_follows_people_correlates_wholly() -> None:
    several = build_cases([rated(str(n), float(n), Rating("a", "f", n / 10)) for n in range(6)])
    estimates = found(several, "f", "m")
    assert [estimates[name].value for name in ("Pearson", "Spearman", "Kendall")] == pytest.approx([1.0, 1.0, 1.0])
    assert "Pearson of systems" not in estimates


def test_an_aspect_that_nobody_rated_names_those_that_were() -> None:
    several = build_cases([rated(str(n), float(n), Rating("a", "fluency", n)) for n in range(3)])
    with pytest.raises(UnknownNameError, match="fluency"):
        list(metric_correlations(several, "fluensy", draw_resamples(several, 10)))


@needs_data
@pytest.mark.parametrize(
    ("metric", "linear", "ranked"), [("BertScore P Art", 0.2200, 0.2128), ("FactCC", 0.2138, 0.2679)]
)
def test_frank_gives_its_published_partial_correlations_through_its_importer(
    metric: str, linear: float, ranked: float
) -> None:
    estimates = found(imported("frank", DATA / "frank_valid"), "Factuality", metric)
    partial = [estimates[f"{name}, within systems"].value for name in ("Pearson", "Spearman")]
    assert partial == pytest.approx([linear, ranked], abs=5e-5)


@needs_data
def test_unieval_gives_its_published_correlations_through_its_importer() -> None:
    of = imported("unieval", DATA / "unieval" / "qags_cnndm_result.json")
    estimates = found(of, "consistency", "UniEval consistency")
    values = [estimates[name].value for name in ("Pearson", "Spearman", "Kendall")]
    assert values == pytest.approx([0.681681, 0.662255, 0.531636], abs=5e-7)


def test_a_metric_that_is_a_feature_in_disguise_is_all_surface() -> None:
    several = [
        scored(
            sample(str(n), None, {"m": 2.0 * n}),
            StoredScore("conciseness[numerator=document]", float(n), "conciseness|v1"),
        )
        for n in range(5)
    ]
    of = build_cases(several)
    [closest] = [one for one in feature_correlations(of, draw_resamples(of, 50)) if one.metric == "m"]
    assert (closest.feature, closest.estimate.value) == ("conciseness[numerator=document]", pytest.approx(1.0))
    assert "conciseness[numerator=document]" not in missing_features(of)
    assert "sentence-novelty" in missing_features(of)


def moves(of: Cases) -> list[tuple[Move, ...]]:
    return [line.moves for line in build_verdict_grid(of, of.columns)]


def test_a_pair_is_judged_by_which_way_each_metric_moved() -> None:
    of = build_cases(pair("a", {"m": 1.0, "k": 0.0, "flat": 1.0}, {"m": 0.0, "k": 1.0, "flat": 1.0}, KIND))
    assert moves(of) == [(Move.RIGHT, Move.WRONG, Move.STILL)]
    assert filter_pairs(build_verdict_grid(of, of.columns), "metrics disagree")
    assert not filter_pairs(build_verdict_grid(of, of.columns), "all wrong")


def test_a_pair_on_which_no_metric_moved_the_right_way_is_all_wrong() -> None:
    of = build_cases(pair("a", {"m": 0.0, "k": 1.0}, {"m": 1.0, "k": 1.0}, KIND))
    assert filter_pairs(build_verdict_grid(of, of.columns), "all wrong")


def test_a_metric_where_lower_is_better_goes_the_other_way() -> None:
    good, bad = pair("a", {}, {}, KIND)
    kept = [StoredScore("word-novelty", value, "word-novelty|v1") for value in (0.0, 0.5)]
    assert moves(build_cases([scored(good, kept[0]), scored(bad, kept[1])])) == [(Move.RIGHT,)]


def test_a_shift_as_small_as_that_of_harmless_edits_is_noise() -> None:
    harmless = [
        one
        for n in range(10)
        for one in (
            sample(f"h{n}", Verdict.CONSISTENT, {"m": 0.5}),
            sample(f"h{n}/same", Verdict.CONSISTENT, {"m": 0.4 + 0.02 * n}, parent=f"h{n}"),
        )
    ]
    of = build_cases([*harmless, *pair("a", {"m": 0.5}, {"m": 0.45}, KIND), *pair("b", {"m": 0.5}, {"m": 0.1}, KIND)])
    assert noise_band(of, of.columns[0]).n == 10
    assert moves(of) == [(Move.STILL,), (Move.RIGHT,)]


def test_a_pair_without_a_score_has_no_verdict() -> None:
    of = build_cases([*pair("a", {"m": 1.0}, {}, KIND), *pair("b", {"m": 1.0}, {"m": 0.0}, KIND)])
    assert moves(of) == [(Move.NONE,), (Move.RIGHT,)]
    assert np.isnan(of.columns[0].values).sum() == 1


def test_the_best_correlation_is_marked_and_williams_tells_what_is_worse() -> None:
    rng = np.random.default_rng(0)
    people = rng.normal(size=80)
    metrics = {"near": people + rng.normal(size=80) / 4, "twin": people + rng.normal(size=80) / 4}
    metrics["far"] = rng.normal(size=80)
    several = [
        replace(
            one := sample(str(n), None, {name: float(values[n]) for name, values in metrics.items()}),
            item=replace(one.item, ratings=(Rating("a", "f", float(people[n])),)),
        )
        for n in range(80)
    ]
    of = build_cases(several)
    found = {one.metric: one for one in metric_correlations(of, "f", draw_resamples(of, 50))}
    best, *others = sorted(found.values(), key=lambda one: -(one.figures["Pearson"].estimate.value or 0))
    assert best.figures["Pearson"].mark == "*"
    assert [other.figures["Pearson"].mark for other in others] == ["=", ""]
    assert others[1].metric == "far"
    assert (found["far"].figures["Pearson"].tests["Williams"] or 0) < 1e-6
    text = report_text(RatingCorrelation(rated="f").run(StudyData(cases=of, resamples=50)))
    assert "=" in text
    assert f"Overall: {best.metric} correlates most with f, Pearson +0.9" in text
    assert f"; not significantly worse: {others[0].metric}." in text
    assert "Williams test, p ≥ 0.05, corrected by Holm (1979)" in text


@pytest.mark.parametrize(
    ("metrics", "ratings", "sentence"),
    [
        ({"near": 0.1, "far": 9.0}, 80, r"Overall: near follows f best, Pearson \S+( \[.*\])?\.$"),
        ({"coverage": 0.01}, 80, r"No metric is compared: statistics of the surface are controls\.$"),
        ({"near": 0.1, "coverage": 0.01}, 80, r"Overall: near correlates with f, Pearson \S+( \[.*\])?\.$"),
        ({"near": 0.1}, 80, r"Overall: near correlates with f, Pearson \S+( \[.*\])?\.$"),
        ({"near": 0.1, "far": 9.0}, 6, r"Overall: near correlates most with f, Pearson .*; not tested: far\.$"),
    ],
)
def test_best_is_said_of_a_correlation_only_where_others_are_significantly_lower(
    metrics: dict[str, float], ratings: int, sentence: str
) -> None:
    rng = np.random.default_rng(1)
    people = rng.normal(size=ratings)
    scores = {name: people + noise * rng.normal(size=ratings) for name, noise in metrics.items()}
    rated = [
        replace(
            scored := sample(str(n), None, {name: float(values[n]) for name, values in scores.items()}),
            item=replace(scored.item, ratings=(Rating("a", "f", float(people[n])),)),
        )
        for n in range(ratings)
    ]
    [found] = RatingCorrelation(rated="f").run(StudyData(cases=build_cases(rated), resamples=50)).sentences
    assert re.match(sentence, found)


def of_systems(rows: list[tuple[str, dict[str, float], float]]) -> Cases:
    """Summaries by system, scores and the rating that people gave."""
    several = []
    for n, (system, scores, rating) in enumerate(rows):
        one = sample(str(n), None, scores)
        several.append(replace(one, item=replace(one.item, system=system, ratings=(Rating("all", "f", rating),))))
    return build_cases(several)


WITHIN = [("A", 1.0, 1.0), ("A", 2.0, 3.0), ("A", 3.0, 2.0), ("B", 2.0, 1.0), ("B", 4.0, 3.0)]
"""System, score and rating; what is left within systems is (−1, 0, 1, −1, 1) and (−1, 1, 0, −1, 1): r = 3 / 4."""


def test_within_systems_the_means_are_those_of_the_summaries_that_were_scored() -> None:
    rows = [(system, {"m": score}, rating) for system, score, rating in WITHIN]
    of = of_systems([*rows, ("A", {}, 6.0)])
    assert found(of, "f", "m")["Pearson, within systems"].value == pytest.approx(0.75)


def test_williams_within_systems_uses_the_means_of_the_summaries_that_both_metrics_scored() -> None:
    rng = np.random.default_rng(3)
    people = rng.normal(size=40)
    both = [
        ("AB"[n % 2], {"near": people[n] + rng.normal(), "far": people[n] + 2 * rng.normal()}, float(people[n]))
        for n in range(40)
    ]
    lacking = [*both, ("A", {"near": 9.0}, 1.0), ("B", {"near": -9.0}, 2.0), ("B", {}, 30.0)]

    def p(rows: list[tuple[str, dict[str, float], float]]) -> float | None:
        of = of_systems(rows)
        given = metric_correlations(of, "f", draw_resamples(of, 50))
        return max(one.figures["Pearson, within systems"].p or 0.0 for one in given)

    assert p(lacking) == pytest.approx(p(both))


@pytest.mark.slow
@needs_data
def test_frank_gives_the_partial_correlation_of_a_metric_that_failed_on_some_summaries() -> None:
    of = imported("frank", DATA / "frank_valid")
    scores = next(column.values for column in of.columns if column.name == "Dep Entail")
    scored_rows = ~np.isnan(scores)
    assert not scored_rows.all()
    human = mean_ratings(of)["Factuality"]
    systems = np.array([one.item.system for one in of.samples])
    residuals = [np.zeros(int(scored_rows.sum())) for _ in range(2)]
    for system in set(systems):
        inside = systems[scored_rows] == system
        for residual, values in zip(residuals, (scores[scored_rows], human[scored_rows]), strict=True):
            residual[inside] = values[inside] - values[inside].mean()
    expected = np.corrcoef(*residuals)[0, 1]
    assert found(of, "Factuality", "Dep Entail")["Pearson, within systems"].value == pytest.approx(expected)


def test_where_the_dataset_sums_its_judges_up_their_votes_do_not_count_again() -> None:
    votes = (Rating("a", "f", 1.0, 0), Rating("b", "f", 0.0, 0), Rating("c", "f", 1.0, 0))
    overall = Rating("all", "f", 1.0)
    assert mean_ratings(build_cases([rated("x", 1.0, overall, *votes, Rating("a", "g", 2.0))])) == {
        "f": [1.0],
        "g": [2.0],
    }


def test_the_rating_of_a_qags_summary_is_the_share_of_sentences_that_a_majority_supports(tmp_path: Path) -> None:
    sentences = [
        {"sentence": f"Sentence {n}.", "responses": [{"worker_id": w, "response": r} for w, r in enumerate(responses)]}
        for n, responses in enumerate([("yes", "yes", "no"), ("no", "no", "no"), ("yes", "yes", "yes")])
    ]
    source = tmp_path / "mturk_cnndm.jsonl"
    source.write_text(json.dumps({"article": "An article.", "summary_sentences": sentences}), encoding="utf-8")
    assert mean_ratings(imported("qags", source))["consistency"].tolist() == [pytest.approx(2 / 3)]
