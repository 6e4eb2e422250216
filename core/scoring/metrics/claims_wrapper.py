"""Any metric claim by claim: the summary is decomposed into claims, and each is scored as a summary of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

from core.errors import UnreadableAnswerError, UnscorableError
from core.model_reference import ModelRef
from core.registry import Plugin
from core.scoring.claim import DECOMPOSERS, NO_CLAIM, Decomposer, FoundClaims
from core.scoring.metric import METRICS, Card, Metric, ReplaceableWeights
from core.scoring.metric_parts.lockstep import InnerOutcome, run_in_lockstep
from core.scoring.metric_parts.question_answering import MultiRoundMetric, mean
from core.scoring.metrics.retrieval_wrapper import wrapper_card
from core.text import ANY, layout_units, units_without_claim, words
from core.types import ClaimScore, Example, Part, Rounds, Score, Seen, SummaryClaim

Combine = Literal["mean", "min"]


@METRICS.add
@dataclass(frozen=True)
class Claims(ReplaceableWeights, MultiRoundMetric):
    """Finds the claims, then goes round after round with the inner metric on all of them at once."""

    name: ClassVar[str] = "claims"
    card: ClassVar[Card] = Card(
        title="Claims",
        family="Claims",
        measures="Another metric on each claim of the summary alone: the mean over claims, or the least consistent one.",
        paper="Scirè, Ghonim, Navigli 2024, FENICE: Factuality Evaluation of summarization based on Natural language "
        "Inference and Claim Extraction",
        url="https://aclanthology.org/2024.findings-acl.841",
        low=None,
        high=None,
        licence="Touchstone's own code, Apache-2.0. The other metric and the claim extractor have terms of their own.",
        differs="The idea of the paper around a metric of your choice: by= finds the claims by sentence, with FENICE's extractor or a "
        "language model, or takes those that are given. A claim that the metric cannot score is left out, and a note says why; an "
        "answer that cannot be read fails the whole. The score of a sentence is ours: that of the claims closest to it in words.",
    )

    metric: str = "bertscore-minilm"
    by: str = "sentence"
    combine: Combine = "mean"

    def __post_init__(self) -> None:
        super().__post_init__()
        inner, way = self.inner, self.way
        languages = inner.verified_languages if way.languages == ANY else way.languages
        card = replace(wrapper_card(self.card, inner.card, "by claim"), languages=languages)
        object.__setattr__(self, "card", card)  # the fields alone are frozen

    @property
    def inner(self) -> Metric:
        return METRICS.parse(self.metric)

    @property
    def way(self) -> Decomposer:
        return DECOMPOSERS.parse(self.by)

    def uses(self) -> Sequence[Plugin]:
        return self.inner, self.way

    def rewordings(self) -> Sequence[Self]:
        return [replace(self, metric=rewording.spec) for rewording in self.inner.rewordings()]

    def rescalings(self) -> Sequence[Self]:
        return [replace(self, metric=rescaling.spec) for rescaling in self.inner.rescalings()]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return tuple(dict.fromkeys((*self.way.checkpoints(), *self.inner.checkpoints())))

    def rounds(self, example: Example) -> Rounds[Score]:
        extraction = yield from self.way.rounds(example)
        inner = self.inner
        verdicts = yield from run_in_lockstep(
            {
                place: inner.rounds(replace(example, summary=claim.text, claims=None))
                for place, claim in enumerate(extraction.claims)
            }
        )

        unread = {place: verdict for place, verdict in verdicts.items() if isinstance(verdict, UnreadableAnswerError)}
        for place, problem in sorted(unread.items())[:1]:
            answers = [answer for error in unread.values() for answer in error.answers]
            raise UnreadableAnswerError(f"Claim {place + 1} (“{extraction.claims[place].text}”): {problem}", answers)
        return self._score(example.summary, extraction, [verdicts[place] for place in range(len(extraction.claims))])

    def _score(self, summary: str, extraction: FoundClaims, verdicts: Sequence[InnerOutcome]) -> Score:
        claims = [self._claim_score(*pair) for pair in zip(extraction.claims, verdicts, strict=True)]
        scores = [verdict for verdict in verdicts if isinstance(verdict, Score)]
        if not scores:
            raise next(verdict for verdict in verdicts if isinstance(verdict, UnscorableError))
        claim_notes = [
            f"Claim {number} was left out: {claim_score.error} “{claim_score.claim.text}”"
            if claim_score.score is None
            else f"Claim {number}, {claim_score.score:.4g}: “{claim_score.claim.text}”"
            for number, claim_score in enumerate(claims, 1)
        ]
        read = Seen(
            pieces=tuple(sorted({piece for score in scores for piece in score.seen.pieces})),
            tokens=sum(answer.tokens for answer in extraction.answers) + sum(score.seen.tokens for score in scores),
            cut=sum(answer.cut for answer in extraction.answers) + sum(score.seen.cut for score in scores),
            notes=(
                *claim_notes,
                *_uncovered(summary, claims),
                *[
                    f"Claim {number}: {note}"
                    for number, verdict in enumerate(verdicts, 1)
                    if isinstance(verdict, Score)
                    for note in verdict.seen.notes
                ],
            ),
        )
        facts = tuple(dict.fromkeys([*extraction.asked, *(fact for score in scores for fact in score.asked)]))
        value = self._combined([score.value for score in scores])
        return Score(value, self._sentence_parts(summary, claims), read, facts, tuple(claims))

    def _claim_score(self, claim: SummaryClaim, verdict: InnerOutcome) -> ClaimScore:
        """The score of a claim, and the evidence of its least consistent part."""
        if isinstance(verdict, UnscorableError):
            return ClaimScore(claim, None, error=str(verdict))
        worst = min((part for part in verdict.parts if part.evidence), key=self._part_consistency, default=None)
        return ClaimScore(claim, verdict.value, worst.evidence if worst else None)

    def _sentence_parts(self, summary: str, claims: Sequence[ClaimScore]) -> tuple[Part, ...]:
        """A part for each sentence that claims with a score are of, with the evidence of the least consistent."""
        parts = []
        for span in layout_units(summary):
            inside = [
                Part(span, claim_score.score, claim_score.evidence)
                for claim_score in claims
                if claim_score.score is not None
                and claim_score.claim.span is not None
                and span.start <= claim_score.claim.span.start < span.end
            ]
            if inside:
                worst = min(inside, key=self._part_consistency)
                parts.append(replace(worst, score=self._combined([part.score for part in inside])))
        return tuple(parts)

    def _combined(self, scores: Sequence[float]) -> float:
        return min(scores, key=self._consistency) if self.combine == "min" else mean(scores)

    def _part_consistency(self, part: Part) -> float:
        return self._consistency(part.score)

    def _consistency(self, score: float) -> float:
        return -score if self.card.direction == "lower" else score


def _uncovered(summary: str, claims: Sequence[ClaimScore]) -> list[str]:
    """Notes on the sentences that no claim is of, and on claims that share no word with the summary."""
    summary_words = {*words(summary)}
    sentences = [
        f"{NO_CLAIM} “{span.of(summary).strip()}”: it has no part in the score."
        for span in units_without_claim(summary, (claim_score.claim for claim_score in claims))
    ]
    strange = [
        f"Claim {number} shares no word with the summary: “{claim_score.claim.text}”"
        for number, claim_score in enumerate(claims, 1)
        if summary_words.isdisjoint(words(claim_score.claim.text))
    ]
    return [*sentences, *strange]
