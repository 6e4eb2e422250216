"""A training from end to end, with an encoder that needs no weights: the same file for the same seed, and no skill where there is none."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from core.errors import LoadError
from core.evaluation.training.card import CardFacts, card_figures, verdict, words_account, write_card
from core.evaluation.training.trainer import Trained, deal_parts, pairs_of, train_words
from core.evaluation.training.training_data import TrainingData, training_data
from core.evaluation.training.training_plan import TrainingPlan, TrainingSource
from core.evaluation.training.word_folds import CALIBRATION, FOLDS
from core.models.adapters.word_support import WordSupportModel
from core.models.unfinished_training import TrainingStep, UnfinishedTraining
from core.models.words.aggregation import LogitScale, SentenceTable, SummaryWeights, fit_scale, fit_summary_weights
from core.models.words.head import CARD_FILE, CONFIG_FILE, DOCUMENTS_FILE, WEIGHTS_FILE, Head, document_key, tree_logits
from core.models.words.known_documents import document_sketch
from core.models.words.trained_head import read_head, write_head
from core.models.words.trees import MAX_TREES, STEP_TREES, Labels, boost, first_trees, mean_trees, tree_tensors
from core.models.words.word_features import WORD_FEATURES, Features
from core.scoring.metrics.mine import Mine
from core.stats import Numbers, Values
from core.types import Example, Verdict
from tests.unit.core.evaluation.training.hashed_words import encoder
from tests.unit.core.evaluation.training.training_process import items, train_into


def trained(data: TrainingData) -> tuple[list[TrainingStep], Trained]:
    steps = []
    with TemporaryDirectory() as folder:
        run = train_words(data, encoder(), 0, UnfinishedTraining.open(Path(folder), ["these"]))
        while True:
            try:
                steps.append(next(run))
            except StopIteration as end:
                return steps, end.value


@cache
def own() -> tuple[TrainingData, list[TrainingStep], Trained]:
    data = training_data(items(), 0.3, seed=0)
    return data, *trained(data)


def saved(folder: Path) -> Path:
    data, _, found = own()
    write_head(folder, found.head)
    facts = CardFacts("Tiny", "words", 0, 0.3, ["two dozen documents"], ["CC0"])
    write_card(folder, facts, data, words_account(found), card_figures(data, words_account(found), {}))
    return folder


def test_held_out_edits_are_told_apart_and_the_loss_falls() -> None:
    data, steps, found = own()
    figures = card_figures(data, words_account(found), {})
    assert figures[0].estimate.value is not None
    assert figures[0].estimate.value > 0.9
    losses = [step.loss for step in steps if step.loss is not None]
    assert losses[9] < losses[0]
    assert "no better than chance" not in verdict(figures)


@pytest.mark.slow
def test_a_fold_stops_where_its_loss_does_not_fall_any_more() -> None:
    labels = random.Random(5).choices([True, False], k=len(items()))
    noise = [
        replace(one, intended=Verdict.INCONSISTENT if label else Verdict.CONSISTENT)
        for one, label in zip(items(), labels, strict=True)
    ]
    steps, _ = trained(training_data(noise, 0, seed=0))
    assert sum(step.stage == "Fold 1 of 5" for step in steps) < MAX_TREES // STEP_TREES


def test_the_documents_that_set_the_scale_lie_in_no_fold() -> None:
    data = training_data(items(), 0, seed=0)
    parts = deal_parts(data.documents, 0)
    apart = set(data.documents[parts == CALIBRATION].tolist())
    assert len(apart) == 3  # one of eight of two dozen
    assert not apart & set(data.documents[parts != CALIBRATION].tolist())
    assert set(parts.tolist()) == {CALIBRATION, *range(FOLDS)}


def test_a_scale_makes_certain_scores_as_uncertain_as_they_are() -> None:
    rng = np.random.default_rng(3)
    logits = rng.normal(size=4000)
    wrong = rng.random(4000) < 1 / (1 + np.exp(-logits))
    table = sentence_table(logits * 5 + 2, np.arange(4000))
    weights = SummaryWeights(np.array([0.0, 1.0]), np.array([60.0, 0.0]))  # of the second reason there is no doubt
    everyone = np.ones(4000, dtype=np.bool_)
    scale = fit_scale(table, weights, wrong, everyone)
    assert scale.slope == pytest.approx(0.2, abs=0.02)
    assert scale.offset == pytest.approx(scale.slope * 2, abs=0.1)
    assert fit_scale(table, weights, everyone, everyone) == LogitScale()


def test_labelled_and_made_summaries_count_the_same_for_the_scale() -> None:
    rng = np.random.default_rng(4)
    logits = rng.normal(size=3000)
    labelled = np.arange(3000) < 300
    # what is made is told apart for sure, what people labelled not at all
    wrong = np.where(labelled, rng.random(3000) < 0.5, logits > 0)
    weights = SummaryWeights(np.array([0.0, 1.0]), np.array([60.0, 0.0]))
    table = sentence_table(logits, np.arange(3000))
    alone = fit_scale(table, weights, wrong, np.ones(3000, dtype=np.bool_))
    assert fit_scale(table, weights, wrong, labelled).slope < alone.slope


def sentence_table(doubt: Values, rows: Numbers) -> SentenceTable:
    """Sentences of ten content words that the document has in other words, by their doubt and summary."""
    number = len(doubt)
    return SentenceTable(
        doubt,
        np.full(number, 10.0),
        np.full(number, 8.0),
        np.zeros(number),
        np.zeros(number, dtype=np.bool_),
        rows,
        int(rows.max()) + 1,
    )


@pytest.mark.slow
def test_both_sides_of_a_pair_lie_in_one_document() -> None:
    data, _, _ = own()
    pairs = pairs_of(data.rows)
    assert pairs
    assert all(data.documents[one] == data.documents[other] for one, other in pairs)


def test_what_is_read_again_says_the_same(tmp_path: Path) -> None:
    head = own()[2].head
    values = np.random.default_rng(0).normal(size=(200, len(WORD_FEATURES))).astype(np.float32)
    again = read_head(saved(tmp_path))
    assert np.abs(again.tree_logits(values) - head.tree_logits(values)).max() <= 1e-5


def test_a_document_that_was_learned_from_is_scored_by_the_fold_that_did_not(tmp_path: Path) -> None:
    data, _, found = own()
    metric, model = Mine(model=str(saved(tmp_path))), WordSupportModel(read_head(tmp_path), encoder().network)

    def score(document: str, summary: str) -> float:
        example = Example("row", document, summary)
        questions = metric.plan(example)
        return metric.fold(example, questions, model.forward(model.encode(questions))).value

    scores = [score(row.document, row.summary) for row in data.rows]
    assert scores == pytest.approx(found.held_out.tolist(), abs=2e-3)  # training keeps states in half precision
    parts = deal_parts(data.documents, 0)
    assert read_head(tmp_path).config.folds == {
        document_sketch(row.document): part for row, part in zip(data.rows, parts, strict=True) if part != CALIBRATION
    }


@pytest.mark.parametrize("change", [" {} ", "{} It was reported later."])
def test_a_blank_or_a_sentence_more_leaves_a_document_to_its_fold(change: str, tmp_path: Path) -> None:
    model = WordSupportModel(read_head(saved(tmp_path)), encoder().network)
    folds = read_head(tmp_path).config.folds
    for row in own()[0].rows[:8]:
        assert model.fold(change.format(row.document)) == folds.get(document_sketch(row.document))
    assert model.fold("Nobody has read this text about another thing before, and no fold knows a run of it.") is None


def noise(seed: int) -> tuple[Features, Labels]:
    """Features and labels of 3,000 words, with something to learn."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(3000, len(WORD_FEATURES))).astype(np.float32)
    return values, (values[:, 0] * values[:, 1] + rng.normal(size=3000) > 1).astype(np.int8)


def test_the_trees_say_what_scikit_learn_says() -> None:
    values, wrong = noise(1)
    *_, model = boost(values, wrong, seed=0, trees=50)
    assert np.abs(tree_logits(tree_tensors(model), values) - model.decision_function(values)).max() < 1e-5


@pytest.mark.slow
def test_the_first_trees_are_the_smaller_model_and_several_models_are_averaged() -> None:
    values, _ = noise(9)
    steps = [[tree_tensors(model) for model in boost(*noise(seed), seed, trees=75)] for seed in (1, 2, 3)]
    alone = [tree_logits(small, values) for small, _, _ in steps]
    for (small, _, whole), said in zip(steps, alone, strict=True):
        assert np.abs(tree_logits(first_trees(whole, STEP_TREES), values) - said).max() < 1e-5
        assert len(first_trees(whole, STEP_TREES)["feature"]) == len(small["feature"])
    together = mean_trees([small for small, _, _ in steps])
    assert np.abs(tree_logits(together, values) - np.mean(alone, axis=0)).max() < 1e-5
    assert np.abs(alone[0] - alone[1]).max() > 0.01


@pytest.mark.slow
def test_shuffled_labels_teach_nothing_and_the_card_says_so(tmp_path: Path) -> None:
    """Within three standard errors, of four points each."""
    found = items(100)
    labels = random.Random(0).sample([one.intended for one in found], len(found))
    shuffled = [replace(one, intended=label) for one, label in zip(found, labels, strict=True)]
    data = training_data(shuffled, 0, seed=0)
    account = words_account(trained(data)[1])
    figures = card_figures(data, account, {})
    facts = CardFacts("Shuffled", "words", 0, 0, ["a hundred documents"], [])
    write_card(tmp_path, facts, data, account, figures)
    assert 0.38 <= (figures[0].estimate.value or 0.0) <= 0.62
    assert "no better than chance" in (tmp_path / CARD_FILE).read_text()


def test_the_card_has_a_figure_for_each_dataset() -> None:
    known = items()
    labels = [one.intended for one in known[24:]]
    reversed_ = [replace(one, intended=label) for one, label in zip(known[24:], reversed(labels), strict=True)]
    sources = [TrainingSource("right", known[:24]), TrainingSource("wrong", reversed_)]
    data = TrainingPlan(sources, share=0.0).data()
    scores = np.array([0.0 if "/edited" in row.id else 1.0 for row in data.rows])
    account = replace(words_account(own()[2]), held_out=scores)
    figures = {one.of: one.estimate.value for one in card_figures(data, account, {})}
    assert figures["labelled summaries of right"] == 1.0
    assert figures["labelled summaries of wrong"] == 0.0
    assert figures["labelled summaries"] == 0.5
    alone = TrainingPlan([TrainingSource("right", known)], share=0.0).data()
    account = replace(account, held_out=np.ones(len(alone.rows)))
    assert "labelled summaries of right" not in {one.of for one in card_figures(alone, account, {})}


def test_the_verdict_names_the_baselines_that_do_as_well_and_the_range_over_what_was_left_out() -> None:
    data, _, found = own()
    labelled = np.flatnonzero([row.origin == "labelled" for row in data.rows])
    scores = found.held_out[labelled]
    account = replace(words_account(found), by_domain={"news": (labelled, scores), "law": (labelled, 1 - scores)})
    figures = card_figures(data, account, {"length": scores, "rouge2": -scores})
    said = verdict(figures)
    assert "Not shown to be better than length there." in said
    by_name = {(one.of, one.measure): one.estimate.value for one in figures}
    reached = by_name["labelled summaries", "AUC"] or 0.0
    assert f"On 2 domains or datasets, each left out in turn: AUC {1 - reached:.1%} to {reached:.1%}." in said
    assert by_name["labelled summaries, above length", "AUC difference"] == 0
    assert 0 <= (by_name["labelled summaries", "calibration error"] or 0.0) <= 0.5


def test_an_error_type_of_few_summaries_has_no_figure() -> None:
    data, _, found = own()
    edits = [place for place, row in enumerate(data.rows) if row.wrong]
    kinds = {place: "rare" if number < 9 else "frequent" for number, place in enumerate(edits)}
    rows = [replace(row, kind=kinds.get(place, row.kind)) for place, row in enumerate(data.rows)]
    named = {one.of for one in card_figures(replace(data, rows=rows), words_account(found), {})}
    assert "frequent" in named
    assert "rare" not in named


@pytest.mark.parametrize("leak", ["the same document in two groups", "a near-duplicate"])
def test_a_planted_leak_lies_in_one_part(leak: str) -> None:
    """What one fold learns from and another is judged on must not be one document."""
    known = items()
    text = known[0].example.document
    copied = text if leak == "the same document in two groups" else f"{text} Nobody objected."
    planted = replace(known[0], example=replace(known[0].example, id="leak", document=copied), group="another")
    data = training_data([*known, planted], 0, seed=0)
    for seed in range(5):
        parts = deal_parts(data.documents, seed)
        places = [place for place, row in enumerate(data.rows) if row.document in (text, copied)]
        assert len(places) == 3
        assert len(set(parts[places].tolist())) == 1


@pytest.mark.slow
def test_a_training_that_was_killed_goes_on_and_writes_the_file_of_another_of_the_same_seed(tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    command = [sys.executable, "-m", "tests.unit.core.evaluation.training.training_process", str(killed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout
        assert "Fold 3 of 5\n" in started.stdout
        started.kill()
    assert started.returncode == -signal.SIGKILL
    assert not (killed / WEIGHTS_FILE).exists()

    stages = [step.stage for step in train_into(killed)]
    assert not {"Reading", "Fold 1 of 5", "Fold 2 of 5"} & set(stages)
    assert "Fold 5 of 5" in stages
    assert (killed / WEIGHTS_FILE).read_bytes() == (saved(tmp_path / "whole") / WEIGHTS_FILE).read_bytes()


def test_the_folder_names_its_documents_and_what_it_cannot_see(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    keys = (folder / DOCUMENTS_FILE).read_text().split()
    assert set(keys) == {document_key(row.document) for row in own()[0].rows}
    assert set(keys) > {document_key(one.example.document) for one in items()}  # corruptions are of bundled texts, too
    card = (folder / CARD_FILE).read_text()
    for part in ("## Data", "CC0", "labelled pairs", "generated summaries", "## What it cannot see"):
        assert part in card, part


def test_the_card_says_which_test_was_learned_from(tmp_path: Path) -> None:
    data, _, found = own()
    facts = CardFacts("Tiny", "words", 0, 0.3, ["SummEdits"], [], {"SummEdits": 48})
    account = words_account(found)
    write_card(tmp_path, facts, data, account, card_figures(data, account, {}))
    assert "48 summaries of SummEdits. What it scores on SummEdits is no test" in (tmp_path / CARD_FILE).read_text()
    assert "Nothing that is marked as test" in (saved(tmp_path / "other") / CARD_FILE).read_text()


@pytest.mark.parametrize("name", ["left", "roots", "feature", "value"])
def test_tensors_that_are_no_trees_are_refused(tmp_path: Path, name: str) -> None:
    head = own()[2].head
    broken = {**head.tensors, name: np.full_like(head.tensors[name], -1 if name != "value" else np.nan)}
    write_head(tmp_path, Head(head.config, broken, head.attention))
    with pytest.raises(LoadError, match="no metric that was trained here"):
        read_head(tmp_path)


@pytest.mark.parametrize("broken", ["worst", "roots", "heads", "fold"])
def test_parts_of_different_members_are_refused(tmp_path: Path, broken: str) -> None:
    head = own()[2].head
    config, tensors, attention = head.config, dict(head.tensors), dict(head.attention)
    if broken == "heads":
        attention = {name: one[1:] for name, one in attention.items()}
    elif broken == "fold":
        config = config.model_copy(update={"folds": {"0123456789abcdef": FOLDS}})
    else:
        tensors[broken] = tensors[broken][1:]
    write_head(tmp_path, Head(config, tensors, attention))
    with pytest.raises(LoadError, match="member"):
        read_head(tmp_path)


@pytest.mark.parametrize("broken", ["shape", "number", "missing", "unknown"])
def test_tensors_that_are_no_attention_heads_are_refused(tmp_path: Path, broken: str) -> None:
    head = own()[2].head
    attention = dict(head.attention)
    if broken == "shape":
        attention["key"] = attention["key"][:, 1:]
    elif broken == "number":
        attention["out"] = np.full_like(attention["out"], np.nan)
    elif broken == "missing":
        del attention["sharpness"]
    else:
        attention["more"] = attention["out"]
    write_head(tmp_path, Head(head.config, head.tensors, attention))
    with pytest.raises(LoadError, match="no metric that was trained here"):
        read_head(tmp_path)


def test_a_model_of_an_earlier_form_is_to_be_trained_again(tmp_path: Path) -> None:
    config = saved(tmp_path) / CONFIG_FILE
    config.write_text(config.read_text().replace("touchstone-words-5", "touchstone-words-1"))
    with pytest.raises(LoadError, match="'touchstone-words-1', and 'touchstone-words-5' is read here; train it again"):
        read_head(tmp_path)


def test_summary_weights_lose_least() -> None:
    """No other weights near the fitted ones have less of the loss, computed here from its definition."""
    rng = np.random.default_rng(7)
    rows = np.repeat(np.arange(300), 2)
    wrong = np.tile([False, True], 150)
    doubt = rng.normal(size=600) + 0.8 * wrong[rows]
    closeness = 8 + rng.normal(size=600) - wrong[rows]
    pairs = [(place, place + 1) for place in range(0, 300, 2)]
    table = replace(sentence_table(doubt, rows), closeness=closeness)
    fitted = fit_summary_weights(table, wrong, pairs)

    def loss(weights: SummaryWeights) -> float:
        worst = np.array([min(4, *(weights.worst[0] - weights.worst[1] * doubt[rows == row])) for row in range(300)])
        share = np.array(
            [weights.share[0] + weights.share[1] * closeness[rows == row].sum() / 20 for row in range(300)]
        )
        right = 1 / (1 + np.exp(-worst)) / (1 + np.exp(-share))
        odds = np.log(right / (1 - right))
        of_labels = -np.mean(np.log(np.where(wrong, 1 - right, right)))
        margins = [odds[original] - odds[edited] for original, edited in pairs]
        ridge = 1e-3 * (weights.worst @ weights.worst + weights.share @ weights.share)
        return float(of_labels + np.mean([np.log1p(np.exp(-margin)) for margin in margins]) + ridge)

    least = loss(fitted)
    for name in ("worst", "share"):
        for place in range(2):
            for step in (-0.2, 0.2):
                moved = getattr(fitted, name).copy()
                moved[place] += step
                assert loss(replace(fitted, **{name: moved})) > least
    assert fitted.worst[1] > 0
    assert fitted.share[1] > 0


def test_a_copied_sentence_and_a_text_without_content_need_no_weights() -> None:
    table = SentenceTable(
        doubt=np.array([9.0, 9.0, -9.0, -9.0]),
        content=np.array([12.0, 1.0, 0.0, 10.0]),
        closeness=np.array([2.0, 0.2, 0.0, 4.0]),
        strange=np.array([0.0, 0.0, 0.0, 9.0]),
        copied=np.array([True, True, False, False]),
        rows=np.array([0, 0, 1, 2]),
        summaries=3,
    )
    for weights in (
        SummaryWeights(np.zeros(2), np.zeros(2)),
        SummaryWeights(np.array([5.0, 3.0]), np.array([3.0, 4.0])),
    ):
        copied, nothing_said, strange = 1 / (1 + np.exp(-table.log_odds(weights)))
        assert copied > 0.95
        assert max(nothing_said, strange) < 0.05
