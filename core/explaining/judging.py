"""Judging an explanation by a language model in the four set-ups of SummExecEdit (Thorat et al. 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import MappingProxyType

from core.errors import UnscorableError
from core.explaining.grades import Grade
from core.job import Talk
from core.llm.addressee import at
from core.llm.promptfile import prompt
from core.llm.saying import Sampling
from core.llm.signing import signed
from core.llm.structured import Shape, structured
from core.prompt import Prompt
from core.types import Example, Rounds


class Setup(StrEnum):
    """What a judge is shown beside the explanation."""

    V1 = "V1"
    V2 = "V2"
    V3 = "V3"
    V4 = "V4"


READS: Mapping[Setup, tuple[str, ...]] = MappingProxyType(
    {
        Setup.V1: ("document", "summary", "explanation"),
        Setup.V2: ("seed", "summary", "explanation"),
        Setup.V3: ("seed", "summary", "reference", "explanation"),
        Setup.V4: ("reference", "explanation"),
    }
)
"""The texts of a case that a judge reads."""

_WORDS = {"seed": "original summary", "reference": "reference explanation"}


@dataclass(frozen=True, slots=True)
class Case:
    """An explanation of what is wrong with a summary, and the texts it may be judged by; "" where one is not known.

    `seed` is the summary before its edit. `human` is a person's grade, which no judge is shown; `group` names the
    document, the unit of resampling. `sample` is the id of the summary in its dataset, `by` who explained.
    """

    id: str
    explanation: str
    document: str = ""
    seed: str = ""
    summary: str = ""
    reference: str = ""
    group: str = ""
    human: Grade | None = None
    sample: str = ""
    by: str = ""

    def texts(self) -> dict[str, str]:
        """By the names that prompts have for them."""
        return {name: getattr(self, name) for name in ("document", "seed", "summary", "reference", "explanation")}

    def lacks(self, setup: Setup) -> list[str]:
        """What this set-up reads and is not there, in words."""
        return [_WORDS.get(name, name) for name in READS[setup] if not self.texts()[name].strip()]


@dataclass(frozen=True, slots=True)
class Judged:
    """The grade that a judge gave, why, and its signature."""

    grade: Grade
    because: str
    by: str


class Graded(Shape):
    """What the prompts `judge-v1` to `judge-v4` ask for, the reason first, so that the grade follows from it."""

    because: str
    grade: Grade


def judge(case: Case, setup: Setup, sampling: Sampling) -> Rounds[Judged]:
    """Ask for a grade; UnscorableError where a text is missing and, with the raw answer, for one that cannot be read."""
    if lacking := case.lacks(setup):
        raise UnscorableError(
            f"{setup} reads the {' and the '.join(lacking)}, and there is none. Give it, or judge otherwise."
        )
    used = _prompt(setup)
    found = yield from structured(used.fill(case.texts()), sampling, Graded)
    return Judged(found.grade, found.because.strip(), signed(used.name, used, sampling))


def signature(setup: Setup, sampling: Sampling) -> str:
    """What `Judged.by` will be; raises NoEndpointError where nobody can be asked."""
    used = _prompt(setup)
    return signed(used.name, used, sampling)


def judging(case: Case, setup: Setup, sampling: Sampling) -> Talk[Judged]:
    """The conversation for the engine, about the explanation and what it is judged by."""
    # each text by its name: the engine refuses an example without texts, and `judge` says better what is missing
    *read, explanation = (f"{name}: {case.texts()[name]}" for name in READS[setup])
    about = Example(case.id, "\n\n".join(read), explanation)
    rounds = partial(judge, case, setup, sampling)
    return Talk(f"judge-{setup.lower()}[{sampling}]", about, rounds, (at(sampling.endpoint, "say"),))


def _prompt(setup: Setup) -> Prompt:
    return prompt(f"judge-{setup.lower()}", READS[setup])
