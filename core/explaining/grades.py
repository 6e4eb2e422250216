"""How right an explanation is: entirely, partially or not, which count 1, 0.5 and 0 (SummExecEdit, Thorat et al. 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from core.errors import TouchstoneError

Grade = Literal["entirely", "partially", "not"]

WORTH: Mapping[Grade, float] = MappingProxyType({"entirely": 1.0, "partially": 0.5, "not": 0.0})

_WORDS: Mapping[str, Grade] = MappingProxyType(
    {
        "entirely": "entirely",
        "entirely correct": "entirely",
        "correct": "entirely",
        "partially": "partially",
        "partially correct": "partially",
        "not": "not",
        "not correct": "not",
        "incorrect": "not",
        # what speaks of something else, or says nothing, explains no error
        "unrelated": "not",
        "no explanation": "not",
    }
)


def grade_of(words: str) -> Grade:
    """The grade that a dataset gives in its own words; TouchstoneError for words that are not known."""
    grade = _WORDS.get(words.replace("_", " ").strip().lower())
    if grade is None:
        raise TouchstoneError(f"The grade is {words[:60]!r}. Known: {', '.join(_WORDS)}.")
    return grade
