"""LettuceDetect (Kovács and Recski 2025): which tokens of the summary does the document not support?

The algorithm is that of the authors' package: the document as numbered passages inside a prompt, the summary as second
text, the document cut at its end or its passages read in groups, and for each token the largest probability over the groups.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import fsum
from pathlib import Path
from string import Template
from typing import ClassVar, Literal

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, ConfigCheck, Dtype
from core.scoring.checkpoint_languages import stated_languages
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.entailment import SUPPORT_LABELS, expected_model
from core.text import ENGLISH, layout_units, passage_spans
from core.types import Answer, Example, Part, Question, Rounds, Score, Seen, Span

UNSUPPORTED = 1
"""The label of a token that the document does not support."""
_SPECIAL_TOKENS = 3  # tokens of the template around two texts


_LANGUAGE_OF_NAME = re.compile(r"[-_]([a-z]{2})[-_]v\d")  # as the authors name their weights: lettucedect-…-de-v1
_OTHER_CODES = {"cn": "zh"}

Wording = Literal["", "english", "de", "es", "fr", "hu", "it", "pl", "zh"]


@dataclass(frozen=True, slots=True)
class UnsupportedSpan:
    """A stretch of the summary whose tokens are all called unsupported, and the largest probability among them."""

    span: Span
    probability: float


@lru_cache(1)
def _wordings() -> dict[str, dict[str, str]]:
    """By language the word for a passage and the prompts, "summary" and "answer", that the authors trained with."""
    file = Path(__file__).with_name("lettucedetect_wording.json")
    wordings: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return wordings


def prompt(passages: Sequence[str], question: str = "", language: str = ENGLISH) -> str:
    """Text for the model before a summary, or before the answer to a question; its wording is part of the weights."""
    wording = _wordings()[language]
    lines = "\n".join(f"{wording['passage']} {number}: {passage}" for number, passage in enumerate(passages, 1))
    if not question:
        return Template(wording["summary"]).substitute(text=lines)
    return Template(wording["answer"]).substitute(question=question, num_passages=len(passages), context=lines)


def group_passages(spans: Sequence[Span], sizes: Sequence[int], budget: int) -> list[list[Span]]:
    """Passages in order, in groups whose numbered lines stay within the budget; one that is larger stands alone."""
    groups: list[list[Span]] = [[]]
    used = 0
    for span, size in zip(spans, sizes, strict=True):
        if groups[-1] and used + 1 + size > budget:
            groups.append([])
            used = 0
        used += size + (1 if groups[-1] else 0)  # a newline between two lines
        groups[-1].append(span)
    return groups


def unsupported_spans(spans: Sequence[Span], shares: Sequence[float], called: Sequence[bool]) -> list[UnsupportedSpan]:
    """The runs of tokens that are called unsupported."""
    flags: list[UnsupportedSpan] = []
    for run, tokens in groupby(zip(spans, shares, called, strict=True), key=lambda token: token[2]):
        places, probabilities, _ = zip(*tokens, strict=True)
        if run:
            flags.append(UnsupportedSpan(Span(places[0].start, places[-1].end), max(probabilities)))
    return flags


@METRICS.add
@dataclass(frozen=True)
class LettuceDetect(ReplaceableWeights):
    """Reads document and summary together, so an edit asks again about the whole summary."""

    name: ClassVar[str] = "lettucedetect"
    card: ClassVar[Card] = Card(
        title="LettuceDetect",
        family="Entailment",
        measures="How probable it is that no token of the summary lacks support in the document: 1 minus the largest "
        "probability that a token is unsupported.",
        paper="Kovács, Recski 2025, LettuceDetect: A Hallucination Detection Framework for RAG Applications",
        url="https://arxiv.org/abs/2502.17125",
        low=0.0,
        high=1.0,
        contexts="passages",
        download_mb=599,
        licence="Code and weights MIT.",
        differs="The authors give probabilities of tokens and spans, which are the same here, and no score of a sentence or a "
        "summary: 1 minus the largest probability (over=max) or the mean one (over=mean) is ours. The document is one passage, "
        "cut at its end beyond 4096 tokens; passages=lines makes every line a passage and reads all of them. A summary that "
        "leaves no room for the document is refused where the package crashes. Weights for German, French, Spanish, Italian, Polish, "
        "Chinese and Hungarian get the prompt of their language; those of EuroBERT are read by transformers' own code.",
    )

    checkpoint: str = "KRLabsOrg/lettucedect-base-modernbert-en-v1"
    revision: str = ""
    dtype: Dtype = "float32"
    max_tokens: int = 4096
    passages: Literal["whole", "lines"] = "whole"
    over: Literal["max", "mean"] = "max"
    config_check: ConfigCheck = "strict"
    wording: Wording = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 64 <= self.max_tokens <= 8192:
            raise BadSettingError(f"{self.name}: max_tokens must be 64 to 8192; got {self.max_tokens}.")
        if self.language not in _wordings():
            raise BadSettingError(
                f"{self.name}: {self.checkpoint} is for {self.language}, and was trained with a prompt in that language; here are those "
                f"in {', '.join(_wordings())}. Set wording=english, or another one, for weights that were trained with it."
            )

    @property
    def language(self) -> str:
        """The language of the prompt: of the wording, or that of the weights by their name, `languages` or their card.

        English for weights of several languages by their card, as in the authors' package.
        """
        if self.wording:
            return ENGLISH if self.wording == "english" else self.wording
        by_name = _LANGUAGE_OF_NAME.search(Path(self.checkpoint).name.lower())
        by_card = stated_languages(self.checkpoint).split()
        code = by_name[1] if by_name else self.languages or (by_card[0] if len(by_card) == 1 else "")
        return _OTHER_CODES.get(code, code) or ENGLISH

    @property
    def weights(self) -> Checkpoint:
        published = self.checkpoint == type(self).checkpoint
        expects = expected_model(self.config_check, SUPPORT_LABELS[::-1], "modernbert eurobert", published)
        return Checkpoint(self.checkpoint, "token_classifier", self.revision, self.dtype, expects=expects)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def rounds(self, example: Example) -> Rounds[Score]:
        spans = self._passages(example)
        texts = [span.of(example.document) for span in spans]
        lines = [f"{_wordings()[self.language]['passage']} {number}: {text}" for number, text in enumerate(texts, 1)]
        counter = Checkpoint(self.checkpoint, "token_count", self.revision)
        read, claimed = yield [
            Question(counter, (self._prompt(texts, example), self._prompt([""], example), *lines)),
            Question(counter, (example.summary,)),
        ]
        room = self.max_tokens - _SPECIAL_TOKENS - int(claimed.values[0])
        if room < 1:
            raise UnscorableError(
                f"The summary has {claimed.values[0]:.0f} tokens and the model reads {self.max_tokens} with the document. "
                "Shorten the summary."
            )
        whole, overhead, *sizes = map(int, read.values)
        fits = whole <= room or overhead >= room
        questions = self.ask(example, [spans] if fits else group_passages(spans, sizes, room - overhead))
        answers = yield questions
        return self.fold(example, questions, answers)

    def ask(self, example: Example, grouped: Sequence[Sequence[Span]]) -> list[Question]:
        """One question for each group of passages, numbered from 1 in each."""
        return [
            Question(
                self.weights,
                (self._prompt([span.of(example.document) for span in group], example), example.summary),
                (("label", UNSUPPORTED), ("limit", self.max_tokens)),
                evidence=Span(group[0].start, group[-1].end),
            )
            for group in grouped
        ]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        """A part is read from the tokens that begin in a sentence, as the score from all."""
        largest = [max(shares) for shares in zip(*(answer.values for answer in answers), strict=True)]
        # a token of no width belongs to no span
        tokens = [(span, share) for span, share in zip(answers[0].spans, largest, strict=True) if span.start < span.end]
        if not tokens:
            raise UnscorableError("The summary has no token that the model knows. Write it in letters.")
        spans, shares = [span for span, _ in tokens], [share for _, share in tokens]
        # the package asks for the likelier label in one group and for a half over several
        called = [share > 0.5 if len(answers) == 1 else share >= 0.5 for share in shares]

        flags = unsupported_spans(spans, shares, called)
        cut = sum(answer.cut for answer in answers)
        notes = [f"{cut} tokens at the end of the document were not read."] if cut else []
        notes += [
            f"Unsupported with probability {flag.probability:.2f}: characters {flag.span.start} to {flag.span.end}, "
            f"“{flag.span.of(example.summary)}”."
            for flag in flags
        ]
        pieces = tuple(question.evidence for question in questions if question.evidence)
        seen = Seen(pieces, sum(answer.tokens for answer in answers), cut, tuple(notes))

        return Score(self._score(shares), self._parts(example.summary, tokens), seen)

    def _parts(self, summary: str, tokens: Sequence[tuple[Span, float]]) -> tuple[Part, ...]:
        begun = [(span.end - len(span.of(summary).lstrip()), share) for span, share in tokens]
        return tuple(
            Part(sentence, self._score(inside))
            for sentence in layout_units(summary)
            if (inside := [share for start, share in begun if sentence.start <= start < sentence.end])
        )

    def _prompt(self, passages: Sequence[str], example: Example) -> str:
        return prompt(passages, example.question, self.language)

    def _score(self, shares: Sequence[float]) -> float:
        return 1 - (max(shares) if self.over == "max" else fsum(shares) / len(shares))

    def _passages(self, example: Example) -> list[Span]:
        document = example.document
        if example.contexts or self.passages == "whole":
            return list(passage_spans(example))
        ends = [place for place, character in enumerate(document) if character == "\n"]
        lines = [
            Span(start, end) for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(document)], strict=True)
        ]
        return [line for line in lines if line.of(document).strip()]
