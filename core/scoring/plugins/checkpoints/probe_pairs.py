"""Five pairs that any metric of consistency gets the right way round, and how the candidates of a checkpoint do on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.scoring.metric import Metric
from core.scoring.plugins.checkpoints.checkpoint_file import CheckpointEntry, checkpoint_class
from core.types import Example, Failure, Outcome

Run = Callable[[Sequence[Metric], Iterable[Example]], Iterable[tuple[Example, Outcome]]]
"""The `run` of an engine."""

PAIRS: tuple[tuple[str, str, str], ...] = (
    (
        "The council voted on Monday to close the old bridge for repairs. It will open again in June.",
        "The old bridge will be closed for repairs.",
        "The old bridge will stay open during the repairs.",
    ),
    (
        "Two sisters founded the bakery in 1987. Their cousin bought it from them in 2004.",
        "The bakery was founded by two sisters.",
        "The bakery was founded by their cousin.",
    ),
    (
        "Of the 200 patients who took the new drug, 40 had headaches, and none of them needed treatment.",
        "Of the 200 patients, 40 had headaches.",
        "Of the 200 patients, 140 had headaches.",
    ),
    (
        "The museum is open every day except Monday, and admission is free for children.",
        "Children do not pay for admission to the museum.",
        "Children pay the full price for admission to the museum.",
    ),
    (
        "Heavy rain flooded two villages in the valley on Friday, but nobody was injured.",
        "Two villages were flooded, and no one was hurt.",
        "Two villages were flooded, and several people were hurt.",
    ),
)
"""A document, a summary that it supports, and one that it contradicts."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One candidate with the scores of the supported and the contradicted summary of each pair; a sentence in place of one that failed."""

    entry: CheckpointEntry
    scores: tuple[tuple[float | str, float | str], ...]

    @property
    def gaps(self) -> list[float]:
        """The supported summary's score less the other's, of the pairs that have both."""
        return [
            supported - unsupported
            for supported, unsupported in self.scores
            if not isinstance(supported, str) and not isinstance(unsupported, str)
        ]

    @property
    def right(self) -> int:
        """The number of pairs that come out the right way round."""
        return sum(gap > 0 for gap in self.gaps)

    @property
    def passes(self) -> bool:
        return self.right == len(PAIRS)

    @property
    def error(self) -> str:
        """The first reason why there is no score; "" where there are all."""
        return next((score for pair in self.scores for score in pair if isinstance(score, str)), "")


def probe(run: Run, candidates: Iterable[CheckpointEntry]) -> list[ProbeResult]:
    """The results of the candidates on the pairs, in order."""
    examples = [
        Example(f"probe-{place}-{side}", document, summary)
        for place, (document, *summaries) in enumerate(PAIRS)
        for side, summary in enumerate(summaries)
    ]
    results = []
    for entry in candidates:
        outcomes = {example.id: outcome for example, outcome in run([checkpoint_class(entry)()], examples)}
        in_order = [outcomes[example.id] for example in examples]
        scores = [outcome.error if isinstance(outcome, Failure) else outcome.score for outcome in in_order]
        results.append(ProbeResult(entry, tuple(zip(scores[::2], scores[1::2], strict=True))))
    return results


def best(results: Sequence[ProbeResult], is_open: bool) -> ProbeResult:
    """The candidate to take: where the files leave the choice open that with most pairs right, of equal ones the widest gap;
    else the first, unless only another gets all of them right.
    """
    if is_open:
        return max(results, key=lambda result: (result.right, fmean(result.gaps) if result.gaps else 0.0))
    return next((result for result in results if result.passes), results[0])


def describe_probes(winner: ProbeResult, results: Sequence[ProbeResult], is_open: str) -> list[str]:
    """Sentences on how the pairs came out and on what was decided by them."""
    if not winner.gaps:
        return [f"The probe pairs have no score: {winner.error}"]
    sentences = [f"{winner.right} of {len(PAIRS)} probe pairs come out the right way round."]
    if winner.error:
        sentences.append(f"Some have no score: {winner.error}")
    if is_open and len(results) > 1:
        second = max(result.right for result in results if result is not winner)
        chance = min(1.0, len(results) / 2 ** len(PAIRS))  # Boole's inequality
        sentences.append(
            f"Guessed from the probe pairs: {is_open}. The next best of {len(results)} ways to ask gets {second} right. Of a model "
            f"that knows nothing, one of {len(results)} ways gets all five right in up to {chance:.0%} of cases, so "
            "check the model's own page."
        )
    elif winner is not results[0]:
        sentences.append(f"With the document first {results[0].right} are right, so the summary is given first.")
    if not winner.right:
        sentences.append(
            "All are the wrong way round: its config.json may name the labels in another order than it was trained with."
        )
    elif not winner.passes:
        sentences.append(
            "A metric of consistency gets all of them right. Look up on the model's page how it is asked, and correct the fields."
        )
    return sentences
