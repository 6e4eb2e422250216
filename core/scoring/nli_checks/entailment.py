"""An entailment model reads each sentence of the variant against the whole original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.errors import UnscorableError
from core.model_reference import ConfigCheck, Dtype, ModelRef
from core.scoring.metrics.summac import Model, SummaCZS
from core.scoring.nli_check import NLI_CHECKS, NliCheck, NliResult
from core.types import Example, Rounds

_MIN_PROBABILITY = 0.5


@NLI_CHECKS.add
@dataclass(frozen=True)
class EntailmentCheck(NliCheck):
    """Marks where a sentence contradicts with a probability above one half; the models and their settings are SummaC's."""

    name: ClassVar[str] = "entailment"
    title: ClassVar[str] = "Entailment model"

    nli: Model = "vitc"
    checkpoint: str = ""
    revision: str = ""
    dtype: Dtype = "float32"
    config_check: ConfigCheck = "strict"

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return self._metric.checkpoints()

    def rounds(self, original: str, variant: str) -> Rounds[NliResult]:
        pair = Example("", original, variant)
        if not self._metric.plan(pair):
            raise UnscorableError(
                "No sentence of the variant is long enough for the entailment model. Ask a language model."
            )
        score = yield from self._metric.rounds(pair)
        probability = 1 - score.value
        return NliResult(probability > _MIN_PROBABILITY, self.spec, probability, notes=score.seen.notes)

    @property
    def _metric(self) -> SummaCZS:
        """Its score is one less the largest probability of contradiction among the sentences of the variant."""
        return SummaCZS(
            nli=self.nli,
            checkpoint=self.checkpoint,
            revision=self.revision,
            dtype=self.dtype,
            config_check=self.config_check,
            document_units="document",
            labels="contradiction",
            over_document="max",
            over_summary="min",
        )
