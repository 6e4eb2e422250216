"""Our Q² is that of the authors' scripts, one question at a time with plain transformers and a beam search of its own."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import AlbertForQuestionAnswering, RobertaForSequenceClassification, T5ForConditionalGeneration

from core.model_reference import Checkpoint
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.q2 import answer_f1
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Question, Result, Score
from tests.drive import answer, drive
from tests.parity import reading, tiny_qa, toy_parser
from tests.parity.reading import decoded, read_by_t5
from tests.parity.tiny_qa import PAIRS_OF_QUESTIONS, QUESTION_CASES
from tests.parity.toy_parser import ToyParser, chunk_spans, entity_spans

pytestmark = pytest.mark.parity


@dataclass(frozen=True)
class Models:
    """Folders of tiny checkpoints."""

    generator: Path
    answerer: Path
    entailment: Path
    parser: Path

    def spec(self, more: str = "") -> str:
        folders = ",".join(f"{name}={folder}" for name, folder in vars(self).items())
        return f"q2[{folders}{more}]"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Models]:
    folder = tmp_path_factory.mktemp("q2")
    with pytest.MonkeyPatch.context() as patch:
        ToyParser().install(patch)
        yield Models(
            tiny_qa.writer(folder / "generator", 2),
            tiny_qa.albert(folder / "answerer"),
            tiny_qa.judge(folder / "entailment"),
            toy_parser.parser(folder / "parser"),
        )


class Reference:
    """The definition, section 5 of the sheet."""

    def __init__(self, models: Models) -> None:
        self.words, self.pieces, self.bpe = map(reading.fast, (models.generator, models.answerer, models.entailment))
        self.generator = T5ForConditionalGeneration.from_pretrained(models.generator, dtype=torch.float32).eval()
        self.answerer = AlbertForQuestionAnswering.from_pretrained(models.answerer, dtype=torch.float32).eval()
        self.judge = RobertaForSequenceClassification.from_pretrained(models.entailment, dtype=torch.float32).eval()

    def score(self, document: str, summary: str, multi: bool = False, remove: bool = True, nli: bool = True) -> float:
        scores = []
        for phrase in self.candidates(summary):
            for question in self.questions(phrase, summary):
                if remove and personal(question):
                    continue
                told = self.answer(question, summary)
                if told == "[CLS]" or cleaned(told) != cleaned(phrase):
                    continue
                scores.append(self.compared(question, phrase, self.answer(question, document), nli))
                if not multi:
                    break
        if not scores:
            return {0: 1.0, 2: 0.0}.get(self.label(document.lower(), summary.lower()), 0.5)
        return sum(scores) / len(scores)

    def candidates(self, summary: str) -> list[str]:
        found = [span.of(summary) for span in entity_spans(summary)]
        for span in chunk_spans(summary):
            if all(span.of(summary).lower() != other.lower() for other in found):
                found.append(span.of(summary))
        return [phrase for phrase in found if phrase.lower() != "i"]

    def compared(self, question: str, phrase: str, answer: str, nli: bool) -> float:
        value = 0.0 if answer in {"[CLS]", ""} else words_in_common(phrase, answer)
        if nli and value < 1 and "[CLS]" not in answer and answer not in {"", "nan"}:
            label = self.label(f"{question} {answer}.", f"{question} {phrase}.")
            return {0: 1.0, 2: 0.0}.get(label, value)
        return value

    @torch.no_grad()
    def label(self, premise: str, hypothesis: str) -> int:
        ids = self.bpe([(premise, hypothesis)], truncation="longest_first", max_length=512)["input_ids"]
        return int(self.judge(input_ids=torch.tensor(ids)).logits.argmax())

    @torch.no_grad()
    def answer(self, question: str, text: str) -> str:
        read = self.pieces([(question, text)], truncation="only_second", max_length=512, return_token_type_ids=True)
        ids, types = torch.tensor(read["input_ids"]), torch.tensor(read["token_type_ids"])
        said = self.answerer(input_ids=ids, token_type_ids=types)
        start, end = int(said.start_logits.argmax()), int(said.end_logits.argmax())
        pieces = self.pieces.convert_ids_to_tokens(ids[0, start : end + 1].tolist())
        return "".join(pieces).replace("▁", " ").strip()

    def questions(self, phrase: str, summary: str) -> list[str]:
        ids = read_by_t5(self.words, f"answer: {phrase}  context: {summary} </s>")
        return [decoded(self.words, wrote).replace("question: ", "", 1) for wrote in self.beams(ids)]

    @torch.no_grad()
    def beams(self, ids: list[int]) -> list[list[int]]:
        """Five beams over sums of log-probabilities; finished texts are ranked by the mean over their tokens."""
        state = self.generator.encoder(input_ids=torch.tensor([ids]))
        open_beams: list[tuple[float, list[int]]] = [(0.0, [0])]
        finished: list[tuple[float, list[int]]] = []
        while len(open_beams[0][1]) < 128 and len(finished) < 5:
            ranked = []
            states = state.last_hidden_state.expand(len(open_beams), -1, -1)
            tokens = torch.tensor([wrote for _, wrote in open_beams])  # all equally long
            logits = self.generator(encoder_outputs=(states,), decoder_input_ids=tokens).logits[:, -1]
            for (total, wrote), shares in zip(open_beams, logits.log_softmax(-1), strict=True):
                shares[repeated(wrote)] = -torch.inf
                best = shares.topk(10)
                ranked += [
                    (total + share, [*wrote, token])
                    for share, token in zip(best.values.tolist(), best.indices.tolist(), strict=True)
                ]
            ranked = sorted(ranked, key=lambda beam: beam[0], reverse=True)[:10]
            done = [(total / (len(wrote) - 1), wrote) for total, wrote in ranked[:5] if wrote[-1] == 1]
            finished = sorted([*finished, *done], key=lambda beam: beam[0], reverse=True)[:5]
            open_beams = [beam for beam in ranked if beam[1][-1] != 1][:5]
        if len(finished) < 5:
            finished += [(total / (len(wrote) - 1), wrote) for total, wrote in open_beams]
        return [wrote for _, wrote in sorted(finished, key=lambda beam: beam[0], reverse=True)[:5]]


def repeated(wrote: list[int]) -> list[int]:
    """The tokens that would make a phrase of three tokens come again."""
    return [wrote[i + 2] for i in range(len(wrote) - 2) if len(wrote) > 2 and wrote[i : i + 2] == wrote[-2:]]


def personal(question: str) -> bool:
    words = {word.lower() for word in re.findall(r"\w+", question)}
    return bool(words & {"i", "you", "my", "your"})


def cleaned(text: str) -> str:
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(" +", " ", re.sub(r"\b(a|an|the|in|our)\b", " ", kept)).strip()


def words_in_common(left: str, right: str) -> float:
    one, other = Counter(cleaned(left).split()), Counter(cleaned(right).split())
    common = (one & other).total()
    if not common:
        return 0.0
    precision, recall = common / other.total(), common / one.total()
    return 2 * precision * recall / (precision + recall)


@pytest.fixture(scope="module")
def reference(models: Models) -> Reference:
    return Reference(models)


@cache
def ours(models: Models, pair: tuple[str, str], more: str = "") -> Score:
    return drive(METRICS.parse(models.spec(more)).rounds(Example("pair", *pair)))


@pytest.mark.parametrize("pair", QUESTION_CASES)
def test_the_score_is_as_defined(models: Models, reference: Reference, pair: tuple[str, str]) -> None:
    assert ours(models, pair).value == pytest.approx(reference.score(*pair), abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ordinary", "agreement", "personal"])
def test_all_questions_personal_ones_and_bare_words_are_settings(
    models: Models, reference: Reference, name: str
) -> None:
    pair = PAIRS_OF_QUESTIONS[name]
    more = ",questions=multi,personal=keep,compare=f1"
    expected = reference.score(*pair, multi=True, remove=False, nli=False)
    assert ours(models, pair, more).value == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
def test_every_question_string_is_that_of_the_definition(models: Models, reference: Reference) -> None:
    summary = PAIRS_OF_QUESTIONS["ordinary"][1]
    for phrase in reference.candidates(summary):
        asked = Question(
            Checkpoint(str(models.generator), "seq2seq_generation"),
            tuple(f"answer: {phrase}  context: {summary} </s>".split("</s>")),
            (("beams", 5), ("returned", 5), ("max_length", 128), ("no_repeat", 3)),
        )
        texts = [text.replace("question: ", "", 1) for text in answer(asked).texts]
        assert texts == reference.questions(phrase, summary)


@pytest.mark.slow
def test_the_tiny_models_reach_every_way_to_a_score(models: Models) -> None:
    names = ("ordinary", "more than the models read", "personal", "ten characters")
    scores = [ours(models, PAIRS_OF_QUESTIONS[name]) for name in names]
    assert {bool(score.parts) for score in scores} == {True, False}
    assert len({score.value for score in scores}) > 2


def test_three_beams_or_no_ban_on_phrases_that_come_again_give_other_questions(models: Models) -> None:
    summary = PAIRS_OF_QUESTIONS["ordinary"][1]
    usual = (("beams", 5), ("returned", 3), ("max_length", 128), ("no_repeat", 3))
    asked = [
        Question(
            Checkpoint(str(models.generator), "seq2seq_generation"), (f"answer: storm  context: {summary}",), options
        )
        for options in (usual, (("beams", 3), *usual[1:]), usual[:3])
    ]
    assert len({answer(question).texts for question in asked}) == 3


@pytest.mark.parametrize(
    ("phrase", "said", "expected"),
    [
        ("the harbour", "harbour", 1.0),
        ("Ana Brekke", "Brekke", 2 / 3),
        ("storm", "", 0.0),
        ("3.4 million crowns", "34 million", 0.8),
        ("ferries in our bay", "ferries' bay", 1.0),
    ],
)
def test_answers_are_compared_without_punctuation_and_small_words(phrase: str, said: str, expected: float) -> None:
    assert answer_f1(phrase, said) == pytest.approx(expected)


def test_a_sentence_rests_on_where_the_document_answers(models: Models) -> None:
    document, summary = PAIRS_OF_QUESTIONS["ordinary"]
    parts = ours(models, (document, summary)).parts
    assert parts
    assert all(part.evidence in sentences(document) for part in parts if part.evidence)


def test_a_new_document_costs_its_own_answers_only(models: Models, tmp_path: Path) -> None:
    document, summary = PAIRS_OF_QUESTIONS["ordinary"]
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse(models.spec())
    documents = [document, document, document.replace("harbour", "bridge")]
    found = [outcome for text in documents for _, outcome in engine.run([metric], [Example("pair", text, summary)])]
    engine.close()
    first, again, changed = [outcome for outcome in found if isinstance(outcome, Result)]
    assert again.counts.asked == 0
    assert 0 < changed.counts.asked <= 2 * len(first.parts)
    assert first.score == pytest.approx(ours(models, (document, summary)).value, abs=1e-5)


def test_the_command_line_scores_it(models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiny_qa.command_line(models.spec(), tmp_path, monkeypatch)["status"] == "ok"
