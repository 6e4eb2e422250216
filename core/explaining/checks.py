"""What rules say of an explanation of an error, beside what a judge says: does it name the edit, does it deny the error."""

from __future__ import annotations

from dataclasses import dataclass

from core.edits import recover
from core.explaining.judging import Case
from core.explaining.naming import named
from core.explaining.speaking import contradicts_itself
from core.types import Verdict


@dataclass(frozen=True, slots=True)
class Checks:
    """Whether every edit is named, None where the summary before it is not known; and whether the summary is called right."""

    names_edit: bool | None
    contradicts_verdict: bool


def checks(case: Case) -> Checks:
    """What `named` and `contradicts_itself` say of the explanation of a summary that was found inconsistent."""
    edits = recover(case.seed, case.summary) if case.seed and case.summary else []
    found = named(case.explanation, case.seed, edits)
    return Checks(
        names_edit=all(one.holds for one in found) if found else None,
        contradicts_verdict=contradicts_itself(Verdict.INCONSISTENT, case.explanation),
    )
