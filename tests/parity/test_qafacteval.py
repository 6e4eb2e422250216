"""Our QAFactEval is that of the authors' package, one beam and one window at a time with plain transformers."""

from __future__ import annotations

import itertools
import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import BartForConditionalGeneration, ElectraForQuestionAnswering, RobertaForSequenceClassification

from core.model_reference import Checkpoint
from core.models.adapters.qa_windows import original_spelling
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Question, Result, Score
from tests.drive import answer, drive
from tests.parity import reading, tiny_qa, toy_parser
from tests.parity.tiny_qa import PAIRS_OF_QUESTIONS, QUESTION_CASES
from tests.parity.toy_parser import ToyParser, chunk_spans, sentence_spans
from tests.tiny import TEXT

pytestmark = pytest.mark.parity


@dataclass(frozen=True)
class Models:
    """Folders of tiny checkpoints."""

    generator: Path
    answerer: Path
    rater: Path
    parser: Path

    def spec(self) -> str:
        return f"qafacteval[{','.join(f'{name}={folder}' for name, folder in vars(self).items())}]"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Models]:
    folder = tmp_path_factory.mktemp("qafacteval")
    with pytest.MonkeyPatch.context() as patch:
        ToyParser().install(patch)
        yield Models(
            tiny_qa.asker(folder / "generator"),
            tiny_qa.electra(folder / "answerer"),
            tiny_qa.rater(folder / "rater"),
            toy_parser.parser(folder / "parser"),
        )


class Reference:
    """The definition, section 4 of the sheet."""

    def __init__(self, models: Models) -> None:
        self.bart, self.pieces, self.bpe = map(reading.fast, (models.generator, models.answerer, models.rater))
        self.generator = BartForConditionalGeneration.from_pretrained(models.generator, dtype=torch.float32).eval()
        self.answerer = ElectraForQuestionAnswering.from_pretrained(models.answerer, dtype=torch.float32).eval()
        self.rater = RobertaForSequenceClassification.from_pretrained(models.rater, dtype=torch.float32).eval()
        self.places = [0, *range(2, 200)]
        table = self.generator.model.decoder.embed_positions

        def places(tokens: torch.Tensor, past: int = 0, position_ids: torch.Tensor | None = None) -> torch.Tensor:  # noqa: ARG001
            return table.weight[[place + 2 for place in self.places[: tokens.shape[1]]]]

        table.forward = places  # type: ignore[method-assign]  # the places of the authors' decoder

    def score(self, document: str, summary: str) -> float:
        scores = []
        for chunk, question in self.questions(summary):
            own, likely, nothing = self.told(question, summary)
            if likely <= nothing or words_in_common(chunk, own) <= 0.60:
                continue
            said, likely, nothing = self.told(question, document)
            scores.append(self.alike(question, chunk, said, document) if likely > nothing else 0.0)
        return sum(scores) / len(scores) if scores else 0.0

    def questions(self, summary: str) -> list[tuple[str, str]]:
        found = []
        for home in sentence_spans(summary):
            for chunk in chunk_spans(summary):
                if home.start <= chunk.start < home.end:
                    around = summary[home.start : chunk.start], chunk.of(summary), summary[chunk.end : home.end]
                    found.append((chunk.of(summary), self.question(*around)))
        return found

    @torch.no_grad()
    def question(self, before: str, chunk: str, after: str) -> str:
        """Four beams, the sum of log-probabilities; every beam is read again at every step."""
        parts = [
            self.bart([part], add_special_tokens=False)["input_ids"][0]
            for part in (before.rstrip(), chunk, after.lstrip())
        ]
        opening, closing = self.bart.convert_tokens_to_ids(["<m>", "</m>"])
        ids = [0, *parts[0], opening, *parts[1], closing, *parts[2], 2][:1024]
        read = self.generator.model.encoder(input_ids=torch.tensor([ids]))
        beams: list[tuple[float, list[int]]] = [(0.0, [0])]
        for _ in range(100):
            grown = [beam for beam in beams if beam[1][-1] == 2]
            growing = [beam for beam in beams if beam[1][-1] != 2]  # all equally long
            states = read.last_hidden_state.expand(len(growing), -1, -1)
            wrote = torch.tensor([tokens for _, tokens in growing])
            logits = self.generator(encoder_outputs=(states,), decoder_input_ids=wrote).logits[:, -1]
            for (total, tokens), row in zip(growing, logits.log_softmax(-1), strict=True):
                best = row.topk(4)
                pairs = zip(best.values.tolist(), best.indices.tolist(), strict=True)
                grown += [(total + share, [*tokens, token]) for share, token in pairs]
            beams = sorted(grown, key=lambda beam: beam[0], reverse=True)[:4]
            if all(tokens[-1] == 2 for _, tokens in beams):
                break
        written = beams[0][1][1:]
        while written and written[-1] == 2:
            written.pop()
        text = self.bart.decode(written, skip_special_tokens=False)
        for mark in (".", "?", "!", ","):
            text = text.replace(" " + mark, mark)
        text = text.replace(" ' ", "'").replace(" n't", "n't")
        return re.sub(r" '(m|s|ve|re)", r"'\1", text).strip()

    def told(self, question: str, text: str) -> tuple[str, float, float]:
        """The n-best list over all windows: the best answer, its share and that of no answer."""
        words = [word for word in re.split("[ \t\r\n\u202f]", text) if word]
        asked = self.pieces([question], add_special_tokens=False)["input_ids"][0][:64]
        pieces, homes = [], []
        for number, word in enumerate(words):
            own = self.pieces([word], add_special_tokens=False)["input_ids"][0]
            pieces += own
            homes += [number] * len(own)
        room, starts = 384 - len(asked) - 3, [0]
        while starts[-1] + room < len(pieces):
            starts.append(starts[-1] + 128)
        sizes = [min(room, len(pieces) - start) for start in starts]
        nothing, guesses = math.inf, list[tuple[float, str]]()
        for number, start in enumerate(starts):
            first, last = self.logits(asked, pieces[start : start + room])
            nothing = min(nothing, first[0] + last[0])
            before = len(asked) + 2
            for left, right in itertools.product(best_places(first), best_places(last)):
                inside = before <= left <= right < before + sizes[number] and right - left < 30
                if inside and widest(starts, sizes, start + left - before) == number:
                    own = slice(start + left - before, start + right - before + 1)
                    covered = " ".join(words[homes[own][0] : homes[own][-1] + 1])
                    said = " ".join(self.pieces.convert_ids_to_tokens(pieces[own])).replace(" ##", "")
                    guesses.append((first[left] + last[right], final_text(" ".join(said.split()), covered)))
        return nbest(guesses, nothing)

    @torch.no_grad()
    def logits(self, asked: list[int], pieces: list[int]) -> tuple[list[float], list[float]]:
        ids = [2, *asked, 3, *pieces, 3]
        padding = [0] * (384 - len(ids))
        said = self.answerer(
            input_ids=torch.tensor([ids + padding]),
            attention_mask=torch.tensor([[1] * len(ids) + padding]),
            token_type_ids=torch.tensor([[0] * (len(asked) + 2) + [1] * (len(pieces) + 1) + padding]),
        )
        return said.start_logits[0].tolist(), said.end_logits[0].tolist()

    @torch.no_grad()
    def alike(self, question: str, chunk: str, said: str, document: str) -> float:
        text = f"{question} <q> {chunk} <r> {said} <c> {document}"
        ids = self.bpe([text], truncation=True, max_length=512)["input_ids"]
        return float(self.rater(input_ids=torch.tensor(ids)).logits[0, 0])


def nbest(guesses: list[tuple[float, str]], nothing: float) -> tuple[str, float, float]:
    """The twenty best distinct answers and none: the best one, its share and that of none."""
    distinct: dict[str, float] = {}
    for total, said in sorted([*guesses, (nothing, "")], key=lambda guess: guess[0], reverse=True):
        if len(distinct) < 20:
            distinct.setdefault(said, total)
    distinct.setdefault("", nothing)
    if len(distinct) == 1:
        distinct = {"empty": 0.0, **distinct}
    exponents = {said: math.exp(total - max(distinct.values())) for said, total in distinct.items()}
    best = next(said for said in distinct if said)
    return best, exponents[best] / sum(exponents.values()), exponents[""] / sum(exponents.values())


def best_places(logits: list[float]) -> list[int]:
    return sorted(range(384), key=lambda place: logits[place], reverse=True)[:20]


def widest(starts: list[int], sizes: list[int], piece: int) -> int:
    best, found = -math.inf, -1
    for number, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        end = start + size - 1
        if start <= piece <= end and min(piece - start, end - piece) + 0.01 * size > best:
            best, found = min(piece - start, end - piece) + 0.01 * size, number
    return found


def final_text(said: str, words: str) -> str:
    """The SQuAD rule: find the pieces among the lower-cased words and marks, and count letters to the written ones."""
    lower = " ".join(basic(words))
    start = lower.find(said)
    if start == -1 or len(lower.replace(" ", "")) != len(words.replace(" ", "")):
        return words
    before = len(lower[:start].replace(" ", ""))
    size = len(said.replace(" ", ""))
    places = [place for place, letter in enumerate(words) if letter != " "]
    return words[places[before] : places[before + size - 1] + 1]


def basic(text: str) -> list[str]:
    """BERT's words and marks: lower case, without accents; marks and Chinese letters stand alone."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(letter) != "Mn"
    )
    spaced = ""
    for letter in plain:
        category = unicodedata.category(letter)
        if category.startswith("C") and letter not in "\t\n\r":
            continue
        alone = category.startswith("P") or letter in string.punctuation or "\u4e00" <= letter <= "\u9fff"
        spaced += f" {letter} " if alone else letter
    return spaced.split()


def words_in_common(left: str, right: str) -> float:
    def words(text: str) -> list[str]:
        kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", kept).split()

    one, other = words(left), words(right)
    if not one or not other:
        return float(one == other)
    common = (Counter(one) & Counter(other)).total()
    return 2 * common / (len(one) + len(other))


@pytest.fixture(scope="module")
def reference(models: Models) -> Reference:
    return Reference(models)


@cache
def ours(models: Models, pair: tuple[str, str]) -> Score:
    return drive(METRICS.parse(models.spec()).rounds(Example("pair", *pair)))


def asked(models: Models, before: str, chunk: str, after: str) -> str:
    return answer(Question(Checkpoint(str(models.generator), "question_generation"), (before, chunk, after))).texts[0]


@pytest.mark.parametrize("pair", QUESTION_CASES)
def test_the_score_is_as_defined(models: Models, reference: Reference, pair: tuple[str, str]) -> None:
    assert ours(models, pair).value == pytest.approx(reference.score(*pair), abs=1e-5)


@pytest.mark.slow
def test_the_tiny_models_keep_some_questions_and_drop_others(models: Models) -> None:
    scores = [ours(models, pair) for pair in PAIRS_OF_QUESTIONS.values()]
    assert len({score.value for score in scores}) >= 3
    assert {bool(score.parts) for score in scores} == {True, False}


@pytest.mark.slow
def test_every_question_string_is_that_of_the_definition(models: Models, reference: Reference) -> None:
    around = [
        ("The ", "harbour", " was closed."),
        ("", "A storm", " came, and  went "),
        ("It ", "rained", ""),
        ("", "x", ""),
    ]
    assert [asked(models, *one) for one in around] == [reference.question(*one) for one in around]


@pytest.mark.slow
def test_the_authors_decoder_leaves_out_the_second_place_and_it_matters(models: Models) -> None:
    other = Reference(models)
    other.places = list(range(200))
    around = [("The ", "harbour", " was closed."), ("A ", "storm", " came."), ("She ", "listened", " to it.")]
    assert [asked(models, *one) for one in around] != [other.question(*one) for one in around]


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT * 2, "Rain.", "Ünlü storm, (harbour)… ½ İzmir 東京 [SEP] x\u202fy", "went on " * 300 + "harbour"],
)
@pytest.mark.parametrize("question", ["Who closed the harbour?", "", "why " * 100])
def test_answers_and_their_probabilities_are_those_of_the_definition(
    models: Models, reference: Reference, text: str, question: str
) -> None:
    said = answer(Question(Checkpoint(str(models.answerer), "qa_windows"), (question, text)))
    best, likely, nothing = reference.told(question, text)
    assert said.texts == (best,)
    assert said.values == pytest.approx((likely, nothing), abs=1e-5)


@pytest.mark.parametrize(
    ("said", "words", "written"),
    [
        ("harbour", "(Harbour),", "Harbour"),
        ("3 . 4", "3.4 m", "3.4"),
        ("elsewhere", "Here", "Here"),
        ("izmir", "İzmir", "İzmir"),
    ],
)
def test_an_answer_is_given_as_it_is_written(said: str, words: str, written: str) -> None:
    assert original_spelling(said, words, " ".join(basic(words))) == written


@pytest.mark.slow
def test_after_an_edit_the_questions_about_other_sentences_stand(models: Models, tmp_path: Path) -> None:
    document, summary = PAIRS_OF_QUESTIONS["ordinary"]
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse(models.spec())
    summaries = [summary, summary, summary.replace("Repairs cost", "Damages are")]
    found = [outcome for text in summaries for _, outcome in engine.run([metric], [Example("pair", document, text)])]
    engine.close()
    first, again, edited = [outcome for outcome in found if isinstance(outcome, Result)]
    untouched = len([chunk for chunk in chunk_spans(summary) if chunk.start < summary.index("Repairs")])
    assert again.counts.asked == 0
    assert edited.counts.cached >= untouched
    assert first.score == pytest.approx(ours(models, (document, summary)).value, abs=1e-5)


@pytest.mark.slow
def test_the_command_line_scores_it(models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiny_qa.command_line(models.spec(), tmp_path, monkeypatch)["status"] == "ok"
