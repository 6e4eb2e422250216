"""Samples become labels, pairs, documents and columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.evaluation.studies.measures import Measures
from core.evaluation.study import StudyData
from core.results.cases.cases import build_cases
from core.types import ErrorType, StoredScore, Verdict
from tests.unit.core.evaluation.studies.bench_samples import pair, sample, scored

GOOD, BAD = {"m": 1.0}, {"m": 0.0}


def test_an_edit_and_its_original_are_a_pair_with_the_faithful_side_first() -> None:
    found = build_cases(pair("a", GOOD, BAD, ErrorType.COREFERENCE))
    assert found.pairs.tolist() == [[0, 1]]
    assert found.paired


def test_a_correction_of_a_wrong_summary_is_the_faithful_side() -> None:
    wrong = sample("a", Verdict.INCONSISTENT, BAD, "a")
    repaired = sample("a/repaired", Verdict.CONSISTENT, GOOD, "a", parent="a")
    assert build_cases([wrong, repaired]).pairs.tolist() == [[1, 0]]


def test_an_original_without_a_label_is_faithful_to_its_broken_edit() -> None:
    original = sample("a", None, GOOD, "a")
    edited = sample("b", Verdict.INCONSISTENT, BAD, "a", parent="a")
    assert build_cases([original, edited]).pairs.tolist() == [[0, 1]]


def test_a_harmless_edit_is_no_minimal_pair() -> None:
    both = [sample("a", Verdict.CONSISTENT, GOOD), sample("b", Verdict.CONSISTENT, GOOD, parent="a")]
    found = build_cases(both)
    assert (found.pairs.tolist(), found.harmless.tolist(), found.paired) == ([], [[0, 1]], False)


def test_a_broken_edit_of_a_broken_summary_is_no_pair() -> None:
    both = [sample("a", Verdict.INCONSISTENT, BAD), sample("b", Verdict.INCONSISTENT, BAD, parent="a")]
    assert build_cases(both).pairs.tolist() == []


def test_samples_of_one_group_or_of_one_text_stay_together() -> None:
    one, two = sample("a", None, GOOD, "g"), sample("b", None, GOOD, "g")
    same_text = sample("c", None, GOOD, "g", dataset="other")  # its document is that of g
    alone = sample("d", None, GOOD)
    assert build_cases([one, two, same_text, alone]).documents.tolist() == [0, 0, 0, 1]


def test_a_label_that_is_borderline_is_neither() -> None:
    found = build_cases([sample("a", Verdict.BORDERLINE, GOOD), sample("b", None, GOOD)])
    assert np.isnan(found.labels).all()
    assert found.warnings[-1].startswith("Of 2 summaries 1 is labelled borderline")
    assert not build_cases([sample("b", None, GOOD)]).warnings


def test_two_signatures_of_one_metric_never_share_a_column() -> None:
    first = scored(
        sample("a", None, {}), StoredScore("rouge2", 0.5, "rouge2|v1"), StoredScore("rouge2", 0.75, "rouge2|v2")
    )
    second = scored(sample("b", None, {}), StoredScore("rouge2", 0.25, "rouge2|v2"))
    columns = {column.name: column.values for column in build_cases([first, second]).columns}
    assert columns["rouge2"].tolist() == [0.75, 0.25]
    assert columns["rouge2 (2)"][0] == 0.5
    assert np.isnan(columns["rouge2 (2)"][1])


def test_a_released_score_keeps_its_name_and_ours_says_whose_it_is() -> None:
    both = scored(sample("a", None, {"rouge2": 0.5}), StoredScore("rouge2", 0.75, "rouge2|v1"))
    assert [column.name for column in build_cases([both]).columns] == ["rouge2", "rouge2 (ours)"]


def test_a_failure_is_counted_and_has_no_value() -> None:
    kept = [StoredScore("rouge2", 0.5, "rouge2|v1")], [StoredScore("rouge2", None, "rouge2|failed:error", "It broke.")]
    [column] = build_cases([scored(sample(str(place), None, {}), *scores) for place, scores in enumerate(kept)]).columns
    assert (column.failed, np.isnan(column.values).tolist()) == (1, [False, True])


def test_the_direction_of_ours_is_that_of_its_card() -> None:
    [column] = build_cases([scored(sample("a", None, {}), StoredScore("word-novelty", 0.5, "word-novelty|v1"))]).columns
    assert column.direction == "lower"


def test_scores_of_a_metric_that_is_no_more_are_left_out_and_named() -> None:
    found = build_cases([scored(sample("a", None, {}), StoredScore("gone", 0.5, "gone|v1"))])
    assert found.columns == ()
    assert "gone are left out" in found.warnings[0]


def test_a_metric_that_scored_a_dataset_in_part_is_not_finished_until_each_text_has_a_score_or_a_failure() -> None:
    texts = [replace(sample(str(place), None, {}), stored=f"text-{place}") for place in range(3)]
    score, failure = StoredScore("rouge2", 0.5, "rouge2|v1"), StoredScore("rouge2", None, "rouge2|v1", "It broke.")
    assert build_cases(texts).unfinished == ()
    under_way = build_cases([scored(texts[0], score), scored(texts[1], failure), texts[2]])
    assert under_way.unfinished == (
        f"ROUGE-2 is not finished on {texts[0].dataset}: 1 of 3 summaries has no score yet, and its figures will move with it.",
    )
    assert under_way.unfinished[0] in Measures().run(StudyData(datasets=("toy",), cases=under_way, resamples=50)).notes
    assert build_cases([scored(texts[0], score), scored(texts[1], failure), scored(texts[2], score)]).unfinished == ()
