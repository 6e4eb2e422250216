"""BLEU of the summary against the document (Papineni et al. 2002), by the sacrebleu package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar

from sacrebleu.metrics.bleu import BLEU, BLEUScore

from core.base import memoize
from core.scoring.metric import METRICS, Card, Metric
from core.scoring.metric_parts.surface_metric import words_or_error
from core.text import SPACED, closest_evidence, layout_units, words
from core.types import Answer, Example, Part, Question, Score, Seen, Span


@METRICS.add
@dataclass(frozen=True)
class Bleu(Metric):
    """Sentence BLEU with sacrebleu's defaults; the document stands where a reference translation would."""

    name: ClassVar[str] = "bleu"
    card: ClassVar[Card] = Card(
        title="BLEU",
        family="Overlap",
        languages=SPACED,
        measures="N-grams up to four of the summary that stand in the document, with a penalty for being shorter than it.",
        paper="Papineni et al. 2002, BLEU; as used in BUMP (Ma et al. 2023)",
        url="https://aclanthology.org/P02-1040",
        low=0.0,
        high=100.0,
        licence="Code (sacrebleu) Apache-2.0.",
        differs="The score is sacrebleu's. A summary is far shorter than its document, so the penalty makes values tiny; "
        "the sentence cells leave the penalty out to stay readable.",
    )

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        words_or_error(example.summary, "summary")
        bleu = _score(example.document, example.summary)
        parts = tuple(
            self._part(example, span) for span in layout_units(example.summary) if words(span.of(example.summary))
        )
        notes = (f"Brevity penalty {bleu.bp:.3g}: {bleu.sys_len} against {bleu.ref_len} tokens.",)
        precisions = [precision for precision, number in zip(bleu.precisions, bleu.totals, strict=True) if number]
        value = bleu.bp * _geometric_mean(precisions) if precisions else 0.0
        return Score(value, parts, Seen((Span(0, len(example.document)),), notes=notes))

    def _part(self, example: Example, span: Span) -> Part:
        claim = span.of(example.summary)
        return Part(span, _geometric_mean(_score(example.document, claim).precisions), closest_evidence(example, claim))


def _score(document: str, text: str) -> BLEUScore:
    score: BLEUScore = _reference_bleu(document).corpus_score([text], None)
    return score


def _geometric_mean(precisions: Sequence[float]) -> float:
    if not all(precisions):
        return 0.0
    # one after the other, as sacrebleu does by the built-in sum, which rounds in another way from Python 3.12 on
    return math.exp(reduce(add, map(math.log, precisions)) / len(precisions))


@memoize(8)
def _reference_bleu(document: str) -> BLEU:
    # one corpus of one sentence is sacrebleu's sentence BLEU, and keeps the n-grams of the document between keystrokes
    return BLEU(effective_order=True, references=[[document]])
