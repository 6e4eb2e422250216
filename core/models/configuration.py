"""The small JSON files of a checkpoint, for what transformers does not read itself."""

from __future__ import annotations

import json
from pathlib import Path

from core.errors import LoadError


def entries(path: Path) -> dict[str, object]:
    """The entries of a JSON object, none where there is no file; raises LoadError for anything else."""
    content = _content(path) if path.is_file() else {}
    if not isinstance(content, dict):
        raise LoadError(f"{path} is not a JSON object. Get the file again.")
    return content


def module_types(folder: Path) -> set[str]:
    """The last names of the modules that modules.json lists; none where there is no file; raises LoadError."""
    path = folder / "modules.json"
    modules = _content(path) if path.is_file() else []
    if not isinstance(modules, list) or not all(isinstance(module, dict) and "type" in module for module in modules):
        raise LoadError(f"{path} is not a list of modules. Get the file again.")
    return {str(module["type"]).rsplit(".", 1)[-1] for module in modules}


def longest_text(folder: Path, positions: int) -> int:
    """The tokens that a model takes at most: its tokenizer's limit, and never more than its positions."""
    said = entries(folder / "tokenizer_config.json").get("model_max_length")
    return min(said, positions) if isinstance(said, int) else positions


def longest_sentence(folder: Path, positions: int) -> int:
    """The same for a sentence-transformers model, which may set a lower limit."""
    said = entries(folder / "sentence_bert_config.json").get("max_seq_length")
    longest = longest_text(folder, positions)
    return min(said, longest) if isinstance(said, int) else longest


def _content(path: Path) -> object:
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LoadError(f"{path} is not readable JSON ({error}). Get the file again.") from error
    return content
