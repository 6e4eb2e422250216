"""Sentences on a run: what failed and why, what could not be applied, and what the NLI check found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.results.runs.matrix import KindCoverage, kind_coverage
from core.results.runs.stress_run import Check, StressRun
from core.scoring import METRICS
from core.text import count_unverified

_MODEL_ANSWER = " The model said: “"


def run_problems(run: StressRun) -> list[str]:
    """Sentences on what failed, is unverified, could not be applied or was found by the check."""
    return [
        *failure_sentences(run),
        *language_sentences(run),
        *refusal_sentences(kind_coverage(run)),
        *check_sentences(run),
    ]


def refusal_sentences(kinds: Iterable[KindCoverage]) -> list[str]:
    """A sentence for each reason why a kind of perturbation could not be applied; answers of language models are left out."""
    sentences = []
    for kind in kinds:
        reasons: Counter[str] = Counter()
        for refusal, count in kind.refused.items():
            reasons[split_refusal(refusal)[0]] += count
        every = kind.made + reasons.total()
        sentences += [
            f"{kind.kind}: not applied to {count} of {every}. {reason}" for reason, count in reasons.most_common()
        ]
    return sentences


def split_refusal(refusal: str) -> tuple[str, str]:
    """Split a refusal into its reason and the raw answer of a language model; empty where none was asked."""
    reason, said, answer = refusal.partition(_MODEL_ANSWER)
    return reason, answer.removesuffix("”") if said else ""


def failure_sentences(run: StressRun) -> list[str]:
    """A sentence for each reason why a metric has no score of a text."""
    read = Counter(reading.metric for reading in run.readings.values())
    failed = Counter((reading.metric, reading.error) for reading in run.readings.values() if reading.value is None)
    return [
        f"{metric}: no score of {count} of {read[metric]} texts. {error}"
        for (metric, error), count in failed.most_common()
    ]


def language_sentences(run: StressRun) -> list[str]:
    """A sentence for each metric that scored texts in a language that it is not for."""
    examples = [source.example for source in run.sources.values()]
    return [
        sentence
        for spec in run.plan.metrics
        for sentence in count_unverified(spec, METRICS.parse(spec).verified_languages, examples)
    ]


def check_sentence(check: Check) -> str:
    """Verdict of the guard on a variant, in a sentence."""
    if check.mark is None:
        return f"Not checked: {check.error}"
    mark = check.mark
    sure = "" if mark.probability is None else f", p = {mark.probability:.2f}"
    says = "Contradicts" if mark.contradicts else "Does not contradict"
    because = f" “{mark.said}”" if mark.said else ""
    return " ".join([f"{says} the original, says {mark.by}{sure}.{because}", *mark.notes])


def check_sentences(run: StressRun) -> list[str]:
    """Sentences on what the guard found, and why it could not tell; none where there is no guard."""
    if not run.plan.guard:
        return []
    marks = [check.mark for check in run.checks.values() if check.mark]
    sentence = f"{run.plan.guard}: {sum(mark.contradicts for mark in marks)} of {len(marks)} variants contradict their original."
    untold = Counter(check.error for check in run.checks.values() if check.mark is None)
    return [sentence, *(f"{run.plan.guard}: {count} not checked. {error}" for error, count in untold.most_common())]
