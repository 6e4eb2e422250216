"""Any metric against reference summaries in the place of the document, as ROUGE and BERTScore were meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from core.errors import UnscorableError
from core.model_reference import Checkpoint, ModelRef, file_checkpoint
from core.registry import Plugin
from core.scoring.metric import METRICS, Card, Metric
from core.scoring.metric_parts.lockstep import run_in_lockstep
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.scoring.metrics.retrieval_wrapper import wrapper_card
from core.types import Example, Question, Rounds, Score, Seen


@METRICS.add
@dataclass(frozen=True)
class AgainstReference(MultiRoundMetric):
    """Looks the references of the document up, then goes round after round with the inner metric on all of them at once."""

    name: ClassVar[str] = "against-reference"
    card: ClassVar[Card] = Card(
        title="Reference",
        family="Reference",
        measures="Another metric between the summary and reference summaries of the document, the best of several: it does not read the "
        "document.",
        paper="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, which compares with references",
        url="https://aclanthology.org/W04-1013",
        low=None,
        high=None,
        licence="Touchstone's own code, Apache-2.0; the other metric has terms of its own.",
        differs="The references are a table of your own with the columns document and reference. A true summary that says other "
        "things than the reference scores low: combine it with a metric that reads the document (`combine`).",
    )

    metric: str = "rouge2[measured=f1]"
    """Spec of the metric that compares the summary with a reference."""
    references: str = ""
    """Table of references."""

    def __post_init__(self) -> None:
        # the fields alone are frozen
        object.__setattr__(self, "card", wrapper_card(self.card, self.inner.card, "against references"))

    @property
    def inner(self) -> Metric:
        return METRICS.parse(self.metric)

    @property
    def table(self) -> Checkpoint:
        return file_checkpoint(self.references, "references", "references")

    def uses(self) -> Sequence[Plugin]:
        return (self.inner,)

    def rewordings(self) -> Sequence[Self]:
        return [replace(self, metric=rewording.spec) for rewording in self.inner.rewordings()]

    def rescalings(self) -> Sequence[Self]:
        return [replace(self, metric=rescaling.spec) for rescaling in self.inner.rescalings()]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return tuple(dict.fromkeys((self.table, *self.inner.checkpoints())))

    def rounds(self, example: Example) -> Rounds[Score]:
        [answer] = yield [Question(self.table, (example.document,))]
        if not answer.texts:
            raise UnscorableError(
                "The table of references has none of this document. Add one, or leave the summary out."
            )
        inner = self.inner
        outcomes = yield from run_in_lockstep(
            {text: inner.rounds(Example(example.id, text, example.summary)) for text in answer.texts}
        )
        scores = {text: outcome for text, outcome in outcomes.items() if isinstance(outcome, Score)}
        if not scores:
            raise next(outcome for outcome in outcomes.values() if isinstance(outcome, UnscorableError))
        sign = -1 if self.card.direction == "lower" else 1
        reference, score = max(scores.items(), key=lambda pair: sign * pair[1].value)
        return _without_places(score, reference, len(answer.texts), len(answer.texts) - len(scores))


def _without_places(score: Score, reference: str, references: int, failed: int) -> Score:
    """The score with the places in the summary alone: those in the reference are none of the document."""
    number = "The one reference" if references == 1 else f"The best of {references} references"
    left_out = [f"{failed} of them could not be compared."] if failed else []
    seen = Seen((), score.seen.tokens, score.seen.cut, (f"{number}: {reference}", *left_out, *score.seen.notes))
    return replace(
        score,
        parts=tuple(replace(part, evidence=None) for part in score.parts),
        claims=tuple(replace(claim, evidence=None) for claim in score.claims),
        seen=seen,
    )
