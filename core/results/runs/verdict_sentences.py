"""Verdicts in words: how many metrics noticed an edit, what each kind of edits does to them, and one metric under every kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from core.edits import PERTURBATIONS, Intent
from core.results.runs.matrix import MatrixCell, MetricBalance
from core.scoring import METRICS, is_surface, metric_title
from core.stats import FEW_PAIRS, Move, format_signed
from core.types import ErrorType, Intention, Verdict

_BROKEN: Mapping[ErrorType | None, str] = {
    ErrorType.INTRINSIC_PREDICATE: "You reversed a fact.",
    ErrorType.EXTRINSIC_PREDICATE: "You invented an event.",
    ErrorType.INTRINSIC_ENTITY: "You put one name in the place of another.",
    ErrorType.EXTRINSIC_ENTITY: "You put in a name or number that the document does not have.",
    ErrorType.INTRINSIC_CIRCUMSTANCE: "You changed when, where, how or why.",
    ErrorType.EXTRINSIC_CIRCUMSTANCE: "You invented a time, place, manner or reason.",
    ErrorType.COREFERENCE: "You let a word refer to somebody else.",
    ErrorType.OTHER: "You broke a fact.",
    None: "You broke a fact.",
}
_HARMLESS = "You changed nothing of substance."
_PADDED = "You added words without content."
_UNSTATED = "If you broke a fact:"


def edit_verdict(moves: Sequence[Move], meant: Intention, to_come: int = 0) -> str:
    """Sentences on the effect of the edit and on how many metrics reacted as they should; empty without moves.

    Metrics without a better side are not counted. An edit that nobody labelled is judged as if it broke a fact. While
    metrics are `to_come` there is no "of so many": a verdict that later scores could turn is marked as one so far.
    """
    effect = edit_effect(meant) or _UNSTATED
    harmless = meant.verdict is Verdict.CONSISTENT
    if to_come:
        count = moves.count(Move.WRONG if harmless else Move.RIGHT)
        return f"{effect} {count} {'moved' if harmless else 'noticed'} so far, {to_come} to come."
    return _verdict(effect, moves, _count_moved if harmless else _count_noticed)


def edit_effect(meant: Intention) -> str:
    """Sentence on the effect of an edit on the meaning; empty where nobody said what it is meant to be."""
    if meant.verdict is Verdict.CONSISTENT:
        return _HARMLESS
    return _BROKEN[meant.error_type] if meant.verdict is Verdict.INCONSISTENT else ""


def kind_verdicts(cells: Iterable[MatrixCell]) -> dict[str, str]:
    """A sentence for each kind of edits: the pairs that metrics order rightly, their mean shifts, and what is beyond noise.

    Statistics of the surface are controls: they count where no other metric was scored.
    """
    by_kind: dict[str, list[MatrixCell]] = {}
    for cell in cells:
        by_kind.setdefault(cell.kind, []).append(cell)
    verdicts = {}
    for kind, of_kind in by_kind.items():
        scored = [cell for cell in of_kind if cell.move is not Move.NONE]
        counted = [cell for cell in scored if not is_surface(cell.metric)] or scored
        if not counted:
            verdicts[kind] = ""
            continue
        shares = sorted(round(100 * cell.consistency) for cell in counted if cell.consistency is not None)
        ordered = ""
        if shares and counted[0].intent == "breaking":  # consistency in the sense of BUMP, over the metrics
            ends = " to ".join(map(str, dict.fromkeys((shares[0], shares[-1]))))
            ordered = f"the original scores higher in {ends} % of pairs"
        # of several metrics the number whose mean moves against no edit at all, of those where its interval tells
        clear = [cell.is_clear for cell in counted if cell.shift.ends]
        shifted = f"the mean shift of {sum(clear)} of {_metrics(len(clear))} is clear of zero" if clear else ""
        if len(counted) == 1:
            shifted = f"mean shift {format_signed(counted[0].shift)}"
        most = max(cell.shift.n for cell in counted)
        few = f", on only {most} pair{'' if most == 1 else 's'}" if most < FEW_PAIRS else ""
        parts = filter(None, [ordered, shifted, _beyond_noise(counted)])
        verdicts[kind] = f"{PERTURBATIONS.parse(kind).card.title}{few}: {', '.join(parts)}."
    return verdicts


def metric_verdicts(cells: Iterable[MatrixCell]) -> dict[str, str]:
    """A sentence for each metric: of how many kinds of edits its mean shift is beyond noise, and which way.

    Kinds of which the noise is not known, and those under which the metric has no score, are not counted. Phrases count by the
    gain against zero, as in the study of gaming, with those among them that are beyond harmless edits.
    """
    by_metric: dict[str, list[MatrixCell]] = {}
    for cell in cells:
        by_metric.setdefault(cell.metric, []).append(cell)
    verdicts = {}
    for metric, of_metric in by_metric.items():
        few = sum(cell.few for cell in of_metric if cell.move not in (Move.UNKNOWN, Move.NONE))
        # harmless kinds that move the mean at all: the noise is made of them, so that a metric may fall under each and
        # be within it
        clear = sum(cell.is_clear for cell in of_metric if cell.intent == "preserving" and cell.move is Move.STILL)
        parts = [
            _count_kinds(of_metric, "breaking", {Move.STILL, Move.WRONG}, "misses {} of {} breaking kinds"),
            _count_kinds(of_metric, "preserving", {Move.WRONG}, "moves under {} of {} harmless"),
            f"{clear} within noise still move its mean" if clear else "",
            _count_gaming(of_metric),
            f"{few} of these on fewer than {FEW_PAIRS} pairs" if few else "",
        ]
        verdicts[metric] = ", ".join(filter(None, parts))
    return verdicts


def balance_sentence(balance: MetricBalance) -> str:
    """A sentence on the kinds under which a metric does as it should."""
    return f"{metric_title(balance.metric)} {_kinds_right(balance)}."


def rank_sentences(
    leading: Sequence[MetricBalance], behind: Sequence[MetricBalance], learned: Collection[str] = ()
) -> list[str]:
    """Sentences on which metrics do best and which are behind, as `rank_metrics` tells them apart.

    A single leader is called best only where every other metric is behind it. Metrics that `learned` from these documents
    have a star.
    """

    def title(balance: MetricBalance) -> str:
        return f"{metric_title(balance.metric)}{' ★' if balance.metric in learned else ''}"

    if not leading:
        return [
            "No metric is called best: that takes harmless and breaking kinds that every metric has with a known noise, "
            f"on at least {FEW_PAIRS} pairs each."
        ]
    first, *level = leading
    kinds = first.harmless + first.breaking
    if not level and not behind:
        return [balance_sentence(first)]
    over = f"over the {kinds} kinds that all {len(leading) + len(behind)} metrics have"
    sentences = [f"Best {over}: {title(first)}, which {_kinds_right(first)}."]
    if level:
        titles = _listing([title(balance) for balance in level])
        sentences = [
            f"No metric is best {over}: {title(first)} {_kinds_right(first)}, and {titles} "
            f"{'is' if len(level) == 1 else 'are'} not significantly behind."
        ]
    if behind:
        titles = _listing(
            [f"{title(balance)} ({balance.quiet + balance.noticed} of {kinds} right)" for balance in behind]
        )
        sentences.append(f"Significantly behind: {titles}.")
    return sentences


def _kinds_right(balance: MetricBalance) -> str:
    return (
        f"stays within noise under {balance.quiet} of {balance.harmless} harmless kinds and notices "
        f"{balance.noticed} of {balance.breaking} breaking kinds"
    )


def _listing(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _verdict(done: str, moves: Sequence[Move], count: Callable[[Sequence[Move], int], str]) -> str:
    counted = [move for move in moves if move is not Move.NONE]
    if not counted:
        return ""
    unknown = counted.count(Move.UNKNOWN)
    judged = len(counted) - unknown
    if not judged:
        return f"{done} The noise of {_metrics(unknown)} is not known yet."
    rest = f" The noise of {unknown} more is not known." if unknown else ""
    return f"{done} {count(counted, judged)}.{rest}"


def _count_noticed(moves: Sequence[Move], judged: int) -> str:
    wrong = moves.count(Move.WRONG)
    fooled = f", {wrong} moved the wrong way" if wrong else ""
    return f"{moves.count(Move.RIGHT)} of {_metrics(judged)} noticed{fooled}"


def _count_moved(moves: Sequence[Move], judged: int) -> str:
    return f"{moves.count(Move.WRONG)} of {_metrics(judged)} moved"


def _metrics(number: int) -> str:
    return f"{number} metric{'' if number == 1 else 's'}"


def _beyond_noise(cells: Sequence[MatrixCell]) -> str:
    """Metrics that move further than under harmless edits, those that move the wrong way by themselves."""
    moves = [cell.move for cell in cells if cell.move is not Move.UNKNOWN]
    if not moves:
        return "noise not known yet"
    beyond = [f"{moves.count(Move.RIGHT)} of {_metrics(len(moves))}"] if cells[0].intent == "breaking" else []
    wrong = moves.count(Move.WRONG)
    if cells[0].intent != "breaking":
        beyond.append(f"{wrong} of {_metrics(len(moves))}")
    elif wrong:
        beyond.append(f"{wrong} the wrong way")
    return f"beyond the noise of harmless edits: {', '.join(beyond)}"


def _count_kinds(cells: Sequence[MatrixCell], intent: Intent, bad: set[Move], words: str) -> str:
    moves = [cell.move for cell in cells if cell.intent == intent and cell.move not in (Move.UNKNOWN, Move.NONE)]
    return words.format(sum(move in bad for move in moves), len(moves)) if moves else ""


def _count_gaming(cells: Sequence[MatrixCell]) -> str:
    """Phrases whose mean gain is above zero by its whole interval, and those of them that gain more than harmless edits do."""
    every = [cell for cell in cells if cell.intent == "gaming" and cell.move is not Move.NONE]
    phrases = [cell for cell in every if cell.shift.ends]
    if not phrases:
        return "too few documents to tell of gaming" if every else ""
    sign = -1.0 if METRICS.parse(phrases[0].metric).card.direction == "lower" else 1.0
    gained = [cell for cell in phrases if cell.is_clear and sign * (cell.shift.value or 0.0) > 0]
    measured = [cell for cell in gained if cell.move is not Move.UNKNOWN]
    beyond = f", {sum(cell.move is Move.WRONG for cell in measured)} beyond harmless edits" if measured else ""
    return f"gamed by {len(gained)} of {len(phrases)} phrases{beyond}"
