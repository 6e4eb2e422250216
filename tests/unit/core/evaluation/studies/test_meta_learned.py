"""What the surface explains of a metric, and how well it alone tells labels apart on data that it never saw."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import TouchstoneError
from core.evaluation.studies.surface import SURFACE_MODEL, SurfaceStudy, predicted_shares, surface_against_metrics
from core.evaluation.study import StudyData
from core.models.words.shallow import SHALLOW_FEATURES
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples
from core.scoring import metric_title
from core.types import Sample, StoredScore, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample, scored


def surface_samples(dataset: str, n: int = 60, features: tuple[str, ...] = SHALLOW_FEATURES) -> list[Sample]:
    """Consistent where the first feature is high; "copy" is that feature, "noise" is not of the surface."""
    rng = np.random.default_rng(sum(map(ord, dataset)))
    made = []
    for place in range(n):
        values = rng.normal(size=len(features))
        first = float(values[0]) if features else 0.0
        verdict = Verdict.CONSISTENT if first > 0 else Verdict.INCONSISTENT
        scores = {"copy": first, "noise": float(rng.normal())}
        one = sample(f"{dataset}-{place}", verdict, scores, dataset=dataset)
        kept = [StoredScore(name, float(value), f"{name}|v1") for name, value in zip(features, values, strict=True)]
        made.append(scored(one, *kept))
    return made


@pytest.fixture(scope="module")
def two() -> Cases:
    return build_cases([*surface_samples("one"), *surface_samples("two")])


@pytest.mark.slow
def test_a_metric_that_is_the_surface_is_explained_and_noise_is_not(two: Cases) -> None:
    found = {share.metric: share for share in predicted_shares(two, draw_resamples(two, 50))}
    assert set(found) == {"copy", "noise"}
    assert (found["copy"].order.value or 0) > 0.9
    assert (found["copy"].variance.value or 0) > 0.8
    assert (found["noise"].variance.value or 0) < 0.2
    assert found["copy"].order.n == 120


def test_the_surface_learns_from_the_other_datasets_and_stands_beside_the_metrics(two: Cases) -> None:
    rows = {
        (row.slice, row.metric): row.figures["auc"] for row in surface_against_metrics(two, draw_resamples(two, 400))
    }
    assert set(rows) == {(dataset, name) for dataset in ("one", "two") for name in (SURFACE_MODEL, "copy", "noise")}
    for dataset in ("one", "two"):
        assert (rows[dataset, SURFACE_MODEL].estimate.value or 0) > 0.9
        assert rows[dataset, "copy"].best
        assert not rows[dataset, "noise"].level


def test_a_single_dataset_holds_out_documents() -> None:
    of = build_cases(surface_samples("one"))
    [row] = [row for row in surface_against_metrics(of, draw_resamples(of, 50)) if row.metric == SURFACE_MODEL]
    assert (row.slice, row.n) == ("Overall", 60)
    assert (row.figures["auc"].estimate.value or 0) > 0.9


def test_features_that_were_not_scored_are_named() -> None:
    of = build_cases(surface_samples("one", features=SHALLOW_FEATURES[:5]))
    with pytest.raises(TouchstoneError, match="conciseness"):
        list(predicted_shares(of, draw_resamples(of, 10)))


@pytest.mark.slow
def test_the_report_says_what_the_surface_predicts_and_separates(two: Cases) -> None:
    report = SurfaceStudy().run(StudyData(datasets=("one", "two"), cases=two, resamples=50))
    assert [table.name for table in report.tables] == ["features", "shares", "auc"]
    assert report.sentences[0].startswith("The six features predict ")
    assert report.sentences[0].endswith(" % of the variance of copy, the most of 2 metrics.")
    assert [sentence.partition(":")[0] for sentence in report.sentences[1:]] == ["one", "two"]
    assert (report.table("shares").figure("order", metric="copy").value or 0) > 0.9
    assert report.table("auc").notes == ("The same perceptron learned the labels of the other datasets.",)


def test_without_all_features_the_report_has_those_that_are_scored_and_names_the_others() -> None:
    cases = build_cases(surface_samples("one", features=SHALLOW_FEATURES[:5]))
    report = SurfaceStudy().run(StudyData(datasets=("one",), cases=cases, resamples=10))
    assert [table.name for table in report.tables] == ["features"]
    assert report.problems == (f"Not scored: {metric_title(SHALLOW_FEATURES[5])}. What all six explain is missing.",)
    assert report.table().figure("estimate", metric="copy", feature=SHALLOW_FEATURES[0]).value == pytest.approx(1.0)
    with pytest.raises(TouchstoneError, match="Not scored yet"):
        SurfaceStudy().run(StudyData(cases=build_cases(surface_samples("one", features=()))))
