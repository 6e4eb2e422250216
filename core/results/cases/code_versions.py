"""Scores that the same metric gave in several versions of the code: the newest count, and what is left out is said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.base import apart_from_code, code_of_signature
from core.scoring import current_signature
from core.types import Sample, StoredScore


def in_several_codes(signatures: Iterable[str]) -> dict[str, list[str]]:
    """The signatures that differ in the code alone, by what they have in common."""
    versions: dict[str, list[str]] = defaultdict(list)
    for signature in signatures:
        versions[apart_from_code(signature)].append(signature)
    return {setup: same for setup, same in versions.items() if len(same) > 1}


def newest_code_only(samples: Sequence[Sample]) -> tuple[Sequence[Sample], list[str]]:
    """The samples without scores by older code, and a sentence for each metric that has some.

    `kept` of a sample has its scores in the order in which they were saved. The newest code is the one that comes last
    where a sample has several; where none has several, the one with the most scores. Scores that version 0.2.0 computed in
    the same way are by the code of today.
    """
    counts = _count_signatures(samples)
    if in_several_codes(counts):
        samples = [replace(sample, kept=tuple(map(_as_of_today, sample.kept))) for sample in samples]
        counts = _count_signatures(samples)
    several = in_several_codes(counts)
    if not several:
        return samples, []
    setups = {signature: setup for setup, signatures in several.items() for signature in signatures}
    last: Counter[str] = Counter()
    for sample in samples:
        by_setup: dict[str, list[StoredScore]] = defaultdict(list)
        for score in sample.kept:
            if score.signature in setups:
                by_setup[setups[score.signature]].append(score)
        # a sample with scores by both codes was scored again: its last one tells which code came later
        last.update(scores[-1].signature for scores in by_setup.values() if len(scores) > 1)
    newest = {
        setup: max(signatures, key=lambda signature: (last[signature], counts[signature], signature))
        for setup, signatures in several.items()
    }
    older = {signature for signatures in several.values() for signature in signatures} - set(newest.values())
    current = [
        replace(sample, kept=tuple(score for score in sample.kept if score.signature not in older))
        for sample in samples
    ]
    sentences = []
    for setup, signatures in several.items():
        new, left_out = newest[setup], set(signatures) & older
        codes = " and ".join(sorted(code_of_signature(signature) or "a version before" for signature in left_out))
        sentences.append(
            f"{new.partition('|')[0]}: {sum(counts[signature] for signature in left_out)} scores by other code ({codes}) are left "
            f"out; {counts[new]} are by {code_of_signature(new) or 'a version before'}. What is missing is scored by "
            "cli.py score-dataset; cli.py explain-signature says how the two codes differ."
        )
    return current, sentences


def _count_signatures(samples: Sequence[Sample]) -> Counter[str]:
    return Counter(score.signature for sample in samples for score in sample.kept if score.signature)


def _as_of_today(score: StoredScore) -> StoredScore:
    return replace(score, signature=current_signature(score.metric, score.signature))
