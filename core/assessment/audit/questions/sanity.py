"""Audit question: is it sane? Copies, texts that say nothing, foreign summaries, shuffled words and other layouts, whose rank anybody knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    MOST_SHOWN_PAIRS,
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    FigureCase,
    Level,
    ShownPair,
    VerdictScale,
)
from core.edits import SANITY_SOURCES, Expectation, SanityPair
from core.results import document_array, sanity_margins
from core.stats import MIN_TEST_DOCUMENTS, Estimate, Numbers, format_unsigned, share_estimate

SCALE = VerdictScale(good=0.8, fails=0.6)
"""Of the expectations of each summary, five where all kinds of text can be made of it."""
_HALF = 0.5  # of the texts of a kind have to fail for its name in the sentence
_MOST_NAMED = 4
_LABELS: MappingProxyType[Expectation, str] = MappingProxyType(
    {
        "copy": "copies score as high as the median of consistent summaries",
        "contentless": "texts without content score below 9 of 10 of them",
        "foreign": "another document's summary scores below 9 of 10 of them",
        "shuffled": "shuffled words score below the summary",
        "twin": "layout, case and encoding leave the score as it is",
    }
)
_TEXTS = MappingProxyType(
    {
        "no": "“No.”",
        "refusal": "a refusal",
        "filler": "filler",
        "letters": "a row of letters",
        "marks": "a row of marks",
        "whole document": "the whole document",
        "one sentence": "a sentence of the document",
        "first half": "the first half of the document",
    }
)


@dataclass(frozen=True, slots=True)
class _JudgedExpectations:
    """A pair of the battery with both scores, nan where one is missing, and the distance of its own to the wrong side."""

    pair: SanityPair
    group: str
    summary: str
    source_score: float
    score: float
    margin: float

    @property
    def fails(self) -> bool:
        return self.margin < 0


@QUESTIONS.add
class SanityQuestion(AuditQuestion):
    """Texts made of summaries that are not labelled inconsistent, at most 20 of different documents, beside the document of each."""

    name: ClassVar[str] = "sanity"
    title: ClassVar[str] = "Is it sane?"
    axis: ClassVar[str] = "sane"
    place: ClassVar[int] = 5
    scores: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        if evidence.card(metric).direction == "neutral":
            return self.not_asked("The metric has no better side.")
        judged = _judged(evidence, metric)
        if not judged:
            return self.not_measured("No summary could be taken, or none of the texts made of it has a score.")
        by_expectation = {expectation: _share_held(judged, [expectation]) for expectation in _LABELS}
        figure = AuditFigure("expectations that hold", _share_held(judged, list(_LABELS)), "share")
        level = _level(figure.estimate, list(by_expectation.values()))
        faults = _faults(judged, _consistent(evidence, metric), evidence.card(metric).direction == "lower")
        named = "; ".join(faults[:_MOST_NAMED]) or "no kind of text fails in most cases"
        more = f"; and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
        answer = self.found(
            level, f"Of what any metric has to get right it gets {figure} right: {named}{more}.", figure
        )
        return replace(
            answer,
            warning=_untold(figure.estimate) if level is Level.TOO_FEW else answer.warning,
            brief=faults[0] if level is Level.FAILS and faults else "",
            details=tuple(
                AuditFigure(label, by_expectation[expectation], "share")
                for expectation, label in _LABELS.items()
                if by_expectation[expectation].n
            ),
            pairs=_worst_pairs(judged),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every text of the battery with its score, and whether that is as expected."""
        return [
            FigureCase(
                {
                    "expectation": _LABELS[text.pair.expectation],
                    "kind": text.pair.kind,
                    "score of the summary": text.source_score,
                    "score of the text": text.score,
                    "as expected": "no" if text.fails else "yes",
                },
                _shown(text),
            )
            for text in _judged(evidence, metric)
        ]


def _consistent(evidence: Evidence, metric: str) -> dict[str, float]:
    """Scores of the summaries that are not labelled inconsistent, by id; those that failed are left out."""
    readings = {id: evidence.run.readings.get((id, "", metric)) for id in evidence.run.sources}
    return {id: reading.value for id, reading in readings.items() if reading and reading.value is not None}


def _judged(evidence: Evidence, metric: str) -> list[_JudgedExpectations]:
    """The pairs of the battery that both scores are there of."""
    pairs, scores, consistent = evidence.sanity_pairs, evidence.sanity.get(metric, {}), _consistent(evidence, metric)
    higher = evidence.card(metric).direction != "lower"
    margins = sanity_margins(pairs, scores, consistent, higher_is_better=higher)
    return [
        _JudgedExpectations(
            pair,
            evidence.run.sources[pair.source].group,
            evidence.run.sources[pair.source].example.summary,
            consistent[pair.source],
            scores[pair.example.id],
            float(margin),
        )
        for pair, margin in zip(pairs, margins, strict=True)
        if pair.source in consistent and not np.isnan(margin)
    ]


def _share_held(judged: Sequence[_JudgedExpectations], expectations: Sequence[Expectation]) -> Estimate:
    """Share of these expectations of each summary of which all texts have the score that is expected."""
    held: dict[tuple[str, Expectation], bool] = {}
    groups: dict[tuple[str, Expectation], str] = {}
    for text in judged:
        key = (text.pair.source, text.pair.expectation)
        if text.pair.expectation in expectations:
            held[key] = held.get(key, True) and not text.fails
            groups[key] = text.group
    return share_estimate(np.array(list(held.values()), dtype=np.float64), _documents(list(groups.values())))


def _documents(groups: Sequence[str]) -> Numbers:
    return document_array(groups, {group: place for place, group in enumerate(dict.fromkeys(groups))})


def _level(held: Estimate, by_expectation: Sequence[Estimate]) -> Level:
    """Level by the share of all expectations; at best weak where one of them surely fails for most summaries."""
    level = SCALE.level(held)
    broken = any(share.high is not None and share.high < _HALF for share in by_expectation)
    fails_not = held.low is not None and held.low > SCALE.fails and held.documents >= MIN_TEST_DOCUMENTS
    return Level.WEAK if broken and fails_not else level


def _untold(held: Estimate) -> str:
    """Sentence on a share whose interval allows several verdicts; the battery takes no more documents of larger data."""
    if held.documents < MIN_TEST_DOCUMENTS:
        return f"{held.documents} documents: too few for a verdict, which takes {MIN_TEST_DOCUMENTS}."
    low, high = held.ends or (0.0, 1.0)
    ruled_out = "It does not fail. " if low > SCALE.fails else "It is not good. " if high < SCALE.good else ""
    limit = f", and at most {SANITY_SOURCES} are taken" if held.documents >= SANITY_SOURCES else ""
    return f"{ruled_out}{'More cannot' if ruled_out else 'Cannot'} be told with {held.documents} documents{limit}."


def _faults(judged: Sequence[_JudgedExpectations], consistent: Mapping[str, float], less_is_better: bool) -> list[str]:
    """A clause for each kind of text that fails in most cases, those that fail most first; one for all layouts."""
    real = np.array(list(consistent.values()))
    by_kind: dict[tuple[Expectation, str], list[_JudgedExpectations]] = {}
    for text in judged:
        by_kind.setdefault((text.pair.expectation, text.pair.kind), []).append(text)
    rates = {key: sum(text.fails for text in texts) / len(texts) for key, texts in by_kind.items()}
    failing = sorted((key for key in by_kind if rates[key] > _HALF), key=lambda key: -rates[key])
    layouts = [kind for expectation, kind in failing if expectation == "twin"]
    clauses = []
    for expectation, kind in failing:
        texts, name = by_kind[expectation, kind], _TEXTS.get(kind, kind)
        usual = float(np.median([text.score for text in texts]))
        reached = int((real >= usual).sum() if less_is_better else (real <= usual).sum())
        if expectation == "copy":
            count = f"{sum(text.fails for text in texts)} of {len(texts)} times"
            clauses.append(f"{name}, copied, is worse than the median of consistent summaries {count}")
        elif expectation == "shuffled":
            clauses.append(
                f"{name} are no worse than the summary {sum(text.fails for text in texts)} of {len(texts)} times"
            )
        elif expectation != "twin":
            clauses.append(f"{name} is no worse than {reached} of {len(real)} consistent summaries")
    if layouts:
        moved = [text for kind in layouts for text in by_kind["twin", kind]]
        clauses.append(f"layout moves it by up to {_largest_shift(moved)} ({', '.join(layouts[:_MOST_NAMED])})")
    return clauses


def _largest_shift(texts: Sequence[_JudgedExpectations]) -> str:
    shift = max(abs(text.score - text.source_score) for text in texts)
    return format_unsigned(Estimate(shift, None, None, len(texts)))


def _worst_pairs(judged: Sequence[_JudgedExpectations]) -> tuple[ShownPair, ...]:
    """The texts that fail by most, the worst of each kind first."""
    by_kind: dict[tuple[Expectation, str], list[_JudgedExpectations]] = {}
    for text in sorted(judged, key=lambda text: text.margin):
        if text.fails:
            by_kind.setdefault((text.pair.expectation, text.pair.kind), []).append(text)
    return tuple(_shown(texts[0]) for texts in list(by_kind.values())[:MOST_SHOWN_PAIRS])


def _shown(text: _JudgedExpectations) -> ShownPair:
    return ShownPair(
        source=text.pair.source,
        kind="",
        before=text.summary,
        after=text.pair.example.summary,
        score_before=text.source_score,
        score_after=text.score,
        remark=text.pair.kind,
    )
