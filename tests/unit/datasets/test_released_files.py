"""The released files, where ../shared/data has them, give the published counts and figures through their importers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from core.stats.agreement import alpha
from core.stats.correlation import Rated, kendall, pearson, spearman, within
from core.stats.distance import Distance, interval, nominal
from core.stats.ratings import Ratings
from core.stats.resampling import Resamples
from core.stats.statistic import Statistic
from core.types import ErrorType, Item, Split, Verdict
from tests.doubles.process import ROOT
from tests.unit.datasets.reading import items_of

DATA = ROOT.parent / "shared" / "data"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"The released files are not at {DATA.relative_to(ROOT.parent)}"
)

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


@cache
def released(name: str, place: str) -> list[Item]:
    return items_of(name, DATA / place)


def rating(item: Item, aspect: str) -> float:
    """The figure to which the dataset sums its judges up."""
    return next(rating.value for rating in item.ratings if (rating.judge, rating.aspect) == ("all", aspect))


def score(item: Item, metric: str) -> float:
    return next((score.value for score in item.scores if score.metric == metric), np.nan)


def numbered(names: list[str]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.unique(names, return_inverse=True)[1]


def estimated(statistic: Statistic, items: list[Item]) -> float:
    found = Resamples.draw(len({item.group for item in items}), 100).estimate(statistic)
    assert found.value is not None
    return found.value


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
    systems, documents = numbered([item.system for item in found]), numbered([item.group for item in found])
    scores = np.array([score(item, metric) for item in found])
    human = np.array([rating(item, "Factuality") for item in found])
    rated = Rated(within(scores, systems), within(human, systems), documents)
    assert estimated(pearson(rated), found) == pytest.approx(linear, abs=5e-5)
    assert estimated(spearman(rated), found) == pytest.approx(ranked, abs=5e-5)
    assert len(found) == 671


def test_frank_leaves_scores_out_that_the_metrics_did_not_give() -> None:
    counted = Counter(score.metric for item in released("frank", "frank_valid") for score in item.scores)
    assert len(counted) == 15
    assert counted["Rouge 1"] == 671
    assert counted["Dep Entail"] < 671


@pytest.mark.parametrize(("coefficient", "value"), [(pearson, 0.681681), (spearman, 0.662255), (kendall, 0.531636)])
def test_unieval_gives_the_published_correlations_on_qags(
    coefficient: Callable[[Rated], Statistic], value: float
) -> None:
    found = [item for item in released("unieval", "unieval") if item.domain == "qags_cnndm"]
    scores = np.array([score(item, "UniEval consistency") for item in found])
    human = np.array([rating(item, "consistency") for item in found])
    rated = Rated(scores, human, numbered([item.group for item in found]))
    assert estimated(coefficient(rated), found) == pytest.approx(value, abs=5e-7)
    assert len(found) == 235


@pytest.mark.parametrize(("level", "distance", "value"), [("sentence", nominal, 0.7633), ("summary", interval, 0.8201)])
def test_longsciverify_gives_the_published_alphas(level: str, distance: Distance, value: float) -> None:
    found = released("longsciverify", "longsciverify")
    given = np.array(
        [
            [
                [one.value for one in item.ratings if (one.judge, one.aspect) == (f"reviewer-{number}", "factuality")]
                for number in (1, 2, 3)
            ]
            for item in found
        ]
    )  # (summaries, reviewers, sentences)
    labels = given.transpose(0, 2, 1).reshape(-1, 3) if level == "sentence" else given.mean(axis=2)
    documents = np.repeat(numbered([item.group for item in found]), len(labels) // len(found))
    assert estimated(alpha(Ratings(labels, documents), distance), found) == pytest.approx(value, abs=5e-5)


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


def test_the_generic_importer_reads_bump_by_its_guess_as_its_own_importer_does() -> None:
    own = released("bump", "bump/task1_dataset.json")
    guessed = items_of("generic", DATA / "bump/task1_dataset.json")
    assert [item.example.summary for item in guessed] == [item.example.summary for item in own]
    assert [(item.error_type, item.scores) for item in guessed] == [(item.error_type, item.scores) for item in own]
