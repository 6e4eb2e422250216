"""Which passages of a document a sentence is read against, and any metric read against them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cli import app
from core.errors import BadSettingError, UnknownNameError, UnscorableError
from core.model_reference import Checkpoint
from core.scoring.metric import METRICS
from core.scoring.metric_parts.lockstep import run_in_lockstep
from core.scoring.metric_parts.retrieval import Retrieval, SentenceGroup, WindowMode
from core.scoring.metrics.retrieval_wrapper import Retrieve
from core.text.ranking import bm25, closest_rows
from core.text.segmentation import sentences
from core.types import Answer, Example, Question, Rounds, Score, Span
from tests.drive import drive

ENCODER = Checkpoint("encoder", "sentence_embedding")
DOCUMENT = "Rain fell.  It was cold.\n\nA dog barked. Nobody came. The lamp was lit."
SUMMARY = "It rained. A light burned."


def answers(cosines: list[list[float]]) -> list[Answer]:
    """Embeddings with these cosines: rows are claims, columns the sentences of the document."""
    places = np.eye(len(cosines[0]))
    return [Answer(values=tuple(vector)) for vector in [*places, *np.array(cosines)]]


def texts(cosines: list[float], k: int, w: int = 1, window: WindowMode = "symmetric") -> list[str]:
    [claim] = Retrieval(ENCODER, k, w, window).claims(Example("pair", DOCUMENT, "It rained."), answers([cosines]))
    return [passage.text for passage in claim.passages]


def test_embeddings_are_asked_of_the_document_first_and_without_blanks_around() -> None:
    questions = Retrieval(ENCODER).questions(Example("pair", "  " + DOCUMENT, SUMMARY))
    assert [question.inputs[0] for question in questions][:2] == ["Rain fell.", "It was cold."]
    assert [question.inputs[0] for question in questions][-2:] == ["It rained.", "A light burned."]
    assert {question.checkpoint for question in questions} == {ENCODER}


def test_the_closest_come_first_and_of_equals_the_earlier() -> None:
    assert closest_rows(np.array([0.1, 0.5, 0.5, 0.9]), 3) == [3, 1, 2]
    assert closest_rows(np.array([0.1]), 3) == [0]
    assert closest_rows(np.tile([0.2, 0.7], 500), 500) == list(
        range(1, 1000, 2)
    )  # many: few would be sorted by insertion


@pytest.mark.parametrize(
    ("w", "passage"),
    [
        (0, "A dog barked."),
        (1, "It was cold. A dog barked. Nobody came."),
        (9, "Rain fell. It was cold. A dog barked. Nobody came. The lamp was lit."),
    ],
)
def test_a_window_is_symmetric_and_ends_with_the_document(w: int, passage: str) -> None:
    assert texts([0, 0, 1, 0, 0], k=1, w=w) == [passage]


@pytest.mark.parametrize(
    ("hit", "passage"),
    [(0, "Rain fell. It was cold."), (1, "Rain fell. It was cold."), (4, "Nobody came. The lamp was lit.")],
)
def test_the_coded_window_holds_the_sentence_before(hit: int, passage: str) -> None:
    assert texts([float(place == hit) for place in range(5)], k=1, window="coded") == [passage]


def test_the_coded_window_of_a_document_of_one_sentence_is_that_sentence() -> None:
    [claim] = Retrieval(ENCODER, window="coded").claims(Example("pair", "Rain fell.", "It rained."), answers([[1.0]]))
    assert claim.passages == (SentenceGroup("Rain fell.", Span(0, 10)),)


def test_the_union_is_one_passage_of_all_that_was_found_in_the_order_of_the_document() -> None:
    """The fifth sentence is closest, then the first: without a window the first and the fifth, joined."""
    retrieval = Retrieval(ENCODER, k=2, w=0, reading="union")
    [claim] = retrieval.claims(Example("pair", DOCUMENT, "It rained."), answers([[0.5, 0, 0, 0, 0.9]]))
    assert [passage.text for passage in claim.passages] == ["Rain fell. The lamp was lit."]
    assert texts([0.5, 0, 0, 0, 0.9], k=2, w=0) == ["The lamp was lit.", "Rain fell."]


def test_bm25_is_its_formula_and_finds_by_words_what_embeddings_would_not() -> None:
    """Two texts of 2 and 4 words, mean 3; "dog" stands in the first alone: log(1 + 1.5/1.5) · 2.5 / (1 + 1.5 · .75)."""
    found = bm25(("dog", "barked"), [("a", "dog"), ("it", "was", "so", "cold")])
    assert found.tolist() == pytest.approx([np.log(2) * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)), 0.0])
    retrieval = Retrieval(ENCODER, k=1, w=0, ranking="bm25")
    [claim] = retrieval.claims(Example("pair", DOCUMENT, "The dog barked."), answers([[1.0, 0, 0, 0, 0]]))
    assert [passage.text for passage in claim.passages] == ["A dog barked."]


def test_equal_windows_are_one_passage() -> None:
    assert texts([1, 0.9, 0, 0, 0.5], k=3, window="coded") == [
        "Rain fell. It was cold.",
        "Nobody came. The lamp was lit.",
    ]


def test_a_passage_knows_where_it_stands() -> None:
    example = Example("pair", DOCUMENT, "It rained.")
    [claim] = Retrieval(ENCODER, k=1).claims(example, answers([[1, 0, 0, 0, 0]]))
    [passage] = claim.passages
    assert passage.span.of(DOCUMENT) == "Rain fell.  It was cold."


def test_the_density_is_the_mean_cosine_with_all_sentences() -> None:
    claims = Retrieval(ENCODER, k=1).claims(Example("pair", DOCUMENT, SUMMARY), answers([[1, 0, 0, 0, 0], [0.5] * 5]))
    assert [claim.density for claim in claims] == pytest.approx([0.2, 0.5])


def test_without_a_sentence_there_is_nothing_to_retrieve() -> None:
    with pytest.raises(UnscorableError, match="nothing to compare"):
        Retrieval(ENCODER).claims(Example("pair", "\n", "It rained."), [Answer(values=(1.0,))])


@pytest.mark.parametrize("setting", ["k=0", "w=-1"])
def test_a_setting_out_of_range_is_refused(setting: str) -> None:
    with pytest.raises(BadSettingError, match="k of 1 or more and w of 0 or more"):
        METRICS.parse(f"retrieve[{setting}]")


def test_a_metric_that_does_not_exist_is_refused_when_it_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'rouge2'"):
        METRICS.parse("retrieve[metric=rouge3]")


def test_the_metric_inside_keeps_its_settings() -> None:
    metric = METRICS.parse("retrieve[metric=retrieve[metric=bartscore[checkpoint=a,scale=exp],k=2],k=3,w=0]")
    assert isinstance(metric, Retrieve)
    assert metric.inner.spec == "retrieve[metric=bartscore[checkpoint=a,scale=exp],k=2]"
    assert METRICS.parse(metric.spec) == metric
    assert [checkpoint.kind for checkpoint in metric.checkpoints()] == ["sentence_embedding", "seq2seq_likelihood"]


def test_the_card_has_range_direction_and_download_of_the_metric_inside() -> None:
    for spec in ("word-novelty", "bartscore", "bartscore[scale=exp]", "rouge2"):
        inner, card = METRICS.parse(spec).card, METRICS.parse(f"retrieve[metric={spec}]").card
        assert (card.low, card.high, card.direction) == (inner.low, inner.high, inner.direction)
        assert card.download_mb == inner.download_mb
        assert inner.title in card.title
        assert (card.paper.split(";")[0], card.url) == (Retrieve.card.paper, Retrieve.card.url)


def test_each_sentence_has_the_best_score_over_its_passages() -> None:
    spec = "retrieve[metric=rouge2,k=2,w=0]"
    score = drive(METRICS.parse(spec).rounds(Example("pair", DOCUMENT, "A dog barked at the lamp. It was cold.")))
    rouge = METRICS.parse("rouge2")
    for part, passage in zip(score.parts, ("A dog barked.", "It was cold."), strict=True):
        claim = part.span.of("A dog barked at the lamp. It was cold.")
        assert part.score == drive(rouge.rounds(Example("pair", passage, claim))).value
        assert part.evidence
        assert part.evidence.of(DOCUMENT) == passage
    assert score.value == pytest.approx(sum(part.score for part in score.parts) / 2)


def test_where_lower_is_consistent_the_best_is_the_lowest() -> None:
    spec = "retrieve[metric=word-novelty,k=5,w=0]"
    summary = "A dog barked."
    score = drive(METRICS.parse(spec).rounds(Example("pair", DOCUMENT, summary)))
    novelty = METRICS.parse("word-novelty")
    each = [drive(novelty.rounds(Example("pair", span.of(DOCUMENT), summary))).value for span in sentences(DOCUMENT)]
    assert score.value == min(each) < max(each)


def test_a_sentence_that_cannot_be_scored_is_left_out_and_named() -> None:
    summary = "It was cold. …"
    score = drive(METRICS.parse("retrieve[metric=word-novelty]").rounds(Example("pair", DOCUMENT, summary)))
    assert [part.span.of(summary) for part in score.parts] == ["It was cold."]
    assert "Sentence 2 was left out: the metric cannot score it against any passage." in score.seen.notes


def test_a_summary_of_which_no_sentence_can_be_scored_has_the_reason_of_the_metric() -> None:
    with pytest.raises(UnscorableError) as inner:
        drive(METRICS.parse("word-novelty").rounds(Example("pair", DOCUMENT, "…")))
    with pytest.raises(UnscorableError) as outer:
        drive(METRICS.parse("retrieve[metric=word-novelty]").rounds(Example("pair", DOCUMENT, "…")))
    assert str(outer.value) == str(inner.value)


def test_what_was_seen_are_the_passages_and_the_density() -> None:
    score = drive(METRICS.parse("retrieve[k=1,w=0]").rounds(Example("pair", DOCUMENT, SUMMARY)))
    assert [piece.of(DOCUMENT) for piece in score.seen.pieces] == ["Rain fell.", "The lamp was lit."]
    assert score.seen.notes[0].startswith("Information density of the sentences: 0.")
    assert score.seen.tokens > 0


def talk(*rounds: int) -> Rounds[Score]:
    """Asks so many questions in each round; the value is the sum of all answers."""
    total = 0.0
    for number in rounds:
        found = yield [Question(ENCODER, (f"{number}/{place}",)) for place in range(number)]
        assert len(found) == number
        total += sum(answer.values[0] for answer in found)
    return Score(total)


def test_conversations_go_round_after_round_together() -> None:
    conversation = run_in_lockstep({"a": talk(2, 1), "b": talk(), "c": talk(0, 3, 1)})
    questions = next(conversation)
    asked = [[question.inputs[0] for question in questions]]
    for _ in range(2):
        questions = conversation.send([Answer(values=(float(question.inputs[0][0]),)) for question in questions])
        asked.append([question.inputs[0] for question in questions])
    assert asked == [["2/0", "2/1"], ["1/0", "3/0", "3/1", "3/2"], ["1/0"]]
    with pytest.raises(StopIteration) as end:
        conversation.send([Answer(values=(1.0,))])
    assert {key: verdict.value for key, verdict in end.value.value.items()} == {"a": 5.0, "b": 0.0, "c": 10.0}


def test_the_command_line_puts_retrieval_around_every_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_text(json.dumps({"id": "a", "document": DOCUMENT, "summary": SUMMARY}) + "\n", "utf-8")
    options = [
        "--metric",
        "coverage",
        "--metric",
        "bertscore-minilm[layer=3]",
        "--retrieve",
        "k=2,w=0",
        "--device",
        "cpu",
    ]
    assert CliRunner().invoke(app, ["score", str(pairs), "-o", str(out), *options]).exit_code == 0
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["metric"] for line in lines] == [
        "retrieve[metric=coverage,k=2,w=0]",
        "retrieve[metric=bertscore-minilm[layer=3],k=2,w=0]",
    ]
    assert [line["status"] for line in lines] == ["ok", "ok"]
    assert lines[0]["sentences"][0]["evidence"]["text"] in DOCUMENT


def test_a_question_draws_the_sentences_that_speak_of_it() -> None:
    """Alone the claim is closest to the dog, with the question to the lamp."""
    example = Example("pair", DOCUMENT, "It rained.", question="Which lamp was lit?")
    asked = [*answers([[0, 0, 0.5, 0, 0.4]]), Answer(values=(0, 0, 0, 0, 1))]
    [claim] = Retrieval(ENCODER, k=1, w=0, query="question").claims(example, asked)
    assert claim.passages[0].text == "The lamp was lit."
    assert claim.density == pytest.approx(0.18)  # of the claim alone
    [words] = Retrieval(ENCODER, k=1, w=0, ranking="bm25", query="question").claims(example, asked)
    assert words.passages[0].text == "The lamp was lit."
    questions = Retrieval(ENCODER, query="question").questions(example)
    assert questions[-1].inputs == ("Which lamp was lit?",)
    with pytest.raises(UnscorableError, match="answers no question"):
        Retrieval(ENCODER, query="question").questions(Example("pair", DOCUMENT, SUMMARY))


def test_a_reranker_orders_the_closest_again() -> None:
    example, embeddings = Example("pair", DOCUMENT, SUMMARY), answers([[0.1, 0.2, 0.3, 0.4, 0.5]] * 2)
    retrieval = Retrieval(ENCODER, k=1, w=0, reranker=Checkpoint("reader", "sequence_regressor"))
    pairs = retrieval.pairs(example, embeddings)
    assert pairs[0].inputs == ("It rained.", "The lamp was lit.")  # the closest first
    assert len(pairs) == 10
    scores = {"It rained.": "Rain fell.", "A light burned.": "Nobody came."}
    read = [Answer(values=(float(pair.inputs[1] == scores[pair.inputs[0]]),)) for pair in pairs]
    first, second = retrieval.claims(example, embeddings, read)
    assert [claim.passages[0].text for claim in (first, second)] == ["Rain fell.", "Nobody came."]


def test_a_sentence_counts_once_more_for_each_connective() -> None:
    example = Example("pair", "Rain fell.", "Rain fell. It was cold, but because of that, nobody came.")
    plain, weighted = (
        drive(METRICS.parse(f"retrieve[metric=coverage{more}]").rounds(example)) for more in ("", ",weighted=discourse")
    )
    first, second = (part.score for part in plain.parts)
    assert plain.value == pytest.approx((first + second) / 2)
    assert weighted.value == pytest.approx((first + 3 * second) / 4)
    assert weighted.parts == plain.parts


def test_information_density_is_that_of_the_claims() -> None:
    score = drive(METRICS.parse("information-density").rounds(Example("pair", DOCUMENT, SUMMARY)))
    assert score.value == pytest.approx(sum(part.score for part in score.parts) / 2)
    assert len(score.parts) == 2
