"""What becomes of the edits that a language model proposes: those that can be used, and the others with their reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.types import Edit, Verdict

WANTED = 6
"""Edits asked for at once (SummExecEdit, Thorat et al. 2024)."""

INTENDED = Verdict.INCONSISTENT
"""What an edited summary is meant to be; a label says what it is."""


class Form(StrEnum):
    """How a model tells its edits: as replacements, which are executed, or as whole summaries, which are compared."""

    EXECUTABLE = "executable"
    REWRITTEN = "rewritten"


_PLURALS = {"is": "are", "was": "were", "repeats": "repeat"}


class Why(StrEnum):
    """Why an edit is not used, or a whole answer, said of one; `of` says it of many."""

    UNREADABLE = "cannot be executed"
    NOT_LOCAL = "is no small edit in one place"
    REPEATED = "repeats another"
    TRIVIAL = "is trivial"
    FAILED = "was not answered"

    def of(self, count: int) -> str:
        verb, rest = self.value.split(" ", 1)
        return f"{count} {verb if count == 1 else _PLURALS.get(verb, verb)} {rest}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """An edit of the summary in one place, and the summary that it makes; `remarks` are for a person to look at."""

    number: int
    edit: Edit
    edited: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """An edit that is not used, as the model wrote it, and why."""

    number: int
    written: str
    why: Why
    reason: str


Checked = Accepted | Rejected


@dataclass(frozen=True, slots=True)
class Proposals:
    """All edits of one answer in the order of the answer, numbered from 1."""

    checked: tuple[Checked, ...]

    @property
    def accepted(self) -> list[Accepted]:
        return [one for one in self.checked if isinstance(one, Accepted)]

    @property
    def rejected(self) -> list[Rejected]:
        return [one for one in self.checked if isinstance(one, Rejected)]

    @property
    def remark(self) -> str:
        """What has to be said of the answer as a whole; empty where it has as many edits as were asked for."""
        told = len(self.checked)
        return "" if told == WANTED else f"The model proposed {told} edits where {WANTED} were asked for."
