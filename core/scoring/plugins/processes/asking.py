"""Questions of a framework's scorer to a language model, which our side asks: the scorer runs again until no answer is missing.

So the process of a scorer reaches no address and holds no state, and endpoints, budget, cache and records of cost are ours.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.scoring.plugins.declaration import metric
from core.types import Score

ASKS, UNREADABLE = "asks", "unreadable"
"""First text of a reply without a score; after it come questions, as `Transcript` writes them, or a sentence."""

_MOST_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class ScorerTexts:
    """Texts that a scorer is given."""

    document: str
    summary: str
    question: str


class MissingAnswersError(BaseException):
    """Reply in place of a score. No Exception: scorers catch those of their models, and try again."""

    def __init__(self, *texts: str) -> None:
        super().__init__(*texts)
        self.texts = texts


class Transcript:
    """The answers that are there, by their questions; `missing` are the questions that were asked besides."""

    def __init__(self, answers: str) -> None:
        self._answers: dict[str, str] = json.loads(answers)
        self._asked: Counter[tuple[str, ...]] = Counter()
        self.missing: list[str] = []

    def ask(self, *messages: str) -> str:
        """The answer to a system message, "" for none, then requests and answers in turn.

        The same messages again are another draw. Raises MissingAnswersError where the answer is missing.
        """
        draw = self._asked[messages]
        self._asked[messages] += 1
        question = json.dumps({"messages": messages, "draw": draw})
        if question in self._answers:
            return self._answers[question]
        self.missing.append(question)
        raise MissingAnswersError(ASKS, question)


Ask = Callable[..., str]
"""`Transcript.ask`."""


def read_question(text: str) -> tuple[list[str], int]:
    """The messages of a question of a transcript, and the number of the draw."""
    question = json.loads(text)
    return question["messages"], question["draw"]


def function_name(name: str) -> str:
    """The name of a framework's scorer as that of a function of a plug-in."""
    return name.lower().replace("_", "-")


def scorer(name: str) -> Callable[[Callable[[ScorerTexts, Ask], Score]], Callable[..., Score]]:
    """Declare a function that scores by a framework, and asks a model by the function that it is given."""

    def declare(function: Callable[[ScorerTexts, Ask], Score]) -> Callable[..., Score]:
        @metric(name=function_name(name), low=None, high=None)
        def score(document: str, summary: str, question: str, *, answers: str = "{}") -> Score:
            transcript = Transcript(answers)
            try:
                result = function(ScorerTexts(document, summary, question), transcript.ask)
            except (Exception, MissingAnswersError) as error:  # of code that is not ours
                if not transcript.missing and answers != "{}":
                    raise MissingAnswersError(
                        UNREADABLE, f"{type(error).__name__}: {str(error)[:_MOST_CHARACTERS]}"
                    ) from error
                if not transcript.missing:
                    raise
            if transcript.missing:  # also where the scorer took the exception for an answer
                # in this order whichever of its threads came first, so that what is asked next is kept under one key
                raise MissingAnswersError(ASKS, *sorted({*transcript.missing}))
            return result

        return score

    return declare


def notes(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines that are shown beside a score, the first ten, each of them cut to its beginning."""
    return tuple(line if len(line) <= _MOST_CHARACTERS else f"{line[:_MOST_CHARACTERS]}…" for line in lines[:10])
