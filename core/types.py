"""The nouns of the project: frozen values that travel between texts, metrics, engine, pages and store."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, TypeVar

from core.model_reference import Checkpoint, EndpointModel, ModelRef


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open character offsets [start, end) into a text, counted in code points."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Context:
    """A named part of a document: a passage that was retrieved, a turn of a conversation, one of several articles."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class SummaryClaim:
    """A statement that a summary makes, in words of its own, and the part of the summary that it is of where that is known."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ClaimList:
    """The claims of `summary`, and `by` what they were found or written, in a line; "" where that is not known."""

    summary: str
    claims: tuple[SummaryClaim, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A document (the premise) and a summary of it (the hypothesis).

    `contexts` are the parts of a document that has named ones, in order and without overlap. `question` is what the summary
    answers, "" where nothing was asked. `claims` are those that came with the summary; None where it came without.
    """

    id: str
    document: str
    summary: str
    contexts: tuple[Context, ...] = ()
    question: str = ""
    claims: ClaimList | None = None


class Verdict(StrEnum):
    """Verdict of a judge on a summary as a whole."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    BORDERLINE = "borderline"


class ErrorType(StrEnum):
    """The seven error types of BUMP (Ma et al. 2023, table 1), and "Other" of its freestyle task."""

    INTRINSIC_PREDICATE = "Intrinsic Predicate"
    EXTRINSIC_PREDICATE = "Extrinsic Predicate"
    INTRINSIC_ENTITY = "Intrinsic Entity"
    EXTRINSIC_ENTITY = "Extrinsic Entity"
    INTRINSIC_CIRCUMSTANCE = "Intrinsic Circumstance"
    EXTRINSIC_CIRCUMSTANCE = "Extrinsic Circumstance"
    COREFERENCE = "Coreference"
    OTHER = "Other"


@dataclass(frozen=True, slots=True)
class Intention:
    """Intended effect of an edit on a summary, and its error; None where nobody said so."""

    verdict: Verdict | None = None
    error_type: ErrorType | None = None


UNSTATED = Intention()
"""Nobody said what the edit is meant to be."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `span` of a summary by `new`: one executable edit (SummExecEdit, Thorat et al. 2024)."""

    span: Span
    new: str
    explanation: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict of one judge (a benchmark's gold or a person) on one example."""

    example_id: str
    judge: str
    verdict: Verdict
    span: Span | None = None
    category: str = ""
    note: str = ""


ALL_JUDGES = "all"
"""The judge whose rating is the figure to which a dataset sums its judges up."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The number that one judge gave one aspect of a summary, higher is better; `sentence` counts from 0, None is all of it.

    The unit is the dataset's: a share of faithful sentences, a level from 1 to 5, a percentage. The judge
    `ALL_JUDGES` is the dataset's own figure.
    """

    judge: str
    aspect: str
    value: float
    sentence: int | None = None


@dataclass(frozen=True, slots=True)
class StoredScore:
    """Score of a metric that lies in a file, a table or a database; no value and an `error` where the metric failed.

    `metric` is the spec of one of our metrics, or the name that the authors of a dataset gave theirs; then there is no
    signature.
    """

    metric: str
    value: float | None
    signature: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class GradedExplanation:
    """Reason why `by`, a model or person, calls a summary (in)consistent, and a judge's grade, in the dataset's words.

    `verdict` is what `by` called it; None where the dataset does not tell. A model that was asked and gave no answer has
    neither text nor verdict. `cause` is what the judge found wrong, "" where that is not known.
    """

    text: str
    by: str
    grade: str = ""
    judge: str = ""
    verdict: Verdict | None = None
    cause: str = ""


class Split(StrEnum):
    """Thresholds are chosen on DEV only; TRAIN is what its authors trained on."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Item:
    """An example with what a dataset knows of it; an edited summary names its parent and the edits that made it.

    A text that the dataset does not bring is "" and may be joined later: the document by `group`, the summary by the id.
    """

    example: Example
    """The texts; their id is unique in the dataset."""

    parent: str | None = None
    """The id of the example that was edited; None for a summary that no edit made."""

    edits: tuple[Edit, ...] = ()
    """They turn the parent's summary into this one, in offsets of the parent's."""

    intended: Verdict | None = None
    """The label that counts: an editor's intention, or the verdict of the judges together; None if unlabelled."""

    error_type: ErrorType | None = None
    """The error that the edit or summary has; None if there is none or nobody named it."""

    domain: str = ""
    """Kind or corpus of the document, as "news"; "" if unknown."""

    group: str = ""
    """Key of the document, shared by all its summaries: the unit of splitting and resampling; "" if unknown."""

    title: str = ""
    """Heading of the document or topic, for people; "" if it has none."""

    judgements: tuple[Judgement, ...] = ()
    """The verdicts of single judges, of the whole summary or of a span."""

    required_type: ErrorType | None = None
    """The error type that the author of the edit was asked for; None if any was welcome."""

    categories: tuple[str, ...] = ()
    """The dataset's own names of the errors in the summary, each once."""

    system: str = ""
    """The model or person that wrote the summary; "" if unknown."""

    split: Split | None = None
    """The part of the dataset's own split; None if it has none."""

    ratings: tuple[Rating, ...] = ()
    """Numbers that judges gave, each in the unit of its dataset, higher is better."""

    scores: tuple[StoredScore, ...] = ()
    """Scores that were released with the dataset, higher is more consistent."""

    explanations: tuple[GradedExplanation, ...] = ()
    """Reasons that models or people gave for their verdicts, with grades."""

    source: str = ""
    """The part of the dataset whose scores were made together, as a task; scores of two sources may differ in scale."""

    failed_scores: tuple[str, ...] = ()
    """The metrics whose released score is an error or no number."""

    slices: tuple[str, ...] = ()
    """Parts of the data that the owner of the dataset named."""

    columns: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """The cells of the owner's table beside the texts, by column, as text."""


@dataclass(frozen=True, slots=True)
class Sample:
    """An item of a dataset as the store gives it back: without the text of its document, with our own scores.

    `stored` is the id under which document and summary are kept, `document` that of the document; "" where it is missing.
    """

    dataset: str
    item: Item
    stored: str = ""
    document: str = ""
    kept: tuple[StoredScore, ...] = ()


PRECOMPUTED = "Bundled examples (precomputed)"
"""The dataset of the bundled examples with their scores, there before anything was imported; no import may have its name."""


Option = tuple[str, int | float | str | tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Question:
    """One input of one model.

    `claim` (in the summary) and `evidence` (in the document) say where the inputs came from. They do not count in
    equality: a sentence that merely moved is the same question.
    """

    checkpoint: ModelRef
    inputs: tuple[str, ...]
    options: tuple[Option, ...] = ()
    claim: Span | None = field(default=None, compare=False)
    evidence: Span | None = field(default=None, compare=False)

    @property
    def weights(self) -> Checkpoint:
        """The weights to load, of a question that is known to be for a model of this machine."""
        assert isinstance(self.checkpoint, Checkpoint)
        return self.checkpoint

    @property
    def endpoint_model(self) -> EndpointModel:
        """The model to ask, of a question that is known to be for an endpoint."""
        assert isinstance(self.checkpoint, EndpointModel)
        return self.checkpoint


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a model to one question.

    `values` are probabilities, log-probabilities, similarities, counts or an embedding, as the kind defines;
    `spans` place them in an input when they are per token. `tokens` were read, `cut` were dropped by truncation.
    """

    values: tuple[float, ...] = ()
    spans: tuple[Span, ...] = ()
    texts: tuple[str, ...] = ()
    tokens: int = 0
    cut: int = 0


T = TypeVar("T")
Rounds = Generator[Sequence[Question], list[Answer], T]
"""A conversation with the models: yields questions, is sent their answers in the same order, returns its outcome."""


@dataclass(frozen=True, slots=True)
class WordScore:
    """The score of one word of the summary, in the range of the metric's score."""

    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class Part:
    """The score of one sentence of the summary, and the passage of the document that it rests on.

    `words` are those of the sentence with their scores, of a metric that gives any.
    """

    span: Span
    score: float
    evidence: Span | None = None
    words: tuple[WordScore, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimScore:
    """The score of one claim and the passage of the document that it rests on; no score and an `error` where it has none."""

    claim: SummaryClaim
    score: float | None
    evidence: Span | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """Record of what a metric read: the pieces of the document in order, tokens read and cut, and remarks."""

    pieces: tuple[Span, ...] = ()
    tokens: int = 0
    cut: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one example by a metric, before the engine adds where and how it was obtained.

    `asked` is for the signature: what the number depends on and only the conversation knows, as the prompt that it used.
    `claims` are those that the summary was decomposed into, of a metric that does so.
    """

    value: float
    parts: tuple[Part, ...] = ()
    seen: Seen = Seen()
    asked: tuple[str, ...] = ()
    claims: tuple[ClaimScore, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """Usage: planned = cached + merged + asked questions; forward passes; tokens read by the models."""

    planned: int = 0
    cached: int = 0
    merged: int = 0
    asked: int = 0
    passes: int = 0
    tokens: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.planned + other.planned,
            self.cached + other.cached,
            self.merged + other.merged,
            self.asked + other.asked,
            self.passes + other.passes,
            self.tokens + other.tokens,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """A score with its signature: enough to repeat it and to know what it may be compared with."""

    example_id: str
    """The id of the example that was scored."""

    metric: str
    """The spec of the metric, as `rouge2` or `name[setting=value]`."""

    signature: str
    """Settings, weights, prompts, code and libraries that the number depends on."""

    score: float
    """The score of the whole summary, finite, in the metric's bounds and direction."""

    parts: tuple[Part, ...]
    """The scores of sentences, in the order of the summary; empty for a metric that scores the summary as one."""

    seen: Seen
    """The passages and tokens that the metric read."""

    seconds: float
    """Wall-clock time from the start of the conversation to the score."""

    device: str
    """The device that the models ran on, as "cpu" or "cuda:0"."""

    counts: Counts = Counts()
    """The questions and forward passes that it took."""

    claims: tuple[ClaimScore, ...] = ()
    """The scores of claims, of a metric that decomposes the summary; else empty."""


class FailureKind(StrEnum):
    """Reason why there is no score."""

    INPUT = "input"  # the text cannot be scored by this metric
    NEEDS_DOWNLOAD = "needs download"  # the weights are not on this machine
    NEEDS_ENDPOINT = "needs endpoint"  # no language-model endpoint is configured
    LOAD = "load"  # the weights are here but do not load
    OUT_OF_MEMORY = "out of memory"
    ERROR = "error"  # anything else; the traceback is in the log


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why a metric has no score for an example; never a number."""

    example_id: str
    metric: str
    kind: FailureKind
    error: str


Outcome = Result | Failure


class Grade(StrEnum):
    """Correctness of an explanation."""

    ENTIRELY = "entirely"
    PARTIALLY = "partially"
    NOT = "not"


GRADE_VALUES: Mapping[Grade, float] = MappingProxyType({Grade.ENTIRELY: 1.0, Grade.PARTIALLY: 0.5, Grade.NOT: 0.0})


class ExplanationFlaw(StrEnum):
    """Flaw of an explanation that is not entirely correct (SummExecEdit, Thorat et al. 2024, section 5.3)."""

    MISATTRIBUTION = "misattribution"
    ADDITIONAL_UNRELATED = "additional unrelated"
    COMPLETENESS = "completeness"
    VAGUE = "vague"


Direction = Literal["higher", "lower", "neutral"]
"""Direction of a metric: the scores that mean more consistent; `neutral` where neither does."""

Format = Literal[
    "text",
    "metric",
    "metrics",
    "perturbation",
    "count",
    "number",
    "percent",
    "share",
    "coefficient",
    "unsigned",
    "signed",
    "units",
    "correlation",
    "rank",
    "seconds",
]
"""Writing of a cell for people; records and CSV have every digit. `percent` and `share` take shares in 0..1.

A `metric` or a `perturbation` is named by its spec, which records, CSV and the terminal keep, and people read its title; `metrics`
are several with a plus between.
"""
