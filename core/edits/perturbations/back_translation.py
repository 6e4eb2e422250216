"""The summary in another language and back: other words, the same content as far as the models keep it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, ModelPerturbation, PerturbationCard
from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint
from core.models.llm.rewrites import check_sentences_kept
from core.text.edits import recover
from core.text.english.word_lists import NEGATIVES
from core.text.text import entities, sentences, words
from core.types import Answer, Edit, Example, Option, Question, Rounds

_WORD = re.compile(r"[\w'’]+")


@PERTURBATIONS.add
@dataclass(frozen=True)
class BackTranslation(ModelPerturbation):
    """Each sentence translated by `there` and back by `back`, both Marian models; or both ways by one of many languages with `language`, as M2M100.

    Refused where nothing changes, a number, name or negation is lost or comes in, or a sentence does not fit. What else the
    models change is not seen.
    """

    name: ClassVar[str] = "back-translation"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Back-translate",
        intent="preserving",
        does="Translates the summary into another language and back, by translation models of this machine.",
        paper="Sennrich, Haddow, Birch 2016, Improving Neural Machine Translation Models with Monolingual Data",
        form="model",
    )

    there: str = ""
    back: str = ""
    language: str = ""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The model there and the one back; none where they are not named."""
        named = {"there": self.there, "back": self.there if self.language else self.back}
        return tuple(Checkpoint(source, "translation", setting=setting) for setting, source in named.items() if source)

    @property
    def signature(self) -> str:
        self._require_models()
        return super().signature

    def rounds(self, example: Example, seed: int) -> Rounds[list[Edit]]:  # noqa: ARG002  # nothing is drawn
        self._require_models()
        spans = sentences(example.summary)
        there, back = self.checkpoints()
        foreign = yield self._questions(there, [span.of(example.summary) for span in spans], "en", self.language)
        answers = yield self._questions(back, _texts(foreign), self.language, "en")
        variant, end = "", 0
        for span, text in zip(spans, _texts(answers), strict=True):
            variant += f"{example.summary[end : span.start]}{text}"
            end = span.end
        variant += example.summary[end:]
        _check_kept(example, variant)
        return [replace(edit, explanation=self.card.does, by=self.spec) for edit in recover(example.summary, variant)]

    def _questions(self, model: Checkpoint, texts: Sequence[str], source: str, target: str) -> list[Question]:
        options: tuple[Option, ...] = (("from", source), ("to", target)) if self.language else ()
        return [Question(model, (text,), options) for text in texts]

    def _require_models(self) -> None:
        if not self.there or not (self.back or self.language):
            raise BadSettingError(
                "No translation model is named. Write back-translation[there=FOLDER,back=FOLDER] with folders of Marian models, from "
                "English and into it, or back-translation[there=FOLDER,language=de] with a folder of M2M100."
            )


def _texts(answers: Sequence[Answer]) -> list[str]:
    """The translations; raises UnscorableError for one that is empty or that was cut."""
    if any(answer.cut or not answer.values[0] or not answer.texts[0] for answer in answers):
        raise UnscorableError("A sentence of the summary is too long for the translation model, or came back empty.")
    return [answer.texts[0] for answer in answers]


def _check_kept(example: Example, variant: str) -> None:
    """Raises UnscorableError for a variant without change, or with other numbers, names or negations."""
    if words(variant) == words(example.summary):
        raise UnscorableError("The summary comes back from the other language as it was.")
    check_sentences_kept(example, variant)
    had, has = (Counter(span.of(text) for span in entities(text)) for text in (example.summary, variant))
    if changed := [*(had - has), *(has - had)]:
        raise UnscorableError(f"On the way there and back a name or number was changed: {', '.join(changed)}.")
    denials = [sum(word in NEGATIVES for word in _WORD.findall(text.lower())) for text in (example.summary, variant)]
    if denials[0] != denials[1]:
        raise UnscorableError("On the way there and back a negation was lost, or came in.")
