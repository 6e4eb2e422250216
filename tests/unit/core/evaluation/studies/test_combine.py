"""Combining metrics by the study `combine`: what it gains, what it costs, and where nothing can be fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from core.errors import BadSettingError, TouchstoneError, UnknownNameError
from core.evaluation.report import Report
from core.evaluation.reports.cells import format_cell
from core.evaluation.studies.combine import Combine
from core.evaluation.studies.saved_combination import cascade_entry, combination_entry
from core.evaluation.study import StudyData
from core.results.cases.cascade import Cascade
from core.results.cases.cases import Cases, MetricColumn, build_cases
from core.results.cases.combining import Combining
from core.results.cases.measures import draw_resamples
from core.scoring.metric import METRICS
from core.scoring.plugins.combination_file import combination_class
from core.stats.statistic import Values
from core.types import Part, Span, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample
from tests.unit.core.evaluation.studies.test_study_contract import assert_whole

SIZE = 240
LABELS = np.arange(SIZE) % 3 > 0
RNG = np.random.default_rng(7)
NOISE = RNG.normal(size=(4, SIZE))


def cases(*columns: tuple[str, Values], documents: int = 80) -> Cases:
    samples = [
        sample(
            f"s{row}",
            Verdict.CONSISTENT if good else Verdict.INCONSISTENT,
            {},
            f"d{row % documents}",
            f"part {row % 2}",
        )
        for row, good in enumerate(LABELS)
    ]
    ours = [MetricColumn(name, values, signature=f"{name}|split:x") for name, values in columns]
    return replace(build_cases(samples), columns=tuple(ours))


ENTITY, NUMBER = LABELS * 1.2 + NOISE[0], LABELS * 1.2 + NOISE[1]
TWO = cases(("rouge2", ENTITY), ("bleu", NUMBER))
WITH_NOISE = cases(("rouge2", ENTITY), ("bleu", NUMBER), ("coverage", NOISE[2]))


def report(of: Cases, study: Combine | None = None) -> Report:
    return (study or Combine()).run(StudyData(datasets=("toy",), cases=of, resamples=200))


def combining(of: Cases, **costs: float) -> Combining:
    return Combining.of(of, costs, draw_resamples(of, 100))


def value(of: Report, row: str, column: str) -> float:
    found = of.table("quality").figure(column, score=row).value
    assert found is not None
    return found


@pytest.mark.slow
def test_two_metrics_that_see_different_things_are_better_together() -> None:
    found = report(TWO)
    assert_whole(found)
    gain = found.table("quality").figure("gain", score="combination")
    assert gain.value is not None
    assert gain.low is not None
    assert gain.value > 0.03
    assert gain.low > 0
    shown = value(found, "combination", "auc") - value(found, "best member", "auc")
    assert gain.value == pytest.approx(shown, abs=0.02)
    assert gain.value != pytest.approx(shown)
    assert "no clear gain" not in found.sentences[0]
    assert value(found, "combination", "ece") < 0.1
    assert [row["domain"] for row in found.table("transfer").records()] == ["part 0", "part 1"]


def with_sentences(silent: tuple[str, ...] = ()) -> StudyData:
    """Summaries of one to five sentences; one sentence of an inconsistent one is not supported, which its mean hardly shows."""
    rng = np.random.default_rng(5)
    sizes = [1 + row // 3 % 5 for row in range(SIZE)]
    texts = [" ".join(["It rained."] * size) for size in sizes]
    wrong = [None if good else rng.integers(size) for size, good in zip(sizes, LABELS, strict=True)]
    scores = {
        name: [
            [rng.normal() + (0.0 if place == bad else 2.0) for place in range(size)]
            for size, bad in zip(sizes, wrong, strict=True)
        ]
        for name in ("rouge2", "bleu")
    }
    plain = cases(*((name, np.array([float(np.mean(one)) for one in of])) for name, of in scores.items()))
    samples = [
        replace(one, item=replace(one.item, example=replace(one.item.example, summary=text)))
        for one, text in zip(plain.samples, texts, strict=True)
    ]
    parts = {
        (one.stored, f"{name}|split:x"): [
            Part(Span(11 * place, 11 * place + 10), score) for place, score in enumerate(of[row])
        ]
        for name, of in scores.items()
        if name not in silent
        for row, one in enumerate(samples)
    }
    of_sentences = replace(plain, samples=tuple(samples))
    return StudyData(datasets=("toy",), cases=of_sentences, resamples=200, sentence_scores=parts)


def test_one_unsupported_sentence_is_seen_by_weights_of_sentences() -> None:
    data = with_sentences()
    found = Combine().run(data)
    levels = found.table("levels")
    assert levels.cells("level") == ["summary", "sentence"]
    assert levels.cells("rows") == [SIZE, 3 * SIZE]
    difference = levels.figure("difference", level="sentence")
    assert difference.low is not None
    assert difference.low > 0
    assert value(found, "combination", "auc") == levels.figure("auc", level="sentence").value
    assert "Here are the weights of sentences." in found.sentences[-1]
    entry = combination_entry("my-mix", Combine().levels(data).at("better"), data.scored, "")
    assert entry.level == "sentence"
    assert combination_class(entry).__bases__[0].__name__ == "SentenceCombination"


def test_the_level_may_be_named_and_that_of_summaries_is_as_it_was_without_sentences() -> None:
    data = with_sentences()
    named = Combine(level="summary").run(data)
    assert named.tables == Combine().run(replace(data, sentence_scores={})).tables
    assert "levels" not in [table.name for table in named.tables]
    with pytest.raises(TouchstoneError, match="no score by rouge2, bleu is saved"):
        Combine(level="sentence").run(replace(data, sentence_scores={}))
    assert [one.spec for one in Combine.in_pack(data)] == ["combine[level=summary]"]


def test_a_member_without_scores_of_sentences_counts_with_that_of_the_summary() -> None:
    data = with_sentences(silent=("bleu",))
    over = Combine().levels(data).sentence
    assert over is not None
    assert over.silent == ["bleu"]
    fitted = over.found.fitted
    assert fitted.values[:, 1].tolist() == data.scored.columns[1].values[fitted.owners].tolist()
    assert "Without scores of sentences: BLEU." in Combine(level="sentence").run(data).notes[-1]


def test_the_labels_of_a_fold_do_not_move_its_own_figures_over_sentences() -> None:
    over = Combine().levels(with_sentences()).at("sentence")
    fold = over.folds == 1
    changed = replace(over, labels=np.where(fold, ~over.labels, over.labels))
    assert changed.ranks[fold] == pytest.approx(over.ranks[fold])
    assert changed.fits != pytest.approx(over.fits)


def test_noise_gets_little_weight_and_no_place_in_the_cheapest_subset() -> None:
    found = report(WITH_NOISE)
    parts = dict(zip(found.table("members").cells("metric"), found.table("members").cells("part"), strict=True))
    assert isinstance(parts["coverage"], float)
    assert parts["coverage"] < 0.15
    [cheapest] = [row for row in found.table("quality").records() if row["score"] == "cheapest as good"]
    assert (cheapest["members"], cheapest["cost"]) == ("rouge2+bleu", 2.0)
    assert (
        format_cell("rouge2[measured=f1]+bleu", found.table("quality").column("members"))
        == "ROUGE-2 (measured: f1) + BLEU"
    )


def test_a_dear_member_that_adds_nothing_is_left_out_for_its_cost() -> None:
    copied = cases(("rouge2", ENTITY), ("bleu", ENTITY + 0.01 * NOISE[3]))
    found = report(copied, Combine(costs="bleu=100"))
    [cheapest] = [row for row in found.table("quality").records() if row["score"] == "cheapest as good"]
    assert (cheapest["members"], cheapest["cost"]) == ("rouge2", 1.0)
    assert "the combination minus it" in found.sentences[1]
    assert found.table("cascade").cells("cost")[0] == 1.0
    assert found.table("cascade").cells("cost")[-1] == 101.0


def test_the_labels_of_a_fold_do_not_move_its_own_figures() -> None:
    found = combining(TWO)
    fold = found.folds == 1
    changed = replace(found, labels=np.where(fold, ~found.labels, found.labels))
    assert changed.ranks[fold] == pytest.approx(found.ranks[fold])
    assert changed.fits != pytest.approx(found.fits)


def test_a_metric_that_is_lower_where_better_counts_the_other_way_round() -> None:
    turned = replace(TWO, columns=(replace(TWO.columns[0], values=-ENTITY, direction="lower"), TWO.columns[1]))
    assert combining(turned).fits == pytest.approx(combining(TWO).fits)


def test_a_summary_without_a_score_is_in_no_figure_and_still_teaches_the_fits_without_it() -> None:
    holes = ENTITY.copy()
    holes[:20] = np.nan
    found = report(cases(("rouge2", holes), ("bleu", NUMBER)))
    assert found.table("quality").figure("auc", score="combination").n == SIZE - 20
    assert found.notes[0].startswith("20 of 240 labelled summaries lack the score of a member")


def test_one_metric_alone_is_calibrated() -> None:
    found = report(cases(("rouge2", 40 + 9 * ENTITY)))
    assert value(found, "combination", "ece") < 0.1
    assert [table.name for table in found.tables] == ["quality", "members", "transfer"]


@pytest.mark.parametrize(
    ("of", "study", "words"),
    [
        (cases(), Combine(), "No metric has a score"),
        (cases(*((f"m{n}", ENTITY) for n in range(17))), Combine(), "17 metrics .* a combination takes 1 to 16"),
        (cases(("rouge2", np.where(np.arange(SIZE) < 20, ENTITY, np.nan))), Combine(), "too few"),
        (cases(("rouge2", ENTITY), documents=6), Combine(), "6 documents"),
        (TWO, Combine(costs="bleu=much"), "'bleu=much' in costs"),
        (TWO, Combine(costs="chrf=1"), "with a member of rouge2, bleu"),
        (TWO, Combine(costs="bleu=-1"), "in costs"),
        (TWO, Combine(budget=0.5), "below 1, the cost of the members that are always asked"),
    ],
)
def test_what_gives_no_combination_says_why(of: Cases, study: Combine, words: str) -> None:
    with pytest.raises(TouchstoneError, match=words):
        report(of, study)


def test_a_member_without_scores_is_named() -> None:
    with pytest.raises(UnknownNameError, match="coverage"):
        report(TWO, Combine(members="rouge2+coverage"))
    assert report(WITH_NOISE, Combine(members="rouge2 + bleu")).table("members").cells("metric") == ["rouge2", "bleu"]


def test_a_saved_combination_is_a_member_only_where_it_is_named() -> None:
    entry = combination_entry("old-mix", combining(TWO), TWO, "")
    METRICS.add(combination_class(entry))
    try:
        three = cases(("rouge2", ENTITY), ("bleu", NUMBER), ("old-mix", ENTITY + NUMBER))
        assert report(three).table("members").cells("metric") == ["rouge2", "bleu"]
        assert report(three, Combine(members="old-mix")).table("members").cells("metric") == ["old-mix"]
    finally:
        METRICS.remove("old-mix")


def test_labels_of_one_kind_are_refused() -> None:
    one_kind = replace(TWO, labels=np.ones(SIZE))
    with pytest.raises(TouchstoneError, match="0 inconsistent summaries"):
        report(one_kind)


def test_a_saved_combination_holds_the_fit_of_all_labels_and_those_of_the_folds() -> None:
    found = combining(WITH_NOISE)
    entry = combination_entry("my-mix", found, WITH_NOISE, "240 labels of toy")
    assert entry.combine == ["rouge2", "bleu", "coverage"]
    assert np.array(entry.fits) == pytest.approx(found.fits)
    assert np.array(entry.fold_fits) == pytest.approx(found.fold_fits)
    assert sorted(key for names in entry.learned for key in names) == sorted({f"document of d{n}" for n in range(80)})
    of_row = combination_class(entry).learned[WITH_NOISE.samples[5].document]
    assert of_row == found.folds[5]
    assert "240 labels of toy" in combination_class(entry).card.differs


def test_a_cascade_within_a_budget_asks_its_last_member_for_so_many() -> None:
    found = combining(WITH_NOISE, rouge2=10.0)
    cascade, plain = Cascade(found), combination_entry("my-mix", found, WITH_NOISE, "")
    entry = cascade_entry(plain, cascade, budget=7.2)
    assert entry.combine == ["bleu", "coverage", "rouge2"]
    assert entry.weights == pytest.approx(plain.weights)
    without_last = [found.fits[1][0], found.fits[1][2], found.fits[1][3], 0.0]
    assert entry.fits[-1] == pytest.approx(without_last)
    point = cascade.within(7.2)
    assert point.cost <= 7.2
    assert [point.low, point.high] == entry.unsure
    assert cascade.points[0].share == 0
    shares: Sequence[float] = [one.share for one in cascade.points]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_released_scores_make_a_report_and_no_metric() -> None:
    released = replace(TWO, columns=tuple(replace(column, signature="") for column in TWO.columns))
    assert "no clear gain" not in report(released).sentences[0]
    with pytest.raises(TouchstoneError, match="rouge2, bleu: scores that this bench cannot compute again"):
        combination_entry("my-mix", combining(released), released, "")
    with pytest.raises(BadSettingError):
        combination_entry("My Mix", combining(TWO), TWO, "")
