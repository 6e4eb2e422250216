"""What tells the answers of two language models apart: what was asked, of whom, and how the answer was drawn."""

from __future__ import annotations

from core.llm.endpoint import configured
from core.llm.saying import Sampling
from core.prompt import Prompt

_MODEL = "|model:"


def signed(name: str, used: Prompt, sampling: Sampling) -> str:
    """One line: what was done, model, sampling, prompt with its hash, and the address; raises NoEndpointError."""
    place = f"endpoint:{configured(sampling.endpoint).fingerprint[:12]}"
    return f"{name}{_MODEL}{sampling.model}|{drawn(sampling)}|sample:{sampling.sample}|{used.signature}|{place}"


def drawn(sampling: Sampling) -> str:
    """How an answer is drawn there: a model that thinks takes no temperature, and has more tokens to write."""
    if thoughts := configured(sampling.endpoint).thoughts:
        return f"temperature:its own|top_p:its own|max_tokens:{sampling.max_tokens}+{thoughts}"
    return f"temperature:{sampling.temperature:g}|top_p:{sampling.top_p:g}|max_tokens:{sampling.max_tokens}"


def is_signature(name: str) -> bool:
    """Whether that is how a language model signs, and not the name of a person."""
    return _MODEL in name
