"""Wrong labels, as a metric shows them that is right of the edits by rule and contradicts labels of both kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import AuditAnswer, AuditFigure, Level
from core.edits import Intent
from core.results import document_array, intent_of
from core.stats import MIN_TEST_DOCUMENTS, Estimate, Values, share_estimate

_LEAST_SPLIT = 0.95  # of the variance of the scores that lies between two groups: 64 % for a normal distribution
_LEAST_CONTRADICTED = 0.03  # of the labels in each group
_LEAST_RIGHT = 0.8  # of the edits by rule of either intent
_BY_LABEL = ("sees-errors", "change-detector", "sanity", "slices", "calibration", "threshold")
"""Questions whose figures rest on the labels, or on originals that are taken for consistent by them."""

_BRIEFLY = "The labels look wrong, as “Does it see errors?” says: bad figures by label may be theirs."


def with_label_doubt(findings: Sequence[AuditAnswer], evidence: Evidence, metric: str) -> tuple[AuditAnswer, ...]:
    """The findings, where the labels look wrong with no bad verdict that rests on them, and with the sentence that says so."""
    doubt = label_doubt(evidence, metric)
    if not doubt:
        return tuple(findings)
    return tuple(
        replace(
            finding,
            level=Level.MEASURED if finding.level in (Level.WEAK, Level.FAILS) else finding.level,
            brief="the labels look wrong" if finding.question == "sees-errors" else "",
            warning=" ".join(filter(None, [finding.warning, doubt if finding.question == "sees-errors" else _BRIEFLY])),
        )
        if finding.question in _BY_LABEL and (finding.level is not Level.GOOD or finding.question == "sees-errors")
        else finding
        for finding in findings
    )


def label_doubt(evidence: Evidence, metric: str) -> str:
    """Sentence on labels that look wrong; empty where nothing says so.

    It is said where the scores split into two groups, each with enough labels against it, and edits by rule of what is in the
    upper group fall into the right one. Their truth hangs on no label, so that a metric which is as often wrong by itself
    contradicts the edits too.
    """
    labelled = evidence.labelled(metric)
    if labelled is None or metric in evidence.released or labelled.direction == "neutral":
        return ""
    scored = ~np.isnan(labelled.scores)
    sign = -1.0 if labelled.direction == "lower" else 1.0
    scores = sign * labelled.scores[scored]
    cut, between = _split(scores)
    if between < _LEAST_SPLIT:
        return ""
    accepted, labels, documents = scores > cut, labelled.labels[scored], labelled.documents[scored]
    against = [
        share_estimate(np.where(here, labels == refused, np.nan).astype(np.float64), documents)
        for here, refused in ((accepted, False), (~accepted, True))
    ]
    intents: tuple[Intent, Intent] = ("preserving", "breaking")
    right = [_right(evidence, metric, intent, sign, cut) for intent in intents]
    if not all(_clears(estimate, _LEAST_CONTRADICTED) for estimate in against):
        return ""
    if not all(_clears(estimate, _LEAST_RIGHT) for estimate in right):
        return ""
    upper, lower, harmless, broken = (AuditFigure("", estimate, "share") for estimate in (*against, *right))
    return (
        f"The labels look wrong: the scores split into two groups ({100 * between:.0f} % of their variance lies between them), with {upper} of "
        f"labels inconsistent in the upper one and {lower} consistent in the lower one, while of edits by rule, whose truth hangs on "
        f"no label, {harmless} of the harmless stay in the upper and {broken} of the breaking fall into the lower. Read the summaries "
        "of the contradicted labels first: if these hold, people's errors are of another kind than those by rule."
    )


def _split(scores: Values) -> tuple[float, float]:
    """The cut between two groups that leaves least variance within them (Otsu 1979), and the share of it that lies between."""
    ordered = np.sort(scores)
    total = float(ordered.var()) * len(ordered) if len(ordered) else 0.0
    if total == 0:
        return 0.0, 0.0
    counts = np.arange(1, len(ordered))
    sums = ordered.cumsum()
    means, rest = sums[:-1] / counts, (sums[-1] - sums[:-1]) / (len(ordered) - counts)
    between = counts * (len(ordered) - counts) / len(ordered) * (means - rest) ** 2
    between[np.diff(ordered) == 0] = 0.0
    place = int(between.argmax())
    return float(ordered[place] + ordered[place + 1]) / 2, float(between[place]) / total


def _right(evidence: Evidence, metric: str, intent: Intent, sign: float, cut: float) -> Estimate:
    """Of edits by rule of originals in the upper group, the harmless that stay there, or the breaking that leave it."""
    shifts = [
        shift
        for shift in evidence.shifts
        if shift.metric == metric
        and intent_of(shift.kind) == intent
        and shift.before is not None
        and shift.after is not None
    ]
    upper = [shift for shift in shifts if sign * (shift.before or 0.0) > cut]
    stays = [(sign * (shift.after or 0.0) > cut) == (intent == "preserving") for shift in upper]
    groups = [shift.group for shift in upper]
    return share_estimate(
        np.array(stays, dtype=np.float64),
        document_array(groups, {group: place for place, group in enumerate(dict.fromkeys(groups))}),
    )


def _clears(estimate: Estimate, least: float) -> bool:
    return estimate.low is not None and estimate.low > least and estimate.documents >= MIN_TEST_DOCUMENTS
