"""A file of CoreNLP's JSON of the bundled texts, by rules: words at blanks, each an object of the word before it."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

from core.data.datasets.bundled import bundled_items
from tests.parity.tiny_tokens import dae

_WORD = re.compile(r"\w+|[^\w\s]")


def parses(folder: Path) -> Path:
    """The file, a line for each document and summary."""
    folder.mkdir(parents=True)
    file = folder / "parses.jsonl"
    examples = [item.example for item in bundled_items()]
    texts = dict.fromkeys(text for example in examples for text in (example.document, example.summary))
    file.write_text("".join(f"{json.dumps(parse(text))}\n" for text in texts), encoding="utf-8")
    return file


def parse(text: str) -> dict[str, object]:
    """CoreNLP's JSON of a text as one sentence."""
    tokens = [{"word": word, "originalText": word} for word in _WORD.findall(text)]
    arcs = [
        {"dep": "dobj", "governor": head, "dependent": child} for head, child in pairwise(range(1, len(tokens) + 1))
    ]
    return {"text": text, "sentences": [{"tokens": tokens, "enhancedDependencies": arcs}]}


SPECS = {"dae": lambda built: f"dae[checkpoint={built(dae)},parses={built(parses)}]"}
