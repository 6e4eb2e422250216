"""The claim extractor of FENICE (Scirè et al. 2024): a T5 writes the claims of a summary, a parser splits what it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.model_reference import Checkpoint, Dtype
from core.scoring.claim import DECOMPOSERS, Decomposer, FoundClaims, claims_of_texts
from core.scoring.metric_parts.question_answering import generation_question, parser_question
from core.types import Example, Rounds


@DECOMPOSERS.add
@dataclass(frozen=True)
class FeniceClaims(Decomposer):
    """Asks in two rounds: the text of all claims, and its sentences, of which each is a claim once.

    The place of a claim is ours: the sentence of the summary that is closest to it in words.
    """

    name: ClassVar[str] = "fenice"
    title: ClassVar[str] = "FENICE's claim extractor"

    extractor: str = "Babelscape/t5-base-summarization-claim-extractor"
    parser: str = "package:en_core_web_sm"
    revision: str = ""
    dtype: Dtype = "float32"

    @property
    def writer(self) -> Checkpoint:
        return Checkpoint(self.extractor, "seq2seq_generation", self.revision, self.dtype, setting="extractor")

    @property
    def grammar(self) -> Checkpoint:
        return Checkpoint(self.parser, "spacy_parse", self.revision, setting="parser")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.writer, self.grammar)

    def rounds(self, example: Example) -> Rounds[FoundClaims]:
        [written] = yield [generation_question(self.writer, example.summary)]
        text = written.texts[0]
        [split] = yield [parser_question(self.grammar, text, "sentences")]
        texts = [span.of(text) for span in split.spans]
        return FoundClaims(claims_of_texts(texts, example.summary, "The claim extractor"), answers=(written,))
