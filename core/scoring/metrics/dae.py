"""DAE-style arc entailment (Goyal and Durrett 2021): does the document entail each dependency arc of the summary?

The network and its input are those of the authors' second code (factuality-datasets); the arcs are spaCy's and not CoreNLP's,
which is why the metric does not bear the name DAE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import ClassVar

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, Dtype, file_checkpoint
from core.scoring.metric import METRICS, Card, Metric, PublishedArchive
from core.text import layout_units
from core.types import Answer, Example, Part, Question, Rounds, Score, Seen, Span

DROPPED_RELATIONS = {"punct", "ROOT", "root", "det", "case", "aux", "auxpass", "dep", "cop", "mark"}
"""The relations that the authors leave out."""
_AS_CASE = "prep"  # spaCy hangs a noun on its preposition, which CoreNLP marks as the noun's case and leaves out
MAX_ARCS = 20


@dataclass(frozen=True, slots=True)
class Arc:
    """A word and the word that it depends on, by their numbers; `span` is where the first stands in the summary."""

    child: int
    head: int
    span: Span


def judged_arcs(words: Sequence[Span], labels: Sequence[str], heads: Sequence[int]) -> list[Arc]:
    """The arcs that are judged, in the order of their words: none of the dropped relations, and through a preposition to
    what the preposition depends on.
    """
    arcs = []
    for child, label in enumerate(labels):
        if label in DROPPED_RELATIONS or label == _AS_CASE or not label:
            continue
        head = heads[child]
        while labels[head] == _AS_CASE and heads[head] != head:
            head = heads[head]
        if head != child:
            arcs.append(Arc(child, head, words[child]))
    return arcs


@METRICS.add
@dataclass(frozen=True)
class DaeSpacy(Metric):
    """Parses, then reads document and summary once for all arcs, so an edit reads the whole summary again."""

    name: ClassVar[str] = "dae-spacy"
    card: ClassVar[Card] = Card(
        title="DAE-style arcs (spaCy)",
        family="Entailment",
        measures="How probable it is that the document entails what each word of the summary has to do with the word it "
        "depends on; the mean over the arcs.",
        paper="Goyal, Durrett 2021, Annotating and Modeling Fine-grained Factuality in Summarization",
        url="https://aclanthology.org/2021.naacl-main.114",
        low=0.0,
        high=1.0,
        download_mb=438,
        licence="Code and weights: the authors' repositories state none.",
        differs="Not the published DAE: its arcs are those of CoreNLP 3.9, which needs Java and is not brought along, and another "
        "parser moves the scores. Here spaCy parses and splits words; its labels are dropped by the authors' list, and a noun "
        "after a preposition is hung on what the preposition depends on. The network and its input are the authors', as is that only the first 20 arcs count; the "
        "score is the mean probability over the arcs. The weights are a folder of the authors' Google Drive, best "
        "DAE_xsum_human_best_ckpt.",
        archives=(
            PublishedArchive(
                "checkpoint",
                "DAE_xsum_human_best_ckpt.zip",
                "https://drive.google.com/drive/folders/18X9l3E1MWOFtLOMJNhlS8DEFDz4lsZuq "
                "(factuality_models_datasets/factuality_models)",
            ),
        ),
    )

    checkpoint: str = "./DAE_xsum_human_best_ckpt"
    parser: str = "package:en_core_web_sm"
    dtype: Dtype = "float32"
    max_tokens: int = 512

    def __post_init__(self) -> None:
        if not 64 <= self.max_tokens <= 512:
            raise BadSettingError(f"{self.name}: max_tokens must be 64 to 512; got {self.max_tokens}.")

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "dae", dtype=self.dtype)

    @property
    def grammar(self) -> Checkpoint:
        return Checkpoint(self.parser, "dependency_parse", setting="parser")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights, self.grammar)

    def arcs(self, summary: str, parsed: Answer) -> list[Arc]:
        """The first arcs between words of the summary, as many as the authors judge."""
        words = _word_numbers(summary, parsed)
        arcs = judged_arcs(parsed.spans, parsed.texts, [int(head) for head in parsed.values])
        return [arc for arc in arcs if arc.child in words and arc.head in words][:MAX_ARCS]

    def rounds(self, example: Example) -> Rounds[Score]:
        # the name of the pipeline is told too: two of them must not share answers
        pipeline = (("pipeline", self.parser),)
        read, claimed = yield [
            Question(self.grammar, (text,), pipeline) for text in (example.document, example.summary)
        ]
        places = _word_numbers(example.summary, claimed)
        pairs = tuple(places[word] for arc in self.arcs(example.summary, claimed) for word in (arc.child, arc.head))
        if not pairs:
            raise UnscorableError(
                "The parser finds no two words of the summary that depend on each other. Write a sentence."
            )
        inputs = (_joined_words(example.document, read), _joined_words(example.summary, claimed))
        question = Question(self.weights, inputs, (("arcs", pairs), ("limit", self.max_tokens)))
        [answer] = yield [question]
        return self.fold(example, [question], [claimed, answer])

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the places are in the parse
        """The mean over the arcs, from the parse of the summary and the probabilities; a part is the mean over the arcs
        whose word stands in a sentence.
        """
        claimed, answer = answers
        judged = list(zip(self.arcs(example.summary, claimed), answer.values, strict=True))
        parts = tuple(
            Part(sentence, fsum(inside) / len(inside))
            for sentence in layout_units(example.summary)
            if (inside := [share for arc, share in judged if sentence.start <= arc.span.start < sentence.end])
        )
        notes = [f"{answer.cut} tokens at the end of the document were not read."] if answer.cut else []
        if len(judged) == MAX_ARCS:
            last = judged[-1][0].span
            notes.append(f"{MAX_ARCS} arcs were judged; what follows “{last.of(example.summary)}” may not have been.")
        seen = Seen((Span(0, len(example.document)),), answer.tokens, answer.cut, tuple(notes))
        return Score(fsum(answer.values) / len(answer.values), parts, seen)


@METRICS.add
@dataclass(frozen=True)
class Dae(DaeSpacy):
    """The same network on the arcs of CoreNLP, which were written to a file."""

    name: ClassVar[str] = "dae"
    card: ClassVar[Card] = replace(
        DaeSpacy.card,
        title="DAE",
        differs="The arcs and words are CoreNLP's, read from a file of its JSON that you made: its enhanced dependencies without the "
        "relations that the authors leave out, in its order, of which the first 20 count. A text that the file has no parse of has no "
        "score. The score is the mean probability over the arcs.",
    )

    parses: str = ""
    """File of CoreNLP's JSON, a line for each text."""

    @property
    def grammar(self) -> Checkpoint:
        return file_checkpoint(self.parses, "corenlp_parses", "parses")

    def arcs(self, summary: str, parsed: Answer) -> list[Arc]:
        words = _word_numbers(summary, parsed)
        numbers = [int(number) for number in parsed.values]
        arcs = [
            Arc(child, head, parsed.spans[child])
            for label, child, head in zip(parsed.texts, numbers[::2], numbers[1::2], strict=True)
            if label not in DROPPED_RELATIONS and child in words and head in words
        ]
        return arcs[:MAX_ARCS]


def _joined_words(text: str, parsed: Answer) -> str:
    """The words in lower case, a blank between each two."""
    return " ".join(word for span in parsed.spans if (word := span.of(text).strip())).lower()


def _word_numbers(text: str, parsed: Answer) -> dict[int, int]:
    """The numbers of words among those that are no run of blanks, by their numbers among all."""
    numbers = [number for number, span in enumerate(parsed.spans) if span.of(text).strip()]
    return {number: place for place, number in enumerate(numbers)}
