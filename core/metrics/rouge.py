"""ROUGE-2 between the document and the summary (Lin 2004), by the rouge-score package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Literal

from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer, Tokenizer

from core.memoize import memoize
from core.metric import METRICS, Card
from core.surface_metric import SurfaceMetric


class _MemoizingTokenizer(Tokenizer):  # type: ignore[misc]  # rouge-score carries no types
    """rouge-score's own tokenizer, which otherwise stems the unchanged document again for every keystroke."""

    def __init__(self, stemmer: bool) -> None:
        self._tokens = memoize(64)(DefaultTokenizer(stemmer).tokenize)

    def tokenize(self, text: str) -> list[str]:
        tokens: list[str] = self._tokens(text)
        return tokens


@cache
def _scorer(stemmer: bool) -> RougeScorer:
    return RougeScorer(["rouge2"], tokenizer=_MemoizingTokenizer(stemmer))


@METRICS.add
@dataclass(frozen=True)
class Rouge2(SurfaceMetric):
    """Share of the summary's bigrams that the document holds (precision), or the other measures of ROUGE-2."""

    name: ClassVar[str] = "rouge2"
    card: ClassVar[Card] = Card(
        title="ROUGE-2",
        family="Overlap",
        measures="Bigrams of the summary that stand in the document, as a share of the summary's bigrams.",
        paper="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries",
        url="https://aclanthology.org/W04-1013",
        low=0.0,
        high=1.0,
        licence="Code (rouge-score) Apache-2.0.",
        differs="rouge-score equals the Perl program behind published tables on about 86 % of BUMP summaries (largest "
        "difference 0.12): the Perl program also used WordNet's list of irregular forms. A text without bigrams scores 0.",
    )
    measured: Literal["precision", "recall", "f1"] = "precision"
    stemmer: bool = True

    def measure(self, document: str, text: str) -> float:
        score = _scorer(self.stemmer).score(document, text)["rouge2"]
        return float({"precision": score.precision, "recall": score.recall, "f1": score.fmeasure}[self.measured])
