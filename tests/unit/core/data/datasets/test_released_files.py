"""The released files, where ../shared/data has them, give the published counts and figures through their importers."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from functools import cache

import pytest

from annotations.campaigns.questions import CampaignQuestion, Option
from annotations.results.label_agreement import compute_agreement
from annotations.results.results import CampaignLabel
from core.stats.annotators.agreement import Distance, interval_distance, nominal_distance
from core.stats.correlation import kendall, pearson, spearman
from core.types import ErrorType, Item, Split, Verdict
from tests.doubles.released import DATA, SOURCES, needs
from tests.unit.core.data.datasets.figures import (
    Coefficient,
    agreement,
    correlation,
    partial_correlation,
    rating,
    sentence_votes,
)
from tests.unit.core.data.datasets.reading import items_of

pytestmark = needs(*SOURCES)

TYPES = {
    ErrorType.INTRINSIC_PREDICATE: 116,
    ErrorType.EXTRINSIC_PREDICATE: 76,
    ErrorType.INTRINSIC_ENTITY: 128,
    ErrorType.EXTRINSIC_ENTITY: 115,
    ErrorType.INTRINSIC_CIRCUMSTANCE: 82,
    ErrorType.EXTRINSIC_CIRCUMSTANCE: 78,
    ErrorType.COREFERENCE: 98,
}
"""BUMP task 1 (Ma et al. 2023, table 2)."""

REVIEWERS = ("reviewer-1", "reviewer-2", "reviewer-3")


@cache
def released(name: str, place: str) -> list[Item]:
    return items_of(name, DATA / place)


def test_bump_has_the_published_pairs_of_each_type() -> None:
    found = released("bump", "bump/task1_dataset.json")
    assert Counter(item.error_type for item in found if item.parent) == TYPES
    assert (len(found), len({item.group for item in found})) == (1386, 99)


def test_a_seventh_of_the_required_types_of_bump_was_corrected() -> None:
    edited = [item for item in released("bump", "bump/task1_dataset.json") if item.parent]
    assert Counter(item.required_type for item in edited) == dict.fromkeys(TYPES, 99)
    assert sum(item.required_type is not item.error_type for item in edited) == 96


def test_every_summary_of_bump_has_twelve_released_scores() -> None:
    assert {len(item.scores) for item in released("bump", "bump/task1_dataset.json")} == {12}


def test_both_tasks_of_bump_name_a_shared_article_alike() -> None:
    texts = {item.group: item.example.document for item in released("bump", "bump/task1_dataset.json")}
    shared = [item for item in released("bump", "bump/task2_first20.json") if item.group in texts]
    assert shared
    assert all(texts[item.group] == item.example.document for item in shared)


@pytest.mark.parametrize(
    ("domain", "number", "consistent"), [("sales_call", 520, 173), ("sales_email", 613, 179), ("scitldr", 466, 145)]
)
def test_summedits_has_the_published_samples_and_positives(domain: str, number: int, consistent: int) -> None:
    found = [item for item in released("summedits", "summedits") if item.domain == domain]
    assert (len(found), sum(item.intended is Verdict.CONSISTENT for item in found)) == (number, consistent)


def test_no_seed_of_summedits_is_in_two_splits() -> None:
    found = {(item.example.id.rpartition("_")[0], item.split) for item in released("summedits", "summedits")}
    assert len(found) == len({seed for seed, _ in found})


@pytest.mark.parametrize(
    ("metric", "linear", "ranked"), [("BertScore P Art", 0.2200, 0.2128), ("FactCC", 0.2138, 0.2679)]
)
def test_frank_gives_the_published_partial_correlations(metric: str, linear: float, ranked: float) -> None:
    found = released("frank", "frank_valid")
    assert partial_correlation(found, metric, "Factuality", pearson) == pytest.approx(linear, abs=5e-5)
    assert partial_correlation(found, metric, "Factuality", spearman) == pytest.approx(ranked, abs=5e-5)
    assert len(found) == 671


def test_frank_leaves_scores_out_that_the_metrics_did_not_give() -> None:
    counted = Counter(score.metric for item in released("frank", "frank_valid") for score in item.scores)
    assert len(counted) == 15
    assert counted["Rouge 1"] == 671
    assert counted["Dep Entail"] < 671


@pytest.mark.parametrize(("coefficient", "value"), [(pearson, 0.681681), (spearman, 0.662255), (kendall, 0.531636)])
def test_unieval_gives_the_published_correlations_on_qags(coefficient: Coefficient, value: float) -> None:
    found = [item for item in released("unieval", "unieval") if item.domain == "qags_cnndm"]
    assert correlation(found, "UniEval consistency", "consistency", coefficient) == pytest.approx(value, abs=5e-7)
    assert len(found) == 235


@pytest.mark.parametrize(
    ("level", "distance", "value"), [("sentence", nominal_distance, 0.7633), ("summary", interval_distance, 0.8201)]
)
def test_longsciverify_gives_the_published_alphas(level: str, distance: Distance, value: float) -> None:
    found = released("longsciverify", "longsciverify")
    given = sentence_votes(found, "factuality", REVIEWERS)
    labels = given.transpose(0, 2, 1).reshape(-1, 3) if level == "sentence" else given.mean(axis=2)
    assert agreement(labels, found, distance) == pytest.approx(value, abs=5e-5)


def test_a_campaign_that_asks_what_longsciverify_asked_gives_the_published_alpha() -> None:
    """Each judged sentence is a task, each reviewer a person."""
    found = released("longsciverify", "longsciverify")
    nothing = CampaignLabel(*[""] * len(fields(CampaignLabel)))
    said = [
        replace(
            nothing,
            task=f"{item.example.id}#{one.sentence}",
            document=item.group,
            person=one.judge,
            answers={"factual": "yes" if one.value else "no"},
        )
        for item in found
        for one in item.ratings
        if one.sentence is not None
    ]
    options = (Option(value="no", text="No"), Option(value="yes", text="Yes"))
    asked = CampaignQuestion(id="factual", ask="Is the sentence factual?", kind="choice", options=options)
    agreed = compute_agreement(asked, "Overall", said)
    assert agreed is not None
    assert (agreed.people, agreed.labels, agreed.scale) == (3, 405, "nominal")
    assert agreed.alpha.value == pytest.approx(0.7633, abs=5e-5)


def test_longsciverify_finds_its_papers_and_sums_its_reviewers_up() -> None:
    found = released("longsciverify", "longsciverify")
    assert (len(found), len({item.group for item in found})) == (45, 15)
    assert all(len(item.example.document) > 5000 for item in found)
    assert all(0 <= rating(item, "factuality") <= 1 for item in found)


def test_the_development_part_of_tofueval_has_its_sentences_and_lacks_its_documents() -> None:
    found = released("tofueval", "tofueval")
    assert (len(found), sum(len(item.judgements) for item in found)) == (1243, 3437)
    assert sum(judged.verdict is Verdict.INCONSISTENT for item in found for judged in item.judgements) == 644
    assert {item.split for item in found} == {Split.DEV}
    assert not any(item.example.document for item in found)


def test_squality_has_twenty_answers_to_each_story() -> None:
    found = Counter(item.group for item in released("squality", "squality"))
    assert (len(found), set(found.values())) == (25, {20})


def test_scholarqabench_has_an_answer_to_each_question() -> None:
    found = released("scholarqabench", "scholarqabench")
    assert (len(found), len({item.title for item in found})) == (108, 108)
    assert all("[0]" in item.example.document for item in found)


@pytest.mark.slow
def test_the_generic_importer_reads_bump_by_its_guess_as_its_own_importer_does() -> None:
    own = released("bump", "bump/task1_dataset.json")
    guessed = items_of("generic", DATA / "bump/task1_dataset.json")
    assert [item.example.summary for item in guessed] == [item.example.summary for item in own]
    assert [(item.error_type, item.scores) for item in guessed] == [(item.error_type, item.scores) for item in own]


@pytest.mark.parametrize(
    ("model", "correct", "judged"), [("gpt4", 288, 501), ("claudev13", 298, 574), ("cgpt", 168, 527)]
)
def test_explanations_are_judged_correct_as_often_as_published(model: str, correct: int, judged: int) -> None:
    items = released("factualnlg", "summedits/factcc_explanation_annotation.json")
    grades = [given.grade for item in items for given in item.explanations if given.by.startswith(f"{model}|")]
    assert (grades.count("correct"), len(grades)) == (correct, judged)


def test_the_grades_of_explanations_are_as_many_as_published() -> None:
    items = released("factualnlg", "summedits/factcc_explanation_annotation.json")
    counted = Counter(given.grade for item in items for given in item.explanations)
    assert counted == {
        "correct": 1098,
        "partially_correct": 126,
        "incorrect": 328,
        "unrelated": 1685,
        "no_explanation": 406,
    }


@pytest.mark.parametrize(("domain", "number"), [("sales_call", 155), ("sales_email", 158), ("scitldr", 128)])
def test_consistent_edits_of_summedits_are_those_that_summexecedit_took_over(domain: str, number: int) -> None:
    """SummExecEdit (Thorat et al. 2024), table 6: the consistent summaries of a domain."""
    found = [item for item in released("summedits", "summedits") if item.domain == domain]
    edited = [item for item in found if not item.example.id.endswith("_og")]
    assert sum(item.intended is Verdict.CONSISTENT for item in edited) == number
