"""The rate of inconsistent summaries by the study `prevalence`: the right number, or a sentence that says why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import touchstone
from core.errors import TouchstoneError
from core.evaluation.report import Report
from core.evaluation.studies.label_plan import LabelPlan
from core.evaluation.studies.prevalence import Prevalence
from core.evaluation.study import StudyData
from core.results.cases.cases import MetricColumn, build_cases
from core.results.cases.pool_labels import pool_labels, read_pool_labels
from core.results.cases.pool_rates import draw_of_labels
from core.results.cases.summary_pool import PoolLabel, SummaryPool, pool_of_cases, select_pool_metrics, with_labels
from core.stats.proportion import clopper_pearson
from core.stats.statistic import Values
from core.types import Sample, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample
from tests.unit.core.evaluation.studies.test_study_contract import assert_whole

SIZE = 400


def pool(
    labels: int = 100, rate: float = 0.3, distance: float = 1.5, per_document: int = 1, seed: int = 0
) -> SummaryPool:
    """A pool of which so many single summaries have a label, with one metric."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(SIZE) < rate
    known = np.full(SIZE, np.nan)
    rows = rng.choice(SIZE, labels, replace=False)
    known[rows] = 1.0 - wrong[rows]
    scores = rng.normal(size=SIZE) - distance * wrong
    ids = [f"s{row}" for row in range(SIZE)]
    return SummaryPool(ids, known, np.arange(SIZE) // per_document, (MetricColumn("rouge2", scores),))


def report(of: SummaryPool, drawing: str = "test", by: str | None = None) -> Report:
    return Prevalence(drawing).run(StudyData(datasets=("toy",), pool=of, by=by))


def scored(of: SummaryPool, *scores: Values) -> SummaryPool:
    return replace(of, columns=tuple(MetricColumn(f"metric-{n}", one) for n, one in enumerate(scores)))


def labelled(of: SummaryPool, labels: Mapping[int, float]) -> SummaryPool:
    """The same with the labels of these rows only, 1 consistent."""
    values = np.full(SIZE, np.nan)
    for row, label in labels.items():
        values[row] = label
    return replace(of, labels=values)


def column(of: SummaryPool, change: Callable[[Values], Values]) -> SummaryPool:
    return scored(of, change(of.columns[0].values.copy()))


def missing(values: Values, rows: Sequence[int] | slice, to: float = np.nan) -> Values:
    values[rows] = to
    return values


RNG = np.random.default_rng(5)
PARTS = {name: np.arange(SIZE) % 4 == n for n, name in enumerate("abcd")}
BASE = pool()
ROWS = BASE.labelled
EVEN = np.where(np.isnan(BASE.labels), np.nan, len(ROWS) / SIZE)

WITH_A_RATE: dict[str, SummaryPool] = {
    "one metric": BASE,
    "no metric": replace(BASE, columns=()),
    "a metric without a better side": replace(BASE, columns=(replace(BASE.columns[0], direction="neutral"),)),
    "a metric that is lower where better": replace(
        BASE, columns=(MetricColumn("m", -BASE.columns[0].values, "lower"),)
    ),
    "the same metric twice": scored(BASE, BASE.columns[0].values, BASE.columns[0].values),
    "twenty useless metrics": scored(BASE, *RNG.normal(size=(20, SIZE))),
    "constant scores": column(BASE, lambda values: np.full_like(values, 0.5)),
    "scores of two values": column(BASE, lambda values: (values > 0).astype(np.float64)),
    "many ties": column(BASE, np.round),
    "one score that is far out": column(BASE, lambda values: missing(values, [3], 1e300)),
    "infinite scores": column(BASE, lambda values: missing(values, [3, 5], np.inf)),
    "scores missing for some": column(BASE, lambda values: missing(values, slice(0, 100))),
    "scores missing for all labelled": column(BASE, lambda values: missing(values, list(ROWS))),
    "scores missing for all but labelled": column(
        BASE, lambda values: missing(values, [row for row in range(SIZE) if row not in set(ROWS)])
    ),
    "scores missing for all": column(BASE, lambda values: missing(values, slice(None))),
    "one score": column(BASE, lambda values: missing(values, slice(1, None))),
    "a perfect metric": column(pool(distance=50), lambda values: values),
    "a metric that is wrong about everything": column(BASE, lambda values: -values),
    "scores near zero": column(BASE, lambda values: values * 1e-300),
    "probabilities all alike": replace(BASE, probabilities=EVEN),
    "probabilities of one": replace(BASE, probabilities=np.ones(SIZE)),
    "probabilities that add up to another pool": replace(BASE, probabilities=EVEN / 100),
    "probabilities far apart": replace(BASE, probabilities=np.where(np.arange(SIZE) % 2 == 0, 0.5, 0.1)),
    "documents of twenty": replace(BASE, documents=np.arange(SIZE) // 20),
    "documents of very different sizes": replace(BASE, documents=np.minimum(np.arange(SIZE), 50)),
    "one document": replace(BASE, documents=np.zeros(SIZE, dtype=np.intp)),
    "parts": replace(BASE, parts=PARTS),
    "a part without a label": replace(BASE, parts={"all": ~np.isnan(BASE.labels), "none": np.isnan(BASE.labels)}),
    "parts that overlap": replace(BASE, parts={**PARTS, "every": np.ones(SIZE, dtype=np.bool_)}),
    "twenty parts": replace(BASE, parts={f"part {n}": np.arange(SIZE) % 20 == n for n in range(20)}),
    "types of errors": replace(BASE, errors={int(row): ("noun",) if row % 2 else ("noun", "verb") for row in ROWS}),
    "one type of error known": replace(BASE, errors={int(ROWS[BASE.labels[ROWS] == 0][0]): ("noun",)}),
    "errors of consistent summaries": replace(BASE, errors={int(ROWS[BASE.labels[ROWS] == 1][0]): ("noun",)}),
    "ten labels": pool(labels=10),
    "as many labels as summaries but one": pool(labels=SIZE - 1),
    "two errors": pool(rate=0.02, seed=3),
}
"""Pools that have a rate, which lies in its interval."""


@pytest.mark.parametrize("name", WITH_A_RATE)
def test_an_odd_pool_has_a_rate_in_its_interval(name: str) -> None:
    of = WITH_A_RATE[name]
    found = report(of)
    assert_whole_numbers(found)
    by_labels = found.table("rates").figure("rate", method="labels alone")
    share = 1 - np.nanmean(of.labels)
    assert by_labels.value == pytest.approx(share, abs=0.2 if of.probabilities is not None else 1e-9)


def assert_whole_numbers(of: Report) -> None:
    for method in ("labels alone", "labels and scores", "labels and scores, by stratum"):
        rate = of.table("rates").figure("rate", method=method)
        assert rate.value is not None
        assert rate.low is not None
        assert rate.high is not None
        assert 0 <= rate.low <= rate.value <= rate.high <= 1
        assert rate.high - rate.low < 0.7
    assert of.sentences
    assert "nan" not in " ".join([*of.sentences, *of.notes, *of.problems]).lower()


WITHOUT_A_RATE: dict[str, tuple[Callable[[], object], str]] = {
    "no label": (lambda: report(labelled(BASE, {})), "No summary here has a label"),
    "no summary": (
        lambda: report(SummaryPool([], np.zeros(0), np.zeros(0, dtype=np.intp), ())),
        "No summary here has a label",
    ),
    "a probability of zero": (
        lambda: report(replace(BASE, probabilities=np.zeros(SIZE))),
        "must be above 0 and at most 1",
    ),
    "a negative probability": (
        lambda: report(replace(BASE, probabilities=np.full(SIZE, -0.5))),
        "must be above 0 and at most 1",
    ),
    "a probability above one": (
        lambda: report(replace(BASE, probabilities=np.full(SIZE, 1.5))),
        "must be above 0 and at most 1",
    ),
    "a probability that is missing": (
        lambda: report(replace(BASE, probabilities=missing(EVEN.copy(), [int(ROWS[0])]))),
        "has no selection_probability",
    ),
    "labels of other summaries": (
        lambda: with_labels(BASE, [PoolLabel("elsewhere", Verdict.CONSISTENT)]),
        "None of the 1 labels is of a summary here",
    ),
    "a summary with both labels": (
        lambda: with_labels(BASE, [PoolLabel("s1", Verdict.CONSISTENT), PoolLabel("s1", Verdict.INCONSISTENT)]),
        "s1 has two labels that differ",
    ),
    "an id of several summaries": (
        lambda: with_labels(replace(BASE, ids=["s"] * SIZE), [PoolLabel("s", Verdict.CONSISTENT)]),
        "name several summaries",
    ),
    "a label that is no verdict": (lambda: pool_labels([{"id": "s1", "label": "perhaps"}]), "The field 'label'"),
    "a label without an id": (lambda: pool_labels([{"label": "consistent"}]), "There is no field 'id'"),
    "a probability that is a word": (
        lambda: pool_labels([{"id": "s1", "label": "1", "selection_probability": "half"}]),
        "must be a number",
    ),
    "only labels that are neither": (
        lambda: report(with_labels(BASE, [PoolLabel("s1", Verdict.BORDERLINE)])),
        "No summary here has a label",
    ),
    "a metric that has no score": (lambda: select_pool_metrics(BASE, ["none"]), "none"),
    "weights by scores that are not there": (
        lambda: report(replace(BASE, columns=()), "scores"),
        "There are no scores by which the labels could be weighted",
    ),
}
"""Data that give no rate, and part of the sentence that says so."""


@pytest.mark.parametrize("name", WITHOUT_A_RATE)
def test_data_without_a_rate_say_what_to_do(name: str) -> None:
    action, sentence = WITHOUT_A_RATE[name]
    with pytest.raises(TouchstoneError, match=sentence):
        action()


def test_a_report_has_every_form() -> None:
    assert_whole(report(replace(BASE, parts=PARTS, errors={int(row): ("noun",) for row in ROWS})))


def test_the_first_sentence_is_the_rate_with_and_without_scores() -> None:
    found = report(BASE)
    assert found.sentences[0].startswith("27.")
    assert "of 400 summaries are inconsistent; labels alone: " in found.sentences[0]
    assert found.sentences[1].startswith("Your 100 labels and this metric are worth 1")


def test_few_errors_have_the_exact_interval_and_a_sentence() -> None:
    of = labelled(BASE, {row: float(row > 3) for row in range(0, SIZE, 2)})
    rate = report(of, "random").table("rates").figure("rate", method="labels and scores")
    assert (rate.low, rate.high) == pytest.approx(clopper_pearson(2, 200))
    assert "Only 2 of 200 labels are inconsistent" in report(of, "random").sentences[1]


def test_all_labels_of_one_kind_have_an_exact_interval() -> None:
    rows = range(0, SIZE, 4)
    for label, low, high in ((1.0, 0.0, 0.03622), (0.0, 0.96378, 1.0)):
        found = report(labelled(BASE, dict.fromkeys(rows, label))).table("rates")
        rate = found.figure("rate", method="labels and scores")
        assert (rate.low, rate.high) == pytest.approx((low, high), abs=1e-4)


def test_a_pool_that_is_labelled_whole_is_counted() -> None:
    found = report(pool(labels=SIZE))
    assert found.sentences[0].startswith("All 400 summaries have a label: ")
    assert len(found.sentences) == 1
    assert ([table.name for table in found.tables], found.charts, found.notes) == (["counts"], (), ())
    assert found.table().rows[0][1] == 400


def test_labels_drawn_by_their_scores_are_corrected_with_a_warning() -> None:
    whole = pool(labels=SIZE, distance=1.0, seed=1)
    scores = whole.columns[0].values
    taken = np.argsort(scores + np.random.default_rng(0).normal(scale=1.5, size=SIZE))[:120]
    of = labelled(whole, {int(row): float(whole.labels[row]) for row in taken})
    naive = report(of, "random").table("rates").figure("rate", method="labels alone")
    found = report(of)
    corrected = found.table("rates").figure("rate", method="labels alone")
    truth = 1 - float(whole.labels.mean())
    assert "evidently not drawn at random" in found.problems[0]
    assert naive.value is not None
    assert corrected.value is not None
    assert abs(corrected.value - truth) < abs(naive.value - truth)


def test_labels_that_no_weights_can_correct_are_refused() -> None:
    lowest = np.argsort(BASE.columns[0].values)[:30]
    of = labelled(BASE, {int(row): float(row % 3 > 0) for row in lowest})
    with pytest.raises(TouchstoneError, match="so far from a random draw"):
        report(of)


def test_probabilities_that_do_not_fit_the_labels_give_a_warning() -> None:
    lowest = np.argsort(BASE.columns[0].values)[:100]
    of = replace(labelled(BASE, dict.fromkeys(map(int, lowest), 1.0)), probabilities=np.full(SIZE, 0.25))
    found = report(of)
    assert "Weighted by their selection_probability they are still unlike all summaries" in found.problems[0]
    assert found.tables


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [8.0, 41.0])
def test_right_probabilities_give_no_warning(ratio: float) -> None:
    """Twenty draws of 60 of 400, of which those of low scores are drawn up to so many times as often."""
    ranks = np.argsort(np.argsort(BASE.columns[0].values)) / SIZE
    chances = ratio ** (1 - ranks)
    chances *= 60 / chances.sum()
    rng, warned = np.random.default_rng(6), 0
    for _ in range(20):
        taken = np.flatnonzero(rng.random(SIZE) < chances)
        of = replace(
            labelled(BASE, {int(row): float(rng.random() < 0.7) for row in taken}),
            probabilities=np.minimum(chances, 1.0),
        )
        warned += any("still unlike" in problem for problem in report(of).problems)
    assert warned == 0


def test_labels_of_whole_documents_have_a_wider_interval() -> None:
    rng = np.random.default_rng(0)
    documents = np.arange(SIZE) // 10
    wrong = (rng.random(40) < 0.4)[documents]
    labels = {row: 1.0 - wrong[row] for row in range(SIZE) if documents[row] % 2 == 0}
    of = replace(labelled(BASE, labels), documents=documents, columns=())
    clustered = report(of).table("rates").figure("rate", method="labels alone")
    single = report(replace(of, documents=np.arange(SIZE))).table("rates").figure("rate", method="labels alone")
    assert clustered.documents == 20
    assert (clustered.high or 0) - (clustered.low or 0) > 2 * ((single.high or 0) - (single.low or 0))


def test_a_file_of_labels_may_name_documents_where_the_pool_knows_of_none() -> None:
    """Labels of whole documents, which a file of scores says nothing of, are clustered by what the file of labels names."""
    rows = [{"id": f"s{n}", "label": "inconsistent" if n // 10 % 3 == 0 else "consistent"} for n in range(120)]
    single = with_labels(BASE, pool_labels(rows))
    for field in ("group", "document"):
        named = with_labels(BASE, pool_labels([{**row, field: f"d{n // 10}"} for n, row in enumerate(rows)]))
        assert len(np.unique(named.documents)) == SIZE - 120 + 12
        alone, clustered = (draw_of_labels(one, "random").alone for one in (single, named))
        assert clustered.documents == 12
        assert clustered.interval()[1] - clustered.interval()[0] > 1.5 * (alone.interval()[1] - alone.interval()[0])
    known = replace(BASE, documents=np.arange(SIZE) // 2)
    assert with_labels(known, pool_labels([{**rows[0], "group": "d"}])).documents is known.documents


def test_errors_that_share_documents_count_as_fewer() -> None:
    documents = np.arange(SIZE) // 10
    labels = {row: float(documents[row] not in (2, 8)) for row in range(SIZE) if documents[row] % 2 == 0}
    found = report(replace(labelled(BASE, labels), documents=documents, columns=()))
    assert found.table("rates").cells("interval")[1] == "exact"
    assert "Only 20 of 200 labels are inconsistent, worth 1.9 as they share documents" in found.sentences[1]


def test_parts_that_differ_have_ranks_of_their_own() -> None:
    wrong = np.arange(SIZE) % 2 == 0
    rng = np.random.default_rng(1)
    wrong &= rng.random(SIZE) < 0.9
    rows = rng.choice(SIZE, 200, replace=False)
    of = labelled(BASE, {int(row): 1.0 - wrong[row] for row in rows})
    found = report(replace(of, parts={"odd": np.arange(SIZE) % 2 == 1, "even": np.arange(SIZE) % 2 == 0}))
    assert "even is more often inconsistent than odd" in found.sentences[-1]
    ranks = {name: found.table("parts").figure("rank", part=name) for name in ("odd", "even")}
    assert [(rank.low, rank.high) for rank in ranks.values()] == [(1, 1), (2, 2)]


def texts(labels: Mapping[str, Verdict | None], dataset: str) -> list[Sample]:
    return [sample(name, verdict, {"m": float(n)}, dataset=dataset) for n, (name, verdict) in enumerate(labels.items())]


def test_a_text_of_two_datasets_is_one_summary_with_the_label_of_either() -> None:
    first = texts({"a": None, "b": Verdict.CONSISTENT, "c": None}, "pool")
    second = texts({"a": Verdict.INCONSISTENT, "b": Verdict.INCONSISTENT}, "campaign")
    of = pool_of_cases(build_cases([*first, *second]))
    assert len(of.ids) == 3
    assert of.labels[:2].tolist() == [0.0, 1.0]
    assert np.isnan(of.labels[2])
    assert of.warnings == (
        "2 summaries are in several datasets, and count once.",
        "1 summaries have different labels in several datasets: that of the first counts.",
    )


def test_a_column_of_probabilities_is_no_metric() -> None:
    drawn = [sample(f"s{n}", Verdict.CONSISTENT, {"m": 1.0 * n, "selection_probability": 0.5}) for n in range(4)]
    of = pool_of_cases(build_cases(drawn))
    assert [one.name for one in of.columns] == ["m"]
    assert of.probabilities is not None
    assert of.probabilities.tolist() == [0.5] * 4


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_file_of_labels_has_ids_labels_and_probabilities(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"few.{ending}"
    rows = [("s1", "inconsistent", 0.25, "noun"), ("s2", "1", 0.5, "")]
    names = ("id", "label", "selection_probability", "error_type")
    lines = (
        [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        if ending == "jsonl"
        else [",".join(map(str, row)) for row in (names, *rows)]
    )
    file.write_text("\n".join(lines), encoding="utf-8")
    assert read_pool_labels(file) == [
        PoolLabel("s1", Verdict.INCONSISTENT, ("noun",), 0.25),
        PoolLabel("s2", Verdict.CONSISTENT, (), 0.5),
    ]


def test_a_line_that_is_no_label_is_named(tmp_path: Path) -> None:
    file = tmp_path / "few.jsonl"
    file.write_text('{"id": "s1", "label": 1}\n{"id": "s2", "label": "so so"}\n', encoding="utf-8")
    with pytest.raises(TouchstoneError, match=r"few\.jsonl, line 2: The field 'label' is 'so so'"):
        read_pool_labels(file)


def test_labels_of_elsewhere_do_not_count_and_are_said() -> None:
    of = with_labels(BASE, [PoolLabel("s1", Verdict.CONSISTENT), PoolLabel("other", Verdict.CONSISTENT)])
    assert of.labelled.tolist() == [1]
    assert of.warnings == ("1 labels are of summaries that are not here, and do not count.",)


@pytest.mark.slow
def test_a_pilot_plans_the_labels_and_assumptions_do_without() -> None:
    found = LabelPlan(margin=5.0).run(StudyData(pool=BASE))
    needed = {row["margin"]: (row["alone"], row["with_scores"]) for row in found.table("plan").records()}
    assert needed[5.0][1] < needed[5.0][0] < SIZE
    assert needed[10.0][0] < needed[5.0][0] < needed[1.0][0]
    assumed = LabelPlan(assumed_rate=10, assumed_auc=85, summaries=5000, hourly_pay=30).run(StudyData())
    assert "of 5,000 summaries" in assumed.sentences[0]
    assert "of pay" in assumed.sentences[0]
    assert_whole(assumed)


def test_a_plan_without_labels_or_a_rate_says_what_to_assume() -> None:
    for data in (StudyData(), StudyData(pool=labelled(BASE, {})), StudyData(pool=labelled(BASE, {1: 1.0, 2: 1.0}))):
        with pytest.raises(TouchstoneError, match="Assume"):
            LabelPlan().run(data)


def test_python_takes_the_labels_of_a_list_or_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    wrong = rng.random(200) < 0.3
    pairs = [{"id": f"s{n}", "document": f"It rained on day {n}.", "summary": f"Rain {n}."} for n in range(200)]
    scores = [
        {"id": f"s{n}", "metric": "coverage", "signature": "x", "score": 0.9 - 0.5 * wrong[n] + n / 1e4, "error": None}
        for n in range(200)
    ]
    labels = [{"id": f"s{n}", "label": int(not wrong[n])} for n in rng.choice(200, 60, replace=False)]
    found = touchstone.study("prevalence", pairs, scores=scores, labels=labels)
    rate = found.table("rates").figure("rate", method="labels and scores")
    assert rate.value == pytest.approx(wrong.mean(), abs=0.04)
    file = tmp_path / "few.jsonl"
    file.write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
    assert touchstone.study("prevalence", pairs, scores=scores, labels=file).sentences == found.sentences


def test_nothing_is_said_of_tests_between_parts_that_are_labelled_whole() -> None:
    """Of 400 summaries the first 60 have a label: 30 of each part, of which 12 and 2 are wrong."""
    labels = {row: float(row >= 12 if row < 30 else row >= 32) for row in range(60)}
    rows = np.arange(SIZE)
    of = replace(labelled(pool(), labels), parts={"a": rows < 30, "b": (rows >= 30) & (rows < 60)})
    sentences = " ".join(report(of, "random").sentences)
    assert "differ significantly" not in sentences
    assert "more often inconsistent" not in sentences
