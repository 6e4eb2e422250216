"""Shares of entailed, neutral and contradicting sentences by an NLI check, by dataset and kind of variant (2511.07689, table 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.results.runs.run import Run
from core.results.runs.shifts import STRESS_RESAMPLES
from core.scoring.nli_check import SENTENCE_LABELS, SentenceLabel
from core.stats.bootstrap import Resamples
from core.stats.statistic import Estimate, mean


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


def check_shares(run: Run, resamples: int = STRESS_RESAMPLES) -> list[CheckShare]:
    """One for each dataset and kind that has labelled sentences, in the order of the run."""
    groups = {group: place for place, group in enumerate(dict.fromkeys(s.group for s in run.sources.values()))}
    drawn = Resamples.draw(max(1, len(groups)), resamples, run.plan.seed)
    labelled: dict[tuple[str, str], list[tuple[int, tuple[SentenceLabel, ...]]]] = {}
    for (source, kind), check in run.checks.items():
        if check.mark and check.mark.labels:
            of = run.sources[source]
            place = (of.domain or run.plan.name, kind)
            labelled.setdefault(place, []).append((groups[of.group], check.mark.labels))
    kinds = {kind: rank for rank, kind in enumerate(run.plan.kinds)}
    ordered = sorted(labelled, key=lambda place: (place[0], kinds[place[1]]))
    found = []
    for dataset, kind in ordered:
        checked = labelled[dataset, kind]
        labels = np.array([label for _, of_check in checked for label in of_check])
        documents = np.array([group for group, of_check in checked for _ in of_check], dtype=np.intp)
        shares = {
            label: drawn.estimate(mean((labels == label).astype(np.float64), documents)) for label in SENTENCE_LABELS
        }
        found.append(CheckShare(dataset, kind, len(checked), len(labels), shares))
    return found
