"""A drop of three points is found, and two draws of the same quality are no regression."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from core.assessment.gate.output import comparisons_junit, comparisons_markdown, format_comparisons, verdict_sentence
from core.assessment.gate.regression import GradedColumn, Limit, MetricComparison, compare_sides, regressions
from core.assessment.gate.results_file import side_of_outcomes
from core.errors import TouchstoneError, UnknownNameError
from core.results.cases.cases import Cases, MetricColumn
from core.results.cases.measures import draw_resamples
from core.results.cases.pooling import pool_cases
from core.stats.statistic import Values
from core.types import Example, Item, Result, Sample, Seen, Verdict

METRIC = "rouge2"


def cases_of(documents: int, *, paired: bool = True) -> Cases:
    """A consistent and an inconsistent summary of each document; minimal pairs where they are `paired`."""
    samples = []
    for number in range(documents):
        good = Item(Example(f"g{number}", "", f"Good {number}."), intended=Verdict.CONSISTENT, group=f"d{number}")
        bad = Item(
            Example(f"b{number}", "", f"Bad {number}."),
            intended=Verdict.INCONSISTENT,
            group=f"d{number}",
            parent=f"g{number}" if paired else None,
        )
        samples += [Sample("toy", good, f"g{number}"), Sample("toy", bad, f"b{number}")]
    return pool_cases([samples])


def compare(cases: Cases, before: Values, after: Values, resamples: int = 1000) -> MetricComparison:
    sides = tuple(GradedColumn(MetricColumn(METRIC, values, "higher", "signature")) for values in (before, after))
    [found] = compare_sides(cases, {METRIC: (sides[0], sides[1])}, draw_resamples(cases, resamples))
    return found


def noisy(cases: Cases, rng: np.random.Generator, quality: float = 1.0) -> Values:
    """Scores of a metric of some quality, with the difficulty of each document in both sides."""
    difficulty = rng.normal(size=len(cases.samples) // 2).repeat(2)
    scores: Values = quality * np.nan_to_num(cases.labels) + 0.5 * difficulty + rng.normal(size=len(cases.samples))
    return scores


def test_a_planted_drop_of_three_points_is_found() -> None:
    cases, rng = cases_of(600), np.random.default_rng(0)
    before = noisy(cases, rng, quality=2.0)
    after = before.copy()
    spoilt = rng.choice(600, size=24, replace=False)  # of 600 pairs, which go from right to wrong: about 3 points
    after[2 * spoilt], after[2 * spoilt + 1] = before[2 * spoilt + 1], before[2 * spoilt]
    found = {change.measure: change for change in compare(cases, before, after).changes}
    assert -0.045 < (found["consistency"].difference.value or 0.0) < -0.02
    assert found["consistency"].worse
    assert found["auc"].worse
    assert regressions(list(found.values()), [Limit("consistency", -2.0)]) == [found["consistency"]]
    assert not regressions(list(found.values()), [Limit("consistency", -20.0)])
    improved = {change.measure: change for change in compare(cases, after, before).changes}
    assert improved["consistency"].better
    assert not regressions(list(improved.values()), [])


@pytest.mark.slow
def test_two_hundred_null_comparisons_give_few_false_alarms() -> None:
    cases, alarms = cases_of(80), 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        shared = noisy(cases, rng)
        before, after = (shared + 0.7 * rng.normal(size=len(shared)) for _ in range(2))
        alarms += bool(regressions(compare(cases, before, after, 400).changes, []))
    assert alarms <= 10


def test_the_same_scores_are_no_change() -> None:
    cases = cases_of(40)
    scores = noisy(cases, np.random.default_rng(0))
    found = compare(cases, scores, scores.copy())
    assert all(change.difference.value == 0.0 and not change.significant for change in found.changes)
    assert not found.worse
    assert not found.better


def test_pairs_that_changed_their_order_are_shown_with_both_scores() -> None:
    cases = cases_of(30)
    before = np.tile([0.9, 0.1], 30)
    after = before.copy()
    after[[0, 1]] = [0.2, 0.8]
    found = compare(cases, before, after)
    [worse] = found.worse
    assert (worse.id, worse.remark) == ("b0", "faithful − broken side, ordered wrongly now")
    assert (worse.before, worse.after) == (pytest.approx(0.8), pytest.approx(-0.6))
    [back] = compare(cases, after, before).better
    assert back.id == "b0"


def test_labelled_summaries_are_decided_by_the_threshold_that_is_given() -> None:
    cases = cases_of(40, paired=False)
    before = np.tile([0.9, 0.1], 40)
    after = np.where(np.arange(80) % 8 == 0, 0.45, before)
    sides = [GradedColumn(MetricColumn(METRIC, values), 0.5) for values in (before, after)]
    [found] = compare_sides(cases, {METRIC: (sides[0], sides[1])}, draw_resamples(cases, 500))
    accuracy = next(change for change in found.changes if change.measure == "balanced_accuracy")
    assert (accuracy.before.value, accuracy.after.value) == (1.0, 0.875)
    assert accuracy.worse
    assert {item.remark for item in found.worse} == {"decided wrongly now"}


def test_without_a_threshold_no_accuracy_is_made_up() -> None:
    cases = cases_of(40)
    scores = noisy(cases, np.random.default_rng(0))
    assert [change.measure for change in compare(cases, scores, scores).changes] == ["auc", "consistency"]


def test_mean_scores_of_two_metrics_are_not_compared() -> None:
    cases = cases_of(40)
    scores = noisy(cases, np.random.default_rng(0))
    sides = (GradedColumn(MetricColumn("rouge2", scores)), GradedColumn(MetricColumn("bleu", 100 * scores)))
    [found] = compare_sides(cases, {"rouge2 → bleu": sides}, draw_resamples(cases, 100))
    assert [change.measure for change in found.changes] == ["auc", "consistency"]


def test_items_that_one_side_lacks_count_for_neither() -> None:
    cases = cases_of(40)
    before = np.tile([0.9, 0.1], 40)
    after = before.copy()
    after[:20] = np.nan
    found = compare(cases, before, after)
    assert {change.difference.n for change in found.changes} == {60, 30}
    assert compare(cases, after, before).lost == ()
    with pytest.raises(TouchstoneError, match="no item has a score on both sides"):
        compare(cases, before, np.full(80, np.nan))


def test_scores_that_are_missing_fail_the_gate_though_the_rest_is_as_before() -> None:
    cases = cases_of(40)
    before = np.tile([0.9, 0.1], 40)
    after = before.copy()
    after[:7] = np.nan
    found = compare(cases, before, after)
    ids = [sample.item.example.id for sample in cases.samples[:7]]
    assert (list(found.lost), regressions(found.changes, [])) == (ids, [])
    sentence = f"rouge2 has no score any more of 7 items that it scored before: {', '.join(ids[:5])} and 2 more."
    assert verdict_sentence([found], []) == sentence
    suite = ElementTree.fromstring(comparisons_junit([found], [], []))
    assert suite.get("failures") == "1"
    assert suite[-1][0].get("message") == sentence


def test_one_significant_drop_among_many_comparisons_is_corrected() -> None:
    cases, rng = cases_of(60), np.random.default_rng(3)
    scores = noisy(cases, rng)
    worse = scores - 0.9 * np.nan_to_num(cases.labels) * (rng.random(len(scores)) < 0.12)
    alone = compare(cases, scores, worse).changes
    sides = {f"m{number}": _twice(scores) for number in range(8)} | {
        METRIC: (GradedColumn(MetricColumn(METRIC, scores)), GradedColumn(MetricColumn(METRIC, worse)))
    }
    among = compare_sides(cases, sides, draw_resamples(cases, 1000))[-1].changes
    assert all((one.p or 0) >= (other.p or 0) for one, other in zip(among, alone, strict=True))


def _twice(scores: Values) -> tuple[GradedColumn, GradedColumn]:
    side = GradedColumn(MetricColumn("bleu", scores))
    return side, side


@pytest.mark.parametrize("text", ["auc", "auc:2", "auc:", "auc:x", "auc:-inf", "auc:nan"])
def test_a_limit_that_is_no_drop_is_refused(text: str) -> None:
    with pytest.raises(TouchstoneError, match="auc:-2"):
        Limit.parse(text)


def test_a_limit_of_an_unknown_measure_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'auc'"):
        Limit.parse("acu:-2")


def test_the_outputs_name_the_regression_and_escape_texts() -> None:
    cases = cases_of(40)
    hostile = "<script>@everybody|\u0000"
    samples = [
        Sample(
            one.dataset,
            Item(
                Example(one.item.example.id, "", hostile), one.item.parent, (), one.item.intended, group=one.item.group
            ),
            one.stored,
        )
        for one in cases.samples
    ]
    cases = pool_cases([samples])
    before, after = np.tile([0.9, 0.1], 40), np.tile([0.9, 0.1, 0.1, 0.9], 20)
    found = compare(cases, before, after)
    failed = regressions(found.changes, [])
    notes = ["A drop of 3 points of <auc> is ruled out."]
    text = format_comparisons([found], failed)
    markdown, xml = (write([found], failed, notes) for write in (comparisons_markdown, comparisons_junit))
    assert verdict_sentence([found], failed).startswith("2 regressions: rouge2, auc 100.0")
    assert verdict_sentence([], []) == "No regression."
    assert "ordered wrongly now" in text
    assert "<script" not in markdown
    assert "@everybody" not in markdown
    assert "&#60;script&#62;&#64;everybody&#124;" in markdown
    assert "&&#" not in markdown
    suite = ElementTree.fromstring(xml)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "2")
    assert [case.get("name") for case in suite.iter("testcase")] == ["auc", "consistency"]
    assert suite.findtext("system-out") == notes[0]
    assert "\n- A drop of 3 points of &#60;auc&#62; is ruled out.\n\n" in markdown


def test_without_labels_the_items_that_fell_and_rose_are_listed() -> None:
    samples = [Sample("toy", Item(Example(f"t{number}", "", f"Text {number}.")), f"t{number}") for number in range(30)]
    before = np.full(30, 0.5)
    after = before - 0.2
    after[3], before[4], after[5] = 0.9, np.nan, 0.5
    found = compare(pool_cases([samples]), before, after)
    assert [(item.id, item.remark) for item in found.better] == [("t3", "higher")]
    assert {item.remark for item in found.worse} == {"lower"}
    assert not {"t3", "t4", "t5"} & {item.id for item in found.worse}


def test_a_side_has_the_scores_of_its_own_metric_alone() -> None:
    scores = {"bleu": 0.1, "rouge2": 0.2, "unieval": 0.3}
    outcomes = [Result(f"of {metric}", metric, "", score, (), Seen(), 0.0, "cpu") for metric, score in scores.items()]
    assert side_of_outcomes("rouge2", outcomes).scores == {"of rouge2": 0.2}
