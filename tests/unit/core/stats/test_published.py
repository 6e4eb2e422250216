"""The released per-example scores give the published figures, where ../shared/data has them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.results.cases.pooling import scale_warning
from core.stats.annotators.agreement import LabelMatrix, interval_distance, krippendorff_alpha, nominal_distance
from core.stats.bootstrap import Resamples
from core.stats.comparison import compare_paired
from core.stats.correlation import RatedScores, kendall, pearson, spearman, without_system_means
from core.stats.discrimination import LabelledScores, auc, average_precision
from core.stats.score_pairs import ScorePairs, consistency_share, tie_share
from core.stats.statistic import Numbers, Statistic, Values, mean
from tests.doubles.released import DATA, needs

pytestmark = needs("bump", "frank_valid", "longsciverify", "summedits", "unieval")

CONSISTENCY = {
    "BARTScore": 91.9,
    "CoCo": 90.8,
    "DAE": 87.9,
    "QAFactEval": 84.0,
    "BERTScore": 81.4,
    "QuestEval": 78.6,
    "BLEURT": 74.5,
    "SummaC": 68.4,
    "ROUGE-2": 67.2,
    "BLEU": 66.1,
    "Q2": 65.7,
    "FactCC": 59.5,
}
AREA = {
    "QAFactEval": 71.5,
    "Q2": 64.2,
    "DAE": 63.7,
    "QuestEval": 62.0,
    "BARTScore": 60.1,
    "FactCC": 57.2,
    "CoCo": 56.4,
    "SummaC": 55.9,
    "BLEURT": 55.1,
    "BERTScore": 55.0,
    "ROUGE-2": 53.2,
    "BLEU": 50.6,
}
"""BUMP task 1, overall (Ma et al. 2023, tables 4a and 5a)."""

COUNTS = {
    "Intrinsic Predicate": 116,
    "Extrinsic Predicate": 76,
    "Intrinsic Entity": 128,
    "Extrinsic Entity": 115,
    "Intrinsic Circumstance": 82,
    "Extrinsic Circumstance": 78,
    "Coreference": 98,
}
"""Pairs per corrected type (table 2)."""

ROUNDED_TWICE = 0.1 + 1e-9  # the tables, in percent


def released(place: str) -> Any:
    return json.loads((DATA / place).read_text(encoding="utf-8"))


def numbered(names: list[Any]) -> Numbers:
    return np.unique(names, return_inverse=True)[1]


@cache
def bump() -> list[dict[str, Any]]:
    return released("bump/task1_dataset.json")  # type: ignore[no-any-return]


@cache
def draws() -> Resamples:
    return Resamples.draw(99, 2000)


def pairs(metric: str, kind: str = "") -> ScorePairs:
    """The pairs of one corrected type, or of all whose type begins so."""
    documents = numbered([record["article_id"] for record in bump()])
    chosen = [place for place, record in enumerate(bump()) if record["corrected_error_type"].startswith(kind)]
    sides = [
        np.array([bump()[place]["scores"][f"{metric}_{side}"] for place in chosen]) for side in ("reference", "edited")
    ]
    return ScorePairs(sides[0], sides[1], documents[chosen])


def percent(statistic: Statistic) -> float:
    found = draws().estimate(statistic)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    return 100 * found.value


def test_bump_has_the_published_number_of_pairs_of_each_type() -> None:
    assert {kind: draws().estimate(consistency_share(pairs("DAE", kind))).n for kind in COUNTS} == COUNTS


@pytest.mark.parametrize("metric", CONSISTENCY)
def test_consistency_on_bump_is_the_published_one(metric: str) -> None:
    assert percent(consistency_share(pairs(metric))) == pytest.approx(CONSISTENCY[metric], abs=ROUNDED_TWICE)


@pytest.mark.parametrize("metric", AREA)
def test_auc_on_bump_is_the_published_one(metric: str) -> None:
    assert percent(auc(LabelledScores.of(pairs(metric)))) == pytest.approx(AREA[metric], abs=ROUNDED_TWICE)


@pytest.mark.parametrize(
    ("metric", "value"), [("BARTScore", 96.6), ("CoCo", 88.8), ("QAFactEval", 79.3), ("ROUGE-2", 51.7)]
)
def test_consistency_on_intrinsic_predicates_is_the_published_one(metric: str, value: float) -> None:
    assert percent(consistency_share(pairs(metric, "Intrinsic Predicate"))) == pytest.approx(value, abs=ROUNDED_TWICE)


@pytest.mark.parametrize(("metric", "value"), [("QAFactEval", 66.7), ("DAE", 60.4)])
def test_auc_on_intrinsic_predicates_is_the_published_one(metric: str, value: float) -> None:
    assert percent(auc(LabelledScores.of(pairs(metric, "Intrinsic Predicate")))) == pytest.approx(
        value, abs=ROUNDED_TWICE
    )


@pytest.mark.parametrize("kind", ["Intrinsic", "Extrinsic", *COUNTS])
@pytest.mark.parametrize("metric", CONSISTENCY)
def test_every_cell_of_the_bump_tables_is_what_counting_gives(metric: str, kind: str) -> None:
    cell = pairs(metric, kind)
    faithful, edited = cell.original[:, None], cell.edited[None]
    wins = float(np.mean(faithful > edited) + np.mean(faithful == edited) / 2)
    assert draws().of(auc(LabelledScores.of(cell))).value == pytest.approx(wins)
    assert draws().of(consistency_share(cell)).value == pytest.approx(np.mean(cell.original > cell.edited))


def test_no_estimate_on_bump_lies_outside_of_its_own_interval() -> None:
    kinds = ["", *COUNTS]
    found = [
        draws().estimate(statistic(LabelledScores.of(pairs(metric, kind))))
        for statistic in (auc, average_precision)
        for metric in AREA
        for kind in kinds
    ]
    outside = [one for one in found if one.low is not None and not one.low <= (one.value or 0) <= (one.high or 0)]
    assert not outside


@pytest.mark.parametrize(("metric", "lenient"), [("ROUGE-2", 89.3), ("SummaC", 74.5)])
def test_ties_are_what_lies_between_the_strict_and_the_lenient_rule(metric: str, lenient: float) -> None:
    assert percent(consistency_share(pairs(metric))) + percent(tie_share(pairs(metric))) == pytest.approx(
        lenient, abs=0.1
    )


def test_resampling_pairs_together_tells_two_metrics_apart() -> None:
    """DeLong's test, which takes summaries as independent, gives p = .08 for the same two areas."""
    best, next_best = (
        draws().of(auc(LabelledScores.of(pairs(metric, "Intrinsic Predicate")))) for metric in ("QAFactEval", "DAE")
    )
    found = compare_paired(best, next_best)
    assert found.difference.value == pytest.approx(0.063, abs=2e-3)
    assert found.p is not None
    assert found.p < 0.02


@pytest.mark.parametrize("metric", CONSISTENCY)
def test_the_scales_of_the_two_tasks_of_bump_differ_for_two_metrics(metric: str) -> None:
    name = f"{metric}_reference"
    first = {record["reference_summary"]: record["scores"][name] for record in bump()}
    second = {record["reference_summary"]: record["scores"][name] for record in released("bump/task2_first20.json")}
    common = sorted(first.keys() & second.keys())
    found = scale_warning(np.array([first[text] for text in common]), np.array([second[text] for text in common]))
    line = {"BARTScore": "1.0268 times the first − 0.0268", "QAFactEval": "1.0157 times the first + 0.0000"}
    assert line[metric] in found if metric in line else found == ""


@pytest.mark.parametrize(
    ("metric", "linear", "ranked"), [("BertScore P Art", 0.2200, 0.2128), ("FactCC", 0.2138, 0.2679)]
)
def test_partial_correlations_on_frank_are_the_published_ones(metric: str, linear: float, ranked: float) -> None:
    people = {
        (record["hash"], record["model_name"]): record["Factuality"]
        for record in released("frank_valid/human_annotations.json")
    }
    records = released("frank_valid/baseline_factuality_metrics_outputs.json")
    systems, documents = (numbered([record[field] for record in records]) for field in ("model_name", "hash"))
    scores = np.array([record[metric] for record in records], dtype=np.float64)
    human = np.array([people[record["hash"], record["model_name"]] for record in records])
    rated = RatedScores(without_system_means(scores, systems), without_system_means(human, systems), documents)
    resamples = Resamples.draw(int(documents.max()) + 1, 500)
    found = [resamples.estimate(coefficient(rated)) for coefficient in (pearson, spearman)]
    assert [estimate.value for estimate in found] == [pytest.approx(linear, abs=5e-5), pytest.approx(ranked, abs=5e-5)]
    assert [estimate.n for estimate in found] == [671, 671]


@pytest.mark.parametrize(("coefficient", "value"), [(pearson, 0.681681), (spearman, 0.662255), (kendall, 0.531636)])
def test_correlations_of_unieval_on_qags_are_the_published_ones(
    coefficient: Callable[[RatedScores], Statistic], value: float
) -> None:
    records = released("unieval/qags_cnndm_result.json")
    scores, human = (
        np.array([record[kind]["consistency"] for record in records]) for kind in ("predict_scores", "scores")
    )
    documents = numbered([record["source"] for record in records])
    found = Resamples.draw(int(documents.max()) + 1, 500).estimate(coefficient(RatedScores(scores, human, documents)))
    assert (found.value, found.n) == (pytest.approx(value, abs=5e-7), 235)


def factual(place: Path) -> Values:
    """One annotator of LongSciVerify: whether each sentence is factual, (documents, models, sentences)."""
    with place.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return np.array(
        [
            [[float(row[f"model_{model}_sent_{sentence}_factuality"]) for sentence in (1, 2, 3)] for model in (1, 2, 3)]
            for row in rows
        ]
    )


def test_alphas_on_longsciverify_are_the_published_ones() -> None:
    labels = np.stack([factual(place) for place in sorted((DATA / "longsciverify").glob("pubmed_reviewer_*.csv"))], -1)
    sentences = LabelMatrix(labels.reshape(-1, 3), np.repeat(np.arange(15), 9))
    summaries = LabelMatrix(labels.mean(axis=2).reshape(-1, 3), np.repeat(np.arange(15), 3))
    resamples = Resamples.draw(15, 1000)
    found = [
        resamples.estimate(part)
        for part in (krippendorff_alpha(sentences, nominal_distance), krippendorff_alpha(summaries, interval_distance))
    ]
    assert [estimate.value for estimate in found] == [pytest.approx(0.7633, abs=5e-5), pytest.approx(0.8201, abs=5e-5)]
    assert all(estimate.low is not None for estimate in found)


@pytest.mark.parametrize(
    ("model", "right", "judged"), [("gpt4", 288, 501), ("claudev13", 298, 574), ("cgpt", 168, 527)]
)
def test_as_many_explanations_are_judged_correct_as_published(model: str, right: int, judged: int) -> None:
    rows = [
        (place, sample["annotation"] == "correct")
        for place, document in enumerate(released("summedits/factcc_explanation_annotation.json"))
        for sample in document["samples"]
        if sample["model"] == model
    ]
    documents, correct = (np.array(column) for column in zip(*rows, strict=True))
    found = Resamples.draw(125, 500).estimate(mean(correct.astype(float), documents))
    assert (found.value, found.n) == (pytest.approx(right / judged), judged)
