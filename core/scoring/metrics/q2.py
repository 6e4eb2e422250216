"""Q² (Honovich et al. 2021): does the document answer questions about the summary as the summary does?

The algorithm is that of the authors' scripts (q-squared): five questions for every name and noun chunk of the summary,
the first kept that the summary itself answers with the phrase; answers compared by words, then by entailment.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from core.model_reference import Checkpoint, ConfigCheck, Dtype
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.entailment import NLI_LABELS, expected_model
from core.scoring.metric_parts.question_answering import (
    END,
    MultiRoundMetric,
    ScoredPhrase,
    document_seen,
    generation_question,
    mean,
    parser_question,
    sentence_parts,
    word_f1,
)
from core.types import Answer, Example, Option, Question, Rounds, Score, Span

NO_ANSWER = "[CLS]"

_SEARCH: tuple[Option, ...] = (("beams", 5), ("returned", 5), ("max_length", 128), ("no_repeat", 3))
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PERSONAL_PRONOUNS = {"nsubj": ("i", "you"), "poss": ("my", "your")}
_SMALL_WORDS = re.compile(r"\b(a|an|the|in|our)\b")


@dataclass(frozen=True, slots=True)
class AnswerPhrase:
    """A phrase of the summary that an answer could be."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class PhraseQuestion:
    """A question that the summary answers with the phrase, and what the document answers."""

    candidate: AnswerPhrase
    question: str
    answer: str = ""
    evidence: Span | None = None

    @property
    def f1(self) -> float:
        return 0.0 if self.answer == NO_ANSWER else answer_f1(self.candidate.text, self.answer)

    @property
    def undecided(self) -> bool:
        """True if entailment has to decide."""
        return self.f1 < 1 and NO_ANSWER not in self.answer and self.answer not in {"", "nan"}


@METRICS.add
@dataclass(frozen=True)
class Q2(MultiRoundMetric):
    """Asks in rounds: phrases, questions, whether they are personal, the summary's answers, the document's, entailment."""

    name: ClassVar[str] = "q2"
    card: ClassVar[Card] = Card(
        title="Q²",
        family="Question answering",
        measures="Questions are generated from the summary; the share that the document answers alike, by shared words and "
        "entailment.",
        paper="Honovich et al. 2021, Q²: Evaluating Factual Consistency in Knowledge-Grounded Dialogues via Question "
        "Generation and Question Answering",
        url="https://aclanthology.org/2021.emnlp-main.619",
        low=0.0,
        high=1.0,
        download_mb=2_600,
        memory_mb=1_422,
        licence="Code Apache-2.0. Question generator Apache-2.0; for the two other models no statement was found.",
        differs="Made for dialogue: document and summary stand for knowledge and response. The authors' AllenNLP entailment "
        "model is replaced by another RoBERTa-large trained on SNLI. Documents beyond 512 tokens, on which the authors' "
        "scripts stop, are answered from their beginning. The parser's version decides which questions there are.",
    )

    generator: str = "mrm8488/t5-base-finetuned-question-generation-ap"
    """Checkpoint that writes the questions."""
    answerer: str = "ktrapeznikov/albert-xlarge-v2-squad-v2"
    """Checkpoint that answers them from a text."""
    entailment: str = "boychaboy/SNLI_roberta-large"
    """Checkpoint that compares two answers whose words do not decide."""
    parser: str = "package:en_core_web_sm"
    """spaCy pipeline that finds names, noun chunks and dependencies."""
    revision: str = ""
    """Branch, tag or commit on the hub; empty for the pinned commit."""
    dtype: Dtype = "float32"
    """Number format in which the weights are held and computed."""
    questions: Literal["single", "multi"] = "single"
    """"single" asks the first valid question of each phrase, "multi" all valid ones."""
    personal: Literal["remove", "keep"] = "remove"
    """"remove" drops questions about "I" or "you", "my" or "your"."""
    compare: Literal["nli", "f1"] = "nli"
    """"f1" compares answers by their words alone."""
    entails_label: int = 0
    """Place of the label "entailment" in the output of the entailment model."""
    contradicts_label: int = 2
    """Place of the label "contradiction" in it."""
    config_check: ConfigCheck = "strict"
    """"off" accepts an entailment model whose config.json names other labels than the published one."""
    limit: int = 512
    """Tokens that a model reads of a question with its text."""

    @property
    def writer(self) -> Checkpoint:
        return Checkpoint(self.generator, "seq2seq_generation", self.revision, self.dtype, setting="generator")

    @property
    def finder(self) -> Checkpoint:
        return Checkpoint(self.answerer, "qa_span", self.revision, self.dtype, setting="answerer")

    @property
    def judge(self) -> Checkpoint:
        # whoever says where the labels stand vouches for the model too
        own = (self.entails_label, self.contradicts_label) != (type(self).entails_label, type(self).contradicts_label)
        published = self.entailment == type(self).entailment
        expects = expected_model("off" if own else self.config_check, NLI_LABELS, "roberta", published)
        return Checkpoint(
            self.entailment, "sequence_classifier", self.revision, self.dtype, expects=expects, setting="entailment"
        )

    @property
    def reader(self) -> Checkpoint:
        return Checkpoint(self.parser, "spacy_parse", self.revision, setting="parser")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.writer, self.finder, self.judge, self.reader)

    def rounds(self, example: Example) -> Rounds[Score]:
        candidates = yield from self._candidates(example.summary)
        valid = yield from self._valid(example.summary, candidates)
        if not valid:
            return (yield from self._without_questions(example))
        questions, answers = yield from self._answered(example.document, valid)
        scores = yield from self._scores(questions)
        phrases = [
            ScoredPhrase(question.candidate.span, score, question.evidence)
            for question, score in zip(questions, scores, strict=True)
        ]
        notes = (f"{len(questions)} questions that the summary answers as it should.",)
        parts = sentence_parts(example, phrases)
        return Score(mean(scores), parts, document_seen(example.document, answers, notes))

    def _candidates(self, summary: str) -> Rounds[list[AnswerPhrase]]:
        """Names, then noun chunks that are not yet among them; not "I"."""
        names, chunks = yield [
            parser_question(self.reader, summary, "entities"),
            parser_question(self.reader, summary, "noun_chunks"),
        ]
        candidates = [AnswerPhrase(span.of(summary), span) for span in names.spans]
        for span in chunks.spans:
            if span.of(summary).lower() not in {candidate.text.lower() for candidate in candidates}:
                candidates.append(AnswerPhrase(span.of(summary), span))
        return [candidate for candidate in candidates if candidate.text.lower() != "i"]

    def _valid(self, summary: str, candidates: Sequence[AnswerPhrase]) -> Rounds[list[PhraseQuestion]]:
        """The questions whose answer in the summary is the phrase they were made for."""
        written = yield [self._question_for(candidate, summary) for candidate in candidates]
        questions = [
            [PhraseQuestion(candidate, text.replace("question: ", "", 1)) for text in answer.texts]
            for candidate, answer in zip(candidates, written, strict=True)
        ]
        if self.personal == "remove":
            questions = yield from self._impersonal(questions)
        if self.questions == "multi":
            return (yield from self._confirmed(summary, [question for row in questions for question in row]))
        return (yield from self._first_confirmed(summary, questions))

    def _first_confirmed(self, summary: str, questions: list[list[PhraseQuestion]]) -> Rounds[list[PhraseQuestion]]:
        """Of each phrase's questions the first valid one; later ones are asked only where the earlier failed."""
        first_valid: dict[int, PhraseQuestion] = {}
        for rank in range(max(map(len, questions), default=0)):
            next_questions = {
                number: row[rank]
                for number, row in enumerate(questions)
                if number not in first_valid and rank < len(row)
            }
            confirmed = yield from self._confirmed(summary, list(next_questions.values()))
            first_valid |= {number: question for number, question in next_questions.items() if question in confirmed}
        return [first_valid[number] for number in sorted(first_valid)]

    def _confirmed(self, summary: str, questions: Sequence[PhraseQuestion]) -> Rounds[list[PhraseQuestion]]:
        answers = yield [Question(self.finder, (phrase.question, summary), self._limit) for phrase in questions]
        texts = [answer.texts[0] for answer in answers]
        return [
            phrase
            for phrase, answer in zip(questions, texts, strict=True)
            if answer != NO_ANSWER and normalize_answer(phrase.candidate.text) == normalize_answer(answer)
        ]

    def _impersonal(self, questions: list[list[PhraseQuestion]]) -> Rounds[list[list[PhraseQuestion]]]:
        """Without the questions about "I" or "you", "my" or "your"."""
        flat = [question for row in questions for question in row]
        parsed = yield [parser_question(self.reader, question.question, "dependencies") for question in flat]
        personal = set()
        for question, answer in zip(flat, parsed, strict=True):
            words = zip(answer.texts, (span.of(question.question).lower() for span in answer.spans), strict=True)
            if any(word in _PERSONAL_PRONOUNS.get(label, ()) for label, word in words):
                personal.add(question.question)
        return [[question for question in row if question.question not in personal] for row in questions]

    def _answered(
        self, document: str, valid: Sequence[PhraseQuestion]
    ) -> Rounds[tuple[list[PhraseQuestion], list[Answer]]]:
        answers = yield [
            Question(self.finder, (question.question, document), self._limit, question.candidate.span)
            for question in valid
        ]
        questions = [
            replace(question, answer=answer.texts[0], evidence=next(iter(answer.spans), None))
            for question, answer in zip(valid, answers, strict=True)
        ]
        return questions, answers

    def _scores(self, questions: Sequence[PhraseQuestion]) -> Rounds[list[float]]:
        """Shared words, and where these do not settle it entailment of the summary's answer by the document's."""
        scores = [question.f1 for question in questions]
        if self.compare == "f1":
            return scores
        undecided = [number for number, question in enumerate(questions) if question.undecided]
        answers = yield [self._entailment_of(questions[number]) for number in undecided]
        for number, answer in zip(undecided, answers, strict=True):
            scores[number] = self._settled(answer, scores[number])
        return scores

    def _without_questions(self, example: Example) -> Rounds[Score]:
        """Score by the entailment of the whole summary; both texts in lower case, as the scripts leave them."""
        inputs = (example.document.lower(), example.summary.lower())
        answers = yield [Question(self.judge, inputs, self._limit)]
        notes = ("No valid question: the score is the entailment of the whole summary (1, 0.5 or 0).",)
        return Score(self._settled(answers[0], 0.5), (), document_seen(example.document, answers, notes))

    def _question_for(self, candidate: AnswerPhrase, summary: str) -> Question:
        text = f"answer: {candidate.text}  context: {summary} {END}"
        return generation_question(self.writer, text, _SEARCH, candidate.span)

    def _entailment_of(self, question: PhraseQuestion) -> Question:
        statements = f"{question.question} {question.answer}.", f"{question.question} {question.candidate.text}."
        return Question(self.judge, statements, self._limit, question.candidate.span, question.evidence)

    def _settled(self, answer: Answer, neutral: float) -> float:
        most_likely = answer.values.index(max(answer.values))
        return {self.entails_label: 1.0, self.contradicts_label: 0.0}.get(most_likely, neutral)

    @property
    def _limit(self) -> tuple[Option, ...]:
        return (("limit", self.limit),)


def normalize_answer(text: str) -> str:
    """Lower case, without ASCII punctuation and some small words, single blanks."""
    return re.sub(" +", " ", _SMALL_WORDS.sub(" ", text.lower().translate(_NO_PUNCTUATION))).strip()


def answer_f1(phrase: str, answer: str) -> float:
    """Words in common."""
    return word_f1(normalize_answer(phrase).split(), normalize_answer(answer).split())
