"""A combination of metrics: the probability of consistent that a regression on labels gives their scores."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, prod
from typing import ClassVar

from core.errors import BadSettingError, UnreadableAnswerError, UnscorableError
from core.model_reference import ModelRef
from core.registry import Plugin
from core.scoring.checkpoint_languages import NO_LANGUAGE, common_languages
from core.scoring.metric import METRICS, Metric, portable_spec
from core.scoring.metric_parts.lockstep import InnerOutcome, run_in_lockstep
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.scoring.outcome_records import sentence_score
from core.scoring.plugins.function_metric import PluginMetric
from core.text import layout_units
from core.types import Example, Part, Rounds, Score, Seen, Span

Fit = Sequence[float]
"""Intercept and the slope of each member's standard score; empty where nothing could be fitted."""


@dataclass(frozen=True)
class CombinationMetric(PluginMetric, MultiRoundMetric):
    """Asks its members at once, or in a cascade; each declared combination has a class of its own."""

    specs: ClassVar[tuple[str, ...]]
    """Specs of the members."""
    means: ClassVar[Sequence[float]]
    """Mean of each member's scores, turned so that higher is more consistent."""
    spreads: ClassVar[Sequence[float]]
    """Standard deviation of each member's scores, turned likewise."""
    fits: ClassVar[Sequence[Fit]]
    """Fit of all members, then that without each one, for a text which that one cannot score."""
    fold_fits: ClassVar[Sequence[Sequence[Fit]]]
    """The same for each fold, fitted without its documents."""
    learned: ClassVar[Mapping[str, int]]
    """Fold of each document that the weights were learned from."""
    unsure: ClassVar[Sequence[float]]
    """Probabilities between which the last member of a cascade is asked; empty if all members are asked at once."""
    table: ClassVar[str]
    """Hash of the table that declares it."""

    @cached_property
    def members(self) -> tuple[Metric, ...]:
        """The members. Raises TouchstoneError for one that does not exist, or that contains this combination."""
        members = tuple(map(METRICS.parse, self.specs))
        waiting: list[Plugin] = list(members)
        for plugin in waiting:  # it grows while it is read
            if plugin.name == self.name:
                raise BadSettingError(f"{self.name} is a member of itself. Correct combine = in its table.")
            if isinstance(plugin, CombinationMetric):
                waiting += [member for member in map(METRICS.parse, plugin.specs) if member not in waiting]
            elif isinstance(plugin, Metric):
                waiting += plugin.uses()
        return members

    @property
    def verified_languages(self) -> str:
        """The languages that every member is for."""
        return common_languages(member.verified_languages for member in self.members) or NO_LANGUAGE

    def uses(self) -> Sequence[Plugin]:
        return self.members

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return tuple(dict.fromkeys(model for member in self.members for model in member.checkpoints()))

    def rounds(self, example: Example) -> Rounds[Score]:
        members, fold = self.members, self._fold(example.document)
        fits = self.fits if fold is None else self.fold_fits[fold]
        verdicts = dict[int, InnerOutcome]()
        notes = ["Its labels were of this document too: the fit without them counts."] if fold is not None else []
        if self.unsure:
            verdicts |= yield from _verdicts(example, dict(enumerate(members[:-1])))
            scores = _scores(verdicts)
            fit = self._fit(fits, scores)
            probability = self._of_summary(fit, scores, example) if fit else None
            low, high = self.unsure
            if probability is not None and not low <= probability <= high:
                notes.append(
                    f"{self.specs[-1]} was not asked: {probability:.3f} lies outside of {low:.3f} to {high:.3f}."
                )
                return self._score(fits, verdicts, notes, example)
        waiting = {place: member for place, member in enumerate(members) if place not in verdicts}
        verdicts |= yield from _verdicts(example, waiting)
        return self._score(fits, verdicts, notes, example)

    def _fold(self, document: str) -> int | None:
        """The fold that did not learn from a document; None for a new one."""
        return next((self.learned[name] for name in document_names(document) if name in self.learned), None)

    def _fit(self, fits: Sequence[Fit], scores: Mapping[int, Score]) -> Fit:
        """The fit of all members or that without the one that has no score; empty where there is none."""
        missing = [place for place in range(len(self.specs)) if place not in scores]
        return () if len(missing) > 1 else fits[1 + missing[0] if missing else 0]

    def _of_summary(self, fit: Fit, scores: Mapping[int, Score], example: Example) -> float:  # noqa: ARG002  # as sentences have it
        """The probability that the summary is consistent."""
        return self._probability(fit, {place: score.value for place, score in scores.items()})

    def _probability(self, fit: Fit, values: Mapping[int, float]) -> float:
        """The probability of consistent for the scores of members by their places."""
        intercept, *slopes = fit
        logit = intercept
        for place, value in values.items():
            logit += slopes[place] * self._standard_score(place, value)
        return 1 / (1 + exp(-min(max(logit, -500.0), 500.0)))

    def _standard_score(self, place: int, value: float) -> float:
        oriented = -value if self.members[place].card.direction == "lower" else value
        spread = self.spreads[place]
        return (oriented - self.means[place]) / spread if spread > 0 else 0.0

    def _score(
        self, fits: Sequence[Fit], verdicts: Mapping[int, InnerOutcome], notes: Sequence[str], example: Example
    ) -> Score:
        failed = [(self.specs[place], verdict) for place, verdict in verdicts.items() if not isinstance(verdict, Score)]
        scores = _scores(verdicts)
        fit = self._fit(fits, scores)
        if not fit:
            reasons = " ".join(f"{spec}: {reason}" for spec, reason in failed)
            raise UnscorableError(
                f"{len(failed)} of {len(self.specs)} members have no score, and no fit is without them. {reasons}"
            )
        values = ", ".join(f"{self.specs[place]} {score.value:.4g}" for place, score in scores.items())
        parts = self._parts(fit, scores, example)
        seen = Seen(
            pieces=tuple(sorted({piece for score in scores.values() for piece in score.seen.pieces})),
            tokens=sum(score.seen.tokens for score in scores.values()),
            cut=sum(score.seen.cut for score in scores.values()),
            notes=(
                f"{values}.",
                *notes,
                *self._remarks(fit, scores, parts),
                *(f"{spec} has no score, so that the fit without it counts: {reason}" for spec, reason in failed),
            ),
        )
        facts = [
            f"of:{'+'.join(portable_spec(spec, self.checkpoints()) for spec in self.specs)}",
            f"fitted:{self.table}",
            *(fact for score in scores.values() for fact in score.asked),
        ]
        return Score(self._of_summary(fit, scores, example), parts, seen, tuple(dict.fromkeys(facts)))

    def _parts(self, fit: Fit, scores: Mapping[int, Score], example: Example) -> tuple[Part, ...]:  # noqa: ARG002  # as above
        """The sentences that every member with scores of sentences has one of, by the weights of the summary."""
        spans = dict.fromkeys(part.span for score in scores.values() for part in score.parts)
        whole = [score for score in scores.values() if score.parts]
        shared = [span for span in spans if all(any(part.span == span for part in score.parts) for score in whole)]
        return tuple(self._part(fit, scores, span) for span in shared)

    def _remarks(self, fit: Fit, scores: Mapping[int, Score], parts: Sequence[Part]) -> list[str]:  # noqa: ARG002  # as above
        """Remarks on the sentences."""
        return []

    def _part(self, fit: Fit, scores: Mapping[int, Score], span: Span) -> Part:
        """A sentence by the same weights, with the evidence of the member that has the largest of those that give any."""
        values = {
            place: next((part.score for part in score.parts if part.span == span), score.value)
            for place, score in scores.items()
        }
        places = [
            (self.fits[0][1 + place] if self.fits[0] else 0.0, part.evidence)
            for place, score in scores.items()
            for part in score.parts
            if part.span == span and part.evidence
        ]
        evidence = max(places, key=lambda place: place[0])[1] if places else None
        return Part(span, self._probability(fit, values), evidence)


@dataclass(frozen=True)
class SentenceCombination(CombinationMetric):
    """The same with weights of sentences: one that is not supported makes a summary inconsistent, which has the product of their probabilities.

    A member without a score of a sentence counts with that of the summary.
    """

    def _of_summary(self, fit: Fit, scores: Mapping[int, Score], example: Example) -> float:
        spans = layout_units(example.summary) or (Span(0, 0),)
        return prod(self._probability(fit, _values_of(scores, span)) for span in spans)

    def _parts(self, fit: Fit, scores: Mapping[int, Score], example: Example) -> tuple[Part, ...]:
        return tuple(self._part(fit, scores, span) for span in layout_units(example.summary))

    def _part(self, fit: Fit, scores: Mapping[int, Score], span: Span) -> Part:
        """A sentence with the evidence of the member that moves its log odds most, of those that give any."""
        inside = [
            (place, part.evidence)
            for place in self._by_moves(fit, scores, span)
            for part in scores[place].parts
            if part.evidence and span.start <= part.span.start < span.end
        ]
        return Part(span, self._probability(fit, _values_of(scores, span)), inside[0][1] if inside else None)

    def _by_moves(self, fit: Fit, scores: Mapping[int, Score], span: Span) -> list[int]:
        """The places of the members by how far they move the log odds of a sentence, the farthest first."""
        values = _values_of(scores, span)
        moves = {place: abs(fit[1 + place] * self._standard_score(place, value)) for place, value in values.items()}
        return sorted(moves, key=lambda place: -moves[place])

    def _remarks(self, fit: Fit, scores: Mapping[int, Score], parts: Sequence[Part]) -> list[str]:
        if not parts:
            return []
        lowest = min(parts, key=lambda part: part.score)
        decides = self.specs[self._by_moves(fit, scores, lowest.span)[0]]
        return [f"{decides} moves the least probable sentence ({lowest.score:.3f}) most."]


def _verdicts(example: Example, members: Mapping[int, Metric]) -> Rounds[dict[int, InnerOutcome]]:
    """The scores of members by their places, or why they have none. Raises UnreadableAnswerError, which another try may give."""
    verdicts = yield from run_in_lockstep({place: member.rounds(example) for place, member in members.items()})
    for verdict in verdicts.values():
        if isinstance(verdict, UnreadableAnswerError):
            raise verdict
    return verdicts


def document_names(document: str) -> tuple[str, str]:
    """The names that a database and a file of pairs give the text of a document, 16 hexadecimal digits each."""
    content = document.encode()
    return hashlib.sha256(content).hexdigest()[:16], hashlib.blake2b(content, digest_size=8).hexdigest()


def _scores(verdicts: Mapping[int, InnerOutcome]) -> dict[int, Score]:
    """Those that are scores, in the order of the members."""
    return {place: verdict for place, verdict in sorted(verdicts.items()) if isinstance(verdict, Score)}


def _values_of(scores: Mapping[int, Score], sentence: Span) -> dict[int, float]:
    """The score of a sentence by each member; by one that gives none, that of the summary."""
    own = {place: sentence_score(score.parts, sentence) for place, score in scores.items()}
    return {place: scores[place].value if value is None else value for place, value in own.items()}
