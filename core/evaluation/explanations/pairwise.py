"""Two summaries compared by a language model in both orders (Zheng et al. 2023, section 3.4): a win counts where the orders agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator

from core.errors import UnreadableAnswerError, UnscorableError
from core.evaluation.explanations.edited_summaries import SummaryWithEdit
from core.evaluation.explanations.judge import converse_in_order
from core.models import (
    Sampling,
    StructuredAnswer,
    ask_side_by_side,
    ask_structured,
    load_prompt,
    model_signature,
    plain_words,
)
from core.scoring import Conversation, Engine
from core.text import document_for_reader
from core.types import Example, Failure, Rounds

Preference = Literal["original", "edited", "tie", "order-inconsistent"]
PREFERENCES: tuple[Preference, ...] = ("original", "edited", "tie", "order-inconsistent")

_PROMPT = "pairwise"
_VARIABLES = ("document", "first", "second")
_Place = Literal["first", "second", "same"]
_ORIGINAL_FIRST: Mapping[_Place, Preference] = MappingProxyType(
    {"first": "original", "second": "edited", "same": "tie"}
)
_EDITED_FIRST: Mapping[_Place, Preference] = MappingProxyType({"first": "edited", "second": "original", "same": "tie"})


_PLACES: Mapping[str, _Place] = MappingProxyType(
    {
        **dict.fromkeys(("first", "first summary", "the first", "the first summary", "1", "summary 1"), "first"),
        **dict.fromkeys(("second", "second summary", "the second", "the second summary", "2", "summary 2"), "second"),
        **dict.fromkeys(("same", "the same", "tie", "tied", "both", "equal", "equally", "neither", "none"), "same"),
    }
)
"""Words of models for the places that the prompt asks for."""


def _as_place(value: object) -> object:
    return _PLACES.get(plain_words(value), value) if isinstance(value, str) else value


class Compared(StructuredAnswer):
    """Answer to the prompt `pairwise`, the reason first."""

    because: str
    more_consistent: Annotated[_Place, BeforeValidator(_as_place)]


@dataclass(frozen=True, slots=True)
class PairwiseAnswer:
    """Summary that a model finds more consistent, with the original first and with the edited one first; and the reasons."""

    original_first: Preference
    edited_first: Preference
    reasons: tuple[str, str]
    by: str

    @property
    def preference(self) -> Preference:
        """Preference in both orders; "order-inconsistent" where they differ."""
        return self.original_first if self.original_first == self.edited_first else "order-inconsistent"

    @property
    def first_preferred(self) -> int:
        """In how many of the two orders the summary that came first won, 0 to 2."""
        return (self.original_first == "original") + (self.edited_first == "edited")


def compare_summaries(document: str, original: str, edited: str, sampling: Sampling) -> Rounds[PairwiseAnswer]:
    """Ask in both orders at once; UnscorableError where the summaries are the same or an answer cannot be read."""
    if original.strip() == edited.strip():
        raise UnscorableError("The two summaries are the same. Edit one of them.")
    used = load_prompt(_PROMPT, _VARIABLES)
    orders = [
        {"document": document, "first": original, "second": edited},
        {"document": document, "first": edited, "second": original},
    ]
    outcomes = yield from ask_side_by_side(ask_structured(used.fill(texts), sampling, Compared) for texts in orders)
    answers: list[Compared] = []
    for outcome in outcomes:
        if isinstance(outcome, UnreadableAnswerError):
            raise outcome
        answers.append(outcome)
    original_first, edited_first = answers
    return PairwiseAnswer(
        _ORIGINAL_FIRST[original_first.more_consistent],
        _EDITED_FIRST[edited_first.more_consistent],
        (original_first.because.strip(), edited_first.because.strip()),
        model_signature(_PROMPT, used, sampling),
    )


def pairwise_signature(sampling: Sampling) -> str:
    """Signature that `PairwiseAnswer.by` will be; raises MissingEndpointError, MissingWeightsError."""
    return model_signature(_PROMPT, load_prompt(_PROMPT, _VARIABLES), sampling)


def pairwise_conversation(
    id: str, document: str, original: str, edited: str, sampling: Sampling
) -> Conversation[PairwiseAnswer]:
    """The conversation for the engine."""
    about = Example(id, document, f"{original}\n\n{edited}")
    rounds = partial(compare_summaries, document, original, edited, sampling)
    return Conversation(f"{_PROMPT}[{sampling}]", about, rounds, (sampling.asked,))


def edit_conversation(subject: SummaryWithEdit, sampling: Sampling) -> Conversation[PairwiseAnswer]:
    """The same for an edited summary of a dataset."""
    example = subject.item.example
    return pairwise_conversation(example.id, document_for_reader(example), subject.seed, example.summary, sampling)


def compare_all(
    engine: Engine, subjects: Iterable[SummaryWithEdit], sampling: Sampling
) -> Iterator[tuple[SummaryWithEdit, PairwiseAnswer | Failure]]:
    """Each edited summary with how it compares with the one before its edit, in order."""
    return converse_in_order(engine, subjects, lambda subject: edit_conversation(subject, sampling))


def comparison_record(subject: SummaryWithEdit, signature: str, outcome: PairwiseAnswer | Failure) -> dict[str, object]:
    """One line: the preference, what each order said, and why; nothing of it where there is no answer."""
    item = subject.item
    record: dict[str, object] = {"id": item.example.id, "group": subject.group, "signature": signature}
    record |= {"label": item.intended, "error_type": item.error_type}
    if isinstance(outcome, Failure):
        empty = dict.fromkeys(("preference", "original_first", "edited_first", "because"))
        return {**record, "status": "failed", **empty, "error": outcome.error}
    orders = {"original_first": outcome.original_first, "edited_first": outcome.edited_first}
    because = list(outcome.reasons)
    return {**record, "status": "ok", "preference": outcome.preference, **orders, "because": because, "error": None}


def format_preferences(outcomes: Iterable[PairwiseAnswer | Failure]) -> str:
    """Format how often each was preferred, how often the orders differed, and how often the first summary won overall."""
    results = list(outcomes)
    compared = [result for result in results if isinstance(result, PairwiseAnswer)]
    counts = Counter(comparison.preference for comparison in compared)
    parts = [f"{name} {counts[name]}" for name in PREFERENCES]
    parts += [f"failed {len(results) - len(compared)}"] if len(results) > len(compared) else []
    if not compared:
        return ", ".join(parts)
    first = sum(comparison.first_preferred for comparison in compared) / (2 * len(compared))
    return f"{', '.join(parts)}; the summary shown first won {first:.0%} of the questions"
