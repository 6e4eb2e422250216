"""Families of language models by the words in their names: those of one family share their maker and much of their training."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "GPT": ("gpt", "chatgpt", "davinci", "o1", "o3", "o4", "openai"),
        "Claude": ("claude", "anthropic"),
        "Gemini": ("gemini", "gemma", "palm", "bard"),
        "Llama": ("llama", "codellama", "vicuna", "alpaca"),
        "Mistral": ("mistral", "mixtral", "ministral", "magistral"),
        "Qwen": ("qwen", "qwq"),
        "DeepSeek": ("deepseek",),
        "Grok": ("grok",),
        "Command": ("command", "cohere"),
        "Phi": ("phi",),
        "Falcon": ("falcon",),
        "Yi": ("yi",),
        "GLM": ("glm", "chatglm"),
        "OLMo": ("olmo",),
        "T5": ("t5", "flan"),
        "BART": ("bart",),
        "Pegasus": ("pegasus",),
    }
)
_PIECE = re.compile(r"[a-z]+\d*|\d+")


def model_family(name: str) -> str:
    """The family that a name belongs to, "" where none of its words says so; a distilled model is of the family that it is named by last."""
    pieces = _PIECE.findall(name.lower())
    families = [
        (place, family)
        for place, piece in enumerate(pieces)
        for family, words in _WORDS.items()
        if piece in words or piece.rstrip("0123456789") in words
    ]
    return max(families)[1] if families else ""
