"""The summary without its asides: parentheses, non-restrictive relative clauses, appositions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation
from core.text import (
    ADVERBS,
    ARTICLES,
    AUXILIARIES,
    NEGATIVES,
    POSSESSIVES,
    PREPOSITIONS,
    Sentence,
    VerbForm,
    is_finite,
    possible_verb_forms,
    sentences,
    token_at,
    tokenize,
)
from core.types import Edit, Example, Span

_RELATIVES = frozenset({"who", "which", "whom", "whose"})
_PARTITIVES = frozenset("one two three four some most many all both each none half several".split())
_STOPS = frozenset({".", ";", "!"})
_DASHES = frozenset({"–", "—", "--"})
_MAX_ASIDE_WORDS = 40
_FACT_NOUNS = frozenset(
    "claim change charge condition decision demand fact figure idea measure move plan proposal result sign step".split()
)


def find_asides(sentence: Sentence) -> Iterator[Span]:
    """The spans to delete, punctuation and blanks included, so that the rest is still a sentence."""
    dashes = [place for place, token in enumerate(sentence) if token.text in _DASHES]
    if len(dashes) == 2 and dashes[0] and sentence[dashes[1] - 1].is_word:
        yield Span(sentence[dashes[0] - 1].span.end, sentence[dashes[1]].span.end)
    for place in range(1, len(sentence)):
        end = (
            _parenthesis_end(sentence, place)
            or _relative_clause_end(sentence, place)
            or _apposition_end(sentence, place)
        )
        if end:
            yield Span(sentence[place - 1].span.end, end)


def _parenthesis_end(sentence: Sentence, place: int) -> int | None:
    """From "(" after a blank to the ")" that closes it, none inside of another."""
    if sentence[place].text != "(" or sentence[place].span.start == sentence[place - 1].span.end:
        return None
    end = _next_mark(sentence, place, frozenset("()"))
    return (
        sentence[end].span.end
        if end and sentence[end].text == ")" and token_at(sentence, end + 1).text != "("
        else None
    )


def _relative_clause_end(sentence: Sentence, place: int) -> int | None:
    """From a comma before "who", "for which", "one of which" to the comma or the stop that ends the clause."""
    if sentence[place].text != "," or not _opens_relative(sentence, place + 1):
        return None
    end = _next_mark(sentence, place, _STOPS | {",", ":", "(", ")", '"', "”"} | _DASHES)
    if end is None or not any(is_finite(token.low) for token in sentence[place + 1 : end]):
        return None
    if sentence[end].text in _STOPS:
        return sentence[end - 1].span.end
    return sentence[end].span.end if sentence[end].text == "," and _main_clause_continues(sentence, end + 1) else None


def _apposition_end(sentence: Sentence, place: int) -> int | None:
    """A noun phrase between commas after a name, before its verb; an age; a last ", an idea that …"."""
    first, second = token_at(sentence, place + 1), token_at(sentence, place + 2)
    if sentence[place].text != ",":
        return None
    end = _next_mark(sentence, place, _STOPS | {",", ":", "("} | _DASHES)
    if end is None:
        return None
    if sentence[end].text == ".":
        resumes = (
            first.low in {"a", "an"}
            and second.low in _FACT_NOUNS
            and token_at(sentence, place + 3).low in {"that", "which"}
        )
        return sentence[end - 1].span.end if resumes else None
    inside = sentence[place + 1 : end]
    named = sentence[place - 1].is_capital and (
        first.low in ARTICLES | POSSESSIVES or (first.text.isdigit() and len(inside) == 1)
    )
    bare = not any(token.low in AUXILIARIES | _RELATIVES for token in inside)
    return (
        sentence[end].span.end
        if sentence[end].text == "," and named and bare and _main_clause_continues(sentence, end + 1)
        else None
    )


def _opens_relative(sentence: Sentence, place: int) -> bool:
    first, second, third = (token_at(sentence, place + distance).low for distance in range(3))
    if first in _RELATIVES:
        return True
    return (first in PREPOSITIONS and second in _RELATIVES - {"who"}) or (
        first in _PARTITIVES and second == "of" and third in _RELATIVES - {"who"}
    )


def _main_clause_continues(sentence: Sentence, place: int) -> bool:
    """True if the predicate of the main clause continues there."""
    while token_at(sentence, place).low in ADVERBS:
        place += 1
    token, after = token_at(sentence, place), token_at(sentence, place + 1)
    if token.low in AUXILIARIES or token.low in NEGATIVES - {"no", "neither", "nor", "without"}:
        return True
    forms = possible_verb_forms(token.low)
    follows = (
        after.low in ARTICLES | POSSESSIVES | PREPOSITIONS | {"that"} or after.low.endswith("ing") or after.is_capital
    )
    return bool(forms & {VerbForm.PAST, VerbForm.THIRD, VerbForm.BASE}) and (follows or VerbForm.PAST in forms)


def _next_mark(sentence: Sentence, place: int, marks: frozenset[str]) -> int | None:
    last = min(len(sentence), place + _MAX_ASIDE_WORDS)
    return next((other for other in range(place + 1, last) if sentence[other].text in marks), None)


@PERTURBATIONS.add
@dataclass(frozen=True)
class Summarized(RulePerturbation):
    """Leaves out parentheses, relative clauses between commas and appositions, or the last sentence."""

    name: ClassVar[str] = "summarized"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Summarize: leave out asides",
        intent="preserving",
        does="Leaves out parentheses, non-restrictive relative clauses and appositions, or else the last of three or more "
        "sentences, with what they say; the papers forbid to omit information, as summarized-llm does.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has no parenthesis, relative clause between commas or apposition that can surely be left out, and fewer "
        "than three sentences."
    )

    most: int = 5

    def proposals(self, example: Example) -> list[Edit]:
        asides = [
            Edit(span, "", self.card.does) for sentence in tokenize(example.summary) for span in find_asides(sentence)
        ]
        return asides or _without_last_sentence(example.summary, self.card.does)


def _without_last_sentence(summary: str, does: str) -> list[Edit]:
    """Nothing that stays leans on the last of three or more sentences."""
    spans = sentences(summary)
    if len(spans) < _MIN_SENTENCES or not spans[-2].of(summary).rstrip().endswith((".", "!", "?", "”", '"')):
        return []
    return [Edit(Span(spans[-2].end, spans[-1].end), "", does)]


_MIN_SENTENCES = 3
