"""FENICE (Scirè et al. 2024): claims are extracted from the summary, and each is aligned with what entails it best.

The algorithm is that of the authors' package without coreference, its default: sentences, windows of sentences and the
whole document as premises, the probability of entailment less that of neutrality, the best premise for each claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, ConfigCheck, Dtype
from core.scoring.claims.fenice import FeniceClaims
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.entailment import NLI_LABELS, expected_model
from core.scoring.metric_parts.question_answering import (
    MultiRoundMetric,
    ScoredPhrase,
    document_seen,
    mean,
    parser_question,
    sentence_parts,
)
from core.types import Answer, ClaimScore, Example, Question, Rounds, Score, Span


@dataclass(frozen=True, slots=True)
class Premise:
    """A passage that may entail a claim, where it stands, and how many tokens are read of it with the claim."""

    text: str
    span: Span
    limit: int


@METRICS.add
@dataclass(frozen=True)
class Fenice(MultiRoundMetric):
    """Asks in rounds: claims, their sentences and those of the document, entailment."""

    name: ClassVar[str] = "fenice"
    card: ClassVar[Card] = Card(
        title="FENICE",
        family="Entailment",
        measures="Claims are extracted from the summary; how much likelier the best passage entails each than is neutral to it.",
        paper="Scirè, Ghonim, Navigli 2024, FENICE: Factuality Evaluation of summarization based on Natural language "
        "Inference and Claim Extraction",
        url="https://aclanthology.org/2024.findings-acl.841",
        low=-1.0,
        high=1.0,
        download_mb=2_630,
        licence="Code and claim extractor CC BY-NC-SA 4.0: not for commercial use. Entailment model MIT.",
        memory_mb=1_740,
        differs="Without coreference, which is the package's default. The parser's version decides where sentences end. Claims "
        "are extracted from the whole summary and stand in no place of it: the score of a sentence is ours, the mean over the "
        "claims that are closest to it in words.",
    )

    extractor: str = "Babelscape/t5-base-summarization-claim-extractor"
    """Checkpoint that writes the claims of a summary."""
    entailment: str = "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli"
    """Checkpoint that judges a claim against a passage."""
    parser: str = "package:en_core_web_sm"
    """spaCy pipeline that splits the document and the claims into sentences."""
    revision: str = ""
    """Branch, tag or commit on the hub; empty for the pinned commit."""
    dtype: Dtype = "float32"
    """Number format in which the weights are held and computed."""
    window: int = 5
    """Sentences of the document in a passage, at least 1."""
    stride: int = 1
    """Sentences from the beginning of a passage to that of the next, at least 1."""
    limit: int = 1024
    """Tokens of a sentence or passage with its claim."""
    document_limit: int = 4096
    """Tokens of the whole document with a claim."""
    config_check: ConfigCheck = "strict"
    """"off" accepts an entailment model whose config.json names other labels than the published one."""

    def __post_init__(self) -> None:
        if self.window < 1 or self.stride < 1:
            raise BadSettingError(f"fenice: window and stride must be at least 1; got {self.window} and {self.stride}.")

    @property
    def way(self) -> FeniceClaims:
        """Method by which the claims are found."""
        return FeniceClaims(self.extractor, self.parser, self.revision, self.dtype)

    @property
    def judge(self) -> Checkpoint:
        published = self.entailment == type(self).entailment
        expects = expected_model(self.config_check, NLI_LABELS, "deberta-v2", published)
        return Checkpoint(
            self.entailment, "sequence_classifier", self.revision, self.dtype, expects=expects, setting="entailment"
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.way.writer, self.judge, self.way.grammar)

    def rounds(self, example: Example) -> Rounds[Score]:
        extraction = yield from self.way.rounds(example)
        claims = extraction.claims
        [homes] = yield [parser_question(self.way.grammar, example.document, "sentences")]
        premises = self.premises(example.document, homes.spans)
        if not premises:
            raise UnscorableError("There is nothing to compare: no sentence was found in the document.")
        questions = [self._entailment_of(premise, claim.text) for claim in claims for premise in premises]
        answers = yield questions
        best = [
            max(zip(answers[at : at + len(premises)], premises, strict=True), key=lambda pair: _alignment(pair[0]))
            for at in range(0, len(answers), len(premises))
        ]
        score = mean(_alignment(answer) for answer, _ in best)
        scored = [
            ClaimScore(claim, _alignment(answer), premise.span)
            for claim, (answer, premise) in zip(claims, best, strict=True)
        ]
        notes = (f"{len(claims)} claims: {' | '.join(claim.text for claim in claims)}",)
        phrases = [
            ScoredPhrase(claim.span, _alignment(answer), premise.span)
            for claim, (answer, premise) in zip(claims, best, strict=True)
            if claim.span
        ]
        seen = document_seen(example.document, [*extraction.answers, *answers], notes)
        return Score(score, sentence_parts(example, phrases), seen, claims=tuple(scored))

    def premises(self, document: str, homes: Sequence[Span]) -> list[Premise]:
        """The sentences and, where there is more than one window of them, the windows and the whole."""
        sentences = [Premise(span.of(document), span, self.limit) for span in homes]
        starts = range(0, len(homes) - self.window + 1, self.stride)
        if len(starts) < 2:
            return sentences
        windows = [
            Premise(" ".join(span.of(document) for span in some), Span(some[0].start, some[-1].end), self.limit)
            for some in (homes[start : start + self.window] for start in starts)
        ]
        return [*sentences, *windows, Premise(document, Span(0, len(document)), self.document_limit)]

    def _entailment_of(self, premise: Premise, claim: str) -> Question:
        return Question(self.judge, (premise.text, claim), (("limit", premise.limit),), evidence=premise.span)


def _alignment(answer: Answer) -> float:
    """Entailment less neutrality; the labels are entailment, neutral, contradiction."""
    if len(answer.values) != 3:
        raise UnscorableError(
            f"The entailment model gives {len(answer.values)} probabilities and FENICE needs three. Set entailment= to "
            "a model of entailment, neutral, contradiction."
        )
    return answer.values[0] - answer.values[1]
