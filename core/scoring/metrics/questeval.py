"""QuestEval (Scialom et al. 2021) without references: do document and summary answer each other's questions?

The algorithm is that of the authors' package (QuestEval 0.2.4) for summarization: questions about the names and noun
chunks of the first sentences of each text, asked on the other text; how answerable they are and how alike the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.question_answering import (
    END,
    MultiRoundMetric,
    ScoredPhrase,
    document_seen,
    generation_question,
    mean,
    parser_question,
    sentence_parts,
    squad_f1,
)
from core.text import closest_evidence
from core.types import Answer, Example, Option, Question, Rounds, Score, Span

UNANSWERABLE = 73
"""The id in T5's vocabulary of the piece that "unanswerable" begins with."""

_SEARCH: tuple[Option, ...] = (("beams", 1), ("max_length", 20))


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """An answer to ask for: a name or noun chunk, and where it stands in its text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer of a text to a question of the other, with the phrase that the question was made for."""

    phrase: AnswerSpan
    answer: str
    answerable: float


@METRICS.add
@dataclass(frozen=True)
class QuestEval(MultiRoundMetric):
    """Asks in rounds: words, phrases, questions, answers, and how alike the answers are."""

    name: ClassVar[str] = "questeval"
    card: ClassVar[Card] = Card(
        title="QuestEval",
        family="Question answering",
        measures="How well the document answers questions about the summary, and the summary questions about the document.",
        paper="Scialom et al. 2021, QuestEval: Summarization Asks for Fact-based Evaluation",
        url="https://aclanthology.org/2021.emnlp-main.529",
        low=0.0,
        high=1.0,
        download_mb=2_500,
        memory_mb=892,
        licence="Code and both T5 MIT, multilingual BERT Apache-2.0.",
        differs="The package's own default, which differs from the paper: no weighting of questions by importance, and the "
        "arithmetic mean of both sides. Answers are compared one pair at a time; the package compares them in batches, which "
        "raises a cosine below 0 to 0. The parser's version decides which questions there are. The score of a sentence is "
        "ours: the mean over the questions about it; its evidence is the document sentence closest in words.",
    )

    generator: str = "ThomasNLG/t5-qg_squad1-en"
    """Checkpoint that writes the questions."""
    answerer: str = "ThomasNLG/t5-qa_squad2neg-en"
    """Checkpoint that answers them from a text."""
    encoder: str = "google-bert/bert-base-multilingual-cased"
    """Checkpoint whose token vectors compare two answers."""
    parser: str = "package:en_core_web_sm"
    """spaCy pipeline that finds words, names and noun chunks."""
    revision: str = ""
    """Branch, tag or commit on the hub; empty for the pinned commit."""
    dtype: Dtype = "float32"
    """Number format in which the weights are held and computed."""
    prefix: str = "sv1"
    """Text that the question generator expects before its input; empty for none."""
    sentences: int = 5
    """Sentences at the beginning of each text that questions are generated from."""
    layer: int = 9
    """Layer of the encoder whose vectors are compared."""
    limit: int = 512
    """Tokens that a model reads of its input."""
    unanswerable: int = UNANSWERABLE
    """Id of the token whose probability says that the text has no answer."""

    @property
    def writer(self) -> Checkpoint:
        return Checkpoint(self.generator, "seq2seq_generation", self.revision, self.dtype, setting="generator")

    @property
    def reader(self) -> Checkpoint:
        return Checkpoint(self.answerer, "seq2seq_generation", self.revision, self.dtype, setting="answerer")

    @property
    def matcher(self) -> Checkpoint:
        return Checkpoint(self.encoder, "bertscore", self.revision, self.dtype, setting="encoder")

    @property
    def grammar(self) -> Checkpoint:
        return Checkpoint(self.parser, "spacy_parse", self.revision, setting="parser")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.writer, self.reader, self.matcher, self.grammar)

    def rounds(self, example: Example) -> Rounds[Score]:
        texts = (example.document, example.summary)
        phrases = yield from self._phrases(texts)
        questions = yield [
            self._question_for(phrase, text) for text, own in zip(texts, phrases, strict=True) for phrase in own
        ]
        questions_by_text = (questions[: len(phrases[0])], questions[len(phrases[0]) :])
        answers = yield [
            self._asked_on(other, question)
            for other, own in zip(reversed(texts), questions_by_text, strict=True)
            for question in own
        ]
        replies = [
            Reply(phrase, answer.texts[0], 1 - answer.values[0])
            for phrase, answer in zip([*phrases[0], *phrases[1]], answers, strict=True)
        ]
        values = yield from self._values(replies)
        of_document, of_summary = values[: len(phrases[0])], values[len(phrases[0]) :]
        value = mean([_mean_of_answers(of_document), _mean_of_answers(of_summary)])
        scored_phrases = [
            ScoredPhrase(phrase.span, mean(three), closest_evidence(example, phrase.text))
            for phrase, three in zip(phrases[1], of_summary, strict=True)
        ]

        counts = f"{len(phrases[0])} questions about the document, {len(phrases[1])} about the summary."
        silent = [text for text, own in zip(("document", "summary"), phrases, strict=True) if not own]
        read = document_seen(
            example.document,
            [*questions, *answers],
            (counts, *(f"No question about the {text}: its side counts 0." for text in silent)),
        )
        return Score(value, sentence_parts(example, scored_phrases), read)

    def _phrases(self, texts: Sequence[str]) -> Rounds[list[list[AnswerSpan]]]:
        """Names, then noun chunks, of the beginning of each text; repeated ones count again."""
        words = yield [parser_question(self.grammar, text, "words") for text in texts]
        pieces = [sentence_spans(text, answer)[: self.sentences] for text, answer in zip(texts, words, strict=True)]
        starts = [" ".join(span.of(text) for span in spans) for text, spans in zip(texts, pieces, strict=True)]
        parsed = yield [
            parser_question(self.grammar, start, what) for start in starts for what in ("entities", "noun_chunks")
        ]
        return [
            [
                AnswerSpan(span.of(start), _text_span(span, spans))
                for answer in parsed[place : place + 2]
                for span in answer.spans
            ]
            for place, (start, spans) in zip((0, 2), zip(starts, pieces, strict=True), strict=True)
        ]

    def _question_for(self, phrase: AnswerSpan, text: str) -> Question:
        prefix = f"{self.prefix} {END} " if self.prefix else ""
        return self._generate(self.writer, f"{prefix}{phrase.text} {END} {text}", ())

    def _asked_on(self, text: str, question: Answer) -> Question:
        return self._generate(self.reader, f"{question.texts[0]} {END} {text}", (("watched", self.unanswerable),))

    def _generate(self, model: Checkpoint, text: str, options: tuple[Option, ...]) -> Question:
        return generation_question(model, text, (("limit", self.limit), *_SEARCH, *options))

    def _values(self, replies: Sequence[Reply]) -> Rounds[list[tuple[float, float, float]]]:
        """Answerability, closeness in meaning and in words of each reply, each within [0, 1]."""
        meant = [reply for reply in replies if reply.answer.strip() and reply.phrase.text.strip()]
        pairs = [(reply.phrase.text, reply.answer) for reply in meant]
        cosines = yield [
            self._matched(*order) for phrase, answer in pairs for order in ((phrase, answer), (answer, phrase))
        ]
        close = {
            reply: _cosine_f1(*pair)
            for reply, pair in zip(meant, zip(cosines[::2], cosines[1::2], strict=True), strict=True)
        }
        return [
            (
                _clamp(reply.answerable),
                _clamp(close.get(reply, 0.0)),
                _clamp(squad_f1(reply.answer, reply.phrase.text)),
            )
            for reply in replies
        ]

    def _matched(self, text: str, candidate: str) -> Question:
        return Question(self.matcher, (text.strip(), candidate.strip()), (("layer", self.layer), ("limit", self.limit)))


def sentence_spans(text: str, words: Answer) -> list[Span]:
    """A sentence begins with the first word after a full stop, exclamation or question mark that is no punctuation."""
    starts, ended = [0], False
    for number, (span, punctuation) in enumerate(zip(words.spans, words.values, strict=True)):
        if ended and not punctuation:
            starts.append(number)
            ended = False
        elif span.of(text) in {".", "!", "?"}:
            ended = True
    ends = [*starts[1:], len(words.spans)]
    pairs = zip(starts, ends, strict=True)
    return [Span(words.spans[start].start, words.spans[end - 1].end) for start, end in pairs if start < end]


def _text_span(span: Span, pieces: Sequence[Span]) -> Span:
    """A span of pieces joined by blanks as a span of the text that they were cut from."""
    start, end = _text_position(span.start, pieces), _text_position(span.end - 1, pieces)
    return Span(start, end + 1)


def _text_position(position: int, pieces: Sequence[Span]) -> int:
    begin = 0
    for piece in pieces:
        if position <= begin + piece.end - piece.start:
            return min(piece.start + position - begin, piece.end - 1)
        begin += piece.end - piece.start + 1
    return pieces[-1].end - 1


def _cosine_f1(precise: Answer, recalled: Answer) -> float:
    """BERTScore F1 of the cosines both ways; 0 where a text has no token."""
    precision, recall = mean(precise.values), mean(recalled.values)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


def _mean_of_answers(values: Sequence[tuple[float, float, float]]) -> float:
    """The mean over all values of all questions; 0 without a question."""
    return mean(value for three in values for value in three)
