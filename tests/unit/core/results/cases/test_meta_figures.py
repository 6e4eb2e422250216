"""Tables of a few hand-made pairs, whose every figure can be counted."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.reports.record import table_record
from core.evaluation.reports.text import table_text
from core.evaluation.studies.measures import Measures, measures_table
from core.evaluation.studies.released_scores import compare_with_released
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import (
    FIGURE_TITLES,
    MEASURES,
    MeasuresRow,
    affordable_resamples,
    draw_resamples,
    metric_rows,
    slice_cases,
)
from core.results.cases.pooling import pool_cases
from core.stats.bootstrap import RESAMPLES
from core.types import ErrorType, Sample, Split, StoredScore, Verdict
from tests.unit.core.evaluation.studies.bench_samples import pair, sample, scored

PREDICATE, ENTITY, COREFERENCE = (
    ErrorType.INTRINSIC_PREDICATE,
    ErrorType.EXTRINSIC_ENTITY,
    ErrorType.COREFERENCE,
)
PAIRS = [
    *pair("a", {"sharp": 3.0, "blunt": 1.0}, {"sharp": 1.0, "blunt": 1.0}, PREDICATE),
    *pair("b", {"sharp": 4.0, "blunt": 1.0}, {"sharp": 0.0, "blunt": 1.0}, PREDICATE),
    *pair("c", {"sharp": 5.0, "blunt": 1.0}, {"sharp": 2.0, "blunt": 1.0}, ENTITY),
    *pair("d", {"sharp": 1.5, "blunt": 1.0}, {"sharp": 2.5, "blunt": 1.0}, COREFERENCE),
]


def table_of(
    found: Cases, by: str | None = None, names: tuple[str, ...] = tuple(MEASURES)
) -> dict[tuple[str, str], MeasuresRow]:
    lines = metric_rows(found, slice_cases(found, by), draw_resamples(found, 200), names)
    return {(line.metric, line.slice): line for line in lines}


def value(row: MeasuresRow, name: str) -> float | None:
    return row.figures[name].estimate.value


def test_shares_and_areas_are_those_that_counting_gives() -> None:
    found = table_of(build_cases(PAIRS), "error_type")
    sharp = found["sharp", "Overall"]
    assert (sharp.n, value(sharp, "consistency"), value(sharp, "ties")) == (4, 0.75, 0.0)
    assert value(sharp, "auc") == 14 / 16
    blunt = found["blunt", "Overall"]
    assert (value(blunt, "consistency"), value(blunt, "ties"), value(blunt, "auc")) == (0.0, 1.0, 0.5)


def test_intrinsic_and_extrinsic_leave_coreference_out_and_overall_does_not() -> None:
    found = table_of(build_cases(PAIRS), "error_type")
    names = [name for metric, name in found if metric == "sharp"]
    assert names == [
        "Overall",
        *("Intrinsic Predicate", "Extrinsic Entity", "Coreference"),
        *("Intrinsic Error", "Extrinsic Error"),
    ]
    assert [found["sharp", name].n for name in names] == [4, 2, 1, 1, 2, 1]


def test_the_best_is_marked_and_what_is_significantly_worse_is_not() -> None:
    many = [one for n in range(40) for one in pair(f"p{n}", {"m": 2.0, "k": 0.0}, {"m": 1.0, "k": 1.0}, PREDICATE)]
    found = table_of(build_cases(many))
    best, worse = (found[metric, "Overall"].figures["consistency"] for metric in ("m", "k"))
    assert (best.best, best.level) == (True, True)
    assert (worse.best, worse.level) == (False, False)
    assert worse.p is not None


def test_a_summary_without_a_score_is_left_out_and_counted() -> None:
    lacking = [*PAIRS, *pair("e", {"blunt": 1.0}, {"sharp": 0.0, "blunt": 1.0}, PREDICATE)]
    sharp = table_of(build_cases(lacking))["sharp", "Overall"]
    assert (sharp.n, sharp.failed, value(sharp, "consistency")) == (4, 1, 0.75)


def test_metrics_that_failed_on_different_pairs_are_compared_on_those_that_both_scored() -> None:
    good, bad = {"m": 2.0, "k": 0.0}, {"m": 1.0, "k": 1.0}
    many = [one for n in range(30) for one in pair(f"p{n}", good, bad, PREDICATE)]
    lacking = [*many, *pair("only m", {"m": 2.0}, {"m": 1.0}, PREDICATE)]
    assert table_of(build_cases(lacking))["k", "Overall"].figures["consistency"].p is not None


def test_plain_labels_give_an_area_and_no_consistency() -> None:
    labelled = [
        sample(str(n), Verdict.CONSISTENT if n % 2 else Verdict.INCONSISTENT, {"m": float(n)}) for n in range(6)
    ]
    found = table_of(build_cases(labelled))["m", "Overall"]
    assert (found.n, value(found, "consistency")) == (6, None)
    assert value(found, "auc") == pytest.approx(6 / 9)


def test_a_threshold_is_chosen_on_the_development_split_only() -> None:
    def split(n: int, good: bool, score: float, split: Split) -> Sample:
        one = sample(f"{split}{n}", Verdict.CONSISTENT if good else Verdict.INCONSISTENT, {"m": score})
        return replace(one, item=replace(one.item, split=split))

    dev = [split(n, n >= 2, float(n), Split.DEV) for n in range(4)]  # the threshold becomes 1.5
    test = [split(0, True, 1.0, Split.TEST), split(1, True, 2.0, Split.TEST), split(2, False, 1.2, Split.TEST)]
    found = table_of(build_cases([*dev, *test]))["m", "Overall"].figures["balanced_accuracy"].estimate
    assert (found.value, found.n) == (0.75, 3)


def test_without_a_development_split_there_is_no_balanced_accuracy_and_it_says_why() -> None:
    found = table_of(build_cases(PAIRS))["sharp", "Overall"].figures["balanced_accuracy"].estimate
    assert found.value is None
    assert "no development split" in found.error


def test_an_unknown_slice_names_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match="error_type"):
        slice_cases(build_cases(PAIRS), "eror_type")
    with pytest.raises(UnknownNameError, match="error_type"):
        slice_cases(build_cases(PAIRS), "dataset,eror_type")
    with pytest.raises(TouchstoneError, match="names 3 fields"):
        slice_cases(build_cases(PAIRS), "dataset,error_type,domain")


def test_two_fields_slice_by_both_and_leave_out_what_has_no_error() -> None:
    """Task and origin, as in figure 3 of BUMP: a task without an error of an origin has no slice of it."""
    kinds = {
        "one": [ErrorType.INTRINSIC_ENTITY, ErrorType.INTRINSIC_ENTITY, ErrorType.EXTRINSIC_ENTITY],
        "two": [ErrorType.EXTRINSIC_ENTITY],
    }
    sides = [
        side
        for dataset, of_dataset in kinds.items()
        for place, kind in enumerate(of_dataset)
        for side in pair(f"{dataset}-{place}", {"sharp": 1.0}, {"sharp": 0.0}, kind, dataset)
    ]
    found = {one.name: int(one.pairs.sum()) for one in slice_cases(build_cases(sides), "dataset,error_type")}
    assert found == {
        "Overall": 4,
        "one × Intrinsic Entity": 2,
        "one × Extrinsic Entity": 1,
        "one × Intrinsic Error": 2,
        "one × Extrinsic Error": 1,
        "two × Extrinsic Entity": 1,
        "two × Extrinsic Error": 1,
    }
    [part] = [
        one for one in slice_cases(build_cases(sides), "dataset,error_type") if one.name == "one × Extrinsic Entity"
    ]
    assert part.summaries.sum() == 4  # the broken one and the three consistent ones of its task


def test_a_row_of_the_report_has_every_measure_with_its_documents() -> None:
    table = measures_table(list(table_of(build_cases(PAIRS)).values()))
    [line] = [row for row in table_record(table) if (row["metric"], row["slice"]) == ("sharp", "Overall")]
    assert [name for name in line if name in MEASURES] == list(FIGURE_TITLES)
    assert (line["consistency"]["value"], line["auc"]["value"]) == (0.75, 14 / 16)
    share = line["consistency"]
    assert (share["n"], share["documents"], share["few_documents"], share["best"]) == (4, 4, True, True)
    assert "no development split" in line["balanced_accuracy"]["why"]


def test_the_table_marks_the_best() -> None:
    text = text_of(list(table_of(build_cases(PAIRS), names=("consistency",)).values()))
    assert ["*" in line for line in text.splitlines()] == [False, True, False]


def text_of(rows: list[MeasuresRow]) -> str:
    return table_text(measures_table(rows), titled=False)


def marks(documents: int, sharp: float = 2.0) -> dict[str, str]:
    """Of two metrics, of which one is always right and the other, unless it is as sharp, always wrong."""
    many = [
        one for n in range(documents) for one in pair(f"p{n}", {"m": 2.0, "k": sharp}, {"m": 1.0, "k": 1.0}, PREDICATE)
    ]
    found = table_of(build_cases(many), names=("consistency",))
    return {metric: row.figures["consistency"].mark for (metric, _), row in found.items()}


def test_with_fewer_than_ten_documents_nothing_is_marked_as_worse() -> None:
    assert marks(10, sharp=0.0) == {"m": "*", "k": ""}
    for few in (1, 2, 9):
        assert marks(few, sharp=0.0) == {"m": "*", "k": "?"}


def test_all_that_are_equally_good_are_marked_as_the_best() -> None:
    assert marks(40) == marks(3) == {"m": "*", "k": "*"}


def test_intervals_of_thirty_documents_or_fewer_say_so() -> None:
    def table(documents: int) -> str:
        many = [one for n in range(documents) for one in pair(f"p{n}", {"m": 2.0 * (n % 3)}, {"m": 1.0}, PREDICATE)]
        return text_of(list(table_of(build_cases(many), names=("consistency",)).values()))

    assert "few documents (30)" in table(30)
    assert "few documents" not in table(31)


def test_the_tests_that_reviewers_ask_for_stand_beside_the_bootstrap() -> None:
    # k is wrong on 10 of 12 pairs that m has right: McNemar 2 / 2¹⁰; of its pairs that moved 2 are right and 10 wrong
    many = [
        one
        for n in range(12)
        for one in pair(f"p{n}", {"m": 2.0, "k": 2.0 if n < 2 else 0.0}, {"m": 1.0, "k": 1.0}, PREDICATE)
    ]
    found = table_of(build_cases(many))["k", "Overall"].figures
    assert list(found["consistency"].tests) == ["paired bootstrap", "McNemar"]
    assert found["consistency"].tests["McNemar"] == pytest.approx(2 / 1024)
    assert found["auc"].tests["DeLong"] is not None
    assert found["sign_rate"].tests["sign test"] == pytest.approx(2 * (1 + 12 + 66) / 4096)
    report = Measures(full=True).run(StudyData(cases=build_cases(many), resamples=50))
    assert "0.0020" in table_text(report.table("tests"), titled=False)
    assert "Holm (1979)" in table_text(report.table("tests"), titled=False)


def test_decisions_at_the_threshold_are_compared_by_mcnemar() -> None:
    def labelled(n: int, split: Split) -> Sample:
        good = n % 2 == 0
        scores = {"m": float(good), "k": float(good) if n < 4 or split is Split.DEV else float(not good)}
        one = sample(f"{split}{n}", Verdict.CONSISTENT if good else Verdict.INCONSISTENT, scores)
        return replace(one, item=replace(one.item, split=split))

    both = [labelled(n, split) for split in (Split.DEV, Split.TEST) for n in range(16)]
    found = table_of(build_cases(both))["k", "Overall"].figures["balanced_accuracy"]
    assert found.estimate.value == 4 / 16
    assert found.tests["McNemar"] == pytest.approx(2 / 2**12)


def released(dataset: str, scale: float) -> list[Sample]:
    """The same four texts in every dataset."""
    return [
        one
        for n in range(4)
        for one in pair(f"p{n}", {"m": scale * (n + 1), "k": float(n)}, {"m": scale * n, "k": 0.0}, PREDICATE, dataset)
    ]


def test_a_metric_that_was_rescaled_in_one_dataset_is_not_pooled_and_named() -> None:
    found = pool_cases([released("one", 1.0), released("two", 2.0)])
    assert [column.name for column in found.columns] == ["k"]
    overlap, scale = found.warnings
    assert re.match(r"one and two have \d documents in common", overlap)
    assert "m in one and two" in scale
    assert "2.0000 times the first" in scale


def test_scales_that_nobody_can_compare_are_not_pooled_either() -> None:
    other = [
        replace(one, stored=f"other {one.stored}", document=f"other {one.document}") for one in released("two", 1.0)
    ]
    found = pool_cases([released("one", 1.0), other])
    assert found.columns == ()
    assert found.warnings
    assert all("share no text" in sentence for sentence in found.warnings)


def test_a_metric_that_was_rescaled_in_one_dataset_keeps_its_figures_in_the_slice_of_each() -> None:
    pooled = pool_cases([released("one", 1.0), released("two", 2.0)])
    assert "m" not in {metric for metric, _ in table_of(pooled)}
    found = table_of(pooled, "dataset")
    assert [value(found["m", part], "consistency") for part in ("Overall", "one", "two")] == [None, 1.0, 1.0]
    assert "several scales" in found["m", "Overall"].figures["auc"].estimate.error
    assert value(found["k", "Overall"], "consistency") == 0.75
    # 1, 2, 3, 4 over 0, 1, 2, 3: of 16 pairings 10 are won and 3 are ties
    assert [value(found["m", part], "auc") for part in ("one", "two")] == [11.5 / 16, 11.5 / 16]


def of_source(source: str, scale: float) -> list[Sample]:
    """The same four references in every source of one dataset, each with an edit of its own."""
    found = [
        one
        for n in range(4)
        for one in pair(
            f"{source} × {scale}: {n}", {"m": scale * (n + 1), "k": float(n)}, {"m": scale * n, "k": 0.0}, PREDICATE
        )
    ]
    references = [replace(one, stored=f"reference {n}", document=f"article {n}") for n, one in enumerate(found[::2])]
    return [
        replace(one, item=replace(one.item, source=source))
        for both in zip(references, found[1::2], strict=True)
        for one in both
    ]


def test_the_sources_of_one_dataset_are_not_pooled_where_their_scales_differ() -> None:
    pooled = pool_cases([[*of_source("task 1", 1.0), *of_source("task 2", 2.0)]])
    assert [column.name for column in pooled.columns] == ["k"]
    [warning] = pooled.warnings
    assert "m in toy, task 1 and task 2" in warning
    assert "2.0000 times the first" in warning
    found = table_of(pooled, "source")
    assert [value(found["m", part], "consistency") for part in ("Overall", "task 1", "task 2")] == [None, 1.0, 1.0]


def test_two_scores_of_one_text_are_named_though_no_source_is_known() -> None:
    pooled = pool_cases([[*of_source("", 1.0), *of_source("", 2.0)]])
    assert [column.name for column in pooled.columns] == ["m", "k"]
    assert pooled.warnings == (
        "m in toy has different scores for the same text (4 texts): its scores may be of several runs or scales. Import "
        "these under names of their own.",
    )


def test_our_own_scores_are_pooled_over_any_datasets() -> None:
    ours = [
        scored(sample(name, None, {}, dataset=name), StoredScore("rouge2", 0.5, "rouge2|v1")) for name in ("one", "two")
    ]
    assert [column.name for column in pool_cases([[ours[0]], [ours[1]]]).columns] == ["rouge2"]


def test_ours_is_compared_with_the_released_metric_of_its_name_in_its_unit() -> None:
    both = [
        scored(one, StoredScore("rouge2", share, "rouge2|v1"))
        for one, share in zip(pair("a", {"ROUGE-2": 50.0}, {"ROUGE-2": 20.0}, PREDICATE), (0.5, 0.25), strict=True)
    ]
    [found] = compare_with_released(build_cases(both))
    assert (found.released, found.ours, found.n, found.scale) == ("ROUGE-2", "rouge2", 2, 100.0)
    assert (found.mean, found.largest, found.same_way) == (2.5, 5.0, 1.0)


def test_the_sign_rate_leaves_ties_out_and_the_mean_shift_is_in_units_of_the_metric() -> None:
    found = table_of(build_cases(PAIRS))
    sharp, blunt = found["sharp", "Overall"], found["blunt", "Overall"]
    assert (value(sharp, "sign_rate"), value(sharp, "mean_shift")) == (0.75, (-2 - 4 - 3 + 1) / 4)
    assert (value(blunt, "sign_rate"), value(blunt, "mean_shift")) == (None, 0.0)
    assert not any(row.figures["mean_shift"].best for row in found.values())
    assert "−2" in text_of(list(found.values()))


def test_a_borderline_edit_is_no_side_of_a_pair() -> None:
    good, bad = pair("e", {"sharp": 1.0}, {"sharp": 0.0}, ENTITY)
    unclear = replace(good, item=replace(good.item, intended=Verdict.BORDERLINE))
    assert build_cases([unclear, bad]).pairs.tolist() == []


def test_large_data_gets_fewer_resamples_and_never_too_few() -> None:
    small = build_cases(PAIRS)
    assert affordable_resamples(small) == RESAMPLES
    assert affordable_resamples(replace(small, samples=small.samples[:1] * 20_000)) == 2500
    assert affordable_resamples(replace(small, samples=small.samples[:1] * 1_000_000)) == 500
