"""Verdicts that the answers of a question set give on an item and on its original."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from annotations.campaigns.questions import QuestionSet
from core.types import Verdict

PairVerdicts = tuple[Verdict | None, Verdict | None]
"""Verdicts of an answer on the original and on the item itself."""

_NO_VERDICTS: PairVerdicts = (None, None)
_CONSISTENT, _INCONSISTENT = Verdict.CONSISTENT, Verdict.INCONSISTENT
_PAIR_VERDICTS: Mapping[str, PairVerdicts] = MappingProxyType(
    {
        "left": (_INCONSISTENT, _CONSISTENT),
        "right": (_CONSISTENT, _INCONSISTENT),
        "both": (_INCONSISTENT, _INCONSISTENT),
        "neither": (_CONSISTENT, _CONSISTENT),
        "cannot tell": (Verdict.BORDERLINE, Verdict.BORDERLINE),
    }
)
_SUMMARY_VERDICTS: Mapping[str, PairVerdicts] = MappingProxyType(
    {verdict.value: (None, verdict) for verdict in Verdict}
)
_EDIT_VERDICTS: Mapping[str, PairVerdicts] = MappingProxyType({"yes": (None, _INCONSISTENT), "no": (None, _CONSISTENT)})


def verdicts_of_answers(questions: QuestionSet, answers: Mapping[str, Any]) -> PairVerdicts:
    """Verdicts on the original and on the item, by the answer to the question that counts; None where it gives none.

    Values that give one: a verdict, a side of a pair, or yes and no to "inconsistent".
    """
    value = str(questions.measured(answers))
    if questions.unit == "pair":
        return _PAIR_VERDICTS.get(value, _NO_VERDICTS)
    return (_EDIT_VERDICTS if questions.measure == "inconsistent" else _SUMMARY_VERDICTS).get(value, _NO_VERDICTS)
