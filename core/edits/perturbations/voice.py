"""The same in the passive: what somebody did is said to have been done by them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, ModelPerturbation, PerturbationCard
from core.errors import UnscorableError
from core.model_reference import Checkpoint
from core.text import DEFAULT_PARSER, ParsedWord, passive_sentence, sentences
from core.types import Answer, Edit, Example, Question, Rounds

_MAX_SENTENCES = 50


@PERTURBATIONS.add
@dataclass(frozen=True)
class Voice(ModelPerturbation):
    """One plain transitive sentence, read by the spaCy pipeline `parser`, with its object for a subject; the doer stays, after "by"."""

    name: ClassVar[str] = "voice"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Active into passive",
        intent="preserving",
        does="Turns a plain sentence into the passive, by a parse: the club sold him, he was sold by the club.",
        paper="none: a rule of ours; after Ribeiro et al. 2020, Beyond Accuracy: Behavioral Testing of NLP Models with CheckList",
        form="model",
    )

    parser: str = DEFAULT_PARSER

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (Checkpoint(self.parser, "spacy_parse", setting="parser"),)

    def rounds(self, example: Example, seed: int) -> Rounds[list[Edit]]:
        spans = sentences(example.summary)[:_MAX_SENTENCES]
        texts = [span.of(example.summary) for span in spans]
        [checkpoint] = self.checkpoints()
        answers = yield [Question(checkpoint, (text,), (("of", of),)) for text in texts for of in ("tags", "heads")]
        edits = [
            Edit(span, turned, self.card.does, self.spec)
            for span, text, tags, heads in zip(spans, texts, answers[::2], answers[1::2], strict=True)
            if (turned := passive_sentence(text, [*_parsed_words(text, tags, heads)], example.document))
        ]
        if not edits:
            raise UnscorableError(
                "No sentence of the summary is one plain clause of subject, verb and object, without a second verb, possessive "
                "or quantifier, that surely says the same in the passive."
            )
        return [random.Random(f"{seed}\0{example.id}").choice(edits)]


def _parsed_words(text: str, tags: Answer, heads: Answer) -> Iterator[ParsedWord]:
    for span, tag, relation, head in zip(tags.spans, tags.texts, heads.texts, heads.values, strict=True):
        yield ParsedWord(span, span.of(text), tag, relation, int(head))
