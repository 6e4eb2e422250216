"""A spaCy pipeline made of a few rules, where a trained one is not at hand and its speed is not the question."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path

from core.errors import NotHereError

_LONG_WORD, _FIGURE, _MARK = {"IS_ALPHA": True, "LENGTH": {">=": 6}}, {"LIKE_NUM": True}, {"IS_PUNCT": True}
_NAME = {"IS_TITLE": True, "LENGTH": {">=": 4}}


def write_parser(folder: Path) -> None:
    """Write a pipeline that ends sentences at full stops and takes long words for nouns, titled words for names.

    Every word is its own head, so there are no arcs. Raises NotHereError where spaCy is not installed.
    """
    if find_spec("spacy") is None:
        raise NotHereError("Parsing needs spaCy, which is not installed. Run: pip install spacy")
    # imported by name: spaCy is not among the requirements, and nothing else needs it
    pipeline = importlib.import_module("spacy").blank("en")
    pipeline.add_pipe("sentencizer")
    words = pipeline.add_pipe("attribute_ruler")
    words.add(patterns=[[_LONG_WORD]], attrs={"POS": "NOUN", "DEP": "nsubj"})
    words.add(patterns=[[_FIGURE]], attrs={"POS": "NUM", "DEP": "nummod"})
    words.add(patterns=[[_MARK]], attrs={"POS": "PUNCT", "DEP": "punct"})
    names = pipeline.add_pipe("entity_ruler")
    names.add_patterns([{"label": "NAME", "pattern": [_NAME]}, {"label": "FIGURE", "pattern": [_FIGURE]}])
    pipeline.to_disk(folder)
