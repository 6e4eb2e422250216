"""The matrix over shifts that were chosen by hand."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from core.edits.perturbation import Intent
from core.evaluation.studies.shifts import Shifts, cells_of
from core.evaluation.study import StudyData
from core.results.runs.matrix import (
    MatrixCell,
    MetricBalance,
    kind_coverage,
    metric_balances,
    rank_metrics,
    shift_matrix,
)
from core.results.runs.null_bands import NullBand, null_band
from core.results.runs.shifts import changed_words, score_shifts
from core.results.runs.stress_run import ScoreRecord, StressRun, Variant
from core.results.runs.verdict_sentences import edit_verdict, kind_verdicts, metric_verdicts, rank_sentences
from core.scoring.metric import is_surface, metric_title
from core.stats.score_pairs import Move, classify_move
from core.stats.statistic import Estimate
from core.stats.text_tables import format_signed
from core.types import UNSTATED, Edit, ErrorType, Intention, Span, Verdict
from tests.unit.core.results.runs.stressed import METRIC, run_of


def cells_by_kind(run: StressRun) -> dict[str, MatrixCell]:
    return {cell.kind: cell for cell in shift_matrix(run, score_shifts(run), resamples=200)}


def test_an_end_of_the_noise_that_is_nearly_zero_counts_as_a_fiftieth_of_its_width() -> None:
    band = NullBand(-1e-5, 0.5 - 1e-5, 0.1, 12)
    assert band.range == pytest.approx((-0.01, 0.49999))
    assert band.edge(-0.02) == pytest.approx(2.0)
    assert band.edge(-0.005) == pytest.approx(0.5)
    assert classify_move(-0.005, band.range, "higher", preserving=False) is Move.STILL
    assert NullBand(-0.1, 0.2, 0.05, 12).range == (-0.1, 0.2)


def test_signed_and_absolute_shifts_differ_where_they_cancel() -> None:
    cell = cells_by_kind(run_of({"shuffled": [0.2, -0.2, 0.1, -0.1] * 2}))["shuffled"]
    assert cell.shift.value == pytest.approx(0.0)
    assert cell.size.value == pytest.approx(0.15)
    assert cell.shift.n == 8
    assert cell.shift.low is not None
    assert cell.shift.low < 0 < (cell.shift.high or 0)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [("shuffled", 0.5), ("negation", 0.25), ("phrase", 0.25)],
)
def test_the_wrong_way_depends_on_what_the_perturbation_means(kind: str, wrong: float) -> None:
    """Two fall, one rises, one stays: falling is wrong where meaning was kept, rising where it was broken or gamed."""
    cell = cells_by_kind(run_of({kind: [-0.2, -0.1, 0.1, 0.0]}))[kind]
    assert cell.wrong.value == pytest.approx(wrong)
    assert cell.still.value == pytest.approx(0.25)


def test_the_wrong_way_turns_round_for_a_metric_that_falls_with_consistency() -> None:
    cell = cells_by_kind(run_of({"negation": [-0.2, -0.1, 0.1]}, metric="word-novelty"))["negation"]
    assert cell.wrong.value == pytest.approx(2 / 3)


def test_failures_are_counted_and_left_out() -> None:
    cell = cells_by_kind(run_of({"shuffled": [0.1, None, 0.3]}))["shuffled"]
    assert (cell.failed, cell.shift.n) == (1, 2)
    assert cell.shift.value == pytest.approx(0.2)


def test_a_breaking_shift_is_a_distance_to_the_end_of_the_noise_on_its_side() -> None:
    run = run_of({"shuffled": [0.1, -0.2] * 3, "negation": [-0.4] * 6, "number": [0.4] * 6})
    assert cells_by_kind(run)["negation"].edge == pytest.approx(2.0)
    assert cells_by_kind(run)["number"].edge == pytest.approx(4.0)


def test_harmless_edits_that_move_nothing_leave_the_noise_of_a_metric_unknown() -> None:
    cell = cells_by_kind(run_of({"shuffled": [0.0] * 6, "negation": [-0.001] * 6}))["negation"]
    assert (cell.edge, cell.move, cell.noise.n) == (None, Move.UNKNOWN, 6)


def test_a_kind_is_no_noise_of_its_own() -> None:
    assert cells_by_kind(run_of({"shuffled": [0.1, -0.1] * 3}))["shuffled"].edge is None


def test_a_metric_that_falls_under_all_harmless_kinds_alike_is_seen_against_no_edit() -> None:
    """Its band is made of them, so that each lies within: the mean of each is compared with no edit at all too."""
    cells = cells_by_kind(run_of({kind: [-0.21, -0.2, -0.19, -0.2] * 2 for kind in ("shuffled", "negated", "added")}))
    assert {cell.move for cell in cells.values()} == {Move.STILL}
    assert all(cell.is_clear for cell in cells.values())
    assert not cells_by_kind(run_of({"shuffled": [0.2, -0.2, 0.1, -0.1]}))["shuffled"].is_clear


def test_the_band_rests_on_edits_of_the_same_size() -> None:
    small = score_shifts(run_of({"shuffled": [0.01] * 5}, words=1))
    large = score_shifts(run_of({"shuffled": [0.5] * 5}, words=10))
    assert null_band([*small, *large], 1).size == pytest.approx(0.01)
    assert null_band([*small, *large], 12).size == pytest.approx(0.5)
    assert null_band([*small, *large], 100).any_size


def test_the_band_is_the_middle_of_the_harmless_shifts() -> None:
    """Shifts of −0.50, −0.49 … 0.50: all but the outer 2.5 % on each side lie from −0.475 to 0.475."""
    found = null_band(score_shifts(run_of({"shuffled": [place / 100 for place in range(-50, 51)]})), 1)
    assert (found.low, found.high) == (pytest.approx(-0.475), pytest.approx(0.475))
    assert found.edge(0.475) == found.edge(-0.475) == pytest.approx(1.0)


def test_a_band_of_few_harmless_shifts_is_their_range_and_holds_no_shift() -> None:
    found = null_band(score_shifts(run_of({"shuffled": [0.1, 0.2, 0.3, 0.4, 0.5]})), 1)
    assert (found.low, found.high, found.n) == (0.0, pytest.approx(0.5), 5)
    assert (found.edge(0.0), found.edge(0.6)) == (0.0, pytest.approx(1.2))


NOISE = [-0.1, 0.1, -0.05, 0.05, 0.0]


@pytest.mark.parametrize(
    ("kind", "shifts", "move"),
    [
        ("negation", [-0.4] * 6, Move.RIGHT),
        ("negation", [0.4] * 6, Move.WRONG),
        ("negation", [-0.05] * 6, Move.STILL),
        ("phrase", [0.4] * 6, Move.WRONG),
        ("phrase", [-0.4] * 6, Move.RIGHT),
        ("synonyms", [0.4] * 6, Move.WRONG),
        ("synonyms", [-0.4] * 6, Move.WRONG),
        ("synonyms", [0.05] * 6, Move.STILL),
    ],
)
def test_a_cell_moves_only_beyond_noise_and_harmless_edits_may_move_it_neither_way(
    kind: str, shifts: list[float | None], move: Move
) -> None:
    cell = cells_by_kind(run_of({"shuffled": [*NOISE], kind: shifts}))[kind]
    assert (cell.move, cell.few) == (move, True)


def test_a_cell_of_unknown_noise_or_without_a_score_says_so() -> None:
    alone = cells_by_kind(run_of({"negation": [-0.4] * 10}))["negation"]
    assert (alone.move, alone.few) == (Move.UNKNOWN, False)
    assert cells_by_kind(run_of({"negation": [None, None]}))["negation"].move is Move.NONE


def test_what_a_metric_misses_is_one_sentence() -> None:
    shifts: dict[str, list[float | None]] = {
        "shuffled": [*NOISE],
        "synonyms": [0.4] * 6,
        "negation": [-0.4] * 6,
        "number": [0.05] * 6,
        "phrase": [0.5] * 6,
    }
    found = shift_matrix(run := run_of(shifts), score_shifts(run), resamples=200)
    assert metric_verdicts(found) == {
        METRIC: "misses 1 of 2 breaking kinds, moves under 1 of 2 harmless, too few documents to tell of gaming, 5 of these on fewer than 10 pairs"
    }


def cell_of(metric: str, intent: Intent, move: Move) -> MatrixCell:
    nothing = Estimate(None, None, None, 0)
    return MatrixCell(metric, "any", intent, nothing, nothing, nothing, nothing, 0, NullBand(None, None, None, 0), move)


def test_robustness_is_the_share_of_harmless_kinds_within_noise_and_sensitivity_that_of_breaking_kinds_noticed() -> (
    None
):
    moves: dict[tuple[str, Intent], list[Move]] = {
        ("deaf", "preserving"): [Move.STILL, Move.STILL, Move.UNKNOWN],
        ("deaf", "breaking"): [Move.STILL, Move.WRONG, Move.NONE],
        ("good", "preserving"): [Move.STILL, Move.STILL, Move.STILL, Move.WRONG],
        ("good", "breaking"): [Move.RIGHT, Move.WRONG],
        ("good", "gaming"): [Move.WRONG, Move.WRONG],
        ("never-broken", "preserving"): [Move.STILL],
    }
    found = metric_balances(cell_of(metric, intent, move) for (metric, intent), all in moves.items() for move in all)
    assert found == [MetricBalance("good", 3, 4, 1, 2), MetricBalance("deaf", 2, 2, 0, 2)]
    assert [(one.robustness, one.sensitivity) for one in found] == [(0.75, 0.5), (1.0, 0.0)]


def cells_of_kinds(metric: str, right: str, pairs: int = 10, kinds: str = "hhhbbbbbb") -> list[MatrixCell]:
    """A cell for each kind, harmless (h) or breaking (b), on so many pairs; `right` has a 1 where the metric does as it should."""
    nothing, shift = Estimate(None, None, None, 0), Estimate(0.1, 0.0, 0.2, pairs)
    return [
        MatrixCell(
            metric,
            f"{letter}{place}",
            "preserving" if letter == "h" else "breaking",
            *(shift, nothing, nothing, nothing),
            0,
            NullBand(None, None, None, 0),
            {("h", "1"): Move.STILL, ("h", "0"): Move.WRONG, ("b", "1"): Move.RIGHT, ("b", "0"): Move.STILL}[
                letter, mark
            ],
        )
        for place, (letter, mark) in enumerate(zip(kinds, right, strict=False))
    ]


def test_a_single_metric_is_best_only_where_all_others_are_significantly_behind() -> None:
    """Nine kinds of nine against three: six that only one does right are significant (p = .03), five are not."""
    first, behind = cells_of_kinds("rouge2", "1" * 9), cells_of_kinds("bleu", "111000000")
    assert rank_metrics([*first, *behind]) == (
        [MetricBalance("rouge2", 3, 3, 6, 6)],
        [MetricBalance("bleu", 3, 3, 0, 6)],
    )
    assert rank_sentences(*rank_metrics([*first, *behind])) == [
        "Best over the 9 kinds that all 2 metrics have: ROUGE-2, which stays within noise under 3 of 3 harmless kinds and notices 6 "
        "of 6 breaking kinds.",
        "Significantly behind: BLEU (3 of 9 right).",
    ]
    assert (
        rank_sentences(*rank_metrics([*first, *behind]), {"bleu"})[1] == "Significantly behind: BLEU ★ (3 of 9 right)."
    )
    level = cells_of_kinds("bleu", "111000001")
    assert rank_sentences(*rank_metrics([*first, *level])) == [
        "No metric is best over the 9 kinds that all 2 metrics have: ROUGE-2 stays within noise under 3 of 3 harmless kinds and "
        "notices 6 of 6 breaking kinds, and BLEU is not significantly behind."
    ]


def test_metrics_are_ranked_over_the_kinds_that_all_of_them_have() -> None:
    """One of two kinds of each sort, both right, is no lead over seven of eight."""
    many, few = cells_of_kinds("rouge2", "111111110"), cells_of_kinds("bleu", "1111", kinds="hhhb")
    assert rank_metrics([*many, *few]) == ([MetricBalance("rouge2", 3, 3, 1, 1), MetricBalance("bleu", 3, 3, 1, 1)], [])


def test_a_metric_without_scores_is_named_beside_the_ranks_of_the_others() -> None:
    shifts: dict[str, list[float | None]] = {
        "shuffled": [0.1, -0.1] * 6,
        "synonyms": [-0.1, 0.1] * 6,
        "negation": [-0.4] * 12,
    }
    run = run_of(shifts)
    several = StressRun(replace(run.plan, metrics=(METRIC, "bleu", "semantic-similarity")))
    for records in (
        run.sources.values(),
        run.variants.values(),
        run_records(shifts, METRIC),
        run_records(shifts, "bleu"),
    ):
        for record in records:
            several.add(record)
    failed: dict[str, list[float | None]] = {kind: [None] * 12 for kind in shifts}
    for record in run_records(failed, "semantic-similarity"):
        several.add(record)
    sentences = Shifts().run(StudyData(run=several)).sentences
    assert "over the 3 kinds that all 2 metrics have" in sentences[0]
    assert sentences[-1] == "Not compared, as no kind has 10 pairs and a known noise: Semantic similarity."


def run_records(shifts: dict[str, list[float | None]], metric: str) -> list[ScoreRecord]:
    """The scores that `run_of` makes."""
    return [
        ScoreRecord(
            f"s{place}",
            kind,
            metric,
            None if size is None else 0.5 + size,
            "signed",
            "It broke." if size is None else "",
        )
        for kind, sizes in {"": [0.0] * 12, **shifts}.items()
        for place, size in enumerate(sizes)
    ]


def test_no_metric_is_ranked_by_kinds_of_fewer_than_ten_pairs_and_no_surface_statistic_at_all() -> None:
    metric, control = cells_of_kinds("rouge2", "000000000"), cells_of_kinds("entity-overlap", "1" * 9)
    assert rank_metrics([*metric, *control]) == ([MetricBalance("rouge2", 0, 3, 0, 6)], [])
    few = [*cells_of_kinds("rouge2", "1" * 9, pairs=9), *cells_of_kinds("bleu", "0" * 9, pairs=9)]
    assert rank_metrics(few) == ([], [])
    assert rank_sentences([], []) == [
        "No metric is called best: that takes harmless and breaking kinds that every metric has with a known noise, on at least 10 "
        "pairs each."
    ]


EVERY = [Move.RIGHT, Move.WRONG, Move.STILL, Move.UNKNOWN, Move.NONE]


@pytest.mark.parametrize(
    ("moves", "meant", "sentence"),
    [
        (
            [Move.STILL] * 9,
            Intention(Verdict.INCONSISTENT, ErrorType.INTRINSIC_PREDICATE),
            "You reversed a fact. 0 of 9 metrics noticed.",
        ),
        ([Move.RIGHT], Intention(Verdict.INCONSISTENT), "You broke a fact. 1 of 1 metric noticed."),
        (
            EVERY,
            Intention(Verdict.INCONSISTENT, ErrorType.COREFERENCE),
            "You let a word refer to somebody else. 1 of 3 metrics noticed, 1 moved the wrong way. The noise of 1 more is not known.",
        ),
        (
            [Move.WRONG] * 3 + [Move.STILL] * 6,
            Intention(Verdict.CONSISTENT),
            "You changed nothing of substance. 3 of 9 metrics moved.",
        ),
        ([Move.RIGHT, Move.STILL], UNSTATED, "If you broke a fact: 1 of 2 metrics noticed."),
        ([Move.STILL], Intention(Verdict.BORDERLINE), "If you broke a fact: 0 of 1 metric noticed."),
        (
            [Move.UNKNOWN] * 2,
            Intention(Verdict.CONSISTENT),
            "You changed nothing of substance. The noise of 2 metrics is not known yet.",
        ),
        ([Move.NONE], UNSTATED, ""),
        ([], Intention(Verdict.CONSISTENT), ""),
    ],
)
def test_what_an_edit_showed_is_said_by_what_it_is_meant_to_be(
    moves: list[Move], meant: Intention, sentence: str
) -> None:
    assert edit_verdict(moves, meant) == sentence


@pytest.mark.parametrize("error", [None, *ErrorType])
def test_every_error_type_has_words_for_what_was_done(error: ErrorType | None) -> None:
    sentence = edit_verdict([Move.RIGHT], Intention(Verdict.INCONSISTENT, error))
    assert re.fullmatch(r"You [a-z][^.]+\. 1 of 1 metric noticed\.", sentence)


def test_each_kind_of_edits_has_a_sentence_of_its_pairs_its_shift_and_noise() -> None:
    shifts: dict[str, list[float | None]] = {
        "shuffled": [*NOISE],
        "synonyms": [0.4] * 6,
        "negation": [-0.4] * 6,
        "phrase": [0.25, 0.75] * 4,
    }
    found = shift_matrix(run := run_of(shifts), score_shifts(run), resamples=200)
    still, phrase = (
        format_signed(next(cell.shift for cell in found if cell.kind == kind)) for kind in ("shuffled", "phrase")
    )
    assert phrase.startswith("+0.500 [")
    assert kind_verdicts(found) == {
        "shuffled": f"Shuffle the sentences, on only 5 pairs: mean shift {still}, beyond the noise of harmless edits: 0 of 1 metric.",
        "synonyms": "Replace by synonyms, on only 6 pairs: mean shift +0.400, beyond the noise of harmless edits: 1 of 1 metric.",
        "negation": "Negate a predicate, on only 6 pairs: the original scores higher in 100 % of pairs, mean shift −0.400, beyond "
        "the noise of harmless edits: 1 of 1 metric.",
        "phrase": f"Top phrase, or your own, on only 8 pairs: mean shift {phrase}, beyond the noise of harmless edits: 1 of 1 metric.",
    }


def test_errors_that_most_pairs_show_are_said_where_the_mean_is_within_noise() -> None:
    """As of numbers: 3 of 4 pairs in the right order and a mean shift clear of zero, though harmless edits move a metric as far."""
    run = run_of({"shuffled": [0.7, -0.7] * 16, "number": [-0.6, -0.5, -0.4, 0.1] * 8})
    sentence = kind_verdicts(shift_matrix(run, score_shifts(run)))["number"]
    assert "Change a number: the original scores higher in 75 % of pairs, mean shift −0.350 [" in sentence
    assert "beyond the noise of harmless edits: 0 of 1 metric" in sentence
    assert "a name" not in sentence


def test_nothing_is_said_of_zero_where_few_documents_leave_no_interval() -> None:
    [cell] = cells_of_kinds("rouge2", "1", kinds="b")
    clear = replace(cell, kind="negation", shift=Estimate(-0.4, -0.5, -0.3, 10))
    untold = [
        replace(clear, metric=metric, shift=Estimate(-0.4, None, None, 10, "Too few."))
        for metric in ("bleu", "semantic-similarity")
    ]
    [sentence] = kind_verdicts([clear, *untold]).values()
    assert "the mean shift of 1 of 1 metric is clear of zero" in sentence
    [sentence] = kind_verdicts(untold).values()
    assert "zero" not in sentence


def test_a_metric_that_falls_under_all_harmless_kinds_alike_is_not_quiet() -> None:
    run = run_of({"shuffled": [-0.3, -0.31] * 4, "synonyms": [-0.31, -0.3] * 4})
    cells = shift_matrix(run, score_shifts(run))
    assert {cell.move for cell in cells} == {Move.STILL}
    assert metric_verdicts(cells)[METRIC] == (
        "moves under 0 of 2 harmless, 2 within noise still move its mean, 2 of these on fewer than 10 pairs"
    )


def test_the_report_has_every_figure_of_the_matrix_and_the_verdicts_in_words() -> None:
    run = run_of({"shuffled": [*NOISE], "synonyms": [0.4] * 6, "negation": [-0.4] * 6, "phrase": [0.5] * 6})
    report, cells = Shifts().run(StudyData(run=run)), shift_matrix(run, score_shifts(run))
    assert cells_of(report) == cells
    assert dict(
        zip(report.table("metrics").cells("metric"), report.table("metrics").cells("verdict"), strict=True)
    ) == (metric_verdicts(cells))
    assert dict(zip(report.table("kinds").cells("kind"), report.table("kinds").cells("verdict"), strict=True)) == (
        kind_verdicts(cells)
    )
    assert report.sentences == (
        f"{metric_title(METRIC)} stays within noise under 1 of 2 harmless kinds and notices 1 of 1 breaking kinds.",
    )


def test_variants_that_are_left_out_are_in_no_figure_and_in_the_command() -> None:
    run = run_of({"shuffled": [*NOISE]})
    left = StudyData(run=run, counting=frozenset({("s0", "shuffled"), ("s1", "shuffled")}), left_out=("trivial",))
    report = Shifts().run(left)
    assert report.table().cells("n") == [2]
    assert report.command == "python cli.py study shifts RUN.jsonl --leave-out trivial"


def test_too_few_harmless_edits_make_no_band() -> None:
    few = null_band(score_shifts(run_of({"shuffled": [0.1] * 4})), 1)
    assert (few.low, few.size, few.n) == (None, None, 4)
    assert few.edge(0.5) is None


def test_shifts_can_be_restricted_to_some_variants() -> None:
    run = run_of({"shuffled": [0.1, 0.2, 0.3]})
    assert [shift.source for shift in score_shifts(run, {("s1", "shuffled")})] == ["s1"]
    assert len(score_shifts(run)) == 3


def test_what_could_not_be_perturbed_is_counted_by_reason() -> None:
    run = run_of({"shuffled": [0.1, 0.2]})
    run.add(Variant("s1", "shuffled", error="One sentence only."))
    [kind] = kind_coverage(run)
    assert (kind.made, kind.refused) == (1, {"One sentence only.": 1})


def test_changed_words_are_the_larger_side_of_each_edit() -> None:
    edits = [Edit(Span(0, 8), "A harbour of ours"), Edit(Span(13, 17), "")]
    assert changed_words("The port was shut.", edits) == 4 + 1


def test_without_shifts_there_is_no_cell() -> None:
    assert shift_matrix(run_of({"shuffled": [0.1, 0.2]}), [], 10) == []


METRICS_TO_RANK = ("rouge2", "bleu", "bertscore-minilm", "semantic-similarity", "entity-overlap")


@pytest.mark.parametrize("seed", range(200))
def test_no_sentence_on_ranks_contradicts_its_table(seed: int) -> None:
    """Random tables: who is called best leads over the shared kinds, alone, and no control, few pairs or unknown noise counts."""
    rng = random.Random(seed)
    kinds = "".join(rng.choices("hb", k=rng.randint(2, 16)))
    cells = [
        replace(cell, move=Move.UNKNOWN if rng.random() < 0.1 else cell.move)
        for metric in rng.sample(METRICS_TO_RANK, k=rng.randint(1, 5))
        for cell in cells_of_kinds(
            metric,
            "".join(rng.choices("01", rng.choice([(9, 1), (1, 1), (1, 19)]), k=len(kinds))),
            rng.choice([9, 10, 40]),
            kinds,
        )
        if rng.random() < 0.95
    ]
    leading, behind = rank_metrics(cells)
    sentences = " ".join(rank_sentences(leading, behind))
    usable = [cell for cell in cells if cell.move is not Move.UNKNOWN and not cell.few and not is_surface(cell.metric)]
    right = {
        balance.metric: {cell.kind: cell.is_right for cell in usable if cell.metric == balance.metric}
        for balance in (*leading, *behind)
    }
    assert "Entity overlap" not in sentences
    if sentences.startswith("Best over"):
        assert len(leading) == 1 <= len(behind)
    if not leading:
        assert sentences.startswith("No metric is called best")
        return
    assert {balance.harmless + balance.breaking for balance in (*leading, *behind)} == {
        len(set.intersection(*(set(of_metric) for of_metric in right.values())))
    }
    first = leading[0]
    for balance in behind:
        assert first.quiet + first.noticed > balance.quiet + balance.noticed
