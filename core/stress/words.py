"""What a run found in plain text: its table, and sentences on what could not be had and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from core.stats.estimate import Estimate
from core.stress.gaming import Standing
from core.stress.matrix import Applied, Cell
from core.stress.records import Check, Run

_HEAD = ("metric", "kind", "meant", "n", "shift [95 %]", "|shift|", "wrong way", "still", "× noise", "failed")
_GAMED = ("metric", "gain in spreads [95 %]", "raised", "best phrase, appended", "gain", "words", "alone", "n")
_SAID = " The model said: “"


def table(cells: Sequence[Cell]) -> str:
    """One line a cell, in columns; a dash where there is no figure."""
    return _columns([_HEAD, *map(_row, cells)])


def gaming_table(standings: Sequence[Standing]) -> str:
    """How far each metric is gamed by phrases, the most gamed first, and its best phrase; nothing without phrases."""
    return _columns([_GAMED, *map(_gamed, standings)]) if standings else ""


def refusals(kinds: Iterable[Applied]) -> list[str]:
    """A sentence for each reason why a kind of perturbation could not be applied; answers of language models are left out."""
    sentences = []
    for kind in kinds:
        reasons: Counter[str] = Counter()
        for refusal, count in kind.refused.items():
            reasons[reason_and_answer(refusal)[0]] += count
        every = kind.made + reasons.total()
        sentences += [
            f"{kind.kind}: not applied to {count} of {every}. {reason}" for reason, count in reasons.most_common()
        ]
    return sentences


def reason_and_answer(refusal: str) -> tuple[str, str]:
    """Why a variant was refused, and the raw answer of a language model; empty where none was asked."""
    reason, said, answer = refusal.partition(_SAID)
    return reason, answer.removesuffix("”") if said else ""


def failures(run: Run) -> list[str]:
    """A sentence for each reason why a metric has no score of a text."""
    read = Counter(reading.metric for reading in run.readings.values())
    failed = Counter((one.metric, one.error) for one in run.readings.values() if one.value is None)
    return [
        f"{metric}: no score of {count} of {read[metric]} texts. {reason}"
        for (metric, reason), count in failed.most_common()
    ]


def verdict(check: Check) -> str:
    """What the guard says of a variant, in a sentence."""
    if check.mark is None:
        return f"Not checked: {check.error}"
    mark = check.mark
    sure = "" if mark.probability is None else f", p = {mark.probability:.2f}"
    says = "Contradicts" if mark.contradicts else "Does not contradict"
    because = f" “{mark.said}”" if mark.said else ""
    return " ".join([f"{says} the original, says {mark.by}{sure}.{because}", *mark.notes])


def guarded(run: Run) -> list[str]:
    """What the guard found, and why it could not tell; nothing where there is none."""
    if not run.plan.guard:
        return []
    marks = [check.mark for check in run.checks.values() if check.mark]
    found = f"{run.plan.guard}: {sum(mark.contradicts for mark in marks)} of {len(marks)} variants contradict their original."
    untold = Counter(check.error for check in run.checks.values() if check.mark is None)
    return [found, *(f"{run.plan.guard}: {count} not checked. {reason}" for reason, count in untold.most_common())]


def signed(estimate: Estimate) -> str:
    """The figure with its interval, as +0.012 [−0.003, +0.027]."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return _sign(estimate.value)
    return f"{_sign(estimate.value)} [{_sign(estimate.low)}, {_sign(estimate.high)}]"


def unsigned(estimate: Estimate) -> str:
    """A score with its interval, as 0.412 [0.380, 0.440]."""
    return signed(estimate).replace("+", "")


def share(estimate: Estimate) -> str:
    return "–" if estimate.value is None else f"{100 * estimate.value:.0f} %"


def _row(cell: Cell) -> tuple[str, ...]:
    return (
        cell.metric,
        cell.kind,
        cell.intent,
        str(cell.shift.n),
        signed(cell.shift),
        "–" if cell.size.value is None else f"{cell.size.value:.3f}",
        share(cell.wrong),
        share(cell.still),
        "–" if cell.multiple is None else f"{cell.multiple:.1f}",
        str(cell.failed),
    )


def _gamed(standing: Standing) -> tuple[str, ...]:
    best = standing.best
    return (
        standing.metric,
        signed(standing.gain),
        share(standing.raised),
        best.phrase.spec,
        signed(best.appended).partition(" ")[0],
        str(best.words),
        unsigned(best.alone).partition(" ")[0],
        str(standing.gain.n),
    )


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _sign(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
