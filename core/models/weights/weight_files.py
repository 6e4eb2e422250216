"""Files of a checkpoint: their names, the content of the small JSON files, and which files decide its numbers."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.text import parser_files


def read_json_object(path: Path) -> dict[str, object]:
    """The entries of a JSON object, none where there is no file; raises LoadError for anything else."""
    content = read_json(path) if path.is_file() else {}
    if not isinstance(content, dict):
        raise LoadError(f"{path} is not a JSON object. Get the file again.")
    return content


def read_modules(folder: Path) -> list[tuple[str, str]]:
    """Name and folder of each module that modules.json lists; none where there is no file; raises LoadError."""
    path = folder / "modules.json"
    modules = read_json(path) if path.is_file() else []
    if not isinstance(modules, list) or not all(isinstance(module, dict) and "type" in module for module in modules):
        raise LoadError(f"{path} is not a list of modules. Get the file again.")
    places = [Path(str(module.get("path", ""))) for module in modules]
    if outside := [str(place) for place in places if place.is_absolute() or ".." in place.parts]:
        raise LoadError(f"{path} names {outside[0]}, which is outside the model's folder. Get the file again.")
    return [(str(module["type"]).rsplit(".", 1)[-1], str(module.get("path", ""))) for module in modules]


def default_prompt(folder: Path) -> str:
    """Prompt that a sentence-transformers model wants before every text; most want none."""
    settings = read_json_object(folder / PROMPTS_FILE)
    prompts, name = settings.get("prompts"), settings.get("default_prompt_name")
    return str(prompts.get(name, "")) if isinstance(prompts, dict) and name else ""


def max_text_tokens(folder: Path, positions: int) -> int:
    """The tokens that a model takes at most: its tokenizer's limit, and never more than its positions."""
    stated = read_json_object(folder / "tokenizer_config.json").get("model_max_length")
    return min(stated, positions) if isinstance(stated, int) else positions


def max_sentence_tokens(folder: Path, positions: int) -> int:
    """The same for a sentence-transformers model, which may set a lower limit."""
    stated = read_json_object(folder / "sentence_bert_config.json").get("max_seq_length")
    longest = max_text_tokens(folder, positions)
    return min(stated, longest) if isinstance(stated, int) else longest


def read_json(path: Path) -> object:
    """Content of a JSON file; raises LoadError for one that is not readable."""
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LoadError(f"{path} is not readable JSON ({error}). Get the file again.") from error
    return content


CODE_RUNNING_KINDS = frozenset({"local_logprobs_trusted"})
"""Kinds that run code which comes with the weights."""
BACKBONE = "backbone"
"""The kind of a checkpoint of which only configuration and tokenizer are read."""

PARSER_KINDS = ("spacy_parse", "dependency_parse")
"""The kinds whose weights are a spaCy pipeline."""

TOKENIZER_FILES = ("tokenizer.json", "vocab.json", "merges.txt", "vocab.txt", "spiece.model", "spm.model")
TRANSLATION_KIND = "translation"
TRANSLATION_FILES = ("source.spm", "target.spm", "sentencepiece.bpe.model")
"""Tokenizer files that models of translation have besides; of other kinds none decides a number."""
TOKENIZER_SETTINGS = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
    "chat_template.json",
    "additional_chat_templates/*.jinja",
)
PROMPTS_FILE = "config_sentence_transformers.json"
MODEL_FILES = ("config.json", "generation_config.json", "modules.json", "sentence_bert_config.json", PROMPTS_FILE)
MODULE_FILES = ("config.json", "model.safetensors", "pytorch_model.bin")
"""Files that the folder of a module that modules.json lists may hold."""
# safe tensors before pickles, one file before shards
WEIGHT_FILES = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)


ONNX_KIND = "onnx_classifier"
"""The kind whose weights are an ONNX file."""
ONNX_FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
"""Names of ONNX files, of which the first that is there is read."""

UNUSED_WEIGHTS = ("mlm_head.", "base_model.embeddings.position_ids")
"""Tensors of a Lightning file that no score needs: AlignScore's own copy of the vocabulary, and counted positions."""


def weight_files(folder: Path) -> list[Path]:
    """The files that the weights are read from; none where there are none."""
    if folder.is_file():
        return [folder]
    for name in WEIGHT_FILES:
        if (folder / name).is_file():
            return _shard_files(folder / name) if name.endswith(".index.json") else [folder / name]
    return []


def onnx_files(folder: Path) -> list[Path]:
    """The ONNX file of a folder, then the files beside it that have its larger tensors; none where there are none."""
    file = next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)
    return [file, *sorted(file.parent.glob(f"{file.name}?*"))] if file else []


def deciding_files(folder: Path, kind: str) -> list[Path]:
    """The files whose contents decide the numbers of a kind, in a fixed order; a token count needs no weights.

    Every file that may be read counts, whether or not this checkpoint's other files make it matter.
    """
    if kind in PARSER_KINDS:
        return parser_files(folder)
    if folder.is_file():
        return [folder]
    pieces = TRANSLATION_FILES if kind == TRANSLATION_KIND else ()
    tokenizer = _present_files(folder, (*TOKENIZER_FILES, *pieces, *TOKENIZER_SETTINGS))
    if kind in {"token_count", BACKBONE}:
        return [*tokenizer, *_present_files(folder, ("config.json",))]
    model = _present_files(folder, MODEL_FILES)
    if kind == ONNX_KIND:
        return [*tokenizer, *model, *onnx_files(folder)]
    modules = [
        file for _, place in read_modules(folder) if place for file in _present_files(folder / place, MODULE_FILES)
    ]
    code = sorted(folder.rglob("*.py")) if kind in CODE_RUNNING_KINDS else []
    shards = _present_files(folder, [name for name in WEIGHT_FILES if name.endswith(".index.json")])
    return [*tokenizer, *model, *modules, *code, *shards, *weight_files(folder)]


def _present_files(folder: Path, names: Iterable[str]) -> list[Path]:
    """Those of the names, of which some are patterns, that a folder has."""
    # listed once: it is asked before every forward pass, and most of the names are never there
    here = set(os.listdir(folder)) if folder.is_dir() else set()
    present = [name for name in names if name.partition("/")[0] in here]
    matches = [sorted(folder.glob(name)) if "*" in name else [folder / name] for name in present]
    return [path for paths in matches for path in paths if path.is_file()]


def memory_bytes(folder: Path, checkpoint: Checkpoint) -> int:
    """An estimate of the memory that a checkpoint takes once loaded.

    Safe tensors tell their shapes, so that a file in half precision loaded in float32 counts double, and so does a file
    of Lightning; of another pickle only the size of the file is known.
    """
    if checkpoint.kind in {"token_count", *PARSER_KINDS}:
        return sum(path.stat().st_size for path in deciding_files(folder, checkpoint.kind))
    if checkpoint.kind == ONNX_KIND:
        return sum(path.stat().st_size for path in onnx_files(folder))
    width = 2 if checkpoint.dtype in {"float16", "bfloat16"} else 4
    if folder.suffix == ".ckpt":
        # imported here: only a file of Lightning needs torch to tell its weights from the optimizer's state
        from core.models.weights.weights import lightning_bytes

        return lightning_bytes(folder, width, UNUSED_WEIGHTS)
    return sum(_tensor_bytes(path, width) for path in weight_files(folder))


def missing_files(folder: Path, kind: str) -> str:
    """File that a folder lacks to be a model of a kind, in words; empty when none."""
    if not (folder / "config.json").is_file():
        return "config.json"
    if kind == BACKBONE:
        return "" if any((folder / name).is_file() for name in TOKENIZER_FILES) else "tokenizer.json"
    if kind == ONNX_KIND:
        return "" if onnx_files(folder) else ONNX_FILES[0]
    weights = weight_files(folder)
    if not weights:
        return "model.safetensors (or pytorch_model.bin)"
    return next((path.name for path in weights if not path.is_file()), "")


def _shard_files(index: Path) -> list[Path]:
    try:
        names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise LoadError(f"{index} is not a readable list of weight files. Get the file again.") from error
    return [index.parent / str(name) for name in sorted(names)]


def _tensor_bytes(path: Path, width: int) -> int:
    size = path.stat().st_size
    if path.suffix != ".safetensors":
        return size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size:
            return size
        try:
            header = json.loads(file.read(length))
        except ValueError:
            return size
    return width * sum(int(math.prod(tensor["shape"])) for name, tensor in header.items() if name != "__metadata__")
