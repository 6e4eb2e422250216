"""Words for settings that several metrics share: a title and help for each, and names for what may be chosen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SETTING_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "activation": "Activation",
        "backend": "Computed by",
        "chunk_words": "Words per chunk",
        "claims": "Claims",
        "dtype": "Precision",
        "first": "First text",
        "label": "Label for support",
        "max_tokens": "Tokens at most",
        "name": "Name",
        "over_chunks": "Score over chunks",
        "over_sentences": "Score over sentences",
        "reverse": "A high number says unsupported",
        "template": "Template",
        "units": "Units of the summary",
        "words": "Answers",
    }
)
"""Titles of the settings of a declared checkpoint."""

SETTING_HELP: Mapping[str, str] = MappingProxyType(
    {
        "activation": "How the number of the model becomes the score: by a sigmoid, from 0 to 1, or as it is.",
        "backend": "PyTorch, or ONNX Runtime from an ONNX file that lies with the other files.",
        "checkpoint": "A folder of this machine, or a hub repository (owner/name).",
        "chunk_words": "A longer document is read in chunks of whole sentences up to so many words; 0: in one piece.",
        "claims": "What is held against the document: each sentence of the summary, or the summary as a whole.",
        "config_check": "off takes any classifier for one made for this metric, its labels in the authors' order.",
        "dtype": "bfloat16 and float16 halve the memory and move scores; the signature names them.",
        "first": "The text of the pair that the model reads first, as in its training.",
        "label": "The label that says that the document supports the claim.",
        "max_tokens": "Limit of the model for one input; what is longer is cut off at the end of the chunk.",
        "name": "How commands and links call the metric: small letters, digits and hyphens.",
        "over_chunks": "How the score of a claim follows from those of the document's chunks.",
        "over_sentences": "How the score of the summary follows from those of its sentences. The soft minimum is near the lowest, and "
        "lower where several are low.",
        "reverse": "For a model of hallucination or contradiction.",
        "revision": "A branch, tag or commit of the hub repository. Empty: the commit that is pinned, which Set up shows, or main.",
        "template": "One text with {document} and {summary} in it. Empty: the model reads a pair of texts.",
        "trust_remote_code": "Runs code that comes with the weights, where this machine's setting allows it.",
        "units": "Sentences as published, lines, or layout: sentences and list items without marks and headings.",
        "words": "Two words that the model's answer may begin with, first the one for a claim that is supported.",
    }
)
"""One or two sentences on a setting."""

CHOICE_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "document": "document",
        "max": "highest",
        "mean": "mean",
        "min": "lowest",
        "none": "none",
        "onnx": "ONNX Runtime",
        "sentences": "each sentence",
        "softmin": "soft minimum",
        "summary": "claim",
        "torch": "PyTorch",
        "whole": "whole summary",
    }
)
"""Names of what may be chosen, where the value says less."""
