"""Conversations of metrics inside another metric, held side by side: the questions of all are asked at once, round after round."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TypeVar

from core.errors import UnscorableError
from core.types import Answer, Question, Rounds, Score

K = TypeVar("K")
InnerOutcome = Score | UnscorableError
"""Score of a text by an inner metric, or the reason why there is none."""


def run_in_lockstep(conversations: Mapping[K, Rounds[Score]]) -> Rounds[dict[K, InnerOutcome]]:
    """Hold conversations in lockstep: the questions of all are asked at once, round after round."""
    verdicts: dict[K, InnerOutcome] = {}
    replies = {key: _advance(conversation, None) for key, conversation in conversations.items()}
    while replies:
        verdicts |= {key: word for key, word in replies.items() if not isinstance(word, list)}
        questions = {key: word for key, word in replies.items() if isinstance(word, list)}
        answers = iter((yield [question for word in questions.values() for question in word]) if questions else ())
        replies = {
            key: _advance(conversations[key], list(islice(answers, len(word)))) for key, word in questions.items()
        }
    return verdicts


def _advance(conversation: Rounds[Score], answers: list[Answer] | None) -> list[Question] | InnerOutcome:
    try:
        return list(next(conversation) if answers is None else conversation.send(answers))
    except StopIteration as end:
        score: Score = end.value
        return score
    except UnscorableError as error:
        return error
