"""An entailment model labels each sentence of the variant against the chunks of the original (2511.07689, appendix C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, ConfigCheck, Dtype
from core.scoring.metric_parts.entailment import NLI_LABELS, expected_model, label_probability
from core.scoring.metrics.minicheck import Chunk, pack_chunks
from core.scoring.nli_check import NLI_CHECKS, SENTENCE_LABELS, NliCheck, NliResult, SentenceLabel
from core.text import sentences, words
from core.types import Answer, Question, Rounds

_RANK: tuple[SentenceLabel, ...] = ("entailment", "contradiction", "neutral")
"""Order of labels where chunks differ: a sentence has the first of these that a chunk gives."""
_MODEL_TYPES = "deberta-v2 deberta roberta xlm-roberta bert albert modernbert"
_MAX_TOKENS = 512


@NLI_CHECKS.add
@dataclass(frozen=True)
class PredictedLabelCheck(NliCheck):
    """Reads the original in chunks of whole sentences, and takes the label that the model predicts, without a threshold.

    A sentence that a chunk entails is entailed; else it contradicts where a chunk is contradicted, else it is neutral. The
    variant contradicts where one of its sentences does.
    """

    name: ClassVar[str] = "entailment-label"
    title: ClassVar[str] = "Entailment model, predicted label"

    checkpoint: str = "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli"
    revision: str = ""
    dtype: Dtype = "float32"
    chunk_words: int = 250
    config_check: ConfigCheck = "strict"

    def __post_init__(self) -> None:
        if self.chunk_words < 1:
            raise BadSettingError(f"{self.name}: chunk_words must be at least 1; got {self.chunk_words}.")

    @property
    def weights(self) -> Checkpoint:
        published = self.checkpoint == type(self).checkpoint
        expects = expected_model(self.config_check, NLI_LABELS, _MODEL_TYPES, published)
        return Checkpoint(self.checkpoint, "sequence_classifier", self.revision, self.dtype, expects=expects)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def rounds(self, original: str, variant: str) -> Rounds[NliResult]:
        chunks, claims = self.premises(original), [span.of(variant) for span in sentences(variant)]
        if not chunks or not claims:
            raise UnscorableError("There is nothing to compare: the original or the variant has no sentence.")
        questions = [
            Question(self.weights, (chunk.text, claim), (("limit", _MAX_TOKENS),))
            for claim in claims
            for chunk in chunks
        ]
        answers = yield questions
        sentence_answers = [answers[start : start + len(chunks)] for start in range(0, len(answers), len(chunks))]
        labels = tuple(map(self._label, sentence_answers))
        contradiction = max(self._probabilities(answer)["contradiction"] for answer in answers)
        cut = sum(answer.cut for answer in answers)
        notes = (f"{cut} tokens beyond the model's limit were not read. Set chunk_words= lower.",) if cut else ()
        return NliResult("contradiction" in labels, self.spec, contradiction, notes=notes, labels=labels)

    def premises(self, original: str) -> list[Chunk]:
        """The original in pieces of whole sentences, up to that number of words each."""
        spans = sentences(original)
        return pack_chunks(original, spans, (len(words(span.of(original))) for span in spans), self.chunk_words)

    def _label(self, answers: Sequence[Answer]) -> SentenceLabel:
        probabilities = [self._probabilities(answer) for answer in answers]
        predicted = {max(SENTENCE_LABELS, key=lambda label: by_label[label]) for by_label in probabilities}
        return next(label for label in _RANK if label in predicted)

    def _probabilities(self, answer: Answer) -> dict[SentenceLabel, float]:
        return {
            label: label_probability(self.weights, answer, place, len(SENTENCE_LABELS), "an entailment model")
            for place, label in enumerate(SENTENCE_LABELS)
        }
