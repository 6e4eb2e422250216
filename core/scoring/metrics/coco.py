"""CoCo (Xie et al. 2021): how much less probable the words of a summary become when the document is masked.

The algorithm is that of the authors' script (factual_coco 6ec29f7): the words of the summary that carry meaning are
masked in the document, and their probabilities by a summarizer with and without the mask are compared.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.errors import BadSettingError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.question_answering import MultiRoundMetric, parser_question
from core.text import layout_units
from core.types import Answer, Example, Part, Question, Rounds, Score, Seen, Span

Strategy = Literal["token", "span", "sent", "doc"]
"""Part that is masked: words of the summary, these with two neighbours on either side, their sentences, or all."""

CONTENT_POS = frozenset("ADJ ADP ADV AUX INTJ NOUN NUM PRON PROPN VERB X".split())
"""The parts of speech whose words are masked."""

MASK = "<mask>"
_NEIGHBOURS = 2
_NEWLINES = str.maketrans("\n\r\v\f\x85\u2028\u2029", " " * 7)


@dataclass(frozen=True, slots=True)
class SummaryWord:
    """A word of the summary as the model writes it, the place of its first token, and whether its text is whole."""

    span: Span
    token: int
    whole: bool = True


@METRICS.add
@dataclass(frozen=True)
class CoCo(MultiRoundMetric):
    """Asks in rounds: the words of both texts, the length of what the mask leaves, the likelihoods."""

    name: ClassVar[str] = "coco"
    card: ClassVar[Card] = Card(
        title="CoCo",
        family="Likelihood",
        measures="How much more probable the words of the summary that carry meaning are given the document than given "
        "the document without them; the mean over these words.",
        paper="Xie, Sun, Deng, Li, Ding 2021, Factual Consistency Evaluation for Text Summarization via Counterfactual "
        "Estimation",
        url="https://aclanthology.org/2021.findings-emnlp.10",
        low=-1.0,
        high=1.0,
        download_mb=1_626,
        licence="Code: its repository states none. Weights MIT.",
        differs="Words and parts of speech come from the installed version of spaCy's en_core_web_sm, which moves scores; "
        "the authors used 3.1. Newlines are read as blanks, since the authors' files hold a text on each line, and a "
        "literal </s> as the end token. As in their script, a word with punctuation after it is no word of the summary, and a summary "
        "without a word to compare scores 0. The score of a sentence is the mean over its words.",
    )

    checkpoint: str = "facebook/bart-large-cnn"
    revision: str = ""
    dtype: Dtype = "float32"
    parser: str = "package:en_core_web_sm"
    mask: Strategy = "token"
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        if not 8 <= self.max_tokens <= 1024:
            raise BadSettingError(f"{self.name}: max_tokens must be 8 to 1024; got {self.max_tokens}.")

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "seq2seq_likelihood", self.revision, self.dtype)

    @property
    def pipeline(self) -> Checkpoint:
        return Checkpoint(self.parser, "spacy_parse", setting="parser")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.pipeline, self.weights)

    def rounds(self, example: Example) -> Rounds[Score]:
        document, summary = one_line(example.document), one_line(example.summary)
        questions = [
            parser_question(self.pipeline, document, "words"),
            parser_question(self.pipeline, summary, "words"),
        ]
        read, summary_words, *split = yield [*questions, *self._also(document)]
        keys = content_words(summary, summary_words)
        hidden = mask_document(self.mask, document, read, split[0].spans if split else (), keys)
        [lengths] = yield [Question(Checkpoint(self.checkpoint, "token_count", self.revision), tuple(hidden))]
        limit = self._limit([int(length) for length in lengths.values])
        plain, masked = yield [
            self._ask(document, summary, self.max_tokens),
            self._ask(MASK.join(hidden), summary, limit),
        ]

        summary = one_line(example.summary)
        blanks = example.summary.translate(_NEWLINES).index(summary)
        words = decoded_words(summary, plain.spans)
        lost = {
            blanks + word.span.start: math.exp(plain.values[word.token]) - math.exp(masked.values[word.token])
            for word in words
            if word.whole and word.span.of(summary) in keys
        }
        parts = tuple(
            Part(span, math.fsum(inside) / len(inside))
            for span in layout_units(example.summary)
            if (inside := [change for start, change in lost.items() if span.start <= start < span.end])
        )
        value = math.fsum(lost.values()) / len(lost) if lost else 0.0
        cut = plain.cut + masked.cut
        nothing = () if lost else ("No word of the summary could be compared, which the metric scores 0.",)
        cuts = (f"{cut} tokens beyond the limit were not read.",) if cut else ()
        notes = (f"{len(lost)} of {len(words)} words were compared.", *nothing, *cuts)
        seen = Seen((Span(0, len(example.document)),), plain.tokens + masked.tokens, cut, notes)
        return Score(value, parts, seen)

    def _also(self, document: str) -> list[Question]:
        return [parser_question(self.pipeline, document, "sentences")] if self.mask == "sent" else []

    def _limit(self, lengths: Sequence[int]) -> int:
        """The tokens of the masked document that are read, where nothing between two masks takes a place all the same."""
        last = len(lengths) - 1
        places: list[int] = []
        for number, length in enumerate(lengths):
            places += [1] * length or [0] * (0 < number < last)
            places += [1] * (number < last)
        room = self.max_tokens - 2
        return self.max_tokens if len(places) <= room else sum(places[:room]) + 2

    def _ask(self, document: str, summary: str, limit: int) -> Question:
        return Question(self.weights, (document, summary), (("limits", (limit, self.max_tokens)),))


def one_line(text: str) -> str:
    """The text without blanks around and with a blank for each newline, so that places stay."""
    return text.translate(_NEWLINES).strip()


def content_words(text: str, words: Answer) -> frozenset[str]:
    """The words of a text that carry meaning, by their part of speech."""
    return frozenset(span.of(text) for span, kind in zip(words.spans, words.texts, strict=True) if kind in CONTENT_POS)


def mask_document(
    strategy: Strategy, document: str, words: Answer, split: Sequence[Span], keys: Collection[str]
) -> list[str]:
    """Passages that the masks leave of a document, its words with single blanks: before, between and after the masks."""
    lower_keys = {key.lower() for key in keys}
    key_places = {number for number, span in enumerate(words.spans) if span.of(document).lower() in lower_keys}

    if strategy == "doc":
        hidden = set(range(len(words.spans)))
    elif strategy == "span":
        hidden = {place + step for place in key_places for step in range(-_NEIGHBOURS, _NEIGHBOURS + 1)}
    elif strategy == "token":
        hidden = key_places
    else:
        struck = [
            sentence for sentence in split if any(_begins_in(words.spans[place], sentence) for place in key_places)
        ]
        hidden = {
            place for place, span in enumerate(words.spans) if any(_begins_in(span, sentence) for sentence in struck)
        }

    shown = [MASK if number in hidden else span.of(document) for number, span in enumerate(words.spans)]
    return [passage.rstrip() for passage in " ".join(shown).split(MASK)]


def _begins_in(word: Span, sentence: Span) -> bool:
    return sentence.start <= word.start < sentence.end


def decoded_words(text: str, tokens: Sequence[Span]) -> list[SummaryWord]:
    """The words of a text as its tokens spell them: one begins with every token that begins with a blank.

    A token that is a blank alone counts for nothing, though it takes the blank away from the one after it.
    """
    words: list[SummaryWord] = []
    for place, token in enumerate(tokens):
        if token.start == token.end:
            continue
        blank = tokens[place - 1].end < token.start and text[token.start - 1] == " "
        if blank or not words:
            words.append(SummaryWord(token, place))
        else:
            # of a character that several tokens spell the authors' script sees fragments, which no word equals
            whole = words[-1].whole and token.start >= words[-1].span.end
            words[-1] = SummaryWord(Span(words[-1].span.start, token.end), words[-1].token, whole)
    return words
