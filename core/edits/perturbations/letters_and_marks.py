"""The surface of a text: capitals, marks and contractions. The words stay, or stand for the same ones."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.edits.perturbation import PERTURBATIONS, Perturbation, PerturbationCard, RulePerturbation
from core.errors import UnscorableError
from core.types import Edit, Example, Span

_OUR_RULE = (
    "none: a rule of ours; after Ribeiro et al. 2020, Beyond Accuracy: Behavioral Testing of NLP Models with CheckList"
)


@PERTURBATIONS.add
@dataclass(frozen=True)
class LetterCase(Perturbation):
    """Writes the whole summary in other letters: `to=upper` in capitals, `lower` in small ones after the first, `title` each word with one.

    Small letters leave a word of capitals as it is, unless no word has small ones: "US" would be "us".
    """

    name: ClassVar[str] = "case"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Capitals or small letters",
        intent="preserving",
        does="Writes the summary in capitals, in small letters, or with a capital to each word.",
        paper=_OUR_RULE,
    )
    to: Literal["upper", "lower", "title"] = "upper"

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # nothing is left to chance
        summary = example.summary
        made = {
            "upper": summary.upper(),
            "lower": summary[:1] + _small_letters(summary)[1:],
            "title": re.sub(r"(?<![\w'’])[a-z]", lambda match: match.group().upper(), summary),
        }[self.to]
        if made == summary or len(made) != len(summary):
            raise UnscorableError("The summary has no letter that would be written in another way so.")
        return [Edit(Span(0, len(summary)), made, self.card.does, self.spec)]


_CAPITALS = re.compile(r"(?<![\w.])(?:[A-Z]\.){2,}|\b[A-Z][A-Z\d]+(?=s?\b)")


def _small_letters(text: str) -> str:
    """The text in small letters but for words of capitals, where other words have small ones."""
    capitals = [] if text.isupper() else [Span(*match.span()) for match in _CAPITALS.finditer(text)]
    small = text.lower()
    for span in capitals if len(small) == len(text) else ():
        small = small[: span.start] + span.of(text) + small[span.end :]
    return small


_MARKS = (
    (re.compile(r"(?<=\w)'(?=\w)"), "’"),
    (re.compile(r"(?<=\w)’(?=\w)"), "'"),
    (re.compile(r"(?<=\w) [-–] (?=\w)"), " — "),
    (re.compile(r"(?<=\w) — (?=\w)"), " – "),
    (re.compile(r"(?<=[a-z]), (?=(?:and|or) [a-z]+[.;])"), " "),
    (re.compile(r"(?<=[a-z]) (?=(?:and|or) [a-z]+[.;])"), ", "),
    (re.compile(r"(?<=[a-z]{2})\.$"), ""),
)
"""A mark, and another that may stand in its place."""
_SERIES = re.compile(r"[a-z]+, [a-z]+(?:, [a-z]+)*,? (?:and|or) [a-z]+[.;]")


@PERTURBATIONS.add
@dataclass(frozen=True)
class Punctuation(RulePerturbation):
    """Straight and curly apostrophes, dashes of another length, the comma before the last of a series, a last stop left out."""

    name: ClassVar[str] = "punctuation"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Other punctuation",
        intent="preserving",
        does="Replaces marks by others of the same use: curly apostrophes for straight ones, another dash, a comma in a series or none, no last stop.",
        paper=_OUR_RULE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has no apostrophe, dash, series of single words or last stop that could be written otherwise."
    )

    most: int = 2

    def proposals(self, example: Example) -> list[Edit]:
        summary = example.summary
        series = [Span(*match.span()) for match in _SERIES.finditer(summary)]
        edits = []
        for pattern, new in _MARKS:
            for mark in pattern.finditer(summary):
                in_series = any(span.start <= mark.start() < span.end for span in series)
                if "and|or" not in pattern.pattern or in_series:
                    edits.append(Edit(Span(*mark.span()), new, self.card.does))
        return edits


_CONTRACTIONS = (
    *((f"{verb} not", f"{verb}n't") for verb in "is are was were has have had do does did would could should must".split()),
    ("cannot", "can't"), ("will not", "won't"),
    *((f"{subject} {verb}", f"{subject}'{short}") for subject, verb, short in (
        ("it", "is", "s"), ("he", "is", "s"), ("she", "is", "s"), ("there", "is", "s"), ("they", "are", "re"), ("we", "are", "re"),
        ("you", "are", "re"), ("I", "am", "m"), ("they", "will", "ll"), ("he", "will", "ll"),
        ("she", "will", "ll"), ("it", "will", "ll"))),
)  # fmt: skip
_LONG_FORMS = {short: long for long, short in _CONTRACTIONS if not short.endswith("'s")}
"""Contractions that are short for one thing only: "it's" may be "it has"."""
_SHORT_FORMS = dict(_CONTRACTIONS)
_LONG = re.compile(rf"\b(?:{'|'.join(map(re.escape, _SHORT_FORMS))})\b(?= [a-z])", re.IGNORECASE)
_SHORT = re.compile(
    rf"\b(?:{'|'.join(re.escape(short).replace(chr(39), '[’' + chr(39) + ']') for short in _LONG_FORMS)})\b(?! (?:he|she|it|they|we|you|I|the)\b)",
    re.IGNORECASE,
)


@PERTURBATIONS.add
@dataclass(frozen=True)
class Contractions(RulePerturbation):
    """Is not, isn't; they will, they'll; and the other way round, where a short form is short for one thing only."""

    name: ClassVar[str] = "contractions"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Contract or write out",
        intent="preserving",
        does="Contracts is not and they will, or writes isn't and they'll out.",
        paper=_OUR_RULE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has neither a contraction that is sure nor words that could be contracted."
    )

    most: int = 3

    def proposals(self, example: Example) -> list[Edit]:
        forms = ((_LONG, _SHORT_FORMS), (_SHORT, _LONG_FORMS))
        return [
            Edit(Span(*match.span()), _in_case(match.group(), other), self.card.does)
            for pattern, other_forms in forms
            for match in pattern.finditer(example.summary)
            if (other := _other_form(match.group(), other_forms))
        ]


def _other_form(written: str, other_forms: dict[str, str]) -> str:
    plain = written.replace("’", "'")
    return other_forms.get(plain) or other_forms.get(plain.lower(), "")


def _in_case(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
