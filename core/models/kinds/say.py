"""Kind "say": the text that a language model answers, asked of an endpoint; needs no torch.

Inputs: a system and a user message, then answers and further requests in turn. Options: those of `core.llm.saying.question`.
Texts: the answer as it came, and how it ended (stop | length | refusal | filter); values: the tokens written; tokens: those
read. What was refused or cut off is an answer too, though not one to keep: who reads it takes it by `core.llm.saying.said`.
"""

from __future__ import annotations

from pathlib import Path

from core.llm.endpoint import Endpoint
from core.llm.saying import sampling_of, schema_in
from core.models.remote import Remote
from core.types import Answer, Checkpoint, Question


def _ask(endpoint: Endpoint, question: Question) -> Answer:
    # imported when the first question is asked: openai takes a second to import, and listing metrics does not need it
    from core.llm.client import client

    told = client(endpoint).say(question.inputs, sampling_of(question), schema_in(question))
    return Answer(values=(float(told.written),), texts=(told.text, told.ended), tokens=told.read)


def load(path: Path, checkpoint: Checkpoint, device: str) -> Remote:  # noqa: ARG001  # the signature of every kind
    return Remote(_ask)
