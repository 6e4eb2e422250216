"""QAFactEval (Fabbri et al. 2022), its lerc_quip score: does the document answer questions about the summary alike?

The algorithm is that of the authors' package over QAEval: a question for every noun chunk, those kept that the summary
itself answers with the chunk, and a learned judgement of how alike the document's answer is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, PublishedArchive
from core.scoring.metric_parts.question_answering import (
    MultiRoundMetric,
    ScoredPhrase,
    document_seen,
    mean,
    parser_question,
    sentence_parts,
    squad_f1,
)
from core.types import Example, Question, Rounds, Score, Span

_DRIVE = "https://drive.google.com/uc?id="  # the addresses of the authors' download_models.sh (QAFactEval caa228a)

MIN_SIMILARITY = 0.60
"""The F1 that a chunk and the summary's own answer must exceed."""


@dataclass(frozen=True, slots=True)
class ChunkQuestion:
    """A noun chunk of the summary with its question, and what a text answers."""

    chunk: str
    span: Span
    question: str
    answer: str = ""
    evidence: Span | None = None
    answered: bool = False


@METRICS.add
@dataclass(frozen=True)
class QAFactEval(MultiRoundMetric):
    """Asks in rounds: sentences and chunks, questions, the summary's answers, the document's, how alike they are."""

    name: ClassVar[str] = "qafacteval"
    card: ClassVar[Card] = Card(
        title="QAFactEval",
        family="Question answering",
        measures="Questions are generated from the summary's noun chunks; how alike the document answers, by a learned model.",
        paper="Fabbri et al. 2022, QAFactEval: Improved QA-Based Factual Consistency Evaluation for Summarization",
        url="https://aclanthology.org/2022.naacl-main.187",
        low=None,
        high=None,
        download_mb=4_400,
        licence="Code BSD-3-Clause. Weights: no statement was found.",
        differs="The raw score, about 0 to 5. The parser's version decides which questions there are. The authors publish their "
        "models as archives, not on the hub; `cli.py doctor --convert` makes folders of them. A sentence longer than the generator's positions, on which the authors' code stops, is cut at its end.",
        memory_mb=1_630,
        archives=(
            PublishedArchive("generator", "model.tar.gz", f"{_DRIVE}1vVhRgLtsQDAOmxYhY5PMPnxxHUyCOdQU"),
            PublishedArchive("answerer", "model.zip", f"{_DRIVE}1q2Z3FPP9AYNz0RJKHMlaweNhmLQoyPA8"),
            PublishedArchive(
                "rater",
                "quip-512-mocha.tar.gz",
                "https://storage.googleapis.com/sfr-qafacteval-research/quip-512-mocha.tar.gz",
            ),
        ),
    )

    generator: str = "./models/qafacteval-generation"
    answerer: str = "./models/qafacteval-answering"
    rater: str = "./models/quip-512-mocha"
    parser: str = "package:en_core_web_sm"
    revision: str = ""
    dtype: Dtype = "float32"
    limit: int = 512

    @property
    def asker(self) -> Checkpoint:
        return Checkpoint(self.generator, "question_generation", self.revision, self.dtype, setting="generator")

    @property
    def reader(self) -> Checkpoint:
        return Checkpoint(self.answerer, "qa_windows", self.revision, self.dtype, setting="answerer")

    @property
    def judge(self) -> Checkpoint:
        return Checkpoint(self.rater, "sequence_regressor", self.revision, self.dtype, setting="rater")

    @property
    def grammar(self) -> Checkpoint:
        return Checkpoint(self.parser, "spacy_parse", self.revision, setting="parser")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.asker, self.reader, self.judge, self.grammar)

    def rounds(self, example: Example) -> Rounds[Score]:
        chunks = yield from self._chunks(example.summary)
        written = yield [self._question_for(example.summary, chunk, home) for chunk, home in chunks]
        questions = [
            ChunkQuestion(chunk.of(example.summary), chunk, answer.texts[0])
            for (chunk, _), answer in zip(chunks, written, strict=True)
        ]
        own = yield from self._answer(questions, example.summary)
        valid = [
            question
            for question, own_answer in zip(questions, own, strict=True)
            if own_answer.answered and squad_f1(question.chunk, own_answer.answer) > MIN_SIMILARITY
        ]
        document_answers = yield from self._answer(valid, example.document)
        answered = [question for question in document_answers if question.answered]
        rated = yield [self._comparison(question, example.document) for question in answered]
        scores = dict(zip(answered, (answer.values[0] for answer in rated), strict=True))
        phrases = [
            ScoredPhrase(question.span, scores.get(question, 0.0), question.evidence) for question in document_answers
        ]
        parts = sentence_parts(example, phrases)

        unanswered = sum(not question.answered for question in document_answers)
        counts = f"{len(questions)} questions, {len(document_answers)} that the summary answers as it should, {unanswered} that the document does not answer."
        return Score(
            mean(phrase.score for phrase in phrases),
            parts,
            document_seen(
                example.document,
                [*written, *rated],
                (counts,) if document_answers else (counts, "No question is left: the score is 0 by definition."),
            ),
        )

    def _chunks(self, summary: str) -> Rounds[list[tuple[Span, Span]]]:
        """Every noun chunk, and the sentence that it stands in."""
        homes, chunks = yield [
            parser_question(self.grammar, summary, "sentences"),
            parser_question(self.grammar, summary, "noun_chunks"),
        ]
        return [(chunk, home) for home in homes.spans for chunk in chunks.spans if home.start <= chunk.start < home.end]

    def _question_for(self, summary: str, chunk: Span, home: Span) -> Question:
        around = summary[home.start : chunk.start], chunk.of(summary), summary[chunk.end : home.end]
        return Question(self.asker, around, claim=chunk)

    def _answer(self, questions: Sequence[ChunkQuestion], text: str) -> Rounds[list[ChunkQuestion]]:
        """The questions with the answers of a text; answered where an answer is likelier than none."""
        answers = yield [
            Question(self.reader, (question.question, text), claim=question.span) for question in questions
        ]
        answered = []
        for question, answer in zip(questions, answers, strict=True):
            likely, nothing = answer.values
            evidence = next(iter(answer.spans), None)
            answered.append(replace(question, answer=answer.texts[0], evidence=evidence, answered=likely > nothing))
        return answered

    def _comparison(self, question: ChunkQuestion, document: str) -> Question:
        text = f"{question.question} <q> {question.chunk} <r> {question.answer} <c> {document}"
        return Question(self.judge, (text,), (("limit", self.limit),), question.span, question.evidence)
