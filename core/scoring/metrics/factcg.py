"""FactCG (Lei et al. 2025): a DeBERTa that is asked, as one would ask a person, whether a claim follows.

The algorithm is that of the authors' package with the model as it lies on the hub: chunks of whole sentences of at most 550
words, the largest probability over the chunks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from core.errors import UnscorableError
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.entailment import SUPPORT_LABELS, ClassifierMetric, Passage
from core.text import import_nltk, sentences
from core.types import Span

_CHUNK_WORDS = 550


def prompt(passage: str, claim: str) -> str:
    """The text that the model was trained on; it ends in a blank."""
    return (
        f'{passage}\n\nChoose your answer: based on the paragraph above can we conclude that "{claim}"?\n\n'
        "OPTIONS:\n- Yes\n- No\nI think the answer is "
    )


def chunks(document: str) -> list[Passage]:
    """Whole sentences, one a line, up to 550 words; raises UnscorableError for a document without a sentence.

    As in the authors' code a first sentence of more words leaves an empty chunk before it, and the last chunk alone loses
    the blanks around its lines.
    """
    groups: list[list[Span]] = [[]]
    used = 0
    for span in sentences(document):
        sentence = span.of(document)
        # the words that NLTK finds, which splits the sentence once more
        words = sum(len(_tokenize()(span.of(sentence))) for span in sentences(sentence))
        if used + words > _CHUNK_WORDS:
            groups.append([])
            used = 0
        groups[-1].append(span)
        used += words
    if groups == [[]]:
        raise UnscorableError("The document has no sentence: there is nothing to compare with.")
    passages = []
    for group in groups:
        text = ""
        for number, span in enumerate(group):
            text = f"{text}\n{span.of(document)}".strip("\n") if number or len(group) > 1 else span.of(document)
        whole = Span(group[0].start, group[-1].end) if group else Span(0, 0)
        passages.append(Passage(text.strip("\n"), whole))
    last = passages.pop()
    return [*passages, Passage(last.text.replace(" \n ", "\n").strip(), last.span)]


@cache
def _tokenize() -> Callable[[str], list[str]]:
    import_nltk()  # listing the metrics need not wait for it
    from nltk import NLTKWordTokenizer

    tokenize: Callable[[str], list[str]] = NLTKWordTokenizer().tokenize
    return tokenize


@METRICS.add
@dataclass(frozen=True)
class FactCG(ReplaceableWeights, ClassifierMetric):
    """A chunk and a claim in one prompt; the best chunk of each claim counts."""

    name: ClassVar[str] = "factcg"
    card: ClassVar[Card] = Card(
        title="FactCG",
        family="Entailment",
        measures="How probable it is that a chunk of the document supports each sentence of the summary; the mean over "
        "sentences.",
        paper="Lei, Li, Li, Hu, Xu, Archer, Wang, Ching, Deng 2025, FactCG: Enhancing Fact Checkers with Graph-Based "
        "Multi-Hop Data",
        url="https://arxiv.org/abs/2501.17144",
        low=0.0,
        high=1.0,
        contexts="best",
        download_mb=1_740,
        licence="Code and weights MIT.",
        differs="The authors score the claims of a benchmark. A summary is scored sentence by sentence and averaged here; "
        "claims=whole passes it as one claim. The weights are the authors' on the hub; the sample values in their README "
        "are of another file, in the form of Lightning, which is not read here.",
    )
    limit: ClassVar[int] = 2048
    supported: ClassVar[int] = 1
    labels: ClassVar[tuple[tuple[str, ...], ...]] = SUPPORT_LABELS
    model_type: ClassVar[str] = "deberta-v2"
    checkpoint: str = "yaxili96/FactCG-DeBERTa-v3-Large"

    def passages(self, document: str) -> list[Passage]:
        return chunks(document)

    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        return (prompt(passage, claim),)
