"""Our QuestEval is that of the authors' package, one question at a time with plain transformers."""

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
from transformers import BertModel, T5ForConditionalGeneration

from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.questeval import sentence_spans
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Answer, Example, Result, Score, Span
from tests.drive import drive
from tests.parity import reading, tiny_qa, toy_parser
from tests.parity.reading import decoded, read_by_t5
from tests.parity.tiny_qa import PAIRS_OF_QUESTIONS
from tests.parity.toy_parser import ToyParser, chunk_spans, entity_spans

pytestmark = pytest.mark.parity


@dataclass(frozen=True)
class Models:
    """Folders of tiny checkpoints."""

    generator: Path
    answerer: Path
    encoder: Path
    parser: Path

    def spec(self, more: str = "") -> str:
        folders = ",".join(f"{name}={folder}" for name, folder in vars(self).items())
        return f"questeval[{folders},layer=2{more}]"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Models]:
    folder = tmp_path_factory.mktemp("questeval")
    with pytest.MonkeyPatch.context() as patch:
        ToyParser().install(patch)
        yield Models(
            tiny_qa.writer(folder / "generator", 2),
            tiny_qa.writer(folder / "answerer", 3),
            tiny_qa.bert(folder / "encoder"),
            toy_parser.parser(folder / "parser"),
        )


class Reference:
    """The definition, section 3 of the sheet."""

    def __init__(self, models: Models) -> None:
        self.asking, self.telling, self.pieces = map(reading.fast, (models.generator, models.answerer, models.encoder))
        self.generator = T5ForConditionalGeneration.from_pretrained(models.generator, dtype=torch.float32).eval()
        self.answerer = T5ForConditionalGeneration.from_pretrained(models.answerer, dtype=torch.float32).eval()
        self.encoder = BertModel.from_pretrained(models.encoder, dtype=torch.float32).eval()
        self.question = cache(self._question)
        self.states = cache(self._states)
        self.values = cache(self._values)

    def score(self, document: str, summary: str) -> float:
        return (self.side(document, summary) + self.side(summary, document)) / 2

    def side(self, questioned: str, other: str) -> float:
        """The questions about `questioned`, asked on `other`."""
        values = [self.values(phrase, questioned, other) for phrase in phrases(questioned)]
        flat = [min(1.0, max(0.0, value)) for three in values for value in three]
        return sum(flat) / len(flat) if flat else 0.0

    def _values(self, phrase: str, questioned: str, other: str) -> tuple[float, float, float]:
        ids = read_by_t5(self.telling, f"{self.question(phrase, questioned)} </s> {other}", 512)
        wrote, first = reading.greedy(self.answerer, ids, 20)
        answer = decoded(self.telling, wrote)
        return 1 - float(first[73]), self.bertscore(answer, phrase), words_in_common(answer, phrase)

    def _question(self, phrase: str, text: str) -> str:
        ids = read_by_t5(self.asking, f"sv1 </s> {phrase} </s> {text}", 512)
        return decoded(self.asking, reading.greedy(self.generator, ids, 20)[0])

    def bertscore(self, candidate: str, gold: str) -> float:
        if not candidate.strip() or not gold.strip():
            return 0.0
        cosines = self.states(candidate.strip()) @ self.states(gold.strip()).T
        precision = float(cosines.amax(1)[1:-1].mean())
        recall = float(cosines.amax(0)[1:-1].mean())
        return 2 * precision * recall / (precision + recall)

    @torch.no_grad()
    def _states(self, text: str) -> torch.Tensor:
        ids = self.pieces([text], truncation=True, max_length=512)["input_ids"]
        hidden = self.encoder(input_ids=torch.tensor(ids), output_hidden_states=True).hidden_states[2][0]
        return hidden / hidden.norm(dim=1, keepdim=True)


def phrases(text: str) -> list[str]:
    start = " ".join(toy_sentences(text)[:5])
    return [span.of(start) for spans in (entity_spans(start), chunk_spans(start)) for span in spans]


def toy_sentences(text: str) -> list[str]:
    """As the package splits: the next word after . ! or ? begins a sentence."""
    found, start, ended = [], None, False
    end = 0
    for match in toy_parser.WORD.finditer(text):
        punctuation = not re.match(r"[\w\s]", match.group())
        if ended and not punctuation:
            found.append(text[start:end])
            start, ended = match.start(), False
        elif match.group() in {".", "!", "?"}:
            ended = True
        start = match.start() if start is None else start
        end = match.end()
    return [*found, text[start:end]] if start is not None else []


def words_in_common(left: str, right: str) -> float:
    def words(text: str) -> list[str]:
        kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", kept).split()

    one, other = words(left), words(right)
    if not one or not other:
        return float(one == other)
    common = (Counter(one) & Counter(other)).total()
    if not common:
        return 0.0
    precision, recall = common / len(one), common / len(other)
    return 2 * precision * recall / (precision + recall)


@pytest.fixture(scope="module")
def reference(models: Models) -> Reference:
    return Reference(models)


@cache
def ours(models: Models, pair: tuple[str, str], more: str = "") -> Score:
    return drive(METRICS.parse(models.spec(more)).rounds(Example("pair", *pair)))


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS_OF_QUESTIONS.values(), ids=PAIRS_OF_QUESTIONS)
def test_the_score_is_as_defined(models: Models, reference: Reference, pair: tuple[str, str]) -> None:
    assert ours(models, pair).value == pytest.approx(reference.score(*pair), abs=1e-5)


@pytest.mark.parametrize(
    "name",
    [
        "ordinary",
        pytest.param("literal separators", marks=pytest.mark.slow),
        pytest.param("more than the models read", marks=pytest.mark.slow),
    ],
)
def test_the_score_of_a_sentence_is_the_mean_over_the_questions_about_it(
    models: Models, reference: Reference, name: str
) -> None:
    document, summary = PAIRS_OF_QUESTIONS[name]
    by_sentence: dict[Span, list[float]] = {}
    for span in [*entity_spans(summary), *chunk_spans(summary)]:
        home = next(place for place in sentences(summary) if place.start <= span.start < place.end)
        values = reference.values(span.of(summary), summary, document)
        by_sentence.setdefault(home, []).append(sum(min(1.0, max(0.0, value)) for value in values) / 3)
    expected = [sum(by_sentence[home]) / len(by_sentence[home]) for home in sorted(by_sentence)]
    assert [part.score for part in ours(models, (document, summary)).parts] == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["prefix=", "sentences=1", "limit=64", "unanswerable=5"])
def test_every_fact_of_the_definition_is_noticed(models: Models, reference: Reference, setting: str) -> None:
    """Without the prefix, with another number of sentences, tokens or another first word the score is another."""
    pair = PAIRS_OF_QUESTIONS["more than the models read"]
    assert abs(ours(models, pair, f",{setting}").value - reference.score(*pair)) > 1e-4


@pytest.mark.slow
def test_a_side_without_questions_counts_nothing_and_is_noted(models: Models) -> None:
    score = ours(models, PAIRS_OF_QUESTIONS["nothing to ask"])
    assert 0 < score.value < 0.5
    assert "No question about the summary: its side counts 0." in score.seen.notes


def test_a_sentence_begins_after_a_mark_with_the_next_word() -> None:
    text = 'He left... "Why?" she asked. \n So'
    words = [Span(*match.span()) for match in toy_parser.WORD.finditer(text)]
    marks = tuple(float(not re.match(r"[\w\s]", span.of(text))) for span in words)
    found = [span.of(text) for span in sentence_spans(text, Answer(marks, tuple(words)))]
    assert found == ['He left... "', 'Why?"', "she asked.", " \n So"] == toy_sentences(text)


@pytest.mark.slow
def test_a_phrase_of_joined_sentences_keeps_its_place(models: Models) -> None:
    summary = "It rained.\n\n   The harbour closed.  Nobody spoke. Ferries sank."
    score = ours(models, (PAIRS_OF_QUESTIONS["ordinary"][0], summary))
    assert [part.span.of(summary).strip() for part in score.parts] == [
        "It rained.",
        "The harbour closed.",
        "Nobody spoke.",
        "Ferries sank.",
    ]


@pytest.mark.slow
def test_after_an_edit_of_the_summary_the_questions_about_the_document_stand(models: Models, tmp_path: Path) -> None:
    document, summary = PAIRS_OF_QUESTIONS["agreement"]
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse(models.spec())
    summaries = [summary, summary, summary.replace("A storm", "Fire")]
    found = [outcome for text in summaries for _, outcome in engine.run([metric], [Example("pair", document, text)])]
    engine.close()
    first, again, edited = [outcome for outcome in found if isinstance(outcome, Result)]
    assert again.counts.asked == 0
    # three readings of the document and the questions about it are known
    assert first.counts.asked - edited.counts.asked >= 3 + len(phrases(document)) - 1
    assert edited.counts.cached >= 3 + len(phrases(document))
    assert first.score == pytest.approx(ours(models, (document, summary)).value, abs=1e-5)


def test_the_command_line_scores_it(models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiny_qa.command_line(models.spec(), tmp_path, monkeypatch)["status"] == "ok"
