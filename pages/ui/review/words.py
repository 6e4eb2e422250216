"""Answers and figures of the Review page in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotations.campaigns.cases import Provenance
from annotations.campaigns.questions import Asked
from annotations.campaigns.settling import Dispute, Docket

_SHORT = 90  # characters of a quoted passage

_COUNTED = {
    Provenance.UNANIMOUS: "unanimous",
    Provenance.ADJUDICATED: "settled",
    Provenance.UNRESOLVED: "unresolved",
    Provenance.SINGLE: "labelled by one person",
}


def progress_words(docket: Docket) -> str:
    """How the labelled items of a campaign came to their labels."""
    told = [f"{docket.counts[where]} {words}" for where, words in _COUNTED.items() if docket.counts.get(where)]
    if docket.not_mine:
        told.append(f"{docket.not_mine} for somebody else: you labelled or made them")
    return " · ".join(told) or "Nothing is labelled yet"


def agreement_words(dispute: Dispute) -> str:
    """How far people agree, without a share where there are only two."""
    people = len(dispute.answers)
    return f"{people} people" if people < 3 else f"{people} people, {dispute.agreement:.0%} of pairs agree"


def answer_words(question: Asked, answer: Any, dispute: Dispute) -> str:
    """An answer as the questions word it; quotes of marked passages; nothing for an edit, which is drawn."""
    match question.kind:
        case "choice":
            return option_words(question, answer)
        case "several":
            return ", ".join(option_words(question, one) for one in answer)
        case "scale":
            return f"{answer} of {question.high}"
        case "span":
            return " … ".join(f"“{quote(question, piece, dispute)}”" for piece in answer)
        case "edit":
            return ""
    return str(answer)


def option_words(question: Asked, value: object) -> str:
    return next((option.text for option in question.options if option.value == value), str(value))


def quote(question: Asked, piece: Sequence[Any], dispute: Dispute) -> str:
    """The words of a marked passage."""
    start, end, *side = piece
    summary = dispute.right if dispute.right is not None and side == ["right"] else dispute.left
    words = (dispute.document if question.of == "document" else summary)[start:end]
    return words if len(words) <= _SHORT else f"{words[:_SHORT].rpartition(' ')[0]} …"
