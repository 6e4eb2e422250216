"""Parts shared by metrics that ask and answer questions: questions to a parser, words in common, parts by sentence."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from core.model_reference import Checkpoint
from core.scoring.metric import Metric
from core.text import context_units, layout_units
from core.types import Answer, Example, Option, Part, Question, Score, Seen, Span

ParserReading = Literal["sentences", "entities", "noun_chunks", "words", "dependencies"]

END = "</s>"
"""The end token of T5 as it is written in a text."""

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True, slots=True)
class ScoredPhrase:
    """The result of the questions about one phrase of the summary: where it is, its score, where the answer is."""

    claim: Span
    score: float
    evidence: Span | None = None


class MultiRoundMetric(Metric):
    """A metric whose questions depend on answers round after round: it overrides `rounds`."""

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        """The score from the questions of all rounds, in any order."""
        by_question = dict(zip(questions, answers, strict=True))
        conversation = self.rounds(example)
        try:
            round_questions = next(conversation)
            while True:
                round_questions = conversation.send([by_question[question] for question in round_questions])
        except StopIteration as end:
            score: Score = end.value
            return score


def parser_question(parser: Checkpoint, text: str, reading: ParserReading) -> Question:
    """Question to a parser about a text; see kind "spacy_parse"."""
    # with the name of the pipeline: two of them must not share answers
    return Question(parser, (text,), (("of", reading), ("pipeline", parser.source)))


def generation_question(
    writer: Checkpoint, text: str, options: tuple[Option, ...] = (), claim: Span | None = None
) -> Question:
    """Question to a T5 to go on after a text; an end token written in the text ends a part of it."""
    return Question(writer, tuple(text.split(END)), options, claim)


def squad_words(text: str) -> list[str]:
    """The words that SQuAD compares: lower case, without ASCII punctuation and articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def squad_f1(text: str, other: str) -> float:
    """The harmonic mean of the shares of words in common; of two texts without words 1, of one 0."""
    return word_f1(squad_words(text), squad_words(other)) if squad_words(text) or squad_words(other) else 1.0


def word_f1(text_words: Sequence[str], other_words: Sequence[str]) -> float:
    """The harmonic mean of the shares of words in common; 0 where there are none."""
    common = (Counter(text_words) & Counter(other_words)).total()
    return 2 * common / (len(text_words) + len(other_words)) if common else 0.0


def mean(values: Iterable[float]) -> float:
    """The mean; 0 of nothing."""
    some = list(values)
    return fsum(some) / len(some) if some else 0.0


def sentence_parts(example: Example, phrases: Sequence[ScoredPhrase]) -> tuple[Part, ...]:
    """One part per sentence or list item with questions: the mean of its scores, and the document sentence with the evidence of the worst."""
    places = context_units(example)
    parts = []
    for span in layout_units(example.summary):
        inside = [phrase for phrase in phrases if span.start <= phrase.claim.start < span.end]
        if inside:
            worst = min((phrase for phrase in inside if phrase.evidence), key=lambda phrase: phrase.score, default=None)
            evidence = worst.evidence if worst else None
            if evidence:  # its sentence of the document, or itself where no sentence holds it
                around = (place for place in places if place.start <= evidence.start and evidence.end <= place.end)
                evidence = next(around, evidence)
            parts.append(Part(span, mean(phrase.score for phrase in inside), evidence))
    return tuple(parts)


def document_seen(document: str, answers: Sequence[Answer], notes: Sequence[str]) -> Seen:
    """Record of what was read of the whole document, with a note where something was cut."""
    cut = max((answer.cut for answer in answers), default=0)
    cuts = [f"Up to {cut} tokens at the end of a text were beyond a model's limit and not read."] if cut else []
    total = sum(answer.cut for answer in answers)
    return Seen((Span(0, len(document)),), sum(answer.tokens for answer in answers), total, (*notes, *cuts))
