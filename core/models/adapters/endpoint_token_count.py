"""Kind "endpoint_token_count": how many tokens each text has for a model behind an endpoint; needs no torch.

Inputs: any number of texts. Option "model": its name at the endpoint. Values: their lengths, without special tokens.
"""

from __future__ import annotations

from core.models.llm.endpoints.endpoint import Endpoint
from core.types import Answer, Question


def ask(endpoint: Endpoint, question: Question) -> Answer:
    # imported when the first question is asked: openai takes a second to import, and listing metrics does not need it
    from core.models.llm.client.client import client_for

    model = str(dict(question.options)["model"])
    return Answer(values=tuple(float(client_for(endpoint).count_tokens(model, text)) for text in question.inputs))
