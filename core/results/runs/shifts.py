"""The shifts of a run: how scores of variants differ from those of their originals, their means, and gains comparable between metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.edits import PERTURBATIONS
from core.errors import UnknownNameError
from core.results.runs.stress_run import StressRun, VariantKey
from core.scoring import METRICS, SENTENCE_LABELS, SentenceLabel
from core.stats import (
    Estimate,
    Numbers,
    Resamples,
    ScorePairs,
    Statistic,
    Values,
    cluster_documents,
    mean,
    ratio,
    share,
    sums_by,
    undefined,
)
from core.text import words
from core.types import Edit


@dataclass(frozen=True, slots=True)
class Shift:
    """Both scores of one metric on one variant."""

    source: str
    """Id of the source's example."""
    kind: str
    """Spec of the perturbation."""
    metric: str
    """Spec of the metric."""
    group: str
    """Document of the source: the unit of resampling."""
    domain: str
    """Domain of the source; empty for none."""
    before: float | None
    """Score of the source; None if the metric failed."""
    after: float | None
    """Score of the variant; None if the metric failed."""
    words: int
    """Words that the edits changed."""

    @property
    def size(self) -> float | None:
        """After minus before, in the metric's own units."""
        return None if self.before is None or self.after is None else self.after - self.before


def score_shifts(run: StressRun, among: Container[VariantKey] | None = None) -> list[Shift]:
    """Every shift whose two scores were read; only of the variants `among` these, where they are given."""
    shifts = []
    for (id, kind, metric), reading in run.readings.items():
        if not kind or (id, "", metric) not in run.readings or (among is not None and (id, kind) not in among):
            continue
        source = run.sources[id]
        shifts.append(
            Shift(
                source=id,
                kind=kind,
                metric=metric,
                group=source.group,
                domain=source.domain,
                before=run.readings[id, "", metric].value,
                after=reading.value,
                words=changed_words(source.example.summary, run.variants[id, kind].edits),
            )
        )
    return shifts


RUN_FIELDS: Mapping[str, Callable[[Shift], str]] = MappingProxyType(
    {
        "domain": lambda shift: shift.domain,
        "error_type": lambda shift: kind_error_type(shift.kind),
        "intent": lambda shift: PERTURBATIONS.parse(shift.kind).card.intent,
        "words": lambda shift: _format_changed(shift.words),
    }
)
"""Fields that the shifts of a run can be grouped by; "" for a shift without a value."""


def kind_error_type(kind: str) -> str:
    """The error type that a perturbation makes; "" for none."""
    error_type = PERTURBATIONS.parse(kind).card.error_type
    return error_type.value if error_type else ""


_FEW_WORDS = 5


def _format_changed(changed: int) -> str:
    if changed <= 1:
        return "1 word changed"
    return f"2 to {_FEW_WORDS} words changed" if changed <= _FEW_WORDS else "more words changed"


def shift_parts(shifts: Sequence[Shift], by: str) -> dict[str, list[Shift]]:
    """The shifts by the values of a field, in the order of the names; those without a value are in no part.

    Raises UnknownNameError for a field that runs do not have.
    """
    if by not in RUN_FIELDS:
        raise UnknownNameError("field of a run", by, RUN_FIELDS)
    parts: dict[str, list[Shift]] = defaultdict(list)
    for shift in shifts:
        if value := RUN_FIELDS[by](shift):
            parts[value].append(shift)
    return dict(sorted(parts.items()))


def outside_note(shifts: Sequence[Shift], by: str) -> tuple[str, ...]:
    """A sentence on the summaries or perturbations that are in no part, as they have no value of the field."""
    outside = [shift for shift in shifts if not RUN_FIELDS[by](shift)]
    if by == "error_type":
        counted = f"{len({shift.kind for shift in outside})} of {len({shift.kind for shift in shifts})} perturbations have no error type"
    else:
        counted = f"{len({shift.source for shift in outside})} of {len({shift.source for shift in shifts})} summaries have no {by}"
    return (f"{counted}, and are in no row.",) if outside else ()


def with_harmless(part: Sequence[Shift], shifts: Sequence[Shift], by: str) -> list[Shift]:
    """A part with the harmless edits of all shifts, which errors are compared with, where the field has them in other parts."""
    if by not in {"error_type", "intent"}:
        return list(part)
    inside = set(part)
    harmless = {
        kind for kind in {shift.kind for shift in shifts} if PERTURBATIONS.parse(kind).card.intent == "preserving"
    }
    return [*part, *(shift for shift in shifts if shift.kind in harmless and shift not in inside)]


def changed_words(summary: str, edits: Iterable[Edit]) -> int:
    """Number of words that the edits delete or insert, whichever is more, summed over the edits."""
    return sum(max(len(words(edit.span.of(summary))), len(words(edit.new))) for edit in edits)


STRESS_RESAMPLES = 2000


@dataclass(frozen=True, slots=True, eq=False)
class DocumentMeans:
    """The documents by number, and how often each is drawn."""

    numbers: Mapping[str, int]
    resamples: Resamples

    @classmethod
    def over(cls, groups: Iterable[str], seed: int, resamples: int = STRESS_RESAMPLES) -> DocumentMeans:
        """Draws over the documents that are named, at least one, each once."""
        numbers = {group: place for place, group in enumerate(dict.fromkeys(groups))}
        return cls(numbers, Resamples.draw(len(numbers), resamples, seed))

    def of(self, cases: Iterable[tuple[str, float | None]]) -> Estimate:
        """The mean of values with their documents; None has failed and does not count."""
        rows = list(cases)
        documents = document_array((group for group, _ in rows), self.numbers)
        return self.resamples.estimate(mean(score_array(value for _, value in rows), documents))


def score_array(scores: Iterable[float | None]) -> Values:
    """Scores as an array, (n,), nan for those that failed."""
    return np.array([np.nan if score is None else score for score in scores], dtype=np.float64)


def document_array(groups: Iterable[str], numbers: Mapping[str, int]) -> Numbers:
    """The number of each document, (n,)."""
    return np.array([numbers[group] for group in groups], dtype=np.intp)


def pairs_of_shifts(metric: str, shifts: Sequence[Shift], numbers: Mapping[str, int]) -> ScorePairs:
    """Both scores of one metric in shifts as minimal pairs."""
    return ScorePairs(
        score_array(shift.before for shift in shifts),
        score_array(shift.after for shift in shifts),
        document_array((shift.group for shift in shifts), numbers),
        METRICS.parse(metric).card.direction,
    )


_MIN_VARIANCE = 1e-12  # of the variance of all originals: what rounding leaves of a constant


def pair_gains(pairs: ScorePairs) -> Values:
    """Gains of the edited side, (n,), nan where either failed; no shift is a plain zero."""
    better: Values = 0.0 - pairs.gains
    return better


def standardised_gain(pairs: ScorePairs, originals: Values, documents: Numbers) -> Statistic:
    """Mean gain of (n,) pairs by the standard deviation of (sources,) original scores, those that are nan left out.

    Both are weighed by the same documents, so that a resample has its own spread.
    """
    gain = pair_gains(pairs)
    gained, scored = ~np.isnan(gain), ~np.isnan(originals)
    if not gained.any():
        return undefined(0, "No pair has a value.")
    if np.ptp(originals[scored]) == 0:
        return undefined(int(gained.sum()), "All originals score the same: there is no spread to compare with.")
    standard = (originals[scored] - originals[scored].mean()) / originals[scored].std()
    numbers, places = cluster_documents(np.concatenate([pairs.documents[gained], documents[scored]]))
    # number and sum of the gains; number, sum and sum of squares of the originals: a row each, (gains + originals, 5)
    scaled = gain[gained] / originals[scored].std()
    columns = np.zeros((len(scaled) + len(standard), 5))
    columns[: len(scaled), :2] = np.column_stack([np.ones(len(scaled)), scaled])
    columns[len(scaled) :, 2:] = np.column_stack([np.ones(len(standard)), standard, standard**2])
    sums = sums_by(places, columns, len(numbers))
    return Statistic(int(gained.sum()), numbers, lambda weights: _gain_by_deviation(sums.T @ weights), len(numbers))


def _gain_by_deviation(sums: Values) -> Values:
    """From the sums of those columns, (5, resamples)."""
    pairs, gained, originals, total, squares = sums
    variance = ratio(squares, originals) - ratio(total, originals) ** 2
    return ratio(ratio(gained, pairs), np.sqrt(np.where(variance > _MIN_VARIANCE, variance, 0.0)))


@dataclass(frozen=True, slots=True)
class CheckShare:
    """The shares, in 0..1, of the sentences of the variants of one kind; intervals by document.

    `dataset` is the domain of the pairs, or the name of the run where they have none.
    """

    dataset: str
    kind: str
    variants: int
    sentences: int
    shares: dict[SentenceLabel, Estimate]


def check_shares(run: StressRun, resamples: int = STRESS_RESAMPLES) -> list[CheckShare]:
    """One for each dataset and kind that has labelled sentences, in the order of the run."""
    groups = {group: place for place, group in enumerate(dict.fromkeys(s.group for s in run.sources.values()))}
    bootstrap = Resamples.draw(max(1, len(groups)), resamples, run.plan.seed)
    labelled: dict[tuple[str, str], list[tuple[int, tuple[SentenceLabel, ...]]]] = {}
    for (source, kind), check in run.checks.items():
        if check.mark and check.mark.labels:
            of = run.sources[source]
            place = (of.domain or run.plan.name, kind)
            labelled.setdefault(place, []).append((groups[of.group], check.mark.labels))
    kinds = {kind: rank for rank, kind in enumerate(run.plan.kinds)}
    ordered = sorted(labelled, key=lambda place: (place[0], kinds[place[1]]))
    rows = []
    for dataset, kind in ordered:
        checked = labelled[dataset, kind]
        labels = np.array([label for _, of_check in checked for label in of_check])
        documents = np.array([group for group, of_check in checked for _ in of_check], dtype=np.intp)
        shares = {
            label: bootstrap.estimate(share((labels == label).astype(np.float64), documents))
            for label in SENTENCE_LABELS
        }
        rows.append(CheckShare(dataset, kind, len(checked), len(labels), shares))
    return rows
